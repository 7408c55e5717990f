"""The page about the library is true to the letter."""

import doctest
from pathlib import Path


PAGE = Path(__file__).parents[2] / "docs" / "library.md"


def test_what_the_page_shows_comes_out() -> None:
    found = doctest.testfile(str(PAGE), module_relative=False)

    assert found.attempted > 20
    assert found.failed == 0
