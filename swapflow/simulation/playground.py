"""A small program that people can play with: invented applicants, reviews that wait for marks."""

import secrets
import time
from dataclasses import dataclass

from swapflow.domain.people.application import NewApplication
from swapflow.domain.people.reviewer import NewReviewer
from swapflow.domain.reviewing.score import Answer
from swapflow.domain.rules import Criterion, Floor, KindRules, Rubric, Rules, SeatLine
from swapflow.engine.services import Swapflow
from swapflow.errors import UnavailableError
from swapflow.identity.permissions import Role, Scope
from swapflow.identity.services import Office


CYCLE = "fellowship"
STAFF = "staff@demo.example"
REVIEWER = "reviewer@demo.example"
READY_SECONDS = 60.0

_FIRST = ("Amara", "Bruno", "Chidi", "Dilara", "Emre", "Freya", "Goran", "Hana", "Ines", "Jonas")
_LAST = ("Okafor", "Lindqvist", "Moreau")
_FIELDS = (
    ("coastal erosion", "a tide gauge that a village can build and read by itself"),
    ("soil health", "a field kit that shows farmers what their compost changes"),
    ("rare languages", "a spoken dictionary, recorded with the last forty speakers"),
    ("clean cooking", "a stove that runs on what sugar mills throw away"),
    ("night trains", "a timetable that fits freight and sleepers on one line"),
    ("river fish", "a count of eels by the sounds they make"),
)
_SHOWN = ("field of work", "summary", "years of practice")

_QUESTIONS = (
    "What would you do in the first month?",
    "What could make the project fail, and how would you notice early?",
    "Who will use the result once the year is over?",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Login:
    """How to get in, made for this demonstration alone."""

    email: str
    password: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Playground:
    """Where to look, and as whom."""

    staff: Login
    reviewer: Login
    waiting: int


def open_playground(product: Swapflow, office: Office, *, round_id: str) -> Playground:
    """Create and launch the program on a running deployment, with two accounts to look at it.

    Raises:
        UnavailableError: If nothing reaches the reviewer within a minute.
    """
    product.cycles.new(CYCLE, round_id=round_id, rules=_rules(), by=STAFF, name="Fellowship")
    product.applicants.import_all(CYCLE, [_applicant(number) for number in range(1, 31)])
    product.applicants.choose_columns(CYCLE, dict.fromkeys(_SHOWN, True), by=STAFF)
    product.reviewers.import_all(CYCLE, [_reviewer(number) for number in range(1, 7)])
    staff = _account(office, STAFF, "Demo staff")
    for role in (Role.OPERATIONS, Role.CHAIR, Role.ADMINISTRATOR):
        office.users.grant(office.users.get(STAFF), role, Scope.OFFICE, by="demo")
    reviewer = _account(office, REVIEWER, "Demo reviewer")
    product.cycles.launch(CYCLE, by=STAFF)
    until = time.monotonic() + READY_SECONDS
    while not product.tasks.inbox(CYCLE, "R1"):
        if time.monotonic() > until:
            raise UnavailableError("demo_without_review")
        time.sleep(0.1)
    for number in range(2, 7):
        _answer_some(product, f"R{number}", number)
    return Playground(
        staff=staff, reviewer=reviewer, waiting=len(product.tasks.inbox(CYCLE, "R1"))
    )


def _account(office: Office, email: str, name: str) -> Login:
    login = Login(email=email, password=secrets.token_urlsafe(9))
    office.users.add(email, name=name, password=login.password)
    return login


def _answer_some(product: Swapflow, external_id: str, seed: int) -> None:
    """Submit some of a reviewer's first reviews, so that there is something to see."""
    for index, task in enumerate(product.tasks.inbox(CYCLE, external_id)[:4]):
        marks: dict[str, float | None] = {
            "Project": float(1 + (task.application * 7 + seed) % 4),
            "Preparation": float(1 + (task.application * 5 + index) % 4),
        }
        remark = "The plan is clear; the budget for travel could be argued better."
        product.tasks.submit([Answer(assignment_id=task.id, marks=marks, remark=remark)])


def _rules() -> Rules:
    anchors = ((1.0, "vague"), (2.0, "plausible"), (3.0, "convincing"), (4.0, "outstanding"))
    prepared = ((1.0, "little"), (2.0, "some"), (3.0, "solid"), (4.0, "has done it before"))
    criteria = (
        Criterion(name="Project", marks=anchors, weight=2.0),
        Criterion(name="Preparation", marks=prepared),
    )
    return Rules(
        version=1,
        lines=(SeatLine(name="fellows", places=6),),
        kinds=(
            KindRules(
                name="review",
                cost=20,
                gain=1.0,
                maximum=4,
                guidance="Judge the project and how well prepared the applicant is for it.",
                confidence=True,
            ),
            KindRules(
                name="interview",
                cost=60,
                gain=3.0,
                requires="review",
                maximum=1,
                approval=True,
                guidance="Ask every question, in this order, and note the answers.",
                questions=_QUESTIONS,
            ),
        ),
        rubrics=tuple(
            Rubric(kind=kind, version=1, criteria=criteria) for kind in ("review", "interview")
        ),
        floors=(Floor(kind="review", count=1),),
        budget=2400,
        blind=True,
        packet=6,
    )


def _applicant(number: int) -> NewApplication:
    first = _FIRST[(number - 1) % len(_FIRST)]
    last = _LAST[(number - 1) // len(_FIRST)]
    field, plan = _FIELDS[number % len(_FIELDS)]
    return NewApplication(
        external_id=f"F{number:02d}",
        name=f"{first} {last}",
        email=f"{first}.{last}@applicants.example".lower(),
        selection={},
        monitor={},
        fields={
            "field of work": field,
            "summary": f"In one year I want to make {plan}. I ask for {8 + number % 5} months of "
            "pay and a small workshop.",
            "years of practice": str(1 + number * 7 % 12),
        },
    )


def _reviewer(number: int) -> NewReviewer:
    own = number == 1
    return NewReviewer(
        external_id=f"R{number}",
        name="Demo reviewer" if own else f"Reviewer {number}",
        email=REVIEWER if own else f"reviewer{number}@demo.example",
        capacity={"review": None, "interview": 4},
    )
