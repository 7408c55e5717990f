"""From a template and what it shows to a page: what every page has in common."""

import hashlib
import secrets
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment, PackageLoader, StrictUndefined

from swapflow.domain.cycle import CycleStatus
from swapflow.files.exports.writers import Format
from swapflow.i18n.formatting import (
    clock,
    cost_words,
    counted,
    date_of,
    day,
    day_number,
    decimal,
    hours,
    long_day,
    moment,
    number,
    weekday,
    zone_place,
)
from swapflow.i18n.languages import current_language, gettext, gettext_noop, ngettext
from swapflow.i18n.translation import translate
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal
from swapflow.web.http.acts.told import forget, told, with_field
from swapflow.web.http.bar.top_bar import COUNT_COOKIE, top_bar
from swapflow.web.http.context import app_context
from swapflow.web.http.dependencies import is_in_practice, principal_of
from swapflow.web.http.labels import PHASES
from swapflow.web.http.language import keys_are_off


STATIC = Path(__file__).parents[1] / "static"

TO_DO = "today"
"""First part of the addresses of To do, and of the pages of a program under way."""

PLACES: tuple[tuple[str, str, Right], ...] = (
    ("today", gettext_noop("To do"), Right.SEE_PROGRESS),
    ("applicants", gettext_noop("Applicants"), Right.SEE_APPLICANTS),
    ("reviewers", gettext_noop("Reviewers"), Right.SEE_REVIEWERS),
    ("decide", gettext_noop("Decide"), Right.SEE_APPLICANTS),
    ("setup", gettext_noop("Set up"), Right.SET_UP),
)
"""The five places of staff: path, name, and the right without which a place is not shown."""


_ERRORS = frozenset({"away.html", "error.html", "error_notice.html", "signed_out.html"})
"""Pages that are built when something failed, which may be the database."""


def render(
    request: Request,
    template: str,
    context: Mapping[str, Any] | None = None,
    *,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
) -> HTMLResponse:
    """Fill a template.

    Forms carry the number of their page, and a page tells of the act that led to it. Beside its
    own context a template sees `principal`, `place`, `bar_place`, `places`, `request`,
    `provider`, `language`, `keys_off`, `mail_leaves`, `may_connect_mail`, `act_notice`, `top_bar`
    and `in_practice`.

    Args:
        request: What is answered.
        template: Name of a file in `templates/`.
        context: What the template shows.
        status: HTTP status.
        headers: Further headers.
    """
    principal = principal_of(request)
    is_error = template in _ERRORS
    bar = top_bar(request, principal, is_error=is_error)
    page = _environment().get_template(template)
    # A page of an error is built in the loop that answers everybody, and the error may be that the
    # database is away, or hide that there is such a program. What was done the next page tells.
    notice = None if is_error else told(request, principal)
    in_practice = not is_error and is_in_practice(request)
    text = page.render(
        {
            "request": request,
            "principal": principal,
            "places": places_of(principal, request.path_params.get("cycle_id")),
            "place": request.url.path.split("/")[1],
            "bar_place": _bar_place(request),
            "provider": app_context(request).settings.provider,
            "language": current_language(),
            "keys_off": keys_are_off(request),
            "act_notice": notice,
            "top_bar": bar,
            "mail_leaves": app_context(request).product.outbox.leaves and not in_practice,
            "may_connect_mail": principal is not None and Right.RUN in principal.rights_anywhere,
            "in_practice": in_practice,
            **(context or {}),
        }
    )
    if principal is not None:
        text = with_field(text, secrets.token_urlsafe(9))
    response = HTMLResponse(text, status_code=status, headers=dict(headers or {}))
    if notice is not None:
        forget(request, response)
        # What was just done may have been one of the things that stood on To do.
        if COUNT_COOKIE in request.cookies:
            response.delete_cookie(COUNT_COOKIE, path="/")
    return response


def places_of(principal: Principal | None, cycle_id: str | None) -> list[tuple[str, str, str]]:
    """Return path, address and name of the places that a principal may go to, in this cycle."""
    if principal is None:
        return []
    held = principal.rights_anywhere
    return [
        place
        for path, name, right in PLACES
        if right in held
        for place in (
            _to_do_and_overview(gettext(name), cycle_id)
            if path == TO_DO
            else [(path, f"/{path}/{cycle_id}" if cycle_id else f"/{path}", gettext(name))]
        )
    ]


def _to_do_and_overview(name: str, cycle_id: str | None) -> list[tuple[str, str, str]]:
    """Return the page over all programs, and inside a program its own page beside it."""
    both = [(TO_DO, f"/{TO_DO}", name)]
    if cycle_id:
        both.append(("overview", f"/{TO_DO}/{cycle_id}", gettext("Overview")))
    return both


def _bar_place(request: Request) -> str:
    """Return which place of the bar a page belongs to."""
    place = request.url.path.split("/")[1]
    return "overview" if place == TO_DO and "cycle_id" in request.path_params else place


def asset(name: str) -> str:
    """Return the address of a file in `static/`, which changes with its content."""
    return f"/static/{name}?v={_digest(name)}"


@cache
def _digest(name: str) -> str:
    return hashlib.sha256((STATIC / name).read_bytes()).hexdigest()[:12]


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("swapflow.web"),
        autoescape=True,
        # A misspelt name in a template must fail in a test, not show as nothing.
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.i18n"],
    )
    environment.policies["ext.i18n.trimmed"] = True
    install = environment.install_gettext_callables  # type: ignore[attr-defined]  # the extension
    install(gettext, ngettext, newstyle=True)
    environment.globals.update(
        asset=asset, counted=counted, weekday=weekday, day_number=day_number
    )
    environment.filters.update(
        moment=moment,
        day=day,
        long_day=long_day,
        hours=hours,
        cost=cost_words,
        date_of=date_of,
        clock=clock,
        hundred=hundred,
        number=number,
        decimal=decimal,
        phase=phase,
        plural=plural,
        sentence=sentence,
        translated=translate,
        zone_place=zone_place,
    )
    return environment


def phase(status: str) -> str:
    """Return what a program is busy with, by its status."""
    return gettext(PHASES[CycleStatus(status)])


def hundred(value: float | None) -> str:
    """Format a score in [0, 1] as 0 to 100."""
    return "–" if value is None else f"{100 * value:.0f}"


def plural(count: int, noun: str, many: str = "") -> str:
    """Format a count and its noun in English: "1 review", "3 reviews"."""
    return f"{number(count)} {noun if count == 1 else many or noun + 's'}"


def sentence(text: str) -> str:
    """Format a message as a sentence: a capital first, a full stop last.

    Messages of lower layers are worded in the reader's language here.
    """
    text = translate(text).strip()
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")


MEDIA: Mapping[Format, str] = {
    Format.CSV: "text/csv; charset=utf-8",
    Format.XLSX: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    Format.JSON: "application/json",
}
