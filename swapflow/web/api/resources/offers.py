"""Offers of places after the list is final: how they stand, who is next, what was answered."""

from typing import Annotated

from fastapi import APIRouter, Query, Request

from swapflow.domain.cohort.offer import Offer, OfferAnswer, YieldRate
from swapflow.engine.offers.acceptance_odds import from_counts, from_interval, interval
from swapflow.engine.offers.offer_plan import OfferWave
from swapflow.errors import InvalidInputError, NotFoundError
from swapflow.web.api.audit import note
from swapflow.web.api.dependencies import MayDecide, MaySeeApplicants
from swapflow.web.api.idempotency import ApiRoute
from swapflow.web.api.models import offers
from swapflow.web.api.models.offers import (
    NewAnswer,
    NewRate,
    NewWave,
    NextOffer,
    Offered,
    Offers,
    Rate,
)
from swapflow.web.api.resources.applications import Number
from swapflow.web.api.resources.cycles import CycleId
from swapflow.web.api.revisions import MadeFrom
from swapflow.web.http.context import Product


router = APIRouter(prefix="/cycles/{cycle_id}", route_class=ApiRoute, tags=["offers"])


@router.get("/offers")
def read_offers(cycle_id: CycleId, principal: MaySeeApplicants, product: Product) -> Offers:
    """Read offers and answers, the waitlist in its order, and how likely too many accept."""
    del principal
    stands = product.offers.standing(cycle_id)
    return Offers(
        version=stands.version,
        places=stands.places,
        offers=list(map(_offered, stands.offers)),
        waitlist=list(stands.waitlist),
        rate=_rate(stands.rate) if stands.rate else None,
        risk=stands.risk,
        limits_given_way=list(stands.broken),
    )


@router.get("/offers/next")
def read_next_offers(
    cycle_id: CycleId,
    principal: MaySeeApplicants,
    product: Product,
    at_most: Annotated[
        int, Query(ge=0, le=10_000, description="Most offers; 0 for all that are free.")
    ] = 0,
) -> offers.Wave:
    """Read whom a place would be offered now; changes nothing."""
    del principal
    return _wave(product.offers.next_wave(cycle_id, at_most=at_most))


@router.post("/offers")
def make_offers(
    request: Request,
    cycle_id: CycleId,
    principal: MayDecide,
    product: Product,
    new: NewWave,
) -> offers.Wave:
    """Record that the free places are offered: to the chosen first, then down the waitlist.

    Offers whose date has passed without an answer are passed on. This writes to nobody;
    `letters` does.
    """
    wave = product.offers.make(
        cycle_id,
        by=principal.name,
        until=new.until,
        at_most=new.at_most,
        seen=new.seen,
        shown=new.digest,
    )
    detail = f"{len(wave.places)} offered, {len(wave.lapsed)} passed on"
    note(request, principal, "offered places", detail=detail)
    return _wave(wave)


@router.put("/applicants/{number:int}/offer/answer")
def answer_offer(
    request: Request,
    cycle_id: CycleId,
    number: Number,
    principal: MayDecide,
    product: Product,
    said: NewAnswer,
    precondition: MadeFrom,
) -> Offered:
    """Record what an applicant answered; an applicant who accepted may still decline later."""
    who = next(iter(product.reports.named(cycle_id, {number})), None)
    if who is None or not who.external_id:
        raise NotFoundError("program_has_no_applicant", number=number)
    answered = product.offers.answer(
        cycle_id,
        who.external_id,
        OfferAnswer(said.answer),
        by=principal.name,
        reason=said.reason,
        made_from=precondition.made_from,
    )
    precondition.tag(answered.revision)
    note(request, principal, "recorded an answer", about=who.external_id)
    return _offered(answered)


@router.put("/yield-rate")
def state_rate(
    request: Request,
    cycle_id: CycleId,
    principal: MayDecide,
    product: Product,
    new: NewRate,
    precondition: MadeFrom,
) -> Rate:
    """State how many accept, so that more offers than places may go out within a risk."""
    counted = new.accepted is not None and new.of is not None
    between = new.low is not None and new.high is not None
    given = [new.accepted, new.of, new.low, new.high]
    if counted == between or sum(one is not None for one in given) != 2:  # noqa: PLR2004 - a pair
        raise InvalidInputError("acceptance_rate_fields")
    if new.accepted is not None and new.of is not None:
        found, source = from_counts(new.accepted, new.of), f"{new.accepted} of {new.of} accepted"
    else:
        found = from_interval(new.low or 0.0, new.high or 0.0)
        source = f"between {new.low:g} and {new.high:g}"
    stated = product.offers.set_acceptance_rate(
        cycle_id,
        found,
        risk=new.risk,
        source=source,
        by=principal.name,
        made_from=precondition.made_from,
    )
    precondition.tag(stated.revision)
    note(request, principal, "stated how many accept", detail=source)
    return _rate(stated)


def _offered(offer: Offer) -> Offered:
    return Offered(
        applicant=offer.application,
        line=offer.line,
        answer=offer.answer,
        by=offer.by,
        at=offer.at,
        until=offer.until,
        revision=offer.revision,
    )


def _rate(rate: YieldRate) -> Rate:
    low, high = interval(rate.accepting, rate.declining)
    return Rate(
        expected=rate.mean,
        low=low,
        high=high,
        risk=rate.risk,
        source=rate.source,
        by=rate.by,
        at=rate.at,
        revision=rate.revision,
    )


def _wave(wave: OfferWave) -> offers.Wave:
    return offers.Wave(
        offers=[NextOffer(applicant=n, line=line) for n, line in wave.places],
        no_answer=[offer.application for offer in wave.lapsed],
        risk=wave.risk,
        digest=wave.seal.digest,
    )
