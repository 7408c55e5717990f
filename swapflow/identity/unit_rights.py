"""Who may change units, give roles within them and move programs, and what a move changes."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from swapflow.domain.cycle import Cycle
from swapflow.errors import ConflictError, ForbiddenError, NotFoundError
from swapflow.identity.permissions import RIGHTS, Grant, Right, Role, Scope, rights_in
from swapflow.identity.principal import Principal, UserAccount, require
from swapflow.identity.units import Unit, UnitMap


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedRights:
    """The permissions that a person gains and loses in a program by its move."""

    account_id: str
    name: str
    email: str
    gained: frozenset[Right]
    lost: frozenset[Right]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramMove:
    """A program's move from one unit to another, and whose rights it changes.

    Attributes:
        before: Id of the unit that it belongs to now; None for none.
        after: Id of the unit that it would belong to; None for none.
        changed: The people whose rights change, by address.
    """

    cycle: Cycle
    before: str | None
    after: str | None
    changed: tuple[ChangedRights, ...]

    def as_shown(self, before: str | None) -> "ProgramMove":
        """Return it as a move from where the program was said to be.

        Raises:
            ConflictError: If it belongs to another unit by now.
        """
        if self.before != before:
            raise ConflictError("program_moved_meanwhile", program=self.cycle.id)
        return self


def move_of(
    cycle: Cycle, *, before: str | None, after: str | None, users: Iterable[UserAccount]
) -> ProgramMove:
    """Work out what a move would change, from the grants of all active accounts."""
    changed = []
    for user in users:
        if not user.account.active:
            continue
        now = rights_in(user.grants, cycle_id=cycle.id, round_id=cycle.round_id)
        then = rights_in(
            (_moved(grant, cycle.id, after) for grant in user.grants),
            cycle_id=cycle.id,
            round_id=cycle.round_id,
        )
        if now != then:
            changed.append(
                ChangedRights(
                    account_id=user.account.id,
                    name=user.account.shown,
                    email=user.account.email,
                    gained=then - now,
                    lost=now - then,
                )
            )
    return ProgramMove(cycle=cycle, before=before, after=after, changed=tuple(changed))


def _moved(grant: Grant, cycle_id: str, after: str | None) -> Grant:
    """Return a grant as it would be after the move."""
    here = {cycle_id} if after in grant.units else set()
    return replace(grant, cycles=grant.cycles - {cycle_id} | here)


def check_unit(principal: Principal, right: Right, unit: Unit) -> None:
    """Raise if the principal lacks a permission in a unit.

    Raises:
        NotFoundError: If the principal has no permission there at all: its existence is not
            disclosed.
        ForbiddenError: If the principal has other permissions there.
    """
    if not principal.rights(round_id=unit.round_id, unit_id=unit.id):
        raise NotFoundError("unit_not_visible", unit=unit.id)
    require(principal, right, cycle_id=None, round_id=unit.round_id, unit_id=unit.id)


def givable(
    principal: Principal, *, round_id: str, unit_id: str | None, cycle_id: str | None = None
) -> tuple[Role, ...]:
    """List the roles that a principal may give and take away in a place.

    None without the right to manage people there. An administrator of the office may give each
    role; any other gives no permission that they do not have in that place themselves.
    """
    held = principal.rights(cycle_id=cycle_id, round_id=round_id, unit_id=unit_id)
    if Right.MANAGE_USERS not in held:
        return ()
    if Right.MANAGE_USERS in principal.rights():
        return tuple(Role)
    return tuple(role for role in Role if RIGHTS[role] <= held)


def check_gives(
    principal: Principal, role: Role, scope: Scope, scope_id: str, *, inside: Unit, units: UnitMap
) -> None:
    """Raise unless the principal may give or take away a role in a unit, or within it.

    Args:
        principal: Who gives it.
        role: The role.
        scope: Of a unit or of a program.
        scope_id: The unit, one within it, or a program of these.
        inside: The unit whose people are being changed.
        units: All units.

    Raises:
        NotFoundError: If that place is not within the unit.
        ForbiddenError: If the role has permissions that the principal does not have there.
    """
    unit_id = scope_id if scope is Scope.UNIT else units.places.get(scope_id, "")
    cycle_id = scope_id if scope is Scope.CYCLE else None
    known = scope in {Scope.UNIT, Scope.CYCLE} and unit_id in units.within(inside.id)
    if not known:
        raise NotFoundError("place_not_in_unit", place=scope_id, unit=inside.name)
    may_give = givable(principal, round_id=inside.round_id, unit_id=unit_id, cycle_id=cycle_id)
    if role not in may_give:
        raise ForbiddenError("role_above_own")


def check_move(principal: Principal, move: ProgramMove) -> None:
    """Raise unless the principal may move a program.

    People are managed on both sides by the one who moves: in the unit that the program leaves and
    in the one that it comes to; a program without a unit is the round's. No one gives themselves
    more rights by a move.

    Raises:
        ForbiddenError: If the principal does not manage people on both sides, or would gain.
    """
    round_id = move.cycle.round_id
    for side in (move.before, move.after):
        if Right.MANAGE_USERS not in principal.rights(round_id=round_id, unit_id=side):
            raise ForbiddenError("move_needs_both_sides")
    if Right.MANAGE_USERS in principal.rights():
        return
    own = [one for one in move.changed if one.account_id == principal.account.id]
    if any(one.gained for one in own):
        raise ForbiddenError("move_gains_own_rights")
