r"""Makes what version 0.1.0 left behind in the middle of a cycle: its database and its Redis.

Run once with that version's code, not with this one:

    git worktree add --detach /tmp/swapflow-0.1.0 af0a7b0
    PYTHONPATH=/tmp/swapflow-0.1.0 python tests/system/first_release/make.py

The code itself lies beside them, for what runs while tables change under it:

    git archive --format=tar af0a7b0 swapflow workers ':(exclude)swapflow/simulation/data' \
        | xz -9e > tests/system/first_release/code.tar.xz

af0a7b0 is the last commit before the screens were begun. `swapflow up` of that version runs the
cycle; then Redis alone goes on for one more turn of a coordinator, so that its last messages wait
in the queue, and a few scores come that no coordinator has read.
"""

import contextlib
import gzip
import json
import shutil
import sqlite3
import subprocess
import tempfile
import time
from pathlib import Path

import redis

from swapflow.bandit.ties import tie_key
from swapflow.bootstrap import build, upgrade_database
from swapflow.domain.cycle import CycleStatus
from swapflow.domain.people.application import NewApplication
from swapflow.domain.people.reviewer import NewReviewer
from swapflow.domain.reviewing.assignment import AssignmentStatus
from swapflow.domain.reviewing.score import Answer
from swapflow.domain.rules import DispatchMode, Floor, KindRules, Purpose, Rules, SeatLine
from swapflow.engine.services import Swapflow
from swapflow.processes.deployment import running
from swapflow.processes.process_specs import redis_spec
from swapflow.settings import Settings


HERE = Path(__file__).parent
CYCLE = "fall"
APPLICANTS = 40
LIVE = {AssignmentStatus.QUEUED, AssignmentStatus.DELIVERED}
RULES = Rules(
    version=1,
    purpose=Purpose.SIMULATION,
    lines=(SeatLine(name="all", places=8),),
    kinds=(KindRules(name="review", cost=1, gain=1.0, maximum=4),),
    floors=(Floor(kind="review", count=1),),
    budget=110,
    reserve=0.0,
    dispatch=DispatchMode.LOCKSTEP,
    batch=10,
    blind=False,
    settled=0.0,
    seed=7,
)


def mark(applicant: str, ordinal: int, reviewer: str) -> float:
    """What a reviewer thinks of an applicant: the same question, the same mark."""
    truth = 0.2 + 0.6 * (tie_key(1, applicant) >> 11) / 2**53
    noise = 0.3 * ((tie_key(2, f"{applicant}/review/{ordinal}/{reviewer}") >> 11) / 2**53 - 0.5)
    return min(1.0, max(0.0, truth + noise))


def answer(product: Swapflow, *, at_most: int = 1_000_000) -> int:
    """Answer what is open; gives how much that was."""
    names = {a.number: a.external_id for a in product.applicants.list(CYCLE)}
    people = {r.number: r.external_id for r in product.reviewers.list(CYCLE)}
    waiting = product.context.ledger.assignments(CYCLE, statuses=LIVE)[:at_most]
    for one in waiting:
        given = mark(names[one.application], one.ordinal, people[one.reviewer])
        product.tasks.submit([Answer(assignment_id=one.id, utility=given)])
    return len(waiting)


def prepare(product: Swapflow) -> None:
    """Make the cycle and launch it."""
    product.cycles.new_round("round", name="Fall")
    product.cycles.new(CYCLE, round_id="round", rules=RULES, by="staff")
    product.applicants.import_all(
        CYCLE,
        [
            NewApplication(external_id=f"A{n:03}", selection={}, monitor={}, fields={})
            for n in range(APPLICANTS)
        ],
    )
    product.reviewers.import_all(
        CYCLE, [NewReviewer(external_id=f"R{n}", capacity={"review": None}) for n in range(6)]
    )
    product.cycles.launch(CYCLE, by="staff")


def until(product: Swapflow, decisions: int) -> None:
    """Answer everything until a cycle has ended or has made that number of decisions."""
    while True:
        cycle = product.cycles.get(CYCLE)
        if cycle.status is CycleStatus.ENDED or cycle.decisions >= decisions:
            return
        answer(product)
        time.sleep(0.05)


def whole(folder: Path) -> dict[str, object]:
    """What the cycle comes to when that version runs it to its end."""
    settings = Settings(data_dir=folder)
    with running(settings):
        product = build(settings)
        prepare(product)
        until(product, 1_000_000)
        cycle = product.cycles.get(CYCLE)
        cohort = sorted(place.external_id for place in product.cohort.propose(CYCLE).cohort)
        return {"cohort": cohort, "stop": cycle.stop_reason, "decisions": cycle.decisions}


def half(folder: Path) -> None:
    """Leave the cycle in its middle."""
    settings = Settings(data_dir=folder)
    with running(settings):
        product = build(settings)
        prepare(product)
        until(product, 4)
    spec = redis_spec(settings)
    assert spec.ready is not None
    server = subprocess.Popen(spec.argv)
    try:
        while not spec.ready():
            time.sleep(0.05)
        product = build(settings)
        coordinator = product.cycles.coordinator("old")
        while product.cycles.get(CYCLE).decisions < 5:
            answer(product)
            coordinator.turn()
        coordinator.stop()
        assert answer(product, at_most=3) == 3
        with redis.Redis.from_url(settings.redis) as client:
            client.bgrewriteaof()
            while client.info("persistence")["aof_rewrite_in_progress"]:
                time.sleep(0.05)
    finally:
        server.terminate()
        server.wait()


def main() -> None:
    """Make the files."""
    with tempfile.TemporaryDirectory(prefix="sf-old-") as name:
        folder = Path(name)
        for part in ("whole", "half"):
            upgrade_database(Settings(data_dir=folder / part))
        expected = whole(folder / "whole")
        half(folder / "half")
        with contextlib.closing(sqlite3.connect(folder / "half" / "swapflow.db")) as database:
            text = "\n".join(database.iterdump()) + "\n"
        (HERE / "ledger.sql.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
        shutil.rmtree(HERE / "redis", ignore_errors=True)
        shutil.copytree(folder / "half" / "redis" / "appendonlydir", HERE / "redis")
        (HERE / "expected.json").write_text(json.dumps(expected, indent=2) + "\n", "utf-8")
    print(json.dumps(expected))


if __name__ == "__main__":
    main()
