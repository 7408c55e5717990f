"""Assign: who takes which seat, and why a seat stays empty."""

import itertools
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swapflow.domain.cycle import Position
from swapflow.domain.event import Event, EventType, Json
from swapflow.domain.people.reviewer import Absence, NewReviewer
from swapflow.domain.rules import Floor, KindRules
from swapflow.engine.lifecycle.launch import read_projection
from swapflow.engine.projection.cycle_projection import CycleProjection
from swapflow.engine.selection.assign import NoReviewer, Placement, Seat, may_ask, place, seats_of
from tests.engine.cycle_by_hand import (
    CYCLE,
    INTERVIEW,
    REVIEW,
    World,
    applicant,
    applicants,
    reviewer,
    reviewers,
    rules,
)
from tests.support.tiers import cases


BOTH: dict[str, int | None] = {"review": None, "interview": None}
MANY = rules(packet=1000, budget=1000)


def book_of(world: World) -> CycleProjection:
    return read_projection(CYCLE, ledger=world.ledger)


def one_each(world: World, kind: int = 0) -> Placement:
    """Place one pull of a kind for every application."""
    projection = book_of(world)
    pulls = [(number, kind, 1) for number in range(projection.applications)]
    return place(seats_of(pulls, projection), projection)


def loads(placement: Placement) -> Counter[int]:
    return Counter(placement.taken.values())


def test_nobody_gets_more_of_a_kind_than_they_take() -> None:
    roster = [
        reviewer("R1", capacity={"review": 2, "interview": 1}),
        reviewer("R2", capacity={"review": 3}),
        reviewer("R3", capacity={"review": 0, "interview": 5}),
    ]
    world = World(rules=replace(MANY, kinds=(REVIEW, INTERVIEW)), roster=roster, launch=False)

    assert loads(one_each(world)) == {0: 2, 1: 3}
    assert loads(one_each(world, kind=1)) == {0: 1, 2: 5}


def test_nobody_gets_more_at_once_than_a_packet() -> None:
    roster = [reviewer("R1"), reviewer("R2", packet=3)]
    world = World(rules=rules(packet=2), roster=roster)
    world.turn()

    assert Counter(a.reviewer for a in world.waiting()) == {0: 2, 1: 3}

    world.submit(world.waiting("R1")[0], 0.5)
    world.turn()

    assert Counter(a.reviewer for a in world.waiting()) == {0: 2, 1: 3}


def test_nobody_judges_whom_they_are_in_conflict_with() -> None:
    roster = [reviewer("R1", conflicts=("A001", "A002")), reviewer("R2", conflicts=("A003",))]
    world = World(rules=MANY, roster=roster, launch=False)

    placed = one_each(world).taken

    assert len(placed) == 8
    pairs = {(seat.application, who) for seat, who in placed.items()}
    assert pairs.isdisjoint({(0, 0), (1, 0), (2, 1)})


def test_a_panel_of_named_people_is_asked_and_nobody_else() -> None:
    world = World(rules=MANY, launch=False)
    world.product.reviewers.set_panel(CYCLE, [("A001", "R3"), ("A002", "R3"), ("A002", "R4")])

    placed = {seat.application: who for seat, who in one_each(world).taken.items()}

    assert placed[0] == 2
    assert placed[1] in {2, 3}


def test_a_panel_that_does_not_serve_a_kind_leaves_it_to_everyone() -> None:
    roster = [reviewer("R1"), reviewer("R2", capacity={"interview": None})]
    world = World(rules=replace(MANY, kinds=(REVIEW, INTERVIEW)), roster=roster, launch=False)
    world.product.reviewers.set_panel(CYCLE, [("A001", "R1")])

    assert {seat.application: who for seat, who in one_each(world, 1).taken.items()}[0] == 1


def test_experts_come_first_and_others_when_experts_are_busy() -> None:
    roster = [
        reviewer("R1"),
        reviewer("R2", topics=("algebra",), capacity={"review": 2}),
        reviewer("R3", topics=("logic",)),
    ]
    topics = ["algebra", "algebra", "algebra", "logic", "", "", "", ""]
    rows = [applicant(f"A{n}", fields={"topic": t} if t else {}) for n, t in enumerate(topics)]
    world = World(rules=MANY, applications=rows, roster=roster, launch=False)

    placed = {seat.application: who for seat, who in one_each(world).taken.items()}

    assert Counter(placed[n] for n in range(3))[1] == 2
    assert placed[3] == 2
    assert len(placed) == 8


@pytest.mark.parametrize("count", [40, 400])
def test_the_load_is_even(count: int) -> None:
    world = World(rules=MANY, applications=count, roster=7, launch=False)

    given_ = loads(one_each(world))

    assert sum(given_.values()) == count
    assert max(given_.values()) - min(given_.values()) <= 1


def test_the_load_stays_even_over_a_whole_cycle() -> None:
    world = World(rules=rules(budget=60, packet=4), applications=20, roster=6)
    world.run()

    given_ = Counter(a.reviewer for a in world.ledger.assignments(CYCLE))

    assert sum(given_.values()) == 60
    assert max(given_.values()) - min(given_.values()) <= 3


def test_the_seats_of_a_panel_go_to_different_people() -> None:
    panel = KindRules(name="review", cost=1, gain=1.0, maximum=1, seats=3, quorum=3)
    world = World(rules=replace(MANY, kinds=(panel,)), roster=5, launch=False)

    placed = one_each(world).taken

    assert len(placed) == 24
    for number in range(8):
        assert len({who for seat, who in placed.items() if seat.application == number}) == 3


def test_several_reviews_of_one_application_asked_for_at_once_go_to_different_people() -> None:
    world = World(rules=MANY, roster=3, launch=False)
    projection = book_of(world)
    pulls = [(number, 0, ordinal) for ordinal in (1, 2, 3) for number in range(8)]

    placed = place(seats_of(pulls, projection), projection).taken

    assert len(placed) == 24
    for number in range(8):
        assert len({who for seat, who in placed.items() if seat.application == number}) == 3


def test_panels_that_can_be_filled_go_out_though_not_all_can() -> None:
    panel = KindRules(name="review", cost=1, gain=1.0, maximum=1, seats=2, quorum=2)
    floor = (Floor(kind="review", count=1),)
    world = World(rules=rules(kinds=(panel,), floors=floor, packet=1), roster=2)

    world.turn()

    assert len(world.waiting()) == 2
    assert len({a.application for a in world.waiting()}) == 1
    world.run()
    assert {p.application for p in world.ledger.pulls(CYCLE)} == set(range(8))


def away(world_now: World) -> Absence:
    today = world_now.ledger.now().date()
    return Absence(first=today - timedelta(days=1), last=today + timedelta(days=5))


def test_each_obstacle_is_named() -> None:
    seat = Seat(application=0, kind=0, ordinal=1)
    probe = World(launch=False)
    cases: dict[NoReviewer, Sequence[NewReviewer]] = {
        NoReviewer.NO_REVIEWER: [reviewer("R1", capacity={"interview": None})],
        NoReviewer.CONFLICTS: reviewers(2, conflicts=("A001",)),
        NoReviewer.CAPACITY: [reviewer("R1", capacity={"review": 0})],
        NoReviewer.BUSY: [reviewer("R1", packet=0)],
        NoReviewer.AWAY: [reviewer("R1", absences=(away(probe),)), reviewer("R2", packet=0)],
    }
    for expected, roster in cases.items():
        spare = [reviewer("spare", conflicts=("A001",))] if expected is NoReviewer.AWAY else []
        world = World(
            rules=replace(MANY, kinds=(REVIEW, INTERVIEW), floors=()),
            roster=[*roster, *spare],
            launch=False,
        )
        projection = book_of(world)
        if expected is NoReviewer.AWAY:
            projection.reviewers[0].away = True
            projection.reviewers[1].active = False

        assert place([seat], projection).left == {seat: expected}
        assert expected.passes == (expected in {NoReviewer.AWAY, NoReviewer.BUSY})


def named(world: World, placement: Placement) -> set[tuple[str, int, str]]:
    names, people = world.names(), world.people()
    return {(names[s.application], s.seat, people[who]) for s, who in placement.taken.items()}


def test_the_order_of_the_files_decides_nothing() -> None:
    rows, roster = applicants(60), reviewers(9)

    def placed(shuffle: int) -> set[tuple[str, int, str]]:
        order = random.Random(shuffle)
        world = World(
            rules=MANY,
            applications=order.sample(rows, len(rows)),
            roster=order.sample(roster, len(roster)),
            launch=False,
        )
        projection = book_of(world)
        # Callers ask in the order of ties, as decisions do.
        numbers = sorted(range(60), key=lambda n: projection.ties[n])
        return named(world, place(seats_of([(n, 0, 1) for n in numbers], projection), projection))

    assert placed(1) == placed(2) == placed(3)


def folded(*events: tuple[EventType, dict[str, Json]]) -> CycleProjection:
    """A book of these events alone."""
    projection = CycleProjection(MANY)
    for seq, (kind, payload) in enumerate(events, start=1):
        projection.apply(
            Event(
                cycle_id=CYCLE,
                position=Position(seq, ""),
                type=kind,
                version=1,
                payload=payload,
                deltas=(),
                spent=0,
                committed=0,
                at=datetime(2027, 1, 1, tzinfo=UTC),
            )
        )
    return projection


def small_book(
    seats: int, capacity: list[int], conflicts: list[tuple[int, int]]
) -> CycleProjection:
    arrived: dict[str, Json] = {"status": "ready", "group": -1, "topics": []}
    hired: dict[str, Json] = {"packet": None, "automatic": 0, "topics": []}
    return folded(
        *((EventType.APPLICATION_ADDED, arrived | {"a": n, "tie": n}) for n in range(seats)),
        *(
            (EventType.REVIEWER_ADDED, hired | {"r": r, "tie": r, "capacity": [[0, most]]})
            for r, most in enumerate(capacity)
        ),
        (EventType.CONFLICTS_ADDED, {"pairs": [pair for pair in conflicts if pair[0] < seats]}),
    )


@cases(300)
@given(
    st.integers(1, 4),
    st.lists(st.integers(0, 3), min_size=3, max_size=3),
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), max_size=8),
)
def test_as_many_seats_are_filled_as_brute_force_can_fill(
    seats: int, capacity: list[int], conflicts: list[tuple[int, int]]
) -> None:
    projection = small_book(seats, capacity, conflicts)
    wanted = [Seat(application=n, kind=0, ordinal=1) for n in range(seats)]

    placement = place(wanted, projection)

    assert all(may_ask(projection, s.application, 0, who) for s, who in placement.taken.items())
    assert all(loads(placement)[r] <= most for r, most in enumerate(capacity))
    assert len(placement.taken) == most_possible(wanted, projection, capacity)
    assert set(placement.taken) | set(placement.left) == set(wanted)


def most_possible(
    wanted: Sequence[Seat], projection: CycleProjection, capacity: Sequence[int]
) -> int:
    best = 0
    for who in itertools.product([None, 0, 1, 2], repeat=len(wanted)):
        taken = [(s, r) for s, r in zip(wanted, who, strict=True) if r is not None]
        fits = all(Counter(r for _, r in taken)[r] <= most for r, most in enumerate(capacity))
        if fits and all(may_ask(projection, s.application, 0, r) for s, r in taken):
            best = max(best, len(taken))
    return best


def test_seats_only_one_person_can_take_are_not_lost_to_others_in_a_crowd() -> None:
    roster = [
        reviewer("R0", capacity={"review": 3}),
        reviewer("R1"),
        *(reviewer(f"X{n}", conflicts=tuple(f"A{a:03d}" for a in range(1, 8))) for n in range(8)),
    ]
    world = World(rules=MANY, applications=9, roster=roster, launch=False)
    world.product.reviewers.add_conflicts(
        CYCLE, [(f"A{n:03d}", "R1") for n in (5, 6, 7)], source="staff"
    )

    assert one_each(world).left == {}
