"""Launch: everything that would go wrong later is refused now, and changes nothing."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from swapflow.domain.cycle import CycleStatus
from swapflow.domain.people.application import ApplicationStatus
from swapflow.domain.reviewing.assignment import PullReason
from swapflow.domain.rules import AutomaticReview, Floor, Purpose, RuleName
from swapflow.engine.preconditions import refuse_finalized
from swapflow.errors import InvalidInputError, NotFoundError, NotReadyError
from tests.engine.cycle_by_hand import (
    CYCLE,
    INTERVIEW,
    REVIEW,
    World,
    applicant,
    applicants,
    chosen_floor,
    reviewer,
    reviewers,
    rules,
)


def test_after_the_launch_everyone_who_is_ready_is_reviewed_once_and_nobody_else() -> None:
    world = World(launch=False, rules=rules(budget=60))
    world.product.applicants.move(CYCLE, "A002", ApplicationStatus.HELD, by="ops")
    world.admit([applicant("A099", ready=False)])
    world.product.cycles.launch(CYCLE, by="ops")

    world.turn()

    names = world.names()
    pulls = [p for p in world.ledger.pulls(CYCLE) if p.why is PullReason.FLOOR]
    assert sorted(names[p.application] for p in pulls) == [
        *(f"A00{n}" for n in (1, 3, 4, 5, 6, 7, 8)),
    ]
    assert {p.ordinal for p in pulls} == {1}
    assert {p.decision for p in pulls} == {1}


def test_floors_of_several_reviews_go_to_several_people() -> None:
    world = World(rules=rules(budget=16, floors=(Floor(kind="review", count=2),)))

    world.turn()

    asked = [(a.application, a.reviewer) for a in world.waiting()]
    assert len(asked) == len(set(asked)) == 16


def test_a_second_launch_is_refused_and_asks_nobody_twice() -> None:
    world = World()
    world.turn()
    before = world.cycle

    with pytest.raises(NotReadyError, match="launched before"):
        world.product.cycles.launch(CYCLE, by="ops")

    assert world.cycle == before
    assert world.turn() == 0


def test_nothing_is_asked_before_the_launch() -> None:
    world = World(launch=False)

    assert world.turn() == 0
    assert world.ledger.pulls(CYCLE) == ()


def test_launching_what_does_not_exist_says_so() -> None:
    with pytest.raises(NotFoundError, match="spring"):
        World(launch=False).product.cycles.launch("spring", by="ops")


Draft = Callable[[], World]


def draft(**changes: object) -> Draft:
    return lambda: World(launch=False, **changes)  # type: ignore[arg-type]  # named by the cases


BOTH = {"review": None, "interview": None}
REFUSALS: dict[str, tuple[Draft, str]] = {
    "no application": (draft(applications=[]), "no applicant yet"),
    "as many places as applications": (draft(applications=3), "leave nothing to decide"),
    "more places than applications": (draft(applications=2), "leave nothing to decide"),
    "fewer stated than present": (
        draft(rules=rules(max_applicants=5)),
        "max_applicants = 5 is less than the 8",
    ),
    "a budget below the floors": (
        draft(rules=rules(budget=7)),
        "cannot pay the floors \\(8\\).*at least 8",
    ),
    "a budget below floors and reserve": (
        draft(rules=rules(budget=8, reserve=0.2)),
        "reserve for staff \\(1\\).*at least 9",
    ),
    "a budget below what the chosen are promised": (
        draft(
            rules=rules(
                budget=16,
                kinds=(REVIEW, INTERVIEW),
                floors=(Floor(kind="review", count=1), chosen_floor("interview")),
            ),
            roster=reviewers(4, capacity=BOTH),
        ),
        "cannot pay the floors \\(17\\)",
    ),
    "no reviewer at all": (draft(roster=[]), "no reviewer takes 'review'"),
    "no reviewer for interviews": (
        draft(rules=rules(kinds=(REVIEW, INTERVIEW))),
        "no reviewer takes 'interview'",
    ),
    "everyone in conflict with one application": (
        draft(roster=reviewers(2, conflicts=("A004",))),
        "1 applicants have fewer than 1 reviewers for 'review'.*A004",
    ),
    "fewer reviewers than the floor needs": (
        draft(rules=rules(floors=(Floor(kind="review", count=3),)), roster=2),
        "fewer than 3 reviewers",
    ),
    "fewer reviewers than a panel has seats": (
        draft(rules=rules(kinds=(replace(REVIEW, seats=3, quorum=2),)), roster=2),
        "fewer than 3 reviewers",
    ),
    "programs in a real cycle": (
        draft(
            rules=rules(purpose=Purpose.REAL),
            roster=[*reviewers(2), reviewer("robot", automatic="https://scores.example")],
        ),
        "automatic reviewers in a real program \\(robot\\)",
    ),
    "files that are not redacted in a blind cycle": (
        draft(
            rules=rules(blind=True),
            applications=[
                *applicants(7),
                applicant("open", documents=(("cv.pdf", "/f/cv.pdf", False),)),
            ],
        ),
        "1 applicants have files that are not marked redacted.*\\(open\\)",
    ),
    "a certificate without a sigma": (
        draft(rules=rules(rule=RuleName.CERTIFIED)),
        "needs `sigma`",
    ),
}


@pytest.mark.parametrize("case", REFUSALS)
def test_it_is_refused_with_the_reason_and_changes_nothing(case: str) -> None:
    make, reason = REFUSALS[case]
    world = make()
    before = world.cycle

    with pytest.raises(InvalidInputError, match=f"(?s){reason}"):
        world.product.cycles.launch(CYCLE, by="ops")

    assert world.cycle == before
    assert world.stands(CycleStatus.DRAFT)


def test_all_problems_are_named_together() -> None:
    world = World(launch=False, rules=rules(budget=7), roster=[])

    with pytest.raises(InvalidInputError, match=r"(?s)cannot pay.*no reviewer takes"):
        world.product.cycles.launch(CYCLE, by="ops")


def test_what_was_refused_can_be_launched_once_it_is_cured() -> None:
    world = World(launch=False, rules=rules(budget=7))
    with pytest.raises(InvalidInputError):
        world.product.cycles.launch(CYCLE, by="ops")

    world.product.cycles.change_rules(CYCLE, rules(budget=20), by="ops", reason="more money")
    world.product.cycles.launch(CYCLE, by="ops")

    assert world.stands(CycleStatus.RUNNING)


def test_programs_may_answer_in_a_real_cycle_where_somebody_allowed_it() -> None:
    allowed = AutomaticReview(purpose="screening", approver="dean", date="2027-01-01")
    world = World(
        rules=rules(purpose=Purpose.REAL, automatic=allowed),
        roster=[*reviewers(2), reviewer("robot", automatic="https://scores.example")],
    )

    assert world.stands(CycleStatus.RUNNING)


def test_marked_files_are_no_obstacle() -> None:
    marked = applicant("marked", documents=(("cv.pdf", "/f/cv.pdf", True),))

    assert World(rules=rules(blind=True), applications=[*applicants(7), marked]).turn()


def test_applications_are_refused_once_they_have_closed() -> None:
    world = World(rules=rules(applications_close=datetime(2100, 1, 1, tzinfo=UTC)))
    world.admit([applicant("in-time")])
    world.later(days=365 * 100)

    with pytest.raises(NotReadyError, match="closed on Fri 1 Jan 2100"):
        world.admit([applicant("too-late")])

    assert "too-late" not in world.names().values()


def test_a_finished_cycle_refuses_whatever_would_change_it() -> None:
    world = World()
    world.run()
    world.product.cohort.finalize(CYCLE, by="chair")

    with (
        pytest.raises(NotReadyError, match="reopen"),
        world.ledger.write(CYCLE) as tx,
    ):
        refuse_finalized(tx)
