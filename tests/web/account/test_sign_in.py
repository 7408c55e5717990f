"""Links, codes, passwords, sessions, and writes that come from elsewhere."""

import re
from html import unescape

import pytest
from starlette.testclient import TestClient

from swapflow.identity.account import Method
from swapflow.identity.permissions import Role
from tests.web.client import Browser
from tests.web.site import ADDRESS, PASSWORD, SAME_ORIGIN, Site


R1 = "r1@example.org"


def ask_for_link(site: Site, email: str = R1, path: str = "/inbox") -> TestClient:
    client = site.anonymous()
    assert client.post("/sign-in/link", data={"email": email, "next": path}).status_code == 200
    site.turn()
    return client


def link_in(site: Site) -> str:
    """The path of the link in the newest mail."""
    found = re.findall(r"http://testserver(/sign-in/link/\S+)", site.mails[-1].text)
    assert found, site.mails[-1].text
    return str(found[0])


def links_for(site: Site, email: str) -> list[str]:
    """The paths of all links mailed to an address, the newest last."""
    return [
        found
        for mail in site.mails
        if mail.to == email
        for found in re.findall(r"http://testserver(/sign-in/link/\S+)", mail.text)
    ]


def code_in(site: Site) -> str:
    found = re.findall(r"\b\d{6}\b", site.mails[-1].text)
    assert found, site.mails[-1].text
    return str(found[0])


def who(client: TestClient) -> str:
    """Whom the account page greets, "" for nobody."""
    found = re.search(r"You sign in as (\S+)\.</p>", client.get("/me").text)
    return found[1] if found else ""


def forget_mails(site: Site) -> None:
    site.mails.clear()


# Links


def test_a_mail_scanner_that_opens_the_link_does_not_spend_it(site: Site) -> None:
    site.launched("fall")
    forget_mails(site)
    ask_for_link(site)
    link = link_in(site)

    scanner, person = site.anonymous(), site.anonymous()
    opened = [scanner.request(m, link) for m in ("GET", "HEAD", "GET")]

    assert [r.status_code for r in opened] == [200, 200, 200]
    assert "Continue as r…@example.org" in opened[0].text
    assert R1 not in opened[0].text
    assert opened[0].headers["referrer-policy"] == "no-referrer"
    assert not scanner.cookies
    entered = person.post(link)
    assert (entered.status_code, entered.headers["location"]) == (303, "/inbox")
    assert who(person) == R1


def test_a_reviewer_without_an_account_gets_one_by_the_first_link(site: Site) -> None:
    site.launched("fall")
    assert site.office.context.ledger.account_of("r3@example.org") is None

    client = ask_for_link(site, "R3@Example.org ")
    client.post(link_in(site))

    assert who(client) == "r3@example.org"
    assert client.get("/inbox").status_code == 200


def test_a_used_link_offers_a_new_one_and_returns_to_the_same_review(site: Site) -> None:
    site.launched("fall")
    review = f"/tasks/{site.product.tasks.code(site.product.tasks.inbox('fall', 'R1')[0].id)}"
    ask_for_link(site, path=review)
    old = link_in(site)
    site.anonymous().post(old)
    client = site.anonymous()

    shown = client.get(old)
    assert shown.status_code == 410
    assert "Send me a new one" in shown.text
    assert R1 not in shown.text
    forget_mails(site)
    client.post(f"{old}/again")
    site.turn()

    assert [mail.to for mail in site.mails] == [R1]
    entered = client.post(link_in(site))
    assert entered.headers["location"] == review
    assert client.get(review).status_code == 200


def test_a_used_link_leads_whoever_is_still_signed_in_straight_on(site: Site) -> None:
    site.launched("fall")
    ask_for_link(site, path="/inbox")
    link, client = link_in(site), site.anonymous()
    client.post(link)

    again = client.get(link)

    assert (again.status_code, again.headers["location"]) == (303, "/inbox")


def test_a_link_lets_in_once_even_when_it_is_pressed_twice(site: Site) -> None:
    site.launched("fall")
    ask_for_link(site)
    link, first, second = link_in(site), site.anonymous(), site.anonymous()

    assert first.post(link).status_code == 303
    assert second.post(link).status_code == 410
    assert who(second) == ""


def test_a_link_is_good_for_an_hour(site: Site) -> None:
    site.launched("fall")
    ask_for_link(site)
    link, client = link_in(site), site.anonymous()

    site.later(61 * 60)

    assert client.post(link).status_code == 410
    assert who(client) == ""


def test_a_link_that_never_was_is_not_found_and_says_what_to_do(site: Site) -> None:
    answer = site.anonymous().get("/sign-in/link/broken-in-two")

    assert answer.status_code == 404
    assert "Mail me a sign-in link" in answer.text


def test_an_unknown_address_is_answered_like_a_known_one_and_gets_no_mail(site: Site) -> None:
    site.launched("fall")
    forget_mails(site)

    known = site.anonymous().post("/sign-in/link", data={"email": R1})
    unknown = site.anonymous().post("/sign-in/link", data={"email": "r9@example.org"})
    site.turn()

    assert known.status_code == unknown.status_code == 200
    assert known.text.replace(R1, "r9@example.org") == unknown.text
    assert [mail.to for mail in site.mails] == [R1]


def test_the_mail_comes_while_no_program_runs(site: Site) -> None:
    site.account("chair@example.org")

    ask_for_link(site, "chair@example.org")

    assert [mail.to for mail in site.mails] == ["chair@example.org"]


def test_neither_token_nor_code_stays_in_the_database_once_the_mail_is_out(site: Site) -> None:
    site.launched("fall")
    ask_for_link(site)
    token, code = link_in(site).rpartition("/")[2], code_in(site)

    with site.ledger._database.reading() as connection:
        script = "\n".join(connection.connection.driver_connection.iterdump())  # type: ignore[union-attr]  # SQLite's own

    assert token not in script
    assert code not in re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+|[0-9a-f]{64}", "", script)


def test_a_sixth_mail_within_half_an_hour_is_not_sent_and_the_fifth_lets_in(site: Site) -> None:
    site.launched("fall")
    client = site.anonymous()
    for email in ("r9@example.org", R1):
        answers = [client.post("/sign-in/link", data={"email": email}) for _ in range(6)]
        site.turn()

        assert [a.status_code for a in answers] == [200] * 6
        assert ["the newest one works" in a.text for a in answers] == [False] * 5 + [True], email

    assert len(links_for(site, R1)) == 5
    assert client.post(links_for(site, R1)[-1]).status_code == 303
    ask_for_link(site)
    assert len(links_for(site, R1)) == 6, "whoever has come in may ask again"


# Codes


def test_a_typed_code_lets_in_and_returns_to_the_same_place(site: Site) -> None:
    site.launched("fall")
    client = ask_for_link(site, path="/inbox?from=mail")
    code = code_in(site)

    entered = client.post("/sign-in/code", data={"email": R1, "code": f"{code[:3]} {code[3:]}"})

    assert (entered.status_code, entered.headers["location"]) == (303, "/inbox?from=mail")
    assert who(client) == R1
    again = site.anonymous().post("/sign-in/code", data={"email": R1, "code": code})
    assert again.status_code == 401


def test_five_wrong_codes_kill_the_right_one_and_never_tell_who_is_known(site: Site) -> None:
    site.launched("fall")
    client = ask_for_link(site)
    right = code_in(site)
    wrong = f"{(int(right) + 1) % 10**6:06d}"

    said = [client.post("/sign-in/code", data={"email": R1, "code": wrong}) for _ in range(5)]
    dead = client.post("/sign-in/code", data={"email": R1, "code": right})
    unknown = client.post("/sign-in/code", data={"email": "r9@example.org", "code": right})

    assert {a.status_code for a in (*said, dead, unknown)} == {401}
    assert dead.text == said[0].text == unknown.text.replace("r9@example.org", R1)
    assert who(client) == ""
    assert client.post(link_in(site)).status_code == 303


def test_a_script_signs_in_where_it_is(site: Site) -> None:
    site.launched("fall")
    client = site.anonymous()
    client.headers["Accept"] = "application/json"

    sent = client.post("/sign-in/link", data={"email": R1, "next": "/inbox"})
    site.turn()
    refused = client.post("/sign-in/code", data={"email": R1, "code": "no"})
    entered = client.post("/sign-in/code", data={"email": R1, "code": code_in(site)})

    assert sent.json() == {"sent": True}
    assert refused.status_code == 401
    assert "code is wrong" in refused.json()["detail"]
    assert entered.json() == {"signed_in": True, "next": "/inbox"}
    assert who(client) == R1


# Passwords


def test_staff_sign_in_by_password_and_land_where_they_wanted(site: Site) -> None:
    site.account("chair@example.org", password=PASSWORD)
    client = site.anonymous()

    wrong = client.post(
        "/sign-in/password",
        data={"email": "chair@example.org", "password": "wrong", "next": "/me"},
    )
    right = client.post(
        "/sign-in/password",
        data={"email": "Chair@example.org", "password": PASSWORD, "next": "/me"},
    )

    assert wrong.status_code == 401
    assert 'value="chair@example.org"' in wrong.text
    assert 'value="/me"' in wrong.text
    assert (right.status_code, right.headers["location"]) == (303, "/me")
    cookie = right.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie


def test_guessing_a_password_is_stopped_even_for_the_right_one(site: Site) -> None:
    site.account("chair@example.org", password=PASSWORD)
    form = {"email": "chair@example.org", "password": "guess guess guess"}

    tried = [site.anonymous().post("/sign-in/password", data=form) for _ in range(11)]
    right = site.anonymous().post("/sign-in/password", data={**form, "password": PASSWORD})

    assert [a.status_code for a in tried] == [401] * 10 + [429]
    assert right.status_code == 429
    assert "minutes" in right.text


def test_signing_in_rightly_uses_up_no_tries(site: Site) -> None:
    site.account("chair@example.org", password=PASSWORD)
    form = {"email": "chair@example.org", "password": PASSWORD}
    codes = []
    for _ in range(40):
        right = site.anonymous().post("/sign-in/password", data=form)
        codes.append(right.status_code)

    assert set(codes) == {303}
    site.launched("fall")
    for _ in range(35):
        client = ask_for_link(site)
        assert (
            client.post("/sign-in/code", data={"email": R1, "code": code_in(site)}).status_code
            == 303
        )


# Strangers who use up tries


def attacked(site: Site, email: str) -> None:
    """Use up, as a stranger, every try of an account: passwords, mails, and the newest code."""
    stranger = at(site, "198.51.100.7")
    for _ in range(11):
        stranger.post("/sign-in/password", data={"email": email, "password": "guess guess"})
    for _ in range(6):
        stranger.post("/sign-in/link", data={"email": email})
    for number in range(6):
        stranger.post("/sign-in/code", data={"email": email, "code": f"00000{number}"})
    site.turn()


def at(site: Site, address: str) -> TestClient:
    """A browser at a network address of its own."""
    return Browser(
        site.app,
        base_url=ADDRESS,
        headers=dict(SAME_ORIGIN),
        follow_redirects=False,
        client=(address, 50000),
    )


def test_a_device_that_signed_in_before_comes_in_by_every_way_whatever_strangers_do(
    site: Site,
) -> None:
    site.account("chair@example.org", password=PASSWORD)
    form = {"email": "chair@example.org", "password": PASSWORD}
    own = at(site, "203.0.113.5")
    assert own.post("/sign-in/password", data=form).status_code == 303
    own.post("/sign-out")
    attacked(site, "chair@example.org")

    assert at(site, "203.0.113.6").post("/sign-in/password", data=form).status_code == 429
    assert own.post("/sign-in/password", data=form).status_code == 303
    own.post("/sign-out")
    sent = len(site.mails)
    assert "the newest one works" not in own.post("/sign-in/link", data=form).text
    site.turn()
    assert len(site.mails) == sent + 1
    code = {"email": form["email"], "code": code_in(site)}
    assert own.post("/sign-in/code", data=code).status_code == 303


def test_a_new_device_comes_in_by_the_newest_mail_whatever_strangers_do(site: Site) -> None:
    site.launched("fall")
    attacked(site, R1)
    new = at(site, "203.0.113.5")

    asked = new.post("/sign-in/link", data={"email": R1, "next": "/inbox"})

    assert asked.status_code == 200
    assert "the newest one works" in asked.text
    assert new.post(link_in(site)).status_code == 303
    assert who(new) == R1


def test_a_stranger_at_the_same_network_keeps_no_known_device_out(site: Site) -> None:
    site.account("chair@example.org", password=PASSWORD)
    form = {"email": "chair@example.org", "password": PASSWORD}
    own, stranger = at(site, "203.0.113.5"), at(site, "203.0.113.5")
    own.post("/sign-in/password", data=form)
    for number in range(31):
        other = f"p{number}@example.org"
        stranger.post("/sign-in/password", data={"email": other, "password": "guess guess"})
        stranger.post("/sign-in/link", data={"email": other})

    assert stranger.post("/sign-in/link", data={"email": R1}).status_code == 429
    assert stranger.post("/sign-in/password", data=form).status_code == 429
    assert own.post("/sign-in/link", data=form).status_code == 200
    assert own.post("/sign-in/password", data=form).status_code == 303


def test_a_known_device_guesses_no_further_than_a_stranger(site: Site) -> None:
    site.account("chair@example.org", password=PASSWORD)
    form = {"email": "chair@example.org", "password": PASSWORD}
    own = at(site, "203.0.113.5")
    own.post("/sign-in/password", data=form)

    tried = [own.post("/sign-in/password", data={**form, "password": "guess"}) for _ in range(11)]

    assert [a.status_code for a in tried] == [401] * 10 + [429]


def test_the_cookie_of_a_device_passes_for_one_account_and_cannot_be_made_up(site: Site) -> None:
    for email in ("chair@example.org", "other@example.org"):
        site.account(email, password=PASSWORD)
    own = at(site, "203.0.113.5")
    own.post("/sign-in/password", data={"email": "other@example.org", "password": PASSWORD})
    cookie = own.cookies["swapflow-device"]
    attacked(site, "chair@example.org")
    form = {"email": "chair@example.org", "password": PASSWORD}
    chair = site.account("chair@example.org").id
    _, device, signature = cookie.split(".")

    for made in (
        cookie,
        f"{chair}.{device}.{signature}",
        f"{chair}.{device}.",
        "~" * 5000,
        "%C3%A9",
    ):
        forger = at(site, "203.0.113.9")
        forger.headers["Cookie"] = f"swapflow-device={made}"
        assert forger.post("/sign-in/password", data=form).status_code == 429, made


def test_a_device_is_known_to_each_of_the_people_who_share_it(site: Site) -> None:
    people = [f"p{number}@example.org" for number in range(5)]
    shared = at(site, "203.0.113.5")
    for email in people:
        site.account(email, password=PASSWORD)
        shared.post("/sign-in/password", data={"email": email, "password": PASSWORD})
    for email in people:
        attacked(site, email)

    for email in people:
        right = shared.post("/sign-in/password", data={"email": email, "password": PASSWORD})
        assert right.status_code == 303, email


def test_addresses_of_one_ipv6_network_are_one_and_of_another_are_not(site: Site) -> None:
    def tried(address: str, number: int) -> int:
        form = {"email": f"p{number}@example.org", "password": "guess guess"}
        return at(site, address).post("/sign-in/password", data=form).status_code

    own = [tried(f"2001:db8:1:2:{number:x}::1", number) for number in range(31)]

    assert own == [401] * 30 + [429]
    assert tried("2001:db8:1:3::1", 99) == 401
    assert tried("::ffff:203.0.113.5", 98) == 401


def test_strangers_tries_keep_nobody_from_changing_the_own_password(site: Site) -> None:
    account = site.account("chair@example.org", password=PASSWORD)
    client = site.signed_in(email=account.email)
    attacked(site, account.email)
    new = "new correct horse battery"

    wrong = [
        client.post("/me/password", data={"old": "guess", "new": new, "again": new}).status_code
        for _ in range(3)
    ]
    right = client.post("/me/password", data={"old": PASSWORD, "new": new, "again": new})

    assert wrong == [422] * 3
    assert right.status_code == 303, right.text


def test_a_changed_password_keeps_this_device_and_signs_the_others_out(site: Site) -> None:
    site.account("chair@example.org", password=PASSWORD)
    here, there = (site.signed_in(Role.CHAIR) for _ in range(2))

    weak = here.post("/me/password", data={"old": PASSWORD, "new": "short"})
    wrong = here.post("/me/password", data={"old": "not it", "new": "four unrelated words here"})
    done = here.post("/me/password", data={"old": PASSWORD, "new": "four unrelated words here"})

    assert (weak.status_code, wrong.status_code, done.status_code) == (422, 422, 303)
    assert who(here) == "chair@example.org"
    assert who(there) == ""


# Sessions


def test_signing_in_anew_ends_the_session_that_the_device_had(site: Site) -> None:
    site.launched("fall")
    client, copied = site.signed_in(email=R1, method=Method.LINK), site.anonymous()
    copied.cookies.update(client.cookies)
    assert who(copied) == R1
    ask_for_link(site)

    entered = client.post(link_in(site))

    assert "swapflow=" in entered.headers["set-cookie"]
    assert who(copied) == ""
    assert len(site.office.context.ledger.sessions(site.account(R1).id)) == 1


def test_a_device_that_is_signed_out_is_out_at_once_and_others_stay(site: Site) -> None:
    one, two = (site.signed_in(email="boss@example.org") for _ in range(2))
    page = one.get("/me").text
    device = re.search(r'name="device" value="(\w+)"', page)
    assert device, page

    assert one.post("/me/devices/end", data={"device": device[1]}).status_code == 303

    assert who(two) == ""
    assert who(one) == "boss@example.org"


def test_nobody_signs_somebody_elses_device_out(site: Site) -> None:
    boss, other = site.signed_in(email="boss@example.org"), site.signed_in(email="x@example.org")
    session = site.office.context.ledger.sessions(site.account("boss@example.org").id)[0]

    assert other.post("/me/devices/end", data={"device": session.digest}).status_code == 404

    assert who(boss) == "boss@example.org"


def test_signing_out_everywhere_ends_every_device_of_this_account_only(site: Site) -> None:
    one, two = (site.signed_in(email="boss@example.org") for _ in range(2))
    other = site.signed_in(email="x@example.org")

    left = one.post("/sign-out", data={"everywhere": "true"})

    assert left.headers["location"] == "/sign-in"
    assert [who(client) for client in (one, two, other)] == ["", "", "x@example.org"]


def test_a_closed_account_is_out_with_the_next_click_and_gets_no_link(site: Site) -> None:
    site.launched("fall")
    client = site.signed_in(email=R1, method=Method.LINK)
    forget_mails(site)

    site.office.users.deactivate(site.account(R1), by="ops")
    ask_for_link(site)

    assert who(client) == ""
    assert site.mails == []


def test_a_link_mailed_before_the_account_was_closed_lets_nobody_in(site: Site) -> None:
    account = site.account("boss@example.org")
    client = ask_for_link(site, "boss@example.org")
    site.office.users.deactivate(account, by="ops")

    refused = client.post(link_in(site))

    assert refused.status_code == 403
    assert "closed" in refused.text
    assert who(client) == ""


# From elsewhere


@pytest.mark.parametrize(
    "path",
    ["//evil.test", "https://evil.test/", "/\\evil.test", "/\t/evil.test", "javascript:x"],
)
def test_no_link_of_ours_leads_to_another_site(site: Site, path: str) -> None:
    site.account("chair@example.org", password=PASSWORD)
    site.launched("fall")
    form = {"email": "chair@example.org", "password": PASSWORD, "next": path}

    by_password = site.anonymous().post("/sign-in/password", data=form)
    ask_for_link(site, path=path)
    by_link = site.anonymous().post(link_in(site))
    shown = site.anonymous().get("/sign-in", params={"next": path})

    assert by_password.headers["location"] == by_link.headers["location"] == "/"
    assert "evil" not in shown.text
    assert "javascript:" not in shown.text


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Sec-Fetch-Site": "same-origin"}, 303),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://testserver"}, 303),
        ({"Origin": "http://eviltestserver"}, 403),
        ({"Origin": "http://testserver.evil.example"}, 403),
        ({}, 403),
    ],
)
def test_another_site_cannot_make_a_signed_in_browser_write(
    site: Site, headers: dict[str, str], status: int
) -> None:
    client = site.signed_in(email="boss@example.org")
    del client.headers["Sec-Fetch-Site"]

    assert client.post("/sign-out", headers=headers).status_code == status

    assert bool(who(client)) == (status == 403)


def test_a_page_that_needs_a_sign_in_comes_back_to_itself(site: Site) -> None:
    led = site.anonymous().get("/applicants/fall?sort=margin&page=2")

    assert led.status_code == 303
    assert led.headers["location"] == "/sign-in?next=/applicants/fall%3Fsort%3Dmargin%26page%3D2"


def test_a_form_sent_after_the_session_has_ended_comes_back_to_be_sent_again(site: Site) -> None:
    site.launched("fall")
    client, assignment = site.assigned()
    task = f"/tasks/{site.product.tasks.code(assignment.id)}"
    cookies = dict(client.cookies)
    client.cookies.clear()

    out = client.post(
        task, data={"c0": "3", "c1": "3", "remark": '<b>"typed"</b>', "then": "stay"}
    )
    fields = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', out.text))
    client.cookies.update(cookies)
    again = client.post(task, data={name: unescape(value) for name, value in fields.items()})

    assert out.status_code == 401
    assert f'action="{task}"' in out.text
    assert again.status_code == 303
    assert "&lt;b&gt;&#34;typed&#34;&lt;/b&gt;" in client.get(again.headers["location"]).text


def test_a_password_sent_after_the_session_has_ended_is_not_written_into_a_page(
    site: Site,
) -> None:
    out = site.anonymous().post("/me/password", data={"old": PASSWORD, "password": PASSWORD})

    assert out.status_code == 401
    assert PASSWORD not in out.text
