"""The seed of a real program is drawn at its launch and hidden until the list is final."""

import json

import pytest

from swapflow.bandit.ties import tie_key
from swapflow.domain.cohort.proposal import MethodSheet
from swapflow.domain.event import EventType
from swapflow.domain.rules import Purpose
from swapflow.domain.rules_text import from_text, to_text
from swapflow.engine.audit.finished_cycle import check, gather_finished_cycle
from swapflow.engine.lifecycle.drawn_seed import seed_warnings
from swapflow.engine.lifecycle.launch import read_projection
from swapflow.files.exports.method_sheet import method_text
from swapflow.files.rules.rules_file import parse_rules, rules_text
from tests.engine.cycle_by_hand import CYCLE, World, applicants, rules


REAL = rules(purpose=Purpose.REAL, seed=0)


def seed_of(world: World) -> int:
    return world.product.cycles.rules(CYCLE).seed


def test_two_launches_draw_two_seeds_and_order_equals_otherwise() -> None:
    """Ties stored at the import by the known seed 0 decide nothing any more."""
    one, other = World(rules=REAL), World(rules=REAL)
    ties = [list(read_projection(CYCLE, ledger=w.ledger).ties) for w in (one, other)]
    stored = [a.tie for a in one.product.applicants.list(CYCLE)]

    assert seed_of(one) != seed_of(other)
    assert ties[0] != ties[1]
    assert ties[0] != stored
    assert ties[0] == [tie_key(seed_of(one), f"tie/{tie}") >> 1 for tie in stored]


@pytest.mark.parametrize(
    ("purpose", "seed"), [(Purpose.REAL, 5), (Purpose.SIMULATION, 0), (Purpose.REPLAY, 0)]
)
def test_a_written_seed_and_those_of_simulations_are_kept(purpose: Purpose, seed: int) -> None:
    world = World(rules=rules(purpose=purpose, seed=seed))
    ties = list(read_projection(CYCLE, ledger=world.ledger).ties)

    assert seed_of(world) == seed
    assert ties == [a.tie for a in world.product.applicants.list(CYCLE)]


def test_a_written_seed_is_named_before_the_launch() -> None:
    assert "5" in seed_warnings(rules(purpose=Purpose.REAL, seed=5))[0]
    assert not seed_warnings(REAL)
    assert not seed_warnings(rules(seed=5))


def test_a_later_rules_file_keeps_the_drawn_seed_whatever_it_names() -> None:
    world = World(rules=REAL)
    seed = seed_of(world)
    shown = parse_rules(rules_text(world.product.cycles.rules(CYCLE)))

    world.product.cycles.change_rules(CYCLE, shown, by="ops", reason="the same again")

    assert shown.seed == 0
    assert seed_of(world) == seed
    assert world.product.cycles.rules(CYCLE).seed_drawn


def test_the_seed_stands_nowhere_before_the_list_is_final_and_then_in_sheet_and_record() -> None:
    world = World(rules=REAL)
    seed = str(seed_of(world))
    digest = world.product.cycles.rules(CYCLE).seed_digest
    world.run()
    shown = [
        rules_text(world.product.cycles.rules(CYCLE)),
        method_text(sheet := world.product.cohort.propose(CYCLE).sheet),
        repr(sheet),
        json.dumps([dict(event.payload) for event in world.product.reports.events(CYCLE)]),
    ]

    assert not any(seed in text for text in shown)
    assert digest in shown[1]
    world.verify()
    world.product.cohort.finalize(CYCLE, by="Dean")
    [(_, _, stored), *_] = world.product.cohort.proposals(CYCLE)
    assert isinstance(stored, MethodSheet)
    assert str(stored.seed) == seed
    closed = gather_finished_cycle(CYCLE, ledger=world.ledger)
    assert check(closed).findings == ()


def test_applicants_who_come_after_the_launch_are_ordered_by_the_drawn_seed_too() -> None:
    world = World(rules=REAL, applications=6)
    world.admit(applicants(2, first=7))
    projection = read_projection(CYCLE, ledger=world.ledger)
    rows = world.product.applicants.list(CYCLE)

    assert list(projection.ties)[6:] == [a.tie for a in rows][6:]
    assert [a.tie for a in rows][6:] == [
        tie_key(seed_of(world), a.external_id) >> 1 for a in rows[6:]
    ]
    world.run()
    world.verify()


def test_a_launch_of_an_earlier_release_keeps_its_ties() -> None:
    """Its event does not say that a seed was drawn, and its rules do not either."""
    old = from_text(to_text(REAL))
    world = World(rules=rules(seed=3))
    [event] = [e for e in world.product.reports.events(CYCLE) if e.type is EventType.LAUNCHED]

    assert not old.seed_drawn
    assert "drawn" not in event.payload
