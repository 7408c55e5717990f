"""What a visitor says a spreadsheet's columns are: a choice for each, filled from the file."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from starlette.datastructures import FormData

from swapflow.advice.trial.seen_columns import MOST_COLUMNS
from swapflow.i18n.languages import gettext, gettext_noop
from swapflow.web.http.nested_forms import text


CHOICES = {
    "applicant": gettext_noop("applicant"),
    "reviewer": gettext_noop("reviewer"),
    "mark": gettext_noop("mark"),
    "kind": gettext_noop("kind of review"),
    "criterion": gettext_noop("criterion"),
    "name": gettext_noop("name"),
    "conflicts": gettext_noop("conflicts of interest"),
    "none": gettext_noop("not used"),
}
"""What a column may be said to be, in the order in which a page offers it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnChoice:
    """A column to say something of.

    Attributes:
        header: As the file has it.
        first: Its first cell that is filled.
        taken: What it is taken for without a word of the visitor, in their language.
        role: What they chose; "" for nothing.
    """

    header: str
    first: str
    taken: str
    role: str


def column_choices(
    columns: Iterable[tuple[str, str, str]], chosen: Mapping[str, str]
) -> tuple[ColumnChoice, ...]:
    """Return a choice for each column.

    Args:
        columns: Header, first cell, and what it is taken for; "" for nothing.
        chosen: What the visitor said so far, by header.
    """
    return tuple(
        ColumnChoice(
            header=header,
            first=first,
            taken=gettext(CHOICES[taken]) if taken in CHOICES else taken,
            role=chosen.get(header, ""),
        )
        for header, first, taken in columns
    )


def offered() -> list[tuple[str, str]]:
    """Return what can be chosen, as value and words."""
    automatic = [("", gettext("leave it to the header"))]
    return automatic + [(role, gettext(name)) for role, name in CHOICES.items()]


def chosen_columns(form: FormData) -> dict[str, str]:
    """Return what was chosen, by header; what is no choice of ours is left out."""
    pairs = (
        (text(form, f"column.{place}.header"), text(form, f"column.{place}.role"))
        for place in range(MOST_COLUMNS)
    )
    return {header: role for header, role in pairs if header and role in CHOICES}


def seen_before(form: FormData) -> tuple[tuple[str, str, str], ...]:
    """Return the columns that a page sent along, as it showed them."""
    rows = (
        tuple(text(form, f"column.{place}.{part}") for part in ("header", "first", "taken"))
        for place in range(MOST_COLUMNS)
    )
    return tuple((row[0], row[1], row[2]) for row in rows if row[0])


def said_role(taken: str) -> str:
    """Return the choice that is meant by what an answer says of a column."""
    return "mark" if taken.startswith("mark") else taken
