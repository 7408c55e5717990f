"""Text without what people type differently: case, accents, "ü" or "ue"; and looking for it."""

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache


_LETTERS = {
    "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h",
    "’": "'", "ʼ": "'", "‘": "'", "‐": "-", "‑": "-", "–": "-",
}  # fmt: skip
_SPELLED_OUT = {"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"}
_BETWEEN = re.compile(r"[\s,‐‑–-]+")
_VOWELS = re.compile(r"([aou])e")


def fold(text: str) -> str:
    """Return a text without case and accents: "Nguyễn" is "nguyen"."""
    return text.lower() if text.isascii() else "".join(map(folded_letter, text))


@lru_cache(maxsize=4096)
def folded_letter(letter: str) -> str:
    """Return the plain form of one letter; "" for an accent by itself."""
    parts = unicodedata.normalize("NFKD", letter.casefold())
    return "".join(_LETTERS.get(c, c) for c in parts if not unicodedata.combining(c))


def spellings(text: str) -> set[str]:
    """Return the folded spellings of a text, without the empty one: "ü" is "u" and "ue"."""
    composed = unicodedata.normalize("NFC", text).casefold()
    plain = fold(composed)
    spelled_out = fold("".join(_SPELLED_OUT.get(c, c) for c in composed))
    return {plain, spelled_out, _VOWELS.sub(r"\1", plain), plain.replace("'", "")} - {""}


def search_for(wanted: str) -> Callable[..., bool]:
    """Return what tells whether every word looked for occurs in one of some texts.

    The order of the words, case, accents, apostrophes and hyphens do not count, and a word need
    not be whole: "nguy" finds "Nguyễn", "mueller" finds "Müller". Nothing looked for is found
    everywhere.
    """
    is_found = search_among(wanted)

    def is_found_in(*texts: str) -> bool:
        return is_found(forms_searched(*texts) if wanted else ())

    return is_found_in


def search_among(wanted: str) -> Callable[[tuple[str, ...]], bool]:
    """Return the same as `search_for`, for texts whose forms are made once and searched often."""
    words = [
        {form.replace("'", "") for form in spellings(word)}
        for word in _BETWEEN.split(wanted)
        if word
    ]

    def is_found(there: tuple[str, ...]) -> bool:
        return all(any(form in text for form in forms for text in there) for forms in words)

    return is_found


def forms_searched(*texts: str) -> tuple[str, ...]:
    """Return the forms of some texts in which `search_among` looks."""
    return _searched("\n".join(texts))


def _searched(text: str) -> tuple[str, ...]:
    """Return the forms of a text in which words are looked for."""
    plain = fold(text).replace("'", "")
    if text.isascii():
        return (plain,)
    composed = unicodedata.normalize("NFC", text).casefold()
    return plain, fold("".join(_SPELLED_OUT.get(c, c) for c in composed)).replace("'", "")
