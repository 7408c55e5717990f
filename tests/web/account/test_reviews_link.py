"""The link in a reviewer's mail: one mail, one press, signed in; stored only as a digest."""

import re
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from swapflow.domain.personal_link import MASK
from swapflow.domain.rules import SignInPolicy
from swapflow.engine.services import compose
from swapflow.errors import MailRefusedError
from swapflow.identity.permissions import Role
from swapflow.settings import Settings, load_settings
from tests.web.site import ADDRESS, SITE_RULES, Site


R1 = "r1@example.org"
DAY = timedelta(days=1).total_seconds()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load_settings(data_dir=tmp_path, public_url=ADDRESS, office_name="Graduate Admissions")


def invitation(site: Site, email: str = R1) -> str:
    """The text of the newest mail to a reviewer."""
    return [mail.text for mail in site.mails if mail.to == email][-1]


def link_in(text: str) -> str:
    """The path of the personal link in a mail."""
    (found,) = re.findall(r"(/sign-in/reviews/\S+)", text)
    return str(found)


def who(client: TestClient) -> str:
    """Whom the account page greets, "" for nobody."""
    found = re.search(r"You sign in as (\S+)\.</p>", client.get("/me").text)
    return found[1] if found else ""


def test_one_mail_invites_and_its_button_signs_in(site: Site) -> None:
    site.launched("fall")
    text = invitation(site)

    assert sum(mail.to == R1 for mail in site.mails) == 1
    assert "Graduate Admissions asks you for" in text
    assert "about" in text
    assert "is due by" in text
    link = link_in(text)
    scanner, person = site.anonymous(), site.anonymous()
    opened = [scanner.request(method, link) for method in ("GET", "HEAD", "GET")]
    assert [page.status_code for page in opened] == [200, 200, 200]
    assert "Continue as r…@example.org" in opened[0].text
    assert R1 not in opened[0].text
    assert opened[0].headers["referrer-policy"] == "no-referrer"
    assert opened[0].headers["cache-control"] == "no-store"
    assert not scanner.cookies

    entered = person.post(link)

    assert (entered.status_code, entered.headers["location"]) == (303, "/inbox")
    assert who(person) == R1


def test_a_used_link_lets_nobody_in_and_offers_a_new_one(site: Site) -> None:
    site.launched("fall")
    link = link_in(invitation(site))
    site.anonymous().post(link)
    client = site.anonymous()

    assert client.post(link).status_code == 410
    assert who(client) == ""
    assert "Send me a new one" in client.get(link).text
    client.post(f"{link}/again")
    site.turn()
    (new,) = re.findall(r"http://testserver(/sign-in/link/\S+)", invitation(site))
    assert client.post(new).headers["location"] == "/inbox"
    assert who(client) == R1


def test_a_link_ends_with_the_day_on_which_the_last_review_is_due(site: Site) -> None:
    site.launched("fall")
    link = link_in(invitation(site))
    last = max(a.due_at for a in site.product.tasks.inbox("fall", "R1") if a.due_at)
    left = (last - site.ledger.now()).total_seconds()

    site.later(left - 60)
    assert site.anonymous().get(link).status_code == 200
    site.later(left + 60)

    assert site.anonymous().get(link).status_code == 410
    assert site.anonymous().post(link).status_code == 410


def test_a_link_that_opens_more_than_reviews_ends_after_a_week(site: Site) -> None:
    site.launched("fall")
    site.signed_in(Role.CHAIR, email=R1, cycle="fall")
    staff, reviewer = link_in(invitation(site)), link_in(invitation(site, "r2@example.org"))

    site.later(8 * DAY)

    pages = [site.anonymous().get(link).status_code for link in (staff, reviewer)]
    assert pages == [410, 200]


def test_a_link_to_an_address_that_left_the_roster_is_unknown(site: Site) -> None:
    site.launched("fall")
    link = link_in(invitation(site))
    site.product.reviewers.leave("fall", "R1", by="ops")
    site.turn()
    left = site.anonymous().get(link).status_code
    site.product.reviewers.erase("fall", "R1", by="ops")
    client = site.anonymous()

    assert left == 404
    assert client.get(link).status_code == 404
    assert client.post(link).status_code == 404
    assert client.get("/sign-in/reviews/never-was").status_code == 404
    assert who(client) == ""


def test_a_closed_account_is_not_opened_by_its_links(site: Site) -> None:
    site.launched("fall")
    account = site.account(R1)
    site.office.users.deactivate(account, by="ops")

    client = site.anonymous()

    assert client.post(link_in(invitation(site))).status_code in {403, 410}
    assert who(client) == ""


def test_a_program_that_wants_the_provider_is_not_opened_by_a_link(site: Site) -> None:
    site.launched("fall", rules=replace(SITE_RULES, sign_in=SignInPolicy.PROVIDER))
    link = link_in(invitation(site))
    client = site.anonymous()

    assert "Continue as" not in client.get(link).text
    client.post(link)
    assert who(client) == ""


def test_the_stored_mail_and_what_staff_see_of_it_open_nothing(site: Site) -> None:
    site.launched("fall")
    token = link_in(invitation(site)).rpartition("/")[2]
    staff = site.signed_in(Role.OPERATIONS)
    (record,) = [
        one for one in site.product.outbox.mails("fall", at_most=100) if one.mail.to == R1
    ]
    log = f"/today/fall/mail/{record.mail.id}"

    seen = [staff.get(f"{log}{end}").text for end in ("", "/html", "/eml")]

    assert f"/sign-in/reviews/{MASK}" in record.mail.text
    assert all(token not in page for page in seen)
    assert token.encode() not in site.file.read_bytes()
    assert site.anonymous().get(f"/sign-in/reviews/{MASK}").status_code == 404


def test_a_server_that_quotes_the_mail_which_it_refuses_gives_nothing_away(site: Site) -> None:
    tokens: list[str] = []

    def refuse(mail: object) -> None:
        text = str(getattr(mail, "text"))  # noqa: B009 - any mail
        if "/sign-in/reviews/" in text:
            tokens.append(link_in(text).rpartition("/")[2])
        raise MailRefusedError("mail_server_says", host="mx", answer=f"550 spam: {text[:390]}")

    site.launched("fall")
    product = compose(replace(site.product.context, post=refuse))
    for record in site.product.outbox.mails("fall", at_most=100):
        site.ledger.mark_mail(record.mail.id, "queued")
        product.outbox.send_mail(record.mail.id)

    failed = site.product.outbox.mails("fall", state="failed", at_most=100)
    assert failed
    assert tokens
    assert all(token not in one.detail for one in failed for token in tokens)


def test_a_mail_that_leaves_twice_holds_two_links_that_open_the_same_once(site: Site) -> None:
    site.launched("fall")
    first = link_in(invitation(site))
    (record,) = [
        one for one in site.product.outbox.mails("fall", at_most=100) if one.mail.to == R1
    ]
    # A worker that died after the mail left: the mail is claimed again and leaves once more.
    site.ledger.mark_mail(record.mail.id, "queued")
    site.product.outbox.send_mail(record.mail.id)
    second = link_in(invitation(site))
    one, other = site.anonymous(), site.anonymous()

    assert first != second
    assert one.post(first).status_code == 303
    assert other.post(second).status_code == 410


def test_without_a_mail_server_no_link_is_made(site: Site) -> None:
    site.product = compose(replace(site.product.context, mail_leaves=False))
    site.launched("fall")

    assert link_in(invitation(site)) == f"/sign-in/reviews/{MASK}"
