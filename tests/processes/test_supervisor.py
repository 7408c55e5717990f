"""A real supervisor over a real server and real children."""

import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from swapflow.processes.data_folder_lock import note_processes
from swapflow.processes.embedded_redis import server_answers
from swapflow.processes.supervisor import BackOff
from tests.support.process import Process, children, exists


pytestmark = pytest.mark.system


@pytest.fixture
def data() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="sf-up-"))
    yield folder
    shutil.rmtree(folder)


def supervisor(
    data: Path, one: str = "obedient", two: str = "obedient", grace: str = "10"
) -> Process:
    argv = [sys.executable, "-m", "tests.support.supervised", str(data), one, two, grace]
    return Process(argv)


def wait_ready(running: Process) -> None:
    running.wait_for(lambda: "every process is ready" in running.output(), what="readiness")


def pid_of(data: Path, name: str) -> int:
    return int((data / "run" / f"{name}.beat").read_text("ascii"))


def test_the_server_is_ready_before_the_others_start_and_their_output_is_prefixed(
    data: Path,
) -> None:
    with supervisor(data) as running:
        wait_ready(running)
        running.wait_for(lambda: "one | working" in running.output(), what="output")

        lines = running.output()
        assert server_answers(data / "redis" / "redis.sock")
        assert lines.index("redis is ready") < lines.index("one is ready")


def test_it_stops_cleanly_in_reverse_order_when_asked(data: Path) -> None:
    with supervisor(data) as running:
        wait_ready(running)
        started = children(running.pid)
        assert len(started) == 3

        code = running.terminate()

        assert code == 0
        assert not any(map(exists, started))
        assert "stopped" in running.output()
        assert "killing" not in running.output()


@pytest.mark.parametrize("name", ["redis", "one"])
def test_a_child_that_is_killed_is_started_again(data: Path, name: str) -> None:
    with supervisor(data) as running:
        wait_ready(running)
        socket = data / "redis" / "redis.sock"
        before = children(running.pid)
        victim = pid_of(data, "one") if name == "one" else min(before)

        os.kill(victim, signal.SIGKILL)

        running.wait_for(
            lambda: running.output().count(f"{name} is ready") == 2, what="a new life"
        )
        assert f"{name} was killed by SIGKILL" in running.output()
        assert not exists(victim)
        assert len(children(running.pid)) == 3
        assert server_answers(socket)


def test_what_a_killed_child_had_started_does_not_work_on_beside_its_successor(
    data: Path,
) -> None:
    with supervisor(data, one="parent") as running:
        wait_ready(running)
        parent = pid_of(data, "one")
        running.wait_for(lambda: len(children(parent)) == 1, what="a grandchild")
        grandchildren = children(parent)

        os.kill(parent, signal.SIGKILL)

        running.wait_for(lambda: not any(map(exists, grandchildren)), what="the grandchild's end")


def test_killing_the_supervisor_leaves_no_process_and_the_next_one_starts_at_once(
    data: Path,
) -> None:
    with supervisor(data) as running:
        wait_ready(running)
        started = children(running.pid)
        assert len(started) == 3

        running.kill9(group=False)

        running.wait_for(lambda: not any(map(exists, started)), what="nothing left")
        running.start()
        running.wait_for(
            lambda: running.output().count("every process is ready") == 2, what="ready"
        )


def test_what_a_dead_supervisor_left_behind_is_swept_up(data: Path) -> None:
    with supervisor(data) as running, Process(["sleep", "600"]) as stray:
        wait_ready(running)
        running.kill9(group=False)
        # As if the kernel had not killed it: a process that the note names, still alive.
        note_processes(data, {"worker": stray.pid})

        running.start()

        running.wait_for(
            lambda: running.output().count("every process is ready") == 2, what="ready"
        )
        assert "killed worker, left behind" in running.output()
        assert not exists(stray.pid)


def test_a_later_process_with_the_same_number_is_left_alone(data: Path) -> None:
    with supervisor(data) as running, Process(["sleep", "600"]) as innocent:
        (data / "run").mkdir()
        note = f'{{"worker": [{innocent.pid}, "1"], "odd": 3}}'
        (data / "run" / "processes.json").write_text(note)

        wait_ready(running)

        assert exists(innocent.pid)


def test_a_second_supervisor_on_one_data_folder_says_so(data: Path) -> None:
    with supervisor(data) as first:
        wait_ready(first)
        with supervisor(data) as second:
            second.wait_for(lambda: second.code is not None, what="a refusal")

            assert second.code == 5
            assert f"(process {first.pid})" in second.output()
            assert "ConflictError" in second.output()
        assert len(children(first.pid)) == 3


def test_a_child_that_does_not_stop_is_killed_after_its_grace(data: Path) -> None:
    with supervisor(data, one="stubborn", grace="0.5") as running:
        wait_ready(running)
        started = children(running.pid)

        assert running.terminate() == 0

        assert "one did not stop, killing it" in running.output()
        assert not any(map(exists, started))


def test_a_second_signal_does_not_wait_for_the_grace(data: Path) -> None:
    with supervisor(data, one="stubborn", grace="60") as running:
        wait_ready(running)
        os.kill(running.pid, signal.SIGINT)

        took = running.wait_for(lambda: running.code is None, what="still waiting")
        assert running.terminate() == 0

        assert took < 1


@pytest.mark.parametrize(
    ("script", "said"),
    [("broken", "no such colour: octarine"), ("mute", "not ready, and idle for 0.7 s")],
)
def test_a_child_that_never_gets_ready_ends_the_start_with_what_it_said(
    data: Path, script: str, said: str
) -> None:
    with supervisor(data, two=script) as running:
        running.wait_for(lambda: running.code is not None, what="the end")

        output = running.output()
        assert running.code == 5
        assert "UnavailableError: two does not start; it said" in output
        assert said in output
        assert "Look at its colours." in output
        assert not server_answers(data / "redis" / "redis.sock")


def test_a_stop_during_the_start_leaves_nothing(data: Path) -> None:
    with supervisor(data, one="mute") as running:
        running.wait_for(lambda: "two is ready" in running.output(), what="a start")
        started = children(running.pid)

        assert running.terminate() == 0

        assert not any(map(exists, started))


def test_a_line_without_an_end_is_printed_all_the_same(data: Path) -> None:
    with supervisor(data, one="chatty") as running:
        running.wait_for(lambda: running.output().count("x") >= 200_000, what="it all")


def test_waits_between_starts_double_up_to_a_limit() -> None:
    back_off = BackOff(first=0.5, most=30)

    assert [back_off.after(n) for n in (1, 2, 3, 7, 500)] == [0.5, 1, 2, 30, 30]


def test_a_child_that_is_slow_but_works_is_waited_for_however_long_it_takes(data: Path) -> None:
    with supervisor(data, two="slow") as running:
        wait_ready(running)

        assert "killing" not in running.output()
        assert "starts again" not in running.output()
