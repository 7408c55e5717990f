import os
import subprocess
import time
from pathlib import Path

import pytest

from swapflow.processes.heartbeat import HEARTBEAT_VARIABLE, beat, is_alive, start_heartbeat
from swapflow.processes.parent_watch import start_of
from tests.support.process import Process
from tests.support.waiting import wait_until


def test_a_process_that_has_beaten_lately_lives(tmp_path: Path) -> None:
    file = tmp_path / "run" / "beat"
    assert not is_alive(file)

    beat(file)

    assert is_alive(file)
    assert int(file.read_text()) == os.getpid()


def test_a_process_that_has_not_beaten_for_long_is_taken_for_dead(tmp_path: Path) -> None:
    file = tmp_path / "beat"
    beat(file)
    long_ago = time.time() - 60
    os.utime(file, (long_ago, long_ago))

    assert not is_alive(file)
    assert is_alive(file, within=120)


def test_a_beat_under_a_clock_that_was_set_back_since_says_nothing(tmp_path: Path) -> None:
    file = tmp_path / "beat"
    beat(file)
    ahead = time.time() + 3600
    os.utime(file, (ahead, ahead))

    assert not is_alive(file)


def test_a_beat_that_cannot_be_written_kills_nobody(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    beat(tmp_path / "file" / "beat")


def test_a_heartbeat_goes_on_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "beat"
    monkeypatch.setenv(HEARTBEAT_VARIABLE, str(file))
    start_heartbeat(every=0.2)
    file.unlink()

    wait_until(file.exists, what="the next beat")


def test_without_a_place_for_it_there_is_no_heartbeat(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(HEARTBEAT_VARIABLE, raising=False)

    start_heartbeat()


def test_a_process_that_only_waits_to_be_collected_has_ended() -> None:
    with subprocess.Popen(["true"]) as ended:
        # Waits for its end and leaves it to be collected: until then its number is taken.
        os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)

        assert start_of(ended.pid) == ""


def test_two_processes_are_told_apart_by_their_start() -> None:
    with Process(["sleep", "60"]) as one:
        started = start_of(one.pid)
        assert started
        assert started == start_of(one.pid)
        assert started != start_of(os.getpid())

        one.kill9()

        assert start_of(one.pid) == ""
