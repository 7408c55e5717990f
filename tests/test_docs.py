"""What the documents say about the tests and the tree is so."""

import itertools
import re
import tomllib
from pathlib import Path

import pytest
import yaml


ROOT = Path(__file__).parents[1]


def test_every_test_that_the_threat_model_names_exists() -> None:
    text = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    # What is not compared has a test of its own, which reads that list.
    threats, _, rest = text.partition("## What `cycle verify` does not compare")
    threats += rest.partition("## ")[2]
    rows = [line for line in threats.splitlines() if line.startswith("| ") and "---" not in line]
    named = set(re.findall(r"`(test_\w+)`", text))
    there = {
        name
        for file in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"^def (test_\w+)", file.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert len(named) > 30
    assert named - there == set()
    headings = [row for row in rows if row.startswith(("| What they try", "| What happens"))]
    assert [row for row in rows if row not in headings and "`test_" not in row] == []


PACKAGE = ROOT / "swapflow"
DEVELOPERS = ROOT / "docs" / "developers.md"
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md")),
    *sorted((ROOT / "deploy").glob("*.md")),
    *sorted(page for page in (ROOT / "docs").glob("*.md") if page.name != "studies.md"),
]


def exists(name: str) -> bool:
    """Whether a path exists, from the root, from the package or from the page's folder."""
    return any((start / name).exists() for start in (ROOT, PACKAGE, ROOT / "docs"))


def words(text: str) -> list[str]:
    """Find the names in a part of a drawing."""
    return re.findall(r"\w+", text)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_module_that_a_page_names_exists(page: Path) -> None:
    named = re.findall(r"`([\w./]+\.(?:py|lua))\b", page.read_text("utf-8"))

    assert [name for name in named if not exists(name)] == []


def test_every_path_that_the_developers_page_names_exists() -> None:
    named = re.findall(r"`(\w[\w./]*(?:\.\w+|/))`", DEVELOPERS.read_text("utf-8"))
    paths = [name for name in named if "/" in name and not name.startswith("var/")]

    assert len(set(paths)) > 150
    assert [name for name in paths if not exists(name)] == []


def test_the_map_names_every_folder_of_the_package_and_no_other() -> None:
    folders = {
        f"{module.parent.relative_to(PACKAGE)}/"
        for module in PACKAGE.rglob("__init__.py")
        if module.parent not in {PACKAGE, PACKAGE / "ledger" / "migrations" / "versions"}
    }
    named = re.findall(r"^\| `([\w/]+/)` \|", DEVELOPERS.read_text("utf-8"), re.MULTILINE)

    assert sorted(named) == sorted(folders)


@pytest.mark.parametrize(
    ("page", "contract"),
    [("README.md", "layers"), ("docs/developers.md", "layers"), ("docs/developers.md", "stages")],
)
def test_the_arrows_on_a_page_are_those_of_the_contract(page: str, contract: str) -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    layers = next(one["layers"] for one in contracts["contracts"] if one["id"] == contract)
    order = {
        name: depth for depth, layer in enumerate(layers) for name in re.findall(r"\w+", layer)
    }
    fenced = re.compile(r"^```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
    blocks = fenced.findall((ROOT / page).read_text("utf-8"))
    block = next(block for block in blocks if "─►" in block and set(order) <= set(words(block)))
    lines = [[words(part) for part in line.split("─►")] for line in block.splitlines()]

    assert set(words(block)) - {"workers"} == set(order)
    assert [
        (above, below)
        for line in lines
        for upper, lower in itertools.pairwise(line)
        for above in upper
        for below in lower
        if above != "workers" and order[above] >= order[below]
    ] == []


READ = [
    page
    for page in sorted((ROOT / "docs").rglob("*.md"))
    if page.parts[-2] in {"docs", "trust"}  # the decisions are for developers, as their list says
]


@pytest.mark.parametrize("page", READ, ids=lambda page: f"{page.parts[-2]}-{page.stem}")
def test_a_page_says_first_for_whom_it_is(page: Path) -> None:
    lines = [line for line in page.read_text("utf-8").splitlines() if line.strip()]

    assert lines[0].startswith("# ")
    assert re.match(r"\*?For:? \w", lines[1]), lines[1]


def test_the_site_can_be_searched() -> None:
    site = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))

    assert "search" in site["plugins"]
