"""One person's file holds everything and nothing of others; the log names every departure."""

import json
import zipfile
from pathlib import Path

import pytest

from tests.cli.office import Office, applicant_rows


OWN = (
    "Quendolyn Zarathustra", "quendolyn@example.org", "Peculiar words", "essay-q", "q-applicant",
    "Quendolyn appealed", "Quendolyn is away", "violet",
)  # fmt: skip


@pytest.fixture
def told(office: Office) -> Office:
    """A running cycle in which one applicant left traces in many tables."""
    office.new_cycle(budget=1500)
    rows = applicant_rows(7)
    rows[6] |= {
        "applicant_id": "q-applicant",
        "name": "Quendolyn Zarathustra",
        "email": "quendolyn@example.org",
        "statement": "Peculiar words",
        "document:essay": "https://files.example.org/essay-q.pdf",
        "redacted": "yes",
        "monitor:colour": "violet",
    }
    for row in rows[:6]:
        row |= {
            "document:essay": "",
            "redacted": "",
            "statement": "plain",
            "monitor:colour": "red",
        }
    office.do("applications", "import", "ms", office.write("in.csv", rows))
    office.people(applicants=1)
    office.do("cycle", "launch", "ms")
    office.turn()
    return office


def test_an_applicants_file_holds_what_every_table_holds(told: Office) -> None:
    told.do("applications", "ask", "ms", "q-applicant", "review", "--reason", "Quendolyn appealed")
    told.do("applications", "hold", "ms", "q-applicant", "--reason", "Quendolyn is away")

    said = told.ask("personal-data", "export", "ms", "q-applicant", "--out", "file")

    content = Path("file/person.json").read_text()
    page = Path("file/person.html").read_text()
    for word in OWN:
        assert word in content, word
        assert word in page, word
    assert "Person Number" not in content + page, "nobody else is named"
    held = json.loads(content)["held"]
    assert {"application", "person", "assignment", "pull", "monitoring_attribute"} <= set(held)
    assert held["imported"][0]["said"]["name"] == "Quendolyn Zarathustra"
    assert held["monitoring_attribute"][0]["value"] == "violet"
    assert said["rows"] == sum(len(rows) for rows in held.values())
    assert Path("file").stat().st_mode & 0o777 == 0o700


def test_a_name_that_ends_in_zip_gets_the_same_files_in_one(told: Office) -> None:
    told.do("personal-data", "export", "ms", "q-applicant", "--out", "file")

    said = told.ask("personal-data", "export", "ms", "q-applicant", "--out", "file.zip")

    assert said["files"] == ["file.zip"]
    assert Path("file.zip").stat().st_mode & 0o777 == 0o600
    with zipfile.ZipFile("file.zip") as archive:
        assert set(archive.namelist()) == {file.name for file in Path("file").iterdir()}
        held = json.loads(archive.read("person.json"))["held"]
    assert held == json.loads(Path("file/person.json").read_text())["held"]


def test_an_erased_applicant_has_no_file_any_more(told: Office) -> None:
    told.do("applications", "purge", "ms", "q-applicant", "--yes")

    assert told.run("personal-data", "export", "ms", "q-applicant").code == 3
    assert told.run("personal-data", "export", "ms", "nobody", "--reviewer").code == 3


def test_a_reviewers_file_holds_what_they_were_asked_and_said(told: Office) -> None:
    roster = told.ask("reviewers", "list", "ms")["reviewers"]
    reviewer = roster[0]["reviewer"]

    told.do("personal-data", "export", "ms", reviewer, "--reviewer", "--out", "file")

    held = json.loads(Path("file/person.json").read_text())["held"]
    assert held["roster"][0]["external_id"] == reviewer
    assert held["assignment"]
    assert {row["reviewer"] for row in held["assignment"]} == {held["roster"][0]["number"]}
    others = [one["name"] for one in roster[1:] if one.get("name")]
    assert not [name for name in others if name in Path("file/person.html").read_text()]


def test_who_reads_a_persons_file_is_written_down(told: Office) -> None:
    told.do("personal-data", "export", "ms", "q-applicant", "--by", "Petra")
    log = told.ask("cycle", "oversight", "ms", "--out", "log.json")

    acts = json.loads(Path("log.json").read_text())["acts"]
    assert log["acts"] == len(acts)
    assert [(act["by"], act["about"]) for act in acts if "exported" in act["what"]] == [
        ("Petra", "q-applicant")
    ]


def test_the_log_names_whatever_departed_from_a_proposal(office: Office) -> None:
    office.launched()
    office.do("cycle", "pause", "ms", "--reason", "a fire alarm")
    office.do("cycle", "resume", "ms")
    office.do("applications", "ask", "ms", "a1", "review", "--reason", "read it again")
    office.run_until_proposed()
    listed = office.ask("cycle", "explain", "ms", "a1")
    assert listed
    proposed = office.ask("cycle", "finalize", "ms", "--by", "Chair", "--waive", "time is over")
    office.do("cycle", "reopen", "ms", "--by", "A", "--by", "B", "--reason", "an appeal")
    put_in, out = proposed["waitlist"][0], proposed["selected"][0]
    office.do(
        "cycle", "finalize", "ms", "--by", "Chair", "--select", put_in, "--leave-out", out,
        "--reason", "a project", "--waive", "time is over",
    )  # fmt: skip

    office.do("cycle", "oversight", "ms", "--out", "log.json")
    office.do("cycle", "oversight", "ms", "--out", "log.html")

    acts = json.loads(Path("log.json").read_text())["acts"]
    departed = {(act["what"], act["about"], act["reason"]) for act in acts if act["departs"]}
    assert ("put in, not proposed", put_in, "a project") in departed
    assert ("waitlisted, though proposed", out, "a project") in departed
    assert ("asked for an extra review", "a1", "read it again") in departed
    assert {"a fire alarm", "an appeal"} <= {reason for _, _, reason in departed}
    signed = [act["by"] for act in acts if act["what"] == "signed"]
    assert signed == ["Chair", "Chair"]
    assert [act["at"] for act in acts] == sorted(act["at"] for act in acts)
    assert "an appeal" in Path("log.html").read_text()
