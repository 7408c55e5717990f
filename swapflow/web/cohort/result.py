"""The final list: who is on it, what was confirmed, and reopening it."""

import math
from collections.abc import Mapping
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response

from swapflow.bootstrap import monitoring_beside
from swapflow.domain.cohort.proposal import (
    MethodSheet,
    Outcome,
    Place,
    Proposal,
    Standing,
    Verdict,
    figures_of,
)
from swapflow.domain.cohort.quality_words import (
    MODEL_LIMITS,
    likely_words,
    shows_certified_loss,
)
from swapflow.domain.cycle import Cycle, CycleStatus
from swapflow.domain.people.application import ApplicationStatus
from swapflow.engine.cohort.prepared_decisions import REOPENING, needed_signatures
from swapflow.engine.cohort.signing import PendingSignatures
from swapflow.engine.confirmation import named
from swapflow.errors import InvalidInputError, NotFoundError
from swapflow.files.exports.document import can_make_pdf
from swapflow.files.exports.method_sheet import method_told
from swapflow.i18n.languages import gettext
from swapflow.i18n.translation import translate
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal
from swapflow.messages import Message
from swapflow.web.cohort.board import HEIGHT, WIDTH, board
from swapflow.web.cohort.release_steps import release_steps
from swapflow.web.http.context import AppContext, app_context
from swapflow.web.http.dependencies import may
from swapflow.web.http.nested_forms import TheForm, text, unwritable
from swapflow.web.http.program_page import Again, Refused, about, act
from swapflow.web.http.rendering import render


router = APIRouter(prefix="/decide")

MaySign = Annotated[Principal, Depends(may(Right.SIGN))]


@router.post("/{cycle_id}/reopen")
def reopen(request: Request, cycle_id: str, principal: MaySign, form: TheForm) -> Response:
    """Ask that a fixed list be reopened; another person must agree."""
    product = app_context(request).product
    reason, shown = text(form, "reason"), text(form, "shown")
    cycle = product.cycles.get(cycle_id)
    missing = "" if reason else Message("reopening_reason_not_typed")
    if problem := unwritable(reason) or missing:
        if cycle.status is not CycleStatus.FINALIZED:
            raise InvalidInputError(problem)
        typed = {"reopen": reason}
        return show_result(
            request, cycle, principal, cycle.cohort_version, problem=problem, typed=typed
        )
    return act(
        request,
        principal,
        f"/decide/{cycle_id}",
        Message("act_reopening_asked"),
        lambda: product.cohort.prepare_reopening(
            cycle_id, by=principal.name, reason=reason, shown=shown
        ),
        form="reopen",
        typed={"reopen": reason},
        again=decision_again(request, cycle, principal),
    )


def decision_again(request: Request, cycle: Cycle, principal: Principal) -> Again:
    """Show the page as it is, above it what was refused."""

    def show(refused: Refused) -> Response:
        problem, typed = refused.message, refused.values
        if cycle.status is CycleStatus.FINALIZED:
            version = cycle.cohort_version
            shown = show_result(request, cycle, principal, version, problem=problem, typed=typed)
        else:
            shown = open_decision(request, cycle, principal, problem=problem, typed=typed)
        shown.status_code = refused.status
        return shown

    return show


def open_decision(
    request: Request,
    cycle: Cycle,
    principal: Principal,
    *,
    unfolded: str = "",
    problem: str = "",
    typed: Mapping[str, str] | None = None,
) -> Response:
    """Render the page on which the list is prepared and signed."""
    app = app_context(request)
    product = app.product
    proposal = None if cycle.status is CycleStatus.DRAFT else product.cohort.propose(cycle.id)
    pending = product.cohort.pending(cycle.id, proposal=proposal) if proposal else None
    places = proposal.places if proposal else ()
    waiting = [p for p in places if p.standing is Standing.WAITLIST]
    figures = figures_of(proposal.sheet) if proposal else None
    ready = cycle.status in {CycleStatus.PROPOSED, CycleStatus.ENDED}
    progress = product.reports.progress(cycle.id)
    agenda = product.meetings.agenda(cycle.id, proposal=proposal) if proposal else None
    pins = {pin.application: pin.verdict for pin in product.reports.pins(cycle.id)}
    needed = needed_signatures(product.cycles.rules(cycle.id))
    return render(
        request,
        "cohort/decision.html",
        {
            **about(app, cycle.id, principal, Right.SEE_APPLICANTS),
            "proposal": proposal,
            "promise": promise(proposal.sheet) if proposal else (),
            "quality": figures.sentence() if figures else None,
            "likely": {
                p.application: likely_words(p.likely, len(places) - len(waiting))
                for p in places
                if p.too_close and p.likely is not None
            },
            "cohort": [p for p in places if p.standing is Standing.COHORT],
            "pins": pins,
            "agenda": agenda,
            "board": board(proposal, agenda, pins=pins, unfolded=unfolded)
            if proposal and agenda
            else None,
            "steps": release_steps(
                proposal,
                agenda,
                ready=ready,
                signatures=(len(pending.prepared.signed) if pending else -1, needed),
            )
            if proposal and agenda
            else (),
            "unfolded": unfolded,
            "size": (WIDTH, HEIGHT),
            "below": [p for p in places if p.floor_missing],
            "tied": [p for p in places if p.tied],
            "close": sum(p.too_close for p in places),
            "near": [p.external_id for p in places if p.application in proposal.near][:12]
            if proposal
            else [],
            "rubric_changes": product.cycles.rubric_changes(cycle.id),
            "conflicting": product.reviewers.conflicting_scores(cycle.id),
            # That groups are recorded, never what they say: no name of one leaves this line.
            "monitored": bool(monitoring_beside(product).attributes(cycle.id)),
            "gone": product.reports.named(
                cycle.id,
                statuses={ApplicationStatus.WITHDRAWN, ApplicationStatus.INELIGIBLE},
            ),
            "open_requests": sum(kind.out for kind in progress.kinds),
            "waiting_requests": sum(kind.proposed for kind in progress.kinds),
            "ready": ready,
            "pending": pending,
            "named": named,
            "needed": needed,
            "me": principal.name,
            "versions": [version for version, _, _ in product.cohort.proposals(cycle.id)],
            "problem": problem,
            "typed": dict(typed or {}),
        },
        status=422 if problem else 200,
    )


def show_result(
    request: Request,
    cycle: Cycle,
    principal: Principal,
    version: int,
    *,
    problem: str = "",
    typed: Mapping[str, str] | None = None,
) -> Response:
    """Render a final list, or an earlier version of it."""
    app = app_context(request)
    product = app.product
    proposal = stored(app, cycle.id, version)
    outcomes = product.cohort.outcomes(cycle.id, version)
    decided: dict[int, Outcome] = {outcome.application: outcome for outcome in outcomes}
    latest = version == cycle.cohort_version
    return render(
        request,
        "cohort/result.html",
        {
            **about(app, cycle.id, principal, Right.SEE_APPLICANTS),
            "version": version,
            "versions": [number for number, _, _ in product.cohort.proposals(cycle.id)],
            "latest": latest,
            "pdf_too": can_make_pdf(),
            "sheet": proposal.sheet,
            "promise": promise(proposal.sheet),
            "method": method_told(proposal.sheet),
            "selected": _decided(proposal, decided, Verdict.SELECTED),
            "waitlist": _decided(proposal, decided, Verdict.WAITLISTED),
            "signed": product.cohort.signatures(cycle.id, version),
            "pending": _reopening(app, cycle) if latest else None,
            "shown": product.cohort.final_list(cycle.id).seal.digest
            if latest and cycle.status is CycleStatus.FINALIZED
            else "",
            "me": principal.name,
            "problem": problem,
            "typed": dict(typed or {}),
        },
        status=422 if problem else 200,
    )


def _reopening(app: AppContext, cycle: Cycle) -> PendingSignatures | None:
    """Read what waits to be reopened; a reconsideration has a page of its own."""
    fixed = cycle.status is CycleStatus.FINALIZED
    pending = app.product.cohort.pending(cycle.id) if fixed else None
    return pending if pending and pending.prepared.what == REOPENING else None


def _decided(
    proposal: Proposal, decided: Mapping[int, Outcome], verdict: Verdict
) -> list[tuple[Place, Outcome]]:
    return [
        (place, decided[place.application])
        for place in proposal.places
        if place.application in decided and decided[place.application].verdict is verdict
    ]


def stored(app: AppContext, cycle_id: str, version: int) -> Proposal:
    """Read a stored proposal.

    Raises:
        NotFoundError: If there is no such version.
    """
    for number, places, sheet in app.product.cohort.proposals(cycle_id):
        if number == version:
            return Proposal(cycle_id=cycle_id, version=version, places=places, sheet=sheet)
    raise NotFoundError("list_version_unknown", version=version)


def promise(sheet: MethodSheet) -> tuple[str, ...]:
    """Return what is known of a list, and what is not, in sentences of the method sheet."""
    figures = figures_of(sheet)
    by_model = () if figures is None else (translate(figures.sentence()), translate(MODEL_LIMITS))
    if figures is not None and not shows_certified_loss(
        sheet.rule, sheet.certified_loss, figures.expected_loss
    ):
        return (*by_model, gettext("This is about marks, not merit."))
    if not math.isfinite(sheet.certified_loss):
        return (
            gettext("How much the list could still gain by further reviews is not known."),
            gettext("This is about marks, not merit."),
        )
    rest = sheet.promises.replace("The rule `budget`", "The rule in force")
    return (*by_model, *(translate(one) for one in (sheet.certificate, rest) if one))
