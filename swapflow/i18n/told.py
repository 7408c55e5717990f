"""Sentences that are made in English below the pages, told again in the language that is spoken.

A refusal, or a sentence on record, is raised or stored in English, with its parts filled in: the
ledger, the API and the command need one wording. Its shape, the words around those parts, is a
message like any other. A page finds the message by its shape, and fills the parts in again.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from swapflow.i18n.languages import SOURCE, current_language, messages_from_code


PLACE = re.compile(r"\{([a-z_]+)\}")
"""What is filled in, as a message spells it."""

WORD = "_word"
"""Ends the name of a place in which one of our own words stands, such as a program's state."""

LEAST = 4
"""Letters that a shape has at least around its places; fewer would fit what it does not mean."""

LONGEST = 20_000
"""Characters of a text that is looked at; nobody reads more on a page."""

_CUT = re.compile(r"\. |[;:] |\n *")
"""Where sentences and clauses that were made apart are put together."""

_MOST_CUTS = 12
"""One message has no more sentences and clauses than these."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A message with places: what stands around them, in their order, and their names."""

    message: str
    around: tuple[str, ...]
    names: tuple[str, ...]

    def parts(self, text: str) -> dict[str, str] | None:
        """Return what stands in the places of a text, None if it is not of this shape.

        In time that grows with the text alone: every piece is looked for once.
        """
        first, *between, last = self.around
        if not text.startswith(first) or not text.endswith(last):
            return None
        end, at = len(text) - len(last), len(first)
        found = []
        for piece in between:
            there = text.find(piece, at + 1, end)
            if there < 0:
                return None
            found.append(text[at:there])
            at = there + len(piece)
        if at >= end:
            return None
        found.append(text[at:end])
        return dict(zip(self.names, found, strict=True))


def told(text: str) -> str:
    """Translate a text made in English in the language that is spoken.

    What is no message stays as it is: names, what people typed, and sentences that nobody has
    marked for translation. Sentences put together are told one by one.
    """
    if current_language().tag == SOURCE or not text or len(text) > LONGEST:
        return text
    said = [text[: len(text) - len(text.lstrip())]]
    text = text.lstrip()
    while text:
        known, rest = _known_head(text)
        said.append(known)
        text = rest
    return "".join(said)


def is_shape(message: str) -> bool:
    """Whether a text can be found again by what stands around its places."""
    return bool(PLACE.search(message)) and _letters(message) >= LEAST


def _known_head(text: str) -> tuple[str, str]:
    """Tell the longest beginning that is a message, or leave the first clause as it is.

    A shape whose places hold a clause at most comes first: one with more in them may fit by
    chance what is several messages.
    """
    cuts = list(_CUT.finditer(text))[:_MOST_CUTS]
    for loose in (False, True):
        known = _known(text, loose=loose)
        if known is not None:
            return known, ""
        for cut in reversed(cuts):
            head, rest = text[: cut.start()], text[cut.end() :]
            known = _known(f"{head}.", loose=loose) if cut.group() == ". " else None
            if known is not None:
                return f"{known} ", rest
            known = _known(head, loose=loose)
            if known is not None:
                return known + cut.group(), rest
    if cuts:
        return text[: cuts[0].end()], text[cuts[0].end() :]
    return text, ""


def _known(text: str, *, loose: bool) -> str | None:
    """Tell a text that is one message as a whole, None if it is none.

    Args:
        text: The text.
        loose: Whether what is filled in may hold several clauses.
    """
    exact = _exact(text)
    if exact is not None:
        return exact
    exact = _exact(text[:-1]) if text.endswith(".") else None
    if exact is not None:
        return f"{exact}."
    for shape in _shapes():
        parts = shape.parts(text)
        if parts is not None and _fits(shape, parts, loose=loose):
            said = current_language().messages.gettext(shape.message)
            return _filled(said, {name: _part(name, part) for name, part in parts.items()})
    return None


def _fits(shape: Shape, parts: Mapping[str, str], *, loose: bool) -> bool:
    """Whether parts may well have been filled in: clauses only if meant, lines only in a list."""
    listed = shape.names[-1] if shape.around[-2].endswith("\n") else ""
    return all(
        (loose and ("\n" not in part or name == listed)) or not _CUT.search(part)
        for name, part in parts.items()
    )


def _filled(message: str, parts: Mapping[str, str]) -> str:
    return PLACE.sub(lambda place: parts.get(place[1], place[0]), message)


def _exact(text: str) -> str | None:
    return current_language().messages.gettext(text) if text in messages_from_code() else None


def _part(name: str, part: str) -> str:
    """Tell what is filled in: one of our words, or a sentence of its own; a name stays."""
    if name.endswith(WORD) or " " in part:
        return told(part)
    return part


@cache
def _shapes() -> tuple[Shape, ...]:
    """Return all shapes, those that say most first: the best fit is the first."""
    found = []
    for message in sorted(messages_from_code()):
        if is_shape(message):
            around = tuple(PLACE.split(message)[::2])
            names = tuple(PLACE.findall(message))
            # Two places with nothing between them cannot be told apart.
            if all(around[1:-1]) and len(set(names)) == len(names):
                found.append(Shape(message=message, around=around, names=names))
    return tuple(sorted(found, key=lambda shape: -sum(map(len, shape.around))))


def _letters(message: str) -> int:
    return sum(map(str.isalpha, PLACE.sub("", message)))
