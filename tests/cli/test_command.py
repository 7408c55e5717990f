"""The command itself: exit codes, interrupts, completion, and what a terminal is shown."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.office import Office, recording
from tests.support.waiting import CAP


COMMAND = [sys.executable, "-m", "swapflow.cli.main"]


def run(*arguments: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [*COMMAND, *arguments],
        capture_output=True,
        text=True,
        timeout=CAP,
        check=False,
        env={**os.environ, **variables},
    )


def test_help_loads_nothing_heavy() -> None:
    heavy = (
        *("numpy", "scipy", "sqlalchemy", "celery", "redis", "rich.console", "babel"),
        *("swapflow.domain.rules", "swapflow.domain.cohort.proposal", "swapflow.engine"),
    )
    script = (
        "import sys\n"
        "from swapflow.cli.main import main\n"
        "main(['cycle', 'finalize', '--help'])\n"
        f"sys.exit(' '.join(name for name in {heavy!r} if name in sys.modules) or 0)\n"
    )

    found = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=CAP, check=False
    )

    assert found.returncode == 0, found.stderr


def test_the_status_of_a_program_loads_only_what_it_reads(office: Office) -> None:
    office.launched()
    unused = (
        *("redis", "valkey", "limits", "celery", "kombu", "opentelemetry", "fastapi", "alembic"),
        *("scipy.special", "scipy.sparse", "scipy.linalg", "scipy.optimize"),
        "sqlalchemy.dialects.postgresql",
        *("httpcore", "smtplib", "email_validator", "argon2", "jinja2", "openpyxl"),
        *("swapflow.web", "swapflow.files", "swapflow.simulation", "swapflow.monitoring"),
        *("swapflow.outbound.mail", "swapflow.outbound.guarded_client"),
        *(f"swapflow.engine.services.{name}" for name in ("tasks", "applicants", "cohort")),
        *(f"swapflow.engine.{name}" for name in ("cohort", "offers", "pending")),
        *("swapflow.engine.audit.verify", "swapflow.engine.coordination.coordinator"),
        *(f"swapflow.identity.services.{name}" for name in ("sign_in", "users", "webhooks")),
    )
    script = (
        "import sys\n"
        "from swapflow.cli.main import main\n"
        "code = main(['cycle', 'status', 'ms'])\n"
        "from sqlmodel.main import default_registry\n"
        "mapped = [one.class_.__name__ for one in default_registry.mappers]\n"
        f"loaded = [name for name in {unused!r} if name in sys.modules]\n"
        "sys.exit(' '.join(loaded + mapped) or code)\n"
    )

    found = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=CAP, check=False
    )

    assert found.returncode == 0, found.stderr
    assert "ms" in found.stdout


def test_completion_names_commands_for_the_shell() -> None:
    found = run(
        _SWAPFLOW_COMPLETE="complete_bash", COMP_WORDS="swapflow cycle fin", COMP_CWORD="2"
    )

    assert found.stdout.split() == ["finalize"]


def test_the_version_is_printed() -> None:
    assert run("--version").stdout.startswith("swapflow 0")


def test_ctrl_c_ends_a_command_quietly_with_130(office: Office) -> None:
    office.launched()
    watching = subprocess.Popen(
        [*COMMAND, "cycle", "watch", "ms", "--every", "0.2"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A shell that runs these tests in the background makes them ignore it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    )
    assert watching.stdout is not None
    assert "ms running" in watching.stdout.readline()

    watching.send_signal(signal.SIGINT)
    _, said = watching.communicate(timeout=CAP)

    assert watching.returncode == 130
    assert said.strip() == ""


def test_a_reader_that_goes_away_is_no_error(office: Office) -> None:
    office.launched()

    for reading in ("applications list ms | true", "cycle watch ms --every 0.2 | head -n 1"):
        found = subprocess.run(
            ["bash", "-o", "pipefail", "-c", f"{' '.join(COMMAND)} {reading}"],
            capture_output=True,
            text=True,
            timeout=CAP,
            check=False,
        )
        assert (found.returncode, found.stderr) == (0, "")


def test_a_name_cannot_steer_the_terminal_and_is_no_markup(office: Office) -> None:
    office.new_cycle()
    rows = "applicant_id,name\nx1,[bold]Eve[/bold]\nx2,Mal{}lory\u202e\n"
    steering = office.write("steering.csv", rows.format("\x1b[2J"))
    refused = office.run("applications", "import", "ms", steering)
    office.do("applications", "import", "ms", office.write("in.csv", rows.format("")))

    shown = office.do("applications", "list", "ms").out

    assert refused.code == 2
    assert "control character" in refused.err
    assert "[bold]Eve[/bold]" in shown
    for said in (refused.err, shown):
        assert "\x1b" not in said
        assert "\u202e" not in said


def test_tables_in_a_pipe_are_never_cut(office: Office) -> None:
    office.new_cycle()
    name = "Wolfeschlegelsteinhausenbergerdorff " * 3
    file = office.write("in.csv", [{"applicant_id": "w1", "name": name.strip()}])
    office.do("applications", "import", "ms", file)

    assert name.strip() in office.do("applications", "list", "ms").out


def test_every_result_is_json_with_numbers_that_programs_can_read(office: Office) -> None:
    office.launched()

    status = office.do("cycle", "status", "ms", "--json").out

    assert "NaN" not in status
    assert "Infinity" not in status
    assert {"cycle", "status", "budget", "spent", "kinds", "blocked"} <= set(json.loads(status))


def test_staff_are_named_by_option_by_variable_or_by_login(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    office.launched()

    by_variable = office.ask("cycle", "pause", "ms")["by"]
    by_option = office.ask("cycle", "resume", "ms", "--by", "Chair")["by"]
    monkeypatch.delenv("SWAPFLOW_USER")
    monkeypatch.setenv("LOGNAME", "paul")
    by_login = office.ask("cycle", "pause", "ms")["by"]

    assert (by_variable, by_option, by_login) == ("olga", "Chair", "paul")


def test_a_check_of_a_damaged_record_fails_with_exit_code_1(office: Office) -> None:
    office.launched()
    with sqlite3.connect(office.database) as connection:
        connection.execute("UPDATE cycle SET committed = committed + 1 WHERE id = ?", ("ms",))
    connection.close()

    said = office.run("cycle", "verify", "ms", "--record-only")

    assert said.code == 1
    assert "DIFFERS" in said.out


def test_a_word_that_does_not_fit_an_applicants_state_is_refused(office: Office) -> None:
    office.launched()
    before = office.dump()

    for word in ("release", "reinstate", "ready"):
        said = office.run("applications", word, "ms", "a1")
        assert said.code == 2
        assert "'a1' is ready" in said.err

    assert office.dump() == before


def test_the_same_file_may_be_imported_again(office: Office) -> None:
    office.new_cycle()
    office.people()

    again = office.ask("applications", "import", "ms", str(office.folder / "applicants.csv"))
    checked = office.ask(
        "applications", "import", "ms", str(office.folder / "applicants.csv"), "--check"
    )

    assert (again["imported"], again["present"]) == (0, 6)
    assert (checked["imported"], checked["read"], checked["checked_only"]) == (0, 6, True)


def test_a_replay_in_this_process_prints_the_stated_keys(office: Office) -> None:
    found = office.ask(
        "replay", recording(office), "--cohort", "2", "--budget", "1.5", "--in-process"
    )

    assert set(found) == {
        "utility", "even", "two_tier", "best", "overlap", "cohort", "decisions", "cost", "pulls",
        "stop", "certified_loss", "shows_certified", "seed", "seconds", "scale",
        "why",
    }  # fmt: skip
    assert found["scale"] == [1, 10]
    assert found["cohort"] == sorted(found["cohort"])
    assert len(found["cohort"]) == 2


def test_a_replay_says_on_which_scale_it_read_the_marks(office: Office) -> None:
    """Read from the file or stated; a mark outside it is named with file, line and cure."""
    past = recording(office)
    wanted = ("replay", past, "--cohort", "2", "--budget", "1.5", "--in-process")

    read, stated = office.do(*wanted), office.ask(*wanted, "--scale", "0..20")
    outside = office.run(*wanted, "--scale", "0..5")

    assert "scale of the scores: 1 to 10, read from scores.csv" in read.out
    assert stated["scale"] == [0, 20]
    assert outside.code == 2
    assert "scores.csv, line " in outside.err
    assert "--scale 0..5" in outside.err


def test_a_replay_that_cannot_be_run_is_refused_before_anything_starts(office: Office) -> None:
    past = recording(office)

    for wrong in (
        ("--cohort", "8", "--budget", "2"),
        ("--cohort", "2", "--budget", "0.5"),
        ("--cohort", "2", "--budget", "2", "--delta", "1"),
        ("--cohort", "2", "--budget", "2", "--in-process", "--running"),
        ("--cohort", "2", "--budget", "2", "--only", "program"),
    ):
        assert office.run("replay", past, *wrong).code == 2
    assert office.run("replay", "nowhere", "--cohort", "2", "--budget", "2").code == 3
    assert not Path("var/replay").exists()
