"""Small things to put into a ledger."""

from datetime import UTC, datetime, timedelta

from swapflow.domain.cohort.proposal import MethodSheet, Place, Standing
from swapflow.domain.cycle import Position
from swapflow.domain.ids import assignment_id, pull_id, pull_of
from swapflow.domain.people.application import NewApplication
from swapflow.domain.people.reviewer import Absence, NewReviewer
from swapflow.domain.reviewing.assignment import (
    Assignment,
    AssignmentStatus,
    Pull,
    PullReason,
    PullStatus,
)
from swapflow.domain.reviewing.score import Origin, Score
from swapflow.domain.rules import Criterion, KindRules, Rubric, Rules, SeatLine
from swapflow.engine.ports.records import DecisionRecord, Mail
from swapflow.ledger.sql_ledger import SqlLedger


NOON = datetime(2027, 3, 1, 12, tzinfo=UTC)
RULES = Rules(
    version=1,
    lines=(SeatLine(name="funded", places=2), SeatLine(name="unfunded", places=1, funded=False)),
    kinds=(
        KindRules(name="review", cost=30, gain=1.0, maximum=3),
        KindRules(name="panel", cost=90, gain=2.5, maximum=1, seats=2, quorum=2),
    ),
    rubrics=(
        Rubric(
            kind="review",
            version=1,
            criteria=(Criterion(name="craft", marks=((1.0, "weak"), (5.0, "strong"))),),
        ),
    ),
    budget=10_000,
)
KINDS = ("review", "panel")


def applicant(external_id: str, **changes: object) -> NewApplication:
    values: dict[str, object] = {
        "external_id": external_id,
        "name": f"Name of {external_id}",
        "email": f"{external_id}@applicants.example",
        "selection": {"field": "biology"},
        "monitor": {"sex": "f"},
        "fields": {"essay": f"Essay by {external_id}"},
        "documents": (("cv.pdf", f"/files/{external_id}.pdf", False),),
    }
    return NewApplication(**(values | changes))  # type: ignore[arg-type]  # tests name fields


def reviewer(external_id: str, **changes: object) -> NewReviewer:
    values: dict[str, object] = {
        "external_id": external_id,
        "name": f"Dr {external_id}",
        "email": f"{external_id}@reviewers.example",
        "group": "faculty",
        "capacity": {"review": 5, "panel": None},
        "topics": ("genetics", "algebra"),
        "absences": (Absence(first=NOON.date(), last=NOON.date() + timedelta(days=3)),),
    }
    return NewReviewer(**(values | changes))  # type: ignore[arg-type]  # tests name fields


def pull(application: int, ordinal: int = 1, *, kind: int = 0, cycle: str = "fall") -> Pull:
    return Pull(
        id=pull_id(cycle, application, KINDS[kind], ordinal),
        cycle_id=cycle,
        application=application,
        kind=kind,
        ordinal=ordinal,
        status=PullStatus.OPEN,
        why=PullReason.RULE,
        cost=RULES.kinds[kind].cost,
        gain=1000,
        decision=1,
        seats=RULES.kinds[kind].seats,
        quorum=RULES.kinds[kind].quorum,
    )


def seat(
    of: Pull,
    reviewer: int = 0,
    *,
    number: int = 1,
    attempt: int = 1,
    created_at: datetime = NOON,
    due_at: datetime | None = None,
) -> Assignment:
    return Assignment(
        id=assignment_id(of.id, number, attempt),
        pull_id=of.id,
        cycle_id=of.cycle_id,
        application=of.application,
        kind=of.kind,
        ordinal=of.ordinal,
        seat=number,
        attempt=attempt,
        reviewer=reviewer,
        status=AssignmentStatus.QUEUED,
        packet=1,
        rubric_version=0,
        created_at=created_at,
        due_at=due_at,
    )


def score(of: Assignment, value: int = 750_000, *, revision: int = 1) -> Score:
    return Score(
        assignment_id=of.id,
        pull_id=pull_of(of.id),
        cycle_id=of.cycle_id,
        application=of.application,
        kind=of.kind,
        ordinal=of.ordinal,
        seat=of.seat,
        reviewer=of.reviewer,
        revision=revision,
        value=value,
        counts=True,
        reason="",
        origin=Origin.ASSIGNED,
        late=None,
        typed_by="",
        rubric_version=1,
        submitted_at=NOON,
        seq=1,
    )


def decision(number: int, look: dict[str, float]) -> DecisionRecord:
    return DecisionRecord(
        cycle_id="fall",
        number=number,
        read=Position(3, "abc"),
        digest="d" * 64,
        rules_version=1,
        why="rule",
        picks=((0, 0, 1, -5, (1, 2)), (1, 1, 1, 7, ())),
        look=look,
        cohort=(0, 2),
        contested=(2,),
        stop="",
        versions={"numpy": "2.4"},
    )


def place(application: int, rank: int, *, external_id: str, name: str) -> Place:
    return Place(
        application=application,
        external_id=external_id,
        name=name,
        rank=rank,
        standing=Standing.COHORT if rank == 1 else Standing.WAITLIST,
        estimate=0.1 + 0.2,
        raw_mean=None,
        margin=0.05,
        evidence=2.0,
        contested=rank == 2,
        tied=False,
        pulls={"review": 2},
        floor_missing={},
    )


def sheet(certified_loss: float = 0.01) -> MethodSheet:
    return MethodSheet(
        cycle_id="fall",
        position=9,
        head_hash="e" * 64,
        rules_version=1,
        rule="budget",
        objective="top-k",
        cohort_size=3,
        candidates=4,
        seed=7,
        parameters={"sigma": 0.16},
        stop_reason="budget",
        stop_sentence="The budget is spent.",
        certified_loss=certified_loss,
        expected_loss=None,
        certificate="mixture",
        promises="none",
        spent=60,
        committed=0,
        budget=10_000,
        unit="minutes",
        pulls={"review": 2},
        decisions=1,
        versions={"numpy": "2.4"},
    )


def mail(id_: str, *, text: str = "You have two reviews.") -> Mail:
    return Mail(
        id=id_,
        to="r1@reviewers.example",
        subject="Reviews",
        text=text,
        html=f"<p>{text}</p>",
        calendar="",
        state="queued",
    )


def people(ledger: SqlLedger, applicants: int = 3, reviewers: int = 2) -> None:
    with ledger.write("fall") as tx:
        tx.add_applications(
            [applicant(f"a{i}") for i in range(applicants)],
            [i * 2**62 for i in range(applicants)],
            wave=1,
        )
        tx.add_reviewers([reviewer(f"r{i}") for i in range(reviewers)])
