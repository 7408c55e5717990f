"""A cycle: one decision with its own places, rules, budget and people."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from swapflow.domain.ids import applicant_number, reviewer_number, task_code


class CycleStatus(StrEnum):
    """The status of a cycle.

    DRAFT ──► RUNNING ⇄ PAUSED
                 │  ▲
                 ▼  │ resume (rules or budget changed)
              PROPOSED ──► ENDED ──► FINALIZED ──► (reopen) ENDED
                              ▲
       RUNNING, PAUSED ───────┘ stop, by staff

    PROPOSED: the rule proposes to stop and nothing more is dispatched; a person decides.
    ENDED: no further pull; open scores are still accepted until the list is final.
    """

    DRAFT = "draft"
    RUNNING = "running"
    PAUSED = "paused"
    PROPOSED = "proposed"
    ENDED = "ended"
    FINALIZED = "finalized"


ASKING = frozenset({CycleStatus.RUNNING, CycleStatus.FINALIZED})
"""Statuses in which requests go out and expire; once a list is final, only reconsiderations'."""


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A position in a cycle's ledger: the event's number and chain hash.

    The hash tells a restored ledger, whose numbers start again, from the one that was read.
    """

    seq: int
    hash: str


START = Position(0, "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """One season of an office: groups cycles that share people and a calendar."""

    id: str
    name: str
    unit: str
    zone: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Cycle:
    """A cycle's row.

    Attributes:
        spent: Cost of the pulls whose scores count, in the round's unit.
        committed: Cost reserved for open pulls.
        epoch: Number of the lease under which decisions are written.
        cohort_version: The latest finalized version, 0 before the first.
        task_key: The secret key of its task codes; shown nowhere.
        practice_of: The program that a practice program was copied from; "" for a real one. It
            is set when the program is made and never changes.
    """

    id: str
    round_id: str
    name: str
    status: CycleStatus
    position: Position
    rules_version: int
    spent: int
    committed: int
    decisions: int
    epoch: int
    cohort_version: int
    created_at: datetime
    paused_at: datetime | None
    stop_reason: str | None
    # Out of the repr, which may end up in a log: with it anybody can make task codes.
    task_key: str = field(repr=False)
    practice_of: str = ""

    @property
    def is_practice(self) -> bool:
        """Whether it is for training: nothing leaves it, and one press throws it away."""
        return bool(self.practice_of)

    @property
    def is_launched(self) -> bool:
        """Whether requests may have gone out under its rules."""
        return self.status is not CycleStatus.DRAFT

    def task_code(self, assignment_id: str) -> str:
        """Return the code by which reviewers name one of its assignments."""
        return task_code(assignment_id, key=self.task_key)

    def reviewer_number(self, reviewer: int) -> int:
        """Return the random number under which figures about a reviewer stand."""
        return reviewer_number(reviewer, key=self.task_key)

    def applicant_number(self, application: int) -> int:
        """Return the random number by which reviewers know an applicant if it is blind."""
        return applicant_number(application, key=self.task_key)
