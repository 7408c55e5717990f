"""Reviewers: an office-wide person for sign-in and mail, a roster entry per cycle for the rest."""

from dataclasses import dataclass
from datetime import date
from enum import StrEnum


ERASED = "erased-"


def erased_id(number: int) -> str:
    """Return the roster id of an erased reviewer."""
    return f"{ERASED}{number}"


class DeclineKind(StrEnum):
    """Why a reviewer declines; each reason has another effect.

    MISSED stands in events of earlier releases for an applicant who did not come to an interview.
    """

    CONFLICT = "conflict"
    BUSY = "busy"
    UNQUALIFIED = "unqualified"
    MISSED = "missed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Absence:
    """Days on which a reviewer gets no new requests, both included."""

    first: date
    last: date


@dataclass(frozen=True, slots=True, kw_only=True)
class NewReviewer:
    """One roster entry as imported.

    Attributes:
        external_id: The office's own key, unique in the cycle.
        capacity: Most assignments of each kind in this cycle; None is unlimited. This reviewer is
            not asked for other kinds.
        packet: Most open assignments at once; None means the rules' default.
        automatic: Specification of the program that answers, "" for a person:
            `truth:FILE`, `replay:FOLDER`, `http(s)://…`.
        topics: Expertise; an application with a topic goes to a reviewer who has it, if one can.
        conflicts: External ids of applications that this reviewer must not see.
        reserve: Whether the reviewer is kept for reconsiderations and gets no other request.
        said: What the list says of a reviewer who is in the program already, by the names of
            these attributes and `capacity:KIND`; None means everything. Only that is changed.
    """

    external_id: str
    name: str = ""
    email: str = ""
    group: str = ""
    capacity: dict[str, int | None]
    packet: int | None = None
    automatic: str = ""
    topics: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    absences: tuple[Absence, ...] = ()
    reserve: bool = False
    said: frozenset[str] | None = None

    def says(self, what: str) -> bool:
        """Whether the list says what an attribute is."""
        return self.said is None or what in self.said


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewer:
    """A roster entry; `number` is its number in the cycle, from 0.

    An entry in the reserve is asked in reconsiderations only.
    """

    cycle_id: str
    number: int
    external_id: str
    name: str
    email: str
    group: str
    capacity: dict[str, int | None]
    packet: int | None
    automatic: str
    topics: tuple[str, ...]
    active: bool
    absences: tuple[Absence, ...]
    reserve: bool = False

    @property
    def was_erased(self) -> bool:
        """Whether the person was erased and only the number is left."""
        # An office may call a reviewer "erased-3" itself;
        # only an erased one has no name and address.
        return not (self.active or self.name or self.email) and self.external_id.startswith(
            erased_id(self.number)
        )
