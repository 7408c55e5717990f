"""The same answers give the same decisions, whatever the order of files, arrivals or processes."""

import os
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from swapflow.domain.people.application import ApplicationStatus
from swapflow.domain.reviewing.score import Answer
from swapflow.domain.rules import DispatchMode, RuleName
from swapflow.simulation.replay import decisions_digest
from tests.engine.cycle_by_hand import CYCLE, World, applicants, marks, rules
from tests.engine.one_outcome import LOCKSTEP, ROSTER, ROWS, outcome


ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("rule", list(RuleName))
def test_shuffled_rows_give_the_same_decisions_and_the_same_cohort(rule: RuleName) -> None:

    settings = replace(LOCKSTEP, rule=rule, sigma=0.1, batch=12)
    order = random.Random(5)

    assert outcome(settings=settings) == outcome(
        order.sample(ROWS, len(ROWS)), order.sample(ROSTER, len(ROSTER)), settings=settings
    )


def test_another_seed_gives_other_decisions() -> None:

    assert outcome()[0] != outcome(settings=replace(LOCKSTEP, seed=8))[0]


@pytest.mark.parametrize("hash_seed", ["4242"])
def test_another_process_with_another_hash_seed_decides_the_same(hash_seed: str) -> None:
    program = "from tests.engine.one_outcome import outcome; print(outcome())"

    said = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )

    assert said.stdout.strip() == str(outcome())


def in_waves(*, forget: bool) -> World:
    """100 applications at the launch and 300 more in three waves, between decisions."""
    settings = rules(
        dispatch=DispatchMode.LOCKSTEP, budget=600, batch=100, max_applicants=500, packet=1000
    )
    world = World(rules=settings, applications=100, roster=8)
    for wave in range(1, 5):
        world.turn()
        if forget:
            world.forget_live_state()
            world.coordinator.stop()
            world.coordinator = world.product.cycles.coordinator(f"c{wave}")
        world.product.tasks.submit(every_answer(world))
        if wave < 4:
            world.admit(applicants(100, first=100 * wave + 1))
    while True:
        world.turn()
        answers = every_answer(world)
        if not answers:
            return world
        world.product.tasks.submit(answers)


def every_answer(world: World) -> list[Answer]:
    names, people = world.names(), world.people()
    return [
        Answer(
            assignment_id=a.id,
            utility=marks(names[a.application], "review", a.ordinal, people[a.reviewer]),
        )
        for a in world.waiting()
    ]


def test_three_hundred_applications_that_arrive_in_three_waves_replay_identically() -> None:
    one, other = in_waves(forget=False), in_waves(forget=True)

    assert len(one.names()) == 400
    assert {a.wave for a in one.product.applicants.list(CYCLE)} == {1, 2, 3, 4}
    assert {p.application for p in one.ledger.pulls(CYCLE)} == set(range(400))
    assert decisions_digest(one.product, CYCLE) == decisions_digest(other.product, CYCLE)
    assert one.cohort() == other.cohort()
    one.check()
    one.verify()


def test_whoever_withdraws_at_any_time_is_never_in_the_cohort() -> None:
    best = outcome()[1][0]
    for moment in (1, 3):
        world = World(rules=LOCKSTEP, applications=ROWS, roster=ROSTER)
        for _ in range(moment):
            world.turn()
            world.answer_all(marks)
        world.product.applicants.move(CYCLE, best, ApplicationStatus.WITHDRAWN, by="ops")
        world.run(marks)

        assert best not in world.cohort()
        assert len(world.cohort()) == 3
        world.verify()
