"""The rows behind the tables: one per applicant, without a name."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol


UNKNOWN = ""
"""The value of an attribute that an applicant did not declare."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplicantRow:
    """One applicant, reduced to what the tables need.

    Attributes:
        groups: Declared values, by attribute; a missing attribute is unknown.
        reviews: Finished reviews of the file.
        interviews: Finished interviews.
        waited: Days that each finished review or interview took from request to answer.
        estimate: Final estimate, None when nothing was scored.
        accepted: Whether people selected the applicant; None before a decision.
    """

    groups: Mapping[str, str]
    reviews: int
    interviews: int
    waited: Sequence[float]
    estimate: float | None
    accepted: bool | None

    def group(self, *attributes: str) -> str:
        """Return the group over one attribute or several; UNKNOWN if any of them is."""
        values = [self.groups.get(attribute, UNKNOWN).strip() for attribute in attributes]
        # Half a pair is in no group:
        # counting it would put people into groups that they did not name.
        return UNKNOWN if UNKNOWN in values else " × ".join(values)


class MonitoringRecord(Protocol):
    """Access to declared attributes, which are in a table of their own.

    Raises:
        NotFoundError: If the cycle does not exist.
        UnavailableError: If the database does not answer.
    """

    def declared(self, cycle_id: str) -> dict[int, dict[str, str]]:
        """Read the declared attributes, by application number and name."""
        ...
