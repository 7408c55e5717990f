"""Offers, answers and the waitlist: order, limits, dates, two at once, and the stated risk."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from threading import Barrier

import numpy as np
import pytest

from swapflow.domain.cohort.offer import OfferAnswer
from swapflow.domain.cohort.proposal import Verdict
from swapflow.domain.event import EventType
from swapflow.domain.rules import Purpose, SeatLine
from swapflow.engine.cohort.finalize import Override
from swapflow.engine.offers.acceptance_odds import (
    Odds,
    from_counts,
    from_interval,
    interval,
    most_offers,
)
from swapflow.engine.offers.offers import offer
from swapflow.errors import ConflictError, InvalidInputError, NotReadyError
from swapflow.ledger.sql_ledger import SqlLedger
from tests.engine.cycle_by_hand import CYCLE, World, rules
from tests.engine.offers.fixed_cohorts import NORTH, PEOPLE, fixed, rising


ACCEPTED, DECLINED = OfferAnswer.ACCEPTED, OfferAnswer.DECLINED


def offered(world: World, **more: object) -> list[str]:
    """Send the next wave; return whose it is, in order."""
    names = world.names()
    wave = world.product.offers.make(CYCLE, by="ops", **more)  # type: ignore[arg-type]  # by name
    return [names[number] for number, _ in wave.places]


def answers(world: World, external_id: str, said: OfferAnswer) -> None:
    world.product.offers.answer(CYCLE, external_id, said, by="ops", reason="by phone")


def test_places_go_to_the_chosen_and_then_down_the_waitlist_in_its_order() -> None:
    world = fixed()

    assert offered(world) == ["A008", "A007", "A006"]
    assert offered(world) == []
    answers(world, "A007", DECLINED)
    answers(world, "A008", DECLINED)
    assert offered(world, at_most=1) == ["A005"]
    assert offered(world) == ["A004"]
    answers(world, "A005", ACCEPTED)
    answers(world, "A006", ACCEPTED)
    answers(world, "A005", DECLINED)  # thought better of it
    assert offered(world) == ["A003"]

    stands = world.product.offers.standing(CYCLE)
    assert [stands.count(said) for said in OfferAnswer] == [2, 1, 3, 0, 0]
    assert [world.names()[n] for n in stands.waitlist] == ["A002", "A001"]
    assert len(world.events(EventType.OFFERED)) == 4
    world.verify()


def test_before_a_list_is_fixed_there_is_nothing_to_offer() -> None:
    world = World()
    world.turn()

    with pytest.raises(NotReadyError, match="is not final"):
        world.product.offers.make(CYCLE, by="ops")


def test_nobody_but_those_who_were_shown_is_offered_a_place() -> None:
    world = fixed()
    numbers = {name: number for number, name in world.names().items()}
    seen = [numbers[name] for name in ("A008", "A007", "A006")]

    assert offered(world, seen=seen, at_most=2) == ["A008", "A007"]
    with pytest.raises(ConflictError, match="another applicant may be next"):
        offered(world, seen=seen)

    assert len(world.product.offers.standing(CYCLE).offers) == 2


def test_an_offer_without_an_answer_by_its_date_is_passed_on_and_closed() -> None:
    world = fixed()
    until = world.product.context.ledger.now() + timedelta(days=7)
    offered(world, until=until)
    answers(world, "A008", ACCEPTED)

    world.later(days=8)
    answers(world, "A007", ACCEPTED)  # late, but nobody has passed it on yet
    assert offered(world) == ["A005"]

    with pytest.raises(InvalidInputError, match="closed \\(no answer\\)"):
        answers(world, "A006", ACCEPTED)
    answers(world, "A005", DECLINED)
    with pytest.raises(InvalidInputError, match="is past"):
        world.product.offers.make(CYCLE, by="ops", until=datetime(2020, 1, 1, tzinfo=UTC))


@pytest.mark.parametrize(
    ("external_id", "said", "match"),
    [
        ("A001", ACCEPTED, "was not offered a place"),
        ("A008", ACCEPTED, "has accepted already"),
        ("A007", ACCEPTED, "closed \\(declined\\)"),
        ("A006", OfferAnswer.WAITING, "answers"),
    ],
)
def test_answers_that_cannot_be_are_refused(
    external_id: str, said: OfferAnswer, match: str
) -> None:
    world = fixed()
    offered(world)
    answers(world, "A008", ACCEPTED)
    answers(world, "A007", DECLINED)
    before = world.cycle

    with pytest.raises(InvalidInputError, match=match):
        answers(world, external_id, said)
    assert world.cycle == before


def test_passing_on_keeps_the_limits_on_groups_as_long_as_anybody_can() -> None:
    world = fixed(quotas=(NORTH,))

    assert offered(world) == ["A008", "A007", "A004"]
    answers(world, "A004", DECLINED)
    assert offered(world) == ["A003"], "A006 is better, but one of North is wanted"
    answers(world, "A008", DECLINED)
    assert offered(world) == ["A006"]
    for external_id in ("A003", "A002", "A001"):
        answers(world, external_id, DECLINED)
        offered(world)
    stands = world.product.offers.standing(CYCLE)
    assert stands.broken == ("lower the minimum of region = North from 1 to 0",)
    assert world.product.offers.standing(CYCLE).count(OfferAnswer.WAITING) == 3


def test_places_are_offered_line_by_line() -> None:
    world = fixed(
        lines=(
            SeatLine(name="funded", places=1),
            SeatLine(name="unfunded", places=2, funded=False),
        )
    )
    wave = world.product.offers.make(CYCLE, by="ops")
    answers(world, "A008", DECLINED)

    assert [line for _, line in wave.places] == ["funded", "unfunded", "unfunded"]
    assert [line for _, line in world.product.offers.make(CYCLE, by="ops").places] == ["funded"]


def test_whoever_was_offered_a_place_keeps_it_when_the_list_is_reopened() -> None:
    world = fixed()
    offered(world)
    answers(world, "A006", DECLINED)
    offered(world)
    world.product.cohort.reopen(CYCLE, names=["chair", "dean"], reason="an appeal of A001")
    drop = [Override(external_id="A008", verdict=Verdict.NOT_SELECTED, reason="second thoughts")]
    add = [Override(external_id="A001", verdict=Verdict.SELECTED, reason="the appeal is right")]

    with pytest.raises(InvalidInputError, match="'A008' was offered a place"):
        world.product.cohort.finalize(CYCLE, by="chair", overrides=drop)
    world.product.cohort.finalize(CYCLE, by="chair", overrides=swap_out("A006") + add)

    verdicts = {
        world.names()[o.application]: o.verdict for o in world.product.cohort.outcomes(CYCLE, 2)
    }
    selected = {name for name, verdict in verdicts.items() if verdict is Verdict.SELECTED}
    assert selected == {"A001", "A005", "A007", "A008"}
    assert offered(world) == [], "three stand, and there are three places"


def swap_out(external_id: str) -> list[Override]:
    return [Override(external_id=external_id, verdict=Verdict.WAITLISTED, reason="declined")]


def test_two_who_pass_on_places_at_the_same_moment_pass_on_each_one_once(url: str) -> None:
    if url == "sqlite://":
        pytest.skip("a ledger in memory has one process")
    world = fixed(url)
    offered(world)
    answers(world, "A007", DECLINED)
    answers(world, "A008", DECLINED)
    ledgers = [SqlLedger(url) for _ in range(4)]
    together = Barrier(len(ledgers))

    def promote(ledger: SqlLedger) -> int:
        together.wait()
        return len(offer(CYCLE, by="ops", ledger=ledger).places)

    with ThreadPoolExecutor(len(ledgers)) as threads:
        found = list(threads.map(promote, ledgers))

    assert sum(found) == 2
    people = [o.application for o in world.ledger.offers(CYCLE)]
    assert len(people) == len(set(people)) == 5
    world.verify()
    for ledger in [*ledgers, world.ledger]:
        ledger.dispose()


# How many are expected


def test_more_is_offered_than_there_are_places_only_as_far_as_the_risk_goes() -> None:
    world = fixed()
    world.product.offers.set_acceptance_rate(
        CYCLE, from_counts(30, 60), risk=0.2, source="30 of 60 in 2025", by="ops"
    )

    assert offered(world) == ["A008", "A007", "A006", "A005"]
    stands = world.product.offers.standing(CYCLE)
    assert stands.risk == pytest.approx(
        Odds(places=3, accepted=0, waiting=4, refused=0, a=31, b=31).exceeded()
    )
    assert 0 < stands.risk <= 0.1
    assert stands.spent == stands.risk
    # The record has it as a whole number, in millionths.
    assert world.events(EventType.OFFERED)[-1].payload["risk"] == round(stands.risk * 1_000_000)
    for external_id in ("A008", "A007"):
        answers(world, external_id, DECLINED)
    offered(world)
    assert world.product.offers.standing(CYCLE).spent <= 0.2


@pytest.mark.parametrize("risk", [0.05, 0.2])
def test_over_two_thousand_rounds_places_are_exceeded_no_more_often_than_stated(
    risk: float,
) -> None:
    rng = np.random.default_rng(5)
    a, b = from_interval(0.5, 0.8)
    exceeded, empty, sure_empty = 0, 0, 0
    for _ in range(2000):
        rate = rng.beta(a, b)
        accepted, left = _played(rng, rate, (a, b), risk)
        exceeded += accepted > 20
        empty += max(0, 20 - accepted)
        sure_empty += left
    assert exceeded <= risk * 2000
    assert exceeded > 0, "a risk that is never taken buys nothing"
    assert empty < sure_empty


def _played(
    rng: np.random.Generator, rate: float, beta: tuple[float, float], risk: float
) -> tuple[int, int]:
    """One round of three waves: who accepted, and places left empty without over-offers."""
    accepted = waiting = refused = 0
    spent = 0.0
    for _ in range(3):
        odds = Odds(
            places=20, accepted=accepted, waiting=waiting, refused=refused, a=beta[0], b=beta[1]
        )
        more = most_offers(odds, unspent=risk - spent)
        spent += max(0.0, odds.exceeded(more) - odds.exceeded())
        waiting += more
        # Half of them answer before the next wave.
        now = waiting // 2
        yes = int(rng.binomial(now, rate))
        accepted, refused, waiting = accepted + yes, refused + now - yes, waiting - now
    accepted += int(rng.binomial(waiting, rate))
    plain = 0
    for _ in range(3):
        plain += int(rng.binomial((20 - plain + 1) // 2, rate))
    return accepted, 20 - plain


@pytest.mark.parametrize(("low", "high"), [(0.6, 0.8), (0.05, 0.2), (0.3, 0.34)])
def test_a_rate_given_by_its_interval_has_that_much_inside(low: float, high: float) -> None:
    found = interval(*from_interval(low, high))

    assert found == pytest.approx((low, high), abs=0.25 * (high - low))


def test_a_rate_that_cannot_be_is_refused() -> None:
    for accepted, made in ((5, 4), (0, 0), (-1, 3)):
        with pytest.raises(InvalidInputError):
            from_counts(accepted, made)
    for low, high in ((0.8, 0.6), (0.0, 1.0)):
        with pytest.raises(InvalidInputError):
            from_interval(low, high)


def test_those_near_the_cut_are_named_and_those_far_off_are_not() -> None:
    world = World(rules=rules(budget=8, purpose=Purpose.REAL, sigma=0.15), applications=PEOPLE)
    world.run(rising)

    proposal = world.product.cohort.propose(CYCLE)
    near = {world.names()[number] for number in proposal.near}

    assert {"A005", "A006"} <= near
    assert not near & {"A001", "A002"}
    assert replace(proposal, near=frozenset()).near == frozenset()
