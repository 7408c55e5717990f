"""Offers of places after the list is fixed: who is next, what was answered, how many accept."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Annotated
from zoneinfo import ZoneInfo

from fastapi import APIRouter, Depends, Request
from fastapi.responses import RedirectResponse, Response

from swapflow.domain.cohort.applicant_answer import (
    ApplicantAnswer,
    ApplicantSaid,
    last_about_offer,
)
from swapflow.domain.cohort.offer import Offer, OfferAnswer
from swapflow.domain.cycle import CycleStatus
from swapflow.domain.rules import Rules
from swapflow.engine.offers.acceptance_odds import found_by, from_counts, from_interval, interval
from swapflow.engine.offers.answer_days import is_before_april_15
from swapflow.engine.offers.offer_plan import OfferRound, OfferWave
from swapflow.engine.ports.records import ApplicantName
from swapflow.errors import ConflictError, InvalidInputError, SwapflowError
from swapflow.i18n.languages import gettext
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal
from swapflow.messages import Message
from swapflow.web.http.acts.told import tell
from swapflow.web.http.context import AppContext, app_context
from swapflow.web.http.dependencies import may
from swapflow.web.http.error_handlers import status_of
from swapflow.web.http.nested_forms import (
    FormView,
    TheForm,
    is_number,
    made_from,
    text,
    unwritable,
)
from swapflow.web.http.program_page import about
from swapflow.web.http.rendering import render


router = APIRouter(prefix="/decide/{cycle_id}/offers")

MaySee = Annotated[Principal, Depends(may(Right.SEE_APPLICANTS))]
MayDecide = Annotated[Principal, Depends(may(Right.DECIDE))]

USUAL_RISK = "5"
"""Percent of rounds in which more accept than there are places, unless staff set another."""

SHOWN = 50
"""How many of the waitlist are listed."""

MOST_OFFERS = 10_000

ASK_EARLY, KEEP_EARLY = "ask", "keep"
"""Whether a day before 15 April is still to be confirmed, or was."""

LEAST_SHOWN = 0.0001
"""A smaller probability is called smaller than this."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferLine:
    """An offer and whose it is.

    Attributes:
        late: Its date has passed without an answer; the next offers pass the place on.
        by_link: What its applicant answered last by their link, if anything.
        held: Whether they declined so, and may still take it back.
        answers: What may be recorded now.
    """

    offer: Offer
    who: ApplicantName
    late: bool
    by_link: ApplicantAnswer | None = None
    held: bool = False

    @property
    def waits_for_office(self) -> bool:
        """Whether the applicant has said something that the office has still to act on."""
        return self.by_link is not None and (
            self.offer.answer is OfferAnswer.WAITING
            and self.by_link.answer is not ApplicantSaid.TAKEN_BACK
        )

    @property
    def answers(self) -> tuple[str, ...]:
        """What may be recorded now: who accepted may still decline."""
        if self.offer.answer is OfferAnswer.WAITING:
            return (OfferAnswer.ACCEPTED.value, OfferAnswer.DECLINED.value)
        accepted = self.offer.answer is OfferAnswer.ACCEPTED
        return (OfferAnswer.DECLINED.value,) if accepted else ()


@router.get("")
def show_offers(request: Request, cycle_id: str, principal: MaySee) -> Response:
    """Show offers and answers, who is next, and how likely too many accept."""
    return _page(request, cycle_id, principal, FormView({}))


@router.post("/make")
def make_offers(request: Request, cycle_id: str, principal: MayDecide, form: TheForm) -> Response:
    """Record that the places that are free are offered to those who were shown as next."""
    view = _typed(form, "until", "at_most", "seen", "shown", "early", prefix="make")
    app = app_context(request)
    until = _until(view, app.product.cycles.rules(cycle_id).zone)
    at_most = _whole(view, "at_most", low=1) or 0
    if (
        until is not None
        and until > app.product.cycles.now()
        and view.value("early") != KEEP_EARLY
    ):
        _warn_of_early_day(view, until, app.product.cycles.rules(cycle_id))
    # Who was shown as next: if others would be by now, nothing is offered.
    seen = [int(n) for n in view.value("seen").split(",") if n.isdecimal() and len(n) < 10]  # noqa: PLR2004 - what a number can be
    if not view.problems:
        try:
            wave = app.product.offers.make(
                cycle_id,
                by=principal.name,
                until=until,
                at_most=at_most,
                seen=seen,
                shown=view.value("shown"),
            )
        except InvalidInputError as error:
            view.note("until", error.message)
        except SwapflowError as error:
            view.note("", error.message)
            return _page(
                request, cycle_id, principal, view, which="make", status=status_of(error)[0]
            )
        else:
            app.office.audit_log.record(
                principal.name,
                "offered places",
                cycle_id=cycle_id,
                detail=f"{len(wave.places)} offered, {len(wave.lapsed)} passed on",
            )
            tell(request, Message("act_places_offered", count=len(wave.places)))
            return RedirectResponse(f"/decide/{cycle_id}/offers#made", 303)
    return _page(request, cycle_id, principal, view, which="make", status=422)


@router.post("/answer")
def answer_offer(request: Request, cycle_id: str, principal: MayDecide, form: TheForm) -> Response:
    """Record what an applicant answered."""
    view = _typed(form, "applicant", "answer", "reason", "revision", prefix="answer")
    app = app_context(request)
    number, said = view.value("applicant"), view.value("answer")
    if said not in {OfferAnswer.ACCEPTED.value, OfferAnswer.DECLINED.value}:
        view.note("answer", "choose what they answered")
    who = _named(app, cycle_id).get(int(number)) if is_number(number) else None
    if who is None:
        view.note("", "choose the applicant who answered")
    if not view.problems and who is not None:
        try:
            app.product.offers.answer(
                cycle_id,
                who.external_id,
                OfferAnswer(said),
                by=principal.name,
                reason=view.value("reason"),
                made_from=view.value("revision"),
            )
        except InvalidInputError as error:
            view.note("answer", error.message)
        except ConflictError as error:
            view.note("answer", error.message)
            return _page(request, cycle_id, principal, view, which="answer", status=409)
        else:
            app.office.audit_log.record(
                principal.name, "recorded an answer", cycle_id=cycle_id, about=who.external_id
            )
            tell(request, Message("act_answer_recorded"))
            return RedirectResponse(f"/decide/{cycle_id}/offers#offer-{number}", 303)
    return _page(request, cycle_id, principal, view, which=f"answer-{number}", status=422)


@router.post("/rate")
def set_rate(request: Request, cycle_id: str, principal: MayDecide, form: TheForm) -> Response:
    """State how many accept, and how likely it may be that too many do."""
    view = _typed(form, "accepted", "of", "low", "high", "risk", "revision", prefix="rate")
    rate, source = _rate(view)
    risk = _share(view, "risk", needed=True)
    if rate is not None and risk is not None and not view.problems:
        app = app_context(request)
        try:
            app.product.offers.set_acceptance_rate(
                cycle_id,
                rate,
                risk=risk,
                source=source,
                by=principal.name,
                made_from=view.value("revision"),
            )
        except InvalidInputError as error:
            view.note("risk", error.message)
        except ConflictError as error:
            view.note("", error.message)
            return _page(request, cycle_id, principal, view, which="rate", status=409)
        else:
            app.office.audit_log.record(
                principal.name, "stated how many accept", cycle_id=cycle_id, detail=source
            )
            tell(request, Message("act_rate_stated"))
            return RedirectResponse(f"/decide/{cycle_id}/offers#next", 303)
    return _page(request, cycle_id, principal, view, which="rate", status=422)


# What was typed


def _typed(form: TheForm, *names: str, prefix: str) -> FormView:
    view = FormView({name: text(form, name) for name in names}, prefix=prefix)
    if "revision" in names:
        view.values = {**view.values, "revision": made_from(form)}
    for name in names:
        if problem := unwritable(view.value(name)):
            view.note(name, problem)
    return view


def _until(view: FormView, zone: str) -> datetime | None:
    """Read the last day on which an answer counts; its end, where the program is."""
    typed = view.value("until")
    if not typed:
        return None
    try:
        last = datetime.combine(date.fromisoformat(typed), time(23, 59, 59), ZoneInfo(zone))
        # Tried here, because the first and the last days of the calendar overflow in UTC.
        last.astimezone(UTC)
    except (ValueError, OverflowError):
        view.note("until", "this is no date; write year-month-day, e.g. 2027-04-15")
        return None
    return last


def _warn_of_early_day(view: FormView, until: datetime, rules: Rules) -> None:
    """Note that a funded place would have to be answered before 15 April."""
    if any(line.funded for line in rules.lines) and is_before_april_15(until, rules.zone):
        view.note("until", Message("offer_until_before_april"))
        view.values = {**view.values, "early": ASK_EARLY}


def _whole(view: FormView, name: str, *, low: int) -> int | None:
    typed = view.value(name)
    if not typed:
        return None
    if not (typed.isdecimal() and len(typed) < 10 and low <= int(typed) <= MOST_OFFERS):  # noqa: PLR2004 - digits
        view.note(name, Message("whole_number_between", least=low, most=MOST_OFFERS))
        return None
    return int(typed)


def _share(view: FormView, name: str, *, needed: bool = False) -> float | None:
    """Read percent as a share."""
    typed = view.value(name).removesuffix("%").strip().replace(",", ".")
    if not typed and not needed:
        return None
    try:
        percent = float(typed)
    except ValueError:
        percent = -1.0
    if not 0 <= percent <= 100:  # noqa: PLR2004 - percent
        view.note(name, "write percent, a number from 0 to 100")
        return None
    return percent / 100


def _rate(view: FormView) -> tuple[tuple[float, float] | None, str]:
    """Read the rate: last year's counts, or between which shares it lies."""
    accepted, of = _whole(view, "accepted", low=0), _whole(view, "of", low=1)
    low, high = _share(view, "low"), _share(view, "high")
    if view.problems:
        return None, ""
    counted, between = (accepted is not None, of is not None), (low is not None, high is not None)
    if any(counted) == any(between):
        view.note("accepted", "fill in last year's two numbers, or the two percentages; not both")
        return None, ""
    for name, known in zip(
        ("accepted", "of") if any(counted) else ("low", "high"),
        counted if any(counted) else between,
        strict=True,
    ):
        if not known:
            view.note(name, "this number is missing")
            return None, ""
    try:
        if accepted is not None and of is not None:
            return from_counts(accepted, of), Message(
                "rate_from_last_round", accepted=accepted, offered=of
            )
        return from_interval(low or 0.0, high or 0.0), Message(
            "rate_from_interval", low=low, high=high
        )
    except InvalidInputError as error:
        view.note("accepted" if any(counted) else "low", error.message)
        return None, ""


# The page


def _page(
    request: Request,
    cycle_id: str,
    principal: Principal,
    view: FormView,
    *,
    which: str = "",
    status: int = 200,
) -> Response:
    app = app_context(request)
    product = app.product
    fixed = product.cycles.get(cycle_id).status is CycleStatus.FINALIZED
    stands = product.offers.standing(cycle_id) if fixed else None
    wave = product.offers.next_wave(cycle_id) if fixed else None
    names = _named(app, cycle_id)
    return render(
        request,
        "cohort/offers.html",
        {
            **about(app, cycle_id, principal, Right.SEE_APPLICANTS),
            "stands": stands,
            "several_lines": len(product.cycles.rules(cycle_id).lines) > 1,
            "wave": wave,
            "rows": _rows(
                stands, wave, names, product.answers.list(cycle_id), product.cycles.now()
            ),
            "ask_early": view.problem("until") and view.value("early") == ASK_EARLY,
            "counts": {said.value: stands.count(said) for said in OfferAnswer} if stands else {},
            "next": [(names[number], line) for number, line in wave.places] if wave else [],
            "waitlist": [names[number] for number in stands.waitlist[:SHOWN]] if stands else [],
            "rate": product.offers.acceptance_rate(cycle_id),
            "percent": percent,
            "interval": interval,
            "found_by": found_by,
            "which": which,
            "make": view if which == "make" else FormView({}, prefix="make"),
            "typed": view,
            "form": view if which == "rate" else FormView({"risk": USUAL_RISK}, prefix="rate"),
        },
        status=status,
    )


def _rows(
    stands: OfferRound | None,
    wave: OfferWave | None,
    names: dict[int, ApplicantName],
    answers: tuple[ApplicantAnswer, ...],
    now: datetime,
) -> list[OfferLine]:
    if stands is None or wave is None:
        return []
    late = {offer.id for offer in wave.lapsed}
    return [
        OfferLine(
            offer=offer,
            who=names[offer.application],
            late=offer.id in late,
            by_link=last_about_offer(answers, offer.id),
            held=offer.is_held(now),
        )
        for offer in stands.offers
    ]


def percent(share: float) -> str:
    """Format a share as percent: "4.9 %", "0.02 %", "less than 0.01 %"."""
    if 0 < share < LEAST_SHOWN:
        return gettext("less than %(least)s %%") % {"least": f"{100 * LEAST_SHOWN:g}"}
    return f"{100 * share:.2g} %" if share < 0.1 else f"{100 * share:.0f} %"  # noqa: PLR2004 - more digits below


def _named(app: AppContext, cycle_id: str) -> dict[int, ApplicantName]:
    return {one.number: one for one in app.product.reports.named(cycle_id)}
