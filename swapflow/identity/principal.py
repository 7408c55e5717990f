"""The principal of a request, and checks of its permissions."""

from dataclasses import dataclass
from datetime import datetime

from swapflow.errors import ForbiddenError, NotFoundError
from swapflow.identity.account import Account, Method
from swapflow.identity.permissions import SCOPES, Grant, Right, rights_anywhere, rights_in


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """The account that asks: its permissions, and its seats as a reviewer.

    Attributes:
        session: Digest of the session, "" for an API client with a key.
        method: How the session was begun; None for an API client.
        since: When it was begun; None for an API client.
        scopes: None for a person; the key's scopes for an API client.
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
        """The name of the principal in the record."""
        return self.account.email

    def rights(
        self,
        *,
        cycle_id: str | None = None,
        round_id: str | None = None,
        unit_id: str | None = None,
    ) -> frozenset[Right]:
        """Return the principal's permissions in a cycle or unit of a round, or in the office."""
        return self._within(
            rights_in(self.grants, cycle_id=cycle_id, round_id=round_id, unit_id=unit_id)
        )

    @property
    def rights_anywhere(self) -> frozenset[Right]:
        """The principal's permissions anywhere: they decide which pages the navigation shows."""
        return self._within(rights_anywhere(self.grants))

    def _within(self, rights: frozenset[Right]) -> frozenset[Right]:
        """Return the permissions that both account and key have."""
        if self.scopes is None:
            return rights
        return rights & frozenset(right for scope in self.scopes for right in SCOPES[scope])

    def reviews_in(self, cycle_id: str) -> int | None:
        """Return the principal's reviewer number in a cycle; None without a seat."""
        return next((number for cycle, number in self.seats if cycle == cycle_id), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class UserAccount:
    """An account with its grants."""

    account: Account
    grants: tuple[Grant, ...]


def require(
    principal: Principal,
    right: Right,
    *,
    cycle_id: str | None,
    round_id: str | None,
    unit_id: str | None = None,
) -> None:
    """Raise if the principal lacks a permission in a cycle, a unit, a round or the office.

    Raises:
        NotFoundError: If the principal has no permission there at all: its existence is not
            disclosed.
        ForbiddenError: If the principal has other permissions there.
    """
    held = principal.rights(cycle_id=cycle_id, round_id=round_id, unit_id=unit_id)
    if right in held:
        return
    # The same answer as for a program that is not there: ids must not be found by trying.
    if cycle_id is not None and not held:
        raise NotFoundError("program_not_visible", program=cycle_id)
    raise ForbiddenError("permission_missing", permission=right.message)
