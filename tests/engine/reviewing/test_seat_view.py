"""What a reviewer sees of applicants in another role, until asking ends."""

import pytest

from swapflow.domain.event import EventType
from swapflow.domain.people.reviewer import DeclineKind
from swapflow.engine.lifecycle.launch import read_projection
from swapflow.engine.reviewing.seat_view import SeatView
from swapflow.errors import ForbiddenError, InvalidInputError, NotFoundError
from tests.engine.cycle_by_hand import CYCLE, World, applicant, reviewer, rules


def world_of(*, blind: bool = True, roster: int = 3) -> World:
    world = World(rules=rules(budget=60, blind=blind), roster=roster)
    world.turn()
    return world


def view(world: World, number: int = 0) -> SeatView:
    found = world.product.reviewers.seat_view(CYCLE, number)
    assert found is not None
    return found


def test_what_was_handed_in_is_seen_and_what_waits_is_not() -> None:
    world = world_of()
    first, second = world.waiting("R1")[:2]
    assert view(world).seen == frozenset()

    world.submit(first, 0.7)

    assert view(world).seen == {first.application}
    assert not view(world).sees(second.application)


@pytest.mark.parametrize(
    ("kind", "opens"),
    [(DeclineKind.CONFLICT, True), (DeclineKind.UNQUALIFIED, True), (DeclineKind.BUSY, False)],
)
def test_who_cannot_be_asked_sees_and_who_was_busy_does_not(
    kind: DeclineKind, opens: bool
) -> None:
    world = world_of()
    task = world.waiting("R1")[0]

    world.product.tasks.decline(task.id, kind, by="R1")

    assert view(world).sees(task.application) is opens


def test_a_panel_of_others_opens_its_applicants_and_closes_ones_own() -> None:
    world = world_of()
    world.product.reviewers.set_panel(CYCLE, [("A001", "R2"), ("A002", "R1")])

    assert view(world).sees(world.number("A001"))
    assert not view(world).sees(world.number("A002"))


def test_the_reserve_judges_across_panels_and_sees_none_of_them() -> None:
    world = World(
        rules=rules(budget=60),
        roster=[reviewer("R1", reserve=True), reviewer("R2"), reviewer("R3")],
    )
    world.product.reviewers.set_panel(CYCLE, [("A001", "R2")])

    assert not view(world).sees(world.number("A001"))


@pytest.mark.parametrize("blind", [True, False])
def test_names_are_those_that_reviewers_know(blind: bool) -> None:
    world = world_of(blind=blind)
    task = world.waiting("R1")[0]
    world.submit(task, 0.7)
    found = world.ledger.application(CYCLE, task.application)

    shown = view(world).shown(found)
    (listed,) = view(world).listed(world.product.reports.named(CYCLE))

    expected = world.product.applicants.reviewer_view(CYCLE).name_of(found)
    if blind:
        assert shown.external_id == listed.external_id == expected
        assert (shown.name, shown.email, shown.attributes) == ("", "", {})
    else:
        assert shown == found
        assert listed.external_id == found.external_id


def test_nobody_else_is_shown_at_all() -> None:
    world = world_of()
    task = world.waiting("R1")[0]

    with pytest.raises(ForbiddenError, match="may be asked about this applicant"):
        view(world).shown(world.ledger.application(CYCLE, task.application))


def test_opening_shows_the_name_takes_the_request_back_and_bars_for_good() -> None:
    world = world_of()
    task = world.waiting("R1")[0]
    a = task.application

    new = world.product.reviewers.open_applicant(CYCLE, a, 0, by="r1", reason="an appeal")
    again = world.product.reviewers.open_applicant(CYCLE, a, 0, by="r1", reason="an appeal")

    assert (new, again) == (True, False)
    assert view(world).names(a)
    assert task.id not in {one.id for one in world.waiting("R1")}
    assert read_projection(CYCLE, ledger=world.ledger).is_barred(a, 0)
    assert len(world.events(EventType.APPLICANT_OPENED)) == 1
    world.run()
    asked = world.ledger.assignments(CYCLE, reviewer=0, application=a)
    assert [one.id for one in asked] == [task.id]
    world.check()
    world.verify()


def test_a_review_handed_in_before_stays_as_it_is() -> None:
    world = world_of()
    task = world.waiting("R1")[0]
    world.submit(task, 0.7)

    world.product.reviewers.open_applicant(CYCLE, task.application, 0, by="r1", reason="a letter")

    assert world.standing()[task.id].counts
    assert world.product.reviewers.conflicting_scores(CYCLE) == ()
    world.verify()


def test_an_answer_after_opening_is_kept_and_does_not_count() -> None:
    world = world_of()
    task = world.waiting("R1")[0]
    world.product.reviewers.open_applicant(CYCLE, task.application, 0, by="r1", reason="x")

    world.submit(task, 0.7)

    assert not world.standing()[task.id].counts
    world.verify()


def test_verify_names_a_pair_that_was_opened_without_an_event() -> None:
    world = world_of()
    with world.ledger.write(CYCLE) as tx:
        tx.add_opened(3, 1)

    found = world.product.reports.verify(CYCLE)

    assert not found.passed
    assert any("opened" in str(one) for one in found.findings)


def test_opening_needs_a_reason_an_applicant_and_a_program_that_asks() -> None:
    world = world_of()
    act = world.product.reviewers.open_applicant

    with pytest.raises(InvalidInputError):
        act(CYCLE, 1, 0, by="r1", reason=" ")
    with pytest.raises(NotFoundError):
        act(CYCLE, 999, 0, by="r1", reason="x")
    with pytest.raises(NotFoundError):
        act(CYCLE, 1, 99, by="r1", reason="x")
    world.product.cycles.stop(CYCLE, by="ops", reason="enough")
    with pytest.raises(InvalidInputError, match="no more reviews are asked for"):
        act(CYCLE, 1, 0, by="r1", reason="x")
    assert world.product.reviewers.seat_view(CYCLE, 0) is None


def test_before_the_launch_a_seat_closes_everybody() -> None:
    world = World(rules=rules(budget=60, blind=True), launch=False, roster=0, applications=0)
    world.hire([reviewer("R1"), reviewer("R2"), reviewer("R3")])
    world.admit([applicant(f"A{n:03d}") for n in range(1, 9)])

    assert view(world).seen == frozenset()
