"""Of two equally loaded reviewers, one who joins groups that share no applicant comes first."""

import pytest

from swapflow.domain.rules import Purpose
from swapflow.domain.rules_text import to_text
from swapflow.engine.lifecycle.launch import read_projection
from swapflow.engine.selection.reviewer_overlap import ReviewerOverlap, marked_groups
from tests.engine.cycle_by_hand import CYCLE, World, rules


PEOPLE = 12


def groups(seed: int, *, joins: bool) -> int:
    """Ask one review of everybody and a second of eleven; count the groups of reviewers."""
    world = World(
        rules=rules(
            purpose=Purpose.REAL,
            seed=seed,
            budget=2 * PEOPLE - 1,
            batch=1,
            out=1,
            settled=0.0,
            join_reviewers=joins,
        ),
        applications=PEOPLE,
        roster=PEOPLE,
    )
    world.run(at_most=1000)
    world.verify()
    assert world.cycle.spent == 2 * PEOPLE - 1
    world.check()
    return len(marked_groups(read_projection(CYCLE, ledger=world.ledger)))


def test_reviewers_become_comparable_with_fewer_second_reviews() -> None:
    seeds = range(6)

    joined = [groups(seed, joins=True) for seed in seeds]
    by_chance = [groups(seed, joins=False) for seed in seeds]

    assert sum(joined) < sum(by_chance)
    assert all(one <= other for one, other in zip(joined, by_chance, strict=True))


@pytest.mark.parametrize("joins", [True, False])
def test_the_load_stays_even(joins: bool) -> None:
    world = World(rules=rules(budget=30, join_reviewers=joins), applications=15, roster=5)
    world.run()

    given = [
        sum(facts.load.values()) for facts in read_projection(CYCLE, ledger=world.ledger).reviewers
    ]
    assert max(given) - min(given) <= 1


def test_whoever_judges_somebody_already_joins_nobody_new() -> None:
    world = World(applications=4, roster=3, launch=False)
    joining = ReviewerOverlap(read_projection(CYCLE, ledger=world.ledger))
    assert joining.joins(0, [0, 1, 2]) == [False, False, False], "nobody judges them yet"

    joining.note(0, 0)
    assert joining.joins(0, [0, 1, 2]) == [False, True, True]
    joining.note(0, 1)
    joining.note(1, 1)

    assert joining.joins(1, [0, 1, 2]) == [False, False, True], "0 and 1 share applicant 0"


def test_without_it_nothing_is_stored() -> None:
    assert "join_reviewers" not in to_text(rules())
    assert "join_reviewers" in to_text(rules(join_reviewers=True))
