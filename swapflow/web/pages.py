"""From a template and what it shows to a page: what every page has in common."""

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment, PackageLoader, StrictUndefined

from swapflow.office.facade import Visitor
from swapflow.office.rights import Right
from swapflow.web.access import visitor_of
from swapflow.web.parts import parts_of


STATIC = Path(__file__).parent / "static"

PLACES: tuple[tuple[str, str, Right], ...] = (
    ("today", "Today", Right.SEE_PROGRESS),
    ("applicants", "Applicants", Right.SEE_APPLICANTS),
    ("reviewers", "Reviewers", Right.SEE_REVIEWERS),
    ("decide", "Decide", Right.SEE_APPLICANTS),
    ("setup", "Setup", Right.SET_UP),
)
"""The five places of staff: path, name, and the right without which a place is not shown."""


def render(
    request: Request,
    template: str,
    context: Mapping[str, Any] | None = None,
    *,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
) -> HTMLResponse:
    """Fill a template.

    Beside its own context it sees `visitor`, `place`, `places`, `request`, `provider`.

    Args:
        request: What is answered.
        template: Name of a file in `templates/`.
        context: What the template shows.
        status: HTTP status.
        headers: Further headers.
    """
    visitor = visitor_of(request)
    page = _environment().get_template(template)
    text = page.render(
        {
            "request": request,
            "visitor": visitor,
            "places": places_of(visitor, request.path_params.get("cycle_id")),
            "place": request.url.path.split("/")[1],
            "provider": parts_of(request).settings.provider,
            **(context or {}),
        }
    )
    return HTMLResponse(text, status_code=status, headers=dict(headers or {}))


def places_of(visitor: Visitor | None, cycle_id: str | None) -> list[tuple[str, str, str]]:
    """Give path, address and name of the places that a visitor may go to, in this cycle."""
    if visitor is None:
        return []
    held = visitor.rights_anywhere
    return [
        (path, f"/{path}/{cycle_id}" if cycle_id else f"/{path}", name)
        for path, name, right in PLACES
        if right in held
    ]


def asset(name: str) -> str:
    """Give the address of a file in `static/`, which changes with its content."""
    return f"/static/{name}?v={_digest(name)}"


@cache
def _digest(name: str) -> str:
    return hashlib.sha256((STATIC / name).read_bytes()).hexdigest()[:12]


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("swapflow.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["asset"] = asset
    environment.filters.update(
        moment=moment,
        day=day,
        clock=clock,
        hundred=hundred,
        number=number,
        plural=plural,
        sentence=sentence,
    )
    return environment


def moment(at: datetime | None, zone: str = "UTC") -> str:
    """Spell a moment in a zone: "Fri 12 Dec 2026, 17:00 CET"."""
    if at is None:
        return "no date"
    local = at.astimezone(ZoneInfo(zone))
    return f"{local:%a} {local.day} {local:%b %Y, %H:%M} {local.tzname()}"


def day(at: datetime | None, zone: str = "UTC") -> str:
    """Spell a day in a zone: "Fri 12 Dec"."""
    if at is None:
        return "no date"
    local = at.astimezone(ZoneInfo(zone))
    return f"{local:%a} {local.day} {local:%b}"


def clock(at: datetime | None, zone: str = "UTC") -> str:
    """Spell the time of a day in a zone: "14:02"."""
    return "" if at is None else f"{at.astimezone(ZoneInfo(zone)):%H:%M}"


def until(at: datetime | None, now: datetime | None = None) -> str:
    """Spell how far away a moment is: "in 2 days", "3 hours ago"."""
    if at is None:
        return ""
    seconds = (at - (now or datetime.now(UTC))).total_seconds()
    size = abs(seconds)
    for name, length in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if size >= length:
            count = plural(int(size // length), name)
            return f"in {count}" if seconds > 0 else f"{count} ago"
    return "now"


def hundred(value: float | None) -> str:
    """Spell a score in [0, 1] as 0 to 100."""
    return "–" if value is None else f"{100 * value:.0f}"


def number(value: float | None) -> str:
    """Spell a count with its thousands apart."""
    return "–" if value is None else f"{value:,.0f}".replace(",", "\u202f")


def plural(count: int, noun: str, many: str = "") -> str:
    """Spell a count and its noun: "1 review", "3 reviews"."""
    return f"{number(count)} {noun if count == 1 else many or noun + 's'}"


def sentence(text: str) -> str:
    """Spell a message as a sentence: a capital first, a full stop last."""
    text = text.strip()
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")
