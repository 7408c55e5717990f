"""Reviewers: an office-wide person for sign-in and mail, a roster entry per cycle for the rest."""

from dataclasses import dataclass
from datetime import date
from enum import StrEnum


ERASED = "erased-"


def erased_id(number: int) -> str:
    """Give the id under which an erased reviewer's number stands in the roster."""
    return f"{ERASED}{number}"


class DeclineKind(StrEnum):
    """Why a reviewer says no; each does something different.

    MISSED is no refusal: the applicant did not come to an interview.
    """

    CONFLICT = "conflict"
    BUSY = "busy"
    UNQUALIFIED = "unqualified"
    MISSED = "missed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Absence:
    """Days on which a reviewer gets nothing new, both included."""

    first: date
    last: date


@dataclass(frozen=True, slots=True, kw_only=True)
class NewReviewer:
    """One roster entry as imported.

    Attributes:
        external_id: The office's own key, unique in the cycle.
        capacity: Most assignments of each kind in this cycle; None is unlimited. Kinds that are
            not named are not asked of this reviewer.
        packet: Most assignments open at once; None takes the rules' default.
        automatic: Specification of the program that answers, "" for a person:
            `truth:FILE`, `replay:FOLDER`, `http(s)://…`.
        topics: Expertise; an application with a topic goes to a reviewer who has it, if one can.
        conflicts: External ids of applications that this reviewer must not see.
        reserve: Kept for reconsiderations: gets no other request.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewer:
    """A roster entry as it stands; `number` is its number in the cycle, from 0.

    In the reserve it is asked in reconsiderations alone.
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
        """Whether only a number is left of whoever this was."""
        return not (self.active or self.name or self.email) and self.external_id.startswith(
            erased_id(self.number)
        )
