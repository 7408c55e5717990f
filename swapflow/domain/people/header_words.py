"""Words in the headers of columns, in the languages that swapflow speaks and their neighbours'.

One list serves blindness, the vocabulary of imports and protected traits, so that a header is one
thing everywhere. Whole words count, however they are put together: "Applicant's e-mail (private)",
"eMailPrivate", "e_mail". German makes one word of several, so that some entries are parts of
words: "*adresse" ends one, "geburts*" begins one, "*telefon*" stands anywhere in one.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


_CAMEL = re.compile(r"(?<=[a-zà-ÿ])(?=[A-ZÀ-Þ])")
_WORD = re.compile(r"\w+")


def split_spellings(text: str) -> tuple[str, ...]:
    """Split spellings that semicolons separate."""
    return tuple(" ".join(spelling.split()) for spelling in text.split(";"))


def words_of(header: str) -> list[str]:
    """Split a header into words, without case and accents."""
    spaced = _CAMEL.sub(" ", unicodedata.normalize("NFC", header)).replace("_", " ")
    return [_plain(word) for word in _WORD.findall(spaced.replace("'s ", " ").replace("’s ", " "))]


def _plain(word: str) -> str:
    parts = unicodedata.normalize("NFKD", word.casefold())
    return "".join(c for c in parts if not unicodedata.combining(c))


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Spellings by what they mean."""

    meanings: Mapping[str, Sequence[str]]
    _runs: dict[str, str] = field(init=False, repr=False, compare=False)
    _parts: tuple[tuple[re.Pattern[str], str], ...] = field(init=False, repr=False, compare=False)
    _longest: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Index the spellings: whole words by their text, parts of words as expressions."""
        runs: dict[str, str] = {}
        parts: list[tuple[re.Pattern[str], str]] = []
        for meaning, spellings in self.meanings.items():
            for spelling in spellings:
                if "*" in spelling:
                    form = ".*".join(re.escape(_plain(part)) for part in spelling.split("*"))
                    parts.append((re.compile(form), meaning))
                else:
                    runs[" ".join(map(_plain, _WORD.findall(spelling)))] = meaning
        object.__setattr__(self, "_runs", runs)
        object.__setattr__(self, "_parts", tuple(parts))
        object.__setattr__(self, "_longest", max(len(run.split()) for run in runs))

    def match(self, header: str) -> tuple[int, str]:
        """Return how many words of a header are known in a run, and what they mean; (0, "")."""
        # "LinkedIn" is two words by its letters and one by its sense.
        readings = (words_of(header), words_of(header.casefold()))
        # Longest runs first: a whole phrase decides before one word of it does.
        for length in range(self._longest, 0, -1):
            for words in readings:
                for start in range(len(words) - length + 1):
                    found = self._runs.get(" ".join(words[start : start + length]))
                    if found:
                        return length, found
        for words in readings:
            for word in words:
                for form, meaning in self._parts:
                    if form.fullmatch(word):
                        return 1, meaning
        return 0, ""

    def meaning(self, header: str) -> str:
        """Return what a header means: of its longest run of known words; "" for none."""
        return self.match(header)[1]
