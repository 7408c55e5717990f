"""Announcements to applicants: written, looked at, held for a while, taken back."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import RedirectResponse, Response

from swapflow.domain.cohort.announcement import Announcement, Group, LetterState, Wording
from swapflow.domain.cycle import CycleStatus
from swapflow.engine.offers.announcements import USUAL_HOLD, AnnouncementDraft
from swapflow.errors import InvalidInputError, SwapflowError
from swapflow.i18n.languages import gettext_noop
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal
from swapflow.messages import Message
from swapflow.web.http.acts.told import tell
from swapflow.web.http.context import app_context
from swapflow.web.http.dependencies import may
from swapflow.web.http.error_handlers import status_of
from swapflow.web.http.nested_forms import FormView, TheForm, is_number, text, unwritable
from swapflow.web.http.program_page import NOTHING_REFUSED, Refused, about, act
from swapflow.web.http.rendering import render


router = APIRouter(prefix="/decide/{cycle_id}/letters")

MaySee = Annotated[Principal, Depends(may(Right.SEE_APPLICANTS))]
MayDecide = Annotated[Principal, Depends(may(Right.DECIDE))]

LISTED = 200
"""Announcements named on the page; the others are counted."""

MOST_MINUTES = 43_200
MOST_WAITING = 100_000

FIELDS = {Group.OFFERED: "offered", Group.WAITLISTED: "waitlisted", Group.NOT_SELECTED: "declined"}
"""How a group's fields are called in the form."""

TITLES = {
    Group.OFFERED: gettext_noop("Those with an open offer"),
    Group.WAITLISTED: gettext_noop("Those on the waitlist"),
    Group.NOT_SELECTED: gettext_noop("Those who were not selected"),
}

STATES = {
    LetterState.HELD: gettext_noop("held"),
    LetterState.QUEUED: gettext_noop("on their way"),
    LetterState.SENDING: gettext_noop("on their way"),
    LetterState.SENT: gettext_noop("sent"),
    LetterState.NOT_SENT: gettext_noop("not sent"),
    LetterState.FAILED: gettext_noop("failed"),
    LetterState.CAME_BACK: gettext_noop("came back"),
    LetterState.KEPT_BACK: gettext_noop("kept back: the address does not exist"),
    LetterState.SETTLED: gettext_noop("came back, dealt with"),
    LetterState.TAKEN_BACK: gettext_noop("taken back"),
    LetterState.VOID: gettext_noop("not sent, for they were no longer true"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownAnnouncement:
    """An announcement as the page shows it.

    Attributes:
        groups: How many announcements went to each group.
        states: How many announcements are in each state, in the order in which states follow.
    """

    announcement: Announcement
    groups: dict[Group, int]
    states: dict[LetterState, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Typed:
    """What was typed, as far as it can be used."""

    wording: dict[Group, Wording]
    waitlist: int | None
    hold: timedelta


@router.get("")
def show_letters(request: Request, cycle_id: str, principal: MaySee) -> Response:
    """Show what applicants were told, and what they could be told now."""
    return _page(request, cycle_id, principal, _usual_form(request, cycle_id))


@router.post("/look")
def look_at_letters(
    request: Request, cycle_id: str, principal: MayDecide, form: TheForm
) -> Response:
    """Show the announcements as they would leave; stores nothing."""
    view = _view(form)
    typed = _read(view)
    if typed is None:
        return _page(request, cycle_id, principal, view, status=422)
    product = app_context(request).product
    try:
        draft = product.announcements.draft(cycle_id, typed.wording, waitlist=typed.waitlist)
    except InvalidInputError as error:
        view.note("", error.message)
        return _page(request, cycle_id, principal, view, status=422)
    return _page(request, cycle_id, principal, view, draft=draft)


@router.post("/announce")
def announce(request: Request, cycle_id: str, principal: MayDecide, form: TheForm) -> Response:
    """Write the announcements that were shown; they are held until their moment."""
    view = _view(form)
    seen = text(form, "seen")
    typed = _read(view)
    if not seen:
        view.note("", "look at the letters first")
    if typed is None or not seen:
        return _page(request, cycle_id, principal, view, status=422)
    app = app_context(request)
    try:
        # With what was looked at: if the letters would differ by now, none is written.
        made = app.product.announcements.send(
            cycle_id,
            typed.wording,
            by=principal.name,
            waitlist=typed.waitlist,
            hold=typed.hold,
            seen=seen,
        )
    except SwapflowError as error:
        view.note("", error.message)
        return _page(request, cycle_id, principal, view, status=status_of(error)[0])
    app.office.audit_log.record(
        principal.name,
        "announced the decision",
        cycle_id=cycle_id,
        detail=f"{len(made.letters)} letters",
    )
    tell(request, Message("act_letters_written", count=len(made.letters)))
    return RedirectResponse(f"/decide/{cycle_id}/letters#told", 303)


@router.post("/take-back")
def take_back(request: Request, cycle_id: str, principal: MayDecide, form: TheForm) -> Response:
    """Take back the announcements that are held, and the offers they tell of."""
    typed = text(form, "which")
    which = int(typed) if is_number(typed) else None
    product = app_context(request).product
    return act(
        request,
        principal,
        f"/decide/{cycle_id}/letters",
        Message("act_letters_taken_back"),
        lambda: product.announcements.take_back(cycle_id, by=principal.name, which=which),
        form="take-back",
        again=lambda refused: _page(
            request,
            cycle_id,
            principal,
            _usual_form(request, cycle_id),
            refused=refused,
            status=refused.status,
        ),
    )


# What was typed


def _usual_form(request: Request, cycle_id: str) -> FormView:
    values = {"waitlist": "", "minutes": f"{USUAL_HOLD.total_seconds() / 60:.0f}"}
    for group, words in app_context(request).product.announcements.usual_wording(cycle_id).items():
        name = FIELDS[group]
        values |= {name: "yes", f"{name}_subject": words.subject, f"{name}_text": words.text}
    return FormView(values, prefix="letters")


def _view(form: TheForm) -> FormView:
    names = [
        part for name in FIELDS.values() for part in (name, f"{name}_subject", f"{name}_text")
    ]
    names += ["waitlist", "minutes"]
    return FormView({name: text(form, name) for name in names}, prefix="letters")


def _read(view: FormView) -> Typed | None:
    """Read the form; None when something in it cannot be used, which is then noted."""
    wording = {}
    for group, name in FIELDS.items():
        if not view.value(name):
            continue
        words = Wording(subject=view.value(f"{name}_subject"), text=view.value(f"{name}_text"))
        for field, value, most, missing in (
            (f"{name}_subject", words.subject, 200, gettext_noop("write a subject")),
            (f"{name}_text", words.text, 10_000, gettext_noop("write the text of the letter")),
        ):
            if problem := unwritable(value, most=most) or ("" if value else missing):
                view.note(field, problem)
        wording[group] = words
    if not wording:
        view.note(FIELDS[Group.OFFERED], "choose at least one group to write to")
    waitlist = _whole(view, "waitlist", MOST_WAITING)
    minutes = _whole(view, "minutes", MOST_MINUTES)
    if minutes is None and not view.problem("minutes"):
        view.note("minutes", "write a number of minutes; 0 lets them leave at once")
    if view.problems or minutes is None:
        return None
    return Typed(wording=wording, waitlist=waitlist, hold=timedelta(minutes=minutes))


def _whole(view: FormView, name: str, most: int) -> int | None:
    typed = view.value(name)
    if not typed:
        return None
    if not (typed.isdecimal() and len(typed) < 10 and int(typed) <= most):  # noqa: PLR2004 - digits
        view.note(name, Message("whole_number_from_zero", most=most))
        return None
    return int(typed)


# The page


def _page(
    request: Request,
    cycle_id: str,
    principal: Principal,
    view: FormView,
    *,
    draft: AnnouncementDraft | None = None,
    refused: Refused = NOTHING_REFUSED,
    status: int = 200,
) -> Response:
    app = app_context(request)
    product = app.product
    announcements = product.announcements.list(cycle_id)
    return render(
        request,
        "cohort/announcements.html",
        {
            **about(app, cycle_id, principal, Right.SEE_APPLICANTS),
            "fixed": product.cycles.get(cycle_id).status is CycleStatus.FINALIZED,
            "told": [_told(one) for one in reversed(announcements)],
            "now": product.cycles.now(),
            "view": view,
            "draft": draft,
            "samples": draft.samples() if draft else {},
            "listed": draft.letters[:LISTED] if draft else (),
            "groups": [(group, FIELDS[group], TITLES[group]) for group in Group],
            "titles": TITLES,
            "states": STATES,
            "refused": refused,
        },
        status=status,
    )


def _told(announcement: Announcement) -> ShownAnnouncement:
    letters = announcement.letters
    return ShownAnnouncement(
        announcement=announcement,
        groups={g: n for g in Group if (n := sum(one.group is g for one in letters))},
        states={s: n for s in LetterState if (n := sum(one.state is s for one in letters))},
    )
