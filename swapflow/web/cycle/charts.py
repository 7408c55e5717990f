"""The numbers behind the charts of Today: for the script, as tables, and to be downloaded."""

import csv
import io
from datetime import datetime
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Depends, Query
from fastapi.responses import Response

from swapflow.domain.cycle import Cycle
from swapflow.domain.reviewing.assignment import Assignment
from swapflow.domain.rules import Rules
from swapflow.engine.ports.records import ApplicantName, DecisionStep
from swapflow.engine.read_models.dashboard import Dashboard
from swapflow.errors import NotFoundError
from swapflow.i18n.languages import gettext
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal
from swapflow.web.http.context import Product
from swapflow.web.http.dependencies import may


router = APIRouter(prefix="/today")

MayWatch = Annotated[Principal, Depends(may(Right.SEE_PROGRESS))]
Row = dict[str, Any]

BELOW_THE_LINE = 3
"""The chart of applicants shows ranks 1 to this many times the places."""

MOST_SHOWN = 600
"""Most applicants in the chart."""

MOST_REVIEWERS = 40
"""Most reviewers in the chart of their load: those with most to do."""

MOST_LATE = 12
"""Most overdue requests whose applicants are named."""

HEADS = {
    "intervals": ("rank", "score", "margin", "standing", "waiting"),
    "decisions": ("number", "at", "too_close", "could_gain", "could_change", "lacks"),
    "budget": ("at", "spent", "asked_for", "left"),
    "load": ("reviewer", "overdue", "open", "done"),
}
"""The charts, and the columns of each one's table."""


@router.get("/{cycle_id}/data")
def chart_data(principal: MayWatch, product: Product, cycle_id: str) -> Row:
    """Return the numbers behind the charts; reviewers' names only to those who may see them."""
    cycle, rules = product.cycles.get(cycle_id), product.cycles.rules(cycle_id)
    dashboard, _ = product.reports.dashboard(cycle_id)
    steps = product.reports.steps(cycle_id)
    return {
        "seq": dashboard.position.seq,
        "places": dashboard.places,
        "applicants": intervals(dashboard),
        "decisions": decisions(steps),
        "budget": budget(steps, cycle, rules, product.cycles.now()),
        "load": load(product, principal, cycle, dashboard),
    }


@router.get("/{cycle_id}/data.csv")
def chart_csv(
    principal: MayWatch,
    product: Product,
    cycle_id: str,
    chart: Annotated[str, Query(max_length=20)] = "intervals",
) -> Response:
    """Return the numbers behind one chart as a table; no applicant's name."""
    if chart not in HEADS:
        raise NotFoundError("chart_unknown")
    cycle, rules = product.cycles.get(cycle_id), product.cycles.rules(cycle_id)
    match chart:
        case "intervals":
            rows = intervals(product.reports.dashboard(cycle_id)[0])
        case "decisions":
            rows = decisions(product.reports.steps(cycle_id))
        case "budget":
            rows = budget(product.reports.steps(cycle_id), cycle, rules, product.cycles.now())
        case _:
            rows = load(product, principal, cycle, product.reports.dashboard(cycle_id)[0])
    out = io.StringIO()
    writer = csv.DictWriter(out, HEADS[chart], extrasaction="ignore")
    writer.writeheader()
    writer.writerows({name: _guarded(value) for name, value in row.items()} for row in rows)
    name = f'attachment; filename="{cycle_id}-{chart}.csv"'
    return Response(out.getvalue(), media_type="text/csv", headers={"Content-Disposition": name})


def intervals(dashboard: Dashboard) -> list[Row]:
    """Return the applicants around the cut line: rank, score, margin and standing, by rank."""
    most = min(dashboard.application.size, max(20, BELOW_THE_LINE * dashboard.places), MOST_SHOWN)
    rows = []
    for i in range(most):
        if np.isnan(dashboard.estimate[i]):
            continue
        standing = (
            "too close" if dashboard.too_close[i] else "in" if dashboard.in_list[i] else "out"
        )
        margin = float(min(dashboard.margin[i], 1.0))
        rows.append(
            {
                "rank": i + 1,
                "score": round(float(dashboard.estimate[i]), 4),
                "margin": round(margin, 4),
                "standing": standing,
                "waiting": bool(dashboard.pending[i] > 0),
            }
        )
    return rows


def decisions(steps: tuple[DecisionStep, ...]) -> list[Row]:
    """Return the decisions since the first marks in numbers, oldest first."""
    return [
        {
            "number": step.number,
            "at": step.at,
            "too_close": step.too_close,
            "could_gain": round(step.look["certified_loss"], 4),
            "could_change": _rounded(step.look.get("could_change")),
            "lacks": _a_place(step),
        }
        for step in steps
        if "certified_loss" in step.look
    ]


def _a_place(step: DecisionStep) -> float | None:
    """Return what the list lacked by the model, in full scores a place; None where not known."""
    belong, change = step.look.get("belong"), step.look.get("could_change")
    if belong is None or change is None:
        return None
    return _rounded(step.look["expected_loss"] / max(belong + change, 1))


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def budget(
    steps: tuple[DecisionStep, ...], cycle: Cycle, rules: Rules, now: datetime
) -> list[Row]:
    """Return what was spent, asked for and left at every decision and now, oldest first.

    What is left is always counted from the budget in force now.
    """
    told = [
        (step.at, int(step.look["spent"]), int(step.look["committed"]))
        for step in steps
        if "spent" in step.look
    ]
    return [
        {
            "at": at,
            "spent": spent,
            "asked_for": asked_for,
            "left": rules.budget - spent - asked_for,
        }
        for at, spent, asked_for in (*told, (now, cycle.spent, cycle.committed))
    ]


def load(product: Product, principal: Principal, cycle: Cycle, dashboard: Dashboard) -> list[Row]:
    """Return what waits for each reviewer and what they have done, most to do first."""
    rights = principal.rights(cycle_id=cycle.id, round_id=cycle.round_id)
    # Read before the roster: a reviewer who joins in between has nothing waiting yet.
    waiting = product.reports.waiting(cycle.id)
    people = {r.number: r for r in product.reviewers.list(cycle.id)}
    count, late = dict.fromkeys(people, 0), dict.fromkeys(people, 0)
    for one in waiting:
        count[one.reviewer] += one.count
        late[one.reviewer] += one.overdue
    done = dict(enumerate(dashboard.done.tolist()))
    busiest = sorted(
        (n for n, who in people.items() if who.active or count[n] or done.get(n)),
        key=lambda n: (-count[n], -done.get(n, 0), n),
    )
    names = {n: who.name or who.external_id for n, who in people.items()}
    # Who is late is a figure about a reviewer: where those are kept apart, all that waits is open.
    apart = product.cycles.rules(cycle.id).keeps_figures_apart
    shown = names if Right.SEE_REVIEWERS in rights else {}
    return [
        {
            # The place in the chart and not the number, which would tell who it is.
            "reviewer": shown.get(number, f"reviewer {turn}"),
            "overdue": None if apart else late[number],
            "open": count[number] if apart else count[number] - late[number],
            "done": done.get(number, 0),
        }
        for turn, number in enumerate(busiest[:MOST_REVIEWERS], start=1)
    ]


def late_requests(
    product: Product, cycle: Cycle, rules: Rules, *, named: bool
) -> list[tuple[Assignment, str, ApplicantName | None]]:
    """Return each overdue request with its applicant, where lateness is no reviewer's figure."""
    if not rules.keeps_figures_apart:
        return []
    late = product.reports.overdue(cycle.id)
    wanted = {one.application for one in late[:MOST_LATE]} if named else set()
    names = {n.number: n for n in product.reports.named(cycle.id, wanted)} if wanted else {}
    return [(one, rules.kinds[one.kind].name, names.get(one.application)) for one in late]


def _guarded(value: object) -> object:
    """Format moments, and keep spreadsheets from reading a name as a formula."""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t")):
        return f"'{value}"
    return value


def chart_words() -> dict[str, str]:
    """Return the words of the chart that the page's script draws."""
    return {
        "cutLine": gettext("cut line"),
        "rank": gettext("rank"),
        "score": gettext("score of 100"),
        "in": gettext("in"),
        "tooClose": gettext("too close"),
        "out": gettext("out"),
        "margin": gettext("margin"),
    }
