"""The pages under docs/ as a site: it builds without a warning, and its search finds them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml


ROOT = Path(__file__).parents[2]
LOCK = ROOT / "deploy" / "site.lock"
CAP = 600


def _run(*command: str | Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [str(part) for part in command],
        capture_output=True,
        text=True,
        timeout=CAP,
        check=False,
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
    )


@pytest.mark.slow
def test_the_site_builds_without_a_warning_and_its_search_knows_every_page(
    tmp_path: Path,
) -> None:
    tools, site = tmp_path / "tools", tmp_path / "site"
    assert _run(sys.executable, "-m", "venv", tools).returncode == 0
    pip = (tools / "bin" / "python", "-m", "pip", "--quiet", "--disable-pip-version-check")
    # The site's tools are no part of set-up; what the lock names is all that is taken.
    installed = _run(*pip, "install", "--no-deps", "--require-hashes", "-r", LOCK)
    assert installed.returncode == 0, installed.stderr

    built = _run(tools / "bin" / "mkdocs", "build", "--strict", "--site-dir", site)

    said = built.stdout + built.stderr
    assert built.returncode == 0, said
    assert "WARNING" not in said
    index = json.loads((site / "search" / "search_index.json").read_text("utf-8"))
    found = {entry["location"].partition("#")[0] for entry in index["docs"]}
    assert {page.replace(".md", ".html") for page in _pages()} <= found
    assert any("spreadsheet" in entry["text"] for entry in index["docs"])


def _pages() -> list[str]:
    """Return the pages that the navigation names."""
    left = list(yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))["nav"])
    pages = []
    while left:
        (part,) = left.pop().values()
        if isinstance(part, str):
            pages.append(part)
        else:
            left += part
    return pages
