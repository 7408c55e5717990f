"""Everything that is held about one person, and all actions of people in a program.

For those who answer for an office. Deciding code cannot import this module, which may therefore
read every table.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


Held = str | int | float | bool | list[object] | dict[str, object] | None
"""A value as it is stored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldFile:
    """An uploaded document."""

    name: str
    media: str
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonalDataReport:
    """Everything that is held about one person in one program.

    Attributes:
        role: "applicant" or "reviewer".
        rows: The stored rows, by table; a row is a mapping of column to value.
    """

    cycle_id: str
    role: str
    external_id: str
    name: str
    at: datetime
    rows: Mapping[str, tuple[Mapping[str, Held], ...]]
    files: tuple[HeldFile, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ActivityEntry:
    """One action of a person in a program.

    Attributes:
        departs: Whether it differs from the proposal, or interferes with the rule.
        about: Its object: an applicant's id, a request, the program.
    """

    at: datetime
    by: str
    what: str
    about: str
    reason: str
    departs: bool


class PersonalDataRecord(Protocol):
    """Reads across every table, for one person or one program.

    Raises:
        NotFoundError: From any method, if there is no such cycle or person.
        UnavailableError: From any method, if the database does not answer.
    """

    def applicant(self, cycle_id: str, external_id: str) -> PersonalDataReport:
        """Collect everything that is held about an applicant."""
        ...

    def reviewer(self, cycle_id: str, external_id: str) -> PersonalDataReport:
        """Collect everything that is held about a reviewer."""
        ...

    def acts(self, cycle_id: str) -> tuple[ActivityEntry, ...]:
        """List the actions of people in a cycle, oldest first."""
        ...
