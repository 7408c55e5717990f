"""What was shown is what is confirmed: the guard of every act that rests on a page.

An act is worked out outside the lock, since that can take seconds, and compared with the digest
that the person was shown. It is written only if everything that it was worked out from is the same
under the lock: the last event, and what no event covers. Otherwise it is worked out and compared
anew, so an event that changes nothing of what was shown refuses nobody, and one that does is
never confirmed unseen.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Protocol, TypeVar

from swapflow.domain.cohort.announcement import Announcement, Group, told
from swapflow.domain.cycle import Position
from swapflow.domain.people.application import Application
from swapflow.domain.seal import Seal
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.records import PreparedDecision
from swapflow.engine.ports.writes.transaction import Transaction
from swapflow.errors import ConflictError
from swapflow.messages import Message


TRIES = 5
"""How often an act is worked out again when something was recorded meanwhile."""


class Sealed(Protocol):
    """An act that was worked out, with the seal of what a person is shown of it."""

    @property
    def seal(self) -> Seal:
        """The digest of what is confirmed."""
        ...


class Beside(Enum):
    """What an act can rest on and no event covers."""

    PREPARED = auto()
    PEOPLE = auto()
    TOLD = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Basis:
    """What an act was worked out from; equal as long as nothing of it has changed.

    Attributes:
        position: The last event.
        rules_version: The rules in force; before a launch no event tells of others.
        name: The program's name, which letters mention.
        prepared: The prepared decision and its signatures, if the act rests on them.
        people: Names and addresses of the applicants, if the act rests on them.
        told: What each applicant was told last: announcement, group and offer by application, if
            the act rests on it.
    """

    position: Position
    rules_version: int
    name: str
    prepared: PreparedDecision | None
    people: tuple[Application, ...]
    told: Mapping[int, tuple[int, Group, int | None]]


W = TypeVar("W", bound=Sealed)
R = TypeVar("R")


def confirm(
    cycle_id: str,
    work: Callable[[], W],
    write: Callable[[Transaction, W], R],
    *,
    shown: str = "",
    beside: Collection[Beside] = (),
    ledger: Ledger,
) -> R:
    """Work an act out, compare it with what was shown, and write it if nothing has changed.

    Args:
        cycle_id: The cycle.
        work: Works the act out and writes nothing; called again whenever something was recorded
            meanwhile.
        write: Writes what was worked out, within the transaction.
        shown: Digest of what the person was shown; "" if nothing was shown.
        beside: What the act rests on beside the events.
        ledger: The ledger.

    Returns:
        What `write` returns.

    Raises:
        ConflictError: If the act differs from what was shown, or others record again and again.
            Nothing is written.
    """
    for _ in range(TRIES):
        # Read first: whatever comes while the act is worked out differs from it under the lock.
        basis = _basis(cycle_id, beside, ledger=ledger)
        worked = work()
        # Outside the lock, so that a refusal keeps nobody waiting.
        check_shown(worked.seal, shown)
        with ledger.write(cycle_id) as tx:
            if unchanged(tx, basis, beside):
                return write(tx, worked)
            # Otherwise the transaction ends without a write, and the act is worked out anew.
    raise ConflictError("recorded_meanwhile")


def check_shown(now: Seal, shown: str, *, code: str = "changed_since_shown") -> None:
    """Raise if something else was shown than is confirmed now.

    Args:
        now: The seal of what would be written.
        shown: Digest of what the person was shown; "" if nothing was shown.
        code: The code of the refusal.

    Raises:
        ConflictError: If they differ; the message names the parts that do.
    """
    if shown and not now.agrees(shown):
        raise ConflictError(code, changed=named(now.differing(shown)))


def named(parts: Collection[str]) -> list[Message]:
    """Return the parts of a seal in words."""
    return [Message(f"part_{part}") for part in parts or ("unknown",)]


def unchanged(tx: Transaction, basis: Basis, beside: Collection[Beside]) -> bool:
    """Whether everything that an act was worked out from is the same under the lock."""
    cycle = tx.cycle
    return basis == Basis(
        position=cycle.position,
        rules_version=cycle.rules_version,
        name=cycle.name,
        prepared=tx.prepared() if Beside.PREPARED in beside else None,
        people=tx.applications() if Beside.PEOPLE in beside else (),
        told=_told(tx.announcements()) if Beside.TOLD in beside else {},
    )


def _basis(cycle_id: str, beside: Collection[Beside], *, ledger: Ledger) -> Basis:
    with ledger.one_moment():
        cycle = ledger.cycle(cycle_id)
        return Basis(
            position=cycle.position,
            rules_version=cycle.rules_version,
            name=cycle.name,
            prepared=ledger.prepared(cycle_id) if Beside.PREPARED in beside else None,
            people=ledger.applications(cycle_id) if Beside.PEOPLE in beside else (),
            told=_told(ledger.announcements(cycle_id)) if Beside.TOLD in beside else {},
        )


def _told(
    announcements: tuple[Announcement, ...],
) -> Mapping[int, tuple[int, Group, int | None]]:
    """Return what letters tell; on their way they change their state, and not what they tell."""
    return {
        number: (announcement.id, letter.group, letter.offer)
        for number, (announcement, letter) in told(announcements).items()
    }
