"""An advisor decides as a program under the same rules does: by the same functions, on the same
marks."""

from pathlib import Path

import numpy as np
import pytest

from swapflow.domain.rules import Floor, KindRules, RuleName, SeatLine
from tests.advice.rounds import REFITTED, advisor_of, compare, crowd, lockstep, people
from tests.advice.typed_round import TypedRound
from tests.engine.cycle_by_hand import CYCLE, World


def test_a_whole_round_is_the_same_both_ways() -> None:
    applications = crowd(36)
    world = World(rules=lockstep(), applications=applications, roster=7)

    assert compare(world, applications) >= 6


def test_the_list_at_the_end_is_the_same_both_ways() -> None:
    applications = crowd(36)
    world = World(rules=lockstep(), applications=applications, roster=7)
    world.run()

    ranking = advisor_of(world, applications).ranking()

    proposal = world.product.cohort.propose(CYCLE)
    assert [one.applicant for one in ranking[:6]] == [p.external_id for p in proposal.cohort]


@pytest.mark.parametrize("rule", [RuleName.CERTIFIED, RuleName.PAPER])
def test_the_other_rules_decide_the_same_both_ways(rule: RuleName) -> None:
    applications = crowd(24)
    own = lockstep(rule=rule, sigma=0.05, policy="weak", lines=(SeatLine(name="all", places=4),))
    world = World(rules=own, applications=applications, roster=6)

    assert compare(world, applications) >= 2


def test_a_whole_round_is_the_same_from_a_table_typed_as_the_marks_come(tmp_path: Path) -> None:
    applications, chance = crowd(36), np.random.default_rng(3)
    order = chance.permutation(len(applications)).tolist()  # the office's order is not the names'
    world = World(rules=REFITTED, applications=[applications[i] for i in order], roster=7)
    typed = TypedRound(product=world.product, ledger=world.ledger, cycle_id=CYCLE, folder=tmp_path)
    typed.begin()

    def next_decision() -> bool:
        world.turn()
        return bool(world.waiting())

    assert typed.play(next_decision=next_decision, answer_all=world.answer_all) >= 5


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(50))
def test_rounds_of_generated_data_are_the_same_both_ways(seed: int) -> None:
    rng = np.random.default_rng(seed)
    count, places = int(rng.integers(20, 60)), int(rng.integers(3, 12))
    kinds: tuple[KindRules, ...] = (
        KindRules(name="review", cost=1, gain=1.0, maximum=int(rng.integers(4, 8))),
    )
    if rng.random() < 0.5:
        kinds += (KindRules(name="interview", cost=4, gain=5.0, maximum=1, requires="review"),)
    floor = int(rng.integers(1, 3))
    batch = max(4, int(0.3 * floor * count))
    own = lockstep(
        lines=(SeatLine(name="all", places=places),),
        kinds=kinds,
        floors=(Floor(kind="review", count=floor),),
        budget=int(floor * count + 2.5 * batch),
        batch=batch,
        seed=seed,
    )
    applications = crowd(count)
    roster = people(rng, 8, tuple(kind.name for kind in kinds))
    world = World(rules=own, applications=applications, roster=roster)

    assert compare(world, applications) >= 2
