"""What holds for the tree as a whole: who imports whom, and what no file may hold."""

import ast
import hashlib
import json
import re
import subprocess
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from grimp import ImportGraph, build_graph
from importlinter import Contract
from importlinter.application.use_cases import read_user_options
from importlinter.configuration import configure
from importlinter.contracts.acyclic_siblings import AcyclicSiblingsContract
from importlinter.contracts.forbidden import ForbiddenContract
from importlinter.contracts.layers import LayersContract
from importlinter.contracts.protected import ProtectedContract

from tests.support.tiers import is_quick


ROOT = Path(__file__).parents[1]
MODULES = sorted(path for top in ("swapflow", "workers") for path in (ROOT / top).rglob("*.py"))
configure()
LINTED = read_user_options(str(ROOT / "pyproject.toml"))
CONTRACTS = [contract["id"] for contract in LINTED.contracts_options]

VENDORED = ROOT / "swapflow" / "web" / "static" / "vendor"
"""Other people's files, kept byte for byte; VENDOR.json holds their digests."""

BREAKS = {
    "stages": ("swapflow/engine/intake/roster.py", "import swapflow.engine.cohort.finalize"),
    "areas-of-the-web": ("swapflow/web/cycle/charts.py", "import swapflow.web.cohort.meeting"),
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


TYPES: dict[str, type[Contract]] = {
    "layers": LayersContract,
    "forbidden": ForbiddenContract,
    "protected": ProtectedContract,
    "acyclic_siblings": AcyclicSiblingsContract,
}


@cache
def imports() -> ImportGraph:
    """Read who imports whom, once for all contracts."""
    return build_graph("swapflow", "workers", include_external_packages=True, cache_dir=None)


def keeps(contract: dict[str, Any], graph: ImportGraph) -> bool:
    """Check a contract of `pyproject.toml` as `lint-imports` does."""
    checked = TYPES[contract["type"]](contract["name"], LINTED.session_options, contract)
    return bool(checked.check(deepcopy(graph), verbose=False).kept)


@pytest.mark.parametrize("contract", CONTRACTS)
def test_a_deliberate_break_of_a_contract_is_found(contract: str) -> None:
    (options,) = (one for one in LINTED.contracts_options if one["id"] == contract)
    name, line = BREAKS[contract]
    module, target = name.removesuffix(".py").replace("/", "."), line.removeprefix("import ")
    broken = deepcopy(imports())
    if target not in broken.modules:
        broken.add_module(target, is_squashed=True)
    broken.add_import(importer=module, imported=target, line_number=1, line_contents=line)

    assert module in imports().modules
    assert (keeps(options, imports()), keeps(options, broken)) == (True, False)


@pytest.mark.long
def test_no_test_imports_another_one() -> None:
    found = [
        f"{path.relative_to(ROOT)} imports {module}"
        for path, module in imported_by_tests()
        if module.rpartition(".")[2].startswith("test_")
    ]

    assert found == []


@pytest.mark.long
def test_the_quick_tests_reach_every_area() -> None:
    quick = [one for one in imported_by_tests() if is_quick(one[0])]
    reached = {path.relative_to(ROOT / "tests").parts[0] for path, _ in quick}
    reached |= {module.split(".")[1] for _, module in quick if module.startswith("swapflow.")}
    areas = {path.parent.name for path in (ROOT / "swapflow").glob("*/__init__.py")}

    # Spans and crash points are tested where processes run.
    assert areas - reached == {"instrumentation"}


def test_tests_wait_in_one_place() -> None:
    pattern = r"\btime\.sleep\("
    found = [line for line in lines_with(pattern) if re.match(r"tests/.*/test_\w+\.py:", line)]

    assert found == []


def imported_by_tests() -> Iterator[tuple[Path, str]]:
    """Yield each module under `tests` with each module of ours that it imports."""
    for path in sorted((ROOT / "tests").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                yield path, node.module
                yield from ((path, f"{node.module}.{alias.name}") for alias in node.names)
            elif isinstance(node, ast.Import):
                yield from ((path, alias.name) for alias in node.names)


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


def test_the_top_of_the_tree_holds_what_the_map_names_and_nothing_that_a_program_left() -> None:
    named = {
        *(".ci", ".dockerignore", ".gitignore", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE"),
        *("Makefile", "README.md", "deploy", "docker-compose.yml", "docs", "mkdocs.yml"),
        *("pyproject.toml", "requirements.lock", "swapflow", "tests", "workers"),
    }
    command = ["git", "ls-files"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    assert {name.split("/")[0] for name in listed.splitlines()} == named
