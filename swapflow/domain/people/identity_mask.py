"""Mask in a text what names its author: the own name in any spelling, links, addresses, handles.

Spellings are compared without case and accents, with "ß" as "ss", and with "ü" as "u" or "ue", so
that "Zoe Weiss" is found where the list says "Zoë Weiß".
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from swapflow.domain.people.header_words import split_spellings
from swapflow.domain.people.plain_words import fold, folded_letter, spellings


HIDDEN = "[hidden in a blind round]"
SHORTEST_NAME = 3
"""Parts of a name this long are masked alone; shorter ones beside other parts of it only."""

_SHORTEST_ID = 5
_PARTICLES = frozenset(
    split_spellings(
        "and; bin; das; dal; del; della; dem; den; der; des; dos; for; ibn; las; les; los; the; "
        "und; van; vom; von; zum; zur"
    )
)
"""Parts of names that are words of their own: masked beside other parts only."""

_SPLIT = re.compile(r"[\s,.;:()\"“”„/|]+")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]")
"""Letters of languages that are written without spaces or with endings on names."""

_BEFORE, _AFTER = r"(?<![^\W_])", r"(?:'?s)?(?![^\W_])"
_ENDINGS = (
    "com|org|net|edu|gov|io|me|dev|app|ai|co|info|page|site|blog|eu|de|at|ch|li|fr|es|it|pt|nl|be|"
    "uk|ie|us|ca|au|nz|se|no|dk|fi|pl|cz|hu|ro|gr|tr|ru|ua|in|cn|jp|kr|br|mx|ar|cl|za"
)
_TRACES = (
    re.compile(r"\S+://\S+|\bwww\.\S+", re.IGNORECASE),
    # A host with a path needs no scheme; one without a path a known ending in lower case.
    re.compile(r"(?<![\w@.])(?:[\w-]+\.)+[a-z]{2,}(?::\d+)?/\S*", re.IGNORECASE),
    re.compile(rf"(?<![\w@.-])(?:[\w-]{{2,}}\.)+(?:{_ENDINGS})(?![\w-]|\.\w)"),
    re.compile(r"\S+@\S+"),
    re.compile(r"(?<![\w@])@\w[\w.-]*"),
    re.compile(r"(?<!\w)(?:\+|00)\d[\d\s()/.-]{5,}\d"),
)


def mask_identity(text: str, *, name: str, email: str = "", external_id: str = "") -> str:
    """Return a text in which what names an applicant is masked.

    Args:
        text: What is to be shown.
        name: The applicant's name, as it is listed.
        email: Their address; its local part may be a handle elsewhere.
        external_id: The office's id.
    """
    spans = [match.span() for trace in _TRACES for match in trace.finditer(text)]
    # An id is masked where it cannot be a word.
    codes = {
        code.casefold()
        for code in (external_id, email.partition("@")[0])
        if len(code) >= _SHORTEST_ID and any(c.isdigit() for c in code)
    }
    pattern = _name_pattern(name, frozenset(codes))
    if pattern is not None:
        folded, places = _folded(text)
        places.append(len(text))
        spans += [
            (places[match.start()], places[match.end()]) for match in pattern.finditer(folded)
        ]
    return "".join(_parts(text, sorted(spans)))


def _parts(text: str, spans: Iterable[tuple[int, int]]) -> Iterator[str]:
    """Iterate over the parts of a text, what overlapping spans cover being one mask."""
    end = 0
    for start, stop in spans:
        if start >= end:
            yield text[end:start]
            yield HIDDEN
        end = max(end, stop)
    yield text[end:]


@lru_cache(maxsize=4096)
def _name_pattern(name: str, codes: frozenset[str]) -> re.Pattern[str] | None:
    """Build the expression that finds a name in a folded text; None where there is nothing."""
    words = [word for word in _SPLIT.split(name) if word]
    words += [part for word in words for part in re.split(r"[-'’_]", word) if part != word]
    unspaced = {fold(w) for w in words if _UNSPACED.search(w) and len(w) > 1}
    spaced = {form for w in words if not _UNSPACED.search(w) for form in spellings(w)}
    alone = {w for w in spaced if len(w) >= SHORTEST_NAME and w not in _PARTICLES}
    several = {w for w in spaced if len(w) > 1}
    found = []
    if several:
        one = _any(several)
        found.append(rf"{_BEFORE}{one}(?:(?:[\s_.'-]{{0,2}}|,\s?){one})+{_AFTER}")
    if alone | codes:
        found.append(rf"{_BEFORE}{_any(alone | codes)}{_AFTER}")
    if unspaced:
        found.append(_any(unspaced))
    return re.compile("|".join(found)) if found else None


def _any(words: Iterable[str]) -> str:
    # Longest first, since the first alternative that fits is taken.
    return f"(?:{'|'.join(re.escape(w) for w in sorted(words, key=lambda w: (-len(w), w)))})"


def _folded(text: str) -> tuple[str, list[int]]:
    """Fold a text; return it with the place in the text of each of its letters."""
    if text.isascii():
        return text.lower(), list(range(len(text)))
    letters: list[str] = []
    places: list[int] = []
    for place, letter in enumerate(text):
        for one in folded_letter(letter):
            letters.append(one)
            places.append(place)
    return "".join(letters), places
