"""Units of the office's rounds: made, renamed, removed; programs moved between them."""

from dataclasses import dataclass
from typing import TypeAlias

from swapflow.domain.cycle import Cycle
from swapflow.domain.ids import CYCLE_ID, derived_id
from swapflow.errors import ConflictError, InvalidInputError, NotFoundError
from swapflow.identity.account import Account
from swapflow.identity.permissions import Right, Role, Scope
from swapflow.identity.principal import Principal, UserAccount, require
from swapflow.identity.services.context import IdentityContext
from swapflow.identity.services.users import UserService
from swapflow.identity.unit_rights import (
    ProgramMove,
    check_gives,
    check_move,
    check_unit,
    move_of,
)
from swapflow.identity.units import LONGEST_UNIT_NAME, MOST_LEVELS, Unit, UnitMap


Actor: TypeAlias = Principal | str
"""Who acts: a principal, whose rights are checked, or the name given with a command.

Who runs commands on the machine has its database, and so every right.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitService:
    """Units, the roles given in them, and which program belongs to which.

    Each change is one line in the audit log, with the name of who made it.
    """

    context: IdentityContext
    users: UserService

    def all(self) -> UnitMap:
        """Read all units, and where programs belong."""
        return self.context.ledger.units()

    def get(self, unit_id: str) -> Unit:
        """Read a unit.

        Raises:
            NotFoundError: If there is none.
        """
        return _known(self.all(), unit_id)

    def add(
        self, name: str, *, round_id: str, parent_id: str | None, by: Actor, unit_id: str = ""
    ) -> Unit:
        """Make a unit in a round, or within another unit.

        Args:
            name: As it is shown.
            round_id: The round.
            parent_id: The unit above; None for one directly in the round.
            by: Who makes it; they manage people in the round, or in the unit above.
            unit_id: Derived from the name when empty.

        Raises:
            InvalidInputError: If name or id cannot be used, or too many units are above.
            NotFoundError: If there is no such round, or it has no such unit above.
        """
        known = self.all()
        if isinstance(by, Principal):
            if parent_id is None:
                require(by, Right.MANAGE_USERS, cycle_id=None, round_id=round_id)
            else:
                check_unit(by, Right.MANAGE_USERS, _known(known, parent_id))
        if parent_id is not None and len(known.line(parent_id)) >= MOST_LEVELS:
            raise InvalidInputError("unit_too_deep", most=MOST_LEVELS)
        made = Unit(
            id=unit_id or derived_id(_plain(name), known.units.keys(), otherwise="unit"),
            round_id=round_id,
            parent_id=parent_id,
            name=_plain(name),
        )
        if not CYCLE_ID.fullmatch(made.id):
            raise InvalidInputError("name_not_allowed", name=made.id, noun="unit")
        self.context.ledger.add_unit(made)
        above = known.name(parent_id or "")
        self._record(by, "made a unit", made.id, f"{made.name}, in {above or round_id}")
        return made

    def rename(self, unit_id: str, name: str, *, by: Actor, shown: str | None = None) -> Unit:
        """Rename a unit; its id stays.

        Args:
            unit_id: The unit.
            name: The name.
            by: Who renames it.
            shown: The name that they saw; None where none was shown.

        Raises:
            InvalidInputError: If the name cannot be used.
            NotFoundError: If there is no such unit.
            ConflictError: If it has another name by now than the one that was shown.
        """
        known = self._managed(unit_id, by)
        before = known.name if shown is None else shown
        self.context.ledger.rename_unit(unit_id, _plain(name), before=before)
        self._record(by, "renamed a unit", unit_id, f"from {before} to {_plain(name)}")
        return self.get(unit_id)

    def remove(self, unit_id: str, *, by: Actor) -> None:
        """Remove a unit in which there is nothing any more: no program, no unit, no role.

        Raises:
            NotFoundError: If there is no such unit.
            ConflictError: If something is in it.
        """
        gone = self._managed(unit_id, by)
        self.context.ledger.remove_unit(unit_id)
        self._record(by, "removed a unit", unit_id, gone.name)

    def people(self, unit_id: str) -> tuple[UserAccount, ...]:
        """List the accounts with a role in a unit or in a program of it, by address.

        Each has those of its grants alone; programs of units within it belong to these.
        """
        known = self.all()
        here = {(Scope.UNIT, unit_id)} | {
            (Scope.CYCLE, cycle) for cycle, unit in known.places.items() if unit == unit_id
        }
        found = []
        for user in self.users.list():
            given = tuple(g for g in user.grants if (g.scope, g.scope_id) in here)
            if given:
                found.append(UserAccount(account=user.account, grants=given))
        return tuple(found)

    def give(
        self, account: Account, role: Role, scope: Scope, scope_id: str, *, unit_id: str, by: Actor
    ) -> None:
        """Grant an account a role in a unit, in one within it or in a program of these.

        Raises:
            NotFoundError: If that place is not within the unit.
            ForbiddenError: If the role has permissions that the one who gives it lacks there.
        """
        self._check_gives(role, scope, scope_id, unit_id=unit_id, by=by)
        self.users.grant(account, role, scope, scope_id, by=_name(by))

    def give_to(
        self,
        email: str,
        role: Role,
        scope: Scope,
        scope_id: str,
        *,
        unit_id: str,
        by: Principal,
        site: str,
        name: str = "",
    ) -> bool:
        """Grant a role to the owner of an address; one without an account is invited.

        Returns:
            Whether an account was made, and its owner mailed a first sign-in link.

        Raises:
            InvalidInputError: If the address cannot be used, or its account is closed.
            NotFoundError: If that place is not within the unit.
            ForbiddenError: If the role has permissions that the one who gives it lacks there.
        """
        # Before the account is made, which would stay without a role.
        self._check_gives(role, scope, scope_id, unit_id=unit_id, by=by)
        account = self.context.ledger.account_of(email)
        is_new = account is None
        if account is None:
            account = self.users.invite(email, name=name, by=by.name, site=site)
        elif not account.active:
            raise InvalidInputError("account_closed_ask_office", email=account.email)
        self.users.grant(account, role, scope, scope_id, by=by.name)
        return is_new

    def take(
        self, account: Account, role: Role, scope: Scope, scope_id: str, *, unit_id: str, by: Actor
    ) -> None:
        """Take a role away there; only one that the same person could give.

        Raises:
            NotFoundError: If that place is not within the unit, or the account lacks the role.
            ForbiddenError: If the role has permissions that the one who takes it lacks there.
        """
        self._check_gives(role, scope, scope_id, unit_id=unit_id, by=by)
        self.users.revoke(account, role, scope, scope_id, by=_name(by))

    def move(self, cycle: Cycle, unit_id: str | None) -> ProgramMove:
        """Work out what it would mean for a program to belong to a unit, or to none.

        Raises:
            NotFoundError: If the program's round has no such unit.
        """
        known = self.all()
        if unit_id is not None and _known(known, unit_id).round_id != cycle.round_id:
            raise NotFoundError("unit_not_found", unit=unit_id)
        return move_of(
            cycle, before=known.places.get(cycle.id), after=unit_id, users=self.users.list()
        )

    def has_right(self, account: Account, right: Right, cycle: Cycle) -> bool:
        """Whether an account has a right in a program as grants and units are now."""
        rights = self.context.principal_of(account).rights(
            cycle_id=cycle.id, round_id=cycle.round_id
        )
        return right in rights

    def place(self, move: ProgramMove, *, by: Actor) -> None:
        """Move a program, as it was worked out.

        Raises:
            ForbiddenError: If the principal may not.
            ConflictError: If it belongs to another unit by now than the move says.
        """
        if isinstance(by, Principal):
            check_move(by, move)
        if move.before == move.after:
            return
        known = self.all()
        # A move that was shown is the move that is made; the program may have moved since.
        if known.places.get(move.cycle.id) != move.before:
            raise ConflictError("program_moved_meanwhile", program=move.cycle.id)
        self.context.ledger.place_program(move.cycle.id, move.after, before=move.before)
        names = [known.name(one or "") or "no unit" for one in (move.before, move.after)]
        self._record(
            by,
            "moved the program",
            move.cycle.id,
            f"from {names[0]} to {names[1]}; people whose rights change: {len(move.changed)}",
            cycle_id=move.cycle.id,
        )

    def _managed(self, unit_id: str, by: Actor) -> Unit:
        unit = self.get(unit_id)
        if isinstance(by, Principal):
            check_unit(by, Right.MANAGE_USERS, unit)
        return unit

    def _check_gives(
        self, role: Role, scope: Scope, scope_id: str, *, unit_id: str, by: Actor
    ) -> None:
        known = self.all()
        inside = _known(known, unit_id)
        if isinstance(by, Principal):
            check_gives(by, role, scope, scope_id, inside=inside, units=known)

    def _record(
        self, by: Actor, what: str, about: str, detail: str, *, cycle_id: str | None = None
    ) -> None:
        self.context.record(_name(by), what, cycle_id=cycle_id, about=about, detail=detail)


def _name(by: Actor) -> str:
    return by.name if isinstance(by, Principal) else by


def _known(units: UnitMap, unit_id: str) -> Unit:
    if unit_id not in units.units:
        raise NotFoundError("unit_not_found", unit=unit_id)
    return units.units[unit_id]


def _plain(name: str) -> str:
    """Return a name as it is stored.

    Raises:
        InvalidInputError: If it is empty, too long, or holds control characters.
    """
    plain = " ".join(name.split())
    if not plain or len(plain) > LONGEST_UNIT_NAME or not plain.isprintable():
        raise InvalidInputError("unit_name_out_of_range", longest=LONGEST_UNIT_NAME)
    return plain
