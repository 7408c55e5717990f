"""What every page of a program under way shows: its tabs, its sentence, what can be undone."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from fastapi import Request

from swapflow.domain.cycle import Cycle, CycleStatus
from swapflow.engine.pending.gather import ALTERED_SHOWN, is_led
from swapflow.engine.pending.standing import Phase, ProgramStanding
from swapflow.engine.ports.held_acts import HeldAct, HeldKind, HeldState
from swapflow.engine.ports.records import ProcessHealth
from swapflow.i18n.formatting import counted, long_day, number, until
from swapflow.i18n.languages import gettext, gettext_noop
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal
from swapflow.web.http.context import AppContext
from swapflow.web.http.dependencies import seat_view_of
from swapflow.web.http.program_page import held, visible


PHASES = (
    (Phase.SET_UP, gettext_noop("Set up")),
    (Phase.REVIEWS, gettext_noop("Reviews")),
    (Phase.INTERVIEWS, gettext_noop("Interviews")),
    (Phase.COMMITTEE, gettext_noop("Committee")),
    (Phase.LETTERS, gettext_noop("Letters")),
)

UNDO_RIGHT = {
    HeldKind.APPROVE: Right.APPROVE,
    HeldKind.DECLINE: Right.APPROVE,
    HeldKind.REMIND: Right.MANAGE_REVIEWERS,
    HeldKind.DATES: Right.MANAGE_APPLICANTS,
}
"""The right with which an act is done, and undone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseView:
    """One part of the bar of phases.

    Attributes:
        state: "done", "now" or "" for what is to come.
        tenths: How much of the present one is done.
    """

    name: str
    state: str
    tenths: int


def phases_of(standing: ProgramStanding) -> tuple[PhaseView, ...]:
    """Return the five parts of a program's way, the present one with its share."""
    order = [phase for phase, _ in PHASES]
    now = order.index(standing.phase)
    return tuple(
        PhaseView(
            name=gettext(name),
            state="done" if place < now else "now" if place == now else "",
            tenths=max(1, min(9, round(10 * standing.share))),
        )
        for place, (_, name) in enumerate(PHASES)
    )


def sentence_of(standing: ProgramStanding, zone: str) -> list[tuple[str, bool]]:
    """Return how a program stands in sentences, each with whether it is set in bold."""
    places, said = standing.rules.cohort_size, []
    if standing.received == 0:
        said.append((gettext("No review is in yet."), True))
    elif standing.dashboard.calculating:
        said.append((gettext("How many places are clear is being calculated."), False))
    else:
        said += _places(standing, places)
    said += _status(standing, zone)
    return said


def _places(standing: ProgramStanding, places: int) -> list[tuple[str, bool]]:
    clear, rest = standing.clear, max(0, places - standing.clear)
    said = [
        (
            counted(
                places,
                "%(clear)s of %(count)s place is clear.",
                "%(clear)s of %(count)s places are clear.",
                clear=number(clear),
            ),
            True,
        )
    ]
    if standing.close and rest:
        said.append(
            (
                counted(
                    standing.close,
                    "%(count)s applicant competes for the other %(rest)s.",
                    "%(count)s applicants compete for the other %(rest)s.",
                    rest=number(rest),
                ),
                False,
            )
        )
    if standing.figures is not None and standing.close:
        said.append((change_words(standing.figures.could_change, places), True))
    return said


def change_words(change: float, places: int) -> str:
    """Return in a sentence how many places could still change; for one place in tenths."""
    if places == 1:
        # A likelihood of 0 or 10 in 10 would say more than the model knows.
        tenths = min(9, max(1, round(10 * change)))
        return gettext("The place could still change: %(tenths)s in 10.") % {"tenths": tenths}
    return counted(
        places,
        "About %(n)s of the %(count)s place could still change.",
        "About %(n)s of the %(count)s places could still change.",
        n=number(round(change)),
    )


def _status(standing: ProgramStanding, zone: str) -> list[tuple[str, bool]]:
    match standing.cycle.status:
        case CycleStatus.RUNNING:
            return _finish(standing, zone)
        case CycleStatus.PAUSED:
            return [(gettext("The program is paused: no new review is asked for."), True)]
        case CycleStatus.PROPOSED:
            return [
                (
                    gettext("Ready to stop: further reviews are unlikely to change the list."),
                    True,
                )
            ]
        case CycleStatus.ENDED:
            return [(gettext("Asking has ended; the committee decides."), True)]
        case CycleStatus.FINALIZED:
            version = standing.cycle.cohort_version
            return [(gettext("The list is final (version %(n)s).") % {"n": version}, True)]
        case CycleStatus.DRAFT:
            return [(gettext("The program is being set up."), True)]


def _finish(standing: ProgramStanding, zone: str) -> list[tuple[str, bool]]:
    if standing.finish is None:
        return []
    day, late = long_day(standing.finish, zone), standing.late_days
    if late is None:
        told = gettext("Expected finish %(day)s.") % {"day": day}
    elif late > 0:
        told = counted(
            late,
            "Expected finish %(day)s, %(count)s day after the deadline.",
            "Expected finish %(day)s, %(count)s days after the deadline.",
            day=day,
        )
    elif late == 0:
        told = gettext("Expected finish %(day)s, the day of the deadline.") % {"day": day}
    else:
        told = counted(
            -late,
            "Expected finish %(day)s, %(count)s day before the deadline.",
            "Expected finish %(day)s, %(count)s days before the deadline.",
            day=day,
        )
    return [(told, False)]


def undoable(acts: Iterable[HeldAct], rights: frozenset[Right]) -> list[HeldAct]:
    """Return the acts that a person with these rights may undo now, those of others too."""
    return [act for act in acts if act.state is HeldState.HELD and UNDO_RIGHT[act.kind] in rights]


def health_of(pulse: ProcessHealth, now: datetime, *, live: bool) -> dict[str, Any]:
    """Check whether what a program runs on is at work; `live`: whether Redis answers."""
    altered = pulse.altered_at
    return {
        "live": live,
        "led": is_led(pulse),
        "stuck": pulse.stuck,
        "event_at": pulse.event_at,
        "age": until(pulse.event_at, now),
        "altered_at": altered if altered is not None and now - altered < ALTERED_SHOWN else None,
    }


def frame(request: Request, app: AppContext, principal: Principal, cycle: Cycle) -> dict[str, Any]:
    """Return what every page of a program shows around its own content."""
    product, rights = app.product, held(app, principal, cycle)
    rules = product.cycles.rules(cycle.id)
    seat = seat_view_of(request, principal, cycle.id)
    things = app.office.to_do.in_program(principal, cycle.id, product.pending)
    return {
        "cycle": cycle,
        "cycles": visible(app, principal, Right.SEE_PROGRESS),
        "rights": rights,
        "rules": rules,
        "zone": rules.zone,
        "seat": seat,
        "seated": seat is not None,
        "things": things,
        "now": product.cycles.now(),
        "unit": next((r.unit for r in product.cycles.rounds() if r.id == cycle.round_id), ""),
        "undo": undoable(product.held_acts.waiting(cycle.id), rights),
        "health": health_of(
            product.reports.process_health(cycle.id),
            product.cycles.now(),
            live=product.reports.state_answers(),
        ),
        "running": cycle.status is CycleStatus.RUNNING,
        "set_aside": product.reports.quarantined().get(cycle.id),
    }
