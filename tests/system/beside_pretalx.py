"""pretalx beside a deployment: installed from the package index, with an event and its people."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from tests.support.ports import free_port
from tests.support.process import Process


ROOT = Path(__file__).parents[2]
KEPT = ROOT / "var" / "pretalx"
"""Its environment and an empty database stay here: making both takes minutes."""

RELEASE = "pretalx==2025.2.*"
Pair = tuple[str, str]


@dataclass(frozen=True, kw_only=True)
class Event:
    """An event of pretalx over its REST API.

    Attributes:
        address: Of the server.
        office: The organiser's token.
        reviewers: A token for each reviewer, by code.
        submissions: Codes.
        marks: The id of each mark that may be given, by its value.
    """

    address: str
    office: str
    reviewers: dict[str, str]
    submissions: tuple[str, ...]
    marks: dict[int, int]

    def call(self, method: str, path: str, body: object = None, *, token: str = "") -> Any:  # noqa: ANN401 - JSON
        """Send a request; its SQLite may be busy, then the request is sent again."""
        for _ in range(20):
            said = httpx.request(
                method,
                f"{self.address}/api/events/fall/{path}",
                json=body,
                headers={"Authorization": f"Token {token or self.office}"},
                timeout=60,
            )
            if said.status_code < 500:
                break
            time.sleep(0.5)
        assert said.is_success, (method, path, said.status_code, said.text[:1000])
        return said.json() if said.content else None

    def reviews(self) -> dict[Pair, dict[str, Any]]:
        """Read every review, by submission and reviewer."""
        rows = self.call("GET", "reviews/?page_size=1000")["results"]
        return {(row["submission"], row["user"]): row for row in rows}

    def assigned(self) -> dict[str, list[str]]:
        """Read who is assigned, by submission."""
        rows = self.call("GET", "submissions/?page_size=1000")["results"]
        return {row["code"]: row["assigned_reviewers"] for row in rows}

    def assign_by_hand(self, pair: Pair) -> None:
        """Assign a reviewer as an organiser does on pretalx's page: beside the others."""
        both = sorted({*self.assigned()[pair[0]], pair[1]})
        self.call("PATCH", f"submissions/{pair[0]}/", {"assigned_reviewers": both})

    def review(self, pair: Pair, mark: int) -> None:
        """Write a review as its reviewer."""
        body = {"submission": pair[0], "text": "read", "scores": [self.marks[mark]]}
        self.call("POST", "reviews/", body, token=self.reviewers[pair[1]])

    def edit(self, pair: Pair, mark: int) -> None:
        """Change the mark of a review as its reviewer."""
        address = f"reviews/{self.reviews()[pair]['id']}/"
        body = {"scores": [self.marks[mark]]}
        self.call("PATCH", address, body, token=self.reviewers[pair[1]])

    def delete(self, pair: Pair) -> None:
        """Delete a review as its reviewer."""
        address = f"reviews/{self.reviews()[pair]['id']}/"
        self.call("DELETE", address, token=self.reviewers[pair[1]])


def pause(seconds: float) -> None:
    """Wait some seconds, in which the script goes on with its look."""
    time.sleep(seconds)


@contextmanager
def event_of_pretalx() -> Iterator[Event]:
    """Serve a new event with 40 submissions and 8 reviewers."""
    python = _installed()
    folder = Path(tempfile.mkdtemp(prefix="sf-pretalx-"))
    shutil.copy(_empty_database(python), folder / "db.sqlite3")
    said = _run(python, str(Path(__file__).with_name("make_pretalx_event.py")), folder=folder)
    made = json.loads(said.splitlines()[-1])
    port = free_port()
    command = [python, "-m", "pretalx", "runserver", "--noreload", f"127.0.0.1:{port}"]
    try:
        with Process(command, env=_environment(folder)) as server:
            address = f"http://127.0.0.1:{port}"
            server.wait_for(lambda: _answers(address), what="pretalx")
            yield Event(
                address=address,
                office=made["office"],
                reviewers=made["reviewers"],
                submissions=tuple(made["submissions"]),
                marks={int(value): number for value, number in made["marks"].items()},
            )
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _installed() -> str:
    """Install pretalx into an environment of its own, unless it is there; gives its Python."""
    python = KEPT / "venv" / "bin" / "python"
    if not (KEPT / "installed").exists():
        shutil.rmtree(KEPT, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", str(KEPT / "venv")], check=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", RELEASE]
        done = subprocess.run(pip, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"the package index gave no {RELEASE}:\n{done.stderr[-3000:]}"
        (KEPT / "installed").touch()
    _take_over_mend()
    return str(python)


def _take_over_mend() -> None:
    """Mend the line by which 2025.2 refuses every list of assigned reviewers but an empty one.

    It sets the reviewers to choose from where Django REST framework does not look; pretalx has
    mended it since, in the same way.
    """
    (file,) = KEPT.glob("venv/lib/python*/site-packages/pretalx/api/serializers/submission.py")
    text = file.read_text("utf-8")
    wrong = 'self.fields["assigned_reviewers"].queryset ='
    right = 'self.fields["assigned_reviewers"].child_relation.queryset ='
    assert wrong in text or right in text
    file.write_text(text.replace(wrong, right), "utf-8")


def _empty_database(python: str) -> Path:
    """Make a database with every table and nothing in it, unless it is there."""
    kept = KEPT / "data" / "db.sqlite3"
    if not kept.with_suffix(".migrated").exists():
        _run(python, "-m", "pretalx", "migrate", folder=kept.parent)
        kept.with_suffix(".migrated").touch()
    return kept


def _run(python: str, *arguments: str, folder: Path) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        [python, *arguments], env=_environment(folder), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, (arguments, done.stdout[-2000:], done.stderr[-2000:])
    return done.stdout


def _environment(folder: Path) -> dict[str, str]:
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "pretalx.settings",
        "PRETALX_DATA_DIR": str(folder),
        "PRETALX_DEBUG": "False",
        "PRETALX_NO_INITIAL_LOG": "1",
    }


def _answers(address: str) -> bool:
    try:
        return httpx.get(f"{address}/api/events/", timeout=5).status_code < 500
    except httpx.HTTPError:
        return False
