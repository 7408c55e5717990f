"""Who waits for no offer any more."""

from datetime import UTC, datetime

from swapflow.domain.cohort.offer import Offer, OfferAnswer
from swapflow.engine.offers.open_places import out_of_waiting


NOON = datetime(2027, 3, 1, 12, tzinfo=UTC)


def offered(application: int, answer: OfferAnswer, *, version: int = 1) -> Offer:
    return Offer(
        id=application,
        version=version,
        application=application,
        line="all",
        by="chair",
        at=NOON,
        until=None,
        risk=0.0,
        answer=answer,
    )


def test_every_offer_counts_but_one_taken_back_or_older_than_a_restored_place() -> None:
    answers = enumerate(OfferAnswer)
    offers = [offered(number, answer) for number, answer in answers]
    taken_back = list(OfferAnswer).index(OfferAnswer.TAKEN_BACK)
    everybody = set(range(len(offers)))

    assert out_of_waiting(offers, (), since={}) == everybody - {taken_back}
    assert out_of_waiting(offers, (), since={0: 1}) == everybody - {taken_back}
    assert out_of_waiting(offers, (), since={0: 2}) == everybody - {taken_back, 0}
