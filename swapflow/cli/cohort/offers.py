"""`swapflow offers`: places offered after the list is fixed, answers, and the waitlist."""

from datetime import datetime, time
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated
from zoneinfo import ZoneInfo

import typer

from swapflow.cli.help import CommandGroup
from swapflow.cli.options import ApplicationId, AsJson, By, CycleId, Digest, Reason, product
from swapflow.cli.output import Listing, many, report
from swapflow.errors import InvalidInputError


if TYPE_CHECKING:
    from swapflow.engine.offers.offer_plan import OfferRound
    from swapflow.engine.services import Swapflow

app = typer.Typer(
    cls=CommandGroup,
    no_args_is_help=True,
    help="Places offered after the list is final: who answered what, who is next.",
)

SHOWN = 10
"""How many of the waitlist are listed."""


class OfferAnswerOption(StrEnum):
    """What an applicant may answer."""

    ACCEPTED = "accepted"
    DECLINED = "declined"


@app.command("show")
def show(cycle: CycleId, as_json: AsJson = False) -> None:
    """Show offers, answers, the waitlist in its order, and how likely too many accept."""
    swapflow = product()
    stands = swapflow.offers.standing(cycle)
    names = _names(swapflow, cycle)
    waiting = [names[number] for number in stands.waitlist]
    offers = [
        {
            "applicant": names[offer.application],
            "line": offer.line,
            "answer": offer.answer.value,
            "until": offer.until and offer.until.isoformat(),
            "by": offer.by,
        }
        for offer in stands.offers
    ]
    report(
        {
            "cycle": cycle,
            "places": stands.places,
            "offers": offers,
            "waitlist": waiting,
            "risk": stands.risk,
            "stated_risk": stands.rate.risk if stands.rate else None,
            "limits_given_way": list(stands.broken),
        },
        Listing(
            headers=("applicant", "line", "answer", "answer by", "offered by"),
            rows=tuple(
                (offer["applicant"], offer["line"], offer["answer"], offer["until"], offer["by"])
                for offer in offers
            ),
            empty="no place has been offered yet",
        ),
        _stands(stands),
        _next(waiting),
        *(f"no passing-on can keep a limit any more: {words}" for words in stands.broken),
        as_json=as_json,
    )


@app.command("make")
def make(
    cycle: CycleId,
    by: By,
    until: Annotated[
        str, typer.Option(metavar="DATE", help="Last day on which an answer counts.")
    ] = "",
    at_most: Annotated[
        int, typer.Option(metavar="N", help="Most offers; 0 for all that are free.", min=0)
    ] = 0,
    check: Annotated[
        bool, typer.Option("--check", help="Only say who would be offered a place.")
    ] = False,
    digest: Digest = "",
    as_json: AsJson = False,
) -> None:
    """Offer the free places: to those chosen, then down the waitlist. Run it again any time.

    An offer past its date without an answer is passed on.
    """
    swapflow = product()
    when = _until(until, swapflow.cycles.rules(cycle).zone) if until else None
    wave = (
        swapflow.offers.next_wave(cycle, at_most=at_most)
        if check
        else swapflow.offers.make(cycle, by=by, until=when, at_most=at_most, shown=digest)
    )
    names = _names(swapflow, cycle)
    made = [{"applicant": names[number], "line": line} for number, line in wave.places]
    lapsed = [names[offer.application] for offer in wave.lapsed]
    verb = "would be offered" if check else "offered"
    report(
        {
            "cycle": cycle,
            "offered": made,
            "no_answer": lapsed,
            "checked_only": check,
            "by": by,
            "digest": wave.seal.digest,
        },
        *(f"{name} did not answer in time" for name in lapsed),
        Listing(
            headers=("applicant", "line"),
            rows=tuple((one["applicant"], one["line"]) for one in made),
            empty="no place is free",
        ),
        f"{many(len(made), 'place')} {verb}; `swapflow letters` writes to them, or you do",
        as_json=as_json,
    )


@app.command("answer")
def answer(
    cycle: CycleId,
    applicant: ApplicationId,
    said: Annotated[OfferAnswerOption, typer.Argument(help="What they answered.")],
    by: By,
    reason: Reason = "",
    as_json: AsJson = False,
) -> None:
    """Note what an applicant answered; an applicant who accepted may still decline later."""
    from swapflow.domain.cohort.offer import OfferAnswer

    product().offers.answer(cycle, applicant, OfferAnswer(said.value), by=by, reason=reason)
    report(
        {"cycle": cycle, "applicant": applicant, "answer": said.value, "by": by},
        f"{applicant} has {said.value}",
        as_json=as_json,
    )


@app.command("rate")
def rate(
    cycle: CycleId,
    by: By,
    accepted: Annotated[
        int | None, typer.Option(metavar="N", help="Last year: how many accepted …", min=0)
    ] = None,
    of: Annotated[
        int | None, typer.Option("--of", metavar="N", help="… of how many offers.", min=1)
    ] = None,
    between: Annotated[
        tuple[float, float] | None,
        typer.Option(metavar="LOW HIGH", help="Or: the rate lies between these, 19 times in 20."),
    ] = None,
    risk: Annotated[
        float,
        typer.Option(metavar="SHARE", help="How likely too many may accept, over all offers."),
    ] = 0.05,
    as_json: AsJson = False,
) -> None:
    """Set how many accept, so that more offers than places may go out; one rate for all."""
    from swapflow.engine.offers.acceptance_odds import from_counts, from_interval, interval

    if (accepted is None or of is None) == (between is None):
        raise InvalidInputError("acceptance_rate_option")
    if between is not None:
        found, source = from_interval(*between), f"between {between[0]:g} and {between[1]:g}"
    else:
        found, source = from_counts(accepted or 0, of or 0), f"{accepted} of {of} accepted"
    stated = product().offers.set_acceptance_rate(cycle, found, risk=risk, source=source, by=by)
    low, high = interval(stated.accepting, stated.declining)
    report(
        {
            "cycle": cycle,
            "rate": stated.mean,
            "low": low,
            "high": high,
            "risk": risk,
            "source": source,
            "by": by,
        },
        f"{stated.mean:.0%} are expected to accept (19 times in 20: {low:.0%} to {high:.0%})",
        f"more accept than there are places in at most {risk:.1%} of rounds like this",
        as_json=as_json,
    )


def _names(swapflow: "Swapflow", cycle: str) -> dict[int, str]:
    return {a.number: a.external_id for a in swapflow.applicants.list(cycle)}


def _until(text: str, zone: str) -> datetime:
    """Read a day; its end, where the program is."""
    try:
        day = datetime.fromisoformat(text)
    except ValueError as error:
        raise InvalidInputError("until_not_a_date", text=text) from error
    if day.tzinfo is not None:
        return day
    if len(text) == len("2027-04-15"):
        day = datetime.combine(day, time(23, 59, 59))
    return day.replace(tzinfo=ZoneInfo(zone))


def _stands(stands: "OfferRound") -> str:
    from swapflow.domain.cohort.offer import OfferAnswer

    counts = ", ".join(
        f"{stands.count(said)} {said.value}" for said in OfferAnswer if stands.count(said)
    )
    places = f"{many(stands.places, 'place')}: {counts or 'no offer yet'}"
    if stands.rate is None:
        return f"{places}; never more offers than places (`swapflow offers rate` allows more)"
    return (
        f"{places}; too many accept with a chance of {stands.risk:.1%} now, at most "
        f"{stands.rate.risk:.1%} over all offers ({stands.rate.source})"
    )


def _next(waiting: list[str]) -> str:
    if not waiting:
        return "no applicant is left on the waitlist"
    more = f" and {len(waiting) - SHOWN} more" if len(waiting) > SHOWN else ""
    return f"next: {', '.join(waiting[:SHOWN])}{more}"
