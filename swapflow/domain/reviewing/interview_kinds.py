"""Which kinds of a program are interviews: the one place in which this is asked."""

from collections.abc import Collection, Sequence

from swapflow.domain.rules import KindRules


MEETING = ("interview", "gespräch", "entretien", "entrevista", "colloquium", "kolloquium")
READING = ("review", "reading", "gutachten", "begutachtung", "evaluation", "lecture", "file")
"""Words in the name of a kind for which people meet an applicant, and for which they read."""


def meets(kinds: Sequence[KindRules], number: int, *, dated: Collection[int] = ()) -> bool:
    """Tell whether a kind is an interview: people meet the applicant, and it has dates.

    It is where it has a panel or questions of its own, a name that says so, or once had a date.
    A kind that is called a reading is none. Under another name the first of several kinds is
    the reading, and the others are interviews.

    Args:
        kinds: The kinds of a program, in the order of its rules.
        number: Place of the kind among them.
        dated: Kinds of which an interview had a date in this program.
    """
    kind = kinds[number]
    if kind.seats > 1 or kind.questions or number in dated or _is_called(kind, MEETING):
        return True
    return not _is_called(kind, READING) and (number > 0 or len(kinds) == 1)


def interview_kinds(kinds: Sequence[KindRules], *, dated: Collection[int] = ()) -> frozenset[int]:
    """Return the places of the kinds that are interviews (`meets`)."""
    return frozenset(n for n in range(len(kinds)) if meets(kinds, n, dated=dated))


def _is_called(kind: KindRules, words: Collection[str]) -> bool:
    name = kind.name.casefold()
    return any(word in name for word in words)
