"""Writes to applicants and reviewers."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Protocol

from swapflow.domain.people.application import Application, ApplicationStatus, NewApplication
from swapflow.domain.people.reviewer import Absence, NewReviewer, Reviewer


class PeopleWrites(Protocol):
    """Applications and reviewers, within one transaction."""

    def add_applications(
        self, new: Sequence[NewApplication], ties: Sequence[int], *, wave: int
    ) -> tuple[Application, ...]:
        """Insert applications with the next free numbers, in the order given."""
        ...

    def applications(self, numbers: Collection[int] | None = None) -> tuple[Application, ...]:
        """Read applications, all or those named, in the order of their numbers."""
        ...

    def application(self, number: int) -> Application:
        """Read one application; NotFoundError if the cycle has none of this number."""
        ...

    def move_application(
        self, number: int, status: ApplicationStatus, *, by: str, reason: str
    ) -> None:
        """Set an application's status; store the reason in an erasable row."""
        ...

    def erase_application(self, number: int) -> None:
        """Erase name, mail, fields, documents, remarks and attributes of one application."""
        ...

    def erase_reviewer(self, number: int) -> bool:
        """Erase name, mail, id, drafts and mails of one roster entry; its scores stay.

        Person and account are erased too, unless another cycle or a role as staff needs them; then
        False is returned.
        """
        ...

    def imported_values(self) -> dict[int, dict[str, str]]:
        """Read the latest imported fields of each application, by number."""
        ...

    def store_imported_values(self, said_of: Mapping[int, Mapping[str, str]]) -> None:
        """Store imported fields of applications, replacing those of earlier lists."""
        ...

    def change_application(self, changed: Application) -> None:
        """Write an application's name, mail, fields and selection attributes."""
        ...

    def write_monitoring(self, number: int, values: Mapping[str, str]) -> None:
        """Write monitoring attributes, replacing those of the same names."""
        ...

    def put_link(self, number: int, name: str, link: str, *, redacted: bool) -> bool:
        """Link a document; False if staff uploaded one of that name, which is then kept."""
        ...

    def list_reading(self, what: str) -> dict[str, str]:
        """Read the settings with which a kind of list was read last; {} if there are none."""
        ...

    def keep_list_reading(self, what: str, settings: Mapping[str, str], *, by: str) -> None:
        """Store the settings with which a kind of list was read, replacing earlier ones."""
        ...

    def add_reviewers(self, new: Sequence[NewReviewer]) -> tuple[Reviewer, ...]:
        """Insert roster entries with the next free numbers, in the order given."""
        ...

    def reviewers(self) -> tuple[Reviewer, ...]:
        """Read the roster, in the order of the numbers."""
        ...

    def change_reviewer(self, reviewer: Reviewer) -> None:
        """Replace a roster entry's name, address, capacity, packet, topics, absences, activity.

        Mails to a former address that wait or were refused go to the new one.
        """
        ...

    def add_absence(self, reviewer: int, absence: Absence) -> None:
        """Add days on which a reviewer gets no new requests."""
        ...

    def add_conflicts(self, pairs: Iterable[tuple[int, int]], *, source: str) -> int:
        """Store (application, reviewer) conflicts; return how many were new."""
        ...

    def conflicts(self) -> frozenset[tuple[int, int]]:
        """Read the (application, reviewer) conflicts on record."""
        ...

    def remove_conflict(self, application: int, reviewer: int) -> None:
        """Delete a conflict; the event beside it keeps that it was one."""
        ...

    def add_opened(self, application: int, reviewer: int) -> bool:
        """Store that a reviewer opened an application in another role; False if they had."""
        ...

    def opened_pairs(self) -> frozenset[tuple[int, int]]:
        """Read the (application, reviewer) pairs that were opened."""
        ...

    def set_panel(self, pairs: Iterable[tuple[int, int]]) -> None:
        """Restrict applications to the reviewers named: (application, reviewer) pairs."""
        ...

    def topic_number(self, topic: str) -> int:
        """Return the number of a topic in this cycle; a new topic gets a new one."""
        ...

    def group_number(self, attribute: str, value: str) -> int:
        """Return the number of an attribute's value in this cycle; a new value gets a new one."""
        ...
