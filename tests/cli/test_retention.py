"""Rules delete what a round keeps no longer: bytes are searched for, and the record verifies."""

import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path

from swapflow.bootstrap import swapflow
from swapflow.processes.beside.nightly_deletion import LOOK_EVERY, nightly_deletion
from tests.cli.office import Office


DRAFT, REMARK, MAIL, GROUP = b"Quibbledraft", b"Quarkremark", b"Quillmail", b"Quotagroup"
MARKED = (DRAFT, REMARK, MAIL, GROUP)
LAST = "last.backup"
KINDS = ("drafts", "reviews", "monitoring", "mails", "backups")


def _final(office: Office) -> None:
    """Run the round to its end, with marked bytes in every kind of data."""
    office.launched()
    for task in office.tasks("ben")[:1]:
        office.do(
            "inbox", "score", task["task"], "--reviewer", "ben", "--score", "0.7",
            "--remark", REMARK.decode(),
        )  # fmt: skip
    office.turn()
    office.run_until_proposed()
    office.do("cycle", "finalize", "ms", "--waive", "as known", "--out", "list")
    with closing(sqlite3.connect(office.database)) as database, database:
        task, number = database.execute("SELECT id, application FROM assignment").fetchone()
        columns = [row[1] for row in database.execute("PRAGMA table_info(draft)")]
        draft = dict.fromkeys(columns, "{}") | {"assignment_id": task}
        for row in database.execute("PRAGMA table_info(draft)"):
            if row[1] != "assignment_id":
                is_number = "INT" in row[2]
                draft[row[1]] = 1 if is_number else f'"{DRAFT.decode()}"'
                if "DATE" in row[2]:
                    draft[row[1]] = "2026-01-01 00:00:00.000000"
        database.execute(
            f"INSERT INTO draft ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})",
            [draft[name] for name in columns],
        )
        database.execute(
            "INSERT INTO monitoring_attribute (cycle_id, application, name, value) "
            "VALUES ('ms', ?, 'sex', ?)",
            (number, GROUP.decode()),
        )
        changed = database.execute(
            "UPDATE message SET text = text || ? WHERE cycle_id = 'ms'", (MAIL.decode(),)
        )
        assert changed.rowcount > 0
    office.do("db", "backup", str(office.database.parent / "backups" / "first.backup"))
    office.do("db", "backup", str(office.database.parent / "backups" / LAST))


def _backups(office: Office) -> list[Path]:
    return sorted((office.database.parent / "backups").glob("*.backup"))


def _later(office: Office, days: int) -> None:
    with closing(sqlite3.connect(office.database)) as database, database:
        database.execute(
            "UPDATE clock SET offset_seconds = offset_seconds + ?", (days * 86_400.0,)
        )


def _traces(office: Office, words: tuple[bytes, ...] = MARKED) -> set[bytes]:
    files = [file for file in office.database.parent.rglob("*") if file.is_file()]
    return {word for word in words for file in files if word in file.read_bytes()}


def test_after_the_rules_no_byte_is_left_in_database_folder_backup_or_export(
    office: Office,
) -> None:
    _final(office)
    assert _traces(office) == set(MARKED), "or the test could not fail"
    for kind in KINDS:
        office.do("round", "keep", "fall", kind, "--days", "30")
    scores = office.ask("scores", "list", "ms")["scores"]
    assert office.ask("round", "delete-due")["deleted"] == [], "the days are not over"
    seen = office.ask("round", "retention", "fall")
    _later(office, 31)

    deleted = office.ask("round", "delete-due")["deleted"]

    assert {one["kind"] for one in deleted} == set(KINDS)
    foreseen = {one["kind"]: one["count"] for one in seen["kinds"]}
    assert {one["kind"]: one["count"] for one in deleted} | {"figures": 0} == foreseen
    kept = _backups(office)
    assert [file.name for file in kept] == [LAST], "the last backup is never deleted"
    made = Path(office.ask("db", "backup")["file"])
    # The database's clock is ahead of the disk's by what the test added to it.
    os.utime(made, (time.time() + 32 * 86_400, time.time() + 32 * 86_400))
    again = office.ask("round", "delete-due")["deleted"]
    assert [(one["kind"], one["count"]) for one in again] == [("backups", 1)]
    assert _backups(office) == [made]
    office.do("cycle", "export", "ms", "--out", "all")
    assert _traces(office) == set()
    for file in Path("all").iterdir():
        assert not [word for word in MARKED if word in file.read_bytes()], file
    after = office.ask("scores", "list", "ms")["scores"]
    assert [one["value"] for one in after] == [one["value"] for one in scores]
    office.turn()
    assert office.ask("cycle", "verify", "ms", "--record-only")["passed"]
    record = office.ask("round", "retention", "fall")["deleted"]
    assert {(one["kind"], one["set_by"], one["days"]) for one in record} == {
        (kind, "olga", 30) for kind in KINDS
    }
    assert office.ask("round", "delete-due")["deleted"] == [], "a second night finds nothing"


def test_without_a_rule_nothing_is_deleted(office: Office) -> None:
    _final(office)
    _later(office, 20_000)

    assert office.ask("round", "delete-due")["deleted"] == []
    assert _traces(office) == set(MARKED)


def test_a_practice_program_keeps_no_round_open(office: Office) -> None:
    _final(office)
    made = office.ask("cycle", "practise", "ms", "--applicants", "6", "--by", "ana")["cycle"]
    office.do("cycle", "launch", made, "--by", "ana")
    office.do("round", "keep", "fall", "drafts", "--days", "30")
    _later(office, 31)

    deleted = office.ask("round", "delete-due")["deleted"]

    assert {one["program"] for one in deleted} == {"ms"}


def test_a_hold_on_a_round_keeps_everything_until_it_is_lifted(office: Office) -> None:
    _final(office)
    for kind in KINDS:
        office.do("round", "keep", "fall", kind, "--days", "30")
    placed = office.ask("round", "hold", "fall", "--reason", "Case 12 of the court")
    _later(office, 31)

    assert office.ask("round", "delete-due")["deleted"] == []
    refused = office.run("applications", "purge", "ms", "a2", "--yes")
    assert refused.code == 4
    assert "olga placed legal hold" in refused.err
    assert "Case 12 of the court" in refused.err

    office.do("round", "lift", "fall", str(placed["hold"]), "--reason", "settled")
    assert {one["kind"] for one in office.ask("round", "delete-due")["deleted"]} == set(KINDS)
    office.do("applications", "purge", "ms", "a2", "--yes")
    again = office.run("round", "lift", "fall", str(placed["hold"]), "--reason", "settled")
    assert again.code == 3


def test_a_hold_on_one_applicant_keeps_what_concerns_this_applicant(office: Office) -> None:
    _final(office)
    with closing(sqlite3.connect(office.database)) as database:
        (held,) = database.execute(
            "SELECT external_id FROM application JOIN monitoring_attribute "
            "ON application.number = monitoring_attribute.application"
        ).fetchone()
    other = "a2" if held != "a2" else "a3"
    for kind in KINDS:
        office.do("round", "keep", "fall", kind, "--days", "30")
    office.do(
        "round", "hold", "fall", "--program", "ms", "--applicant", held, "--reason", "a lawsuit"
    )
    _later(office, 31)

    deleted = {one["kind"] for one in office.ask("round", "delete-due")["deleted"]}

    assert deleted == {"reviews"}
    assert {DRAFT, GROUP, MAIL} <= _traces(office)
    assert office.run("applications", "purge", "ms", held, "--yes").code == 4
    office.do("applications", "purge", "ms", other, "--yes")


def test_the_nightly_look_deletes_once_a_night_and_after_two(office: Office) -> None:
    _final(office)
    office.do("round", "keep", "fall", "drafts", "--days", "30")
    _later(office, 31)
    seconds = [0.0]
    night = nightly_deletion(swapflow(), clock=lambda: seconds[0])
    for _ in range(24):
        night()
        seconds[0] += LOOK_EVERY
        with closing(sqlite3.connect(office.database)) as database, database:
            database.execute("UPDATE clock SET offset_seconds = offset_seconds + 3600")

    done = office.ask("round", "retention", "fall")["deleted"]

    assert [(one["kind"], one["count"]) for one in done] == [("drafts", 1)]


def test_days_out_of_range_are_refused(office: Office) -> None:
    office.new_cycle()

    said = office.run("round", "keep", "fall", "mails", "--days", "0")

    assert said.code == 2
    assert "0 days is not between 1 and 36525" in said.err


def test_a_backup_is_rehearsed_by_a_command_and_on_record(office: Office) -> None:
    office.launched()
    assert office.run("db", "rehearse").code == 3
    made = office.ask("db", "backup", "--by", "olga")

    said = office.do("db", "rehearse", "--by", "olga")

    assert "verifies: ms" in said.out
    assert "opens, and all of its 1 program verify" in said.out
    runs = office.ask("db", "backups")["runs"]
    assert [(one["kind"], one["by"], one["passed"]) for one in runs] == [
        ("rehearsal", "olga", True),
        ("backup", "olga", True),
    ]
    assert runs[1]["file"] == Path(made["file"]).name
    assert [one.name for one in _backups(office)] == [runs[1]["file"]]


def test_a_rehearsal_that_finds_a_difference_ends_with_1(office: Office) -> None:
    office.launched()
    made = office.ask("db", "backup")["file"]
    with closing(sqlite3.connect(made)) as copy, copy:
        copy.execute("UPDATE event SET body = replace(body, '1', '2') WHERE seq = 3")

    said = office.run("db", "rehearse", Path(made).name)

    assert said.code == 1
    assert "DIFFERS: ms" in said.out


def test_a_hold_on_an_applicant_keeps_the_reviewers_who_judged_them(office: Office) -> None:
    _final(office)
    with closing(sqlite3.connect(office.database)) as database:
        rows = database.execute(
            "SELECT DISTINCT a.external_id, r.external_id FROM assignment "
            "JOIN application a ON a.number = assignment.application "
            "JOIN roster r ON r.number = assignment.reviewer"
        ).fetchall()
    applicant, reviewer = rows[0]
    asked = {one for person, one in rows if person == applicant}
    office.do(
        "round", "hold", "fall", "--program", "ms", "--applicant", applicant, "--reason", "Case 9"
    )  # fmt: skip

    refused = office.run("reviewers", "purge", "ms", reviewer, "--yes")

    assert refused.code == 4
    assert "Case 9" in refused.err
    assert reviewer in asked
