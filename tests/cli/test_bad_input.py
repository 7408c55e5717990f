"""Bad input: one clear message, a stable exit code, and a database that stands as it stood."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cli.office import REVIEWERS, Office, Said, applicant_rows, forget_deployment


@contextmanager
def nothing_changes(office: Office) -> Iterator[None]:
    before = office.dump()
    yield
    assert office.dump() == before


def refused(said: Said, *words: str, code: int = 2) -> None:
    """One message on standard error, in plain words, and nothing on standard output."""
    assert said.code == code, said
    assert said.out == ""
    message = [line for line in said.err.splitlines() if line.startswith("swapflow: ")]
    assert len(message) == 1, said.err
    for word in words:
        assert word in said.err, said.err


def test_an_empty_file_is_refused(office: Office) -> None:
    office.new_cycle()
    file = office.write("empty.csv", "")

    with nothing_changes(office):
        refused(office.run("applications", "import", "ms", file), "empty.csv")
        refused(office.run("reviewers", "import", "ms", file), "empty.csv")


def test_wrong_columns_are_refused_and_the_cure_is_named(office: Office) -> None:
    office.new_cycle()
    file = office.write("wrong.csv", "colour,shape\nred,round\n")

    with nothing_changes(office):
        refused(office.run("applications", "import", "ms", file), "nothing was imported", "id")
        refused(office.run("reviewers", "import", "ms", file), "nothing was imported")


def test_duplicate_ids_are_refused_and_every_line_is_named(office: Office) -> None:
    office.new_cycle()
    rows = applicant_rows(3)
    rows[2]["applicant_id"] = rows[0]["applicant_id"]
    file = office.write("twice.csv", rows)

    with nothing_changes(office):
        said = office.run("applications", "import", "ms", file)
        refused(said, "line 4", "a1")


def test_one_bad_row_among_good_ones_imports_nothing(office: Office) -> None:
    office.new_cycle()
    rows = applicant_rows(3)
    rows[1]["applicant_id"] = ""

    with nothing_changes(office):
        refused(
            office.run("applications", "import", "ms", office.write("bad.csv", rows)), "line 3"
        )


def test_an_unknown_reviewer_is_refused(office: Office) -> None:
    office.launched()
    task = office.tasks("ada")[0]["task"]
    pairs = office.write("pairs.csv", "applicant,reviewer\na1,nobody\n")
    scores = office.write("scores.csv", "applicant,reviewer,kind,utility\na1,nobody,review,0.5\n")

    with nothing_changes(office):
        said = office.run("inbox", "score", task, "--score", "0.5", "--reviewer", "nobody")
        refused(said, "nobody", code=3)
        refused(office.run("reviewers", "conflicts", "ms", pairs), "nobody")
        refused(office.run("reviewers", "panel", "ms", pairs), "nobody")
        refused(office.run("scores", "import", "ms", scores), "nobody")
        refused(office.run("reviewers", "leave", "ms", "nobody"), "nobody", code=3)


@pytest.mark.parametrize("score", ["1.2", "-0.1", "101/100", "nan", "NaN/100", "inf", "", "good"])
def test_a_score_out_of_range_or_no_number_is_refused(office: Office, score: str) -> None:
    office.launched()
    task = office.tasks("ada")[0]["task"]

    with nothing_changes(office):
        said = office.run("inbox", "score", task, f"--score={score}", "--reviewer", "ada")
        refused(said, "0.7")


@pytest.mark.parametrize("mark", ["6", "0", "2.5", "nan", "five", "-1"])
def test_a_mark_that_the_rubric_does_not_know_is_refused(office: Office, mark: str) -> None:
    office.launched()
    task = office.tasks("ada")[0]["task"]

    with nothing_changes(office):
        said = office.run(
            "inbox", "score", task, "--reviewer", "ada", "--mark", f"Academic preparation={mark}",
            "--mark", "Research promise=3", "--mark", "Fit with the programme=N/A",
        )  # fmt: skip
        refused(said)


def test_a_criterion_left_out_is_refused_for_it_is_no_choice(office: Office) -> None:
    office.launched()
    task = office.tasks("ada")[0]["task"]

    with nothing_changes(office):
        said = office.run(
            "inbox", "score", task, "--reviewer", "ada", "--mark", "Research promise=3"
        )
        refused(said, "Academic preparation", "N/A")


def test_as_many_places_as_applicants_are_refused_at_launch(office: Office) -> None:
    office.new_cycle(places=6, budget=5000)
    office.people()

    with nothing_changes(office):
        refused(office.run("cycle", "launch", "ms"), "6 places for 6 applicants")


def test_a_delta_of_one_is_refused(office: Office) -> None:
    rules = office.new_cycle()
    office.edit(rules, ("delta = 0.05", "delta = 1.0"))

    with nothing_changes(office):
        refused(
            office.run("cycle", "rules", "ms", "--set", str(rules), "--reason", "bold"), "delta"
        )
        refused(office.run("cycle", "new", "b", "--round", "fall", "--rules", str(rules)), "delta")


def test_every_problem_of_a_rules_file_is_named_at_once(office: Office) -> None:
    rules = office.new_cycle()
    office.edit(
        rules,
        ("delta = 0.05", "delta = 1.0"),
        ("reserve = 0.05", "reserve = 2"),
        ('requires = "review"', 'requires = "essay"'),
    )

    with nothing_changes(office):
        said = office.run("cycle", "new", "b", "--round", "fall", "--rules", str(rules))
        refused(said, "delta", "reserve", "essay", "3 problems")


def test_a_budget_that_cannot_pay_the_floors_is_refused_at_launch(office: Office) -> None:
    office.new_cycle(budget=500)
    office.people()

    with nothing_changes(office):
        refused(office.run("cycle", "launch", "ms"), "cannot pay the floors", "at least")


def test_no_reviewer_for_interviews_is_refused_at_launch(office: Office) -> None:
    office.new_cycle()
    office.people()
    rows = [{"reviewer_id": row["reviewer_id"], "kinds": "review"} for row in REVIEWERS]
    office.do("reviewers", "import", "ms", office.write("reviews-only.csv", rows))

    with nothing_changes(office):
        refused(office.run("cycle", "launch", "ms"), "no reviewer takes 'interview'")


def test_all_reviewers_in_conflict_with_one_applicant_are_refused_at_launch(
    office: Office,
) -> None:
    office.new_cycle()
    office.people()
    pairs = [{"applicant": "a3", "reviewer": row["reviewer_id"]} for row in REVIEWERS]
    office.do("reviewers", "conflicts", "ms", office.write("pairs.csv", pairs))

    with nothing_changes(office):
        refused(office.run("cycle", "launch", "ms"), "a3", "conflict of interest")


def test_a_second_launch_is_refused(office: Office) -> None:
    office.launched()

    with nothing_changes(office):
        refused(office.run("cycle", "launch", "ms"), "launched before")


def test_finalize_twice_without_reopen_is_refused(office: Office) -> None:
    office.launched()
    office.run_until_proposed()
    office.do("cycle", "finalize", "ms", "--waive", "a small round")

    with nothing_changes(office):
        refused(office.run("cycle", "finalize", "ms"), "swapflow cycle reopen")


def test_finalize_below_a_floor_needs_a_waiver_with_a_reason(office: Office) -> None:
    office.launched()
    office.do("cycle", "stop", "ms", "--reason", "no time left")

    with nothing_changes(office):
        refused(office.run("cycle", "finalize", "ms"), "--waive", "a1")
        refused(office.run("cycle", "finalize", "ms", "--waive", " "), "needs a reason")
    assert office.do("cycle", "finalize", "ms", "--waive", "no time left").code == 0


def test_finalize_while_running_is_refused(office: Office) -> None:
    office.launched()

    with nothing_changes(office):
        refused(office.run("cycle", "finalize", "ms"), "swapflow cycle stop ms")


def test_a_folder_that_cannot_be_written_is_refused_before_anything_is_decided(
    office: Office,
) -> None:
    office.launched()
    office.run_until_proposed()
    Path("taken").write_text("a file", encoding="utf-8")

    with nothing_changes(office):
        refused(office.run("cycle", "finalize", "ms", "--out", "taken/list"), "--out")


def test_unknown_names_say_so_with_their_own_exit_code(office: Office) -> None:
    office.launched()

    with nothing_changes(office):
        refused(office.run("cycle", "status", "nowhere"), "nowhere", code=3)
        refused(office.run("cycle", "explain", "ms", "a99"), "a99", code=3)
        refused(office.run("applications", "hold", "ms", "a99"), "a99", code=3)
        refused(office.run("approvals", "approve", "ms", "ms:1:interview:9"), code=3)
        refused(office.run("cycle", "new", "b", "--round", "none", "--template", "hiring"), code=3)
    assert not Path("b.toml").exists(), "a command that fails leaves no file behind"


def test_a_name_that_cannot_be_an_id_is_refused(office: Office) -> None:
    office.do("db", "upgrade")

    with nothing_changes(office):
        refused(office.run("round", "new", "Fall 2026!"), "small letters")


def test_a_task_that_was_declined_cannot_be_scored(office: Office) -> None:
    office.launched()
    task = office.tasks("ada")[0]["task"]
    office.do("inbox", "decline", task, "--reviewer", "ada", "--kind", "unqualified")

    with nothing_changes(office):
        said = office.run("inbox", "score", task, "--score", "0.5", "--reviewer", "ada")
        refused(said, "declined", code=4)


def test_a_database_that_is_not_there_says_what_to_do_and_is_not_made(office: Office) -> None:
    said = office.run("cycle", "list")

    refused(said, "swapflow db upgrade", "SWAPFLOW_DATA_DIR", code=5)
    assert not office.database.exists()


def test_an_unreachable_database_says_what_to_check(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SWAPFLOW_DATABASE_URL", "postgresql://u:secret@127.0.0.1:1/none")
    forget_deployment()

    for arguments in (("cycle", "list"), ("db", "upgrade"), ("up",)):
        said = office.run(*arguments)
        refused(said, "check that PostgreSQL runs", code=5)
        assert "secret" not in said.err


def test_an_unreachable_redis_says_what_to_check_where_redis_is_needed(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    office.launched()
    monkeypatch.setenv("SWAPFLOW_REDIS_URL", "redis://:secret@127.0.0.1:1/0")
    forget_deployment()

    with nothing_changes(office):
        for arguments in (("cycle", "verify", "ms"), ("state", "rebuild", "ms"), ("up",)):
            said = office.run(*arguments)
            refused(said, "SWAPFLOW_REDIS_URL", code=5)
            assert "secret" not in said.err


def test_settings_that_cannot_be_used_are_named(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SWAPFLOW_LEASE_SECONDS", "soon")

    refused(office.run("cycle", "list"), "SWAPFLOW_LEASE_SECONDS")


def test_json_errors_stand_on_standard_error_under_stable_keys(office: Office) -> None:
    office.do("db", "upgrade")

    missing = office.run("cycle", "status", "nowhere", "--json")
    misused = office.run("cycle", "status", "--json")

    assert (missing.code, missing.out) == (3, "")
    assert set(json.loads(missing.err)) == {"error", "message"}
    assert json.loads(missing.err)["error"] == "NotFoundError"
    assert (misused.code, json.loads(misused.err)["error"]) == (2, "UsageError")
