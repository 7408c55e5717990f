"""Signing in through an identity provider, with both ends as processes that speak real HTTP."""

import os
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

import httpx2
import pytest

from swapflow.domain.rules import SignInPolicy
from swapflow.engine.services import compose
from swapflow.errors import InvalidInputError
from swapflow.identity.account import Method
from swapflow.identity.permissions import Role
from swapflow.identity.services.tries import PROVIDER_FAILURES
from tests.support.identity_provider import IdentityProvider
from tests.support.process import Process
from tests.web.served import Served, serving
from tests.web.site import SITE_RULES, Site


BUTTON = "Sign in with Example University"
STRICT = replace(SITE_RULES, sign_in=SignInPolicy.PROVIDER)


@pytest.fixture(scope="module")
def there() -> Iterator[IdentityProvider]:
    with IdentityProvider() as provider:
        yield provider


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, there: IdentityProvider) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("served"), there) as one:
        yield one


@pytest.fixture(autouse=True)
def well_behaved(there: IdentityProvider) -> Iterator[None]:
    yield
    there.behaves()


# The way there and back


def test_somebody_with_an_account_comes_in_and_lands_where_they_wanted(served: Served) -> None:
    served.site.account("dean@example.org")
    served.there.knows("dean", email="Dean@Example.org", email_verified=True)
    browser = served.browser()

    offered = browser.get("/sign-in?next=/me")
    entered = browser.signs_in("dean", "/me?tab=devices")

    assert BUTTON in offered.text
    assert 'href="/sign-in/provider?next=/me"' in offered.text
    assert (entered.status_code, entered.headers["location"]) == (303, "/me?tab=devices")
    assert browser.who() == "dean@example.org"
    assert served.audit("dean@example.org")[0] == ("signed in", Method.PROVIDER.value)


def test_a_reviewer_on_a_roster_needs_no_account_and_gets_one_with_the_stated_name(
    served: Served,
) -> None:
    served.site.launched("newcomer", launch=False)
    served.there.knows("r1", email="r1@example.org", email_verified=True, name="Rosa Eins")
    browser = served.browser()

    entered = browser.signs_in("r1")

    assert entered.headers["location"] == "/inbox"
    assert browser.who() == "Rosa Eins"
    assert served.site.office.users.get("r1@example.org").subject.endswith("#sub-of-r1")


def test_what_is_sent_is_bound_to_this_browser_and_proves_itself(served: Served) -> None:
    browser = served.browser()

    address = browser.goes()

    asked = parse_qs(urlsplit(address).query)
    assert asked["response_type"] == ["code"]
    assert asked["code_challenge_method"] == ["S256"]
    assert asked["redirect_uri"] == [f"{served.address}/sign-in/provider/return"]
    assert set(asked["scope"][0].split()) == {"openid", "email", "profile"}
    assert len(asked["state"][0]) >= 30
    assert len(asked["nonce"][0]) >= 20


def test_the_cookie_of_the_way_is_short_lived_and_seen_by_that_way_alone(served: Served) -> None:
    browser = served.browser()

    sent = browser.get("/sign-in/provider?next=/inbox")

    cookie = sent.headers["set-cookie"]
    for part in ("Max-Age=600", "httponly", "samesite=lax", "path=/sign-in/provider"):
        assert part in cookie
    assert "set-cookie" not in browser.get("/sign-in").headers


def test_the_cookie_is_empty_once_somebody_is_in(served: Served) -> None:
    served.site.account("neat@example.org")
    served.there.knows("neat", email="neat@example.org", email_verified=True)
    browser = served.browser()

    browser.signs_in("neat")

    assert [name for name in browser.http.cookies if "hop" in name] == []


@pytest.mark.parametrize("path", ["https://evil.example", "//evil.example", "/\\evil.example"])
def test_no_way_leads_to_another_site(served: Served, path: str) -> None:
    served.site.account("careful@example.org")
    served.there.knows("careful", email="careful@example.org", email_verified=True)

    entered = served.browser().signs_in("careful", path)

    assert entered.headers["location"] == "/"


def test_a_path_too_long_for_a_cookie_leads_home(served: Served) -> None:
    served.site.account("long@example.org")
    served.there.knows("long", email="long@example.org", email_verified=True)

    entered = served.browser().signs_in("long", "/me?x=" + "y" * 1900)

    assert entered.headers["location"] == "/"


def test_the_account_follows_the_person_when_the_address_changes(served: Served) -> None:
    served.site.account("before@example.org")
    served.there.knows("married", email="before@example.org", email_verified=True)
    served.browser().signs_in("married")
    served.there.knows("married", email="after@example.org", email_verified=False)
    browser = served.browser()

    browser.signs_in("married")

    assert browser.who() == "before@example.org"


def test_the_address_may_stand_in_the_userinfo_alone(served: Served) -> None:
    served.site.account("slim@example.org")
    served.there.knows("slim", email="slim@example.org", email_verified="true")
    served.there.behaves(slim=True)
    browser = served.browser()

    browser.signs_in("slim")

    assert browser.who() == "slim@example.org"


def test_a_provider_that_describes_itself_wrongly_is_asked_again_later(
    tmp_path: Path, there: IdentityProvider
) -> None:
    with serving(tmp_path, there) as served:
        served.site.account("post@example.org")
        there.knows("post", email="post@example.org", email_verified=True)
        browser = served.browser()
        way = "/sign-in/provider?next=/me"
        for mood in (
            {"describe": "no JSON"},
            {"describe": "[]"},
            {"describe": "{}"},
            {"issuer": "https://another.example"},
        ):
            there.behaves(**mood)
            refused(browser.get(way), 503, "cannot be trusted")
        there.behaves(describe="oops", status=500)
        refused(browser.get(way), 503, "does not answer just now")

        # This one wants the client's secret in the form, not in a header.
        there.behaves(auth=["client_secret_post"])

        assert browser.signs_in("post").status_code == 303
        assert browser.who() == "post@example.org"
        assert "another.example" in served.process.output()


def test_a_key_that_the_provider_has_changed_is_fetched(served: Served) -> None:
    served.site.account("key@example.org")
    served.there.knows("key", email="key@example.org", email_verified=True)
    served.browser().signs_in("key")
    served.there.changes_its_key()
    browser = served.browser()

    browser.signs_in("key")

    assert browser.who() == "key@example.org"


def test_signing_out_ends_the_session_at_once(served: Served) -> None:
    served.site.account("leaver@example.org")
    served.there.knows("leaver", email="leaver@example.org", email_verified=True)
    browser = served.browser()
    browser.signs_in("leaver")
    kept = dict(browser.http.cookies)

    browser.http.post("/sign-out", headers={"Sec-Fetch-Site": "same-origin"})
    browser.http.cookies.update(kept)

    assert browser.who() == ""


# What goes wrong


def refused(answer: httpx2.Response, status: int, said: str) -> None:
    """A page with the reason and the other ways in, and nobody is signed in."""
    assert answer.status_code == status, answer.text
    text = unescape(answer.text)
    assert said in text
    assert BUTTON in text
    assert "Mail me a sign-in link" in text
    assert "Traceback" not in text
    assert not any(
        cookie.startswith("swapflow=") for cookie in answer.headers.get_list("set-cookie")
    )


def test_a_state_that_was_made_up_lets_nobody_in(served: Served) -> None:
    browser = served.browser()
    browser.goes()

    forged = browser.comes_back("/sign-in/provider/return?code=abc&state=made-up")
    bare = browser.comes_back("/sign-in/provider/return")

    refused(forged, 401, "not begun in this browser")
    refused(bare, 401, "not begun in this browser")


def test_an_answer_meant_for_another_browser_lets_nobody_in(served: Served) -> None:
    served.site.account("victim@example.org")
    served.there.knows("attacker", email="victim@example.org", email_verified=True)
    attacker, victim = served.browser(), served.browser()
    address = attacker.logs_in(attacker.goes(), "attacker")
    victim.goes()

    refused(victim.comes_back(address), 401, "not begun in this browser")
    assert victim.who() == ""


def test_an_answer_is_good_once(served: Served) -> None:
    served.site.account("twice@example.org")
    served.there.knows("twice", email="twice@example.org", email_verified=True)
    browser = served.browser()
    address = browser.logs_in(browser.goes(), "twice")
    browser.comes_back(address)

    refused(browser.comes_back(address), 401, "begin again")


def test_a_cookie_of_the_way_that_was_changed_counts_as_none(served: Served) -> None:
    served.there.knows("forger", email="forger@example.org", email_verified=True)
    browser = served.browser()
    address = browser.logs_in(browser.goes(), "forger")
    cookie = browser.http.cookies["swapflow-hop"]
    browser.http.cookies.clear()
    browser.http.cookies.set("swapflow-hop", cookie[:-3] + "AAA")

    refused(browser.comes_back(address), 401, "not begun in this browser")


def test_whoever_refuses_to_be_named_comes_back_to_the_other_ways(served: Served) -> None:
    browser = served.browser()

    answer = browser.comes_back(browser.logs_in(browser.goes("/me"), "anybody", answer="no"))

    refused(answer, 401, "did not agree")
    assert "made up" not in answer.text
    assert 'name="next" value="/me"' in answer.text
    assert served.audit("unknown")[0][0] == "did not get in through the identity provider"


def test_another_refusal_of_the_provider_is_named_for_those_who_can_cure_it(
    served: Served,
) -> None:
    served.there.behaves(refusal="invalid_scope")
    browser = served.browser()

    answer = browser.comes_back(browser.logs_in(browser.goes(), "anybody"))

    refused(answer, 503, "'invalid_scope'")


def test_an_address_that_was_not_checked_finds_nobody(served: Served) -> None:
    served.site.account("famous@example.org")
    served.there.knows("pretender", email="famous@example.org", email_verified=False)
    served.there.knows("silent", email="famous@example.org")

    for login in ("pretender", "silent"):
        refused(served.browser().signs_in(login), 403, "does not vouch for your mail address")

    assert served.site.office.users.get("famous@example.org").subject == ""
    assert served.audit("famous@example.org")[0][0].startswith("did not get in")


def test_somebody_whom_nobody_knows_here_is_told_whom_to_ask(served: Served) -> None:
    served.there.knows("stranger", email="stranger@example.org", email_verified=True)

    answer = served.browser().signs_in("stranger")

    refused(answer, 403, "there is no account for your address".capitalize())
    assert "With another account there" in answer.text
    assert served.audit("stranger@example.org")[0][0].startswith("did not get in")


def test_another_account_may_be_chosen_there(served: Served) -> None:
    address = served.browser().goes(other="true")

    assert parse_qs(urlsplit(address).query)["prompt"] == ["select_account"]


def test_a_closed_account_stays_closed(served: Served) -> None:
    account = served.site.account("gone@example.org")
    served.there.knows("gone", email="gone@example.org", email_verified=True)
    served.browser().signs_in("gone")
    served.site.office.users.deactivate(served.site.office.users.get(account.email), by="ops")

    refused(served.browser().signs_in("gone"), 403, "This account is closed")
    assert not served.site.office.users.get(account.email).active


def test_an_address_that_passed_to_somebody_else_does_not_bring_the_account_along(
    served: Served,
) -> None:
    served.site.account("jsmith@example.org")
    served.there.knows("john", email="jsmith@example.org", email_verified=True)
    served.browser().signs_in("john")
    served.there.knows("jane", email="jsmith@example.org", email_verified=True)

    refused(served.browser().signs_in("jane"), 403, "belongs to another person")


@pytest.mark.parametrize(
    "mood",
    [
        {"unsigned": True},
        {"foreign_key": True},
        {"claims": {"aud": "another-client"}},
        {"claims": {"iss": "https://another.example"}},
        {"claims": {"nonce": "another"}},
        {"claims": {"exp": 1}},
        {"claims": {"sub": ""}},
        {"claims": {"sub": 7}},
        {"no_id_token": True},
        {"slim": True, "userinfo": {"sub": "somebody-else"}},
        {"token": "<html>", "status": 200},
        {"token": "[]", "status": 200},
        {"token": "oops", "status": 500},
        {"token": '{"error": "invalid_client"}', "status": 401},
    ],
    ids=str,
)
def test_an_answer_that_proves_nothing_lets_nobody_in(
    served: Served, mood: dict[str, object]
) -> None:
    served.site.account("target@example.org")
    served.there.knows("target", email="target@example.org", email_verified=True)
    browser = served.browser()
    served.there.behaves(**mood)

    refused(browser.signs_in("target"), 503, "come in another way")
    assert browser.who() == ""


def test_a_provider_that_is_away_or_hangs_leaves_the_other_ways(served: Served) -> None:
    served.site.account("patient@example.org")
    served.there.knows("patient", email="patient@example.org", email_verified=True)
    browser = served.browser()
    back = browser.logs_in(browser.goes("/me"), "patient")
    served.there.stops()

    refused(browser.comes_back(back), 503, "does not answer just now")

    served.there.starts()
    served.there.knows("patient", email="patient@example.org", email_verified=True)
    assert browser.signs_in("patient").status_code == 303


def test_coming_back_in_vain_is_limited_and_then_not_even_recorded(served: Served) -> None:
    browser = served.browser()
    before = len(served.audit("unknown"))

    answers = [
        browser.comes_back("/sign-in/provider/return?state=x").status_code
        for _ in range(PROVIDER_FAILURES + 2)
    ]

    assert answers == [401] * PROVIDER_FAILURES + [429] * 2
    assert len(served.audit("unknown")) - before == PROVIDER_FAILURES
    assert served.browser().comes_back("/sign-in/provider/return").status_code == 401


# Programs that want the provider


def test_a_strict_program_asks_for_the_provider_in_place_and_comes_back(served: Served) -> None:
    served.site.launched("strict", rules=STRICT, round_id="strict")
    client, task = served.site.assigned("strict")
    roster = served.site.product.reviewers.list("strict")
    email = next(known.email for known in roster if known.number == task.reviewer)
    path = f"/tasks/{served.site.product.tasks.code(task.id)}"
    name = email.partition("@")[0]  # an account keeps its subject over the whole file
    served.there.knows(name, email=email, email_verified=True)
    browser = served.browser()
    browser.http.cookies.set("swapflow", client.cookies["swapflow"])

    asked = browser.get(path)
    inbox = browser.get("/inbox")
    entered = browser.signs_in(name, path)

    assert asked.status_code == 403
    assert "through your organisation" in asked.text
    assert f'href="/sign-in/provider?next={quote(path)}"' in asked.text
    assert "This program opens only to people who sign in" in asked.text
    assert 'href="/sign-in/provider?next=/inbox"' in inbox.text
    assert "no reviewer role" not in inbox.text
    assert entered.headers["location"] == path
    assert browser.get(path).status_code == 200


def test_staff_by_password_see_the_reason_and_the_button(served: Served) -> None:
    served.site.launched("strict2", rules=STRICT, round_id="strict")
    client = served.site.signed_in(Role.CHAIR, email="chair2@example.org", cycle="strict2")
    browser = served.browser()
    browser.http.cookies.set("swapflow", client.cookies["swapflow"])

    asked = browser.get("/today/strict2")
    posted = browser.http.post(
        "/decide/strict2/prepare",
        headers={"Sec-Fetch-Site": "same-origin", "Referer": f"{served.address}/decide/strict2"},
    )

    assert (asked.status_code, posted.status_code) == (403, 403)
    assert 'href="/sign-in/provider?next=/today/strict2"' in asked.text
    assert 'href="/sign-in/provider?next=/decide/strict2"' in posted.text


def test_rules_may_want_the_provider_where_one_is_connected(served: Served) -> None:
    served.site.launched("free", round_id="free")
    client = served.site.signed_in(Role.ADMINISTRATOR, email="boss@example.org")
    browser = served.browser()
    browser.http.cookies.set("swapflow", client.cookies["swapflow"])
    form = _form(browser.get("/setup/free/rules").text)

    saved = browser.http.post(
        "/setup/free/rules",
        data={**form, "sign_in": "provider", "reason": "policy"},
        headers={"Sec-Fetch-Site": "same-origin"},
    )

    assert saved.status_code == 303, saved.text
    assert served.site.product.cycles.rules("free").sign_in is SignInPolicy.PROVIDER


def test_rules_may_not_want_the_provider_where_none_is_connected(site: Site) -> None:
    site.product = compose(replace(site.product.context, provider=False))
    site.launched("fall", rules=STRICT, launch=False)

    with pytest.raises(InvalidInputError, match="no identity provider is connected"):
        site.product.cycles.launch("fall", by="ops")

    assert [o.step.value for o in site.product.cycles.launch_problems("fall")] == ["rules"]
    with pytest.raises(InvalidInputError, match="SWAPFLOW_OIDC_ISSUER"):
        site.product.cycles.change_rules(
            "fall", replace(STRICT, budget=70), by="ops", reason="more"
        )


def test_without_a_provider_there_is_no_button_and_no_way(site: Site) -> None:
    client = site.anonymous()

    page, way = client.get("/sign-in"), client.get("/sign-in/provider")

    assert "/sign-in/provider" not in page.text
    assert way.status_code == client.get("/sign-in/provider/return").status_code == 404


def _form(page: str) -> dict[str, str]:
    """Read a form's fields as they stand."""
    fields = dict(re.findall(r'<input[^>]*name="([^"]+)"[^>]*?value="([^"]*)"', page))
    select = re.compile(r'<select[^>]*name="([^"]+)"[^>]*>(.*?)</select>', re.DOTALL)
    for name, options in select.findall(page):
        chosen = re.search(r'value="([^"]*)"[^>]*selected', options)
        fields[name] = chosen[1] if chosen else ""
    area = re.compile(r'<textarea[^>]*name="([^"]+)"[^>]*>(.*?)</textarea>', re.DOTALL)
    fields |= dict(area.findall(page))
    return {name: unescape(value) for name, value in fields.items()}


# What the settings need


def test_without_the_extra_the_pages_say_what_to_install(
    tmp_path: Path, there: IdentityProvider
) -> None:
    hidden = "import sys; sys.modules['authlib'] = None; from swapflow.cli.main import run; run()"
    environment = {**there.settings, "SWAPFLOW_DATA_DIR": str(tmp_path)}
    with Process([sys.executable, "-c", hidden, "web"], env=environment) as process:
        process.wait_for(lambda: process.code is not None, what="a refusal")

        assert process.code == 2
        assert "pip install 'swapflow[sso]'" in process.output()
        assert "Traceback" not in process.output()


def test_nothing_of_the_extra_is_imported_without_a_provider(tmp_path: Path) -> None:
    script = (
        "import sys; import swapflow.web.app; "
        "sys.exit(' '.join({'authlib', 'itsdangerous', 'joserfc'} & set(sys.modules)) or 0)"
    )
    with Process([sys.executable, "-c", script], env=dict(os.environ)) as process:
        process.wait_for(lambda: process.code is not None, what="an end")

        assert process.code == 0, process.output()
