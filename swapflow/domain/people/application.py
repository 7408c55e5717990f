"""An application: one person in one cycle."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


HOLD = "hold on erasing"
HOLD_ENDS = "end of the hold on erasing"
"""Subjects of the notes that put erasure on hold and release it; the last one is valid."""


class ApplicationStatus(StrEnum):
    """The status of an application; every move is an event and reversible.

    INCOMPLETE ──► READY ⇄ HELD         held: a candidate, but takes no new pull
       any    ──► INELIGIBLE, WITHDRAWN, MERGED   leave at once, open pulls are cancelled
    """

    INCOMPLETE = "incomplete"
    READY = "ready"
    HELD = "held"
    INELIGIBLE = "ineligible"
    WITHDRAWN = "withdrawn"
    MERGED = "merged"

    @property
    def is_candidate(self) -> bool:
        """Whether the application can be in the cohort."""
        return self in {ApplicationStatus.READY, ApplicationStatus.HELD}


@dataclass(frozen=True, slots=True, kw_only=True)
class Application:
    """One person in one cycle, as staff know it.

    Attributes:
        number: Its arm: the order of arrival in the cycle, from 0.
        external_id: The office's own key, unique in the cycle; "" once erased.
        tie: Keyed hash of (seed, external id): breaks ties.
        attributes: Selection attributes by name; monitoring attributes are not here.
        fields: Other imported fields, shown to reviewers under the blind policy.
    """

    cycle_id: str
    number: int
    external_id: str
    name: str
    email: str
    status: ApplicationStatus
    wave: int
    tie: int
    attributes: dict[str, str]
    fields: dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class NewApplication:
    """One applicant as imported.

    Attributes:
        ready: Whether the application is complete; None where the list does not say, which means
            complete for a new one.
        left: WITHDRAWN or INELIGIBLE where the list says so; None where it does not.
        selection: Attributes that may enter an objective.
        monitor: Monitoring attributes: stored in a table that no deciding code reads.
        spelled: By attribute what the list said, where staff take that for another value.
        documents: (name, link or path, marked redacted) of files that reviewers may see.
    """

    external_id: str
    name: str = ""
    email: str = ""
    ready: bool | None = None
    left: ApplicationStatus | None = None
    selection: dict[str, str]
    monitor: dict[str, str]
    fields: dict[str, str]
    spelled: Mapping[str, str] = field(default_factory=dict)
    documents: tuple[tuple[str, str, bool], ...] = ()


SPELLED = "spelled:"
"""Prefix of what a list said of an attribute that is taken for another value."""


def listed_values(new: NewApplication) -> dict[str, str]:
    """Return what a list says of an applicant, by name; blank values are left out.

    Monitoring attributes are left out: no deciding code may read those.
    """
    words = {"name": new.name, "email": new.email}
    if new.ready is not None:
        words["ready"] = "yes" if new.ready else "no"
    if new.left is not None:
        words["status"] = new.left.value
    words |= {f"select:{name}": value for name, value in new.selection.items()}
    words |= {f"{SPELLED}{name}": value for name, value in new.spelled.items()}
    words |= {f"field:{name}": value for name, value in new.fields.items()}
    words |= {
        # Said of the link too: a file that is redacted since is a change of the list.
        f"document:{name}": f"{link} (redacted)" if redacted else link
        for name, link, redacted in new.documents
    }
    return {name: value for name, value in words.items() if value}


def known_values(application: Application) -> dict[str, str]:
    """Return the known values of an applicant by the same names, without documents."""
    words = {"name": application.name, "email": application.email}
    words |= {f"select:{name}": value for name, value in application.attributes.items()}
    words |= {f"field:{name}": value for name, value in application.fields.items()}
    return {name: value for name, value in words.items() if value}
