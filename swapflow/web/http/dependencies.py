"""Who asks, and whether they may: every page hangs on one of these, and on nothing else.

A page that anybody may open says so with `anybody`; a test walks the routes and refuses one that
says nothing.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from swapflow.domain.cycle import Cycle
from swapflow.domain.ids import cycle_of
from swapflow.domain.reviewing.assignment import Assignment
from swapflow.domain.rules import Rules
from swapflow.engine.ports.records import ProgramSeat, TaskRecord
from swapflow.engine.reviewing.seat_view import SeatView
from swapflow.errors import (
    ForbiddenError,
    NotFoundError,
    NotSignedInError,
)
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal, require
from swapflow.identity.unit_rights import check_unit
from swapflow.web.http.context import app_context
from swapflow.web.seat_doors import Door, door_of


def cookie_name(*, secure: bool) -> str:
    """Name the session's cookie; over TLS it is bound to host and path by its prefix."""
    return "__Host-swapflow" if secure else "swapflow"


def principal_of(request: Request) -> Principal | None:
    """Find out who asks, once per request; None when nobody is signed in."""
    if not hasattr(request.state, "principal"):
        app = app_context(request)
        secret = request.cookies.get(cookie_name(secure=app.settings.secure), "")
        request.state.principal = app.office.sign_in.principal(secret)
    principal: Principal | None = request.state.principal
    return principal


def signed_in(request: Request) -> Principal:
    """Require that a person is signed in.

    Raises:
        NotSignedInError: If nobody is.
    """
    principal = principal_of(request)
    if principal is None:
        raise NotSignedInError("sign_in_needed")
    return principal


# Coroutines, since they wait for nothing: a plain function would be given a thread for it.


async def anybody() -> None:
    """Mark a page as one for everybody, signed in or not."""


def round_of(request: Request, cycle_id: str) -> str | None:
    """Return the round of a cycle, None when there is no such cycle; read once per request."""
    cycle = cycle_of_page(request, cycle_id)
    return cycle.round_id if cycle else None


def cycle_of_page(request: Request, cycle_id: str) -> Cycle | None:
    """Return a cycle's row, None when there is no such cycle; read once per request."""
    # `State` has no way to set a default; the dict behind it has.
    known: dict[str, Cycle | None] = request.state._state.setdefault("cycles", {})  # noqa: SLF001
    if cycle_id not in known:
        try:
            known[cycle_id] = app_context(request).product.cycles.get(cycle_id)
        except NotFoundError:
            known[cycle_id] = None
    return known[cycle_id]


def is_in_practice(request: Request) -> bool:
    """Whether a page is about a practice program, which every such page says."""
    cycle_id = request.path_params.get("cycle_id")
    cycle = cycle_of_page(request, cycle_id) if cycle_id else None
    task: Cycle | None = request.state._state.get("cycle_of_task")  # noqa: SLF001
    return any(one is not None and one.is_practice for one in (cycle, task))


def check_sign_in_method(request: Request, principal: Principal, cycle_id: str) -> Rules:
    """Refuse a sign-in that the rules of a cycle do not take; asked once the right is there.

    Gives the rules, which it has to read.

    Raises:
        ForbiddenError: If the rules want the identity provider and it was something else.
        NotSignedInError: If the rules let no session become as old as this one.
    """
    app = app_context(request)
    rules = app.product.cycles.rules(cycle_id)
    app.office.sign_in.check_method(principal, rules)
    return rules


def may(right: Right) -> Callable[[Request], Principal]:
    """Require a right: in the cycle that the path's `cycle_id` names, else in the office.

    The dependency raises NotSignedInError, ForbiddenError, or NotFoundError for a cycle in which
    the principal has no right at all, whether there is such a cycle or not.
    """

    def check(request: Request) -> Principal:
        principal = signed_in(request)
        cycle_id = request.path_params.get("cycle_id")
        round_id = round_of(request, cycle_id) if cycle_id else None
        if cycle_id and round_id is None:
            raise NotFoundError("program_not_visible", program=cycle_id)
        require(principal, right, cycle_id=cycle_id, round_id=round_id)
        # After the right: a person without one must not learn what a program demands of a sign-in.
        if cycle_id:
            check_sign_in_method(request, principal, cycle_id)
            _check_seat(request, principal, cycle_id)
        return principal

    check.__name__ = f"may_{right.name.lower()}"
    return check


def may_in_office(right: Right) -> Callable[[Request], Principal]:
    """Require a right in the whole office, though the path's `cycle_id` names a program.

    For what belongs to an account and so to all programs. The dependency raises as that of `may`.
    """
    allowed = may(right)

    def check(request: Request) -> Principal:
        principal = allowed(request)
        require(principal, right, cycle_id=None, round_id=None)
        return principal

    check.__name__ = f"may_{right.name.lower()}_in_office"
    return check


def may_in_round(right: Right) -> Callable[[Request], Principal]:
    """Require a right in the round that the path's `round_id` names: a program's is too little.

    The dependency raises NotSignedInError or ForbiddenError.
    """

    def check(request: Request) -> Principal:
        principal = signed_in(request)
        require(principal, right, cycle_id=None, round_id=request.path_params["round_id"])
        return principal

    check.__name__ = f"may_{right.name.lower()}_in_round"
    return check


def seat_view_of(request: Request, principal: Principal, cycle_id: str) -> SeatView | None:
    """Return what a reviewer may see of a program in another role; None for everything.

    Read once per request, and not at all for people without a seat.
    """
    number = principal.reviews_in(cycle_id)
    if number is None:
        return None
    cycle = cycle_of_page(request, cycle_id)
    if cycle is not None and cycle.is_practice:
        return None  # people play every role there, and no applicant is real
    known: dict[str, SeatView | None] = request.state._state.setdefault("seats", {})  # noqa: SLF001
    if cycle_id not in known:
        known[cycle_id] = app_context(request).product.reviewers.seat_view(cycle_id, number)
    return known[cycle_id]


def closed_programs(request: Request, principal: Principal) -> frozenset[str]:
    """Return the programs in which a principal is a reviewer first: asking has not ended there."""
    return frozenset(
        cycle_id
        for cycle_id, _ in principal.seats
        if seat_view_of(request, principal, cycle_id) is not None
    )


def _check_seat(request: Request, principal: Principal, cycle_id: str) -> None:
    """Refuse what a reviewer of the program may not see in another role, by the route's door.

    Raises:
        ForbiddenError: If the route is closed to them, or its applicant is.
    """
    if principal.reviews_in(cycle_id) is None:
        return
    path = request.scope["route"].path_format
    door = door_of(request.method, path)
    if door in {Door.FREE, Door.LISTED}:
        return
    seat = seat_view_of(request, principal, cycle_id)
    if seat is None:
        return
    if door is Door.CLOSED:
        raise ForbiddenError("closed_to_reviewer")
    named = request.path_params.get("application", request.path_params.get("number"))
    try:
        number = int(str(named))
    except ValueError as error:
        raise NotFoundError("applicant_number_unknown", number=named) from error
    seat.check(number, by_name=door is Door.NAMED)


def may_in_unit(right: Right) -> Callable[[Request], Principal]:
    """Require a right in the unit that the path's `unit_id` names.

    The dependency raises NotSignedInError, ForbiddenError, or NotFoundError for a unit in which
    the principal has no right at all, whether there is such a unit or not.
    """

    def check(request: Request) -> Principal:
        principal = signed_in(request)
        unit_id = request.path_params["unit_id"]
        unit = app_context(request).office.units.all().units.get(unit_id)
        round_id = request.path_params.get("round_id")
        if unit is None or round_id not in {None, unit.round_id}:
            raise NotFoundError("unit_not_visible", unit=unit_id)
        check_unit(principal, right, unit)
        return principal

    check.__name__ = f"may_in_unit_{right.name.lower()}"
    return check


def may_in_round_or_unit(right: Right) -> Callable[[Request], Principal]:
    """Require a right in the round that the path's `round_id` names, or in a unit of it."""

    def check(request: Request) -> Principal:
        principal = signed_in(request)
        round_id = request.path_params["round_id"]
        units = app_context(request).office.units.all().units.values()
        if not any(
            right in principal.rights(round_id=round_id, unit_id=unit.id)
            for unit in units
            if unit.round_id == round_id
        ):
            require(principal, right, cycle_id=None, round_id=round_id)
        return principal

    check.__name__ = f"may_in_round_or_unit_{right.name.lower()}"
    return check


def may_anywhere(right: Right) -> Callable[[Request], Principal]:
    """Require a right in at least one cycle: for pages that list what the principal may see."""

    def check(request: Request) -> Principal:
        principal = signed_in(request)
        if right not in principal.rights_anywhere:
            require(principal, right, cycle_id=None, round_id=None)
        return principal

    check.__name__ = f"may_somewhere_{right.name.lower()}"
    return check


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnTask:
    """A reviewer's own task, the code that names it, and the reviewer."""

    principal: Principal
    task: TaskRecord
    code: str

    @property
    def assignment(self) -> Assignment:
        """The assignment of the task."""
        return self.task.assignment

    @property
    def rules(self) -> Rules:
        """The rules of its program."""
        return self.task.rules


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnSeat:
    """A reviewer's own seat in a cycle."""

    principal: Principal
    cycle_id: str
    number: int


def own_task(request: Request, task: str) -> OwnTask:
    """Require that the task in the path is the principal's own; another's is not there at all.

    Raises:
        NotSignedInError: If nobody is signed in.
        NotFoundError: If it is not theirs, or there is none.
    """
    app = app_context(request)
    # Who asks and what they ask for on one connection: taking one costs as much as a statement.
    with app.product.tasks.one_moment():
        principal = signed_in(request)
        number = principal.reviews_in(cycle_of(task))
        if number is None:
            raise NotFoundError("task_not_yours")
        found = app.product.tasks.find(task, reviewer=number)
        app.office.sign_in.check_method(principal, found.rules)
    request.state.cycle_of_task = found.cycle
    return OwnTask(principal=principal, task=found, code=task)


async def own_task_within() -> None:
    """Mark a handler that asks `own_task` itself, in the thread in which it works.

    A dependency is given a thread of its own, and a reviewer who saves would wait for two in turn.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenSeats:
    """A person's seats whose cycles take this sign-in, and why the others are missing.

    Attributes:
        refusals: Why cycles do not take it.
        damaged: Why the record of others cannot be read.
    """

    seats: tuple[ProgramSeat, ...]
    refusals: tuple[str, ...]
    damaged: tuple[str, ...]


def open_seats(request: Request, principal: Principal) -> OpenSeats:
    """Return the seats whose cycles take this sign-in, and why the others do not.

    A program that wants the identity provider, or whose record is damaged, must not close the
    others' list; one that was erased since the principal was read is no seat any more.
    """
    app = app_context(request)
    seats, refusals = [], []
    found, damaged = app.product.tasks.readable_seats(principal.seats)
    for seat in found:
        try:
            app.office.sign_in.check_method(principal, seat.rules)
        except ForbiddenError as error:
            refusals.append(error.message)
        else:
            seats.append(seat)
    return OpenSeats(seats=tuple(seats), refusals=tuple(dict.fromkeys(refusals)), damaged=damaged)


def own_seat(request: Request, cycle_id: str) -> OwnSeat:
    """Require that the principal reviews in the cycle that the path names."""
    principal = signed_in(request)
    number = principal.reviews_in(cycle_id)
    if number is None:
        raise NotFoundError("no_reviewer_role")
    check_sign_in_method(request, principal, cycle_id)
    return OwnSeat(principal=principal, cycle_id=cycle_id, number=number)


Own = Annotated[OwnTask, Depends(own_task)]
"""A task of the principal."""

Seat = Annotated[OwnSeat, Depends(own_seat)]
"""A seat of the principal."""

Signed = Annotated[Principal, Depends(signed_in)]
"""The person who is signed in."""


def safe_path(path: str) -> str:
    """Return a path on this site; anything else leads home, so that no link can lead elsewhere.

    Browsers drop tabs and line breaks from addresses and read a backslash as a slash.
    """
    inside = path.startswith("/") and not path.startswith("//") and "\\" not in path
    return path if inside and path.isprintable() else "/"
