"""Monitoring reports as plain values and as files."""

import io
import math
import zipfile
from pathlib import Path

from swapflow.errors import InvalidInputError
from swapflow.files.exports.document import DocumentGrid, DocumentPart
from swapflow.files.exports.writers import Cell, ExportSheet, Format, sheet_bytes, write_file
from swapflow.i18n.languages import gettext
from swapflow.monitoring.adverse_impact import FOUR_FIFTHS, SMALLEST_SHARE, Impact
from swapflow.monitoring.report import Grouping, Report
from swapflow.monitoring.tables import OTHERS, GroupEffort, StageTable


_LL144_HEADERS = (
    "category",
    "applicants",
    "selected or above the median",
    "rate",
    "impact ratio",
    "share of those known",
    "left out of the ratio",
)


def as_plain(report: Report) -> dict[str, object]:
    """Return a report as JSON has it.

    Small groups are merged, and the row `merged` is theirs: no row is `closed` any more. A table
    in which no group is large enough is, and has no rows. Numbers that are not defined are null.
    """
    return {
        "cycle": report.cycle_id,
        "made_at": report.at.isoformat(),
        "people": report.people,
        "decided": report.decided,
        "summary": [_summary(one) for one in report.groupings],
        "groupings": [_grouping(one) for one in report.groupings],
        "reviewers": [
            {"reviewer": one.reviewer, "done": one.done, "days": _finite(one.waited)}
            for one in report.reviewers
        ],
    }


_STAGE_NUMBERS = ("all", "selected", "rate", "ratio", "z", "p", "shortfall", "flipped")
_EFFORT_NUMBERS = ("people", "reviews", "interviews", "interviewed", "days")


def report_sheets(report: Report) -> tuple[ExportSheet, ...]:
    """Return a report's sums as lists: who went on at each stage, and how much work went to whom.

    Small groups, and those that would give them away, are one row, "others".
    """
    stages: list[tuple[Cell, ...]] = []
    efforts: list[tuple[Cell, ...]] = []
    for grouping in report.groupings:
        attributes = " × ".join(grouping.attributes)
        stages += [
            (attributes, table.stage, *_cells(_row(row), _STAGE_NUMBERS))
            for table in grouping.tables
            for row in table.rows
        ]
        efforts += [
            (attributes, *_cells(_effort(row), _EFFORT_NUMBERS)) for row in grouping.effort
        ]
    return (
        ExportSheet(
            name="monitoring-stages",
            headers=("attributes", "stage", "group", "closed", "merged", *_STAGE_NUMBERS, "flags"),
            rows=tuple(stages),
        ),
        ExportSheet(
            name="monitoring-effort",
            headers=("attributes", "group", "closed", "merged", *_EFFORT_NUMBERS),
            rows=tuple(efforts),
        ),
    )


def write_report(
    report: Report, folder: Path, form: Format, *, raw: bool = False
) -> tuple[Path, ...]:
    """Write a report's sums to a folder; returns the files.

    Raises:
        InvalidInputError: If nothing can be written there.
    """
    return tuple(
        write_file(folder / f"{sheet.name}.{form.value}", sheet_bytes(sheet, form, raw=raw))
        for sheet in report_sheets(report)
    )


def report_archive(report: Report, form: Format, *, raw: bool = False) -> bytes:
    """Return a report's sums as a ZIP of the files that `write_report` writes."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for sheet in report_sheets(report):
            archive.writestr(f"{sheet.name}.{form.value}", sheet_bytes(sheet, form, raw=raw))
    return file.getvalue()


def _cells(row: dict[str, object], numbers: tuple[str, ...]) -> tuple[Cell, ...]:
    flags = row.get("flags", [])
    told = "; ".join(map(str, flags)) if isinstance(flags, list) else ""
    # No row is closed any more: programs that read the column find it as it was.
    cells: list[Cell] = [str(row["group"]), False, bool(row["merged"])]
    for number in numbers:
        value = row[number]
        cells.append(value if isinstance(value, int | float) else None)
    return (*cells, told) if "flags" in row else tuple(cells)


def write_ll144(report: Report, folder: Path, *, sex: str, race: str) -> tuple[Path, ...]:
    """Write the tables of New York City's Local Law 144 (6 RCNY 5-300 to 5-304) as CSV.

    One file per rate and grouping (sex, race, sex and race), and `about.csv` with dates, source
    and the numbers of those unknown. The law wants the numbers of small groups, so nothing is
    merged here; what is below 2% is left out of the ratios, and says so.

    Args:
        report: A whole report that crossed the two attributes.
        folder: Where to.
        sex: Name of the attribute of sex.
        race: Name of the attribute of race or ethnicity.

    Returns:
        The files.

    Raises:
        InvalidInputError: If a table is missing, or nothing can be written there.
    """
    sheets = []
    about: list[tuple[Cell, ...]] = [
        ("made at", report.at.isoformat()),
        ("first request", report.first.isoformat() if report.first else ""),
        ("applicants", report.people),
        ("source", f"swapflow, cycle {report.cycle_id}: what applicants declared themselves"),
        ("smallest share", f"{SMALLEST_SHARE:.0%}: a smaller group is left out of the ratios"),
        ("four fifths", f"{FOUR_FIFTHS}: 29 CFR 1607.4(D), a rule of thumb"),
        ("notice", "these tables are no independent audit and no legal advice"),
    ]
    for name, attributes in (
        ("sex", (sex,)),
        ("race", (race,)),
        ("sex-and-race", tuple(sorted((sex, race)))),
    ):
        grouping = _find(report, attributes)
        for kind, table in (("selection", grouping.selection), ("scoring", grouping.scoring)):
            if table is None:
                raise InvalidInputError("monitoring_nothing_decided", cycle=report.cycle_id)
            sheets.append(_ll144_sheet(f"{kind}-{name}", table))
            unknown = table.unknown.all if table.unknown else None
            about.append((f"unknown, {kind} rate by {name}", unknown))
    sheets.append(ExportSheet(name="about", headers=("what", "value"), rows=tuple(about)))
    return tuple(
        write_file(folder / f"{sheet.name}.csv", sheet_bytes(sheet, Format.CSV))
        for sheet in sheets
    )


def _find(report: Report, attributes: tuple[str, ...]) -> Grouping:
    for grouping in report.groupings:
        if grouping.attributes == attributes:
            return grouping
    raise InvalidInputError("monitoring_table_missing", attributes=attributes)


def _ll144_sheet(name: str, table: StageTable) -> ExportSheet:
    return ExportSheet(
        name=name,
        headers=_LL144_HEADERS,
        rows=tuple(
            (
                row.group,
                row.tally.all,
                row.tally.selected,
                _rounded(row.tally.rate),
                None if row.left_out else _rounded(row.ratio),
                _rounded(row.share),
                "below 2%" if row.left_out else "",
            )
            for row in table.rows
        ),
    )


def _summary(grouping: Grouping) -> dict[str, object]:
    """Return what one attribute comes to: the group furthest behind, where any is compared."""
    lowest = grouping.lowest
    return {
        "attributes": list(grouping.attributes),
        "stage": grouping.main.stage,
        "groups": sum(row.group != OTHERS for row in grouping.main.rows),
        "closed": grouping.main.closed,
        "group": lowest.group if lowest else None,
        "ratio": _finite(lowest.ratio) if lowest else None,
        "p": _finite(lowest.p) if lowest else None,
        "flags": list(lowest.flags) if lowest else [],
    }


def _grouping(grouping: Grouping) -> dict[str, object]:
    return {
        "attributes": list(grouping.attributes),
        "tables": [_table(table) for table in grouping.tables],
        "effort": [_effort(row) for row in grouping.effort],
    }


def _table(table: StageTable) -> dict[str, object]:
    return {
        "stage": table.stage,
        "closed": table.closed,
        "unknown": table.unknown.all if table.unknown else None,
        "rows": [_row(row) for row in table.rows],
    }


def _row(row: Impact) -> dict[str, object]:
    return {
        "group": row.group or _MERGED,
        "closed": False,
        "merged": row.group == OTHERS,
        "all": row.tally.all,
        "selected": row.tally.selected,
        "rate": _finite(row.tally.rate),
        "ratio": _finite(row.ratio),
        "z": _finite(row.z),
        "p": _finite(row.p),
        "shortfall": _finite(row.shortfall),
        "flipped": _finite(row.flipped),
        "flags": list(row.flags),
    }


def _effort(row: GroupEffort) -> dict[str, object]:
    return {
        "group": "" if row.group is None else row.group or _MERGED,
        "closed": False,
        "merged": row.group == OTHERS,
        "people": row.people,
        "reviews": _finite(row.reviews),
        "interviews": _finite(row.interviews),
        "interviewed": _finite(row.interviewed),
        "days": _finite(row.waited),
    }


_MERGED = "others"
"""What merged groups are called where a word has to stand; `merged` tells them from a value."""


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _rounded(value: float) -> float | None:
    return round(value, 4) if math.isfinite(value) else None


# In a defence file


def groups_plain(report: Report) -> dict[str, object]:
    """Return reviews by group as the JSON of a defence file has it, with nothing of the moment."""
    return {
        "groups": [
            {
                "attributes": list(one.attributes),
                "groups": [
                    {
                        "group": row.group,
                        "people": row.people,
                        "reviews": row.reviews,
                        "interviews": row.interviews,
                    }
                    for row in one.effort
                ],
            }
            for one in report.groupings
        ]
    }


def reviews_by_group(report: Report) -> DocumentPart:
    """Write reviews by group, for the compliance role alone."""
    return DocumentPart(
        title=gettext("Reviews by group"),
        text=(
            gettext(
                "By what applicants declared for statistics. Small groups are merged. No one "
                "who reads or decides sees this table, and this look is in the audit log."
            ),
        ),
        grids=tuple(
            DocumentGrid(
                caption=" × ".join(one.attributes),
                headers=(
                    gettext("Group"),
                    gettext("Applicants"),
                    gettext("Reviews each"),
                    gettext("Interviews each"),
                ),
                rows=tuple(
                    (
                        _group_named(row.group),
                        str(row.people),
                        f"{row.reviews:.2f}",
                        f"{row.interviews:.2f}",
                    )
                    for row in one.effort
                ),
            )
            for one in report.groupings
        ),
    )


def _group_named(name: str | None) -> str:
    if name is None:
        return gettext("not declared")
    return gettext("others, merged") if name == OTHERS else name
