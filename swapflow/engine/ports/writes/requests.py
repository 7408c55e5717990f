"""Writes to pulls, assignments, answers and scores."""

from collections.abc import Collection, Mapping, Sequence
from datetime import timedelta
from typing import Protocol

from swapflow.domain.people.interview import Diary, Interview
from swapflow.domain.people.reviewer import DeclineKind
from swapflow.domain.reviewing.assignment import Assignment, AssignmentStatus, Pull, PullStatus
from swapflow.domain.reviewing.score import Score, ScoreDetails


class RequestWrites(Protocol):
    """Pulls, assignments, interviews and scores, within one transaction."""

    def insert_pulls(self, pulls: Sequence[Pull]) -> None:
        """Insert pulls; those that exist already are left as they are."""
        ...

    def insert_assignments(self, assignments: Sequence[Assignment]) -> None:
        """Insert assignments; those that exist already are left as they are."""
        ...

    def pulls(self, ids: Collection[str]) -> dict[str, Pull]:
        """Read pulls by id; unknown ids are absent from the answer."""
        ...

    def next_ordinal(self, application: int, kind: int) -> int:
        """Return the ordinal of the next pull of this kind of this application."""
        ...

    def assignments(self, ids: Collection[str]) -> dict[str, Assignment]:
        """Read assignments by id; unknown ids are absent from the answer."""
        ...

    def assignments_with_pulls(
        self, ids: Collection[str]
    ) -> tuple[dict[str, Assignment], dict[str, Pull]]:
        """Read assignments and the pulls that they serve, each by id; unknown ids are absent."""
        ...

    def assignments_of(self, pull_ids: Collection[str]) -> tuple[Assignment, ...]:
        """Read every assignment of the pulls, by pull, seat and attempt."""
        ...

    def assignments_of_reviewer(
        self, reviewer: int, statuses: Collection[AssignmentStatus]
    ) -> tuple[Assignment, ...]:
        """Read a reviewer's assignments in the given statuses."""
        ...

    def end_assignments_of(self, reviewer: int) -> tuple[Assignment, ...]:
        """Move a reviewer's open assignments to EXPIRED and return them."""
        ...

    def open_pulls(self) -> tuple[Pull, ...]:
        """Read every proposed and open pull of the cycle."""
        ...

    def begun_assignments(self) -> tuple[Assignment, ...]:
        """Read the cycle's assignments that a reviewer has opened and not answered."""
        ...

    def insert_approval(
        self, pulls: Collection[str], *, by: str, verdict: str, reason: str
    ) -> None:
        """Store that a named person approved or struck proposed pulls."""
        ...

    def open_pulls_of(self, application: int) -> tuple[Pull, ...]:
        """Read an application's proposed and open pulls."""
        ...

    def overdue(self, *, at_most: int) -> tuple[Assignment, ...]:
        """Read open assignments whose due time has passed, oldest first."""
        ...

    def move_assignments(
        self,
        ids: Collection[str],
        to: AssignmentStatus,
        *,
        allowed: Collection[AssignmentStatus],
        decline: DeclineKind | None = None,
    ) -> int:
        """Move assignments that are in one of the allowed statuses; return how many.

        Args:
            ids: Which.
            to: The new status.
            allowed: The statuses that they may be in.
            decline: Why the reviewer declined, when `to` is DECLINED.
        """
        ...

    def move_pulls(
        self, ids: Collection[str], to: PullStatus, *, allowed: Collection[PullStatus]
    ) -> int:
        """Move pulls that are in one of the allowed statuses; return how many."""
        ...

    def resume_assignments(
        self, assignments: Sequence[Assignment], *, windows: Sequence[float | None]
    ) -> None:
        """Make cancelled assignments what they were: opened, delivered or queued.

        Whose due time has passed gets the window of its kind again, in days; None is no limit.
        """
        ...

    def shift_due_times(self, by: timedelta) -> None:
        """Move the due time of every open assignment."""
        ...

    def insert_scores(
        self,
        scores: Sequence[Score],
        *,
        marks: Sequence[Mapping[str, float | None]],
        remarks: Sequence[str],
        notes: Sequence[Mapping[str, str]] = (),
    ) -> None:
        """Insert scores with their marks, remarks and notes (erasable rows).

        An empty `notes` means that none were written.
        """
        ...

    def drop_drafts(self, ids: Collection[str]) -> None:
        """Delete the drafts of these assignments."""
        ...

    def interview(self, pull_id: str) -> Interview | None:
        """Read when and where a pull's people meet the applicant."""
        ...

    def hold_diaries(self, reviewers: Collection[int]) -> None:
        """Keep other cycles from setting dates of these people until this write ends.

        A write holds its own cycle alone; without this, two cycles that book one person at the
        same moment would each read a diary in which the other's date is not yet.
        """
        ...

    def diary(self) -> Diary:
        """Read when the cycle's reviewers have interviews or are away, in all cycles."""
        ...

    def set_interview(self, interview: Interview) -> None:
        """Store when and where a pull's people meet the applicant; replaces what was stored."""
        ...

    def standing_scores(self, pull_ids: Collection[str]) -> tuple[Score, ...]:
        """Read the latest revision of every score of the pulls."""
        ...

    def scores_of_assignments(self, ids: Collection[str]) -> tuple[Score, ...]:
        """Read the latest revision of the score of each assignment that has one."""
        ...

    def given(self, assignment_id: str) -> ScoreDetails | None:
        """Read the valid score of an assignment with what was written; None without one."""
        ...

    def scores_with_marks(self, kind: int) -> tuple[tuple[Score, Mapping[str, float | None]], ...]:
        """Read the latest revision of every score of a kind given as marks, with the marks."""
        ...

    def scores_of_reviewer(self, reviewer: int) -> tuple[Score, ...]:
        """Read the latest revision of every score of a reviewer."""
        ...
