"""`swapflow meeting`: the meeting at a terminal, from opening to a list that may be fixed."""

import json
from pathlib import Path

import pytest

from tests.cli.office import Office


@pytest.fixture
def met(office: Office) -> Office:
    """A program of an office whose list is proposed, and a meeting that was opened about it."""
    office.launched()
    office.run_until_proposed()
    assert office.ask("meeting", "open", "ms", "--by", "chair")["opened"]
    return office


def close_to_call(office: Office) -> list[str]:
    missing = office.ask("meeting", "show", "ms")["without_outcome"]
    assert isinstance(missing, list)
    return missing


def test_a_meeting_goes_from_opening_to_a_fixed_list_at_a_terminal(met: Office) -> None:
    assert not met.ask("meeting", "open", "ms")["opened"]
    missing = close_to_call(met)
    assert missing, "nobody is too close to call in this example"
    chosen = met.ask("meeting", "show", "ms")["chosen"]

    early = met.run("cycle", "finalize", "ms")
    assert early.code == 2
    assert missing[0] in early.err
    for name in missing:
        outcome = "in" if name in chosen else "waitlist"
        met.do("meeting", "record", "ms", name, outcome, "--reason", "we agreed", "--by", "chair")
    open_still = met.run("cycle", "finalize", "ms")
    assert "still open; close it" in open_still.err
    shown = met.do("meeting", "show", "ms").out
    assert "we agreed" in shown
    assert "2 of 2 places filled" in shown
    assert met.ask("meeting", "close", "ms", "--by", "chair")["closed"]

    met.do("cycle", "finalize", "ms")


def test_a_closed_meeting_is_reopened_for_a_reason_which_stands_in_the_minutes(
    met: Office,
) -> None:
    name = close_to_call(met)[0]
    met.do("meeting", "close", "ms", "--by", "chair")
    late = met.run("meeting", "record", "ms", name, "in", "--reason", "x", "--by", "deputy")
    silent = met.run("meeting", "reopen", "ms", "--reason", " ")
    met.do("meeting", "reopen", "ms", "--reason", "a letter came", "--by", "deputy")
    met.do("meeting", "record", "ms", name, "in", "--reason", "the letter", "--by", "deputy")

    assert (late.code, silent.code) == (2, 2)
    assert "closed by chair" in late.err
    for form in ("json", "html"):
        met.do("meeting", "minutes", "ms", "--out", f"minutes.{form}")
        text = Path(f"minutes.{form}").read_text()
        assert "a letter came" in text
        assert "the letter" in text
    held = json.loads(Path("minutes.json").read_text())
    assert (held["opened_by"], held["closed_by"]) == ("chair", None)
    assert [turn["by"] for turn in held["closed_and_reopened"]] == ["chair", "deputy"]
    assert met.run("meeting", "minutes", "ms", "--out", "minutes.docx").code == 2


def test_whoever_is_in_conflict_records_nothing_at_a_terminal_either(met: Office) -> None:
    name = close_to_call(met)[0]
    reviewer = met.ask("reviewers", "list", "ms")["reviewers"][0]["reviewer"]
    met.do("meeting", "conflict", "ms", name, reviewer, "--by", "chair")

    said = met.run("meeting", "record", "ms", name, "in", "--reason", "x", "--by", reviewer)
    words = met.run("meeting", "endorse", "ms", name, "my student", "--by", reviewer)
    other = met.run("meeting", "endorse", "ms", name, "a builder", "--by", "chair")

    # A reviewer of the program is one first: until asking ends the meeting is closed to them.
    for refused in (said, words):
        assert (
            "in conflict with this applicant" in refused.err
            or "until asking" in refused.err.lower()
        )
    assert (said.code, words.code, other.code) == (1, 1, 0)
    assert close_to_call(met).count(name) == 1


def test_a_conflict_holds_at_the_meeting_after_the_reviewer_has_left(met: Office) -> None:
    name = close_to_call(met)[0]
    reviewer = met.ask("reviewers", "list", "ms")["reviewers"][0]["reviewer"]
    met.do("meeting", "conflict", "ms", name, reviewer, "--by", "chair")
    met.do("reviewers", "leave", "ms", reviewer, "--reason", "moved away")

    said = met.run("meeting", "record", "ms", name, "in", "--reason", "x", "--by", reviewer)
    words = met.run("meeting", "endorse", "ms", name, "my student", "--by", reviewer)

    for refused in (said, words):
        assert refused.code == 1
        assert "in conflict with this applicant" in refused.err
    assert name in close_to_call(met)


def test_what_a_meeting_cannot_say_is_refused_in_words(met: Office) -> None:
    name = close_to_call(met)[0]

    nobody = met.run("meeting", "record", "ms", "nobody", "in", "--reason", "x")
    silent = met.run("meeting", "record", "ms", name, "out")
    strange = met.run("meeting", "record", "ms", name, "perhaps", "--reason", "x")
    talk = met.run("meeting", "record", "ms", name, "discuss")

    assert (nobody.code, silent.code, strange.code, talk.code) == (3, 2, 2, 0)
    assert "no applicant 'nobody'" in nobody.err
    assert "write why" in silent.err
    assert name in close_to_call(met), "discuss is no outcome"
