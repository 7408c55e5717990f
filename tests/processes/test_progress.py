"""What counts as a sign that a process gets on while it starts."""

import os
import time

from swapflow.processes.progress import StartProgress


def test_what_a_process_prints_is_a_sign_though_it_uses_no_processor() -> None:
    progress = StartProgress(None, now=0.0)
    idle = [progress.idle_for(said=(), now=1.0)]
    # A process whose number is not known counts as getting on.
    assert idle == [0.0]

    nobody = 2**22 + 1  # no process has such a number, so no processor time is seen
    progress = StartProgress(nobody, now=0.0)
    progress.idle_for(said=("one",), now=1.0)
    assert progress.idle_for(said=("one",), now=31.0) == 30.0
    assert progress.idle_for(said=("one", "two"), now=32.0) == 0.0
    assert progress.idle_for(said=("one", "two"), now=33.0) == 1.0


def test_processor_time_is_a_sign_though_nothing_is_printed() -> None:
    progress = StartProgress(os.getpid(), now=0.0)
    progress.idle_for(said=(), now=0.0)
    # What it reads counts children that have ended too: in a long run more than this process used.
    before, began = progress.processor, time.process_time()
    while time.process_time() < began + 0.2:
        sum(range(10_000))

    assert progress.idle_for(said=(), now=60.0) == 0.0
    assert progress.processor > before
