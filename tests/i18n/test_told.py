"""What is made in English below the pages is told in the language of its reader."""

import ast
import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.extract import extract_from_dir

from swapflow.errors import BadRow, BadRowsError
from swapflow.i18n.languages import use_language
from swapflow.i18n.told import Shape, told
from tests.support.messages import KEYWORDS, METHODS, in_python


@pytest.fixture
def strange() -> Iterator[None]:
    with use_language("en-XA"):
        yield


def found(code: str) -> list[str]:
    """Give the messages that a piece of code has."""
    ast.parse(code)
    texts = in_python(io.BytesIO(code.encode()), KEYWORDS, (), {})
    return [one for _, _, given, _ in texts for one in given if one]


def test_english_is_told_as_it_was_made() -> None:
    assert told("the program is running; look") == "the program is running; look"


@pytest.mark.usefixtures("strange")
def test_a_refusal_is_told_with_what_was_filled_in() -> None:
    said = told("A003 was not offered a place")

    assert said.startswith("⟦A003 ŵáš ñóŧ")


@pytest.mark.usefixtures("strange")
def test_our_own_words_are_told_where_they_are_filled_in_and_names_are_not() -> None:
    state = told("the program is running; a list can be decided once asking has ended")
    name = told("running was not offered a place")

    assert "ŕúññíñǧ" in state
    assert "running" in name


@pytest.mark.usefixtures("strange")
def test_sentences_put_together_are_told_one_by_one() -> None:
    row = BadRow(
        line=3,
        column="born",
        value="x.y",
        reason="this is no date of the calendar",
        cure="Write it year-month-day, e.g. 2026-01-31",
    )
    said = told(str(BadRowsError("list.csv", [row])))

    assert [piece for piece in ("list.csv", "'born'", "'x.y'") if piece not in said] == []
    assert "ñóŧĥíñǧ ŵáš íɱþóŕŧéđ" in said
    assert "ñó đáŧé" in said
    assert "Ŵŕíŧé íŧ" in said
    assert "problem" not in said


@pytest.mark.usefixtures("strange")
@pytest.mark.parametrize("text", ["", "Anna Berg", "a; b: c. d\n e", "⟦", "A003 was not offered"])
def test_what_is_no_message_stays_as_it_is(text: str) -> None:
    assert told(text) == text


def test_a_shape_is_found_however_often_its_words_stand_in_what_is_filled_in() -> None:
    shape = Shape(message="", around=("say ", " to ", ""), names=("what", "whom"))

    assert shape.parts("say to and to to you") == {"what": "to and", "whom": "to you"}
    assert shape.parts("say x to ") is None
    assert shape.parts("say " + "to " * 5000) is not None


def test_what_a_form_notes_beside_a_field_is_a_message(tmp_path: Path) -> None:
    (tmp_path / "page.py").write_text('form.note("day", "this is no day")')
    texts = extract_from_dir(tmp_path, method_map=METHODS, keywords=KEYWORDS)

    assert [message for _, _, message, *_ in texts] == ["this is no day"]


@pytest.mark.parametrize(
    ("code", "messages"),
    [
        ('raise NotFoundError("there is no such document")', ["there is no such document"]),
        ('raise NotFoundError(f"no version {v} here")', ["no version {v} here"]),
        ('later(f"{c.status.value} it is, {c.id!r}")', ["{status_word} it is, {id}"]),
        ('later(f"{len(a)} of {len(b)} taken")', ["{count} of {count_b} taken"]),
        (
            "later(f\"{n} {'place' if n == 1 else 'places'} free\")",
            ["{n} place free", "{n} places free"],
        ),
        (
            'BadRow(line=1, reason="no date", cure=f"Write {x} there")',
            ["no date", "Write {x} there"],
        ),
        ('later(f"{a}: {b}")', []),
        ("later(text)", []),
    ],
)
def test_the_list_of_messages_has_sentences_with_parts_filled_in(
    code: str, messages: list[str]
) -> None:
    assert found(code) == messages
