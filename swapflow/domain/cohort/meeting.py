"""A committee's meeting about a proposed list: the outcomes, and who recorded them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from swapflow.domain.cohort.proposal import Verdict
from swapflow.domain.seal import revision


class Word(StrEnum):
    """A meeting's outcome for an application; DISCUSS: it is to be discussed again."""

    IN = "in"
    OUT = "out"
    WAITLIST = "waitlist"
    DISCUSS = "discuss"

    @property
    def verdict(self) -> Verdict | None:
        """The decision that follows from it; None while it is still discussed."""
        return _VERDICTS.get(self)


_VERDICTS = {
    Word.IN: Verdict.SELECTED,
    Word.OUT: Verdict.NOT_SELECTED,
    Word.WAITLIST: Verdict.WAITLISTED,
}


class Shown(StrEnum):
    """What a meeting looked at about an applicant: the file, or the estimate with its rank."""

    FILE = "file"
    ESTIMATE = "estimate"


class ZoneSide(StrEnum):
    """The applicants on one side of the cut who are not too close to call."""

    IN = "in"
    OUT = "out"


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One recorded outcome of an application at a meeting.

    Attributes:
        line: The line of the place, "" where none was named.
        together: How many applicants the one act decided, with this reason for all of them; 1
            where the reason is about this applicant alone.
    """

    application: int
    word: Word
    reason: str
    by: str
    at: datetime
    line: str = ""
    together: int = 1

    @property
    def revision(self) -> str:
        """The revision that a form about another outcome is made from."""
        return revision(self.word.value, self.reason, self.by, self.at)


@dataclass(frozen=True, slots=True, kw_only=True)
class MeetingLook:
    """The meeting looked at something about an applicant; `by` is who opened it."""

    application: int
    what: Shown
    by: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoneConfirmed:
    """A named person took on a clear zone, applicant by applicant.

    Attributes:
        applications: Numbers of all who were listed.
        opened: How many of their files the meeting had opened.
    """

    zone: ZoneSide
    applications: tuple[int, ...]
    opened: int
    by: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A meeting was closed, or was reopened for a reason."""

    closed: bool
    reason: str
    by: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Meeting:
    """A meeting about one version of a cycle's list.

    Attributes:
        by: Who opened it, and when.
        said: All recorded outcomes, oldest first; the last about an application is valid.
        turns: Each closing and reopening, oldest first.
        looks: What was looked at, oldest first.
        zones: Confirmations of the clear zones, oldest first; the last of a zone is valid.
    """

    version: int
    by: str
    at: datetime
    said: tuple[Said, ...] = ()
    turns: tuple[Turn, ...] = ()
    looks: tuple[MeetingLook, ...] = ()
    zones: tuple[ZoneConfirmed, ...] = ()

    def looked_at(self, what: Shown) -> frozenset[int]:
        """Return the numbers of those about whom the meeting looked at something."""
        return frozenset(one.application for one in self.looks if one.what is what)

    def confirmed(self, zone: ZoneSide) -> ZoneConfirmed | None:
        """Return the valid confirmation of a clear zone, None without one."""
        return next((one for one in reversed(self.zones) if one.zone is zone), None)

    @property
    def closed(self) -> Turn | None:
        """Who closed it and when; None while it is open, or open again."""
        return self.turns[-1] if self.turns and self.turns[-1].closed else None

    @property
    def words(self) -> Mapping[int, Said]:
        """The valid outcomes, by application."""
        # Oldest first, so the last outcome of an application overwrites those before.
        return {one.application: one for one in self.said}

    @property
    def revision(self) -> str:
        """The revision that a form which closes it is made from: of all that was recorded."""
        said = [[one.application, one.revision] for one in self.said]
        return revision(self.version, said, len(self.turns))


@dataclass(frozen=True, slots=True, kw_only=True)
class Endorsement:
    """An endorsement of an application; never a number, and no part of any estimate."""

    application: int
    by: str
    text: str
    at: datetime
