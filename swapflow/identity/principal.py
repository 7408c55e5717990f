"""Whoever asks, and whether they may."""

from dataclasses import dataclass
from datetime import datetime

from swapflow.errors import ForbiddenError, NotFoundError
from swapflow.identity.account import Account, Method
from swapflow.identity.permissions import SCOPES, Grant, Right, rights_anywhere, rights_in


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """Whoever asks: an account, what it may do, and where it sits as a reviewer.

    Attributes:
        session: Digest of the session, "" for a program with a key.
        method: How the session was begun; None for a program.
        since: When it was begun; None for a program.
        scopes: None for a person; for a program, what its key may do.
        seats: (cycle, reviewer number) of the account's active roster entries.
    """

    account: Account
    session: str
    grants: tuple[Grant, ...]
    seats: tuple[tuple[str, int], ...]
    scopes: frozenset[str] | None = None
    method: Method | None = None
    since: datetime | None = None

    @property
    def name(self) -> str:
        """The name under which acts stand in the record."""
        return self.account.email

    def rights(
        self, *, cycle_id: str | None = None, round_id: str | None = None
    ) -> frozenset[Right]:
        """Give what this visitor may do in a cycle of a round, or in the office."""
        return self._within(rights_in(self.grants, cycle_id=cycle_id, round_id=round_id))

    @property
    def rights_anywhere(self) -> frozenset[Right]:
        """What this visitor may do somewhere: decides which places the navigation shows."""
        return self._within(rights_anywhere(self.grants))

    def _within(self, rights: frozenset[Right]) -> frozenset[Right]:
        """Give the smaller of an account's rights and its key's."""
        if self.scopes is None:
            return rights
        return rights & frozenset(right for scope in self.scopes for right in SCOPES[scope])

    def reviews_in(self, cycle_id: str) -> int | None:
        """Give the visitor's reviewer number in a cycle; None without a seat."""
        return next((number for cycle, number in self.seats if cycle == cycle_id), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class UserAccount:
    """An account and what it may do where."""

    account: Account
    grants: tuple[Grant, ...]


def require(
    principal: Principal, right: Right, *, cycle_id: str | None, round_id: str | None
) -> None:
    """Refuse whoever lacks a right in a cycle.

    Raises:
        NotFoundError: If the visitor has no right at all there: that it exists is not told.
        ForbiddenError: If the visitor has other rights there.
    """
    held = principal.rights(cycle_id=cycle_id, round_id=round_id)
    if right in held:
        return
    if cycle_id is not None and not held:
        raise NotFoundError(f"there is no program {cycle_id!r} that you may see")
    raise ForbiddenError(
        f"you may not {right.value} here; an administrator can give you a role that may"
    )
