"""Blindness by a written list of headers: of programs made before their columns were chosen.

Such a program shows its reviewers what it showed them when it was launched.
"""

import re

from swapflow.domain.people.application import Application, NewApplication
from swapflow.domain.people.identity_mask import HIDDEN, SHORTEST_NAME


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

_LINK = re.compile(r"\S+://\S+|\bwww\.\S+", re.IGNORECASE)
_MAIL = re.compile(r"\S+@\S+")


def listed_fields(application: Application | NewApplication) -> dict[str, str]:
    """Return the fields that the list lets through, with links, addresses and the name masked."""
    return {
        header: mask_listed(value, name=application.name)
        for header, value in application.fields.items()
        if _plain(header) not in IDENTITY
    }


def mask_listed(value: str, *, name: str) -> str:
    """Mask links with a scheme, mail addresses, and the name as it is spelled in the list."""
    value = _MAIL.sub(HIDDEN, _LINK.sub(HIDDEN, value))
    parts = [p for p in re.split(r"[\s,.;]+", name) if len(p) >= SHORTEST_NAME]
    for part in parts:
        value = re.sub(rf"(?<!\w){re.escape(part)}(?!\w)", HIDDEN, value, flags=re.IGNORECASE)
    return value


def _plain(header: str) -> str:
    return re.sub(r"[\W_]+", " ", header).strip().lower()
