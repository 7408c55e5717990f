"""The bar at the top of every page: which program, whom to find, and who is signed in."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from fastapi import Request
from fastapi.responses import Response

from swapflow.i18n.languages import languages_to_choose
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal
from swapflow.web.http.context import app_context


COUNT_COOKIE = "swapflow-to-do"
"""Holds how many things stood on To do when this account last saw it, and for which account."""

COUNT_KEPT = 600
"""Seconds for which the count is shown; afterwards the tab has none until To do is opened."""

_REVIEWING = frozenset({"inbox", "tasks", "documents"})
"""First parts of the reviewer's pages: their bar asks the database nothing."""

_RIGHTS = {
    "applicants": Right.SEE_APPLICANTS,
    "reviewers": Right.SEE_REVIEWERS,
    "decide": Right.SEE_APPLICANTS,
    "setup": Right.SET_UP,
}
"""Places that exist in each program, and the right that one needs there to stay in the place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramLink:
    """A program in the picker, its state, and whether the person may read its applicants.

    Attributes:
        is_practice: Whether it is for training: the picker has it last and in its own colour.
    """

    name: str
    address: str
    status: str
    is_current: bool
    is_read: bool
    is_practice: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TopBar:
    """What the bar shows beside the places.

    Attributes:
        programs: Those that the person may see, newest first; none hides the picker.
        current: Name of the program that the page is about, "" for none.
        find: Where the search is sent, "" where the person may find nobody.
        initials: Of the person's name, one or two letters.
        here: Where a choice of the menu comes back to; "" on pages of errors, whose menu has no
            forms: what may not be seen must look like what is not there.
        languages: Tag and own name of each language.
        to_do: How many things needed the person when last seen; None where that is not known.
    """

    programs: Sequence[ProgramLink]
    current: str
    find: str
    initials: str
    here: str
    languages: Sequence[tuple[str, str]]
    to_do: int | None


def top_bar(request: Request, principal: Principal | None, *, is_error: bool) -> TopBar | None:
    """Put together what the bar shows; None for a page without a person.

    Args:
        request: What is answered.
        principal: Who asks.
        is_error: Whether the page tells of an error: then the database is not asked, for it may
            be what failed.
    """
    if principal is None:
        return None
    place = request.url.path.split("/")[1]
    programs: tuple[ProgramLink, ...] = ()
    if not is_error and place not in _REVIEWING:
        programs = _programs(request, principal, place)
    return TopBar(
        programs=programs,
        current=next((one.name for one in programs if one.is_current), ""),
        find=_find(request, programs),
        initials=initials(principal.account.shown),
        here="" if is_error else request.url.path if request.method == "GET" else "/me",
        languages=languages_to_choose(),
        to_do=_kept_count(request, principal),
    )


def initials(name: str) -> str:
    """Return the first letters of the first and the last part of a name, or of an address."""
    words = name.partition("@")[0].replace(".", " ").split()
    parts = [word for word in words if word[0].isalnum()]
    return "".join(part[0] for part in [*parts[:1], *parts[1:][-1:]]).upper() or "·"


def keep_count(request: Request, response: Response, principal: Principal, count: int) -> None:
    """Keep in the browser how many things need a person, for the tab on the pages that follow.

    The count rests on the whole record of every program; other pages show what To do found rather
    than count again.
    """
    response.set_cookie(
        COUNT_COOKIE,
        f"{count}.{_mark(principal)}",
        max_age=COUNT_KEPT,
        path="/",
        secure=app_context(request).settings.secure,
        httponly=True,
        samesite="lax",
    )


def _programs(request: Request, principal: Principal, place: str) -> tuple[ProgramLink, ...]:
    if Right.SEE_PROGRESS not in principal.rights_anywhere:
        return ()
    here = request.path_params.get("cycle_id")
    found = []
    for cycle in reversed(app_context(request).product.cycles.list()):
        rights = principal.rights(cycle_id=cycle.id, round_id=cycle.round_id)
        if Right.SEE_PROGRESS not in rights:
            continue
        # A reviewer of the program has doors of their own; the overview is open to them.
        stays = _RIGHTS.get(place) in rights and principal.reviews_in(cycle.id) is None
        found.append(
            ProgramLink(
                name=cycle.name,
                address=f"/{place if stays else 'today'}/{cycle.id}",
                status=cycle.status.value,
                is_current=cycle.id == here,
                is_read=Right.SEE_APPLICANTS in rights,
                is_practice=cycle.is_practice,
            )
        )
    return tuple(sorted(found, key=lambda one: one.is_practice))


def _find(request: Request, programs: Sequence[ProgramLink]) -> str:
    """Return where the search is sent: to this program's table, or to the page over all."""
    if any(one.is_current and one.is_read for one in programs):
        return f"/applicants/{request.path_params['cycle_id']}"
    return "/find" if any(one.is_read and not one.is_practice for one in programs) else ""


def _kept_count(request: Request, principal: Principal) -> int | None:
    count, _, mark = request.cookies.get(COUNT_COOKIE, "").partition(".")
    # Another person may have signed in at the same browser since.
    is_theirs = mark == _mark(principal) and count.isascii() and count.isdigit()
    return int(count[:4]) if is_theirs else None


def _mark(principal: Principal) -> str:
    return sha256(principal.account.id.encode()).hexdigest()[:12]
