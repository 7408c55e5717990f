"""Calibration: how reviewers and kinds mark, and what adjusting for it changes in the list."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response

from swapflow.domain.cycle import CycleStatus
from swapflow.domain.rules import Estimates
from swapflow.engine.ports.records import ApplicantName
from swapflow.engine.read_models.calibration import Calibration, Judge
from swapflow.engine.read_models.estimate_comparison import ComparedCandidate
from swapflow.errors import InvalidInputError
from swapflow.i18n.languages import gettext
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal
from swapflow.messages import Message
from swapflow.web.http.context import AppContext, app_context
from swapflow.web.http.dependencies import may
from swapflow.web.http.nested_forms import TheForm, made_from, text
from swapflow.web.http.program_page import (
    NOTHING_REFUSED,
    Refused,
    about,
    act,
    log_figures,
    said_why,
)
from swapflow.web.http.rendering import render


router = APIRouter(prefix="/decide/{cycle_id}/calibration")

CHOSEN = {
    Estimates.RULE: "act_estimates_rule",
    Estimates.RAW: "act_estimates_raw",
    Estimates.ADJUSTED: "act_estimates_adjusted",
}
"""What the page after a choice tells."""

MaySee = Annotated[Principal, Depends(may(Right.SEE_APPLICANTS))]
MaySeeSeverity = Annotated[Principal, Depends(may(Right.SEE_SEVERITY))]
MayDecide = Annotated[Principal, Depends(may(Right.DECIDE))]

NEAR = 12
"""Places on either side of the cut that are shown."""

MOST_DRAWN = 60
"""Most applicants in the figure."""

LEFT, RIGHT, STEP = 150.0, 700.0, 20.0
"""Where the figure's scale begins and ends, and the height of a line, in its own units."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One applicant in the figure; `y`, `raw` and `adjusted` are places in it."""

    who: str
    y: float
    raw: float
    adjusted: float
    row: ComparedCandidate


@dataclass(frozen=True, slots=True, kw_only=True)
class EstimateFigure:
    """Raw and adjusted estimates around the cut, each applicant a line between two points.

    Attributes:
        marks: Places of the scale and their labels, in points of 100.
        raw_cut: Where the list by raw estimates is cut; adjusted_cut: by adjusted ones.
    """

    height: float
    lines: tuple[Line, ...]
    marks: tuple[tuple[float, int], ...]
    raw_cut: float | None
    adjusted_cut: float | None


@router.get("")
def show_calibration(
    request: Request,
    cycle_id: str,
    principal: MaySee,
    everybody: Annotated[bool, Query(alias="all")] = False,  # noqa: FBT002 - the query's name
) -> Response:
    """Show how reviewers and kinds mark, and whom adjusting would move; changes nothing."""
    return _page(request, cycle_id, principal, everybody=everybody)


@router.post("/severity")
def look_at_severity(request: Request, cycle_id: str, principal: MaySeeSeverity) -> Response:
    """Write down who looks, then show how severe each reviewer is as well."""
    log_figures(request, principal, cycle_id, "how severe")
    judges = app_context(request).product.reports.severities(cycle_id)
    return _page(request, cycle_id, principal, judges=judges)


@router.post("")
def ask_for_estimates(
    request: Request, cycle_id: str, principal: MayDecide, form: TheForm
) -> Response:
    """Choose other estimates to make the list by, or the rule's own again."""
    product = app_context(request).product
    typed = {field: text(form, field) for field in ("estimates", "reason")}
    typed["revision"] = made_from(form)

    def choose() -> None:
        product.cohort.choose_estimates(
            cycle_id,
            _estimates(typed["estimates"]),
            by=principal.name,
            reason=said_why(typed["reason"]),
            made_from=typed["revision"],
        )

    return act(
        request,
        principal,
        f"/decide/{cycle_id}/calibration",
        lambda _: Message(CHOSEN[Estimates(typed["estimates"])]),
        choose,
        form=typed["estimates"],
        typed=typed,
        again=lambda refused: _page(request, cycle_id, principal, refused=refused),
    )


def _estimates(word: str) -> Estimates:
    if word not in set(Estimates):
        raise InvalidInputError("estimates_not_chosen")
    return Estimates(word)


def _page(
    request: Request,
    cycle_id: str,
    principal: Principal,
    *,
    everybody: bool = False,
    judges: tuple[Judge, ...] = (),
    refused: Refused = NOTHING_REFUSED,
) -> Response:
    app = app_context(request)
    cycle, rules = app.product.cycles.get(cycle_id), app.product.cycles.rules(cycle_id)
    started = cycle.status is not CycleStatus.DRAFT
    seen = app.product.reports.told_calibration(cycle_id) if started else None
    people = {one.number: one for one in app.product.reports.named(cycle_id)} if seen else {}
    near = around_the_cut(seen) if seen else ()
    return render(
        request,
        "cycle/calibration.html",
        {
            "revision": str(rules.version),
            **about(app, cycle_id, principal, Right.SEE_APPLICANTS),
            "seen": seen,
            "terms": (terms := app.product.reports.figure_terms(cycle_id)),
            "severities": judges if terms.apart or seen is None else seen.measured.judges,
            "judges": reviewer_names(app, cycle_id, principal, seen) if seen else {},
            "people": people,
            "kinds": [kind.name for kind in rules.kinds],
            "figure": figure(seen, near, people) if seen and near else None,
            "near": seen.rows if seen and everybody else near,
            "hidden": len(seen.rows) - len(near) if seen and not everybody else 0,
            "fixed": cycle.status is CycleStatus.FINALIZED,
            "refused": refused,
        },
        status=refused.status,
    )


def around_the_cut(seen: Calibration) -> tuple[ComparedCandidate, ...]:
    """Return the applicants near the cut, and all whom other estimates would move."""
    size = sum(row.listed for row in seen.rows)
    moved = {
        row.application
        for other in seen.others
        for row in (*seen.comes_in(other), *seen.goes_out(other))
    }
    return tuple(
        row
        for row in seen.rows
        if size - NEAR < row.rank <= size + NEAR or row.application in moved
    )


def figure(
    seen: Calibration, rows: tuple[ComparedCandidate, ...], people: Mapping[int, ApplicantName]
) -> EstimateFigure:
    """Lay out the figure of these applicants."""
    rows = rows[:MOST_DRAWN]
    cuts = [seen.cut(one) for one in (Estimates.RAW, Estimates.ADJUSTED)]
    values = [v for row in rows for v in (row.raw, row.adjusted)]
    # The scale begins and ends at multiples of five points.
    low = 5 * int(min(values) * 20)
    high = max(low + 5, 5 * -int(-max(values) * 20 // 1))

    def at(value: float) -> float:
        return LEFT + (RIGHT - LEFT) * (100 * value - low) / (high - low)

    def kept(cut: float | None) -> float | None:
        return None if cut is None or not low <= 100 * cut <= high else at(cut)

    return EstimateFigure(
        height=STEP * (len(rows) + 3),
        lines=tuple(
            Line(
                who=_who(people.get(row.application)),
                y=STEP * (place + 1.5),
                raw=at(row.raw),
                adjusted=at(row.adjusted),
                row=row,
            )
            for place, row in enumerate(rows)
        ),
        marks=tuple((at(mark / 100), mark) for mark in range(low, high + 1, 5)),
        raw_cut=kept(cuts[0]),
        adjusted_cut=kept(cuts[1]),
    )


def reviewer_names(
    app: AppContext, cycle_id: str, principal: Principal, seen: Calibration
) -> dict[int, str]:
    """Call reviewers by name, or by a number to those who may not know who they are."""
    cycle = app.product.cycles.get(cycle_id)
    rights = principal.rights(cycle_id=cycle.id, round_id=cycle.round_id)
    if Right.SEE_REVIEWERS in rights:
        return {
            one.number: one.name or one.external_id or gettext("erased")
            for one in app.product.reviewers.list(cycle_id)
        }
    if app.product.reports.figure_terms(cycle_id).apart:
        # As in the table of severities, which may stand on the same page.
        numbers = {number for group in (*seen.groups, *seen.apart) for number in group}
        return {n: _numbered(cycle.reviewer_number(n)) for n in numbers}
    # Numbered anew for this page: the cycle's own number would lead to the person elsewhere.
    order = [one.reviewer for one in seen.measured.judges]
    order += [number for group in (*seen.groups, *seen.apart) for number in group]
    return {number: _numbered(turn) for turn, number in enumerate(dict.fromkeys(order), start=1)}


def _numbered(number: int) -> str:
    return gettext("reviewer %(number)s") % {"number": number}


def _who(known: ApplicantName | None) -> str:
    return (known.external_id if known else "") or gettext("erased")
