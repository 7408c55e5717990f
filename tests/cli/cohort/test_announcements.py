"""Letters to applicants by commands alone."""

from pathlib import Path

import pytest

from tests.cli.office import Office


@pytest.fixture
def offered(office: Office) -> Office:
    """A fixed list whose places are offered, and a file with the usual words."""
    office.launched()
    office.run_until_proposed()
    office.do("cycle", "finalize", "ms", "--by", "Chair")
    office.do("offers", "make", "ms", "--until", "2090-01-01")
    Path("letters.toml").write_text(office.do("letters", "words", "ms").out, encoding="utf-8")
    return office


def test_letters_are_looked_at_sent_and_shown(offered: Office) -> None:
    draft = offered.ask("letters", "look", "ms", "--words", "letters.toml", "--waitlist", "1")
    told = {letter["applicant"]: letter["told"] for letter in draft["letters"]}
    assert sorted(told.values()) == sorted(
        ["offered"] * 2 + ["waitlisted"] + ["not selected"] * (len(told) - 3)
    )

    offered.do(
        "letters", "send", "ms", "--words", "letters.toml", "--waitlist", "1",
        "--seen", draft["digest"], "--hold", "0",
    )  # fmt: skip
    offered.turn()

    shown = offered.ask("letters", "show", "ms")
    letters = shown["announcements"][0]["letters"]
    assert {letter["applicant"]: letter["told"] for letter in letters} == told
    assert {letter["state"] for letter in letters} <= {"queued", "sending", "sent"}


def test_letters_are_taken_back_while_they_are_held(offered: Office) -> None:
    offered.do("letters", "send", "ms", "--words", "letters.toml")

    said = offered.do("letters", "take-back", "ms").out

    assert "as if nothing had been offered" in said
    assert offered.ask("offers", "show", "ms")["offers"][0]["answer"] == "taken back"
    assert "no letter is waiting" in offered.run("letters", "take-back", "ms").err


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "writes to no group"),
        ("[offered", "cannot be read"),
        ('[everybody]\nsubject = "x"\ntext = "y"', "[everybody] is no group"),
        ('[offered]\nsubject = "x"', "needs `subject` and `text`"),
        ('[offered]\nsubject = "x"\ntext = 3', "texts in quotes"),
        ('[offered]\nsubject = "x"\ntext = "{nmae}"', "{nmae}"),
        ('offered = "x"', "needs `subject` and `text`"),
    ],
)
def test_a_file_of_words_that_cannot_be_used_is_refused_with_its_place(
    offered: Office, content: str, says: str
) -> None:
    Path("letters.toml").write_text(content, encoding="utf-8")

    refused = offered.run("letters", "look", "ms", "--words", "letters.toml")

    assert refused.code != 0
    assert says in refused.err
    assert "Traceback" not in refused.err


def test_a_missing_file_of_words_says_how_to_begin_one(offered: Office) -> None:
    refused = offered.run("letters", "look", "ms", "--words", "nowhere.toml")

    assert "letters words" in refused.err


def test_letters_that_leave_at_once_are_not_said_to_wait(offered: Office) -> None:
    said = offered.do("letters", "send", "ms", "--words", "letters.toml", "--hold", "0").out

    assert "they leave now" in said
    assert "take-back" not in said


def test_letters_are_shown_in_the_order_of_what_they_say(offered: Office) -> None:
    said = offered.do("letters", "look", "ms", "--words", "letters.toml", "--waitlist", "1").out

    first = [said.index(f", {told}:") for told in ("offered", "waitlisted", "not selected")]
    assert first == sorted(first)
