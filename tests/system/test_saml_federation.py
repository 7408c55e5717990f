"""Signing in from a SAML federation: a university, SATOSA as broker, and swapflow behind it.

SATOSA comes from the package index and pysaml2 needs Debian's xmlsec1, so this test stays out of
the everyday suite.
"""

from collections.abc import Iterator
from typing import Any, cast

import httpx2
import pytest

from swapflow.identity.groups import GroupRole
from swapflow.identity.permissions import Role, Scope
from tests.support.identity_provider import IdentityProvider
from tests.system.saml_federation import Federation, federation_in
from tests.web.served import Browser, Served, serving


pytestmark = [pytest.mark.system, pytest.mark.slow]

ANA = {"uid": "ana", "mail": "Ana@example.org", "displayName": "Ana Admission"}


@pytest.fixture(scope="module")
def federation(tmp_path_factory: pytest.TempPathFactory) -> Federation:
    return federation_in(tmp_path_factory.mktemp("federation"))


@pytest.fixture(scope="module")
def served(federation: Federation, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The group desk runs the program fall; all who are staff watch it."""
    # Of the provider beside it a site needs nothing but the settings.
    there = cast("IdentityProvider", federation)
    with serving(tmp_path_factory.mktemp("swapflow"), there) as one:
        one.site.launched("fall", launch=False)
        for group, role in (("desk", Role.COORDINATOR), ("staff", Role.OBSERVER)):
            given = GroupRole(group=group, role=role, scope=Scope.CYCLE, scope_id="fall")
            one.site.office.groups.add(given, by="ops")
        with federation.serving(one.address):
            yield one


def signs_in(served: Served, federation: Federation) -> tuple[Browser, httpx2.Response]:
    browser = served.browser()
    return browser, browser.comes_back(federation.way_back(browser.goes()))


def held(served: Served) -> dict[str, tuple[str, ...]]:
    users = served.site.office.users
    grants = users.grants(users.get("ana@example.org").id)
    return {grant.role.value: grant.groups for grant in grants}


def test_a_person_of_the_federation_has_what_their_groups_give_and_loses_it_with_them(
    served: Served, federation: Federation
) -> None:
    staff: dict[str, Any] = {"eduPersonAffiliation": ["staff", "member"]}

    federation.says(**ANA, **staff, isMemberOf=["desk", "everyone"])
    browser, entered = signs_in(served, federation)
    with_desk, programs = held(served), browser.get("/setup/fall").status_code
    federation.says(**ANA, **staff)
    _, again = signs_in(served, federation)

    assert (entered.status_code, again.status_code) == (303, 303), entered.text
    assert browser.who() == "Ana Admission"
    assert with_desk == {"coordinator": ("desk",), "observer": ("staff",)}
    assert programs == 200
    assert held(served) == {"observer": ("staff",)}
    # The session that was open has lost it as well.
    assert browser.get("/setup/fall").status_code == 403


@pytest.mark.parametrize("wrong", ["unsigned", "forged", "grown"])
def test_an_answer_that_the_university_did_not_sign_lets_nobody_in(
    served: Served, federation: Federation, wrong: str
) -> None:
    said: dict[str, Any] = {"eduPersonAffiliation": ["staff"], "isMemberOf": ["everyone"]}
    federation.says(wrong=wrong, uid="eve", mail="eve@example.org", displayName="Eve", **said)

    _, refused = signs_in(served, federation)

    assert refused.status_code == 401, (refused.status_code, refused.text)
    assert "did not let you on" in refused.text
    assert served.site.ledger.office().account_of("eve@example.org") is None
