"""Without a mail server nothing is shown as sent, and people are told at once."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from swapflow.identity.permissions import Role
from swapflow.settings import Settings
from tests.support.migrated import new_database
from tests.web.site import Site


NO_SERVER = "no mail server"


@pytest.fixture
def mute(tmp_path: Path, settings: Settings) -> Iterator[Site]:
    """A site from which no mail leaves."""
    database = tmp_path / "mute.db"
    new_database(database)
    made = Site(database, settings=settings, mail_leaves=False)
    yield made
    made.ledger.dispose()


def test_a_mail_that_does_not_leave_is_not_sent(mute: Site) -> None:
    mute.launched()
    counts = mute.product.outbox.count("fall")
    page = mute.signed_in(Role.OPERATIONS).get("/today/fall/mail").text

    assert set(counts) == {"not sent"}
    assert counts["not sent"] == len(mute.mails) > 0
    assert "waiting: no mail server" in page
    assert "✓ sent" not in page


def test_it_leaves_once_there_is_a_server(site: Site, mute: Site) -> None:
    mute.launched()
    (first, *_) = mute.product.outbox.mails("fall")
    later = Site(mute.file, settings=mute.settings)
    staff = later.signed_in(Role.OPERATIONS)

    assert staff.get("/today/fall/mail?state=not%20sent").text.count("waiting: no mail") > 1
    again = staff.post(f"/today/fall/mail/{first.mail.id}/again")
    later.turn()
    assert again.status_code == 303
    assert [mail.id for mail in later.mails] == [first.mail.id]
    assert later.product.outbox.mail("fall", first.mail.id).mail.state == "sent"

    staff.post("/today/fall/mail/again")
    later.turn()
    assert set(later.product.outbox.count("fall")) == {"sent"}
    later.ledger.dispose()


def test_staff_see_a_banner_on_every_page_and_reviewers_do_not(mute: Site, site: Site) -> None:
    mute.launched()
    site.launched()
    staff, (reviewer, _) = mute.signed_in(Role.COORDINATOR), mute.assigned()

    for path in ("/today/fall", "/applicants/fall", "/setup/fall/rules"):
        assert "no-mail-server" in staff.get(path).text
    assert "no-mail-server" not in reviewer.get("/inbox").text
    assert "no-mail-server" not in site.signed_in(Role.COORDINATOR).get("/today/fall").text


def test_the_launch_says_so_on_page_and_api(mute: Site) -> None:
    mute.launched(launch=False)
    staff = mute.signed_in(Role.ADMINISTRATOR)

    page = staff.get("/setup/fall/launch").text
    assert NO_SERVER in page.lower()
    assert "reviewers get no mail" in page
    account = mute.account("administrator@example.org")
    key, _ = mute.office.api_clients.make_key(
        mute.office.context.principal_of(account), name="test", scopes=["read", "write"], days=None
    )
    seen = mute.anonymous().get(
        "/api/v1/cycles/fall/launch-preview", headers={"Authorization": f"Bearer {key}"}
    )
    assert any(NO_SERVER in str(one) for one in seen.json()["warnings"])


def test_an_invitation_that_cannot_leave_names_the_command(mute: Site, site: Site) -> None:
    form = {"email": "new@example.org", "role": "observer", "where": "office"}
    answers = [
        one.signed_in(Role.ADMINISTRATOR)
        .post("/setup/users", data=form, follow_redirects=True)
        .text
        for one in (mute, site)
    ]

    assert "swapflow user link" in answers[0]
    assert "on its way" not in answers[0]
    assert "on its way" in answers[1]
    sent = mute.anonymous().post("/sign-in/link", data={"email": "new@example.org"})
    assert "No mail can be sent now." in sent.text
    assert "on its way" not in sent.text


@pytest.mark.parametrize(("role", "may"), [(Role.OPERATIONS, True), (Role.COMMITTEE, False)])
def test_who_may_connect_mail_is_led_there(mute: Site, role: Role, *, may: bool) -> None:
    mute.launched()
    client = mute.signed_in(role)

    page = client.get("/decide/fall").text

    assert "No mail server is connected. Mails wait until one is." in page
    assert ('href="/setup/system#mail"' in page) is may
    assert (client.get("/setup/system").status_code == 200) is may
