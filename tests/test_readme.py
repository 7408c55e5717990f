"""Whatever the pages tell readers to type exists, and the README's walk is walked."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import BaseModel
from typer.exceptions import TyperException

from swapflow.cli import options
from swapflow.cli.main import command as built
from swapflow.settings import Settings
from tests.support.process import Process
from tests.support.waiting import CAP


ROOT = Path(__file__).parents[1]
PAGES = sorted(
    [
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        ROOT / "CHANGELOG.md",
        ROOT / "deploy" / "RUNBOOK.md",
        ROOT / "deploy" / "kubernetes" / "README.md",
        *(ROOT / "docs").rglob("*.md"),
    ]
)
FOR_PEOPLE = [ROOT / "docs" / "staff.md", ROOT / "docs" / "reviewers.md"]

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`([^`\n]+)`")
_FRONT = re.compile(
    r"^(\.venv/bin/|docker compose run --rm cli |kubectl .*exec deploy/\w+ -- (swapflow )?)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A command that a page shows."""

    page: str
    text: str
    whole: bool  # in a block of its own: everything it needs stands there

    def __str__(self) -> str:
        return f"{self.page}: {self.text}"


def blocks(text: str, language: str) -> list[str]:
    return [body for found, body in _FENCE.findall(text) if found == language]


def shown(page: Path) -> Iterator[Line]:
    """Iterate over the lines of a page that are meant to be typed."""
    text = page.read_text("utf-8")
    name = str(page.relative_to(ROOT))
    for body in blocks(text, "sh"):
        for line in body.replace("\\\n", " ").splitlines():
            if bare := re.sub(r"\s+#.*$", "", line).strip():
                yield Line(page=name, text=bare, whole=True)
    for code in _CODE.findall(_FENCE.sub("", text)):
        yield Line(page=name, text=code, whole=False)


def commands(program: str) -> list[Line]:
    """Return the shown lines that call a program, each without what is before it."""
    found: dict[tuple[str, str], bool] = {}
    for page in PAGES:
        for line in shown(page):
            text = line.text
            if program == "swapflow" and (front := _FRONT.match(text)):
                rest = text.removeprefix(front.group(0)).removeprefix("swapflow ")
                if front.group(0).startswith(".venv") and not text.startswith(
                    ".venv/bin/swapflow"
                ):
                    continue
                text = f"swapflow {rest}"
            if text == program or text.startswith(f"{program} "):
                found[line.page, text] = found.get((line.page, text), False) or line.whole
    return [Line(page=page, text=text, whole=whole) for (page, text), whole in found.items()]


def check_command(line: Line) -> None:
    """Parse a command as the program would; nothing is run.

    Raises:
        TyperException: If the command, an option or an argument does not exist or lacks.
    """
    context: Any = None
    command: Any = built()
    words = shlex.split(line.text)[1:]
    while getattr(command, "commands", None):
        if not words or words[0] in {"--help", "--version", "--install-completion"}:
            return
        name = words.pop(0)
        assert name in command.commands, f"{line}: there is no command {name!r}"
        command = command.commands[name]
    if not words and not line.whole:
        return  # a command named in a sentence
    if "--help" not in words:
        command.make_context(command.name, words, parent=context)


@pytest.fixture(autouse=True)
def nobody_reviews(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parse commands without a database, in which the person at the terminal is looked up."""
    monkeypatch.setattr(options, "own_seat", lambda *_, **__: None)


@pytest.mark.parametrize("line", commands("swapflow"), ids=str)
def test_a_command_that_a_page_shows_exists_with_its_options(line: Line) -> None:
    try:
        check_command(line)
    except TyperException as error:
        pytest.fail(f"{line}: {getattr(error, 'message', error)}")


def test_commands_that_do_not_exist_are_found_out() -> None:
    def line(text: str) -> Line:
        return Line(page="x", text=text, whole=True)

    with pytest.raises(AssertionError, match="no command 'lunch'"):
        check_command(line("swapflow cycle lunch fall"))
    for wrong in ("cycle launch fall --fast", "cycle launch", "cycle budget fall much"):
        with pytest.raises(TyperException):
            check_command(line(f"swapflow {wrong}"))


def test_pages_show_commands_of_every_group() -> None:
    text = " ".join(line.text for line in commands("swapflow"))
    groups = vars(built())["commands"]

    assert not [name for name in groups if f"swapflow {name}" not in text]


@pytest.mark.parametrize("line", commands("make"), ids=str)
def test_a_make_target_that_a_page_shows_exists(line: Line) -> None:
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)

    assert line.text.split()[1] in targets


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_what_a_page_links_to_is_there(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text("utf-8")):
        if not target.startswith(("http://", "https://")):
            path, _, anchor = target.partition("#")
            linked = (page.parent / path) if path else page
            assert linked.exists(), f"{page.name} links to {target}"
            if not anchor:
                continue
            headings = re.findall(r"^#+ (.+)$", linked.read_text("utf-8"), re.MULTILINE)
            spelled = {re.sub(r"[^\w -]", "", h).lower().replace(" ", "-") for h in headings}
            assert anchor in spelled, f"{page.name} links to {target}"


def test_the_table_of_settings_holds_every_setting_with_its_default() -> None:
    def spelled(value: object) -> str:
        value = value.value if isinstance(value, Enum) else value
        return "–" if value in {None, ""} else f"`{value}`"

    text = (ROOT / "docs" / "administrators.md").read_text("utf-8")
    table = re.findall(r"^\| `(SWAPFLOW_\w+)` \| (–|`[^`]*`) \| \S.* \|$", text, re.MULTILINE)

    model: type[BaseModel] = Settings
    # In the table as a reader looks for them, not as the class takes them over from another.
    assert sorted(table) == sorted(
        (f"SWAPFLOW_{name.upper()}", spelled(field.default))
        for name, field in model.model_fields.items()
    )


def test_settings_that_pages_name_exist() -> None:
    known = {f"SWAPFLOW_{name.upper()}" for name in Settings.model_fields} | {
        "SWAPFLOW_USER",
        "SWAPFLOW_REVIEWER",
        "SWAPFLOW_HEARTBEAT",
        "SWAPFLOW_DATA",
        "SWAPFLOW_GOLDEN",
        "SWAPFLOW_KEY",  # of docs/examples
    }
    named = {
        (page.name, name)
        for page in PAGES
        for name in re.findall(r"\bSWAPFLOW_[A-Z_]+\b", page.read_text("utf-8"))
    }

    assert {(page, name) for page, name in named if name not in known} == set()


@pytest.mark.parametrize("page", FOR_PEOPLE, ids=lambda page: page.stem)
def test_pages_for_staff_and_reviewers_use_their_words(page: Path) -> None:
    advanced = re.compile(r"^## Advanced\n.*?(?=^## |\Z)", re.MULTILINE | re.DOTALL)
    plain = advanced.sub("", page.read_text("utf-8"))
    jargon = r"\b(arms?|pulls?|oracles?|rivals?|ledgers?|watermarks?|lockstep)\b|[σδε]"
    claims = r"\b(best applicants?|fair|unbiased|certified cohort)\b"

    assert [m.group(0) for m in re.finditer(jargon, plain, re.IGNORECASE)] == []
    assert [m.group(0) for m in re.finditer(claims, plain, re.IGNORECASE)] == []


def test_the_site_has_a_place_for_every_page_and_fetches_nothing() -> None:
    site = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))
    placed = set(re.findall(r"[\w./-]+\.md", json.dumps(site["nav"])))
    there = {str(path.relative_to(ROOT / "docs")) for path in (ROOT / "docs").rglob("*.md")}

    assert placed == there
    assert site["theme"]["font"] is False


def walk() -> list[str]:
    """Return the lines of the README's five minutes, in order."""
    text = (ROOT / "README.md").read_text("utf-8")
    section = re.split(r"^## ", text, flags=re.MULTILINE)
    (part,) = (s for s in section if s.startswith("A real cycle in five minutes"))
    lines = "".join(blocks(part, "sh")).splitlines()
    assert lines[:3] == ["make setup", 'export PATH="$PWD/.venv/bin:$PATH"', "swapflow up"]
    return lines[3:]


def printed() -> list[str]:
    """Return what the README says is printed, numbers left open: they depend on the moment."""
    text = (ROOT / "README.md").read_text("utf-8")
    (_, rest) = text.split("## A real cycle in five minutes", 1)
    said = "".join(blocks(rest.split("\n## ", 1)[0], "")).splitlines()
    return [re.sub(r"\d+", r"\\d+", re.escape(line)) for line in said]


@pytest.mark.system
def test_the_five_minutes_of_the_readme_work_as_printed() -> None:
    folder = Path(tempfile.mkdtemp(prefix="sf-readme-"))
    shutil.copytree(ROOT / "docs" / "example", folder / "docs" / "example")
    binaries = Path(sys.executable).parent
    environment = {
        **os.environ,
        "PATH": f"{binaries}:{os.environ['PATH']}",
        "SWAPFLOW_DATA_DIR": str(folder / "var"),
        "SWAPFLOW_USER": "maria",
    }
    for name in ("SWAPFLOW_DATABASE_URL", "SWAPFLOW_REDIS_URL"):
        environment.pop(name, None)

    def run(line: str) -> str:
        done = subprocess.run(
            shlex.split(line),
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=CAP,
            check=False,
        )
        assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
        return done.stdout

    def first_task(listing: str) -> str:
        until = time.monotonic() + CAP
        while True:
            tasks = json.loads(run(f"{listing} --json"))["tasks"]
            if tasks:
                return str(tasks[0]["task"])
            assert time.monotonic() < until, "no task reached the reviewer"

    output = ""
    task = ""
    try:
        with Process([str(binaries / "swapflow"), "up"], env=environment) as up:
            up.wait_for(lambda: "swapflow is up" in up.output(), what="every process")
            for line in walk():
                if line.startswith("swapflow inbox list"):
                    task = first_task(line)
                output += run(line.replace("TASK", task))
            assert up.terminate() == 0
        assert (folder / "masters-cohort" / "cohort.csv").exists()
    finally:
        shutil.rmtree(folder, ignore_errors=True)

    for line in printed():
        assert re.search(rf"^{line}$", output, re.MULTILINE), f"{line}\n{output}"
