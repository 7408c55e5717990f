"""Messages in the language of their reader: what is filled in is worded too."""

import copy
import pickle
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

import pytest
from babel import Locale
from babel.messages.catalog import Catalog

from swapflow.domain.cycle import CycleStatus
from swapflow.errors import BadRow, BadRowsError
from swapflow.i18n import languages
from swapflow.i18n.languages import Language, use_language
from swapflow.i18n.translation import translate
from swapflow.messages import Message, plain, restored


AT = datetime(2026, 1, 31, 17, 5, tzinfo=UTC)
GERMAN = {
    "running": "läuft",
    "the program is {status}; a list can be decided once asking has ended": "Es {status}",
    "{group}: {held} chosen, {wants} wanted": "{group}: {held} gewählt, gewünscht {wants}",
    "at least {minimum}": "mindestens {minimum}",
    "at most {share:.0%} of the list": "höchstens {share:.0%} der Liste",
    "{parts: and }": "{parts: and }",
    " and ": " und ",
    "{place} has {length:,} characters of at most {most:,}": "{place}: {length:,} von {most:,}",
    "{at:%a %-d %b %Y, %H:%M}": "{at:%a %-d %b %Y, %H:%M} ist frei",
    "there is no round {round!r}": "keine Runde {",
    "there is no program {cycle!r}": "kein Zyklus {zyklus!r}",
}
COUNTED = (
    "{source}: {count} problem, nothing was imported\n  {rows:\n  }",
    "{source}: {count} problems, nothing was imported\n  {rows:\n  }",
)
GERMAN_COUNTED = (
    "{source}: ein Fehler\n  {rows:\n  }",
    "{source}: {count} Fehler\n  {rows:\n  }",
)


@pytest.fixture
def german(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    catalogue = Catalog(locale="de")
    for message, said in GERMAN.items():
        catalogue.add(message, said)
    catalogue.add(COUNTED, GERMAN_COUNTED)
    catalogue.add("line {line}", "Zeile {line}")
    language = Language("de", Locale("de"), languages._messages(catalogue))
    token = languages._spoken.set(language)
    yield
    languages._spoken.reset(token)


def rows(count: int) -> BadRowsError:
    return BadRowsError(
        "list.csv",
        [BadRow(line=n, column="", value="", reason="a", cure="b") for n in range(3, 3 + count)],
    )


@pytest.mark.usefixtures("german")
@pytest.mark.parametrize(
    ("code", "params", "said"),
    [
        ("list_not_decidable", {"status": CycleStatus.RUNNING}, "Es läuft"),
        (
            "limit_stands",
            {
                "group": "running",
                "held": 3,
                "wants": Message(
                    "limit_wants",
                    parts=[Message("at_least", minimum=1), Message("at_most_share", share=0.5)],
                ),
            },
            "running: 3 gewählt, gewünscht mindestens 1 und höchstens 50% der Liste",
        ),
        ("wording_too_long", {"place": "x", "length": 1234, "most": 1000}, "x: 1.234 von 1.000"),
        ("free_hour", {"at": AT}, "Sa., 31. Jan. 2026, 17:05 ist frei"),
    ],
)
def test_what_fills_in_a_message_is_worded_for_its_reader(
    code: str, params: Mapping[str, object], said: str
) -> None:
    assert translate(Message(code, **params)) == said


@pytest.mark.usefixtures("german")
def test_a_count_takes_its_form_and_every_row_its_words() -> None:
    assert translate(rows(1).message) == "list.csv: ein Fehler\n  Zeile 3: a. b"
    assert translate(rows(2).message) == "list.csv: 2 Fehler\n  Zeile 3: a. b\n  Zeile 4: a. b"


@pytest.mark.usefixtures("german")
def test_a_translation_that_cannot_be_filled_in_gives_way_to_english() -> None:
    assert translate(Message("round_not_found", round="r")) == "there is no round 'r'"
    assert translate(Message("cycle_not_found", cycle="c")) == "there is no program 'c'"


@pytest.mark.usefixtures("german")
def test_what_is_no_message_stays_as_it_is() -> None:
    assert [translate(text) for text in ("", "Anna Berg", "there is no program 'c'")] == [
        "",
        "Anna Berg",
        "there is no program 'c'",
    ]


def test_english_is_what_the_error_says() -> None:
    with use_language("en"):
        assert translate(rows(2).message) == str(rows(2))


def test_a_message_survives_copies_pickles_and_json() -> None:
    wants = Message("limit_wants", parts=[Message("any_number")])
    message = Message("limit_stands", group="A", held=1, wants=wants)
    copies = (
        copy.deepcopy(message),
        pickle.loads(pickle.dumps(message)),
        restored(plain(message)),
    )

    for again in copies:
        assert isinstance(again, Message)
        assert (again, again.code, plain(again)) == (message, "limit_stands", plain(message))
