"""Mails that came back, as staff see them beside the person, and what they press."""

from starlette.testclient import TestClient

from swapflow.domain.returned_mail import Bounce, BounceKind, BounceReading
from swapflow.identity.permissions import Role
from tests.web.forms import revision_in
from tests.web.site import Site


def come_back(site: Site, to: str, kind: BounceKind = BounceKind.ADDRESS) -> str:
    """Have a mail to an address come back; returns the mail's id."""
    mail = next(one for one in site.mails if one.to == to)
    assert mail.code is not None
    bounce = Bounce(
        reading=BounceReading.BOUNCE,
        digest=mail.code,
        code=mail.code,
        kind=kind,
        said="550 5.1.1 no such user",
    )
    site.product.returned_mails.take(bounce)
    return mail.id


def staff(site: Site) -> TestClient:
    site.launched()
    return site.signed_in(Role.OPERATIONS)


def test_a_mail_that_came_back_is_a_line_a_thing_to_do_and_gone_once_corrected(site: Site) -> None:
    client = staff(site)
    mail = come_back(site, "r1@example.org")
    line = "Mail to r1@example.org came back: the address does not exist."

    shown = [client.get(path).text for path in ("/reviewers/fall", "/reviewers/fall/0")]
    waits = client.get("/today").text
    action = "/reviewers/fall/0/address"
    stale = client.post(action, data={"email": "rita@example.org", "revision": "0"})
    unusable = client.post(
        action, data={"email": "rita", "revision": revision_in(shown[1], action)}
    )
    done = client.post(
        action, data={"email": "rita@example.org", "revision": revision_in(shown[1], action)}
    )
    site.turn()

    assert all(line in page for page in shown)
    assert "550 5.1.1 no such user" in shown[1]
    assert "ail to 1 reviewer came back" in waits
    assert (stale.status_code, unusable.status_code, done.status_code) == (409, 422, 303)
    assert [one.to for one in site.mails if one.id == mail] == [
        "r1@example.org",
        "rita@example.org",
    ]
    assert "came back" not in client.get("/reviewers/fall").text


def test_settled_takes_the_line_away_and_mail_goes_there_again(site: Site) -> None:
    client = staff(site)
    mail = come_back(site, "r1@example.org")
    page = client.get("/reviewers/fall/0").text
    action = f"/today/fall/mail/{mail}/settled"

    done = client.post(action)
    again = client.get(done.headers["location"]).text

    assert f'action="{action.replace(":", "%3A")}"' in page
    assert done.headers["location"] == "/reviewers/fall/0"
    assert "Marked 1 mail that came back as dealt with; mail goes to this address again" in again
    assert "Mail to r1@example.org" not in again
    assert not site.ledger.is_dead("r1@example.org")


def test_programs_settle_it_too_and_are_told_the_state(site: Site) -> None:
    client = staff(site)
    mail = come_back(site, "r1@example.org", BounceKind.FULL)
    mails = "/api/v1/cycles/fall/mails"

    listed = client.get(mails, params={"state": "came back"}).json()["items"]
    settled = client.post(f"{mails}/{mail}/settled")
    twice = client.post(f"{mails}/{mail}/settled")

    assert [one["id"] for one in listed] == [mail]
    assert (settled.json(), twice.status_code) == ({"count": 1}, 422)
