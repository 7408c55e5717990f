"""Fewer requests out near the end of the budget, and only what the rule itself asks for."""

import math
from dataclasses import replace

import pytest

from swapflow.domain.rules import (
    USUAL_TAPER,
    DispatchMode,
    Floor,
    KindRules,
    Purpose,
    Rules,
    SeatLine,
)
from swapflow.domain.rules_text import from_text, to_text
from swapflow.engine.lifecycle.launch import settled_at_launch
from swapflow.engine.lifecycle.rule_changes import kept
from swapflow.engine.selection.taper import LEAST_OUT, most_out, within_room
from tests.engine.cycle_by_hand import CYCLE, REVIEW, World, chosen_floor, reviewer, rules


FLOOR = 150
TAPERED = rules(budget=330, taper=0.5, batch=200, lines=(SeatLine(name="all", places=60),))


def world_of(these: Rules) -> World:
    """150 applicants and 60 reviewers of 10 at once; everybody's floor is answered."""
    world = World(rules=these, applications=FLOOR, roster=60)
    world.turn()
    world.answer_all()
    return world


def out(world: World) -> int:
    return world.product.cycles.get(CYCLE).committed


def test_the_rule_keeps_at_most_the_share_of_what_is_left_out() -> None:
    """Of 330 it has 165 out, floors included; of the 165 that are left then, 82."""
    world = World(rules=TAPERED, applications=FLOOR, roster=60)
    world.turn()
    begun = out(world)
    world.answer_all()

    world.turn()

    assert (begun, out(world)) == (165, 82)


@pytest.mark.parametrize(("taper", "expected"), [(0.25, 45), (0.1, 40), (0.0, 0), (None, 0)])
def test_the_share_is_a_setting_and_forty_may_always_be_out(
    taper: float | None, expected: int
) -> None:
    """¼ of 180 is 45; a tenth would be 18, and 40 may be out; off, all had gone before."""
    world = world_of(replace(TAPERED, taper=taper))

    world.turn()

    assert out(world) == expected


def test_at_no_event_of_a_whole_program_is_more_out_than_the_taper_allows() -> None:
    """Replayed event by event, until the budget is spent; and the record verifies."""
    world = world_of(TAPERED)
    for _ in range(40):
        world.turn()
        if not world.answer_all():
            break
    spent = committed = most = 0
    for event in world.product.reports.events(CYCLE):
        spent, committed = spent + event.spent, committed + event.committed
        if spent >= FLOOR:
            allowed = max(LEAST_OUT, math.floor(0.5 * (330 - spent)))
            # Answers lower what is left: what went out before them stays out.
            most = max(most, committed) if committed > most else allowed
            assert committed <= max(most, allowed)

    assert spent == 330
    assert world.product.reports.verify(CYCLE).passed


def test_floors_are_not_tapered() -> None:
    """Everybody's first review goes out at once, whatever the share."""
    world = World(rules=replace(TAPERED, taper=0.1), applications=FLOOR, roster=60)

    world.turn()

    assert out(world) == FLOOR


def test_lockstep_knows_no_taper() -> None:
    """It sends a batch and waits for every answer."""
    world = world_of(replace(TAPERED, dispatch=DispatchMode.LOCKSTEP, taper=0.1))

    world.turn()

    assert out(world) > LEAST_OUT


def test_what_waits_for_approval_is_not_out() -> None:
    """Nobody can do it now, so it takes no room from what can be done."""
    asked = replace(REVIEW, name="check", approval=True, maximum=1)
    these = replace(
        TAPERED,
        kinds=(replace(REVIEW, maximum=4), asked),
        floors=(Floor(kind="review", count=1), Floor(kind="check", count=1)),
        budget=560,
    )
    roster = [reviewer(f"R{n}", capacity={"review": None, "check": None}) for n in range(60)]
    world = World(rules=these, applications=FLOOR, roster=roster)
    world.turn()
    world.answer_all()
    world.turn()

    assert len(world.product.approvals.proposed(CYCLE)) == FLOOR
    # 560 less the 280 spent are left. Half of them could be out; the money that is not set aside
    # for what waits buys 130, and had what waits counted, nothing could go.
    assert out(world) - FLOOR == 130


def test_a_request_dearer_than_forty_reviews_goes_where_nothing_is_out() -> None:
    """Else an interview of 50 reviews could never be asked for near the end."""
    interview = KindRules(name="interview", cost=50, gain=30.0, maximum=1)
    dear = rules(kinds=(REVIEW, interview), budget=60, taper=0.5)

    assert most_out(dear, unspent=60) == LEAST_OUT
    assert within_room([(1, 1, 1), (2, 1, 1)], 50, dear) == [(1, 1, 1)]


def test_a_real_program_that_names_no_taper_is_launched_with_the_usual_one() -> None:
    """Programs that are simulations or replays keep theirs, and so do rules in force."""
    real = rules(purpose=Purpose.REAL)

    assert settled_at_launch(real).taper == USUAL_TAPER
    assert settled_at_launch(replace(real, taper=0.0)).taper == 0
    assert settled_at_launch(rules()) == rules()
    assert from_text(to_text(real)).taper is None
    assert most_out(real, unspent=10_000) == math.inf


def test_a_later_rules_file_without_a_taper_keeps_the_one_in_force() -> None:
    """A file that names one changes it."""
    old = rules(taper=0.25)

    assert kept(old, rules(), launched=True).taper == 0.25
    assert kept(old, rules(taper=0.0), launched=True).taper == 0
    assert kept(rules(), rules(), launched=True).taper is None


def test_the_check_before_a_launch_says_what_many_at_once_cost() -> None:
    """Once more than a hundred may be out; with the taper, what it takes in time."""
    world = World(rules=TAPERED, applications=FLOOR, roster=60, launch=False)
    few = World(rules=TAPERED, applications=8, roster=4, launch=False)

    said = " ".join(str(one) for one in world.product.cycles.preview(CYCLE).warnings)
    world.product.cycles.change_rules(CYCLE, replace(TAPERED, taper=0.0), by="ops", reason="fast")
    off = " ".join(str(one) for one in world.product.cycles.preview(CYCLE).warnings)

    assert "up to 600 reviews are out at once, near the end at most 50%" in said
    assert "`taper = 0.5` keeps fewer out" in off
    assert "at once" not in " ".join(
        str(one) for one in few.product.cycles.preview(CYCLE).warnings
    )


def test_floors_of_the_chosen_are_not_tapered_either() -> None:
    """They come after the rule has stopped, and go out together."""
    these = replace(
        TAPERED, floors=(Floor(kind="review", count=1), chosen_floor("review", 2)), taper=0.5
    )
    world = world_of(these)
    for _ in range(40):
        world.turn()
        if not world.answer_all():
            break

    assert world.product.cycles.get(CYCLE).stop_reason
    assert not [p for p in world.product.cohort.propose(CYCLE).cohort if p.floor_missing]
