"""What the tables are made of: one row per applicant, without a name."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol


UNKNOWN = ""
"""The value of an attribute that an applicant did not give."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplicantRow:
    """One applicant, as far as the tables look.

    Attributes:
        groups: What was declared, by attribute; an attribute that is missing is unknown.
        reviews: Finished reviews of the file.
        interviews: Finished interviews.
        waited: Days that each finished review or interview took from request to answer.
        estimate: Final estimate, None when nothing was scored.
        accepted: Whether people took the applicant; None while nothing is decided.
    """

    groups: Mapping[str, str]
    reviews: int
    interviews: int
    waited: Sequence[float]
    estimate: float | None
    accepted: bool | None

    def group(self, *attributes: str) -> str:
        """Name the group over one attribute or several; UNKNOWN if any of them is."""
        values = [self.groups.get(attribute, UNKNOWN).strip() for attribute in attributes]
        return UNKNOWN if UNKNOWN in values else " × ".join(values)


class MonitoringRecord(Protocol):
    """Where declared attributes lie: a table of its own, with this one way in.

    Raises:
        NotFoundError: If the cycle does not exist.
        UnavailableError: If the database does not answer.
    """

    def declared(self, cycle_id: str) -> dict[int, dict[str, str]]:
        """Read what each application's person declared, by application number and attribute."""
        ...
