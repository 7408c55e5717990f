"""`swapflow groups`: roles that people have by groups of the identity provider."""

from typing import TYPE_CHECKING, Annotated

import typer

from swapflow.cli.help import CommandGroup
from swapflow.cli.operations.users import CycleScope, RoleOption, RoundScope, UnitScope, scope_of
from swapflow.cli.options import AsJson, By, office_of_deployment
from swapflow.cli.output import Listing, report
from swapflow.identity.permissions import Role


if TYPE_CHECKING:
    from swapflow.identity.groups import GroupEffect, GroupRole


app = typer.Typer(
    cls=CommandGroup,
    no_args_is_help=True,
    help="Roles by groups that the identity provider states when a person signs in.",
)

Group = Annotated[
    str, typer.Argument(metavar="GROUP", help="The group, as the provider sends it.")
]
Check = Annotated[
    bool, typer.Option("--check", help="Show whose roles would change; change nothing.")
]


@app.command("give")
def give(
    group: Group,
    role: RoleOption,
    by: By,
    in_round: RoundScope = "",
    in_unit: UnitScope = "",
    in_cycle: CycleScope = "",
    administrators: Annotated[
        bool, typer.Option("--administrators", help="Make all its members administrators.")
    ] = False,
    check: Check = False,
    as_json: AsJson = False,
) -> None:
    """Grant a role to all members of a group; those who are known have it at once."""
    office = office_of_deployment()
    wanted = _role(group, role, in_round, in_unit, in_cycle)
    if check:
        effect = office.groups.effect(wanted)
    else:
        effect = office.groups.add(wanted, by=by, administrators=administrators)
    _tell(effect, "would gain" if check else "gains", changed=not check, as_json=as_json)


@app.command("take")
def take(
    group: Group,
    role: RoleOption,
    by: By,
    in_round: RoundScope = "",
    in_unit: UnitScope = "",
    in_cycle: CycleScope = "",
    check: Check = False,
    as_json: AsJson = False,
) -> None:
    """Take a role from a group; roles that were given by hand stay."""
    office = office_of_deployment()
    given = _role(group, role, in_round, in_unit, in_cycle)
    effect = office.groups.effect(given) if check else office.groups.remove(given, by=by)
    _tell(effect, "would lose" if check else "loses", changed=not check, as_json=as_json)


@app.command("list")
def list_groups(as_json: AsJson = False) -> None:
    """List groups with their roles, and people whose groups the provider did not send."""
    office = office_of_deployment()
    members = office.groups.members()
    rows = [
        (one.group, one.role.value, one.scope.value, one.scope_id, members.get(one.group, 0))
        for one in office.groups.roles()
    ]
    unstated = [
        {
            "email": one.account.email,
            "at": one.claim.at.isoformat(),
            "state": one.claim.state.value,
        }
        for one in office.groups.unstated()
    ]
    names = ("group", "role", "scope", "where", "known members")
    keys = ("group", "role", "scope", "scope_id", "members")
    report(
        {
            "groups": [dict(zip(keys, row, strict=True)) for row in rows],
            "without_groups": unstated,
        },
        Listing(
            headers=names,
            rows=tuple((*row[:4], str(row[4])) for row in rows),
            empty="no group has a role yet: swapflow groups give GROUP ROLE",
        ),
        *(
            f"{one['email']}: groups {one['state'].replace('_', ' ')} at the latest sign-in"
            for one in unstated
        ),
        as_json=as_json,
    )


def _role(group: str, role: Role, in_round: str, in_unit: str, in_cycle: str) -> "GroupRole":
    from swapflow.identity.groups import GroupRole

    scope, scope_id = scope_of(in_round, in_unit, in_cycle)
    return GroupRole(group=group, role=role, scope=scope, scope_id=scope_id)


def _tell(effect: "GroupEffect", verb: str, *, changed: bool, as_json: bool) -> None:
    role = effect.role
    report(
        {
            "group": role.group,
            "role": role.role.value,
            "scope": role.scope.value,
            "scope_id": role.scope_id,
            "changed": changed,
            "known": effect.known,
            "people": [one.email for one in effect.people],
        },
        *(f"{one.email} {verb}: {role}" for one in effect.people),
        *(() if effect.people else (_nobody(effect),)),
        as_json=as_json,
    )


def _nobody(effect: "GroupEffect") -> str:
    """Return why no person is named."""
    if effect.known:
        return "no known person's roles change"
    return "its members are not known yet; they gain the role at their next sign-in"
