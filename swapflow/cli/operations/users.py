"""`swapflow user`: who signs in at the screens, and what they may do there."""

import getpass
import sys
from typing import Annotated

import typer

from swapflow.cli.help import CommandGroup
from swapflow.cli.options import AsJson, By, office_of_deployment, product
from swapflow.cli.output import Listing, report
from swapflow.errors import InvalidInputError
from swapflow.identity.permissions import Role, Scope


app = typer.Typer(
    cls=CommandGroup, no_args_is_help=True, help="Who signs in at the screens, and their rights."
)

Email = Annotated[str, typer.Argument(metavar="EMAIL", help="The mail address they sign in with.")]
RoleOption = Annotated[Role, typer.Argument(metavar="ROLE", help="What they are.")]
RoundScope = Annotated[str, typer.Option("--round", metavar="ROUND", help="In this round only.")]
UnitScope = Annotated[str, typer.Option("--unit", metavar="UNIT", help="In this unit only.")]
CycleScope = Annotated[str, typer.Option("--cycle", metavar="CYCLE", help="In this program only.")]
PasswordStdin = Annotated[
    bool, typer.Option("--password-stdin", help="Read the password from standard input.")
]


@app.command("add")
def add(
    email: Email,
    by: By,
    name: Annotated[str, typer.Option(metavar="TEXT", help="Their name.")] = "",
    role: Annotated[
        list[Role] | None, typer.Option(help="A role in the whole office; repeatable.")
    ] = None,
    password_stdin: PasswordStdin = False,
    as_json: AsJson = False,
) -> None:
    """Make an account; the first administrator is made this way."""
    office = office_of_deployment()
    account = office.users.add(email, name=name, password=_password(stdin=password_stdin))
    for one in role or ():
        office.users.grant(account, one, Scope.OFFICE, by=by)
    made: dict[str, object] = {
        "email": account.email,
        "roles": [one.value for one in role or ()],
    }
    # With a password they get in by themselves; without one a mail would have to reach them.
    if account.password or product().outbox.leaves:
        report(made, f"{account.email} can sign in", as_json=as_json)
        return
    link = office.users.link(account, by=by, site=_site())
    report(
        {**made, "link": link},
        f"{account.email} can sign in. No mail can leave: no mail server is set up. "
        "Hand over this link, which works once, for 7 days:",
        link,
        as_json=as_json,
    )


@app.command("link")
def link(email: Email, by: By, as_json: AsJson = False) -> None:
    """Print a sign-in link that works once, to hand over where no mail arrives."""
    office = office_of_deployment()
    account = office.users.get(email)
    made = office.users.link(account, by=by, site=_site())
    report(
        {"email": account.email, "link": made},
        f"This link signs {account.email} in, once, within 7 days. Give it to no one else:",
        made,
        as_json=as_json,
    )


@app.command("list")
def list_users(as_json: AsJson = False) -> None:
    """List the accounts and their roles."""
    users = [
        {
            "email": user.account.email,
            "name": user.account.name,
            "active": user.account.active,
            "roles": [
                (f"{g.role.value} in {g.scope_id}" if g.scope_id else g.role.value)
                + ("" if g.by_hand else f" (by group {', '.join(g.groups)})")
                for g in user.grants
            ],
        }
        for user in office_of_deployment().users.list()
    ]
    report(
        {"users": users},
        Listing(
            headers=("address", "name", "active", "roles"),
            rows=tuple(
                (u["email"], u["name"], u["active"], ", ".join(map(str, u["roles"])))  # type: ignore[call-overload]  # a list of words
                for u in users
            ),
            empty="there is no account yet: swapflow user add EMAIL --role administrator",
        ),
        as_json=as_json,
    )


@app.command("grant")
def grant(
    email: Email,
    role: RoleOption,
    by: By,
    in_round: RoundScope = "",
    in_unit: UnitScope = "",
    in_cycle: CycleScope = "",
    as_json: AsJson = False,
) -> None:
    """Grant a role in the office, in a round, in a unit or in a program."""
    scope, scope_id = scope_of(in_round, in_unit, in_cycle)
    office = office_of_deployment()
    office.users.grant(office.users.get(email), role, scope, scope_id, by=by)
    _say(email, f"is {role.value} in {scope_id or 'the office'}", as_json=as_json)


@app.command("revoke")
def revoke(
    email: Email,
    role: RoleOption,
    by: By,
    in_round: RoundScope = "",
    in_unit: UnitScope = "",
    in_cycle: CycleScope = "",
    as_json: AsJson = False,
) -> None:
    """Take a role away."""
    scope, scope_id = scope_of(in_round, in_unit, in_cycle)
    office = office_of_deployment()
    office.users.revoke(office.users.get(email), role, scope, scope_id, by=by)
    _say(email, f"is no longer {role.value} in {scope_id or 'the office'}", as_json=as_json)


@app.command("password")
def password(email: Email, password_stdin: PasswordStdin = False, as_json: AsJson = False) -> None:
    """Set another password for an account; all its devices are signed out."""
    office = office_of_deployment()
    office.users.set_password(office.users.get(email), _password(stdin=password_stdin))
    _say(email, "has another password and is signed out everywhere", as_json=as_json)


@app.command("deactivate")
def deactivate(email: Email, by: By, as_json: AsJson = False) -> None:
    """Keep a user from signing in; what they did stays on record."""
    office = office_of_deployment()
    office.users.deactivate(office.users.get(email), by=by)
    _say(email, "can no longer sign in", as_json=as_json)


@app.command("shut-out")
def shut_out(email: Email, by: By, as_json: AsJson = False) -> None:
    """End every session, key and mailed link of a user, as when one got lost or was stolen."""
    office = office_of_deployment()
    taken = office.users.revoke_access(office.users.get(email), by=by)
    _say(email, f"is shut out: {taken}; the next sign-in is a new one", as_json=as_json)


def _site() -> str:
    from swapflow.settings import load_settings

    return load_settings().address


def scope_of(in_round: str, in_unit: str, in_cycle: str) -> tuple[Scope, str]:
    """Read where a role reaches from the options; none of them is the office.

    Raises:
        InvalidInputError: If more than one is given, or there is no such round.
        NotFoundError: If there is no such unit or program.
    """
    if sum(map(bool, (in_round, in_unit, in_cycle))) > 1:
        raise InvalidInputError("round_or_cycle")
    if in_cycle:
        return Scope.CYCLE, product().cycles.get(in_cycle).id
    if in_unit:
        return Scope.UNIT, office_of_deployment().units.get(in_unit).id
    if not in_round:
        return Scope.OFFICE, ""
    if in_round not in {known.id for known in product().cycles.rounds()}:
        raise InvalidInputError("round_not_listed", round=in_round)
    return Scope.ROUND, in_round


def _password(*, stdin: bool) -> str:
    if stdin:
        return sys.stdin.readline().rstrip("\n")
    if not sys.stdin.isatty():
        return ""  # they sign in by a mailed link
    first = getpass.getpass("Password (empty: sign in by mailed link): ")
    if first and getpass.getpass("Again: ") != first:
        raise InvalidInputError("passwords_differ")
    return first


def _say(email: str, what: str, *, as_json: bool) -> None:
    report({"email": email.strip().lower(), "done": what}, f"{email} {what}", as_json=as_json)
