"""To do: what needs a person over all programs, and how each program stands."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Any
from zoneinfo import ZoneInfo

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response

from swapflow.domain.cycle import Cycle, CycleStatus
from swapflow.engine.pending.standing import ProgramStanding
from swapflow.engine.pending.things import PendingCode, PendingThing
from swapflow.i18n.formatting import cost_words, counted, day, number
from swapflow.i18n.languages import gettext
from swapflow.i18n.translation import translate
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal
from swapflow.web.cycle.today import drawing
from swapflow.web.cycle.today.program_parts import (
    health_of,
    phases_of,
    undoable,
)
from swapflow.web.cycle.today.unit_filter import unit_choices
from swapflow.web.http.bar.top_bar import keep_count
from swapflow.web.http.context import AppContext, app_context
from swapflow.web.http.dependencies import may_anywhere
from swapflow.web.http.program_page import held, visible
from swapflow.web.http.rendering import render


router = APIRouter(prefix="/today")

MaySomewhere = Annotated[Principal, Depends(may_anywhere(Right.SEE_PROGRESS))]

MOST_CARDS = 6
"""Programs with a card; further ones are one line each, so that the page stays short."""

MOST_LINES = 6
"""Lines of what was done today, and of what is coming."""

AHEAD = timedelta(days=30)
"""How far ahead is coming."""

NAMES = 3
"""Names in a line; of more people, their number."""

_LOUD = frozenset({
    PendingCode.CONNECT_MAIL, PendingCode.HELD_UP, PendingCode.MAIL_FAILED,
    PendingCode.SET_ASIDE, PendingCode.STATE_ALTERED,
})  # fmt: skip
_AMBER = frozenset({
    PendingCode.OVERDUE, PendingCode.DEADLINE_AT_RISK, PendingCode.NO_SHOWS,
    PendingCode.CONFLICTING_SCORES, PendingCode.UNSEEN_APPLICANTS, PendingCode.LATE_ANSWERS,
    PendingCode.BACK_UP, PendingCode.REVIEWER_MAIL_BACK, PendingCode.APPLICANT_MAIL_BACK,
    PendingCode.EXPLANATIONS,
})  # fmt: skip
_ICONS = {
    PendingCode.SIGN: "pen", PendingCode.DECIDE: "pen",
    PendingCode.APPROVE: "ask", PendingCode.OWN_REVIEWS: "doc",
    PendingCode.UNDATED_INTERVIEWS: "cal", PendingCode.NO_SHOWS: "cal",
    PendingCode.DEADLINE_AT_RISK: "cal", PendingCode.LATE_ANSWERS: "cal",
    PendingCode.OVERDUE: "bell", PendingCode.CONNECT_MAIL: "mail",
    PendingCode.MAIL_FAILED: "mail", PendingCode.MAIL_NOT_SENT: "mail",
    PendingCode.REVIEWER_MAIL_BACK: "mail", PendingCode.APPLICANT_MAIL_BACK: "mail",
    PendingCode.EXPLANATIONS: "cal",
}  # fmt: skip
"""The drawing beside each line; "warn" for those left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskLine:
    """One thing that needs a person, as a line with one button.

    Attributes:
        tone: "stop" for what nothing goes on without, "late" for what is overdue, "" else.
        when: By when, or since when; "" where nothing presses.
        reminds: Whether the button reminds at once; else it leads to the thing's page.
    """

    thing: PendingThing
    icon: str
    tone: str
    about: str
    when: str
    reminds: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryLine:
    """What was done today, or is coming: a moment, a sentence and its program."""

    at: datetime
    zone: str
    told: str
    program: str


@router.get("")
def show_to_do(request: Request, principal: MaySomewhere, unit: str = "") -> Response:
    """Show what needs the principal, over all programs or one unit's, and how each stands."""
    app = app_context(request)
    product, now = app.product, app.product.cycles.now()
    seen = visible(app, principal, Right.SEE_PROGRESS)
    # Practice programs are shown apart from real work and counted in none of it.
    real = [cycle for cycle in seen if not cycle.is_practice]
    choices = unit_choices(app.office.units.all(), [cycle.id for cycle in real], unit)
    shown = next((one.programs for one in choices if one.is_current), {c.id for c in real})
    cycles = [cycle for cycle in real if cycle.id in shown and not _is_closed(cycle)]
    closed = [cycle for cycle in real if cycle.id in shown and _is_closed(cycle)]
    everything = app.office.to_do.of(principal, product.pending)
    # What is about no program that the choice could leave out stays: the office's, own reviews.
    away = {cycle.id for cycle in seen} - set(shown)
    things = [thing for thing in everything if thing.cycle_id not in away]
    by_id = {cycle.id: cycle for cycle in (*cycles, *closed)}
    set_aside = product.reports.quarantined()
    readable = [cycle for cycle in (*cycles, *closed) if cycle.id not in set_aside]
    coming = [line for cycle in readable for line in _coming(app, principal, cycle, now)]
    done = [line for cycle in readable for line in _done(app, cycle, now)]
    live = product.reports.state_answers()
    lines = [_line(app, principal, thing, by_id, now) for thing in things]
    response = render(
        request,
        "cycle/today/to_do.html",
        {
            "now": now,
            "zone": product.pending.zone(),
            "may_try": Right.SET_UP in principal.rights_anywhere,
            "lines": lines,
            "to_do_count": len(everything),
            "cards": [
                _card(app, principal, cycle, now, live=live)
                for cycle in cycles[:MOST_CARDS]
                if cycle.id not in set_aside
            ],
            "further": [*cycles[MOST_CARDS:], *closed],
            "set_aside": {
                one.id: (one, set_aside[one.id]) for one in cycles if one.id in set_aside
            },
            "done": sorted(done, key=lambda line: line.at, reverse=True)[:MOST_LINES],
            "coming": sorted(coming, key=lambda line: line.at)[:MOST_LINES],
            "undo": [
                (cycle, act)
                for cycle in readable
                for act in undoable(
                    product.held_acts.waiting(cycle.id), held(app, principal, cycle)
                )
            ],
            "programs": len(by_id),
            "choices": choices,
            "practice": [cycle for cycle in seen if cycle.is_practice],
        },
    )
    keep_count(request, response, principal, len(everything))
    return response


def _is_closed(cycle: Cycle) -> bool:
    """Whether a program has its list: then it needs no card any more."""
    return cycle.status is CycleStatus.FINALIZED


def _line(
    app: AppContext,
    principal: Principal,
    thing: PendingThing,
    cycles: dict[str, Cycle],
    now: datetime,
) -> TaskLine:
    cycle = cycles.get(thing.cycle_id)
    tone = "stop" if thing.code in _LOUD else "late" if thing.code in _AMBER else ""
    detail, when = ("", "") if cycle is None else _detail(app, principal, thing, cycle, now)
    parts = [part for part in (thing.program or gettext("All programs"), detail) if part]
    return TaskLine(
        thing=thing,
        icon=_ICONS.get(thing.code, "warn"),
        tone=tone,
        about=" · ".join(parts),
        when=when,
        reminds=thing.code is PendingCode.OVERDUE,
    )


def _detail(
    app: AppContext, principal: Principal, thing: PendingThing, cycle: Cycle, now: datetime
) -> tuple[str, str]:
    """Return more about a thing, and by when it is wanted."""
    product, rules = app.product, app.product.cycles.rules(cycle.id)
    before = ""
    if rules.deadline is not None and rules.deadline > now:
        before = gettext("before %(day)s") % {"day": day(rules.deadline, rules.zone)}
    match thing.code:
        case PendingCode.APPROVE:
            taken = {pull for act in product.held_acts.waiting(cycle.id) for pull in act.items}
            waits = [
                one for one in product.approvals.pending(cycle.id) if one.pull.id not in taken
            ]
            unit = next((r.unit for r in product.cycles.rounds() if r.id == cycle.round_id), "")
            cost = sum(rules.kinds[one.pull.kind].cost for one in waits)
            left = rules.budget - cycle.spent - cycle.committed + cost
            told = gettext("they take %(cost)s of the %(left)s left") % {
                "cost": cost_words(cost, unit),
                "left": cost_words(left, unit),
            }
            return told, before
        case PendingCode.OVERDUE:
            return _late(app, principal, cycle, now)
        case PendingCode.SIGN:
            return _signed(app, cycle, rules.signatures), before
        case PendingCode.UNDATED_INTERVIEWS | PendingCode.DECIDE:
            return "", before
        case _:
            return "", ""


def _late(app: AppContext, principal: Principal, cycle: Cycle, now: datetime) -> tuple[str, str]:
    """Return who is late, as far as they may be named, and for how many days at most."""
    overdue = app.product.reports.overdue(cycle.id)
    if not overdue:
        return "", ""
    first = overdue[0].due_at
    days = 0 if first is None else (now - first).days
    when = counted(days, "%(count)s day late", "%(count)s days late") if days else gettext("late")
    apart = app.product.cycles.rules(cycle.id).keeps_figures_apart
    if apart or Right.SEE_REVIEWERS not in held(app, principal, cycle):
        return "", when
    people = {r.number: r.name or r.external_id for r in app.product.reviewers.list(cycle.id)}
    names = [people[n] for n in dict.fromkeys(one.reviewer for one in overdue) if n in people]
    return _listed(names), when


def _listed(names: list[str]) -> str:
    shown = ", ".join(names[:NAMES])
    if len(names) <= NAMES:
        return shown
    return gettext("%(names)s and %(more)s more") % {
        "names": shown,
        "more": number(len(names) - NAMES),
    }


def _signed(app: AppContext, cycle: Cycle, needed: int) -> str:
    waiting = app.product.cohort.pending(cycle.id)
    signed = () if waiting is None else waiting.prepared.signed
    if not signed:
        return ""
    return gettext("%(signed)s of %(needed)s has signed: %(names)s") % {
        "signed": number(len(signed)),
        "needed": number(needed),
        "names": ", ".join(signed),
    }


def _card(
    app: AppContext, principal: Principal, cycle: Cycle, now: datetime, *, live: bool
) -> dict[str, Any]:
    """Return what a program's card shows."""
    product = app.product
    dashboard, _ = product.reports.dashboard(cycle.id)
    standing = product.pending.standing(cycle, dashboard)
    return {
        "cycle": cycle,
        "standing": standing,
        "applicants": dashboard.application.size,
        "places": standing.rules.cohort_size,
        "zone": standing.rules.zone,
        "phases": phases_of(standing),
        "drawn": drawing.spark(standing),
        "trend": drawing.trend_line(standing.trend, width=48, height=18, pad=3),
        "change": _change(standing),
        "health": health_of(standing.pulse, now, live=live),
        "running": cycle.status is CycleStatus.RUNNING,
        "own": Right.RUN in held(app, principal, cycle),
    }


def _change(standing: ProgramStanding) -> tuple[str, str]:
    """Return how many places could change, and of how many; a likelihood for one place."""
    if standing.figures is None:
        return ("…" if standing.dashboard.calculating else "–", "")
    change, places = standing.figures.could_change, standing.rules.cohort_size
    if places == 1:
        tenths = min(9, max(1, round(10 * change)))
        return gettext("%(tenths)s in 10") % {"tenths": tenths}, ""
    return (
        gettext("about %(n)s") % {"n": number(round(change))},
        gettext("of %(places)s") % {"places": number(places)},
    )


def _done(app: AppContext, cycle: Cycle, now: datetime) -> list[StoryLine]:
    """Return what happened in a program since the morning."""
    product, zone = app.product, app.product.cycles.rules(cycle.id).zone
    local = now.astimezone(ZoneInfo(zone))
    morning = local.replace(hour=0, minute=0, second=0, microsecond=0)

    def line(at: datetime, told: str) -> StoryLine:
        return StoryLine(at=at, zone=zone, told=told, program=cycle.name)

    lines = [
        line(act.at, _sentence(translate(act.message)))
        for act in product.held_acts.list(cycle.id, at_most=MOST_LINES)
        if act.at >= morning
    ]
    for record, at in product.reports.decisions_before(cycle.id, at_most=MOST_LINES):
        if at >= morning and record.picks:
            told = counted(
                len(record.picks),
                "Asked for %(count)s review",
                "Asked for %(count)s reviews",
            )
            lines.append(line(at, told))
    count, last = product.pending.received_since(cycle.id, morning)
    if count and last is not None:
        told = counted(count, "%(count)s review came in", "%(count)s reviews came in")
        lines.append(line(last, told))
    return lines


def _coming(app: AppContext, principal: Principal, cycle: Cycle, now: datetime) -> list[StoryLine]:
    """Return what is coming in a program, one line a day and kind of thing."""
    if cycle.status in {CycleStatus.DRAFT, CycleStatus.FINALIZED}:
        return []
    product, rules = app.product, app.product.cycles.rules(cycle.id)
    zone = ZoneInfo(rules.zone)

    def line(at: datetime, told: str) -> StoryLine:
        return StoryLine(at=at, zone=rules.zone, told=told, program=cycle.name)

    interviews = product.reviewers.interview_kinds(cycle.id)
    meetings, first = Counter[str](), dict[str, datetime]()
    due, due_first = Counter[tuple[str, bool]](), dict[tuple[str, bool], datetime]()
    for at, kind, count in product.pending.coming(cycle.id, now):
        which = (at.astimezone(zone).date().isoformat(), kind in interviews)
        due[which] += count
        due_first.setdefault(which, at)
    lines = [
        line(
            due_first[which],
            counted(count, "%(count)s interview due", "%(count)s interviews due")
            if which[1]
            else counted(count, "%(count)s review due", "%(count)s reviews due"),
        )
        for which, count in due.items()
    ]
    if Right.SEE_APPLICANTS in held(app, principal, cycle):
        for one in product.reviewers.interview_requests(cycle.id):
            date = one.interview
            if date is not None and date.stands and now <= date.starts_at <= now + AHEAD:
                key = date.starts_at.astimezone(zone).date().isoformat()
                meetings[key] += 1
                first[key] = min(first.get(key, date.starts_at), date.starts_at)
        lines += [
            line(first[key], counted(count, "%(count)s interview", "%(count)s interviews"))
            for key, count in meetings.items()
        ]
    if rules.deadline is not None and now <= rules.deadline <= now + AHEAD:
        lines.append(line(rules.deadline, gettext("Deadline")))
    return [one for one in lines if one.at <= now + AHEAD]


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
