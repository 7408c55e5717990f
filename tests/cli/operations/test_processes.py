"""The processes of a deployment, started by commands: real Redis, worker and coordinator."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.office import Office, recording
from tests.support.process import children, exists
from tests.support.waiting import CAP, wait_until


pytestmark = pytest.mark.system
COMMAND = [sys.executable, "-m", "swapflow.cli.main"]


@pytest.fixture
def folder() -> Iterator[Path]:
    """A short path: a socket lies in it."""
    made = Path(tempfile.mkdtemp(prefix="sf-cli-"))
    yield made
    shutil.rmtree(made, ignore_errors=True)


def test_up_serves_a_cycle_and_stops_cleanly(
    office: Office, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SWAPFLOW_DATA_DIR", str(folder))
    office.database = folder / "swapflow.db"
    log = folder / "up.log"
    with log.open("wb") as errors:
        up = subprocess.Popen(
            [*COMMAND, "up", "--json"], stdout=subprocess.PIPE, stderr=errors, env=os.environ
        )
    try:
        assert up.stdout is not None
        ready = json.loads(_until_brace(up))
        started = children(up.pid)
        office.new_cycle()
        office.people()
        office.do("cycle", "launch", "ms")
        wait_until(lambda: len(office.tasks("ada")) > 0, what="the first tasks of ada")
        second = office.run("up")
        office.answer_all()
        wait_until(
            lambda: office.ask("cycle", "verify", "ms")["findings"] == [],
            what="a live state that agrees with the record",
        )
    finally:
        up.send_signal(signal.SIGTERM)
        code = up.wait(CAP)
        assert up.stdout is not None
        up.stdout.close()

    assert set(ready["ready"]) == {"redis", "worker", "mailer", "coordinator", "web"}
    assert second.code == 4, "one data folder, one deployment"
    assert code == 0, log.read_text()
    assert not [pid for pid in started if exists(pid)]


def test_a_replay_through_real_processes_decides_as_in_this_process(
    office: Office, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    past = recording(office)
    monkeypatch.setenv("SWAPFLOW_DATA_DIR", str(folder))
    wanted = (past, "--cohort", "2", "--budget", "2", "--seed", "3")

    alone = office.ask("replay", *wanted, "--in-process")
    together = office.ask("replay", *wanted)

    for name in ("decisions", "cohort", "stop", "cost", "pulls"):
        assert together[name] == alone[name], name


def test_a_folder_that_holds_something_else_is_never_emptied(office: Office, folder: Path) -> None:
    (folder / "thesis.txt").write_text("years of work", encoding="utf-8")

    said = office.run("demo", "--out", str(folder))

    assert said.code == 2
    assert (folder / "thesis.txt").exists()


def _until_brace(up: "subprocess.Popen[bytes]") -> str:
    """Read the JSON that says that everything is ready."""
    assert up.stdout is not None
    lines = []
    for raw in up.stdout:
        lines.append(raw.decode())
        if lines[-1].rstrip() == "}":
            break
    return "".join(lines)
