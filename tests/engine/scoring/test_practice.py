"""Norming before a launch: files, marks given once, notes, and what the launch puts on record."""

from dataclasses import replace

import pytest

from swapflow.domain.cycle import START
from swapflow.domain.event import EventType, Json
from swapflow.domain.rules_text import to_text
from swapflow.engine.lifecycle.launch import read_projection
from swapflow.engine.projection.ingest import apply_new_events
from swapflow.engine.selection.reviewer_overlap import marked_groups
from swapflow.errors import (
    ConflictError,
    DamagedRecordError,
    InvalidInputError,
    NotFoundError,
    NotReadyError,
    ScoreOutOfRangeError,
)
from tests.engine.cycle_by_hand import CYCLE, World, rules


FILES = ("A strong file", "A weak file", "A file between")


def practised(*, launch: bool = True, **changes: object) -> World:
    """A cycle of four reviewers, all of whom marked three practice files."""
    world = World(rules=rules(**changes), launch=False)
    practice = world.product.practice
    for place, title in enumerate(FILES):
        practice.add_file(CYCLE, title, f"Text {place}", by="ops")
        for reviewer in range(4):
            value = 0.2 + 0.2 * place + 0.05 * reviewer
            practice.mark(CYCLE, place, reviewer, marks={}, value=value, remark=f"by {reviewer}")
    if launch:
        world.product.cycles.launch(CYCLE, by="ops")
    return world


def launched(world: World) -> dict[str, object]:
    events = world.ledger.events(CYCLE, after=START, at_most=500) or ()
    (event,) = [one for one in events if one.type is EventType.LAUNCHED]
    return {name: said for name, said in event.payload.items() if name != "rows"}


def test_who_has_not_marked_every_file_is_named() -> None:
    world = World(launch=False)
    practice = world.product.practice
    assert practice.missing(CYCLE) == ()

    practice.add_file(CYCLE, "One", "Text", by="ops")
    practice.mark(CYCLE, 0, 2, marks={}, value=0.5)

    assert [one.number for one in practice.missing(CYCLE)] == [0, 1, 3]


def test_a_file_is_put_there_once_and_before_the_launch() -> None:
    world = World(launch=False)
    practice = world.product.practice

    assert practice.add_file(CYCLE, " One ", "Text\r\n", by="ops") == 0
    assert practice.add_file(CYCLE, "One", "Text", by="another") == 0
    with pytest.raises(InvalidInputError, match="needs a title"):
        practice.add_file(CYCLE, " ", "Text", by="ops")
    with pytest.raises(InvalidInputError, match="needs a text"):
        practice.add_file(CYCLE, "Two", " ", by="ops")

    world.product.cycles.launch(CYCLE, by="ops")
    with pytest.raises(NotReadyError, match="stay as they are"):
        practice.add_file(CYCLE, "Two", "Text", by="ops")
    with pytest.raises(NotReadyError, match="stay as they are"):
        practice.mark(CYCLE, 0, 1, marks={}, value=0.5)


def test_a_mark_is_given_once_because_the_others_are_seen_afterwards() -> None:
    world = practised(launch=False)
    practice = world.product.practice
    before = practice.read(CYCLE)

    practice.mark(CYCLE, 0, 1, marks={}, value=0.25, remark="by 1")
    with pytest.raises(ConflictError, match="stays as it was given"):
        practice.mark(CYCLE, 0, 1, marks={}, value=0.9, remark="by 1")
    with pytest.raises(NotFoundError):
        practice.mark(CYCLE, 7, 1, marks={}, value=0.9)
    with pytest.raises(InvalidInputError, match="not marked"):
        practice.mark(CYCLE, 0, 1, marks={})

    assert practice.read(CYCLE) == before
    assert before.values(0) == (20.0, 25.0, 30.0, 35.0)


@pytest.mark.parametrize("value", [-0.01, 1.01, 5.0, float("nan")])
def test_a_score_outside_its_scale_is_no_mark(value: float) -> None:
    world = practised(launch=False)
    before = world.product.practice.read(CYCLE)
    world.product.practice.add_file(CYCLE, "Another", "Text", by="ops")

    with pytest.raises(ScoreOutOfRangeError):
        world.product.practice.mark(CYCLE, 3, 0, marks={}, value=value)

    assert world.product.practice.read(CYCLE).marks == before.marks


def test_a_note_needs_a_mark_of_ones_own_and_is_stored_once() -> None:
    world = World(launch=False)
    practice = world.product.practice
    practice.add_file(CYCLE, "One", "Text", by="ops")
    with pytest.raises(NotReadyError, match="mark the practice file first"):
        practice.add_note(CYCLE, 0, "I would give more", reviewer=1)
    practice.mark(CYCLE, 0, 1, marks={}, value=0.5)

    for _ in range(2):
        practice.add_note(CYCLE, 0, "I would give more", reviewer=1)
        practice.add_note(CYCLE, 0, "Read the second page", by="Olga Office")

    assert [(n.reviewer, n.by, n.text) for n in practice.read(CYCLE).notes] == [
        (1, "", "I would give more"),
        (None, "Olga Office", "Read the second page"),
    ]


def test_an_erased_reviewer_leaves_no_words() -> None:
    world = practised(launch=False)
    world.product.practice.add_note(CYCLE, 0, "I would give more", reviewer=1)

    world.product.reviewers.erase(CYCLE, "R2", by="ops")

    left = world.product.practice.read(CYCLE)
    assert {mark.remark for mark in left.marks if mark.reviewer == 1} == {""}
    assert [note.text for note in left.notes] == [""]


def test_a_program_without_practice_is_launched_as_before() -> None:
    assert "practice" not in launched(World())
    assert "practice_marks" not in to_text(rules())
    assert "practice_marks" in to_text(rules(practice_marks=True))


def test_the_launch_carries_the_marks_and_a_replay_finds_the_same_decisions() -> None:
    world = practised(practice_marks=True, severity=True)
    assert launched(world)["practice"] == [
        [file, reviewer, 200_000 + 200_000 * file + 50_000 * reviewer]
        for file in range(3)
        for reviewer in range(4)
    ]

    world.run()
    world.verify()
    world.check()


@pytest.mark.parametrize(
    "row",
    [[10**9, 0, 5], [-1, 0, 5], [0, 4, 5], [0, -1, 5], [0, 0, 1_000_001], [0, 0, -1], [0, 0],
     ["0", 0, 5], [0, 0.5, 5], [None, 0, 5]],
)  # fmt: skip
def test_a_launch_with_marks_that_are_none_is_a_damaged_record(row: list[Json]) -> None:
    """Of a bundle by strangers as well: no number of theirs becomes an arm unchecked."""
    world = practised(practice_marks=True)
    events = world.ledger.events(CYCLE, after=START, at_most=500) or ()
    (at,) = (n for n, one in enumerate(events) if one.type is EventType.LAUNCHED)
    forged = replace(events[at], payload={**events[at].payload, "practice": [row]})
    projection = read_projection(CYCLE, ledger=practised(launch=False).ledger)

    with pytest.raises(DamagedRecordError, match=str(forged.position.seq)):
        apply_new_events(projection, [forged], ledger=world.ledger)


def test_practice_moves_severities_only_where_the_rules_say_so() -> None:
    def decided(*, counts: bool) -> list[object]:
        world = practised(practice_marks=counts, severity=True)
        world.run()
        look = world.ledger.last_look(CYCLE)
        assert look is not None
        return [look["noise_variance"], look["prior_variance"]]

    world = World(rules=rules(severity=True))
    world.run()
    plain = world.ledger.last_look(CYCLE)
    assert plain is not None

    assert decided(counts=False) == [plain["noise_variance"], plain["prior_variance"]]
    assert decided(counts=True) != decided(counts=False)


def test_reviewers_who_share_no_applicant_are_one_group_through_practice() -> None:
    world = practised(practice_marks=True)
    projection = read_projection(CYCLE, ledger=world.ledger)

    assert marked_groups(projection) == ((0, 1, 2, 3),)
    assert marked_groups(read_projection(CYCLE, ledger=practised().ledger)) == ()
