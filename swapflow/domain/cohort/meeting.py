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


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One recorded outcome of an application at a meeting."""

    application: int
    word: Word
    reason: str
    by: str
    at: datetime

    @property
    def revision(self) -> str:
        """The revision that a form about another outcome is made from."""
        return revision(self.word.value, self.reason, self.by, self.at)


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
    """

    version: int
    by: str
    at: datetime
    said: tuple[Said, ...] = ()
    turns: tuple[Turn, ...] = ()

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
