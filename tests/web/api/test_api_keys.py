"""Keys of the API: who asks, what a key may do, and the page on which keys are made."""

import json

import pytest

from swapflow.identity.account import Method
from swapflow.identity.permissions import Role
from tests.web.api.programs import V1, program
from tests.web.client import Browser
from tests.web.site import Site


@pytest.mark.parametrize(
    "header", ["Bearer sf_wrong", "Bearer ", "Bearer", "Basic YTpi", "sf_x", "Bearer \u00e9"]
)
def test_a_key_that_is_none_is_refused_even_beside_a_good_cookie(site: Site, header: str) -> None:
    client = site.signed_in(Role.ADMINISTRATOR)
    assert client.get(f"{V1}/cycles").status_code == 200

    refused = client.get(f"{V1}/cycles", headers={b"Authorization": header.encode("latin-1")})

    assert refused.status_code == 401
    assert refused.headers["content-type"] == "application/problem+json"
    assert refused.headers["www-authenticate"].startswith("Bearer")


def test_a_key_is_shown_once_kept_as_a_digest_and_ends_when_it_is_revoked(site: Site) -> None:
    person = site.signed_in(Role.OPERATIONS)
    made = person.post(f"{V1}/keys", json={"name": "export", "scopes": ["read"]}).json()
    client = Browser(site.app, headers={"Authorization": f"Bearer {made['key']}"})
    assert client.get(f"{V1}/me").json()["scopes"] == ["read"]

    stored = site.office.context.ledger.tokens()[0]
    assert made["key"] not in json.dumps([stored.digest, stored.name, *stored.scopes])
    assert "key" not in person.get(f"{V1}/keys").json()["items"][0]

    assert person.delete(f"{V1}/keys/{made['id']}").status_code == 204
    assert client.get(f"{V1}/me").status_code == 401


def test_an_expired_key_and_that_of_a_closed_account_are_refused(site: Site) -> None:
    client = program(site, Role.OPERATIONS)
    assert client.get(f"{V1}/me").status_code == 200
    site.later(31 * 86_400)
    assert client.get(f"{V1}/me").status_code == 401
    site.later(0)
    site.office.users.deactivate(site.account("operations@example.org"), by="test")
    assert client.get(f"{V1}/me").status_code == 401


@pytest.mark.parametrize(
    ("scopes", "reads", "writes", "tasks", "hooks"),
    [
        (("read",), 200, 403, 403, 403),
        (("write",), 403, 200, 403, 403),
        (("review",), 403, 403, 200, 403),
        (("webhooks",), 403, 403, 403, 200),
    ],
)
def test_a_key_does_no_more_than_its_scopes(
    site: Site, scopes: tuple[str, ...], reads: int, writes: int, tasks: int, hooks: int
) -> None:
    site.launched()
    client = program(site, scopes=scopes)

    assert client.get(f"{V1}/cycles/fall/applicants").status_code == reads
    assert client.post(f"{V1}/cycles/fall/pause", json={}).status_code == writes
    assert client.get(f"{V1}/tasks").status_code == tasks
    assert client.get(f"{V1}/webhooks").status_code == hooks


def test_a_key_does_no_more_than_its_account(site: Site) -> None:
    site.launched()
    site.launched("other")
    observer = program(site, Role.OBSERVER, cycle="fall")

    assert observer.get(f"{V1}/cycles/fall/progress").status_code == 200
    assert observer.get(f"{V1}/cycles/fall/applicants").status_code == 403
    assert observer.post(f"{V1}/cycles/fall/pause", json={}).status_code == 403
    assert observer.get(f"{V1}/cycles/other/progress").status_code == 404
    assert observer.get(f"{V1}/cycles/none/progress").status_code == 404
    assert [row["id"] for row in observer.get(f"{V1}/cycles").json()["items"]] == ["fall"]


def test_a_key_makes_no_keys_and_signs_nothing(site: Site) -> None:
    site.launched()
    client = program(site)
    made = client.post(f"{V1}/keys", json={"name": "child", "scopes": ["read"]})
    assert made.status_code == 403
    signed = client.post(f"{V1}/cycles/fall/decision/signatures", json={"digest": "0" * 64})
    assert signed.status_code == 403


def test_a_key_that_asks_too_often_is_told_when_to_go_on(site: Site) -> None:
    client = program(site, Role.OBSERVER)
    key = client.headers["Authorization"].removeprefix("Bearer ")
    # Most of them without a page around them: on a busy machine 600 pages take over a minute.
    for _ in range(599):
        site.office.api_clients.principal(key)
    allowed, refused = client.get(f"{V1}/me"), client.get(f"{V1}/me")

    assert (allowed.status_code, refused.status_code) == (200, 429)
    assert 0 < int(refused.headers["retry-after"]) <= 60


def test_another_site_cannot_use_a_cookie_at_the_api(site: Site) -> None:
    site.launched()
    person = site.signed_in(Role.ADMINISTRATOR)
    refused = person.post(
        f"{V1}/cycles/fall/pause", json={}, headers={"Sec-Fetch-Site": "cross-site"}
    )
    assert refused.status_code == 403
    assert refused.headers["content-type"] == "application/problem+json"
    assert site.product.cycles.get("fall").status.value == "running"


def test_a_key_is_made_at_the_screen_and_shown_this_once(site: Site) -> None:
    person = site.signed_in(email="r1@example.org", method=Method.LINK)
    page = person.post("/me/keys", data={"name": "my script", "scopes": ["review"], "days": "30"})
    assert page.status_code == 200
    key = page.text.split('value="sf_')[1].split('"')[0]
    assert key not in person.get("/me/keys").text
    assert "my script" in person.get("/me/keys").text

    refused = person.post("/me/keys", data={"name": "  ", "scopes": ["all"], "days": "9"})
    assert refused.status_code == 422
    assert refused.text.count('class="problem"') == 3
    assert len(site.office.context.ledger.tokens()) == 1

    made = site.office.context.ledger.tokens()[0]
    stranger = site.signed_in(Role.ADMINISTRATOR)
    assert stranger.post(f"/me/keys/{made.id}/revoke").status_code == 404
    assert person.post(f"/me/keys/{made.id}/revoke").status_code == 303
    assert site.office.context.ledger.tokens()[0].revoked_at is not None
