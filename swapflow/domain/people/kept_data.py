"""How long data about people is kept after their round, and what keeps it longer."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class KeptData(StrEnum):
    """A kind of data that a rule of a round deletes; numbers, scores and events always stay."""

    DRAFTS = "drafts"
    REVIEWS = "reviews"
    FIGURES = "figures"
    MONITORING = "monitoring"
    MAILS = "mails"
    BACKUPS = "backups"


MOST_DAYS = 36_525
"""The longest that a rule keeps data, in days: a century, so that a day can be named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetentionRule:
    """How long a round keeps one kind of data.

    Attributes:
        days: Days after the round ended; None keeps the data until a person erases it.
    """

    kind: KeptData
    days: int | None
    by: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Deletion:
    """What a rule deleted once.

    Attributes:
        cycle_id: The program, or "" for backups, which hold all programs.
        count: Rows or files.
        days: The rule that was in force.
        set_by: Who had set it.
    """

    kind: KeptData
    cycle_id: str
    count: int
    days: int
    set_by: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class LegalHold:
    """A person keeps the data of a round, a program or one person of it from being deleted.

    Attributes:
        cycle_id: The program; "" for the whole round.
        application: The applicant's number in the program; None for no one applicant.
        reviewer: The reviewer's number in the program; None for no one reviewer.
        lifted_by: Who ended the hold; "" while it lasts.
        lifted_reason: Why it ended.
    """

    id: int
    round_id: str
    cycle_id: str
    application: int | None
    reviewer: int | None
    reason: str
    by: str
    at: datetime
    lifted_by: str = ""
    lifted_reason: str = ""
    lifted_at: datetime | None = None

    @property
    def lasts(self) -> bool:
        """Whether the hold still keeps data."""
        return self.lifted_at is None

    @property
    def of_one_person(self) -> bool:
        """Whether it is about one applicant or reviewer, not about all of a program."""
        return self.application is not None or self.reviewer is not None

    def reaches(self, cycle_id: str) -> bool:
        """Whether the hold keeps anything of a program now."""
        return self.lasts and self.cycle_id in {"", cycle_id}


@dataclass(frozen=True, slots=True, kw_only=True)
class Spared:
    """The people of one program whose data a rule must leave, by number."""

    applications: frozenset[int] = frozenset()
    reviewers: frozenset[int] = frozenset()

    def __bool__(self) -> bool:
        """Whether there is anyone."""
        return bool(self.applications or self.reviewers)
