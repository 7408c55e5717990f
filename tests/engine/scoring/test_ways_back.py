"""Every act of staff on people and reviews has its way back, or is named as one without."""

import inspect
from collections.abc import Callable

import pytest

from swapflow.domain.people.application import ApplicationStatus
from swapflow.domain.people.reviewer import Absence
from swapflow.domain.reviewing.assignment import PullReason
from swapflow.engine.services.applicants import ApplicantService
from swapflow.engine.services.reviewers import ReviewerService
from swapflow.engine.services.scores import ScoreService
from swapflow.errors import ConflictError, InvalidInputError, NotFoundError
from tests.engine.cycle_by_hand import CYCLE, World, applicant, reviewer, rules


Way = Callable[[World], None]

WITHOUT = {
    "ApplicantService.erase": "what is erased is gone; the page says so and asks for the id",
    "ReviewerService.erase": "what is erased is gone; the page says so and asks for the id",
    "ReviewerService.nudge": "a mail has left",
    "ReviewerService.nudge_late": "mails have left",
    "ReviewerService.open_applicant": "what was read stays known; the page says so first",
    "ReviewerService.waive_conflict": "the score that it lets count can be voided",
    "ApplicantService.ask": "the request can be cancelled with the applicant, or struck",
    "ScoreService.volunteer": "it counts only once admitted, and can be voided then",
}
"""Acts without a way back of their own, and why, beside launching."""

CHANGED_AGAIN = {
    "ApplicantService.import_all",
    "ApplicantService.import_list",
    "ApplicantService.correct",
    "ApplicantService.choose_columns",
    "ApplicantService.attach_documents",
    "ApplicantService.keep_list_reading",
    "ReviewerService.import_all",
    "ReviewerService.import_list",
    "ReviewerService.set_panel",
    "ReviewerService.set_slots",
    "ReviewerService.cancel_slot",
    "ScoreService.correct",
    "ScoreService.enter_offline_sheet",
}
"""Acts that the same act takes back, with the values before."""


def withdrawn(world: World) -> None:
    world.product.applicants.move(CYCLE, "A001", ApplicationStatus.WITHDRAWN, by="ops", reason="x")


def reinstated(world: World) -> None:
    world.product.applicants.move(CYCLE, "A001", ApplicationStatus.READY, by="ops", reason="x")


def left(world: World) -> None:
    world.product.reviewers.leave(CYCLE, "R1", by="ops", reason="x")


def returned(world: World) -> None:
    world.product.reviewers.come_back(CYCLE, "R1", by="ops", reason="x")


def scored_by(world: World, whom: str) -> list[str]:
    number = next(n for n, name in world.people().items() if name == whom)
    return [s.assignment_id for s in world.standing().values() if s.reviewer == number]


def voided(world: World) -> None:
    world.product.scores.void(scored_by(world, "R1")[:1], by="ops", reason="x")


def restored(world: World) -> None:
    world.product.scores.restore(scored_by(world, "R1")[:1], by="ops", reason="x")


def all_voided(world: World) -> None:
    world.product.scores.void_reviewer(CYCLE, "R1", by="ops", reason="x")


def all_restored(world: World) -> None:
    world.product.scores.restore_reviewer(CYCLE, "R1", by="ops", reason="x")


def joined(world: World) -> None:
    world.product.applicants.join_values(CYCLE, "site", ["NORTH"], "North", by="ops")


def kept_apart(world: World) -> None:
    world.product.applicants.keep_values_apart(CYCLE, "site", ["NORTH"], by="ops")


def away(world: World) -> None:
    today = world.ledger.now().date()
    world.product.tasks.add_absence(CYCLE, 0, Absence(first=today, last=today))


def not_away(world: World) -> None:
    today = world.ledger.now().date()
    world.product.tasks.remove_absence(CYCLE, 0, Absence(first=today, last=today))


def sent_away(world: World) -> None:
    today = world.ledger.now().date()
    days = Absence(first=today, last=today)
    world.product.reviewers.send_away(CYCLE, 0, days, give=False, by="ops", reason="x")


def all_held(world: World) -> None:
    world.product.applicants.move_all(CYCLE, [0, 1], ApplicationStatus.HELD, by="ops", reason="x")


def all_released(world: World) -> None:
    world.product.applicants.move_all(CYCLE, [0, 1], ApplicationStatus.READY, by="ops", reason="x")


def all_asked(world: World) -> None:
    world.product.applicants.ask_all(CYCLE, [0, 1], "review", by="ops", reason="x")


def none_asked(world: World) -> None:
    for one in world.product.applicants.staff_requests(CYCLE):
        world.product.applicants.take_back_wish(CYCLE, one.id, by="ops")


def in_conflict(world: World) -> None:
    world.product.reviewers.add_conflicts(CYCLE, [("A007", "R3")], source="test")


def in_no_conflict(world: World) -> None:
    world.product.reviewers.remove_conflict(CYCLE, "A007", "R3", by="ops", reason="a namesake")


def pinned(world: World) -> None:
    world.product.cohort.propose_pin(CYCLE, 0, "in", by="ops", reason="x")


def unpinned(world: World) -> None:
    world.product.cohort.propose_pin(CYCLE, 0, "", by="ops", reason="x")


WAYS: dict[str, tuple[Way, Way]] = {
    "ApplicantService.move": (withdrawn, reinstated),
    "ApplicantService.join_values": (joined, kept_apart),
    "ApplicantService.move_all": (all_held, all_released),
    "ApplicantService.ask_all": (all_asked, none_asked),
    "ReviewerService.leave": (left, returned),
    "ReviewerService.send_away": (sent_away, not_away),
    "ScoreService.void": (voided, restored),
    "ScoreService.void_reviewer": (all_voided, all_restored),
    "ReviewerService.add_conflicts": (in_conflict, in_no_conflict),
    "TaskService.add_absence": (away, not_away),
    "CohortService.propose_pin": (pinned, unpinned),
}
"""Acts with a way back, which is an event of its own."""

BACK = {
    "ApplicantService.keep_values_apart",
    "ApplicantService.take_back_request",
    "ApplicantService.take_back_wish",
    "ReviewerService.come_back",
    "ReviewerService.remove_conflict",
    "ReviewerService.lift_bar",
    "ScoreService.restore",
    "ScoreService.restore_reviewer",
    "ScoreService.admit",
}
"""Ways back; admitting is taken back by voiding, and so is lifting the bar of a void."""

READS = {
    "after",
    "list", "get", "named", "remarks", "history", "files", "document", "documents", "plan_list",
    "list_reading", "last_moves", "staff_requests", "check_program", "refused_programs",
    "conflicting_scores", "interview_requests", "interview_kinds", "panels",
    "offline_sheet", "diary",
    "propose_dates",
    "free_hours",
    "examine_offline_sheet", "seat_view", "lifted_bars", "conflict_sources", "monitoring", "hold",
    "file_content", "columns", "plan_columns", "reviewer_view", "values", "said",
}  # fmt: skip


def half_answered(reviewers: int = 3) -> World:
    """A program in which R1 has handed in two reviews, and has others open."""
    people = [
        applicant(f"A{n:03d}", selection={"site": "NORTH" if n % 2 else "North"})
        for n in range(1, 9)
    ]
    roster = [reviewer(f"R{n}") for n in range(1, reviewers + 1)]
    world = World(rules=rules(budget=60), applications=people, roster=roster)
    world.turn()
    for task in world.waiting("R1")[:2]:
        world.submit(task, 0.7)
    return world


@pytest.mark.parametrize("act", WAYS)
def test_an_act_and_its_way_back_leave_people_and_reviews_as_they_were(act: str) -> None:
    world = half_answered()
    there, back = WAYS[act]
    before = _state(world)
    events = world.cycle.position.seq

    there(world)
    assert _state(world) != before
    back(world)

    assert _state(world) == before
    # The way back is a further event, or a row beside the first; nothing on record is removed.
    assert world.cycle.position.seq >= events
    world.verify()


def test_every_act_on_people_and_reviews_is_walked_or_named() -> None:
    """A new act of staff needs a way back here, or a reason why there is none."""
    acts = {
        f"{service.__name__}.{name}"
        for service in (ApplicantService, ReviewerService, ScoreService)
        for name, _ in inspect.getmembers(service, inspect.isfunction)
        if not name.startswith("_") and name not in READS
    }

    known = {*WAYS, *BACK, *WITHOUT, *CHANGED_AGAIN}
    assert acts <= known, sorted(acts - known)


def test_a_void_is_not_undone_where_the_reviewers_admitted_score_counts_meanwhile() -> None:
    world = half_answered()
    (first, *_) = scored_by(world, "R1")
    world.product.scores.void([first], by="ops", reason="x")
    world.product.scores.restore([first], by="ops", reason="x")

    with pytest.raises(InvalidInputError, match="was not voided"):
        world.product.scores.restore([first], by="ops", reason="twice")
    with pytest.raises(InvalidInputError):
        world.product.scores.restore_reviewer(CYCLE, "R1", by="ops", reason=" ")
    world.verify()


def test_a_reviewer_who_returns_is_asked_again_and_nobody_returns_twice() -> None:
    world = half_answered()
    left(world)
    world.turn()
    assert world.waiting("R1") == ()

    returned(world)
    world.run()

    with pytest.raises(InvalidInputError, match="has not left"):
        returned(world)
    with pytest.raises(NotFoundError):
        world.product.reviewers.come_back(CYCLE, "nobody", by="ops", reason="x")
    world.check()
    world.verify()


def test_nobody_returns_to_an_address_that_another_reviewer_has() -> None:
    roster = [reviewer("R1", email="r@x.example.org"), reviewer("R2"), reviewer("R3")]
    world = World(rules=rules(budget=60), roster=roster)
    left(world)
    world.product.reviewers.import_list(CYCLE, [reviewer("R4", email="R@x.example.org")])

    with pytest.raises(InvalidInputError, match="R4"):
        returned(world)


def test_a_request_taken_back_after_the_coordinator_read_it_is_not_carried_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = half_answered(reviewers=6)
    all_asked(world)
    read_before = world.product.applicants.staff_requests(CYCLE)
    world.product.applicants.take_back_wish(CYCLE, read_before[0].id, by="ops")
    monkeypatch.setattr(type(world.ledger), "wishes", lambda *_: read_before)

    world.turn()

    monkeypatch.undo()
    asked = [p.application for p in world.ledger.pulls(CYCLE) if p.why is PullReason.STAFF]
    assert asked == [read_before[1].application]
    world.verify()


def test_a_request_that_was_carried_out_or_taken_back_is_not_taken_back_again() -> None:
    world = half_answered(reviewers=6)
    all_asked(world)
    first, second = world.product.applicants.staff_requests(CYCLE)
    world.product.applicants.take_back_wish(CYCLE, first.id, by="ops")
    world.run()

    for one in (first, second):
        with pytest.raises(ConflictError):
            world.product.applicants.take_back_wish(CYCLE, one.id, by="ops")
    assert len([p for p in world.ledger.pulls(CYCLE) if p.why is PullReason.STAFF]) == 1


def _state(world: World) -> dict[str, object]:
    """What decisions and lists see of people and reviews."""
    roster = world.product.reviewers.list(CYCLE)
    return {
        "applicants": [
            (a.external_id, a.status, a.attributes) for a in world.product.applicants.list(CYCLE)
        ],
        "reviewers": [(r.external_id, r.active, r.absences) for r in roster],
        "conflicts": world.ledger.conflicts(CYCLE),
        "scores": sorted((s.assignment_id, s.value, s.counts) for s in world.standing().values()),
        "asked": world.product.applicants.staff_requests(CYCLE),
        "pins": [(p.application, p.verdict) for p in world.product.reports.pins(CYCLE)],
        "sums": world.tally().numerator.tolist(),
    }
