"""What the office needs from outside for groups of an identity provider."""

from collections.abc import Collection
from typing import Protocol

from swapflow.identity.groups import ClaimState, GroupMember, GroupRole, SeenClaim


class GroupStore(Protocol):
    """The durable record of what groups give, and of who was stated to be in them.

    Grants by groups are worked out where grants are read, so that neither can be ahead of the
    other. Every method is one transaction of its own.
    """

    def group_roles(self) -> tuple[GroupRole, ...]:
        """Read the roles of all groups, by group and place."""
        ...

    def add_group_role(self, role: GroupRole, *, by: str) -> bool:
        """Store a role of a group; False when it is there already.

        Raises NotFoundError where the unit of one on a unit is gone.
        """
        ...

    def remove_group_role(self, role: GroupRole) -> bool:
        """Remove a role of a group, and forget who is in a group without one; False for none."""
        ...

    def group_members(self) -> tuple[GroupMember, ...]:
        """Read who was stated to be in groups that give a role."""
        ...

    def see_groups(
        self, account_id: str, names: Collection[str]
    ) -> tuple[frozenset[str], frozenset[str]]:
        """Store which groups with a role an account is in; return those before and after."""
        ...

    def note_claim(self, account_id: str, state: ClaimState) -> None:
        """Store what the provider said of an account's groups just now."""
        ...

    def seen_claims(self) -> tuple[SeenClaim, ...]:
        """Read what the provider said last, the newest first."""
        ...
