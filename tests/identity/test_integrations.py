"""What programs of others are given: keys, addresses that are called, and groups of a provider."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from ipaddress import ip_address

import pytest

from swapflow.domain.webhook_call import WebhookEvent
from swapflow.errors import ConflictError, ForbiddenError, InvalidInputError, NotFoundError
from swapflow.identity.account import Account
from swapflow.identity.api_keys import MOST_KEYS, make_token
from swapflow.identity.groups import (
    LONGEST_GROUP,
    MOST_GROUPS,
    ClaimedGroups,
    ClaimState,
    GroupRole,
    read_groups,
)
from swapflow.identity.permissions import Role, Scope
from swapflow.identity.ports.integration_store import Webhook
from swapflow.identity.reach import Reach, check_address
from swapflow.identity.services import IdentityContext, Office, compose_office
from swapflow.identity.webhooks import MOST_WEBHOOKS, make_webhook
from swapflow.ledger.sql_ledger import SqlLedger
from swapflow.state.rate_limits import MemoryLimiter


@pytest.fixture
def office() -> Iterator[Office]:
    ledger = SqlLedger("sqlite://")
    yield compose_office(
        IdentityContext(
            ledger=ledger.office(), personal_data=ledger.personal_data(), limiter=MemoryLimiter()
        )
    )
    ledger.dispose()


def stated_as(*names: str) -> ClaimedGroups:
    return ClaimedGroups(state=ClaimState.STATED, names=frozenset(names))


def signs_in(office: Office, groups: ClaimedGroups) -> Account:
    """Ana comes from the provider, which says this of her groups."""
    return office.groups.account_of(
        "subject-1", "ana@example.org", "Ana", verified=True, groups=groups
    )


def hook(office: Office, *, events: Sequence[str] = (WebhookEvent.COHORT_FINALIZED,)) -> Webhook:
    return make_webhook(
        "https://example.org/hook",
        events=events,
        cycle_id=None,
        by="ops",
        reach=Reach(),
        ledger=office.context.ledger,
    )


CHAIRS = GroupRole(group="Chairs, all", role=Role.CHAIR, scope=Scope.OFFICE)
STAFF = GroupRole(group="Chairs, all", role=Role.ADMINISTRATOR, scope=Scope.OFFICE)


@pytest.mark.parametrize(
    ("name", "scopes", "days", "why"),
    [
        (" ", ["read"], 30, "what the key is for"),
        ("n" * 101, ["read"], 30, "what the key is for"),
        ("a\nb", ["read"], 30, "what the key is for"),
        ("sync", [], 30, "what the key may do"),
        ("sync", ["read", "everything"], 30, "what the key may do"),
        ("sync", ["read"], 0, "day"),
        ("sync", ["read"], 3651, "day"),
    ],
)
def test_a_key_that_cannot_be_used_as_asked_is_not_made(
    office: Office, name: str, scopes: list[str], days: int, why: str
) -> None:
    ana = office.users.add("ana@example.org")

    with pytest.raises(InvalidInputError, match=why):
        make_token(ana, name=name, scopes=scopes, days=days, ledger=office.context.ledger)

    assert office.context.ledger.tokens(ana.id) == ()


def test_an_account_has_so_many_good_keys_and_revoking_one_makes_room(office: Office) -> None:
    ana, ledger = office.users.add("ana@example.org"), office.context.ledger
    made = [
        make_token(ana, name=f"key {n}", scopes=["read"], days=30, ledger=ledger)[1]
        for n in range(MOST_KEYS)
    ]
    with pytest.raises(InvalidInputError, match=str(MOST_KEYS)):
        make_token(ana, name="one more", scopes=["read"], days=30, ledger=ledger)

    ledger.revoke_token(made[0].id)

    _, further = make_token(ana, name="one more", scopes=["read"], days=30, ledger=ledger)
    assert further.name == "one more"


@pytest.mark.parametrize("events", [[], ["no such event"]])
def test_a_webhook_names_events_that_there_are(office: Office, events: list[str]) -> None:
    with pytest.raises(InvalidInputError, match="choose what is told"):
        hook(office, events=events)

    assert office.context.ledger.webhooks() == ()


def test_there_are_so_many_webhooks_and_no_more(office: Office) -> None:
    for _ in range(MOST_WEBHOOKS):
        hook(office)

    with pytest.raises(InvalidInputError, match=str(MOST_WEBHOOKS)):
        hook(office)

    assert len(office.context.ledger.webhooks()) == MOST_WEBHOOKS


@pytest.mark.parametrize(
    "written",
    [
        "https://example.org/a b",
        "https://exämple.org/",
        "https://example.org/" + "x" * 2000,
        "https://[::1/",
        "https://example.org:port/",
        "http://example.org/",
        "ftp://example.org/",
        "https:///path",
        "https://me:pw@example.org/",
        "https://example.org/#part",
        "https://127.0.0.1/",
        "https://[::ffff:10.0.0.1]/",
    ],
)
def test_an_address_that_may_not_be_called_is_refused(written: str) -> None:
    with pytest.raises(InvalidInputError):
        check_address(written, Reach())


@pytest.mark.parametrize(
    "written", ["https://example.org:8443/hook?a=1", "https://8.8.8.8/", "https://[2606:4700::1]/"]
)
def test_an_address_of_the_public_internet_stays_as_it_was_written(written: str) -> None:
    assert check_address(f" {written} ", Reach()) == written


@pytest.mark.parametrize(
    ("address", "allowed_by"),
    [
        ("8.8.8.8", {"nothing", "loopback", "private"}),
        ("127.0.0.1", {"loopback", "private"}),
        ("::1", {"loopback", "private"}),
        ("10.1.2.3", {"private"}),
        ("fd00::1", {"private"}),
        ("::ffff:127.0.0.1", {"loopback", "private"}),
        ("64:ff9b::10.1.2.3", {"private"}),
        ("64:ff9b::8.8.8.8", {"nothing", "loopback", "private"}),
        ("2002:7f00:1::", {"loopback", "private"}),
        ("::", set()),
        ("0.0.0.0", set()),
        ("224.0.0.1", set()),
        ("ff02::1", set()),
    ],
)
def test_an_address_that_embeds_another_is_allowed_as_that_one_is(
    address: str, allowed_by: set[str]
) -> None:
    reaches = {
        "nothing": Reach(),
        "loopback": Reach(loopback=True),
        "private": Reach(private=True),
    }

    allowing = {name for name, reach in reaches.items() if reach.allows(ip_address(address))}

    assert allowing == allowed_by


@pytest.mark.parametrize(
    ("stated", "read"),
    [
        ({"groups": ["A", " B, c ", ""]}, stated_as("A", "B, c")),
        ({"groups": "A, and B"}, stated_as("A, and B")),
        ({"groups": []}, stated_as()),
        ({}, ClaimedGroups(state=ClaimState.MISSING)),
        ({"groups": None}, ClaimedGroups(state=ClaimState.MISSING)),
        ({"groups": ["A", 5]}, ClaimedGroups(state=ClaimState.UNREADABLE)),
        ({"groups": {"A": 1}}, ClaimedGroups(state=ClaimState.UNREADABLE)),
        ({"groups": ["A"] * (MOST_GROUPS + 1)}, ClaimedGroups(state=ClaimState.TOO_MANY)),
        ({"_claim_names": {"groups": "src1"}}, ClaimedGroups(state=ClaimState.TOO_MANY)),
        ({"groups": ["A"], "hasgroups": True}, ClaimedGroups(state=ClaimState.TOO_MANY)),
        ({"hasgroups": "true"}, ClaimedGroups(state=ClaimState.TOO_MANY)),
        ({"_claim_names": {"other": "src1"}, "groups": ["A"]}, stated_as("A")),
    ],
)
def test_what_a_provider_says_of_groups_is_told_from_what_it_leaves_out(
    stated: dict[str, object], read: ClaimedGroups
) -> None:
    assert read_groups(stated, "groups") == read


@pytest.mark.parametrize("group", ["", " ", "a\tb", "g" * (LONGEST_GROUP + 1)])
def test_a_group_whose_name_cannot_be_shown_gives_no_role(office: Office, group: str) -> None:
    with pytest.raises(InvalidInputError):
        office.groups.add(replace(CHAIRS, group=group), by="ops")

    assert office.groups.roles() == ()


def test_a_group_makes_administrators_only_where_that_was_meant(office: Office) -> None:
    with pytest.raises(InvalidInputError, match="administrator"):
        office.groups.add(STAFF, by="ops")
    assert office.groups.roles() == ()

    office.groups.add(STAFF, by="ops", administrators=True)

    assert office.groups.roles() == (STAFF,)


def test_a_role_of_a_group_is_given_once_and_taken_away_once(office: Office) -> None:
    office.groups.add(CHAIRS, by="ops")
    with pytest.raises(ConflictError):
        office.groups.add(CHAIRS, by="ops")

    office.groups.remove(CHAIRS, by="ops")

    with pytest.raises(NotFoundError):
        office.groups.remove(CHAIRS, by="ops")
    assert office.groups.roles() == ()


def test_roles_of_a_group_come_and_go_with_what_is_stated_and_stay_while_nothing_is(
    office: Office,
) -> None:
    office.groups.add(CHAIRS, by="ops")
    seen = []
    for groups in (
        stated_as("Chairs, all"),
        ClaimedGroups(state=ClaimState.MISSING),
        stated_as("another"),
    ):
        account = signs_in(office, groups)
        members = office.groups.members()
        seen.append((members, [one.claim.state for one in office.groups.unstated()]))

    assert seen == [
        ({"Chairs, all": 1}, []),
        ({"Chairs, all": 1}, [ClaimState.MISSING]),
        ({}, []),
    ]
    told = [
        (e.what, e.detail) for _, e in office.context.ledger.audit() if e.about == account.email
    ]
    named = f"{CHAIRS}; by group {CHAIRS.group}"
    assert told == [("lost a role", named), ("gained a role", named)]


def test_a_person_with_too_many_groups_to_be_sent_does_not_come_in_and_is_listed(
    office: Office,
) -> None:
    office.groups.add(CHAIRS, by="ops")
    account = signs_in(office, stated_as("Chairs, all"))

    with pytest.raises(ForbiddenError):
        signs_in(office, ClaimedGroups(state=ClaimState.TOO_MANY))

    assert office.groups.members() == {"Chairs, all": 1}
    assert [(one.account.id, one.claim.state) for one in office.groups.unstated()] == [
        (account.id, ClaimState.TOO_MANY)
    ]


def test_a_role_of_a_group_is_not_given_to_others_than_were_shown(office: Office) -> None:
    shown = office.groups.effect(CHAIRS)
    office.groups.add(CHAIRS, by="ops", seen=shown.seen)
    signs_in(office, stated_as("Chairs, all"))

    with pytest.raises(ConflictError):
        office.groups.remove(CHAIRS, by="ops", seen=shown.seen)

    assert office.groups.roles() == (CHAIRS,)
