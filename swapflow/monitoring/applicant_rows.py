"""The rows behind the tables: one per applicant, without a name."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from swapflow.monitoring.small_groups import UNKNOWN_GROUP


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

    def values(self, *attributes: str) -> tuple[str, ...]:
        """Return the values over one attribute or several; `UNKNOWN_GROUP` if any is unknown."""
        values = tuple(self.groups.get(attribute, "").strip() for attribute in attributes)
        # Half a pair is in no group:
        # counting it would put people into groups that they did not name.
        return UNKNOWN_GROUP if "" in values else values


class MonitoringRecord(Protocol):
    """Access to declared attributes, which are in a table of their own.

    Raises:
        NotFoundError: If the cycle does not exist.
        UnavailableError: If the database does not answer.
    """

    def declared(self, cycle_id: str) -> dict[int, dict[str, str]]:
        """Read the declared attributes, by application number and name."""
        ...
