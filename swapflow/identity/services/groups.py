"""Roles by groups of an identity provider: what groups give, and sign-ins that state them."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from swapflow.errors import ConflictError, ForbiddenError, InvalidInputError, NotFoundError
from swapflow.identity.account import Account
from swapflow.identity.groups import (
    ClaimedGroups,
    ClaimState,
    GroupEffect,
    GroupRole,
    SeenClaim,
    check_group,
    effect_of,
)
from swapflow.identity.permissions import Scope
from swapflow.identity.services.context import IdentityContext
from swapflow.identity.services.one_time_links import match_provider


@dataclass(frozen=True, slots=True, kw_only=True)
class UnstatedGroups:
    """A person whose groups the provider did not state at the latest sign-in there."""

    account: Account
    claim: SeenClaim


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupService:
    """Roles by groups, and sign-ins that state them."""

    context: IdentityContext

    def roles(self) -> tuple[GroupRole, ...]:
        """List the roles that groups give, by group."""
        return self.context.ledger.group_roles()

    def members(self) -> dict[str, int]:
        """Count the people who were stated to be in each group that gives a role."""
        found: dict[str, int] = {}
        for member in self.context.ledger.group_members():
            found[member.group] = found.get(member.group, 0) + 1
        return found

    def effect(self, role: GroupRole) -> GroupEffect:
        """Work out who would gain a role of a group; who would lose it, if the group gives it.

        Raises:
            InvalidInputError: If the group's name cannot be used.
        """
        plain = replace(role, group=check_group(role.group))
        ledger = self.context.ledger
        with ledger.one_moment():
            return effect_of(
                plain,
                accounts=ledger.accounts(),
                grants=ledger.grants(),
                members=ledger.group_members(),
                roles=ledger.group_roles(),
                now=ledger.now(),
            )

    def add(
        self, role: GroupRole, *, by: str, administrators: bool = False, seen: str | None = None
    ) -> GroupEffect:
        """Have a group give a role to its members, those who are known at once.

        Args:
            role: The group, the role and its place.
            by: Who decides it.
            administrators: Whether the group is meant to make administrators.
            seen: `GroupEffect.seen` of what the person saw; None where nothing was shown.

        Raises:
            InvalidInputError: If the group's name cannot be used, or the role is administrator and
                that was not said.
            ConflictError: If the group gives it already, or others gain it than were shown.
        """
        if role.makes_administrators and not administrators:
            raise InvalidInputError("group_makes_administrators", group=role.group)
        effect = self._shown(role, seen)
        role = effect.role
        if not self.context.ledger.add_group_role(role, by=by):
            raise ConflictError("group_role_exists", group=role.group)
        self._record(by, "let a group give a role", role.group, role, effect.people)
        for one in effect.people:
            self._record(by, "gave a role", one.email, role)
        return effect

    def remove(self, role: GroupRole, *, by: str, seen: str | None = None) -> GroupEffect:
        """Stop a group from giving a role; those who have it by nothing else lose it at once.

        Raises:
            NotFoundError: If the group does not give it.
            ConflictError: If others lose it than were shown.
        """
        effect = self._shown(role, seen)
        role = effect.role
        if not self.context.ledger.remove_group_role(role):
            raise NotFoundError("group_role_not_found", group=role.group)
        self._record(by, "let a group give a role no more", role.group, role, effect.people)
        for one in effect.people:
            self._record(by, "took a role away", one.email, role)
        return effect

    def unstated(self) -> tuple[UnstatedGroups, ...]:
        """List those whose groups were not stated at their latest sign-in, the newest first."""
        accounts = {one.id: one for one in self.context.ledger.accounts() if one.active}
        return tuple(
            UnstatedGroups(account=accounts[claim.account_id], claim=claim)
            for claim in self.context.ledger.seen_claims()
            if claim.state is not ClaimState.STATED and claim.account_id in accounts
        )

    def account_of(
        self,
        subject: str,
        email: str,
        name: str,
        *,
        verified: bool,
        groups: ClaimedGroups | None,
    ) -> Account:
        """Find the account of a provider's user, with the roles that their groups give.

        Who is in a group that gives a role needs no invitation.

        Raises:
            ForbiddenError: If no account matches, or there are too many groups to be sent: which
                of them count is not known then.
        """
        ledger = self.context.ledger
        if groups is not None and groups.state is ClaimState.TOO_MANY:
            known = ledger.account_with_subject(subject)
            if known is not None:
                ledger.note_claim(known.id, groups.state)
            raise ForbiddenError("provider_groups_too_many")
        names = groups.names if groups else frozenset()
        invited = any(role.group in names for role in self.roles())
        account = match_provider(
            subject, email, name, verified=verified, invited=invited, ledger=ledger
        )
        if groups is not None:
            self._see(account, groups)
        return account

    def _see(self, account: Account, claimed: ClaimedGroups) -> None:
        """Make the roles by groups what the provider states; what it does not state stays.

        Each role that is gained or lost is a line in the audit log.
        """
        self.context.ledger.note_claim(account.id, claimed.state)
        if claimed.state is not ClaimState.STATED:
            return
        before, after = self.context.ledger.see_groups(account.id, claimed.names)
        if before == after:
            return
        for role in self.roles():
            if role.group in after - before:
                self._record(account.email, "gained a role", account.email, role)
            if role.group in before - after:
                self._record(account.email, "lost a role", account.email, role)

    def _shown(self, role: GroupRole, seen: str | None) -> GroupEffect:
        effect = self.effect(role)
        if seen is not None and seen != effect.seen:
            raise ConflictError("group_effect_changed", group=role.group)
        return effect

    def _record(
        self,
        by: str,
        what: str,
        about: str,
        role: GroupRole,
        people: Iterable[Account] | None = None,
    ) -> None:
        reason = (
            f"by group {role.group}"
            if people is None
            else f"people whose roles change now: {len(tuple(people))}"
        )
        self.context.record(
            by,
            what,
            cycle_id=role.scope_id if role.scope is Scope.CYCLE else None,
            about=about,
            detail=f"{role}; {reason}",
        )
