"""One person is erased in mid-cycle: no trace is left, and the record still agrees with itself."""

import csv
from pathlib import Path

from tests.cli.office import Office, applicant_rows


SECRETS = (b"Quendolyn", b"Zarathustra", b"quendolyn@", b"Peculiar", b"essay-q", b"q-applicant")


def test_a_person_purged_in_mid_cycle_leaves_no_trace_and_the_record_still_verifies(
    office: Office,
) -> None:
    office.new_cycle(budget=1500)
    rows = applicant_rows(7)
    for row in rows:
        row |= {"document:essay": f"https://files.example.org/{row['applicant_id']}.pdf"}
        row |= {"redacted": "yes"}
    rows[6] |= {
        "applicant_id": "q-applicant",
        "name": "Quendolyn Zarathustra",
        "email": "quendolyn@example.org",
        "statement": "Peculiar words",
        "document:essay": "https://files.example.org/essay-q.pdf",
    }
    office.do("applications", "import", "ms", office.write("in.csv", rows))
    office.people(applicants=1)
    office.do("cycle", "launch", "ms")
    office.turn()
    _score_with_remark(office)
    office.do(
        "applications", "ask", "ms", "q-applicant", "review", "--reason", "Quendolyn appealed"
    )
    office.do("applications", "hold", "ms", "q-applicant", "--reason", "Quendolyn is away")
    office.do("personal-data", "export", "ms", "q-applicant", "--out", str(office.folder / "held"))
    assert _traces(office), "or the test could not fail"

    office.do("applications", "purge", "ms", "q-applicant", "--yes")

    assert _traces(office) == set()
    office.turn()
    assert office.ask("cycle", "verify", "ms", "--record-only")["passed"]
    office.run_until_proposed()
    office.do("cycle", "finalize", "ms", "--waive", "as known", "--out", "list")
    office.do("cycle", "export", "ms", "--out", "all")
    assert office.ask("cycle", "verify", "ms", "--record-only")["passed"]
    assert _traces(office) == set()
    for folder in ("list", "all"):
        for file in Path(folder).iterdir():
            assert not [word for word in SECRETS if word in file.read_bytes()], file


def test_a_person_purged_after_the_list_was_fixed_leaves_no_trace_in_it(office: Office) -> None:
    office.launched()
    office.run_until_proposed()
    office.do("cycle", "finalize", "ms", "--out", "first")
    # Who is chosen among equals depends on the seed, which each launch draws.
    listed = Path("first/cohort.csv").read_text("utf-8-sig").splitlines()
    first = next(csv.DictReader(listed))
    external_id, name = first["external_id"], first["name"].encode()
    assert name == f"Person Number{external_id[1:]}".encode()

    office.do("applications", "purge", "ms", external_id, "--yes")
    office.do("cycle", "export", "ms", "--out", "all")

    for file in [*Path("all").iterdir(), *office.database.parent.rglob("*")]:
        if file.is_file():
            assert name not in file.read_bytes(), file
            assert f"person{external_id[1:]}@".encode() not in file.read_bytes(), file
    assert office.ask("cycle", "verify", "ms", "--record-only")["passed"]


def test_a_reviewer_purged_by_command_leaves_no_trace_and_the_record_still_verifies(
    office: Office,
) -> None:
    office.launched()
    office.do("personal-data", "export", "ms", "ben", "--reviewer", "--out", "held")
    assert "Ben Reviewer" in Path("held/person.html").read_text()
    for task in office.tasks("ben")[:1]:
        office.do(
            "inbox", "score", task["task"], "--reviewer", "ben", "--score", "0.7",
            "--remark", "Ben Reviewer thinks so",
        )  # fmt: skip
    refused = office.run("reviewers", "purge", "ms", "ben", "--yes")
    assert refused.code == 4
    assert "swapflow reviewers leave ms ben" in refused.err
    office.do("reviewers", "leave", "ms", "ben", "--reason", "Ben Reviewer is ill")
    assert office.run("reviewers", "purge", "ms", "ben").code == 2, "it needs a yes"
    before = office.ask("scores", "list", "ms")["scores"]

    said = office.ask("reviewers", "purge", "ms", "ben", "--yes")

    assert said == {"cycle": "ms", "number": 1, "purged": True, "account": False, "by": "olga"}
    for file in office.database.parent.rglob("*"):
        if file.is_file():
            content = file.read_bytes()
            assert b"Ben Reviewer" not in content, file
            assert b"ben@example.org" not in content, file
    assert [s["value"] for s in office.ask("scores", "list", "ms")["scores"]] == [
        s["value"] for s in before
    ]
    office.turn()
    assert office.ask("cycle", "verify", "ms", "--record-only")["passed"]
    assert office.run("reviewers", "purge", "ms", "ben", "--yes").code == 3
    listed = office.do("reviewers", "list", "ms").out
    assert "erased-1" in listed
    office.do("cycle", "oversight", "ms", "--out", "log.json")
    assert "erased a reviewer" in Path("log.json").read_text()


def test_a_purge_needs_a_yes(office: Office) -> None:
    office.launched()
    before = office.dump()

    said = office.run("applications", "purge", "ms", "a2")

    assert said.code == 2
    assert "--yes" in said.err
    assert office.dump() == before


def _score_with_remark(office: Office) -> None:
    """Score the person as every reviewer, with a remark that names her."""
    for reviewer in ("ada", "ben", "cyd"):
        for task in office.tasks(reviewer):
            if task["applicant"] == "q-applicant":
                office.do(
                    "inbox", "score", task["task"], "--reviewer", reviewer, "--score", "0.9",
                    "--remark", "Quendolyn wrote Peculiar words",
                )  # fmt: skip


def _traces(office: Office) -> set[bytes]:
    """Which of the person's words stand anywhere in the data folder, byte for byte."""
    found: set[bytes] = set()
    for file in office.database.parent.rglob("*"):
        if file.is_file():
            content = file.read_bytes()
            found |= {word for word in SECRETS if word in content}
    return found


def test_nobody_is_erased_while_a_hold_stands(office: Office) -> None:
    office.launched()
    office.do("cycle", "hold", "ms", "--reason", "a complaint of 3 May")

    refused = office.run("applications", "purge", "ms", "a2", "--yes")

    assert refused.code == 4
    assert "on hold" in refused.err
    assert "a complaint of 3 May" in refused.err
    assert "Person Number2" in office.do("applications", "list", "ms").out
    office.do("cycle", "hold", "ms", "--release", "--reason", "settled")
    office.do("applications", "purge", "ms", "a2", "--yes")
    office.do("cycle", "oversight", "ms", "--out", "log.json")
    log = Path("log.json").read_text()
    assert "a complaint of 3 May" in log
    assert "settled" in log
