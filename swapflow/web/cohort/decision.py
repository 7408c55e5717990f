"""Deciding: the proposed list, changes with their reasons, signatures, the result."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import RedirectResponse, Response

from swapflow.bootstrap import monitoring_beside
from swapflow.domain.cohort.proposal import (
    MethodSheet,
    Outcome,
    Place,
    Proposal,
    Standing,
    Verdict,
)
from swapflow.domain.cycle import Cycle, CycleStatus
from swapflow.engine.cohort.finalize import Override
from swapflow.engine.cohort.signing import REOPENING, Pending, needed_signatures
from swapflow.errors import InvalidInputError, NotFoundError
from swapflow.files.exports.method_sheet import method_told
from swapflow.i18n.languages import gettext, later
from swapflow.i18n.told import told
from swapflow.identity.permissions import Right
from swapflow.identity.services import Visitor
from swapflow.web.http.context import Parts, parts_of
from swapflow.web.http.dependencies import may, may_anywhere
from swapflow.web.http.nested_forms import TheForm, text, texts, unwritable
from swapflow.web.http.program_page import Again, Refused, act, visible
from swapflow.web.http.rendering import render
from swapflow.web.setup.programs import about


router = APIRouter(prefix="/decide")

WAITLIST_SHOWN = 100

MaySee = Annotated[Visitor, Depends(may(Right.SEE_APPLICANTS))]
MayDecide = Annotated[Visitor, Depends(may(Right.DECIDE))]
MaySign = Annotated[Visitor, Depends(may(Right.SIGN))]
MayRun = Annotated[Visitor, Depends(may(Right.RUN))]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
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


@router.get("")
def choose_program(
    request: Request, visitor: Annotated[Visitor, Depends(may_anywhere(Right.SEE_APPLICANTS))]
) -> Response:
    """Lead to the one program, or let one be chosen."""
    cycles = visible(parts_of(request), visitor, Right.SEE_APPLICANTS)
    if len(cycles) == 1:
        return RedirectResponse(f"/decide/{cycles[0].id}", status_code=303)
    return render(request, "cohort/programs.html", {"cycles": cycles})


@router.get("/{cycle_id}")
def show_decision(
    request: Request,
    cycle_id: str,
    visitor: MaySee,
    version: int = 0,
    everybody: Annotated[bool, Query(alias="all")] = False,  # noqa: FBT002 - the query's name
) -> Response:
    """Show what is to be decided, or what was."""
    cycle = parts_of(request).product.cycle(cycle_id)
    if version or cycle.status is CycleStatus.FINALIZED:
        return _result(request, cycle, visitor, version or cycle.cohort_version)
    return _open(request, cycle, visitor, everybody=everybody)


@router.post("/{cycle_id}/stop")
def stop(request: Request, cycle_id: str, visitor: MayRun, form: TheForm) -> Response:
    """End the asking, so that it can be decided."""
    product = parts_of(request).product
    reason = text(form, "reason")
    cycle = product.cycle(cycle_id)
    if problem := unwritable(reason) or ("" if reason else later("Say why asking ends.")):
        return _open(request, cycle, visitor, problem=problem, typed={"stop": reason})
    return act(
        request,
        visitor,
        f"/decide/{cycle_id}",
        "ended asking",
        lambda: product.stop(cycle_id, by=visitor.name, reason=reason),
        form="stop",
        typed={"stop": reason},
        again=_again(request, cycle, visitor),
    )


@router.post("/{cycle_id}/changes")
def show_changes(request: Request, cycle_id: str, visitor: MayDecide, form: TheForm) -> Response:
    """Ask for the reasons of what was ticked; stores nothing."""
    parts = parts_of(request)
    cycle = _undecided(parts, cycle_id)
    proposal = parts.product.propose(cycle_id)
    reasons = {pin.application: pin.reason for pin in parts.product.pins(cycle_id)}
    words = parts.product.agenda(cycle_id, proposal=proposal).words
    reasons |= {number: f"meeting: {said.reason}" for number, said in words.items() if said.reason}
    changes, problem = _changes(proposal, dict(texts(form)), reasons)
    if problem:
        return _open(request, cycle, visitor, problem=problem)
    return _reasons(request, cycle, visitor, proposal, changes)


@router.post("/{cycle_id}/prepare")
def prepare(request: Request, cycle_id: str, visitor: MayDecide, form: TheForm) -> Response:
    """Put the decision up for signature."""
    parts = parts_of(request)
    cycle = _undecided(parts, cycle_id)
    proposal = parts.product.propose(cycle_id)
    typed = dict(texts(form))
    changes, problem = _changes(proposal, typed, {}, checked=True)
    waiver = text(form, "waiver")
    waiver_problem = unwritable(waiver)
    if not waiver and any(place.floor_missing for place in proposal.places):
        waiver_problem = later("say why it is accepted that these lack a review they should have")
    if not problem and not waiver_problem and not any(change.problem for change in changes):
        try:
            parts.product.prepare_decision(
                cycle_id,
                by=visitor.name,
                overrides=[change.override for change in changes],
                waiver=waiver,
            )
        except InvalidInputError as error:
            problem = str(error)
        else:
            parts.office.record(
                visitor.name,
                "prepared the decision",
                cycle_id=cycle_id,
                detail=f"{len(changes)} changes to the proposed list",
            )
            return RedirectResponse(f"/decide/{cycle_id}#sign", 303)
    return _reasons(
        request,
        cycle,
        visitor,
        proposal,
        changes,
        waiver=waiver,
        waiver_problem=waiver_problem,
        problem=problem,
    )


@router.post("/{cycle_id}/take-back")
def take_back(request: Request, cycle_id: str, visitor: MayDecide) -> Response:
    """Take back what was put up for signature."""
    product = parts_of(request).product
    return act(
        request,
        visitor,
        f"/decide/{cycle_id}",
        "took back what was prepared",
        lambda: product.take_back(cycle_id),
        form="take-back",
        again=_again(request, product.cycle(cycle_id), visitor),
    )


@router.post("/{cycle_id}/sign")
def sign(request: Request, cycle_id: str, visitor: MaySign, form: TheForm) -> Response:
    """Sign what is prepared; the last signature carries it out."""
    product = parts_of(request).product
    digest = text(form, "digest")
    return act(
        request,
        visitor,
        f"/decide/{cycle_id}",
        "signed what was prepared",
        lambda: product.sign(cycle_id, digest, by=visitor.name),
        form="sign",
        again=_again(request, product.cycle(cycle_id), visitor),
    )


@router.post("/{cycle_id}/reopen")
def reopen(request: Request, cycle_id: str, visitor: MaySign, form: TheForm) -> Response:
    """Ask that a fixed list be reopened; another person must agree."""
    product = parts_of(request).product
    reason = text(form, "reason")
    cycle = product.cycle(cycle_id)
    if problem := unwritable(reason) or ("" if reason else later("Say why it is to be reopened.")):
        if cycle.status is not CycleStatus.FINALIZED:
            raise InvalidInputError(problem)
        typed = {"reopen": reason}
        return _result(request, cycle, visitor, cycle.cohort_version, problem=problem, typed=typed)
    return act(
        request,
        visitor,
        f"/decide/{cycle_id}",
        "asked to reopen the list",
        lambda: product.prepare_reopening(cycle_id, by=visitor.name, reason=reason),
        form="reopen",
        typed={"reopen": reason},
        again=_again(request, cycle, visitor),
    )


def _again(request: Request, cycle: Cycle, visitor: Visitor) -> Again:
    """Show the page as it stands, above it what was refused."""

    def show(refused: Refused) -> Response:
        problem, typed = refused.message, refused.values
        if cycle.status is CycleStatus.FINALIZED:
            version = cycle.cohort_version
            shown = _result(request, cycle, visitor, version, problem=problem, typed=typed)
        else:
            shown = _open(request, cycle, visitor, problem=problem, typed=typed)
        shown.status_code = refused.status
        return shown

    return show


def _undecided(parts: Parts, cycle_id: str) -> Cycle:
    cycle = parts.product.cycle(cycle_id)
    if cycle.status not in {CycleStatus.PROPOSED, CycleStatus.ENDED}:
        raise InvalidInputError(
            f"the program is {cycle.status.value}; a list can be decided once asking has ended"
        )
    return cycle


def _changes(
    proposal: Proposal,
    typed: Mapping[str, str],
    reasons: Mapping[int, str],
    *,
    checked: bool = False,
) -> tuple[list[Change], str]:
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
        if name.startswith("change.") and name[7:].isdecimal() and to in {"in", "out"}
    }
    names = {place.external_id: place for place in proposal.places}
    for name in typed.get("extra", "").replace(";", ",").split(","):
        if name.strip():
            if name.strip() not in names:
                return [], later(f"{name.strip()[:60]!r} is no applicant who can be on the list")
            wanted[names[name.strip()].application] = "in"
    changes = []
    for place in proposal.places:
        to = wanted.get(place.application, "")
        if to and (to == "in") != (place.standing is Standing.COHORT):
            reason = typed.get(f"reason.{place.application}", "").strip()
            reason = reason or ("" if checked else reasons.get(place.application, ""))
            missing = "" if reason or not checked else later("say why")
            changes.append(
                Change(place=place, to=to, reason=reason, problem=unwritable(reason) or missing)
            )
    moved = sum(1 if change.to == "in" else -1 for change in changes)
    if moved:
        return changes, later(
            f"The number of places must stay {len(proposal.cohort)}: "
            f"{'leave out' if moved > 0 else 'put in'} {abs(moved)} more."
        )
    return changes, ""


# Pages


def _open(
    request: Request,
    cycle: Cycle,
    visitor: Visitor,
    *,
    everybody: bool = False,
    problem: str = "",
    typed: Mapping[str, str] | None = None,
) -> Response:
    parts = parts_of(request)
    product = parts.product
    proposal = None if cycle.status is CycleStatus.DRAFT else product.propose(cycle.id)
    pending = product.pending(cycle.id, proposal=proposal) if proposal else None
    places = proposal.places if proposal else ()
    waiting = [p for p in places if p.standing is Standing.WAITLIST]
    ready = cycle.status in {CycleStatus.PROPOSED, CycleStatus.ENDED}
    progress = product.progress(cycle.id)
    return render(
        request,
        "cohort/decision.html",
        {
            **about(parts, cycle.id, visitor, Right.SEE_APPLICANTS),
            "proposal": proposal,
            "promise": promise(proposal.sheet) if proposal else (),
            "cohort": [p for p in places if p.standing is Standing.COHORT],
            "waitlist": waiting if everybody else waiting[:WAITLIST_SHOWN],
            "hidden": 0 if everybody else max(0, len(waiting) - WAITLIST_SHOWN),
            "pins": {pin.application: pin.verdict for pin in product.pins(cycle.id)},
            "agenda": product.agenda(cycle.id, proposal=proposal) if proposal else None,
            "below": [p for p in places if p.floor_missing],
            "tied": [p for p in places if p.tied],
            "close": sum(p.contested for p in places),
            "near": [p.external_id for p in places if p.application in proposal.near][:12]
            if proposal
            else [],
            "rubric_changes": product.rubric_changes(cycle.id),
            # That groups are recorded, never what they say: no name of one leaves this line.
            "monitored": bool(monitoring_beside(product).attributes(cycle.id)),
            "gone": [
                a for a in product.named(cycle.id) if a.status.value in {"withdrawn", "ineligible"}
            ],
            "open_requests": sum(kind.out for kind in progress.kinds),
            "waiting_requests": sum(kind.proposed for kind in progress.kinds),
            "ready": ready,
            "pending": pending,
            "needed": needed_signatures(product.rules(cycle.id)),
            "me": visitor.name,
            "versions": [version for version, _, _ in product.proposals(cycle.id)],
            "problem": problem,
            "typed": dict(typed or {}),
        },
        status=422 if problem else 200,
    )


def _reasons(
    request: Request,
    cycle: Cycle,
    visitor: Visitor,
    proposal: Proposal,
    changes: list[Change],
    *,
    waiver: str = "",
    waiver_problem: str = "",
    problem: str = "",
) -> Response:
    parts = parts_of(request)
    wrong = bool(problem or waiver_problem) or any(change.problem for change in changes)
    return render(
        request,
        "cohort/reasons.html",
        {
            **about(parts, cycle.id, visitor, Right.SEE_APPLICANTS),
            "changes": changes,
            "size": len(proposal.cohort),
            "below": [p for p in proposal.places if p.floor_missing],
            "needed": needed_signatures(parts.product.rules(cycle.id)),
            "waiver": waiver,
            "waiver_problem": waiver_problem,
            "problem": problem,
        },
        status=422 if wrong and request.url.path.endswith("/prepare") else 200,
    )


def _result(
    request: Request,
    cycle: Cycle,
    visitor: Visitor,
    version: int,
    *,
    problem: str = "",
    typed: Mapping[str, str] | None = None,
) -> Response:
    parts = parts_of(request)
    product = parts.product
    proposal = stored(parts, cycle.id, version)
    outcomes = product.outcomes(cycle.id, version)
    decided: dict[int, Outcome] = {outcome.application: outcome for outcome in outcomes}
    latest = version == cycle.cohort_version
    return render(
        request,
        "cohort/result.html",
        {
            **about(parts, cycle.id, visitor, Right.SEE_APPLICANTS),
            "version": version,
            "versions": [number for number, _, _ in product.proposals(cycle.id)],
            "latest": latest,
            "sheet": proposal.sheet,
            "promise": promise(proposal.sheet),
            "method": method_told(proposal.sheet),
            "selected": _decided(proposal, decided, Verdict.SELECTED),
            "waitlist": _decided(proposal, decided, Verdict.WAITLISTED),
            "signed": product.signatures(cycle.id, version),
            "pending": _reopening(parts, cycle) if latest else None,
            "me": visitor.name,
            "problem": problem,
            "typed": dict(typed or {}),
        },
        status=422 if problem else 200,
    )


def _reopening(parts: Parts, cycle: Cycle) -> Pending | None:
    """Read what waits to be reopened; a reconsideration has a page of its own."""
    fixed = cycle.status is CycleStatus.FINALIZED
    pending = parts.product.pending(cycle.id) if fixed else None
    return pending if pending and pending.prepared.what == REOPENING else None


def _decided(
    proposal: Proposal, decided: Mapping[int, Outcome], verdict: Verdict
) -> list[tuple[Place, Outcome]]:
    return [
        (place, decided[place.application])
        for place in proposal.places
        if place.application in decided and decided[place.application].verdict is verdict
    ]


def stored(parts: Parts, cycle_id: str, version: int) -> Proposal:
    """Read a stored proposal.

    Raises:
        NotFoundError: If there is no such version.
    """
    for number, places, sheet in parts.product.proposals(cycle_id):
        if number == version:
            return Proposal(cycle_id=cycle_id, version=version, places=places, sheet=sheet)
    raise NotFoundError(f"there is no version {version} of this list")


def promise(sheet: MethodSheet) -> tuple[str, ...]:
    """Say what is promised of a list, and what is not, in sentences of the method sheet."""
    if not math.isfinite(sheet.certified_loss):
        return (
            gettext("How much the list could still gain by further reviews is not known."),
            gettext("This is about marks, not merit."),
        )
    rest = sheet.promises.replace("The rule `budget`", "The rule in force")
    return tuple(told(one) for one in (sheet.certificate, rest) if one)
