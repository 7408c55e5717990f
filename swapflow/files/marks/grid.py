"""Headers that say two things at once: whose mark it is, and of which criterion."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from swapflow.files.marks.header_words import CRITERIA, plain, turn_in
from swapflow.files.tables.cells import spelling


_FULL = 0.6
"""Share of the pairs of a reviewer and a criterion that have a column."""

_APART = " :–—-/|·,."


@dataclass(frozen=True, slots=True)
class Crossed:
    """A column of one reviewer and one criterion."""

    who: str
    criterion: str


def crossed(headers: Sequence[str]) -> dict[str, Crossed] | None:
    """Return what each column pairs, "Ana Research" and "Ben Research"; {} where they do not.

    None where they pair two things and nothing says which of them names the reviewer: "Anna Koch",
    "Anna Weber", "Max Koch" and "Max Weber" may be four people.
    """
    halves = {header: _halves(plain(header)) for header in headers}
    firsts = Counter(first for pairs in halves.values() for first, _ in pairs)
    lasts = Counter(last for pairs in halves.values() for _, last in pairs)
    chosen: dict[str, tuple[str, str]] = {}
    for header, pairs in halves.items():
        # A number counts reviews: "Review 1" and "Interview 1" pair nothing.
        fit = [(a, b) for a, b in pairs if firsts[a] > 1 and lasts[b] > 1 and not b.isdigit()]
        if not fit:
            return {}
        chosen[header] = max(fit, key=lambda pair: firsts[pair[0]] * lasts[pair[1]])
    before = {a for a, _ in chosen.values()}
    behind = {b for _, b in chosen.values()}
    if min(len(before), len(behind)) < 2 or len(set(chosen.values())) < len(headers):  # noqa: PLR2004 - a grid
        return {}
    if len(headers) < _FULL * len(before) * len(behind):
        return {}
    if _name_reviewers(before, behind):
        return {header: Crossed(a, b) for header, (a, b) in chosen.items()}
    if _name_reviewers(behind, before):
        return {header: Crossed(b, a) for header, (a, b) in chosen.items()}
    return None


def _name_reviewers(these: set[str], others: set[str]) -> bool:
    """Whether these are reviewers: they are counted, or the others are criteria."""
    if all(turn_in(one) for one in these):
        return True
    told = sum(bool(CRITERIA & set(spelling(one).split("_"))) for one in others)
    own = sum(bool(CRITERIA & set(spelling(one).split("_"))) for one in these)
    return told > own


def _halves(header: str) -> list[tuple[str, str]]:
    words = header.split()
    pairs = [
        (" ".join(words[:place]).strip(_APART), " ".join(words[place:]).strip(_APART))
        for place in range(1, len(words))
    ]
    for mark in (":", "/", "_", " - ", "-"):
        first, found, last = header.partition(mark)
        if found:
            pairs.append((first.strip(_APART), last.strip(_APART)))
    return [(a, b) for a, b in dict.fromkeys(pairs) if a and b]
