"""The table of three ways in the handbook: each page, command and address in it is real."""

import re
from pathlib import Path

import pytest

from swapflow.cli.examples import EXAMPLES
from tests.web.roles import API, PAGES


HANDBOOK = Path(__file__).parents[3] / "docs" / "staff.md"
HEADING = "## Three ways to the same"
POINTS = 11
"""The things that the table is about; each has one row at least."""

_CODE = re.compile(r"`([^`]+)`")


def rows() -> list[list[str]]:
    """Read the cells of the table's rows."""
    _, _, after = HANDBOOK.read_text("utf-8").partition(HEADING)
    section, _, _ = after.partition("\n## ")
    lines = [line for line in section.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[1:]]


def shape(address: str) -> str:
    """Return an address with every placeholder alike."""
    return re.sub(r"\{[^}]*\}", "{}", address)


def test_the_table_has_each_of_the_things() -> None:
    assert len(rows()) >= POINTS


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[0])
def test_each_way_that_the_table_names_is_there(row: list[str]) -> None:
    what, pages, commands, api = row
    known_pages = {shape(page.partition(" ")[2]) for page in PAGES}
    known_api = {shape(asked) for asked in API}

    for cell in (pages, commands, api):
        assert _CODE.findall(cell), f"{what}: a way is missing"
    assert {shape(page) for page in _CODE.findall(pages)} <= known_pages
    assert {one.removeprefix("swapflow ") for one in _CODE.findall(commands)} <= EXAMPLES.keys()
    asked = {shape(one.replace(" /", " /api/v1/")) for one in _CODE.findall(api)}
    assert asked <= known_api
