"""A real coordinator over three programs, one of them damaged: the other two come to their end."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from tests.system.rounds import Outcome, SmallRound, wait_for_end, wait_until_under_way
from tests.system.stack import ROOT, Stack


pytestmark = pytest.mark.system


def test_a_coordinator_goes_on_with_two_programs_and_takes_the_third_up_once_it_is_mended(
    quick: SmallRound,
) -> None:
    with Stack() as stack:
        file = stack.folder / "swapflow.db"
        with stack.frozen("worker"):  # or the first may end before the third is launched
            for cycle_id in ("one", "two", "three"):
                quick.launch(stack, cycle_id)
            for cycle_id in ("one", "two", "three"):
                wait_until_under_way(stack, cycle_id, decisions=1)
        with closing(sqlite3.connect(file, timeout=30)) as connection:
            seq, body = connection.execute(
                "SELECT seq, body FROM event WHERE cycle_id = 'two' AND seq = 5"
            ).fetchone()
            connection.execute(
                "UPDATE event SET body = 'nonsense{' WHERE cycle_id = 'two' AND seq = 5"
            )
            connection.commit()
        lives = stack.lives("coordinator")
        stack.restart("coordinator")

        for cycle_id in ("one", "three"):
            wait_for_end(stack, cycle_id)
            assert Outcome.of(stack.product, cycle_id) == quick.undisturbed

        stack.wait_for(
            lambda: "two" in stack.product.reports.quarantined(), what="the note about the third"
        )
        assert stack.lives("coordinator") == lives + 1, "it died of the damage"
        doctor = command(stack, "doctor")
        assert f"event {seq} of program two cannot be read" in doctor.stdout
        verify = command(stack, "cycle", "verify", "two")
        assert verify.returncode != 0
        assert f"event {seq} of program two" in verify.stdout + verify.stderr
        assert "Traceback" not in verify.stdout + verify.stderr
        with closing(sqlite3.connect(file, timeout=30)) as connection:
            connection.execute(
                "UPDATE event SET body = ? WHERE cycle_id = 'two' AND seq = ?", (body, seq)
            )
            connection.commit()
        assert command(stack, "cycle", "verify", "two").returncode == 0
        wait_for_end(stack, "two")
        assert Outcome.of(stack.product, "two") == quick.undisturbed


def command(stack: Stack, *words: str) -> "subprocess.CompletedProcess[str]":
    """Run one command of swapflow on the deployment."""
    return subprocess.run(
        [sys.executable, "-m", "swapflow.cli.main", *words],
        env={**os.environ, **stack.environment},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
