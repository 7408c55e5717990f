"""Advice from a table, typed as the marks come, against a deployment that decides the same round.

The deployment is the real one: Redis, a coordinator and workers as processes of their own; only
the reviewers are this test.
"""

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from swapflow.domain.cycle import CycleStatus
from swapflow.domain.reviewing.assignment import AssignmentStatus
from swapflow.domain.reviewing.score import Answer
from swapflow.domain.rules import KindRules, Rules
from tests.advice.rounds import REFITTED, crowd, people
from tests.advice.typed_round import TypedRound
from tests.engine.cycle_by_hand import marks
from tests.system.stack import Stack


pytestmark = pytest.mark.system

TWO_KINDS = (
    KindRules(name="review", cost=1, gain=1.0, maximum=5),
    KindRules(name="interview", cost=4, gain=5.0, maximum=1, requires="review"),
)


@pytest.fixture(scope="module")
def deployment() -> Iterator[Stack]:
    with Stack(workers=2) as running:
        yield running


@pytest.mark.parametrize(
    "rules",
    [
        pytest.param(REFITTED, id="reviews"),
        pytest.param(replace(REFITTED, kinds=TWO_KINDS, budget=132), id="reviews and interviews"),
    ],
)
def test_a_whole_round_is_the_same_from_a_table_and_on_a_deployment(
    deployment: Stack, cycle_id: str, tmp_path: Path, rules: Rules
) -> None:
    typed = _launch(deployment, cycle_id, tmp_path, rules)

    compared = typed.play(
        next_decision=lambda: _delivered(deployment, cycle_id),
        answer_all=lambda: _answer_all(deployment, cycle_id, typed),
    )

    assert compared >= 5


def _launch(deployment: Stack, cycle_id: str, folder: Path, rules: Rules) -> TypedRound:
    """Launch a round whose people come in an order of their own."""
    product = deployment.product
    applications, chance = crowd(36), random.Random(3)
    chance.shuffle(applications)
    roster = people(np.random.default_rng(1), 7, tuple(kind.name for kind in rules.kinds))
    chance.shuffle(roster)
    product.cycles.new_round(f"round-{cycle_id}", name="Round")
    product.cycles.new(cycle_id, round_id=f"round-{cycle_id}", rules=rules, by="ops")
    product.applicants.import_all(cycle_id, applications)
    product.reviewers.import_all(cycle_id, roster)
    typed = TypedRound(product=product, ledger=deployment.ledger, cycle_id=cycle_id, folder=folder)
    typed.begin()
    product.cycles.launch(cycle_id, by="ops")
    return typed


def _delivered(deployment: Stack, cycle_id: str) -> bool:
    """Wait until workers have delivered all that the next decision asks for; False at the end."""
    product, ledger = deployment.product, deployment.ledger
    over = {CycleStatus.PROPOSED, CycleStatus.ENDED}

    def settled() -> bool:
        if product.cycles.get(cycle_id).status in over:
            return True
        everything = ledger.assignments(cycle_id)
        fresh = [one for one in everything if one.status is not AssignmentStatus.SCORED]
        return bool(fresh) and all(one.status is AssignmentStatus.DELIVERED for one in fresh)

    deployment.wait_for(settled, what=f"the next decision of {cycle_id}")
    return product.cycles.get(cycle_id).status not in over


def _answer_all(deployment: Stack, cycle_id: str, typed: TypedRound) -> None:
    """Everyone answers what lies in their inboxes, in some order."""
    product, ledger = deployment.product, deployment.ledger
    kinds = product.cycles.rules(cycle_id).kinds
    who, by = typed.applicants, typed.reviewers
    waiting = list(ledger.assignments(cycle_id, statuses={AssignmentStatus.DELIVERED}))
    random.Random(len(waiting)).shuffle(waiting)
    product.tasks.submit(
        [
            Answer(
                assignment_id=one.id,
                utility=marks(
                    who[one.application], kinds[one.kind].name, one.ordinal, by[one.reviewer]
                ),
            )
            for one in waiting
        ]
    )
