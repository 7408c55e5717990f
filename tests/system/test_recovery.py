"""PostgreSQL lost with its disk, and recovered to one moment, as deploy/RUNBOOK.md says.

What is typed is read from that page.
"""

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest

from swapflow.domain.rules import DispatchMode
from swapflow.engine.services import Swapflow
from swapflow.processes.deployment import command
from tests.engine.cycle_by_hand import CYCLE, World, applicants, reviewers, rules
from tests.support.cluster import Cluster
from tests.support.waiting import wait_until
from tests.system.crowd import Crowd
from tests.system.rounds import unsound
from tests.system.stack import Stack


pytestmark = [pytest.mark.system, pytest.mark.slow]

RUNBOOK = Path(__file__).parents[2] / "deploy" / "RUNBOOK.md"
HEADING = "## PostgreSQL: back to one moment"
RULES = rules(budget=240, batch=20, dispatch=DispatchMode.LOCKSTEP)
APPLICANTS = applicants(80)
REVIEWERS = reviewers(8)


def steps() -> list[str]:
    """What the runbook says to type: archive, base backup, recover, tidy, check."""
    section = RUNBOOK.read_text("utf-8").partition(HEADING)[2].partition("\n## ")[0]
    return re.findall(r"```sh\n(.*?)```", section, flags=re.DOTALL)


class Drill:
    """The runbook's steps on one cluster, as they are typed."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.archive_on, self.base_backup, self.recover, self.tidy, self.look = steps()
        self._places = {name: str(cluster.folder / name.lower()) for name in ("ARCHIVE", "BASE")}
        cluster.run_as_server(["mkdir", self._places["ARCHIVE"]])

    def type(self, block: str, **more: str) -> None:
        """Type what a block of the runbook says."""
        self.cluster.run_as_server(["bash", "-euc", block], **self._places, **more)

    def lose(self) -> None:
        """Delete the server's disk once the archive has the log."""
        self.cluster.ask("SELECT pg_switch_wal()")
        wait_until(self._archived, what="the log is in the archive")
        self.cluster.lose()
        with pytest.raises(psycopg.OperationalError):
            self.cluster.ask("SELECT 1")

    def _archived(self) -> bool:
        waiting = self.cluster.ask(
            "SELECT count(*) FROM pg_ls_archive_statusdir() WHERE name LIKE '%.ready'"
        )
        return bool(waiting == 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """A moment in the middle of the work.

    Attributes:
        at: The server's time; before: receipts given by then; after: those of what was handed in
            later.
    """

    at: str
    before: dict[str, int]
    after: dict[str, int]


def test_postgresql_lost_under_load_is_recovered_to_a_moment_with_all_acknowledged_by_then() -> (
    None
):
    with Cluster() as cluster:
        drill = Drill(cluster)
        drill.type(drill.archive_on)
        cluster.stop()
        cluster.start()
        with Stack(database_url=cluster.url) as stack:
            moment = _work(stack.product, drill)
            drill.lose()
            stack.stop()
            stack.ledger.dispose()

            drill.type(drill.recover, MOMENT=moment.at)
            cluster.start()
            drill.type(drill.tidy)

            assert "recovery stopping before commit" in cluster.log()
            there = {score.assignment_id: score.seq for score in stack.product.scores.list(CYCLE)}
            assert {one: there.get(one) for one in moment.before} == moment.before
            assert moment.after
            assert not there.keys() & moment.after.keys()
            assert stack.product.reports.verify(CYCLE, live=False).passed

            stack.start()
            assert "DIFFERS" not in _swapflow(stack, drill.look)
            assert unsound(stack.product, CYCLE) == []

            rest = Crowd(stack.product, CYCLE)
            stack.wait_for(rest.answer_until_over, what="the end of the cycle")
            cohort = _cohort(stack.product)
            assert unsound(stack.product, CYCLE) == []
    assert cohort == _undisturbed()


def _work(product: Swapflow, drill: Drill) -> Moment:
    """Hand in scores while the base backup is made, up to a moment and beyond it."""
    _launch(product)
    crowd = Crowd(product, CYCLE)
    with crowd.at_work():
        crowd.wait_for(10)
        drill.type(drill.base_backup)
        crowd.wait_for(len(crowd.told) + 30)
        with crowd.lock:
            before, begun = dict(crowd.told), set(crowd.began)
            at = str(drill.cluster.ask("SELECT clock_timestamp()"))
        crowd.wait_for(len(before) + 20)
    after = {one: seq for one, seq in crowd.told.items() if one not in begun}
    return Moment(at=at, before=before, after=after)


def _launch(product: Swapflow) -> None:
    product.cycles.new_round("round", name="Round")
    product.cycles.new(CYCLE, round_id="round", rules=RULES, by="ops")
    product.applicants.import_all(CYCLE, APPLICANTS)
    product.reviewers.import_all(CYCLE, REVIEWERS)
    product.cycles.launch(CYCLE, by="ops")


def _swapflow(stack: Stack, block: str) -> str:
    """Type the runbook's swapflow commands; each must end well."""
    said = ""
    for line in block.replace("CYCLE", CYCLE).strip().splitlines():
        words = line.split()
        assert words[0] == "swapflow"
        done = subprocess.run(
            command(*words[1:]),
            env={**os.environ, **stack.environment},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        said += done.stdout
    return said


def _cohort(product: Swapflow) -> list[str]:
    return sorted(place.external_id for place in product.cohort.propose(CYCLE).cohort)


def _undisturbed() -> list[str]:
    """What the same answers come to in one process where nothing is lost."""
    world = World(rules=RULES, applications=APPLICANTS, roster=REVIEWERS)
    crowd = Crowd(world.product, CYCLE)
    while not crowd.answer_until_over():
        world.coordinator.turn()
    return _cohort(world.product)
