"""What a reviewer may see of an applicant; in a blind cycle, nothing that identifies a person."""

import re
from collections.abc import Iterable
from typing import Protocol

from swapflow.domain.people.application import Application


IDENTITY = frozenset(
    {
        "first name",
        "last name",
        "middle name",
        "given name",
        "family name",
        "full name",
        "preferred name",
        "surname",
        "nickname",
        "phone",
        "mobile",
        "telephone",
        "e mail",
        "email",
        "mail",
        "address",
        "street",
        "social media",
        "linkedin",
        "github",
        "website",
        "homepage",
        "url",
        "photo",
        "picture",
        "passport",
        "id number",
        "student number",
    }
)
"""Headers of columns that identify a person, in lower case and without punctuation."""

HIDDEN = "[hidden in a blind round]"
SHORTEST_NAME = 3
"""Parts of a name this long are hidden in other fields; shorter ones occur in any text."""


class Identified(Protocol):
    """What identifies an applicant: number, id and name."""

    @property
    def number(self) -> int:
        """The number in the cycle, from 0."""
        ...

    @property
    def external_id(self) -> str:
        """The office's id."""
        ...

    @property
    def name(self) -> str:
        """The name; "" when it is not known."""
        ...


_LINK = re.compile(r"\S+://\S+|\bwww\.\S+", re.IGNORECASE)
_MAIL = re.compile(r"\S+@\S+")


def visible_fields(application: Application, *, blind: bool) -> dict[str, str]:
    """Return the imported fields that a reviewer may see.

    In a blind cycle, identifying columns are left out, and links, mail addresses and the
    applicant's own name are hidden in the others: swapflow does not see what a link leads to, so
    it cannot promise that the page names no one.
    """
    if not blind:
        return dict(application.fields)
    return {
        header: _without_identity(value, application)
        for header, value in application.fields.items()
        if _plain(header) not in IDENTITY
    }


def shown_as(application: Identified, *, blind: bool) -> str:
    """Return a reviewer's name for an applicant: the office's id, or the name if not blind.

    An id that holds the applicant's name or address is replaced in a blind cycle.
    """
    if not blind:
        return application.name or application.external_id
    if _without_identity(application.external_id, application) != application.external_id:
        return f"Applicant {application.number + 1}"
    return application.external_id or f"Applicant {application.number + 1}"


def visible_documents(
    documents: Iterable[tuple[str, str, bool]], *, blind: bool
) -> dict[str, str]:
    """Return name and place of the files that a reviewer may see: redacted ones in a blind cycle.

    Args:
        documents: (name, place, marked redacted).
        blind: Whether the cycle is blind.
    """
    return {name: place for name, place, redacted in documents if redacted or not blind}


def _without_identity(value: str, application: Identified) -> str:
    value = _MAIL.sub(HIDDEN, _LINK.sub(HIDDEN, value))
    parts = [p for p in re.split(r"[\s,.;]+", application.name) if len(p) >= SHORTEST_NAME]
    for part in parts:
        value = re.sub(rf"(?<!\w){re.escape(part)}(?!\w)", HIDDEN, value, flags=re.IGNORECASE)
    return value


def _plain(header: str) -> str:
    return re.sub(r"[\W_]+", " ", header).strip().lower()
