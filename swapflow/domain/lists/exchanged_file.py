"""A file that another system sent, or that was put out for it: what became of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class Exchanged(StrEnum):
    """What a file holds."""

    APPLICANTS = "applicants"
    DOCUMENTS = "documents"
    RESULTS = "results"


class ExchangeOutcome(StrEnum):
    """What became of a file: taken whole, refused with nothing changed, or put out."""

    TAKEN = "taken"
    REFUSED = "refused"
    SENT = "sent"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewExchange:
    """A file that is put on record; what it says of people is not.

    Attributes:
        name: What its sender called it.
        digest: SHA-256 of its bytes, hexadecimal.
        size: Its bytes.
        via: The way it came: "folder", "page", "command" or "API".
        counts: How many were new, changed, known, held, stored, left or bad; only those above 0.
        lines: (line, header) of what a person has to cure; never a value.
        by: Who brought it.
    """

    what: Exchanged
    outcome: ExchangeOutcome
    name: str
    digest: str
    size: int
    via: str
    counts: Mapping[str, int] = field(default_factory=dict)
    lines: tuple[tuple[int, str], ...] = ()
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExchangedFile(NewExchange):
    """One file on record.

    Attributes:
        number: Its number within the cycle, from 0, in the order of arrival.
        done_by: Who said that what it left to people is done; "" for nobody.
    """

    number: int
    at: datetime
    done_by: str = ""

    @property
    def for_people(self) -> int:
        """How many rows or files of it a person has to look at."""
        if self.done_by:
            return 0
        return sum(self.counts.get(what, 0) for what in ("bad", "held", "left"))
