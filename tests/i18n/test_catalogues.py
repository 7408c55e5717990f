"""The catalogues hold what the code says: no message is missing, none is left over."""

import re
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po

from swapflow.i18n.languages import CATALOGUES
from tests.support.messages import TEMPLATE, extracted, spelled, updated


FILES = sorted(CATALOGUES.glob("*/LC_MESSAGES/messages.po"))
PLACES = re.compile(r"%\([A-Za-z_]+\)s|\{[A-Za-z_]+(?:![rs])?(?::[^{}]*)?\}|</?[a-z]+[^>]*>")


@pytest.mark.long
def test_the_list_of_messages_is_what_the_code_says() -> None:
    assert TEMPLATE.read_text(encoding="utf-8") == spelled(extracted()), "run `make messages`"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.parent.parent.name)
def test_every_language_has_the_messages_of_the_list_and_no_others(file: Path) -> None:
    written = file.read_text(encoding="utf-8")

    assert written == updated(file, extracted()), "run `make messages`"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.parent.parent.name)
def test_a_translation_fills_in_what_its_message_fills_in(file: Path) -> None:
    with file.open("rb") as opened:
        catalogue = read_po(opened)

    assert [one for message in catalogue if message.id for one in _wrong(message)] == []


def test_a_translation_outlives_a_time_without_its_message(tmp_path: Path) -> None:
    file = tmp_path / "de" / "LC_MESSAGES" / "messages.po"
    file.parent.mkdir(parents=True)
    said: dict[str | tuple[str, str], str | tuple[str, str]] = {
        "Saved {at}": "Gesichert {at}",
        "Keep it": "Behalten",
        ("%(count)s way", "%(count)s ways"): ("%(count)s Weg", "%(count)s Wege"),
    }
    whole, less = _template(*said, "New"), _template("Keep it")
    first = Catalog(locale="de")
    for message, string in said.items():
        first.add(message, string, flags=["python-format"])
    file.write_text(spelled(first), encoding="utf-8")

    for template in (whole, less, less, whole):
        file.write_text(updated(file, template), encoding="utf-8")

    with file.open("rb") as opened:
        catalogue = read_po(opened)
    assert {one.id: one.string for one in catalogue if one.id} == {**said, "New": ""}
    assert not catalogue.obsolete


def _template(*messages: str | tuple[str, str]) -> Catalog:
    made = Catalog()
    for message in messages:
        made.add(message, locations=[("web/parts.py", 0)])
    return made


def _wrong(message: Message) -> list[tuple[str, str]]:
    """List translations whose places or marks are not those of the message."""
    ids = (message.id,) if isinstance(message.id, str) else tuple(message.id)
    said = message.string or ""
    strings = (said,) if isinstance(said, str) else tuple(said)
    # "One" need not be said with a figure.
    free = {"%(count)s"} if len(ids) > 1 else set()
    wanted = set(PLACES.findall(" ".join(ids))) - free
    return [
        (ids[0], string)
        for string in strings
        if string and set(PLACES.findall(string)) - free != wanted
    ]
