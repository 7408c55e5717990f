"""Why a score is what it is: from the mean of the marks to the estimate, as numbers and words."""

import pytest

from swapflow.domain.rules import RuleName
from swapflow.engine.read_models.estimate_way import EstimateWay
from tests.engine.cycle_by_hand import CYCLE, World, rules


def played(**changes: object) -> World:
    world = World(rules=rules(budget=20, **changes), applications=12)
    world.turn()
    world.answer_all()
    world.turn()
    return world


def test_the_way_ends_at_the_estimate_that_ranks_and_begins_at_the_plain_mean() -> None:
    """For everybody with a mark, in the explanation and on the page's service alike."""
    world = played()

    for place in world.product.cohort.propose(CYCLE).places:
        way = world.product.reports.estimate_way(CYCLE, place.application)
        assert way is not None
        assert way == world.product.reports.explain(CYCLE, place.external_id).way
        assert way.mean == pytest.approx(place.raw_mean)
        assert way.estimate == pytest.approx(place.estimate, abs=1e-8)
        assert way.severity is None, "beside remarks it would tell how severe their writer is"
        steps = way.mean + way.few_marks + way.kind
        assert steps == pytest.approx(way.estimate)


def test_there_is_nothing_to_explain_where_the_estimate_is_the_mean() -> None:
    """Under `certified`, before the first mark, and for those without one."""
    certified = played(rule=RuleName.CERTIFIED, sigma=0.2)
    unasked = World(rules=rules(), applications=8)

    assert certified.product.reports.estimate_way(CYCLE, 0) is None
    assert unasked.product.reports.estimate_way(CYCLE, 0) is None


def test_the_way_in_words_puts_mean_and_estimate_side_by_side() -> None:
    """A step of half a point or more has its word; few marks have theirs."""
    way = EstimateWay(
        marks=2, mean=0.85, few_marks=-0.10, severity=-0.05, kind=0.001, estimate=0.70,
        margin=0.13, weight=0.6, level=0.5,
    )  # fmt: skip

    assert " ".join(str(one) for one in way.sentences()) == (
        "2 reviews, average 85. These reviewers mark high: 5 points are taken away. With only "
        "2 reviews the estimate stays near the program's average: 70 ± 13. More reviews could "
        "move it up or down."
    )
