"""The questions before a launch: what most of a round depends on, and its forecast."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from fastapi.responses import RedirectResponse, Response

from swapflow.domain.cycle import Cycle
from swapflow.domain.rules import KindRules, Rules
from swapflow.errors import StaleRevisionError
from swapflow.i18n.formatting import cost_words, counted, day, decimal
from swapflow.i18n.languages import gettext
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal
from swapflow.messages import Message
from swapflow.web.http.acts.told import tell
from swapflow.web.http.context import AppContext, app_context
from swapflow.web.http.dependencies import may
from swapflow.web.http.nested_forms import FormView, TheForm, made_from, nested, text, texts
from swapflow.web.http.program_page import about
from swapflow.web.http.rendering import render
from swapflow.web.setup.forecast import (
    LaunchForecast,
    LaunchForecasts,
    promised_to_everyone,
)
from swapflow.web.setup.forecast_curve import Curve, curve
from swapflow.web.setup.question_form import (
    MINUTES,
    MOST_CLOSE,
    MOST_EVERYONE,
    Interviews,
    interview_of,
    read_questions,
    shown_questions,
)
from swapflow.web.setup.rules import changed_lines, put_in_force, unit_of


router = APIRouter(prefix="/setup/{cycle_id}/questions")

MaySetUp = Annotated[Principal, Depends(may(Right.SET_UP))]

_forecasts = LaunchForecasts()

HOUR = 60
"""One hour in minutes; rounds with another unit count one of that instead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForecastView:
    """A forecast as the page shows it.

    Attributes:
        state: "known", "calculating", "missing" while there is nobody to simulate, "wrong" while
            a field cannot be read, or "short" where the budget does not pay what everyone gets.
        parts: Where the budget goes: class of its colour, share of the bar, words.
    """

    state: str
    found: LaunchForecast | None = None
    curve: Curve | None = None
    finish: str = ""
    deadline: str = ""
    late: bool = False
    each: str = ""
    parts: tuple[tuple[str, float, str], ...] = ()


@router.get("")
def show_questions(request: Request, cycle_id: str, principal: MaySetUp) -> Response:
    """Show the five questions with the answers of the rules in force."""
    app = app_context(request)
    rules = app.product.cycles.rules(cycle_id)
    unit = unit_of(app, app.product.cycles.get(cycle_id))
    form = FormView(shown_questions(rules, unit=unit))
    return _page(request, cycle_id, principal, form, rules)


@router.post("")
def save_questions(
    request: Request, cycle_id: str, principal: MaySetUp, form: TheForm
) -> Response:
    """Store the answers in the rules; go on to the launch, or stay."""
    app = app_context(request)
    view, new = _read(app, cycle_id, form)
    old = app.product.cycles.rules(cycle_id)
    if app.product.cycles.get(cycle_id).is_launched:
        view.note("", Message("questions_after_launch"))
    if view.problems:
        return _page(request, cycle_id, principal, view, new, status=422)
    try:
        version = put_in_force(app, cycle_id, principal, old, new, "set-up", view)
    except StaleRevisionError as error:
        view.note("", error.message)
        # What was typed comes back, to be stored over what is there once a person saw both.
        stored = app.product.cycles.rules(cycle_id)
        view.values = {**view.values, "revision": str(stored.version)}
        return _page(
            request, cycle_id, principal, view, new, changes=changed_lines(stored, new), status=409
        )
    if not version:
        return _page(request, cycle_id, principal, view, new, status=422)
    if version != old.version:
        tell(request, Message("act_questions_stored", version=version))
    where = "launch" if text(form, "do") == "next" else "questions"
    return RedirectResponse(f"/setup/{cycle_id}/{where}", 303)


@router.post("/forecast")
def show_forecast(request: Request, cycle_id: str, principal: MaySetUp, form: TheForm) -> Response:
    """Show the forecast of answers that are not stored: the part alone for a script."""
    view, new = _read(app_context(request), cycle_id, form)
    if request.headers.get("X-Part") != "forecast":
        return _page(request, cycle_id, principal, view, new, status=422 if view.problems else 200)
    seen = _about(request, cycle_id, new, wrong=bool(view.problems))
    return render(request, "setup/_forecast.html", {**seen, "form": view})


def _read(app: AppContext, cycle_id: str, form: TheForm) -> tuple[FormView, Rules]:
    view = FormView({**nested(texts(form)), "revision": made_from(form)})
    old = app.product.cycles.rules(cycle_id)
    unit = unit_of(app, app.product.cycles.get(cycle_id))
    return view, read_questions(view.values, old, view, unit=unit)


def _page(
    request: Request,
    cycle_id: str,
    principal: Principal,
    form: FormView,
    rules: Rules,
    *,
    changes: Sequence[str] = (),
    status: int = 200,
) -> Response:
    app = app_context(request)
    in_force = app.product.cycles.rules(cycle_id)
    return render(
        request,
        "setup/questions.html",
        {
            **about(app, cycle_id, principal),
            **_about(request, cycle_id, rules, wrong=bool(form.problems)),
            "form": form,
            "revision": form.value("revision") or str(in_force.version),
            "lines": [line.name for line in in_force.lines],
            "everyone_options": range(1, MOST_EVERYONE + 1),
            "close_options": (0, *range(2, MOST_CLOSE + 1)),
            "zone": in_force.zone,
            "changes": changes,
            "launched": app.product.cycles.get(cycle_id).is_launched,
        },
        status=status,
    )


def _about(request: Request, cycle_id: str, rules: Rules, *, wrong: bool) -> dict[str, Any]:
    """Return what page and forecast say about a program under these rules."""
    app = app_context(request)
    cycle = app.product.cycles.get(cycle_id)
    unit = unit_of(app, cycle)
    applicants = sum(a.status.is_candidate for a in app.product.applicants.list(cycle_id))
    roster = [r for r in app.product.reviewers.list(cycle_id) if r.active]
    hour = HOUR if unit == MINUTES else 1
    promised = promised_to_everyone(rules, applicants)
    if wrong or applicants <= rules.cohort_size or not roster:
        found, state = None, "wrong" if wrong else "missing"
    elif promised > rules.budget * (1 - rules.reserve):
        found, state = None, "short"
    else:
        found = _forecasts.of(rules, applicants=applicants, roster=roster, hour=hour)
        state = "calculating" if found is None else "known"
    interview = interview_of(rules)
    return {
        "cycle": cycle,
        "rules": rules,
        "unit": unit,
        "in_hours": unit == MINUTES,
        "applicants": applicants,
        "reviewers": len(roster),
        # A number that stands in for one that cannot be read says nothing.
        "each": cost_words(rules.budget / len(roster), unit) if roster and not wrong else "",
        "buys": "" if found is None else _gain(found),
        "first": rules.kinds[0],
        "promised": cost_words(promised, unit),
        "interview": interview,
        "interview_choices": _choices(rules, interview, applicants, unit),
        "forecast": _view(app, cycle, rules, found, state=state, hour=hour, people=len(roster)),
    }


def _gain(found: LaunchForecast) -> str:
    """Return the points that one more hour each buys; empty where it buys none that show."""
    gain = round(100 * (found.one_more.mean - found.shares.own.mean), 1)
    return decimal(gain) if gain > 0 else ""


def _choices(
    rules: Rules, interview: KindRules | None, applicants: int, unit: str
) -> list[tuple[str, str, str]]:
    """Return the answers to question four: value, name, and what it costs."""
    if interview is None:
        return []
    everyone = counted(
        applicants,
        "%(count)s interview, %(cost)s",
        "%(count)s interviews, %(cost)s",
        cost=cost_words(applicants * interview.cost, unit),
    )
    chosen = counted(
        rules.cohort_size,
        "at least %(count)s interview, %(cost)s",
        "at least %(count)s interviews, %(cost)s",
        cost=cost_words(rules.cohort_size * interview.cost, unit),
    )
    return [
        (Interviews.NOBODY.value, gettext("No one"), gettext("Reviews decide")),
        (
            Interviews.NEAR.value,
            gettext("Applicants near the cut"),
            gettext("Where it changes most"),
        ),
        (Interviews.CHOSEN.value, gettext("Everyone proposed for a place"), chosen),
        (Interviews.EVERYONE.value, gettext("Everyone"), everyone),
    ]


def _view(
    app: AppContext,
    cycle: Cycle,
    rules: Rules,
    found: LaunchForecast | None,
    *,
    state: str,
    hour: int,
    people: int,
) -> ForecastView:
    if found is None:
        return ForecastView(state=state)
    now = app.product.cycles.now()
    finish = found.finish(now)
    unit = unit_of(app, cycle)
    return ForecastView(
        state=state,
        found=found,
        curve=curve(found.shares.own, found.shares.levels, each=float(hour * people)),
        finish=day(finish, rules.zone),
        deadline="" if rules.deadline is None else _before(finish, rules),
        late=rules.deadline is not None and finish > rules.deadline,
        each=_each(found, rules),
        parts=_parts(found, rules, unit),
    )


def _before(finish: datetime, rules: Rules) -> str:
    assert rules.deadline is not None
    days = (rules.deadline - finish).days
    if days < 0:
        return counted(
            -days, "%(count)s day after the deadline", "%(count)s days after the deadline"
        )
    return counted(days, "%(count)s day before the deadline", "%(count)s days before the deadline")


def _each(found: LaunchForecast, rules: Rules) -> str:
    reviews = counted(round(found.first_each), "%(count)s review", "%(count)s reviews")
    interview = interview_of(rules)
    if interview is None or found.others_each < 0.05:  # noqa: PLR2004 - rounds to none
        return reviews
    each = round(found.others_each)
    if each == 0:
        return gettext("%(reviews)s, hardly any interview") % {"reviews": reviews}
    others = counted(each, "%(count)s interview", "%(count)s interviews")
    return gettext("%(reviews)s, %(others)s") % {"reviews": reviews, "others": others}


def _parts(found: LaunchForecast, rules: Rules, unit: str) -> tuple[tuple[str, float, str], ...]:
    spending = found.shares.spent
    named = (
        ("everyone", spending.everyone, gettext("everyone")),
        ("close", spending.close, gettext("more for those too close to call")),
        ("drawn", spending.drawn, gettext("a drawn check of those out")),
        ("further", spending.further, gettext("further near the cut")),
        ("interviews", spending.other + spending.chosen, gettext("interviews")),
        ("kept", spending.kept, gettext("kept for you")),
    )
    whole = max(1.0, float(rules.budget))
    return tuple(
        (css, round(100 * cost / whole, 1), f"{name} {cost_words(cost, unit)}")
        for css, cost, name in named
        if cost >= 1
    )
