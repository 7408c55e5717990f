"""What a reader of requests needs from the record."""

from collections.abc import Collection, Mapping
from typing import Protocol

from swapflow.domain.people.application import Application
from swapflow.domain.people.reviewer import Reviewer
from swapflow.domain.reviewing.assignment import Assignment, AssignmentStatus, Pull, PullStatus
from swapflow.domain.reviewing.score import Score


class RequestReads(Protocol):
    """Applications, reviewers, assignments and scores of a cycle."""

    def assignment(self, assignment_id: str) -> Assignment:
        """Read one assignment."""
        ...

    def assignment_ids(self, cycle_id: str, *, reviewer: int) -> tuple[str, ...]:
        """List the ids of all assignments that a reviewer ever had in a cycle."""
        ...

    def assignments(
        self,
        cycle_id: str,
        *,
        reviewer: int | None = None,
        application: int | None = None,
        statuses: Collection[AssignmentStatus] = (),
    ) -> tuple[Assignment, ...]:
        """Read assignments of a cycle, filtered; no statuses means all."""
        ...

    def pulls(
        self,
        cycle_id: str,
        *,
        application: int | None = None,
        statuses: Collection[PullStatus] = (),
    ) -> tuple[Pull, ...]:
        """Read pulls of a cycle, filtered; no statuses means all."""
        ...

    def scores(self, cycle_id: str, *, application: int | None = None) -> tuple[Score, ...]:
        """Read every revision of every score, in the order of their submission."""
        ...

    def applications(self, cycle_id: str) -> tuple[Application, ...]:
        """Read a cycle's applications, in the order of their numbers."""
        ...

    def application(self, cycle_id: str, number: int) -> Application:
        """Read one application."""
        ...

    def applications_numbered(
        self, cycle_id: str, numbers: Collection[int]
    ) -> tuple[Application, ...]:
        """Read some applications, in the order of their numbers."""
        ...

    def reviewers(self, cycle_id: str) -> tuple[Reviewer, ...]:
        """Read a cycle's roster, in the order of the numbers."""
        ...

    def reviewer(self, cycle_id: str, number: int) -> Reviewer:
        """Read one reviewer of a cycle's roster."""
        ...

    def remarks(self, cycle_id: str) -> tuple[tuple[str, str], ...]:
        """Read (assignment id, remark) of a cycle, for exports."""
        ...

    def said_of_scores(self, cycle_id: str) -> dict[str, str]:
        """Read what staff said when they last changed a score, by assignment id."""
        ...

    def scores_with_marks(
        self, cycle_id: str, kind: int
    ) -> tuple[tuple[Score, Mapping[str, float | None]], ...]:
        """Read the latest revision of every score of a kind given as marks, with the marks."""
        ...

    def counts(self, cycle_id: str) -> dict[tuple[int, str], int]:
        """Count assignments by (kind, status), for progress views."""
        ...

    def unredacted(self, cycle_id: str) -> tuple[str, ...]:
        """List the external ids whose documents are not marked redacted."""
        ...

    def documents(self, cycle_id: str, *, application: int) -> tuple[tuple[str, str, bool], ...]:
        """Read an application's documents: (name, link or path, marked redacted)."""
        ...
