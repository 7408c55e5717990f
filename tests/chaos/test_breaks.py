"""The guards that the campaign takes away are there, and so is what it puts in their place."""

import importlib
import os
import pkgutil
import re
import subprocess
import sys
from pathlib import Path
from types import FunctionType, ModuleType

import pytest

import swapflow
from tests.chaos.breaks import EVERY_BREAK


PAGE = Path("docs/faults.md")

GAP = "…"


def plain(text: str) -> str:
    """Return code without what a formatter may change: spaces, line ends and kinds of quotes."""
    return re.sub(r"\s+", "", text).replace('"', "'")


def guards_of_page() -> str:
    """Return the page from its table of guards on."""
    return PAGE.read_text().partition("| guard | line |")[2]


@pytest.mark.parametrize("name", EVERY_BREAK)
def test_the_line_that_a_break_takes_away_stands_in_the_code(name: str) -> None:
    path, _, line = EVERY_BREAK[name].line.partition(": ")
    code = plain((Path("swapflow") / path).read_text())
    pieces = [re.escape(plain(piece)) for piece in line.split(GAP)]
    # What is left out is short: pieces far apart are no one line.
    assert re.search(".{0,80}?".join(pieces), code), line


@pytest.mark.parametrize("name", EVERY_BREAK)
def test_the_page_names_each_guard_with_its_line_and_what_catches_its_absence(name: str) -> None:
    (row,) = re.findall(rf"^\| `{name}` \|(.*)\|(.*)\|$", guards_of_page(), re.MULTILINE)
    path, _, line = EVERY_BREAK[name].line.partition(": ")

    assert row[0].strip() == f"`{path}`: `{line}`"
    for check in EVERY_BREAK[name].caught:
        assert f"`{check}`" in row[1], check


def test_the_page_names_no_guard_that_nobody_takes_away() -> None:
    names = re.findall(r"^\| `(\w+)` \|", guards_of_page(), re.MULTILINE)
    assert sorted(names) == sorted(EVERY_BREAK)


def test_each_break_replaces_what_the_product_uses_and_adds_nothing() -> None:
    said = subprocess.run(
        [sys.executable, "-c", "import tests.chaos.test_breaks as t; t.report_all()"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout.splitlines() == [f"{name}: replaced" for name in EVERY_BREAK]


def report_all() -> None:
    """Print of each guard whether taking it away can have an effect."""
    modules = [
        importlib.import_module(one.name)
        for one in pkgutil.walk_packages(swapflow.__path__, "swapflow.")
        if "migrations" not in one.name and not one.name.endswith("__main__")
    ]
    for name in EVERY_BREAK:
        # Each in a child of its own, since nothing puts a guard back.
        child = os.fork()
        if child == 0:
            print(f"{name}: {_effect(name, modules)}", flush=True)
            os._exit(0)
        os.waitpid(child, 0)


def _effect(name: str, modules: list[ModuleType]) -> str:
    """Take a guard away in this process; return "replaced", or what is wrong with that."""
    before = _things(modules)
    EVERY_BREAK[name].apply()
    after = _things(modules)
    added = sorted(after.keys() - before.keys())
    replaced = {key for key, thing in before.items() if after[key] is not thing}
    old = [before[key] for key in replaced]
    # Imported by name elsewhere, the old function goes on guarding there.
    left = sorted(
        key
        for key, thing in after.items()
        if isinstance(thing, FunctionType)
        and any(thing is one for one in old)
        and thing.__module__ in {key.rpartition(".")[0] for key in replaced}
    )
    return "replaced" if replaced and not added and not left else f"{added=} {left=} {replaced=}"


def _things(modules: list[ModuleType]) -> dict[str, object]:
    """Return everything that modules and their classes hold, by its dotted name."""
    found: dict[str, object] = {}
    for module in modules:
        for name, thing in vars(module).items():
            if name.startswith("__"):
                continue
            found[f"{module.__name__}.{name}"] = thing
            if isinstance(thing, type) and thing.__module__ == module.__name__:
                inside = f"{module.__name__}.{name}"
                found |= {f"{inside}.{key}": value for key, value in vars(thing).items()}
    return found
