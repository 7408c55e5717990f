"""Erased people who come back with a list: their rows are held until a person confirms them.

Of an erased person only keyed digests are kept, of the office's id and of the mail address. A row
is held where one of them fits and the person is not in the program already: the id in this
program, the address in every program of the round. The other rows of the list come in.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Protocol, TypeVar

from swapflow.domain.cycle import Cycle
from swapflow.domain.erased_person import (
    ErasedAs,
    RememberedErasure,
    digests_of,
    key_name,
)
from swapflow.domain.ids import same_id
from swapflow.engine.ports.erased_people import ErasureKeys
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.writes.transaction import Transaction
from swapflow.errors import InvalidInputError


class ListedRow(Protocol):
    """A row of a list, or a person of the program."""

    @property
    def external_id(self) -> str:
        """The office's id."""
        ...

    @property
    def name(self) -> str:
        """The name; "" if the list has none."""
        ...

    @property
    def email(self) -> str:
        """The mail address; "" if the list has none."""
        ...


Row = TypeVar("Row", bound=ListedRow)


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasedRow:
    """A row of a list about a person who was erased.

    Attributes:
        external_id: The row's id, by which it is confirmed.
        name: The row's name; "" if the list has none.
        email: The row's mail address; "" if the list has none.
        same: What it shares with the erased person: "id", "mail address" or both.
        program: The program that the person was erased from.
        day: When, in UTC.
        confirmed: Whether it comes in all the same; else it is held.
        erasures: The ids of the erasures that it fits.
    """

    external_id: str
    name: str
    email: str
    same: tuple[str, ...]
    program: str
    day: date
    confirmed: bool
    erasures: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasedInList:
    """What a list has of erased people.

    Attributes:
        rows: Their rows, in the order of the list.
        unknown: How many people were erased from the program whom no list can be compared with:
            before erasures were remembered, or under a key that is not here.
    """

    rows: tuple[ErasedRow, ...] = ()
    unknown: int = 0

    @property
    def held(self) -> tuple[ErasedRow, ...]:
        """The rows that stay out."""
        return tuple(row for row in self.rows if not row.confirmed)

    @property
    def back(self) -> tuple[ErasedRow, ...]:
        """The rows that a person confirmed."""
        return tuple(row for row in self.rows if row.confirmed)


NOBODY_HELD = ErasedInList()


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasedPeople:
    """The erasures that the rows of a list are compared with.

    Attributes:
        key: The round's key; None if it is not here.
        by_digest: The erasures by the digests of id and address, without those who are back in
            the program. Who was confirmed in one program is held in the others all the same.
        unknown: As of `ErasedInList`.
    """

    erased_as: ErasedAs
    cycle_id: str
    key: bytes | None
    by_digest: Mapping[str, Sequence[RememberedErasure]]
    unknown: int

    @classmethod
    def of(
        cls,
        erasures: Collection[RememberedErasure],
        erased_as: ErasedAs,
        cycle: Cycle,
        *,
        erased_here: int,
        keys: ErasureKeys,
    ) -> "ErasedPeople":
        """Return those that a list of this cycle is compared with.

        Args:
            erasures: The erasures of the round.
            erased_as: Whether the list is one of applicants or of reviewers.
            cycle: The cycle.
            erased_here: How many of them were ever erased from it.
            keys: Supplies the round's key.
        """
        # Most rounds erase nobody, and then no key is looked for.
        key = keys.find(cycle.round_id) if erasures else None
        own = key_name(key) if key else ""
        known = [one for one in erasures if one.key_id == own and one.erased_as is erased_as]
        by_digest: dict[str, list[RememberedErasure]] = {}
        for one in known:
            if one.is_back and one.cycle_id == cycle.id:
                continue
            for digest in filter(None, (one.digests.of_id, one.digests.of_address)):
                by_digest.setdefault(digest, []).append(one)
        return cls(
            erased_as=erased_as,
            cycle_id=cycle.id,
            key=key,
            by_digest=by_digest,
            unknown=max(0, erased_here - sum(one.cycle_id == cycle.id for one in known)),
        )

    def split(
        self,
        rows: Sequence[Row],
        present: Callable[[str], ListedRow | None],
        again: Collection[str],
    ) -> tuple[tuple[Row, ...], ErasedInList]:
        """Return the rows that may come in, and what becomes of the others.

        Args:
            rows: The list.
            present: Finds a person of the program by the id of a row.
            again: Ids of rows that a person confirmed.

        Raises:
            InvalidInputError: If an id is confirmed that the list does not have.
        """
        confirmed = {same_id(one): one for one in again}
        if unlisted := confirmed.keys() - {same_id(row.external_id) for row in rows}:
            raise InvalidInputError("erased_not_in_list", name=confirmed[min(unlisted)])
        if self.key is None or not self.by_digest:
            return tuple(rows), ErasedInList(unknown=self.unknown)
        taken: list[Row] = []
        erased: list[ErasedRow] = []
        for row in rows:
            fits = self._fits(row, present(row.external_id), self.key)
            if fits:
                erased.append(
                    _erased_row(row, fits, confirmed=same_id(row.external_id) in confirmed)
                )
            if not fits or erased[-1].confirmed:
                taken.append(row)
        return tuple(taken), ErasedInList(rows=tuple(erased), unknown=self.unknown)

    def _fits(
        self, row: ListedRow, there: ListedRow | None, key: bytes
    ) -> dict[str, Sequence[RememberedErasure]]:
        """Return the erasures that a row fits, by what it shares with them."""
        digests = digests_of(self.erased_as, self.cycle_id, row.external_id, row.email, key=key)
        # Who is in the program is known by id; another person's address may come to them all the
        # same.
        is_known_address = there is not None and same_id(there.email) == same_id(row.email)
        found = {
            "id": () if there else self.by_digest.get(digests.of_id, ()),
            "mail address": () if is_known_address else self.by_digest.get(digests.of_address, ()),
        }
        return {what: erasures for what, erasures in found.items() if erasures}


def _erased_row(
    row: ListedRow, fits: Mapping[str, Sequence[RememberedErasure]], *, confirmed: bool
) -> ErasedRow:
    erasures = {one.id: one for found in fits.values() for one in found}
    last = max(erasures.values(), key=lambda one: one.day)
    return ErasedRow(
        external_id=row.external_id,
        name=row.name,
        email=row.email,
        same=tuple(fits),
        program=last.cycle_id,
        day=last.day,
        confirmed=confirmed,
        erasures=tuple(erasures),
    )


def remember_erased(
    tx: Transaction, erased_as: ErasedAs, external_id: str, email: str, *, keys: ErasureKeys
) -> None:
    """Keep the digests of a person who is about to be erased.

    Raises:
        UnavailableError: If the round's key can be neither read nor made.
    """
    key = keys.make(tx.cycle.round_id)
    digests = digests_of(erased_as, tx.cycle.id, external_id, email, key=key)
    tx.remember_erasure(erased_as, digests, key_id=key_name(key))


def let_in_again(
    tx: Transaction, erased: ErasedInList, subject: Callable[[str], str], *, by: str
) -> None:
    """Note who confirmed rows of erased people, and hold these no more in this program.

    Args:
        tx: The transaction, after the rows came in.
        erased: What the list has of erased people.
        subject: Names the person of a row in a note, by the row's id.
        by: Who confirmed.
    """
    if erased.back:
        tx.end_holding([one for row in erased.back for one in row.erasures])
    for row in erased.back:
        tx.note(subject=subject(row.external_id), by=by, text="confirmed: was erased before")


def forget_erasures(round_id: str, *, ledger: Ledger, keys: ErasureKeys) -> int:
    """Delete a round's key and its digests; no list is compared with its erasures any more.

    Returns:
        How many erasures were forgotten.
    """
    # The key first: without it the digests say nothing, should they stay.
    keys.forget(round_id)
    return ledger.forget_erasures(round_id)
