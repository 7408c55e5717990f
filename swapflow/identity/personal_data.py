"""Everything that is held about one person, and all actions of people in a program.

For those who answer for an office. Deciding code cannot import this module, which may therefore
read every table.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol

from swapflow.domain.people.document import is_confidential


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
        withheld: Names of confidential documents and fields that were left out.
        left_out: Tables that were left out whole.
    """

    cycle_id: str
    role: str
    external_id: str
    name: str
    at: datetime
    rows: Mapping[str, tuple[Mapping[str, Held], ...]]
    files: tuple[HeldFile, ...]
    withheld: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


MONITORED = "monitoring_attribute"
"""The table of what applicants declared for monitoring alone."""

WITHHELD = "confidential, left out of this copy"
"""What an applicant's own copy has in place of a confidential value."""


def own_copy(report: PersonalDataReport, words: Collection[str]) -> PersonalDataReport:
    """Return an applicant's own copy: without what is confidential, which it names.

    Args:
        report: Everything held about the applicant.
        words: Words of the rules in the names of confidential documents and fields.
    """
    names = [str(row["name"]) for row in report.rows.get("document", ())]
    for row in report.rows.get("application", ()):
        fields = row.get("fields")
        names += list(fields) if isinstance(fields, dict) else []
    marked = {name for name in names if is_confidential(name, words)}
    places = {row["position"] for row in report.rows.get("document", ()) if row["name"] in marked}
    rows = {table: tuple(_open(row, words) for row in held) for table, held in report.rows.items()}
    # Type, size and fingerprint of a letter would tell whether another copy of it is the same.
    rows["document_content"] = tuple(
        row for row in rows.get("document_content", ()) if row["position"] not in places
    )
    return replace(
        report,
        rows={table: held for table, held in rows.items() if held},
        files=tuple(file for file in report.files if not is_confidential(file.name, words)),
        withheld=tuple(dict.fromkeys(name for name in names if name in marked)),
    )


def without_monitoring(report: PersonalDataReport) -> PersonalDataReport:
    """Return a report without what was declared for monitoring alone, and without telling of any.

    People who decide may not see it, and nothing in the report shows whether there was something.
    """
    rows = {table: held for table, held in report.rows.items() if table != MONITORED}
    return replace(report, rows=rows, left_out=(*report.left_out, MONITORED))


def _open(row: Mapping[str, Held], words: Collection[str]) -> Mapping[str, Held]:
    """Replace what is confidential in a row: a document's link, fields by their names."""
    shown: dict[str, Held] = {}
    for column, value in row.items():
        if isinstance(value, dict):
            value = {  # noqa: PLW2901 - the value as this copy has it
                name: WITHHELD if is_confidential(name, words) else said
                for name, said in value.items()
            }
        if column == "link" and is_confidential(str(row.get("name", "")), words):
            value = WITHHELD  # noqa: PLW2901 - likewise
        shown[column] = value
    return shown


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

    def confidential_words(self, cycle_id: str) -> tuple[str, ...]:
        """Return the words that mark documents and fields as confidential by a cycle's rules."""
        ...

    def acts(self, cycle_id: str) -> tuple[ActivityEntry, ...]:
        """List the actions of people in a cycle, oldest first."""
        ...
