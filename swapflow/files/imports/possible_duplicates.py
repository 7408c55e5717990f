"""People who may have two ids: shown to staff, never put together by it."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from swapflow.domain.erased_person import loose_id
from swapflow.domain.ids import same_id
from swapflow.domain.people.application import NewApplication
from swapflow.domain.people.plain_words import fold


_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedPerson:
    """A person of a list or of the program."""

    external_id: str
    name: str
    email: str
    new: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PossibleDuplicate:
    """People who share an address or a name.

    Attributes:
        what: What they share: "mail address", "name", or "id" but for zeros and decimals.
        shown: It, as one of them has it.
    """

    what: str
    shown: str
    people: tuple[ListedPerson, ...]

    def __str__(self) -> str:
        ids = ", ".join(one.external_id for one in self.people)
        return (
            f"the {self.what} {self.shown!r} stands under {ids}; if that is one person, merge or "
            "remove one"
        )


def possible_duplicates(people: Iterable[ListedPerson]) -> tuple[PossibleDuplicate, ...]:
    """Find people under several ids, of whom at least one is new.

    Names are compared without case, accents and the order of their words: "Weiß, Zoë" is
    "Zoe Weiss". Those who share an address are not named once more for their name.
    """
    people = tuple(people)
    found: list[PossibleDuplicate] = []
    told: set[frozenset[str]] = set()
    keys: tuple[tuple[str, Callable[[ListedPerson], str], Callable[[ListedPerson], str]], ...] = (
        ("mail address", lambda one: one.email.casefold(), lambda one: one.email),
        ("name", lambda one: plain_name(one.name), lambda one: one.name),
        ("id", lambda one: loose_id(one.external_id), lambda one: one.external_id),
    )
    for what, key, shown in keys:
        groups: dict[str, dict[str, ListedPerson]] = {}
        for one in people:
            if value := key(one):
                groups.setdefault(value, {}).setdefault(one.external_id, one)
        for group in groups.values():
            ids = frozenset(group)
            if len(group) > 1 and any(one.new for one in group.values()) and ids not in told:
                told.add(ids)
                members = tuple(group.values())
                found.append(PossibleDuplicate(what=what, shown=shown(members[0]), people=members))
    return tuple(found)


def plain_name(name: str) -> str:
    """Reduce a name to what two spellings of it share."""
    return " ".join(sorted(_WORD.findall(fold(name))))


def difference_of_rows(first: NewApplication, second: NewApplication) -> str:
    """Name what differs between two rows of one applicant, beyond case and spaces."""
    left, right = (_comparable(application) for application in (first, second))
    names = [name for name in {**left, **right} if left.get(name) != right.get(name)]
    if {"ready", "status"} <= set(names):
        names.remove("ready")  # one column said both
    return ", ".join(names)


def _comparable(application: NewApplication) -> dict[str, object]:
    return {
        "name": same_id(application.name),
        "email": same_id(application.email),
        "ready": application.ready,
        "status": application.left,
        **{
            name: same_id(value)
            for part in (application.selection, application.monitor, application.fields)
            for name, value in part.items()
        },
        "documents": application.documents,
    }
