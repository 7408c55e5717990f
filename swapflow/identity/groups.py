"""Groups that an identity provider states of a person, and the roles that they give."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

from swapflow.domain.seal import revision
from swapflow.errors import InvalidInputError
from swapflow.identity.account import Account
from swapflow.identity.permissions import Grant, Role, Scope


GROUPS_HOLD = timedelta(days=30)
"""How long groups count after the sign-in that stated them: as long as a device stays signed in.

Without an end, a person who left would keep the role by mailed links or a key.
"""

LONGEST_GROUP = 255
"""Characters of a group's name; a distinguished name of a directory has about a hundred."""

MOST_GROUPS = 2000
"""Values of one claim that are read; directories send 150 to 200 before they send none."""


class ClaimState(StrEnum):
    """What a provider said of a person's groups at a sign-in.

    Only STATED changes roles: an empty list takes them away, and a list that was not sent says
    nothing of the person.
    """

    STATED = "stated"
    MISSING = "missing"
    UNREADABLE = "unreadable"
    TOO_MANY = "too_many"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedGroups:
    """The groups of a person as the provider states them.

    Attributes:
        names: Empty unless the state is STATED.
    """

    state: ClaimState
    names: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupRole:
    """A role that every member of a group has in a place.

    Attributes:
        group: The value in the claim, letter by letter.
        scope_id: Id of the round, unit or cycle; "" for the office.
    """

    group: str
    role: Role
    scope: Scope
    scope_id: str = ""

    @property
    def makes_administrators(self) -> bool:
        """Whether it gives the right to manage people, anywhere."""
        return self.role is Role.ADMINISTRATOR

    def __str__(self) -> str:
        return f"{self.role.value}, {f'{self.scope.value} {self.scope_id}'.strip()}"


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupMember:
    """An account that a provider stated to be in a group that gives a role."""

    account_id: str
    group: str
    seen_at: datetime

    @property
    def until(self) -> datetime:
        """When the group counts no longer, unless it is stated again."""
        return self.seen_at + GROUPS_HOLD


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenClaim:
    """What the provider said of an account's groups at its latest sign-in there."""

    account_id: str
    at: datetime
    state: ClaimState


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupEffect:
    """The people whose roles would change with a role of a group.

    Attributes:
        people: Known members who would gain or lose it, by address; those who hold it by hand or
            by another group as well are not among them.
        known: Whether the group's members have been noted: those of a group that gives no role
            yet are not, so its people are found at their next sign-in.
    """

    role: GroupRole
    people: tuple[Account, ...]
    known: bool

    @property
    def seen(self) -> str:
        """The revision of what was shown."""
        return revision(str(self.role), self.role.group, [one.id for one in self.people])


def effect_of(
    wanted: GroupRole,
    *,
    accounts: tuple[Account, ...],
    grants: tuple[Grant, ...],
    members: tuple[GroupMember, ...],
    roles: tuple[GroupRole, ...],
    now: datetime,
) -> GroupEffect:
    """Work out who gains a role of a group, or loses it where the group gives it already.

    Who was stated to be in a group too long ago neither gains a role by it nor has one to lose.
    """
    counting = [one for one in members if one.until > now]
    inside = {one.account_id for one in counting if one.group == wanted.group}
    alike = {one.group for one in roles if replace(one, group=wanted.group) == wanted}
    others = {one.account_id for one in counting if one.group in alike - {wanted.group}}
    by_hand = {
        grant.account
        for grant in grants
        if grant.by_hand
        and (grant.role, grant.scope, grant.scope_id)
        == (wanted.role, wanted.scope, wanted.scope_id)
    }
    return GroupEffect(
        role=wanted,
        people=tuple(
            one for one in accounts if one.active and one.id in inside - others - by_hand
        ),
        known=any(role.group == wanted.group for role in roles),
    )


def read_groups(stated: Mapping[str, object], claim: str) -> ClaimedGroups:
    """Read the groups that a provider states under a claim.

    One text is one group; it is not split, because names of groups hold commas and spaces.
    """
    elsewhere = stated.get("_claim_names")
    # Entra ID sends a pointer in place of a list that is too long, or only that there is one.
    if (isinstance(elsewhere, Mapping) and claim in elsewhere) or stated.get("hasgroups") in (
        True,
        "true",
    ):
        return ClaimedGroups(state=ClaimState.TOO_MANY)
    value = stated.get(claim)
    if value is None:
        return ClaimedGroups(state=ClaimState.MISSING)
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, list) or not all(isinstance(one, str) for one in values):
        return ClaimedGroups(state=ClaimState.UNREADABLE)
    if len(values) > MOST_GROUPS:
        return ClaimedGroups(state=ClaimState.TOO_MANY)
    names = frozenset(one.strip() for one in values)
    return ClaimedGroups(state=ClaimState.STATED, names=names - {""})


def check_group(name: str) -> str:
    """Return the name of a group as it is stored.

    Raises:
        InvalidInputError: If it is empty, too long, or has control characters.
    """
    plain = name.strip()
    if not plain or len(plain) > LONGEST_GROUP or not plain.isprintable():
        raise InvalidInputError("group_name_out_of_range", longest=LONGEST_GROUP)
    return plain
