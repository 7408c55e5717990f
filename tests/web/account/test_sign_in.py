"""Links, codes, passwords, sessions, and writes that come from elsewhere."""

import re
from html import unescape

import pytest
from starlette.testclient import TestClient

from swapflow.identity.account import Method
from swapflow.identity.permissions import Role
from tests.web.site import PASSWORD, Site


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


def test_a_sixth_link_within_the_hour_is_refused_with_a_time(site: Site) -> None:
    site.launched("fall")
    client = site.anonymous()
    for email in (R1, "r9@example.org"):
        answers = [client.post("/sign-in/link", data={"email": email}) for _ in range(6)]
        assert [a.status_code for a in answers] == [200] * 5 + [429]
        assert "minutes" in answers[-1].text


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
