"""What the reviewer's side reads from the record."""

from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import Future
from datetime import datetime
from typing import Protocol

from swapflow.domain.people.document import Document, NewDocument
from swapflow.domain.people.interview import Diary, Interview
from swapflow.domain.reviewing.assignment import AssignmentStatus
from swapflow.domain.reviewing.score import Draft, ScoreDetails
from swapflow.engine.ports.records import (
    ListedTask,
    ProgramSeat,
    SeatFacts,
    TaskCounts,
    TaskRecord,
)


class ReviewerTasks(Protocol):
    """What a reviewer's pages show and store: drafts, interviews, files."""

    def task(self, assignment_id: str) -> TaskRecord:
        """Read an assignment with its cycle; NotFoundError when there is none of this id."""
        ...

    def program_seats(self, seats: Collection[tuple[str, int]]) -> tuple[ProgramSeat, ...]:
        """Read the cycles of (cycle, reviewer number) seats; one that is gone is left out.

        Raises:
            DamagedRecordError: If the row or the rules of any of them cannot be read.
        """
        ...

    def seat_facts(self, cycle_id: str, reviewer: int) -> SeatFacts:
        """Read which applications a reviewer has answered for, may not judge, or has open."""
        ...

    def listed_tasks(
        self, cycle_id: str, reviewer: int, statuses: Collection[AssignmentStatus]
    ) -> tuple[ListedTask, ...]:
        """Read a reviewer's tasks in these statuses, with all that their list shows.

        Raises:
            DamagedRecordError: If a row cannot be read.
        """
        ...

    def task_counts(self, seats: Collection[tuple[str, int]]) -> TaskCounts:
        """Count the tasks of (cycle, reviewer number) seats: those done and those open."""
        ...

    def drafts(self, ids: Collection[str]) -> dict[str, Draft]:
        """Read drafts, by assignment."""
        ...

    def save_draft(self, assignment_id: str, body: Mapping[str, str], *, expected: int) -> Draft:
        """Store what a reviewer has typed so far; writes no event and takes no cycle's lock.

        Args:
            assignment_id: For which assignment.
            body: The fields of the form, by name.
            expected: The version that the reviewer's page was made from; 0 for none.

        Raises:
            NotFoundError: If there is no such assignment.
            AssignmentClosedError: If it was answered, declined or cancelled.
            StaleDraftError: If another version is stored by now, with another body.
        """
        ...

    def save_draft_soon(
        self, assignment_id: str, body: Mapping[str, str], *, expected: int
    ) -> Future[Draft]:
        """Begin to save as `save_draft` does; the future holds the draft, or the error.

        For callers on an event loop, which must not block on the disk.
        """
        ...

    def drop_draft(self, assignment_id: str) -> None:
        """Delete the draft of an assignment."""
        ...

    def skip(self, assignment_id: str) -> None:
        """Put a task at the end of its reviewer's list."""
        ...

    def skips(self, ids: Collection[str]) -> dict[str, datetime]:
        """Read which of these assignments were put off, and when last."""
        ...

    def given(self, assignment_id: str) -> ScoreDetails | None:
        """Read the current score of an assignment and what was written with it."""
        ...

    def interviews(self, pull_ids: Collection[str]) -> dict[str, Interview]:
        """Read when and where these pulls' people meet the applicants."""
        ...

    def dated_kinds(self, cycle_id: str) -> frozenset[int]:
        """Read of which kinds an interview ever had a date, whatever became of it."""
        ...

    def diary(self, cycle_id: str) -> Diary:
        """Read when a cycle's reviewers have interviews or are away, in all cycles."""
        ...

    def imported_values(self, cycle_id: str) -> dict[int, dict[str, str]]:
        """Read the latest imported fields of each application that is not erased, by number."""
        ...

    def list_reading(self, cycle_id: str, what: str) -> dict[str, str]:
        """Read the settings with which a kind of list was read last; {} if there are none."""
        ...

    def list_readings(self, what: Sequence[str]) -> list[dict[str, str]]:
        """Read every program's settings of some kinds of lists, those stored last at the end."""
        ...

    def files(self, cycle_id: str, application: int) -> tuple[Document, ...]:
        """Read an application's documents, without their bytes, in their order."""
        ...

    def file_content(self, cycle_id: str, application: int, position: int) -> bytes:
        """Read an uploaded document; NotFoundError when it is none, or only a link."""
        ...

    def with_files(self, cycle_id: str) -> frozenset[int]:
        """Return the numbers of applications that have a document, uploaded or linked."""
        ...

    def add_files(self, cycle_id: str, new: Sequence[tuple[int, NewDocument]]) -> None:
        """Store uploaded documents by application; one of the same name is replaced."""
        ...
