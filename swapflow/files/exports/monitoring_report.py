"""Monitoring reports as plain values and as files."""

import io
import math
import zipfile
from pathlib import Path

from swapflow.errors import InvalidInputError
from swapflow.files.exports.writers import Cell, ExportSheet, Format, sheet_bytes, write_file
from swapflow.monitoring.adverse_impact import FOUR_FIFTHS, SMALLEST_SHARE, Impact
from swapflow.monitoring.report import Grouping, Report
from swapflow.monitoring.tables import GroupEffort, StageTable, closed_cells


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
    """Return a report as JSON has it, with the numbers of small groups closed.

    What is closed is null; `closed` says that it is. Numbers that are not defined are null too.
    """
    return {
        "cycle": report.cycle_id,
        "made_at": report.at.isoformat(),
        "people": report.people,
        "decided": report.decided,
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

    The numbers of small groups, and of those that would give them away, are blank and `closed`.
    """
    stages: list[tuple[Cell, ...]] = []
    efforts: list[tuple[Cell, ...]] = []
    for grouping in report.groupings:
        attributes = " × ".join(grouping.attributes)
        tables = [*grouping.stages, grouping.scoring]
        for table in [*tables, *([grouping.selection] if grouping.selection else [])]:
            closed = closed_cells([*(row.tally.all for row in table.rows), table.unknown.all])
            stages += [
                (attributes, table.stage, *_cells(_row(row, closed=i in closed), _STAGE_NUMBERS))
                for i, row in enumerate(table.rows)
            ]
        closed = closed_cells([row.people for row in grouping.effort])
        efforts += [
            (attributes, *_cells(_effort(row, closed=i in closed), _EFFORT_NUMBERS))
            for i, row in enumerate(grouping.effort)
        ]
    return (
        ExportSheet(
            name="monitoring-stages",
            headers=("attributes", "stage", "group", "closed", *_STAGE_NUMBERS, "flags"),
            rows=tuple(stages),
        ),
        ExportSheet(
            name="monitoring-effort",
            headers=("attributes", "group", "closed", *_EFFORT_NUMBERS),
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
    cells: list[Cell] = [str(row["group"]), bool(row["closed"])]
    for number in numbers:
        value = row[number]
        cells.append(value if isinstance(value, int | float) else None)
    return (*cells, told) if "flags" in row else tuple(cells)


def write_ll144(report: Report, folder: Path, *, sex: str, race: str) -> tuple[Path, ...]:
    """Write the tables of New York City's Local Law 144 (6 RCNY 5-300 to 5-304) as CSV.

    One file per rate and grouping (sex, race, sex and race), and `about.csv` with dates, source
    and the numbers of those unknown. The law wants the numbers of small groups, so nothing is
    closed here; what is below 2% is left out of the ratios, and says so.

    Args:
        report: A report that crossed the two attributes.
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
            about.append((f"unknown, {kind} rate by {name}", table.unknown.all))
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


def _grouping(grouping: Grouping) -> dict[str, object]:
    tables = [*grouping.stages, grouping.scoring]
    if grouping.selection is not None:
        tables.append(grouping.selection)
    closed = closed_cells([row.people for row in grouping.effort])
    return {
        "attributes": list(grouping.attributes),
        "tables": [_table(table) for table in tables],
        "effort": [
            _effort(row, closed=index in closed) for index, row in enumerate(grouping.effort)
        ],
    }


def _table(table: StageTable) -> dict[str, object]:
    # Those unknown count as a row: a single closed group would be the total less all the others.
    closed = closed_cells([*(row.tally.all for row in table.rows), table.unknown.all])
    unknown_closed = len(table.rows) in closed
    return {
        "stage": table.stage,
        "unknown": None if unknown_closed else table.unknown.all,
        "rows": [_row(row, closed=index in closed) for index, row in enumerate(table.rows)],
    }


def _row(row: Impact, *, closed: bool) -> dict[str, object]:
    numbers: dict[str, object] = {
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
    return {"group": row.group, "closed": closed} | (dict.fromkeys(numbers) if closed else numbers)


def _effort(row: GroupEffort, *, closed: bool) -> dict[str, object]:
    numbers: dict[str, object] = {
        "people": row.people,
        "reviews": _finite(row.reviews),
        "interviews": _finite(row.interviews),
        "interviewed": _finite(row.interviewed),
        "days": _finite(row.waited),
    }
    return {"group": row.group, "closed": closed} | (dict.fromkeys(numbers) if closed else numbers)


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _rounded(value: float) -> float | None:
    return round(value, 4) if math.isfinite(value) else None
