"""Deciding: the proposed list, changes with their reasons, signatures, the result."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import RedirectResponse, Response

from swapflow.domain.cohort.proposal import (
    Place,
    Proposal,
    Standing,
    Verdict,
)
from swapflow.domain.cycle import Cycle, CycleStatus
from swapflow.domain.seal import NOTHING
from swapflow.engine.cohort.finalize import Override
from swapflow.engine.cohort.prepared_decisions import needed_signatures, prepared_revision
from swapflow.engine.confirmation import named
from swapflow.errors import ConflictError, InvalidInputError, StaleRevisionError
from swapflow.i18n.languages import gettext_noop
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal
from swapflow.messages import Message
from swapflow.web.cohort.result import MaySign, decision_again, open_decision, show_result
from swapflow.web.http.acts.told import tell
from swapflow.web.http.context import AppContext, app_context
from swapflow.web.http.dependencies import may, may_anywhere
from swapflow.web.http.nested_forms import TheForm, is_number, made_from, text, texts, unwritable
from swapflow.web.http.program_page import about, act, visible
from swapflow.web.http.rendering import render


router = APIRouter(prefix="/decide")

MaySee = Annotated[Principal, Depends(may(Right.SEE_APPLICANTS))]
MayDecide = Annotated[Principal, Depends(may(Right.DECIDE))]
MayRun = Annotated[Principal, Depends(may(Right.RUN))]


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedChange:
    """A place that people decide otherwise than proposed, as it is typed."""

    place: Place
    to: str
    reason: str
    problem: str = ""

    @property
    def override(self) -> Override:
        """The decision that it spells."""
        verdict = Verdict.SELECTED if self.to == "in" else Verdict.WAITLISTED
        return Override(external_id=self.place.external_id, verdict=verdict, reason=self.reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedReasons:
    """The page of the reasons as it was typed.

    Attributes:
        proposal: The list as it is proposed now.
        shown: Digest of the list that the changes were ticked in.
        moved_on: Whether that was another list than is proposed now, which is then shown.
        revision: Digest of what was prepared when the form was made, `NOTHING` if nothing was.
        stale: Whether something else was prepared since.
    """

    proposal: Proposal
    changes: Sequence[TypedChange]
    waiver: str = ""
    waiver_problem: str = ""
    problem: str = ""
    shown: str = ""
    moved_on: bool = False
    revision: str = NOTHING
    stale: bool = False

    @property
    def wrong(self) -> bool:
        """Whether something in it keeps the decision from being prepared."""
        return bool(self.problem or self.waiver_problem) or any(
            change.problem for change in self.changes
        )


@router.get("")
def choose_program(
    request: Request, principal: Annotated[Principal, Depends(may_anywhere(Right.SEE_APPLICANTS))]
) -> Response:
    """Redirect to the one program, or list those to choose from."""
    cycles = visible(app_context(request), principal, Right.SEE_APPLICANTS)
    if len(cycles) == 1:
        return RedirectResponse(f"/decide/{cycles[0].id}", status_code=303)
    return render(request, "cohort/programs.html", {"cycles": cycles})


@router.get("/{cycle_id}")
def show_decision(
    request: Request,
    cycle_id: str,
    principal: MaySee,
    version: int = 0,
    everybody: Annotated[bool, Query(alias="all")] = False,  # noqa: FBT002 - the query's name
    show: str = "",
) -> Response:
    """Show what is to be decided, or what was."""
    cycle = app_context(request).product.cycles.get(cycle_id)
    if version or cycle.status is CycleStatus.FINALIZED:
        return show_result(request, cycle, principal, version or cycle.cohort_version)
    unfolded = "all" if everybody else show if show in {"in", "close", "out"} else ""
    return open_decision(request, cycle, principal, unfolded=unfolded)


@router.post("/{cycle_id}/stop")
def stop(request: Request, cycle_id: str, principal: MayRun, form: TheForm) -> Response:
    """End the asking, so that it can be decided."""
    product = app_context(request).product
    reason = text(form, "reason")
    cycle = product.cycles.get(cycle_id)
    if problem := unwritable(reason) or ("" if reason else gettext_noop("Say why asking ends.")):
        return open_decision(request, cycle, principal, problem=problem, typed={"stop": reason})
    return act(
        request,
        principal,
        f"/decide/{cycle_id}",
        Message("act_asking_ended"),
        lambda: product.cycles.stop(cycle_id, by=principal.name, reason=reason),
        form="stop",
        typed={"stop": reason},
        again=decision_again(request, cycle, principal),
    )


@router.post("/{cycle_id}/changes")
def show_changes(request: Request, cycle_id: str, principal: MayDecide, form: TheForm) -> Response:
    """Ask for the reasons of what was ticked; stores nothing."""
    app = app_context(request)
    cycle = _undecided(app, cycle_id)
    proposal = app.product.cohort.propose(cycle_id)
    reasons = {pin.application: pin.reason for pin in app.product.reports.pins(cycle_id)}
    words = app.product.meetings.agenda(cycle_id, proposal=proposal).words
    reasons |= {number: f"meeting: {said.reason}" for number, said in words.items() if said.reason}
    # Suggestions: nothing is stored before a person has confirmed each reason.
    changes, problem = _changes(proposal, dict(texts(form)), reasons)
    shown = text(form, "shown")
    moved_on = bool(shown) and not proposal.seal.agrees(shown)
    if moved_on:
        problem = _changed(proposal, shown)
    elif problem:
        return open_decision(request, cycle, principal, problem=problem)
    return _reasons(
        request,
        cycle,
        principal,
        TypedReasons(
            proposal=proposal,
            changes=changes,
            problem=problem,
            shown=shown,
            moved_on=moved_on,
        ),
    )


@router.post("/{cycle_id}/prepare")
def prepare(request: Request, cycle_id: str, principal: MayDecide, form: TheForm) -> Response:
    """Store the decision that is up for signature."""
    app = app_context(request)
    cycle = _undecided(app, cycle_id)
    proposal = app.product.cohort.propose(cycle_id)
    typed = dict(texts(form))
    waiver, shown = text(form, "waiver"), text(form, "shown")
    revision, stale = made_from(form), False
    # Before anything else: what is wrong with a list that they never saw helps nobody.
    moved_on = bool(shown) and not proposal.seal.agrees(shown)
    changes, problem = _changes(proposal, typed, {}, checked=not moved_on)
    if moved_on:
        problem = _changed(proposal, shown)
    waiver_problem = unwritable(waiver)
    if not waiver and any(place.floor_missing for place in proposal.places):
        waiver_problem = gettext_noop(
            "say why it is accepted that these lack a review they should have"
        )
    elif not waiver and not problem and _out_above_cut(proposal, changes):
        waiver_problem = gettext_noop(
            "say why these are out although the plain average of their marks is above the cut"
        )
    elif not waiver and proposal.drawn is not None and not proposal.drawn.complete:
        waiver_problem = Message("draw_reason_missing")
    if not problem and not waiver_problem and not any(change.problem for change in changes):
        try:
            app.product.cohort.prepare(
                cycle_id,
                by=principal.name,
                overrides=[change.override for change in changes],
                waiver=waiver,
                shown=shown,
                made_from=revision,
            )
        except StaleRevisionError as error:
            # Sent again, the form takes the place of what the message names.
            waiting = app.product.cohort.pending(cycle_id, proposal=proposal)
            revision = prepared_revision(waiting.prepared if waiting else None)
            problem, stale = error.message, True
        except ConflictError as error:
            problem, moved_on = error.message, True
            proposal = app.product.cohort.propose(cycle_id)
            changes, _ = _changes(proposal, typed, {})
        except InvalidInputError as error:
            problem = error.message
        else:
            app.office.audit_log.record(
                principal.name,
                "prepared the decision",
                cycle_id=cycle_id,
                detail=f"{len(changes)} changes to the proposed list",
            )
            tell(request, Message("act_decision_prepared"))
            return RedirectResponse(f"/decide/{cycle_id}#sign", 303)
    return _reasons(
        request,
        cycle,
        principal,
        TypedReasons(
            proposal=proposal,
            changes=changes,
            waiver=waiver,
            waiver_problem=waiver_problem,
            problem=problem,
            shown=shown,
            moved_on=moved_on,
            revision=revision,
            stale=stale,
        ),
    )


@router.post("/{cycle_id}/take-back")
def take_back(request: Request, cycle_id: str, principal: MayDecide, form: TheForm) -> Response:
    """Withdraw what was put up for signature."""
    shown = text(form, "digest")
    product = app_context(request).product
    return act(
        request,
        principal,
        f"/decide/{cycle_id}",
        Message("act_prepared_taken_back"),
        lambda: product.cohort.take_back(cycle_id, shown=shown),
        form="take-back",
        again=decision_again(request, product.cycles.get(cycle_id), principal),
    )


@router.post("/{cycle_id}/sign")
def sign(request: Request, cycle_id: str, principal: MaySign, form: TheForm) -> Response:
    """Sign what is prepared; the last signature carries it out."""
    product = app_context(request).product
    digest = text(form, "digest")
    return act(
        request,
        principal,
        f"/decide/{cycle_id}",
        lambda carried_out: Message("act_signed_last" if carried_out else "act_signed"),
        lambda: product.cohort.sign(cycle_id, digest, by=principal.name),
        form="sign",
        again=decision_again(request, product.cycles.get(cycle_id), principal),
    )


def _undecided(app: AppContext, cycle_id: str) -> Cycle:
    cycle = app.product.cycles.get(cycle_id)
    if cycle.status not in {CycleStatus.PROPOSED, CycleStatus.ENDED}:
        raise InvalidInputError("list_not_decidable", status=cycle.status)
    return cycle


def _changes(
    proposal: Proposal,
    typed: Mapping[str, str],
    reasons: Mapping[int, str],
    *,
    checked: bool = False,
) -> tuple[list[TypedChange], str]:
    """Read which places are changed, and what is wrong with the changes as a whole.

    Args:
        proposal: The list as it is proposed now.
        typed: `change.NUMBER` ("in" or "out"), `reason.NUMBER`, and `extra`: further ids.
        reasons: What to suggest as reasons, by application.
        checked: Whether reasons must be there.
    """
    wanted = {
        int(name.removeprefix("change.")): to
        for name, to in typed.items()
        if name.startswith("change.") and is_number(name[7:]) and to in {"in", "out"}
    }
    names = {place.external_id: place for place in proposal.places}
    for name in typed.get("extra", "").replace(";", ",").split(","):
        if name.strip():
            if name.strip() not in names:
                return [], Message("not_a_candidate_typed", name=name.strip()[:60])
            wanted[names[name.strip()].application] = "in"
    changes = []
    for place in proposal.places:
        to = wanted.get(place.application, "")
        # Ticked as it is proposed anyway, a place is not changed.
        if to and (to == "in") != (place.standing is Standing.COHORT):
            reason = typed.get(f"reason.{place.application}", "").strip()
            reason = reason or ("" if checked else reasons.get(place.application, ""))
            missing = "" if reason or not checked else gettext_noop("say why")
            changes.append(
                TypedChange(
                    place=place, to=to, reason=reason, problem=unwritable(reason) or missing
                )
            )
    # The places are as many as before, so each one in needs one out.
    moved = sum(1 if change.to == "in" else -1 for change in changes)
    if moved:
        code = "places_must_stay_out" if moved > 0 else "places_must_stay_in"
        return changes, Message(code, places=len(proposal.cohort), moved=abs(moved))
    return changes, ""


def _out_above_cut(proposal: Proposal, changes: list[TypedChange]) -> bool:
    """Whether an applicant above the cut by plain average stays out without another decision."""
    decided = {change.place.application for change in changes}
    return any(place.application not in decided for place in proposal.out_above_cut)


# Pages


def _reasons(
    request: Request, cycle: Cycle, principal: Principal, typed: TypedReasons
) -> Response:
    """Render the page of the reasons, with the list where it is not the one that was shown."""
    app, proposal = app_context(request), typed.proposal
    status = 422 if typed.wrong and request.url.path.endswith("/prepare") else 200
    return render(
        request,
        "cohort/reasons.html",
        {
            **about(app, cycle.id, principal, Right.SEE_APPLICANTS),
            "changes": typed.changes,
            "size": len(proposal.cohort),
            "below": [p for p in proposal.places if p.floor_missing],
            "above": proposal.out_above_cut,
            "drawn": proposal.drawn if proposal.drawn and not proposal.drawn.complete else None,
            "needed": needed_signatures(app.product.cycles.rules(cycle.id)),
            "waiver": typed.waiver,
            "waiver_problem": typed.waiver_problem,
            "problem": typed.problem,
            "revision": typed.revision,
            "now": proposal.places if typed.moved_on else (),
            "shown": typed.shown if typed.shown and not typed.moved_on else proposal.seal.digest,
        },
        status=409 if typed.moved_on or typed.stale else status,
    )


def _changed(proposal: Proposal, shown: str) -> Message:
    """Return in words what of the list is not what was shown."""
    return Message("changed_since_shown", changed=named(proposal.seal.differing(shown)))
