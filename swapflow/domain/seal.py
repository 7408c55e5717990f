"""Seals: a digest of what a person was shown, as a whole and by its parts.

A confirmation carries the seal of the page that it answers. The whole decides whether anything
differs; the parts name what does.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime


PART = 8
"""Hexadecimal digits of a part; a part only names a difference that the whole has found."""

BETWEEN = ":"

REVISION = 16
"""Hexadecimal digits of a revision."""

NOTHING = "0"
"""The revision of a form that was made while nothing was stored."""


@dataclass(frozen=True, slots=True)
class Seal:
    """The digest of what a person was shown.

    Attributes:
        whole: SHA-256 over all parts, 64 hexadecimal digits.
        parts: The first digits of the SHA-256 of each part, by its name, in order.
    """

    whole: str
    parts: Mapping[str, str]

    @property
    def digest(self) -> str:
        """The whole and the parts as one text, for a form's hidden field or an API field."""
        return BETWEEN.join([self.whole, *self.parts.values()])

    def agrees(self, shown: str) -> bool:
        """Whether this is what was shown, by the digest that was shown with it."""
        return shown.partition(BETWEEN)[0] == self.whole

    def differing(self, shown: str) -> tuple[str, ...]:
        """Return the names of the parts that differ from what was shown.

        None, where `shown` is a whole without parts, or has other parts than these.
        """
        if self.agrees(shown):
            return ()
        before = shown.split(BETWEEN)[1:]
        # An earlier release may have made the digest from other parts.
        if len(before) != len(self.parts):
            return ()
        pairs = zip(self.parts.items(), before, strict=True)
        return tuple(name for (name, now), then in pairs if now != then)

    def differing_parts(self, parts: Mapping[str, object]) -> tuple[str, ...]:
        """Return the names of the parts that differ from stored ones; all without such."""
        return tuple(name for name, now in self.parts.items() if parts.get(name) != now)


def seal(**parts: object) -> Seal:
    """Build the seal of what is shown.

    Args:
        parts: The content of each part, as values that JSON can hold; their order stays.
    """
    texts = {name: _text(content) for name, content in parts.items()}
    # The whole is made from the texts: the parts are cut too short to vouch for them.
    return Seal(
        hashlib.sha256(_text(texts).encode()).hexdigest(),
        {name: hashlib.sha256(text.encode()).hexdigest()[:PART] for name, text in texts.items()},
    )


def revision(*content: object) -> str:
    """Return the revision of what a form was made from: equal for equal content.

    Args:
        content: What the form overwrites, as values that JSON can hold, or moments.
    """
    return hashlib.sha256(_text(content).encode()).hexdigest()[:REVISION]


def _text(content: object) -> str:
    # Sorted, so that equal content is one text in whatever order it was read.
    return json.dumps(_plain(content), sort_keys=True, ensure_ascii=False)


def _plain(content: object) -> object:
    """Return sets as sorted lists, moments as texts, and estimates with nine digits.

    A replay on another processor may differ in the last bits of an estimate.
    """
    plain: object = content
    if isinstance(content, float):
        plain = f"{content:.9f}"
    # A moment is a date too, so it is asked for first.
    elif isinstance(content, datetime):
        plain = content.astimezone(UTC).isoformat()
    elif isinstance(content, date):
        plain = content.isoformat()
    elif isinstance(content, Mapping):
        plain = {str(name): _plain(one) for name, one in content.items()}
    # The order of a set differs from process to process.
    elif isinstance(content, set | frozenset):
        plain = sorted(content)
    elif isinstance(content, Sequence) and not isinstance(content, str):
        plain = [_plain(one) for one in content]
    return plain
