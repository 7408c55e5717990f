"""Accounts, passwords and the last administrator, on the office's own record."""

from collections.abc import Iterator

import argon2.profiles
import pytest

from swapflow.errors import (
    ForbiddenError,
    InvalidInputError,
    NotFoundError,
    NotSignedInError,
    RateLimitedError,
)
from swapflow.identity.account import Account, Method
from swapflow.identity.groups import GROUPS_HOLD, ClaimedGroups, ClaimState, GroupRole
from swapflow.identity.permissions import Role, Scope
from swapflow.identity.services import IdentityContext, Office, compose_office
from swapflow.identity.services.tries import PROVIDER_FAILURES, PROVIDER_VISITS
from swapflow.ledger.sql_ledger import SqlLedger
from swapflow.state.rate_limits import MemoryLimiter
from tests.support.quick_passwords import PRODUCTS


PASSWORD = "correct horse battery"


@pytest.fixture
def ledger() -> Iterator[SqlLedger]:
    ledger = SqlLedger("sqlite://")
    yield ledger
    ledger.dispose()


@pytest.fixture
def office(ledger: SqlLedger) -> Office:
    return compose_office(
        IdentityContext(
            ledger=ledger.office(), personal_data=ledger.personal_data(), limiter=MemoryLimiter()
        )
    )


def boss(office: Office, email: str = "boss@example.org") -> Account:
    account = office.users.add(email, password=PASSWORD)
    office.users.grant(account, Role.ADMINISTRATOR, Scope.OFFICE, by="test")
    return account


def lines(office: Office) -> list[tuple[str, str, str, str]]:
    return [(e.who, e.what, e.about, e.detail) for _, e in reversed(office.context.ledger.audit())]


@pytest.mark.parametrize("email", ["", "boss", "a b@c", "<x@y>", "x@y" + "z" * 260])
def test_what_is_no_mail_address_makes_no_account(office: Office, email: str) -> None:
    with pytest.raises(InvalidInputError):
        office.users.add(email)

    assert office.users.list() == ()


def test_one_address_has_one_account_however_it_is_spelled(office: Office) -> None:
    office.users.add("Boss@Example.org")

    with pytest.raises(InvalidInputError, match="already"):
        office.users.add(" boss@example.ORG")
    assert office.users.get("BOSS@example.org").email == "boss@example.org"


@pytest.mark.parametrize("password", ["short", "x" * 11, "aaaabbbbcccc", "x" * 257])
def test_a_weak_password_is_refused_and_stored_nowhere(office: Office, password: str) -> None:
    with pytest.raises(InvalidInputError):
        office.users.add("boss@example.org", password=password)

    assert office.users.list() == ()


def test_a_stolen_hash_costs_as_much_to_try_as_rfc_9106_asks_where_memory_is_short() -> None:
    recommended = argon2.profiles.RFC_9106_LOW_MEMORY

    assert PRODUCTS.type is recommended.type
    assert PRODUCTS.memory_cost >= recommended.memory_cost
    assert PRODUCTS.time_cost >= recommended.time_cost


def test_a_password_is_stored_as_an_argon2id_hash_alone(office: Office) -> None:
    account = boss(office)

    assert account.password.startswith("$argon2id$")
    assert PASSWORD not in account.password


def test_a_person_without_a_password_cannot_sign_in_with_an_empty_one(office: Office) -> None:
    office.users.add("r1@example.org")

    with pytest.raises(NotSignedInError):
        office.sign_in.with_password("r1@example.org", "", agent="", address="")


def test_the_last_administrator_can_neither_be_removed_nor_closed(office: Office) -> None:
    first = boss(office)
    second = boss(office, "second@example.org")
    office.users.deactivate(second, by="test")

    with pytest.raises(InvalidInputError, match="last administrator"):
        office.users.deactivate(first, by="test")
    with pytest.raises(InvalidInputError, match="last administrator"):
        office.users.revoke(first, Role.ADMINISTRATOR, Scope.OFFICE, by="test")

    office.users.activate(office.users.get("second@example.org"), by="test")
    office.users.revoke(first, Role.ADMINISTRATOR, Scope.OFFICE, by="test")
    assert office.users.has_administrator()


def test_an_administrator_whose_groups_count_no_longer_administers_nothing(
    ledger: SqlLedger, office: Office
) -> None:
    chiefs = GroupRole(group="chiefs", role=Role.ADMINISTRATOR, scope=Scope.OFFICE)
    office.groups.add(chiefs, by="test", administrators=True)
    stated = ClaimedGroups(state=ClaimState.STATED, names=frozenset({"chiefs"}))
    office.groups.account_of("i#1", "chief@example.org", "Chief", verified=True, groups=stated)
    at_first = office.users.has_administrator()

    ledger.set_clock_offset(GROUPS_HOLD.total_seconds() + 1)

    assert (at_first, office.users.has_administrator()) == (True, False)


def test_a_role_that_nobody_has_cannot_be_taken_away(office: Office) -> None:
    account = boss(office)

    with pytest.raises(NotFoundError):
        office.users.revoke(account, Role.CHAIR, Scope.OFFICE, by="test")


@pytest.mark.parametrize(
    ("scope", "scope_id"), [(Scope.OFFICE, "fall"), (Scope.CYCLE, ""), (Scope.ROUND, "")]
)
def test_a_role_names_its_place(office: Office, scope: Scope, scope_id: str) -> None:
    with pytest.raises(InvalidInputError):
        office.users.grant(boss(office), Role.CHAIR, scope, scope_id, by="test")


def test_a_closed_account_has_no_device_left_and_signs_in_by_no_way(office: Office) -> None:
    boss(office)
    account = office.users.add("x@example.org", password=PASSWORD)
    secret, _ = office.sign_in.start_session(account, method=Method.PASSWORD, agent="")
    assert office.sign_in.principal(secret)

    office.users.deactivate(account, by="boss")

    assert office.sign_in.principal(secret) is None
    with pytest.raises(NotSignedInError):
        office.sign_in.with_password("x@example.org", PASSWORD, agent="", address="")
    with pytest.raises(InvalidInputError, match="closed"):
        office.users.invite("x@example.org", name="", by="boss", site="http://here")


def test_what_is_done_to_accounts_stands_in_the_audit_log_without_secrets(office: Office) -> None:
    account = boss(office)
    office.users.grant(account, Role.CHAIR, Scope.CYCLE, "fall", by="ops")
    office.users.revoke(account, Role.CHAIR, Scope.CYCLE, "fall", by="ops")
    office.sign_in.with_password("boss@example.org", PASSWORD, agent="", address="")

    assert lines(office) == [
        ("test", "gave a role", "boss@example.org", "administrator, office"),
        ("ops", "gave a role", "boss@example.org", "chair, cycle fall"),
        ("ops", "took a role away", "boss@example.org", "chair, cycle fall"),
        ("boss@example.org", "signed in", "", "password"),
    ]


def test_a_provider_finds_an_account_by_address_once_and_by_its_subject_ever_after(
    office: Office,
) -> None:
    account = office.users.add("boss@example.org")

    def enter(subject: str, email: str, *, verified: bool = True) -> str:
        secret, _ = office.sign_in.by_provider(
            subject, email=email, name="", verified=verified, agent=""
        )
        principal = office.sign_in.principal(secret)
        assert principal is not None
        return principal.account.id

    with pytest.raises(ForbiddenError, match="vouch"):
        enter("issuer#1", "boss@example.org", verified=False)
    assert enter("issuer#1", "Boss@example.org") == account.id
    assert enter("issuer#1", "renamed@example.org", verified=False) == account.id
    with pytest.raises(ForbiddenError, match="ask an administrator"):
        enter("issuer#2", "boss@example.org")
    with pytest.raises(ForbiddenError, match="no account"):
        enter("issuer#3", "stranger@example.org")


def test_a_network_that_fails_at_the_provider_is_recorded_thirty_times_and_then_refused(
    office: Office,
) -> None:
    for _ in range(PROVIDER_FAILURES):
        office.sign_in.note_provider_failure("", "no state", address="192.0.2.1")
    with pytest.raises(RateLimitedError):
        office.sign_in.note_provider_failure("", "no state", address="192.0.2.1")
    office.sign_in.note_provider_failure("ana@example.org", "no state", address="198.51.100.1")

    what = "did not get in through the identity provider"
    assert lines(office) == [
        *[("unknown", what, "", "no state")] * PROVIDER_FAILURES,
        ("ana@example.org", what, "", "no state"),
    ]


def test_a_network_goes_to_the_provider_so_often_and_no_further(office: Office) -> None:
    for _ in range(PROVIDER_VISITS):
        office.sign_in.count_provider_visit("192.0.2.1")

    with pytest.raises(RateLimitedError):
        office.sign_in.count_provider_visit("192.0.2.1")
    office.sign_in.count_provider_visit("198.51.100.1")


def test_a_closed_account_comes_in_neither_by_a_link_nor_by_the_provider(office: Office) -> None:
    account = office.users.add("ana@example.org")
    office.sign_in.by_provider("issuer#1", email=account.email, name="", verified=True, agent="")
    office.users.deactivate(account, by="ops")
    closed = office.users.get(account.email)

    with pytest.raises(InvalidInputError, match="closed"):
        office.users.link(closed, by="ops", site="https://example.org")
    with pytest.raises(ForbiddenError, match="closed"):
        office.sign_in.by_provider(
            "issuer#1", email=account.email, name="", verified=True, agent=""
        )
