"""Makes the record of a finished program with the code of version 0.1.0; README.md says how."""

# That version's modules had other names; it is never imported by this one.
# mypy: disable-error-code="import-not-found, attr-defined, no-untyped-def"

import gzip
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

from swapflow.domain.applicant import NewApplication
from swapflow.domain.assignment import AssignmentStatus
from swapflow.domain.reviewer import NewReviewer
from swapflow.domain.score import Answer
from swapflow.engine.facade import Swapflow
from swapflow.engine.finalize import Override
from swapflow.ledger.sql import SqlLedger

from swapflow.bandit.ties import tie_key
from swapflow.bootstrap import upgrade_database
from swapflow.domain.cohort import Verdict
from swapflow.domain.rules import Floor, KindRules, Purpose, RuleName, Rules, SeatLine
from swapflow.engine.ports import Topic
from swapflow.queues.inline import InlineDispatcher
from swapflow.settings import Settings
from swapflow.state.memory import MemoryCycleState, MemoryDoorbell


HERE = Path(__file__).parent
CYCLE = "fall"
LIVE = {AssignmentStatus.QUEUED, AssignmentStatus.DELIVERED}
RULES = Rules(
    version=1,
    purpose=Purpose.REAL,
    rule=RuleName.BUDGET,
    lines=(SeatLine(name="all", places=3),),
    kinds=(KindRules(name="review", cost=1, gain=1.0, maximum=4),),
    floors=(Floor(kind="review", count=1),),
    budget=24,
    reserve=0.0,
    blind=False,
    settled=0.0,
    seed=7,
)


def mark(applicant: str, ordinal: int, reviewer: str) -> float:
    """What a reviewer thinks of an applicant: the same question, the same mark."""
    truth = 0.2 + 0.6 * (tie_key(1, applicant) >> 11) / 2**53
    noise = 0.3 * ((tie_key(2, f"{applicant}/review/{ordinal}/{reviewer}") >> 11) / 2**53 - 0.5)
    return min(1.0, max(0.0, truth + noise))


def main(folder: Path) -> None:
    """Play a program to its list, with one override, and write its database as SQL."""
    settings = Settings(data_dir=folder)
    upgrade_database(settings)
    product: Swapflow

    def deliver(messages) -> None:  # noqa: ANN001 - that version's own type
        product.deliver([m.id for m in messages if m.topic is Topic.DELIVER])

    dispatcher = InlineDispatcher(deliver)
    ledger = SqlLedger(settings.database)
    product = Swapflow(
        ledger=ledger,
        state=MemoryCycleState(),
        dispatcher=dispatcher,
        doorbell=MemoryDoorbell(),
        post=lambda _mail: None,
        lease_seconds=3600.0,
    )
    product.new_round("round", name="Fall")
    product.new_cycle(CYCLE, round_id="round", rules=RULES, by="staff")
    people = [
        NewApplication(external_id=f"A{n:03}", selection={}, monitor={}, fields={})
        for n in range(1, 9)
    ]
    product.import_applications(CYCLE, people)
    product.import_reviewers(
        CYCLE, [NewReviewer(external_id=f"R{n}", capacity={"review": None}) for n in range(4)]
    )
    product.launch(CYCLE, by="staff")
    coordinator = product.coordinator("one")
    names = {a.number: a.external_id for a in product.applications(CYCLE)}
    roster = {r.number: r.external_id for r in product.reviewers(CYCLE)}
    while True:
        while coordinator.turn() + dispatcher.run_pending():
            pass
        waiting = ledger.assignments(CYCLE, statuses=LIVE)
        if not waiting:
            break
        for one in waiting:
            given = mark(names[one.application], one.ordinal, roster[one.reviewer])
            product.submit([Answer(assignment_id=one.id, utility=given)])
    proposal = product.propose(CYCLE)
    inside = proposal.cohort[-1].external_id
    outside = next(p.external_id for p in proposal.places if p not in proposal.cohort)
    product.finalize(
        CYCLE,
        by="chair",
        overrides=[
            Override(external_id=inside, verdict=Verdict.WAITLISTED, reason="next year"),
            Override(external_id=outside, verdict=Verdict.SELECTED, reason="an unusual file"),
        ],
    )
    ledger.dispose()
    with closing(sqlite3.connect(folder / "swapflow.db")) as database:
        text = "\n".join(database.iterdump()) + "\n"
    (HERE / "first_finished.sql.gz").write_bytes(gzip.compress(text.encode(), mtime=0))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
