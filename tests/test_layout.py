"""What holds for the tree as a whole: who imports whom, and what no file may hold."""

import ast
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest


ROOT = Path(__file__).parents[1]
MODULES = sorted(path for top in ("swapflow", "workers") for path in (ROOT / top).rglob("*.py"))
CONTRACTS = [
    contract["id"]
    for contract in tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"][
        "importlinter"
    ]["contracts"]
]

VENDORED = ROOT / "swapflow" / "web" / "static" / "vendor"
"""Other people's files, kept byte for byte; VENDOR.json holds their digests."""

BREAKS = {
    "stages": ("swapflow/engine/intake/roster.py", "import swapflow.engine.cohort.finalize"),
    "areas-of-the-web": ("swapflow/web/cycle/today.py", "import swapflow.web.cohort.meeting"),
    "inside-the-ledger": (
        "swapflow/ledger/cycle/people.py",
        "import swapflow.ledger.cohort.offers",
    ),
    "inside-files": ("swapflow/files/tables/cells.py", "import swapflow.files.rules.problem"),
    "inside-the-command": ("swapflow/cli/operations/users.py", "import swapflow.cli.cycle.rounds"),
    "inside-the-bandit": ("swapflow/bandit/batch.py", "import swapflow.bandit.budget"),
    "inside-identity": (
        "swapflow/identity/permissions.py",
        "import swapflow.identity.principal",
    ),
    "inside-the-domain": ("swapflow/domain/rules.py", "import swapflow.domain.event"),
    "inside-the-experiments": (
        "swapflow/experiments/finding.py",
        "import swapflow.experiments.comparison",
    ),
    "research-stays-out": ("swapflow/planning/plan.py", "import swapflow.experiments.sweep"),
    "reads-write-nothing": (
        "swapflow/engine/audit/verify.py",
        "import swapflow.engine.ports.writes.transaction",
    ),
    "layers": ("swapflow/domain/ids.py", "import swapflow.engine.services"),
    "workers-on-top": ("swapflow/processes/celery_worker.py", "import workers.app"),
    "workers-thin": ("workers/mail.py", "import swapflow.files.rules.rules_file"),
    "pure-bandit": ("swapflow/bandit/ties.py", "import random"),
    "no-io-below-adapters": ("swapflow/engine/preconditions.py", "import csv"),
    "redis-home": ("swapflow/processes/heartbeat.py", "import redis"),
    "celery-home": ("swapflow/processes/heartbeat.py", "import celery"),
    "sql-home": ("swapflow/processes/heartbeat.py", "import sqlmodel"),
    "adapters-behind-bootstrap": ("swapflow/processes/heartbeat.py", "import swapflow.state.keys"),
    "monitoring-decides-nothing": (
        "swapflow/engine/selection/decide.py",
        "import swapflow.monitoring.report",
    ),
    "no-cycles": ("swapflow/bandit/situation.py", "import swapflow.bandit.decision"),
}
"""For each contract a module, and the import in it that the contract must refuse."""


def tracked() -> list[Path]:
    """List the text files that are, or will be, committed."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("this is no git checkout")
    paths = [ROOT / name for name in listed.stdout.splitlines()]
    return [
        path
        for path in paths
        if path.is_file()
        and not path.is_relative_to(VENDORED)
        and b"\0" not in path.read_bytes()[:8192]
    ]


def test_vendored_files_are_byte_for_byte_what_was_taken_and_carry_their_licences() -> None:
    listed = json.loads((VENDORED / "VENDOR.json").read_text("utf-8"))

    found = {
        folder.name: {
            file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in folder.iterdir()
        }
        for folder in VENDORED.iterdir()
        if folder.is_dir()
    }

    assert found == {name: entry["files"] for name, entry in listed.items()}
    assert all("LICENSE" in files for files in found.values())


def lines_with(pattern: str) -> list[str]:
    """Find a pattern in every tracked file but this one."""
    found = []
    for path in tracked():
        if path == Path(__file__):
            continue
        text = path.read_bytes().decode("utf-8", "replace")
        found += [
            f"{path.relative_to(ROOT)}:{number}: {line.strip()[:100]}"
            for number, line in enumerate(text.splitlines(), 1)
            if re.search(pattern, line)
        ]
    return found


def test_every_contract_has_a_break_that_shows_it_can_fail() -> None:
    assert set(BREAKS) == set(CONTRACTS)


@pytest.mark.parametrize("contract", ["none", *BREAKS])
def test_a_deliberate_break_of_a_contract_is_found(contract: str, tmp_path: Path) -> None:
    for top in ("swapflow", "workers"):
        shutil.copytree(ROOT / top, tmp_path / top, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    if contract != "none":
        name, line = BREAKS[contract]
        module = tmp_path / name
        module.write_text(f"{module.read_text('utf-8')}\n{line}\n", "utf-8")
    wanted = CONTRACTS if contract == "none" else [contract]

    done = subprocess.run(
        [
            Path(sys.executable).with_name("lint-imports"),
            "--no-cache",
            *(part for name in wanted for part in ("--contract", name)),
        ],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )

    broken = "0 broken" not in done.stdout
    assert broken == (contract != "none"), done.stdout + done.stderr
    assert done.returncode == int(broken)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_begins_with_a_sentence_that_says_what_lives_there(path: Path) -> None:
    docstring = ast.get_docstring(ast.parse(path.read_text("utf-8")))

    assert docstring, "no docstring"
    first = docstring.split("\n\n")[0]
    assert re.search(r"[.:?!]$", first), first


def test_what_is_left_to_do_names_an_issue() -> None:
    assert lines_with(r"\b(TODO|FIXME|XXX)\b(?!\(#\d+\))") == []


def test_no_file_names_a_package_registry() -> None:
    hosts = (r"pypi\.org", r"pythonhosted", r"npmjs", r"crates\.io", r"ghcr\.io", r"quay\.io")

    assert lines_with("|".join(hosts)) == []


def test_no_file_holds_a_path_of_somebodys_machine() -> None:
    assert lines_with(r"(?<![\w.])/(work|root|home|Users)/[\w.]+") == []
