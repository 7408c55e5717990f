"""The chance that more accept than there are places, beside another library's beta-binomial."""

import pytest
from scipy.stats import betabinom

from swapflow.engine.offers.acceptance_odds import Odds


@pytest.mark.parametrize("refused", [0, 1, 6])
@pytest.mark.parametrize("accepted", [0, 3])
@pytest.mark.parametrize("more", [0, 1, 7])
def test_answers_that_came_in_sharpen_the_rate_whichever_they_were(
    refused: int, accepted: int, more: int
) -> None:
    odds = Odds(places=8, accepted=accepted, waiting=6, refused=refused, a=7.0, b=5.0)

    accepting = betabinom(6 + more, 7.0 + accepted, 5.0 + refused)
    assert odds.exceeded(more) == pytest.approx(accepting.sf(8 - accepted), abs=1e-12)


def test_with_room_for_all_nothing_is_exceeded_and_beyond_the_places_everything_is() -> None:
    odds = Odds(places=8, accepted=2, waiting=6, refused=0, a=1.0, b=1.0)
    over = Odds(places=8, accepted=9, waiting=0, refused=0, a=1.0, b=1.0)

    assert (odds.exceeded(), over.exceeded()) == (0.0, 1.0)
    assert odds.exceeded(1) > 0
