"""Roles by groups that an identity provider states, with both ends as processes of their own."""

import re
from collections.abc import Iterator

import httpx2
import pytest

from swapflow.identity.groups import GroupRole
from swapflow.identity.permissions import Role, Scope
from tests.support.identity_provider import IdentityProvider
from tests.web.served import Served, serving


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Programs fall and spring; the group desk runs fall."""
    with IdentityProvider() as there, serving(tmp_path_factory.mktemp("groups"), there) as one:
        for cycle in ("fall", "spring"):
            one.site.launched(cycle, launch=False)
        one.site.office.groups.add(group_role("desk", Role.COORDINATOR, "fall"), by="ops")
        yield one


@pytest.fixture(autouse=True)
def well_behaved(served: Served) -> Iterator[None]:
    yield
    served.there.behaves()


def group_role(group: str, role: Role, cycle: str = "") -> GroupRole:
    scope = Scope.CYCLE if cycle else Scope.OFFICE
    return GroupRole(group=group, role=role, scope=scope, scope_id=cycle)


def comes(served: Served, login: str, **claims: object) -> httpx2.Response:
    """Sign in with these claims, with an address that is checked."""
    served.there.knows(login, email=f"{login}@example.org", email_verified=True, **claims)
    return served.browser().signs_in(login)


def held(served: Served, login: str) -> dict[tuple[str, str], tuple[str, ...]]:
    """What a person may do, and by which groups; none is by hand."""
    users = served.site.office.users
    grants = users.grants(users.get(f"{login}@example.org").id)
    return {(grant.role.value, grant.scope_id): grant.groups for grant in grants}


def administrator(served: Served) -> httpx2.Client:
    """A browser of an administrator by hand."""
    users = served.site.office.users
    if served.site.ledger.office().account_of("root@example.org") is None:
        served.site.account("root@example.org")
        users.grant(users.get("root@example.org"), Role.ADMINISTRATOR, Scope.OFFICE, by="ops")
    served.there.knows("root", email="root@example.org", email_verified=True, groups=[])
    browser = served.browser()
    browser.signs_in("root")
    return browser.http


def post(http: httpx2.Client, path: str, **form: str) -> httpx2.Response:
    return http.post(path, data=form, headers={"Sec-Fetch-Site": "same-origin"})


def seen(page: httpx2.Response) -> str:
    """The revision of what a page showed."""
    found = re.search(r'name="seen" value="([^"]+)"', page.text)
    assert found is not None, page.text
    return found[1]


# At a sign-in


def test_a_group_lets_a_stranger_in_and_its_role_goes_with_it(served: Served) -> None:
    entered = comes(served, "newcomer", groups=["desk", "everyone"], name="Nora Comer")
    at_first = held(served, "newcomer")
    comes(served, "newcomer", groups=["everyone"])

    assert entered.status_code == 303
    assert at_first == {("coordinator", "fall"): ("desk",)}
    assert held(served, "newcomer") == {}
    lines = served.audit("newcomer@example.org")
    assert ("gained a role", "coordinator, cycle fall; by group desk") in lines
    assert ("lost a role", "coordinator, cycle fall; by group desk") in lines
    assert "everyone" not in str(served.site.ledger.office().group_members())


def test_no_list_changes_nothing_and_an_empty_one_takes_roles_away(served: Served) -> None:
    comes(served, "kept", groups=["desk"])
    comes(served, "kept")
    without, page = held(served, "kept"), administrator(served).get("/setup/groups")
    comes(served, "kept", groups=[])

    assert without == {("coordinator", "fall"): ("desk",)}
    assert "kept@example.org" in page.text
    assert "nothing was sent" in page.text
    assert held(served, "kept") == {}
    assert served.site.office.groups.unstated() == ()


@pytest.mark.parametrize("groups", [{"desk": True}, [["desk"]], 7])
def test_what_is_no_list_of_names_changes_nothing(served: Served, groups: object) -> None:
    comes(served, "odd", groups=["desk"])
    comes(served, "odd", groups=groups)
    noted = [one.claim.state.value for one in served.site.office.groups.unstated()]
    comes(served, "odd", groups="desk")

    assert noted == ["unreadable"]
    assert held(served, "odd") == {("coordinator", "fall"): ("desk",)}


def test_groups_may_be_in_the_userinfo_alone(served: Served) -> None:
    served.there.behaves(slim=True)

    comes(served, "slim", groups=["desk"])

    assert held(served, "slim") == {("coordinator", "fall"): ("desk",)}


@pytest.mark.parametrize(
    "overage",
    [
        {"_claim_names": {"groups": "src1"}, "_claim_sources": {"src1": {"endpoint": "x"}}},
        {"hasgroups": True},
        {"groups": [f"g{number}" for number in range(2001)]},
    ],
)
def test_too_many_groups_are_refused_with_the_cure(
    served: Served, overage: dict[str, object]
) -> None:
    comes(served, "popular", groups=["desk"])

    refused = comes(served, "popular", **overage)

    assert refused.status_code == 403
    assert "only the groups for swapflow" in refused.text
    assert held(served, "popular") == {("coordinator", "fall"): ("desk",)}
    comes(served, "popular", groups=[])


def test_a_role_by_hand_is_never_touched(served: Served) -> None:
    users = served.site.office.users
    served.site.account("both@example.org")
    both = users.get("both@example.org")
    users.grant(both, Role.COORDINATOR, Scope.CYCLE, "fall", by="ops")
    users.grant(both, Role.OBSERVER, Scope.CYCLE, "spring", by="ops")

    comes(served, "both", groups=["desk"])
    with_group = held(served, "both")
    comes(served, "both", groups=[])

    assert with_group == {("coordinator", "fall"): ("desk",), ("observer", "spring"): ()}
    assert held(served, "both") == {("coordinator", "fall"): (), ("observer", "spring"): ()}


def test_an_open_session_has_the_rights_of_the_latest_sign_in(served: Served) -> None:
    served.there.knows("open", email="open@example.org", email_verified=True, groups=["desk"])
    first = served.browser()
    first.signs_in("open")
    with_group = first.get("/setup/fall").status_code
    comes(served, "open", groups=[])

    assert with_group == 200
    assert first.get("/setup/fall").status_code == 404


def test_groups_count_for_thirty_days_after_they_were_stated(served: Served) -> None:
    comes(served, "gone", groups=["desk"])
    account = served.site.office.users.get("gone@example.org")
    clock = served.site.ledger

    def rights() -> int:
        return len(served.site.office.context.principal_of(account).grants)

    before = rights()
    clock.set_clock_offset(30 * 24 * 3600 + 1)
    after = rights()
    clock.set_clock_offset(0)

    assert (before, after) == (1, 0)


def test_who_was_stated_too_long_ago_gains_nothing_and_has_nothing_to_lose(
    served: Served,
) -> None:
    groups, clock = served.site.office.groups, served.site.ledger
    comes(served, "stale", groups=["desk", "crew"])
    spring = group_role("desk", Role.CALIBRATION, "spring")

    def told() -> bool:
        people = {one.email for one in groups.effect(spring).people}
        return "stale@example.org" in people

    at_first = told()
    clock.set_clock_offset(30 * 24 * 3600 + 1)
    gained = groups.add(spring, by="ops").people
    lost = groups.remove(spring, by="ops").people
    clock.set_clock_offset(0)

    assert at_first
    assert gained == lost == ()
    given = ("gave a role", "calibration, cycle spring; by group desk")
    assert given not in served.audit("stale@example.org")


def test_groups_neither_keep_nor_take_the_last_administrator(served: Served) -> None:
    root = administrator(served)
    served.site.office.groups.add(
        group_role("chiefs", Role.ADMINISTRATOR), by="ops", administrators=True
    )
    comes(served, "chief", groups=["chiefs"])
    account = served.site.office.users.get("root@example.org")

    page = post(
        root, f"/setup/users/{account.id}/grants/remove", role="administrator", where="office"
    )
    comes(served, "chief", groups=[])

    assert page.status_code == 422
    assert "last" in page.text or "only" in page.text
    assert served.site.office.users.has_administrator()


# The page


def test_the_page_shows_who_gains_and_who_loses_before_it_is_done(served: Served) -> None:
    comes(served, "walker", groups=["desk"])
    root = administrator(served)
    asked = {"group": "desk", "role": "observer", "where": "cycle:spring"}

    shown = root.get("/setup/groups", params={**asked, "look": "true"})
    added = post(root, "/setup/groups", **asked, seen=seen(shown))
    people = root.get("/setup/users")
    refused = post(
        root,
        f"/setup/users/{served.site.office.users.get('walker@example.org').id}/grants/remove",
        role="observer",
        where="cycle:spring",
    )
    losing = root.get("/setup/groups", params={**asked, "look": "true"})
    removed = post(root, "/setup/groups/remove", **asked, seen=seen(losing))

    assert "walker@example.org" in shown.text
    assert (added.status_code, removed.status_code) == (303, 303)
    assert "by group desk, until" in people.text
    assert refused.status_code == 422
    assert "by the group desk" in refused.text
    assert "walker@example.org" in losing.text
    assert held(served, "walker") == {("coordinator", "fall"): ("desk",)}


def test_what_was_shown_is_what_is_done(served: Served) -> None:
    root = administrator(served)
    asked = {"group": "desk", "role": "committee", "where": "cycle:spring"}
    shown = root.get("/setup/groups", params={**asked, "look": "true"})
    comes(served, "later", groups=["desk"])

    late = post(root, "/setup/groups", **asked, seen=seen(shown))

    assert late.status_code == 409
    assert "later@example.org" in late.text
    assert ("committee", "spring") not in held(served, "later")


def test_a_group_makes_administrators_only_where_that_is_said(served: Served) -> None:
    root = administrator(served)
    asked = {"group": "bosses", "role": "administrator", "where": "office"}
    shown = root.get("/setup/groups", params={**asked, "look": "true"})

    silent = post(root, "/setup/groups", **asked, seen=seen(shown))
    said = post(root, "/setup/groups", **asked, seen=seen(shown), administrators="yes")

    assert silent.status_code == 422
    assert "would become administrators" in silent.text
    assert said.status_code == 303
    assert "not known yet" in shown.text


def test_groups_without_a_role_are_forgotten_and_a_place_in_use_stays(served: Served) -> None:
    groups, ledger = served.site.office.groups, served.site.ledger.office()
    short = group_role("short", Role.OBSERVER, "spring")
    groups.add(short, by="ops")
    comes(served, "brief", groups=["short"])

    effect = groups.remove(short, by="ops")

    assert [one.email for one in effect.people] == ["brief@example.org"]
    assert "short" not in {member.group for member in ledger.group_members()}


def test_the_interface_says_who_gains_and_gives_and_takes(served: Served) -> None:
    comes(served, "byapi", groups=["desk"])
    root = administrator(served)
    asked = {"group": "desk", "role": "compliance", "scope": "cycle", "scope_id": "spring"}

    # The name as a person pastes it; every way in reads the same group.
    pasted = {**asked, "group": " desk "}
    effect = root.get("/api/v1/groups/effect", params=pasted).json()
    made = root.post("/api/v1/groups", json=pasted, headers={"Sec-Fetch-Site": "same-origin"})
    listed = root.get("/api/v1/groups").json()["items"]
    taken = root.delete("/api/v1/groups", params=pasted, headers={"Sec-Fetch-Site": "same-origin"})

    assert "byapi@example.org" in effect["people"]
    assert (made.status_code, taken.status_code) == (201, 200)
    assert {**asked, "members": len(effect["people"])} in listed
    assert made.json()["people"] == taken.json()["people"] == effect["people"]
