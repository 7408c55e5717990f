"""Advice as tables: the next requests, the ranking, and the files that other systems import."""

import json
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path

from swapflow.advice.advise import MarksAdvice
from swapflow.errors import InvalidInputError
from swapflow.files.exports.writers import Cell, ExportSheet, Format, sheet_bytes, write_file
from swapflow.files.marks.people import read_returned


NEXT, RANKING = "next", "ranking"
"""Stems of the two tables."""


class HotcrpAction(StrEnum):
    """How HotCRP is asked for a review; none of these takes one away."""

    PRIMARY = "primary"
    SECONDARY = "secondary"
    PCREVIEW = "pcreview"


def next_sheet(advice: MarksAdvice) -> ExportSheet:
    """Return the next requests, with an empty column for the marks that come back."""
    names = advice.names
    titled = bool(names)
    headers = ("applicant", *(("name",) if titled else ()), "kind", "reviewer", "mark")
    rows: list[tuple[Cell, ...]] = []
    for one in advice.requests:
        title = (names.get(one.applicant, ""),) if titled else ()
        # A panel is a row for each of its people: each gives a mark.
        rows += [
            (one.applicant, *title, one.kind, who, "", one.reason, round(one.gain, 4))
            for who in one.reviewer.split("; ")
        ]
    return ExportSheet(name=NEXT, headers=(*headers, "reason", "gain"), rows=tuple(rows))


def ranking_sheet(advice: MarksAdvice) -> ExportSheet:
    """Return everyone with place, range and likelihood, best first."""
    names = advice.names
    titled = bool(names)
    return ExportSheet(
        name=RANKING,
        headers=(
            "rank",
            "applicant",
            *(("name",) if titled else ()),
            "estimate",
            "low",
            "high",
            "likely",
            "zone",
            "reviews",
        ),
        rows=tuple(
            (
                one.rank,
                one.applicant,
                *((names.get(one.applicant, ""),) if titled else ()),
                round(one.estimate, 2),
                round(one.low, 2),
                round(one.high, 2),
                round(one.likely, 3),
                one.zone,
                one.reviews,
            )
            for one in advice.standing.ranking
        ),
    )


def hotcrp_sheet(
    advice: MarksAdvice, action: HotcrpAction, *, round_name: str = ""
) -> ExportSheet:
    """Return the requests as HotCRP's bulk assignment takes them."""
    return ExportSheet(
        name="hotcrp",
        headers=("paper", "action", "email", "round"),
        rows=tuple(
            (one.applicant, action.value, who, round_name)
            for one in advice.requests
            for who in one.reviewer.split("; ")
            if "@" in who
        ),
    )


def pretalx_content(advice: MarksAdvice) -> Mapping[str, list[str]]:
    """Return the proposals of each reviewer, as pretalx's import of assignments takes them."""
    found: dict[str, list[str]] = {}
    for one in advice.requests:
        for who in one.reviewer.split("; "):
            if who:
                found.setdefault(who, []).append(one.applicant)
    return found


def openreview_content(advice: MarksAdvice) -> Mapping[str, list[str]]:
    """Return the profiles to assign to each paper, as OpenReview's upload by Python takes them."""
    found: dict[str, list[str]] = {}
    for one in advice.requests:
        for who in one.reviewer.split("; "):
            if who:
                found.setdefault(one.applicant, []).append(who)
    return found


def write_tables(
    folder: Path,
    advice: MarksAdvice,
    *,
    action: HotcrpAction | None = None,
    round_name: str = "",
) -> list[Path]:
    """Write the tables as CSV and XLSX, and what the system that the marks are from imports.

    Raises:
        InvalidInputError: If a file cannot be written, or one that is there holds marks.
    """
    refuse_overwriting(folder)
    written = [
        write_file(folder / f"{sheet.name}.{form.value}", sheet_bytes(sheet, form))
        for sheet in (next_sheet(advice), ranking_sheet(advice))
        for form in (Format.CSV, Format.XLSX)
    ]
    systems = {one.system for one in advice.files}
    if action is not None:
        sheet = hotcrp_sheet(advice, action, round_name=round_name)
        # HotCRP reads plain UTF-8, and a tab before a text would be part of it.
        written.append(write_file(folder / "hotcrp.csv", sheet_bytes(sheet, Format.CSV, raw=True)))
    for system, content in (
        ("pretalx", pretalx_content(advice)),
        ("OpenReview", openreview_content(advice)),
    ):
        if system in systems and content:
            text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
            written.append(write_file(folder / f"{system.lower()}.json", text.encode()))
    return written


def refuse_overwriting(folder: Path) -> None:
    """Refuse to write over a table of requests into which marks were typed.

    Raises:
        InvalidInputError: If there is one.
    """
    for form in (Format.CSV, Format.XLSX):
        path = folder / f"{NEXT}.{form.value}"
        if path.exists() and (marks := read_returned(path)):
            raise InvalidInputError("advice_marks_typed", path=path, marks=marks)
