"""The words of every mail, once: from them come the plain text and its HTML twin.

No letter has a place for an applicant's name, mark or document: a mail is read on screens that
swapflow knows nothing of. Every value is escaped where it enters the HTML.
"""

import re
from dataclasses import dataclass
from datetime import datetime
from html import escape
from zoneinfo import ZoneInfo

from swapflow.engine.ports import Mail


_BREAKS = re.compile(r"[\s\x00-\x1f\x7f\u0085\u2028\u2029]+")
_BODY = "margin:0 auto;max-width:34rem;padding:1rem;font:16px/1.5 system-ui,sans-serif"
_BUTTON = (
    "display:inline-block;padding:.7rem 1.2rem;border-radius:10px;background:#0f5c63;"
    "color:#ffffff;text-decoration:none;font-weight:600"
)


@dataclass(frozen=True, slots=True)
class Link:
    """An address to go to: a button in HTML, a line of its own in plain text."""

    address: str
    label: str


@dataclass(frozen=True, slots=True)
class Code:
    """Something to be typed, set apart."""

    text: str


Part = str | Link | Code


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    """A mail before it has a recipient.

    Attributes:
        subject: One line.
        parts: Paragraphs and links, in order.
        calendar: An iCalendar object that goes with it, "" for none.
    """

    subject: str
    parts: tuple[Part, ...]
    calendar: str = ""

    def to(self, address: str, *, mail_id: str) -> Mail:
        """Address the letter; what is sent twice under one id is one mail."""
        return Mail(
            id=mail_id,
            to=address,
            subject=one_line(self.subject),
            text=self.text,
            html=self.html,
            calendar=self.calendar,
            state="queued",
        )

    @property
    def text(self) -> str:
        """The plain text."""
        return "\n\n".join(_plain(part) for part in self.parts) + "\n"

    @property
    def html(self) -> str:
        """The same words in HTML, without anything that is loaded from elsewhere."""
        body = "\n".join(_marked_up(part) for part in self.parts)
        return (
            f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
            f"<title>{escape(one_line(self.subject))}</title></head>\n"
            f'<body style="{_BODY}">\n{body}\n</body></html>\n'
        )


def one_line(text: str) -> str:
    """Fold line breaks and control characters, so that nothing can start a header of its own."""
    return _BREAKS.sub(" ", text).strip()


def moment(at: datetime, zone: str) -> str:
    """Spell a moment in a zone: "Fri 12 Dec 2026, 17:00 CET"."""
    local = at.astimezone(ZoneInfo(zone))
    return f"{local:%a} {local.day} {local:%b %Y, %H:%M} {local.tzname()}"


# Sign-in


def sign_in_letter(link: str, code: str, minutes: int) -> Letter:
    """Lead somebody in: by a link, or by a code typed where they asked for it."""
    return Letter(
        subject="Your way into swapflow",
        parts=(
            "Somebody, most likely you, asked to sign in with this address.",
            Link(link, "Sign in"),
            "Or type this code on the page that asked for it:",
            Code(code),
            f"Link and code work once, for {_count(minutes, 'minute')}.",
            "If it was not you, nothing needs doing: without this mail nobody gets in.",
        ),
    )


# To reviewers


def waiting_letter(program: str, *, count: int, due: str, link: str) -> Letter:
    """Say how many reviews wait, and the next due date."""
    return Letter(
        subject=f"{_waiting(count)} for you: {program}",
        parts=(
            f"{_waiting(count)} for you in {_quoted(program)}.{_next_due(due)}",
            Link(link, "See your reviews"),
            "If you cannot take one of them, please decline it soon, so that somebody else can.",
        ),
    )


def reminder_letter(program: str, *, count: int, due: str, link: str, last: bool) -> Letter:
    """Remind of reviews that are due soon."""
    after = (
        "After that they are given to somebody else."
        if last
        else "If you cannot make it, please decline, so that somebody else can take over."
    )
    return Letter(
        subject=f"{'Last reminder' if last else 'Reminder'}: {_due(count)} by {due}",
        parts=(
            f"{_due(count)} in {_quoted(program)}, the first of them by {due}."
            if count > 1
            else f"{_due(count)} in {_quoted(program)} by {due}.",
            Link(link, "Go to your reviews"),
            after.replace("they are", "it is") if count == 1 else after,
            "What you have typed so far is kept.",
        ),
    )


def nudge_letter(program: str, *, count: int, due: str, link: str, by: str) -> Letter:
    """Ask for reviews that wait, on behalf of a person."""
    return Letter(
        subject=f"{_waiting(count)} for you: {program}",
        parts=(
            f"{by} asks you to look at your reviews in {_quoted(program)}.",
            f"{_waiting(count)} for you.{_next_due(due)}",
            Link(link, "See your reviews"),
            "If you cannot take them, please decline, so that somebody else can.",
        ),
    )


def _plain(part: Part) -> str:
    if isinstance(part, Link):
        return f"{part.label}:\n{part.address}"
    return f"    {part.text}" if isinstance(part, Code) else part


def _marked_up(part: Part) -> str:
    if isinstance(part, Link):
        address, label = escape(part.address), escape(part.label)
        return f'<p><a href="{address}" style="{_BUTTON}">{label}</a></p>'
    if isinstance(part, Code):
        return f'<p style="font-size:1.5rem;letter-spacing:.15em">{escape(part.text)}</p>'
    return f"<p>{escape(part)}</p>"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _waiting(count: int) -> str:
    return "One review waits" if count == 1 else f"{count} reviews wait"


def _due(count: int) -> str:
    return "1 review is due" if count == 1 else f"{count} reviews are due"


def _next_due(due: str) -> str:
    return f" The next one is due by {due}." if due else ""


def _quoted(program: str) -> str:
    return f"“{one_line(program)}”"
