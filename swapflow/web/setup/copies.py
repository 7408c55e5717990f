"""Programs made from this one: practice programs for training, and next year's program."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import RedirectResponse, Response

from swapflow.domain.ids import derived_id
from swapflow.engine.copies.next_year import MOST_YEARS, Taken
from swapflow.engine.copies.practice_program import FEWEST, MOST, usual_count
from swapflow.errors import InvalidInputError
from swapflow.i18n.languages import gettext
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal, require
from swapflow.messages import Message
from swapflow.web.http.acts.told import tell
from swapflow.web.http.context import app_context
from swapflow.web.http.dependencies import may
from swapflow.web.http.nested_forms import TheForm, text
from swapflow.web.http.program_page import (
    NOTHING_REFUSED,
    FieldError,
    Refused,
    about,
    act,
    plain_line,
)
from swapflow.web.http.rendering import render
from swapflow.web.setup.program_units import NEW_ROUND
from swapflow.web.setup.programs import TAKEN
from swapflow.web.setup.rules import MaySetUp


router = APIRouter(prefix="/setup/{cycle_id}")

MayRun = Annotated[Principal, Depends(may(Right.RUN))]

PARTS = ("roster", "rights", "columns", "letters")
"""What next year's program can take over, by the names of the boxes."""

_LONGEST_NAME = 120
_MOST_DIGITS = 4


@router.get("/copies")
def show_copies(request: Request, cycle_id: str, principal: MayRun) -> Response:
    """Show what can be made from a program; of a practice program, how it is thrown away."""
    return _page(request, cycle_id, principal)


@router.post("/copies/practice")
def make_practice_program(
    request: Request, cycle_id: str, principal: MayRun, form: TheForm
) -> Response:
    """Make a practice program of this program; it waits for its launch."""
    app, typed = app_context(request), {"applicants": text(form, "applicants")}
    automatic = text(form, "automatic") == "yes"
    made: list[str] = []

    def deed() -> None:
        count = _count(typed["applicants"], "applicants")
        copied = app.product.copies.practise(
            cycle_id, by=principal.name, applicants=count, automatic=automatic
        )
        made.append(copied.id)

    done = act(
        request,
        principal,
        f"/setup/{cycle_id}/copies",
        Message("act_practice_program_made"),
        deed,
        form="practice",
        typed={**typed, **({"automatic": "yes"} if automatic else {})},
        again=lambda refused: _page(request, cycle_id, principal, refused),
    )
    if made:
        done.headers["location"] = f"/setup/{made[0]}/launch"
    return done


@router.post("/automatic-reviews")
def fill_automatically(request: Request, cycle_id: str, principal: MayRun) -> Response:
    """Have automatic reviewers answer the open reviews of a practice program."""
    product = app_context(request).product
    return act(
        request,
        principal,
        f"/setup/{cycle_id}/copies",
        lambda count: Message("act_reviews_filled", count=count),
        lambda: product.copies.fill(cycle_id),
        form="fill",
        again=lambda refused: _page(request, cycle_id, principal, refused),
    )


@router.post("/throw-away")
def throw_away(request: Request, cycle_id: str, principal: MayRun) -> Response:
    """Throw a practice program away, with everything in it; a real one is refused."""
    app = app_context(request)
    cycle = app.product.cycles.get(cycle_id)
    app.product.copies.throw_away(cycle_id)
    app.office.audit_log.record(
        principal.name, "threw away a practice program", cycle_id=cycle_id, about=cycle_id
    )
    tell(request, Message("act_practice_program_gone", program=cycle.name))
    return RedirectResponse("/today", 303)


@router.post("/copies/next-year")
def make_next_year(
    request: Request, cycle_id: str, principal: MaySetUp, form: TheForm
) -> Response:
    """Make next year's program from this one; it starts at its questions."""
    app = app_context(request)
    typed = {name: text(form, name) for name in ("name", "round", "new_round", "years")}
    taken = {part: "yes" for part in PARTS if text(form, part) == "yes"}
    made: list[str] = []

    def deed() -> None:
        name = plain_line(typed["name"], named="name", most=_LONGEST_NAME)
        if not name:
            raise FieldError("name", "template_name_missing")
        years = _count(typed["years"], "years")
        new_id = derived_id(name, TAKEN | {one.id for one in app.product.cycles.list()})
        app.product.cycles.check_new(new_id)
        copied = app.product.copies.next_year(
            cycle_id,
            new_id,
            round_id=_round(request, principal, typed["round"], typed["new_round"], cycle_id),
            name=name,
            by=principal.name,
            taken=Taken(years=years, **{part: part in taken for part in PARTS}),
        )
        made.append(copied.id)

    done = act(
        request,
        principal,
        f"/setup/{cycle_id}/copies",
        Message("act_next_year_made", program=typed["name"]),
        deed,
        form="next-year",
        typed={**typed, **taken},
        again=lambda refused: _page(request, cycle_id, principal, refused),
    )
    if made:
        done.headers["location"] = f"/setup/{made[0]}/questions"
    return done


def _count(typed: str, field: str) -> int:
    """Read a whole number of a field; nothing is 0.

    Raises:
        FieldError: If it is none.
    """
    typed = typed.strip()
    if not typed:
        return 0
    if not (typed.isascii() and typed.isdecimal() and len(typed) <= _MOST_DIGITS):
        raise FieldError(field, "whole_number_missing")
    return int(typed)


def _round(request: Request, principal: Principal, chosen: str, name: str, cycle_id: str) -> str:
    """Return the round of the new program; a new one is made in the zone of this one's round.

    A name that is typed asks for a new round, also where the choice above it was left alone.

    Raises:
        ForbiddenError: If the person may make no program there.
        FieldError: If none is chosen, or the new one has no name.
    """
    app = app_context(request)
    known = {one.id: one for one in app.product.cycles.rounds()}
    if chosen in known and not name.strip():
        require(principal, Right.SET_UP, cycle_id=None, round_id=chosen)
        return chosen
    if chosen not in {NEW_ROUND, *known} or not name.strip():
        raise FieldError("round", "template_round_missing")
    require(principal, Right.SET_UP, cycle_id=None, round_id=None)
    now = known[app.product.cycles.get(cycle_id).round_id]
    name = plain_line(name, named="new_round", most=_LONGEST_NAME)
    round_id = derived_id(name, known.keys())
    try:
        app.product.cycles.new_round(round_id, name=name, unit=now.unit, zone=now.zone)
    except InvalidInputError as error:
        raise FieldError("new_round", error.code, **error.params) from error
    app.office.audit_log.record(principal.name, "made a round", about=round_id)
    return round_id


def _page(
    request: Request, cycle_id: str, principal: Principal, refused: Refused = NOTHING_REFUSED
) -> Response:
    app = app_context(request)
    product, cycle = app.product, app.product.cycles.get(cycle_id)
    rules = product.cycles.rules(cycle_id)
    rounds = [
        (one.id, one.name)
        for one in product.cycles.rounds()
        if Right.SET_UP in principal.rights(round_id=one.id)
    ]
    new = Right.SET_UP in principal.rights()
    return render(
        request,
        "setup/copies.html",
        {
            **about(app, cycle_id, principal),
            "practice": () if cycle.is_practice else product.copies.practice_of(cycle_id),
            "contents": product.copies.contents(cycle_id) if cycle.is_practice else None,
            "usual": usual_count(rules.cohort_size),
            "fewest": max(FEWEST, rules.cohort_size + 1),
            "most": MOST,
            "most_years": MOST_YEARS,
            "round_options": [
                *rounds,
                *([(NEW_ROUND, gettext("a new round"))] if new else []),
            ],
            "parts": PARTS,
            "refused": refused,
        },
        status=refused.status,
    )
