"""Checks the pages on trust: each claim's test is there, and each table has its row.

`make check` runs it. A page that names a test which is gone, or a table without a row in the data
map, ends it with 1: what an office was told would not be held by anything any more.
"""

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from swapflow.ledger.schema.base import METADATA


ROOT = Path(__file__).parents[2]
PAGES = (*sorted((ROOT / "docs" / "trust").glob("*.md")), ROOT / "docs" / "works-agreement.md")
DATA_MAP = ROOT / "docs" / "trust" / "data-map.md"

NO_ADVICE = "not legal advice"
FOR_WHOM = re.compile(r"^For: .+\.$", re.MULTILINE)
TEST = re.compile(r"`(test_\w+)`")
ROW = re.compile(r"^\| `(\w+)` \|", re.MULTILINE)


def known_tests(folder: Path = ROOT / "tests") -> frozenset[str]:
    """Return the names of all functions under `tests` that are tests."""
    return frozenset(
        node.name
        for path in folder.rglob("test_*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.name.startswith("test_")
    )


def gone(page: str, known: Iterable[str]) -> list[str]:
    """Return the tests that a page names and that are not there."""
    there = frozenset(known)
    return sorted({name for name in TEST.findall(page) if name not in there})


def unmapped(page: str, tables: Iterable[str]) -> list[str]:
    """Return the tables that the data map lacks, and the rows of it without a table."""
    return sorted(set(tables) ^ set(ROW.findall(page)))


def problems() -> Iterator[str]:
    """List everything that is wrong with the pages."""
    known = known_tests()
    for path in PAGES:
        page, name = path.read_text("utf-8"), path.relative_to(ROOT)
        yield from (f"{name}: the test {test} is gone" for test in gone(page, known))
        if not TEST.search(page):
            yield f"{name}: no claim names its test"
        if NO_ADVICE not in page:
            yield f"{name}: it does not say that it is {NO_ADVICE}"
        if not FOR_WHOM.search(page):
            yield f"{name}: it does not say for whom it is"
    for table in unmapped(DATA_MAP.read_text("utf-8"), METADATA.tables):
        yield f"docs/trust/data-map.md: {table} is a table without a row, or a row without a table"


if __name__ == "__main__":
    found = list(problems())
    print("\n".join(found) or f"{len(PAGES)} pages on trust: each claim has its test")
    sys.exit(bool(found))
