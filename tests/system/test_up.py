"""The command that starts a deployment, and a round through it."""

import tempfile
from pathlib import Path
from shutil import rmtree

import pytest

from swapflow.bootstrap import build
from swapflow.processes.deployment import running
from swapflow.settings import load_settings
from swapflow.simulation.replay import replay
from tests.system.rounds import SmallRound


pytestmark = pytest.mark.system


def test_a_replay_through_swapflow_up_gives_what_a_replay_in_process_gives(
    quick: SmallRound,
) -> None:
    folder = Path(tempfile.mkdtemp(prefix="sf-up-"))
    settings = load_settings(data_dir=folder)

    with running(settings):
        product = build(settings)
        there = replay(quick.recording, quick.program, quick.options, product=product)
        assert product.reports.verify("replay").passed
        product.context.ledger.dispose()  # type: ignore[attr-defined]  # an SqlLedger

    here = replay(quick.recording, quick.program, quick.options)
    assert not settings.redis_socket.exists()
    rmtree(folder)
    assert (there.decisions, there.cohort, there.stop) == (here.decisions, here.cohort, here.stop)
    assert (there.cost, there.pulls, there.utility) == (here.cost, here.pulls, here.utility)
