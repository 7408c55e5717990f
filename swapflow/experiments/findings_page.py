"""The page that shows all findings of a folder beside the paper, in Markdown."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from swapflow.experiments.finding import FindingRecord, FindingTable, Value, read_record


INTRODUCTION = Path(__file__).with_name("introduction.md")

GROUPS = {
    "paper": "The paper's simulations",
    "admissions": "The paper's admissions experiments",
    "theorems": "What the theorems promise",
    "beyond": "Beyond the paper",
}

LARGEST_TABLE = 30
"""Rows of a table that is shown on the page itself; longer ones are linked."""


def write_page(folder: Path, page: Path, *, order: Sequence[str]) -> None:
    """Write the page anew from all records in the folder; `order` names the studies."""
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(page_of(folder, base=page.parent, order=order), encoding="utf-8")


def page_of(folder: Path, *, base: Path, order: Sequence[str]) -> str:
    """Return the page's text, with links relative to `base`."""
    way = Path(os.path.relpath(folder, base)).as_posix()
    at = "" if way == "." else f"{way}/"
    records = [
        read_record(path) for path in sorted(folder.glob("*.json")) if path.name != "study.json"
    ]
    records.sort(key=lambda r: order.index(r.study) if r.study in order else len(order))
    parts = [INTRODUCTION.read_text(encoding="utf-8").rstrip()]
    for group, heading in GROUPS.items():
        of_group = [r for r in records if r.group == group]
        if of_group:
            parts.append(f"## {heading}")
            parts += [_section(record, folder, at) for record in of_group]
    return "\n\n".join(parts) + "\n"


def _section(record: FindingRecord, folder: Path, at: str) -> str:
    """Show one finding."""
    parts = [f"### {record.title}", f"**The paper:** {record.paper}"]
    if record.missing:
        return "\n\n".join([*parts, f"Not run here: {record.missing}."])
    parts.append(f"**Seen here:** {record.seen}")
    parts += [f"![{record.title}: {name}]({at}{name}.svg)" for name in record.figures]
    if record.beside:
        parts.append(_markdown(record.beside))
    for name in record.tables:
        table = FindingTable.read(folder / f"{name}.csv")
        if len(table.rows) <= LARGEST_TABLE and not record.beside:
            parts.append(_markdown(table))
    parts += record.notes
    links = ", ".join(f"[{name}.csv]({at}{name}.csv)" for name in record.tables)
    made = record.made
    parts.append(
        f"{record.effort}. Made by `{made.command}`, seed {made.seed}, commit "
        f"{made.commit or 'unknown'}, numpy {made.numpy}. Numbers: {links}."
    )
    return "\n\n".join(parts)


def _markdown(table: FindingTable) -> str:
    """Format a table in Markdown."""
    lines = [_line(table.columns), _line("---" for _ in table.columns)]
    return "\n".join([*lines, *(_line(_cell(value) for value in row) for row in table.rows)])


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _cell(value: Value) -> str:
    """Show four digits: the CSV has the rest."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"  # noqa: PLR2004
    return f"{value:,}" if isinstance(value, int) else value.replace("|", "\\|")
