"""Mails that come back: what the other server's answer means, and what is kept of it."""

import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from swapflow.messages import Message


CAME_BACK = "came back"
"""State of a mail that left and came back, or whose address was refused at once."""

KEPT_BACK = "kept back"
"""State of a mail that did not leave, for an earlier one to its address had come back."""

SETTLED = "settled"
"""State of a mail that came back, once a person of staff has seen to it."""

LONGEST_ANSWER = 400
"""Characters of what another server said that are kept."""

CODE_MARK = "sf"
"""What the code of a mail begins with, so that it is found wherever a server quotes it."""


class BounceKind(StrEnum):
    """Why a mail came back; only ADDRESS keeps further mails from leaving."""

    ADDRESS = "address"
    FULL = "full"
    REFUSED = "refused"
    UNREACHED = "unreached"
    OTHER = "other"

    @property
    def words(self) -> Message:
        """The reason as a part of a sentence: "the address does not exist"."""
        return Message(f"came_back_{self.value}")

    @property
    def cure(self) -> Message:
        """What to do about it."""
        return Message(f"came_back_{self.value}_cure")


class BounceReading(StrEnum):
    """What a mail to the address of bounces is: only a BOUNCE says that a mail came back."""

    BOUNCE = "bounce"
    DELAYED = "delayed"
    AUTO_REPLY = "automatic reply"
    RECEIPT = "receipt"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounce:
    """What a mail says that another server wrote.

    Attributes:
        digest: SHA-256 of the mail, by which the same one is known again.
        code: The code of the mail of ours that it tells of, "" where it quotes none.
        status: The enhanced status (RFC 3463), "" where it has none.
        said: The other server's answer in its own words, on one line.
        reporter: Host of the server that wrote, "" where it does not say.
    """

    reading: BounceReading
    digest: str
    code: str = ""
    kind: BounceKind = BounceKind.OTHER
    status: str = ""
    said: str = ""
    reporter: str = ""


class TakenIn(StrEnum):
    """What became of a mail to the address of bounces."""

    NEW = "new"
    KNOWN = "known"
    STRAY = "stray"
    PASSED_OVER = "passed over"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReturnedMail:
    """A mail that came back and that nobody has seen to.

    Attributes:
        said: The other server's answer, "" where it gave none.
        kept_back: Mails to the same address in the same program that wait for the cure.
    """

    mail_id: str
    to: str
    subject: str
    kind: BounceKind
    said: str
    at: datetime
    kept_back: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class StrayBounces:
    """Reports that fit none of our mails, or that could not be read.

    Attributes:
        reporters: The servers that wrote most of them, with how many.
    """

    count: int
    last_at: datetime | None
    reporters: tuple[tuple[str, int], ...] = ()


_STATUS = re.compile(r"(?<![\d.])([245])\.(\d{1,3})\.(\d{1,3})(?![\d.])")
_NO_ADDRESS = frozenset({"1.1", "1.2", "1.3", "1.6", "1.10", "2.1", "4.4", "4.310"})
_FULL = frozenset({"2.2", "3.1"})
_UNREACHED = frozenset({"4.1", "4.2", "4.3", "4.5", "4.6", "4.7"})
_BY_WORDS = (
    # Our own server's refusal to pass mail on says nothing of the address, so it comes first.
    (
        BounceKind.REFUSED,
        r"relay|spam|block|blacklist|reputation|policy|dmarc|\bspf\b|virus|too many",
    ),
    (
        BounceKind.FULL,
        r"quota|mailbox (?:is )?full|insufficient (?:system )?storage|out of storage",
    ),
    (
        BounceKind.ADDRESS,
        (
            r"user unknown|unknown user|no such (?:user|mailbox|recipient|address|person)|"
            r"(?:does not|doesn't|n't) exist|unknown (?:recipient|address|mailbox|local)|"
            r"(?:recipient|user|mailbox|address|account)[^.]{0,40} (?:not found|unknown|disabled|"
            r"inactive|unavailable|rejected)|invalid (?:recipient|mailbox|address)|"
            r"host (?:or domain name )?not found|unrouteable address|no mailbox|unbekannt"
        ),
    ),
    (BounceKind.UNREACHED, r"timed? ?out|connection refused|unreachable|expired|retry"),
)


def status_in(text: str, *, otherwise: str = "") -> str:
    """Return the most telling enhanced status in a text: "5.1.1" before "5.0.0"."""
    found = [match[0] for match in _STATUS.finditer(text)]
    telling = [one for one in found if not one.endswith(".0.0")]
    return next(iter(telling or found), otherwise)


def kind_of(status: str, said: str) -> BounceKind:
    """Tell why a mail came back, by the enhanced status and else by the server's words."""
    words = said.casefold()
    _, _, detail = status.partition(".")
    if detail == "4.1" and "recipient address rejected" in words:
        return BounceKind.ADDRESS  # how Exchange Online answers for an address it does not know
    if detail in _NO_ADDRESS and status.startswith("5"):
        return BounceKind.ADDRESS
    if detail in _FULL:
        return BounceKind.FULL
    if detail.startswith("7.") or detail in {"1.7", "1.8"}:
        return BounceKind.REFUSED
    if detail in _UNREACHED or status.startswith("4"):
        return BounceKind.UNREACHED
    found = (kind for kind, pattern in _BY_WORDS if re.search(pattern, words))
    return next(found, BounceKind.OTHER)
