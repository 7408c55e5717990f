"""Letters that tell applicants the decision, held for a while before they leave."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from swapflow.domain.cohort.proposal import Verdict
from swapflow.domain.cycle import CycleStatus
from swapflow.domain.people.application import ApplicationStatus


class Group(StrEnum):
    """The news for an applicant."""

    OFFERED = "offered"
    WAITLISTED = "waitlisted"
    NOT_SELECTED = "not selected"


class LetterState(StrEnum):
    """The state of a letter; only HELD ones can be withdrawn."""

    HELD = "held"
    QUEUED = "queued"
    SENDING = "sending"
    SENT = "sent"
    NOT_SENT = "not sent"
    FAILED = "failed"
    CAME_BACK = "came back"
    KEPT_BACK = "kept back"
    SETTLED = "settled"
    TAKEN_BACK = "taken back"
    VOID = "void"

    @property
    def tells(self) -> bool:
        """Whether the applicant was told, or is about to be."""
        return self not in {LetterState.TAKEN_BACK, LetterState.VOID}

    @property
    def has_left(self) -> bool:
        """Whether the letter cannot be held back any more."""
        # From QUEUED on: a worker may take it at any moment. One that was not sent for want of a
        # mail server may be queued again at any moment as well.
        return self not in {LetterState.HELD, LetterState.TAKEN_BACK, LetterState.VOID}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """The text for a group; `{name}`, `{program}` and `{until}` are placeholders.

    Attributes:
        text: Paragraphs, an empty line between two. One with `{until}` is left out where an offer
            has no date.
    """

    subject: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnouncedLetter:
    """One applicant's letter.

    Attributes:
        mail_id: Id of the mail, which holds the words.
        offer: Id of the offer that it announces; None for none.
        detail: Why it failed, or was not sent.
    """

    application: int
    group: Group
    mail_id: str
    offer: int | None
    state: LetterState
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Announcement:
    """Letters that were written together, about one version of a list.

    Attributes:
        leaves_at: Until then they are held, and can be withdrawn together.
        taken_back_by: Who withdrew them, "" while nobody has.
    """

    id: int
    version: int
    by: str
    at: datetime
    leaves_at: datetime
    taken_back_by: str
    letters: tuple[AnnouncedLetter, ...]

    @property
    def held(self) -> bool:
        """Whether every letter can still be withdrawn."""
        return all(letter.state is LetterState.HELD for letter in self.letters)


@dataclass(frozen=True, slots=True, kw_only=True)
class LetterFacts:
    """The facts at the moment when a letter is to leave.

    Attributes:
        offer_stands: Whether the offer that it announces is open or accepted.
        has_place: Whether any offer to the applicant is.
        verdict: Their outcome in the latest list; None for none.
    """

    group: Group
    cycle_status: CycleStatus
    application_status: ApplicationStatus
    offer_stands: bool
    has_place: bool
    verdict: Verdict | None


def told(
    announcements: tuple[Announcement, ...],
) -> dict[int, tuple[Announcement, AnnouncedLetter]]:
    """Return the last effective letter of each applicant, by application."""
    # Announcements come oldest first, so an applicant's last letter is the one that stays.
    return {
        letter.application: (announcement, letter)
        for announcement in announcements
        for letter in announcement.letters
        if letter.state.tells
    }
