"""What a cell with a mark says."""

import re

from swapflow.files.tables.cells import is_missing, read_number


_LABELLED = re.compile(r"([-+−]?\d+(?:[.,]\d+)?)(?:\s*:|\s+[-–—]|\s*\()\s*\D.*", re.DOTALL)
"""A number with its label: "6: marginally above", "4 - good"."""

_SHARE = re.compile(r"(.*\S)\s*[%\uff05]")
_LIST = re.compile(r"[\[(](.*)[\])]", re.DOTALL)
_SEVERAL = re.compile(r"\d+(?:\.\d+)?(?:(?:,\s+|\s*;\s*|\s*\n\s*)\d+(?:\.\d+)?)+")
_DASHES = re.compile(r"\d+(?:\.\d+)?(?:-\d+(?:\.\d+)?)+")
_LONGEST = 2000
_PART = re.compile(r"""'[^']*'|"[^"]*"|[^,;\n]+""")
_LINE = re.compile(r"\s*([^:\n]+?)\s*:\s*([^\n]*)")


def marks_in(cell: str) -> list[str]:
    """Return the marks that a cell lists: "[6, 8, 5]", "6; 8; 5", "6-8-5"; else the cell alone."""
    if len(cell) > _LONGEST:
        return [cell]
    if inner := _LIST.fullmatch(cell.strip()):
        return [part.strip().strip("'\"") for part in _PART.findall(inner[1]) if part.strip()]
    if _DASHES.fullmatch(cell.strip()):
        return cell.strip().split("-")
    if _SEVERAL.fullmatch(cell.strip()):
        return [part.strip() for part in re.split(r",\s+|;|\n", cell) if part.strip()]
    return [cell]


def is_list(cell: str) -> bool:
    """Whether a cell lists marks."""
    return len(marks_in(cell)) > 1 or bool(_LIST.fullmatch(cell.strip()[:_LONGEST]))


def read_mark(cell: str, *, decimal: str = "") -> tuple[float | None, bool]:
    """Read a mark.

    Returns:
        The number, None where it is none; and whether it is a percentage.
    """
    text = cell.strip()
    share = _SHARE.fullmatch(text)
    if share:
        return read_number(share[1], decimal=decimal), True
    labelled = _LABELLED.fullmatch(text)
    return read_number(labelled[1] if labelled else text, decimal=decimal), False


def overall_in(cell: str) -> str:
    """Return the overall mark of a cell that holds several, a line each with its label."""
    lines = _LINE.findall(cell)
    for label, value in lines:
        if "overall" in label.casefold() or "gesamt" in label.casefold():
            return str(value).strip()
    return str(lines[0][1]).strip() if lines else cell


def share_of_numbers(cells: list[str]) -> float:
    """Return how many of the filled cells are marks, from 0 to 1; 0 where none is filled."""
    filled = [cell for cell in cells if not is_missing(cell)]
    if not filled:
        return 0.0
    return sum(read_mark(cell)[0] is not None or is_list(cell) for cell in filled) / len(filled)
