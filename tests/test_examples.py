"""The scripts under docs/examples are what the pages say of them: short, and of Python alone."""

import ast
import sys
from pathlib import Path

import pytest

from swapflow.files.rules.rules_file import read_rules


DOCS = Path(__file__).parents[1] / "docs"
SCRIPTS = sorted((DOCS / "examples").glob("*.py"))
MOST_LINES = 249


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_an_example_is_short_and_imports_python_alone(script: Path) -> None:
    text = script.read_text("utf-8")
    tree = ast.parse(text)
    named = {
        name.split(".")[0]
        for node in ast.walk(tree)
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or "."]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }

    assert text.count("\n") <= MOST_LINES
    assert named
    assert named - sys.stdlib_module_names == set()


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_a_page_tells_of_every_example(script: Path) -> None:
    pages = [page.read_text("utf-8") for page in DOCS.rglob("*.md")]

    assert any(f"`docs/examples/{script.name}`" in page for page in pages)


def test_the_example_beside_pretalx_names_only_addresses_that_the_api_describes() -> None:
    described = (DOCS / "openapi.json").read_text("utf-8")
    named = (
        "/me",
        "/rounds",
        "/cycles",
        "/cycles/{cycle_id}/requests",
        "/cycles/{cycle_id}/launch",
        "/cycles/{cycle_id}/applicants",
        "/cycles/{cycle_id}/applicants/{number}/status",
        "/cycles/{cycle_id}/reviewers",
        "/cycles/{cycle_id}/reviewers/{number}/release",
        "/cycles/{cycle_id}/reviewers/{number}/tasks/{task}/review",
        "/cycles/{cycle_id}/scores/void",
        "/cycles/{cycle_id}/scores/restore",
        "/cycles/{cycle_id}/scores/volunteered",
        "/cycles/{cycle_id}/scores/{score}/correction",
        "/cycles/{cycle_id}/scores/{score}/admission",
    )

    assert [name for name in named if f'"/api/v1{name}"' not in described] == []


def test_the_rules_beside_pretalx_are_read() -> None:
    rules = read_rules(DOCS / "examples" / "pretalx.toml")

    assert [kind.name for kind in rules.kinds] == ["review"]
    assert rules.rubric("review") is None
