"""Reconsiderations at the screen: opened, evidence shown, signed by two, taken back, undone."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response

from swapflow.domain.cohort.reconsideration import (
    CHANGES,
    USUAL_REVIEWS,
    Reconsideration,
    Result,
)
from swapflow.domain.cycle import CycleStatus
from swapflow.engine.cohort.prepared_decisions import RECONSIDERATION, UNDOING, prepared_revision
from swapflow.engine.ports.records import ApplicantName
from swapflow.engine.reconsideration.evidence import HOW, ReconsiderationEvidence
from swapflow.engine.reconsideration.open_reconsideration import ReconsiderationRequest
from swapflow.errors import NotFoundError, SwapflowError
from swapflow.i18n.languages import gettext_noop
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal
from swapflow.messages import Message
from swapflow.web.http.context import AppContext, app_context
from swapflow.web.http.dependencies import may
from swapflow.web.http.nested_forms import TheForm, is_number, made_from, text
from swapflow.web.http.program_page import (
    NOTHING_REFUSED,
    FieldError,
    Refused,
    about,
    act,
    plain_line,
    said_why,
)
from swapflow.web.http.rendering import render


router = APIRouter(prefix="/decide/{cycle_id}/reconsiderations")

MaySee = Annotated[Principal, Depends(may(Right.SEE_APPLICANTS))]
MayDecide = Annotated[Principal, Depends(may(Right.DECIDE))]
MaySign = Annotated[Principal, Depends(may(Right.SIGN))]

LONGEST_NAME = 200

RESULTS = {
    Result.ADDED: gettext_noop("added to the list"),
    Result.WAITLISTED: gettext_noop("put on the waitlist"),
    Result.STAYS: gettext_noop("stays as it was"),
    Result.WITHDRAWN: gettext_noop("taken back"),
    Result.UNDONE: gettext_noop("undone"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReconsiderationLine:
    """A reconsideration and whose it is.

    Attributes:
        weighed: Its evidence so far; None once it ended.
        undoable: It made the list that is in force.
    """

    one: Reconsideration
    who: ApplicantName
    kind: str
    evidence: ReconsiderationEvidence | None
    undoable: bool

    @property
    def result(self) -> str:
        """What it came to, or what is proposed, in words to be translated; "" for nothing yet."""
        if self.one.closing is not None:
            return RESULTS[self.one.closing.result]
        ready = self.evidence is not None and self.evidence.ready
        return RESULTS[self.evidence.proposes] if ready and self.evidence else ""


@router.get("")
def show_reconsiderations(
    request: Request,
    cycle_id: str,
    principal: MaySee,
    applicant: Annotated[int | None, Query(ge=0, le=10_000_000)] = None,
) -> Response:
    """Show what is reconsidered and what was, and a form for another applicant."""
    return _page(request, cycle_id, principal, applicant=applicant)


@router.post("/open")
def open_reconsideration(
    request: Request, cycle_id: str, principal: MayDecide, form: TheForm
) -> Response:
    """Open a reconsideration: fresh reviews are asked for at once."""
    names = ("applicant", "reason", "asked_by", "asked_on", "reviews", "kind")
    typed = {name: text(form, name) for name in names}
    product = app_context(request).product

    def deed() -> None:
        who = next(
            (n for n in product.reports.named(cycle_id) if n.external_id == typed["applicant"]),
            None,
        )
        if who is None or not who.external_id:
            raise FieldError("applicant", "applicant_id_unknown")
        asked_by = plain_line(typed["asked_by"], named="asked_by", most=LONGEST_NAME)
        if not asked_by:
            raise FieldError("asked_by", "asked_by_missing")
        wanted = ReconsiderationRequest(
            reason=said_why(typed["reason"]),
            asked_by=asked_by,
            asked_on=_day(typed["asked_on"]),
            reviews=_count(typed["reviews"]),
            kind=typed["kind"],
        )
        product.reconsiderations.open(cycle_id, who.external_id, wanted, by=principal.name)

    return _do(
        request, cycle_id, principal, Message("act_reconsideration_opened"), deed, "open", typed
    )


@router.post("/{number}/prepare")
def prepare(
    request: Request, cycle_id: str, number: int, principal: MaySign, form: TheForm
) -> Response:
    """Sign what becomes of it, and put it up for the other signatures."""
    typed = {name: text(form, name) for name in ("result", "reason", "beyond", "shown")}
    typed["revision"] = made_from(form)
    product = app_context(request).product

    def deed() -> None:
        if typed["result"] not in set(Result):
            raise FieldError("result", "result_not_chosen")
        product.reconsiderations.prepare(
            cycle_id,
            _name(app_context(request), cycle_id, number),
            by=principal.name,
            result=Result(typed["result"]),
            reason=plain_line(typed["reason"], named="reason"),
            beyond=bool(typed["beyond"]),
            shown=typed["shown"],
            made_from=typed["revision"],
        )

    done = Message("act_reconsideration_signed")
    return _do(request, cycle_id, principal, done, deed, f"prepare-{number}", typed)


@router.post("/{number}/take-back")
def take_back(
    request: Request, cycle_id: str, number: int, principal: MayDecide, form: TheForm
) -> Response:
    """End a reconsideration without a decision."""
    which = text(form, "which")
    act_on = partial(
        app_context(request).product.reconsiderations.take_back,
        which=int(which) if is_number(which) else None,
    )
    done = Message("act_reconsideration_taken_back")
    return _with_reason(request, cycle_id, number, principal, form, done, act_on, "take-back")


@router.post("/{number}/undo")
def ask_to_undo(
    request: Request, cycle_id: str, number: int, principal: MaySign, form: TheForm
) -> Response:
    """Ask that what it made of the list be undone; another person must agree."""
    act_on = partial(
        app_context(request).product.reconsiderations.prepare_undoing, shown=text(form, "shown")
    )
    done = Message("act_undoing_asked")
    return _with_reason(request, cycle_id, number, principal, form, done, act_on, "undo")


@router.post("/sign")
def sign(request: Request, cycle_id: str, principal: MaySign, form: TheForm) -> Response:
    """Sign what another person prepared; the last signature carries it out."""
    product, digest = app_context(request).product, text(form, "digest")
    return _do(
        request,
        cycle_id,
        principal,
        lambda carried_out: Message("act_signed_last" if carried_out else "act_signed"),
        lambda: product.cohort.sign(cycle_id, digest, by=principal.name),
        "sign",
        {},
    )


def _with_reason(
    request: Request,
    cycle_id: str,
    number: int,
    principal: Principal,
    form: TheForm,
    done: Message | Callable[[Any], Message],
    act_on: Callable[..., object],
    which: str,
) -> Response:
    """Change one reconsideration by what needs nothing but a reason."""
    typed = {"reason": text(form, "reason")}

    def deed() -> None:
        why = said_why(typed["reason"])
        name = _name(app_context(request), cycle_id, number)
        act_on(cycle_id, name, by=principal.name, reason=why)

    return _do(request, cycle_id, principal, done, deed, f"{which}-{number}", typed)


def _do(
    request: Request,
    cycle_id: str,
    principal: Principal,
    done: Message | Callable[[Any], Message],
    deed: Callable[[], object],
    form: str,
    typed: dict[str, str],
) -> Response:
    return act(
        request,
        principal,
        f"/decide/{cycle_id}/reconsiderations",
        done,
        deed,
        form=form,
        typed=typed,
        again=lambda refused: _page(request, cycle_id, principal, refused=refused),
    )


def _page(
    request: Request,
    cycle_id: str,
    principal: Principal,
    *,
    applicant: int | None = None,
    refused: Refused = NOTHING_REFUSED,
) -> Response:
    app = app_context(request)
    product = app.product
    cycle, rules = product.cycles.get(cycle_id), product.cycles.rules(cycle_id)
    fixed = cycle.status is CycleStatus.FINALIZED
    found = product.reconsiderations.list(cycle_id)
    people = {
        one.number: one
        for one in product.reports.named(
            cycle_id,
            {r.application for r in found} | ({applicant} if applicant is not None else set()),
        )
    }
    rows = [
        ReconsiderationLine(
            one=one,
            who=people[one.application],
            kind=rules.kinds[one.new.kind].name,
            evidence=_evidence_of(app, cycle_id, people[one.application]) if one.is_open else None,
            undoable=fixed
            and one.closing is not None
            and one.closing.result in CHANGES
            and one.closing.version == cycle.cohort_version,
        )
        for one in found
    ]
    pending = product.cohort.pending(cycle_id) if fixed else None
    chosen = people.get(applicant) if applicant is not None else None
    return render(
        request,
        "cohort/reconsiderations.html",
        {
            **about(app, cycle_id, principal, Right.SEE_APPLICANTS),
            "rows": rows,
            "fixed": fixed,
            "pending": pending
            if pending and pending.prepared.what in {RECONSIDERATION, UNDOING}
            else None,
            "revision": prepared_revision(pending.prepared if pending else None),
            "other_waits": pending is not None
            and pending.prepared.what not in {RECONSIDERATION, UNDOING},
            "applicant": chosen.external_id if chosen else "",
            "kinds": [(kind.name, kind.name) for kind in rules.kinds],
            "usual": str(USUAL_REVIEWS),
            "shown": product.cohort.final_list(cycle_id).seal.digest if fixed else "",
            "results": {result.value: words for result, words in RESULTS.items()},
            "how": HOW,
            "me": principal.name,
            "refused": refused,
        },
        status=refused.status,
    )


def _evidence_of(
    app: AppContext, cycle_id: str, who: ApplicantName
) -> ReconsiderationEvidence | None:
    """Return the evidence of one so far; None where it ended a moment ago."""
    try:
        return app.product.reconsiderations.evidence(cycle_id, who.external_id)
    except SwapflowError:
        return None


def _name(app: AppContext, cycle_id: str, number: int) -> str:
    who = next(iter(app.product.reports.named(cycle_id, {number})), None)
    if who is None or not who.external_id:
        raise NotFoundError("applicant_unknown")
    return who.external_id


def _day(typed: str) -> date | None:
    try:
        return date.fromisoformat(typed) if typed else None
    except ValueError:
        raise FieldError("asked_on", "asked_on_unreadable") from None


def _count(typed: str) -> int:
    if not typed.isdecimal() or len(typed) > 2:  # noqa: PLR2004 - more digits are no count
        raise FieldError("reviews", "fresh_reviews_unreadable")
    return int(typed)
