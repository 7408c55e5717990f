"""Two pseudo-locales, with which tests find texts that cannot be translated yet.

"en-XA" writes every message with accented letters, longer than English and in brackets: plain
English on a page is in no catalogue. "ar-XB" is the same, written from right to left. Both are
made from the list of messages, so a message missing there stays plain.
"""

import re

from babel.messages.catalog import Catalog


PSEUDO = {"en-XA": "ltr", "ar-XB": "rtl"}
"""Tags and directions, named as in Android and ICU."""

_PLAIN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_STRANGE = str.maketrans(_PLAIN, "áƀçđéƒǧĥíĵķļɱñóþɋŕšŧúṽŵẋýžÁƁÇÐÉƑǦĤÍĴĶĻṀÑÓÞɊŔŠŦÚṼŴẊÝŽ")
_KEPT = re.compile(
    r"(%\([A-Za-z_]+\)[sdgf]|%%|\{[A-Za-z_]*(?:![rs])?(?::[^{}]*)?\}|<[^<>]+>|&[a-z]+;|&#\d+;)"
)
"""The parts of a message besides words: placeholders, HTML tags, character references."""

_RIGHT_TO_LEFT, _BACK = "\u202e", "\u202c"
_LONGER = 0.35
"""How much longer other languages often are than English (W3C, "Text size in translation")."""


_WORD = 8
"""Letters after which the added filling may be broken into lines, as words are."""


def disguise(template: Catalog, direction: str) -> Catalog:
    """Build a catalogue in which every message of a template is disguised."""
    made = Catalog(locale="en")
    for message in template:
        if not message.id:
            continue
        ids = (message.id,) if isinstance(message.id, str) else tuple(message.id)
        strange = tuple(strangely(one, direction) for one in ids)
        string = strange[0] if isinstance(message.id, str) else strange
        made.add(message.id, string, context=message.context)
    return made


def strangely(text: str, direction: str = "ltr") -> str:
    """Disguise a message; placeholders and tags stay unchanged."""
    parts = _KEPT.split(text)
    words = sum(len(part) for part in parts[::2])
    turned = [
        part if place % 2 else _turned(part.translate(_STRANGE), direction)
        for place, part in enumerate(parts)
    ]
    more = round(_LONGER * words)
    filling = " ".join("~" * min(_WORD, more - at) for at in range(0, more, _WORD))
    return "⟦" + "".join(turned) + _turned(f" {filling}".rstrip(), direction) + "⟧"


def _turned(text: str, direction: str) -> str:
    return f"{_RIGHT_TO_LEFT}{text}{_BACK}" if direction == "rtl" and text.strip() else text
