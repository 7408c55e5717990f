"""Writes that are sent twice under a key are done once."""

import hashlib
from datetime import timedelta

import pytest

from swapflow.identity.permissions import Role, Scope
from swapflow.web.api import idempotency
from tests.web.api.programs import V1, program
from tests.web.monitored import finished, looks
from tests.web.site import Site


def test_a_write_that_is_sent_twice_under_a_key_is_done_once_and_answered_alike(
    site: Site,
) -> None:
    site.launched()
    api = program(site)
    staff_request = {"kind": "review", "reason": "a second look"}
    key = {"Idempotency-Key": "k-1"}
    first = api.post(f"{V1}/cycles/fall/applicants/0/requests", json=staff_request, headers=key)
    again = api.post(f"{V1}/cycles/fall/applicants/0/requests", json=staff_request, headers=key)
    other = api.post(f"{V1}/cycles/fall/applicants/1/requests", json=staff_request, headers=key)

    assert (first.status_code, first.content) == (again.status_code, again.content)
    assert "idempotency-replayed" not in first.headers
    assert again.headers["idempotency-replayed"] == "true"
    assert other.status_code == 422
    assert len(site.product.context.ledger.wishes("fall")) == 1


def test_a_refusal_is_repeated_too_and_a_lack_of_rights_is_not_kept(site: Site) -> None:
    site.launched()
    api = program(site)
    key = {"Idempotency-Key": "k-2"}
    first = api.post(f"{V1}/cycles/fall/launch", headers=key)
    again = api.post(f"{V1}/cycles/fall/launch", headers=key)
    assert first.status_code == 422
    assert (again.status_code, again.json()) == (422, first.json())
    assert again.headers["content-type"] == "application/problem+json"

    observer = program(site, Role.OBSERVER)
    held = {"Idempotency-Key": "k-3"}
    assert observer.post(f"{V1}/cycles/fall/pause", json={}, headers=held).status_code == 403
    account = site.account("observer@example.org")
    site.office.users.grant(account, Role.OPERATIONS, Scope.OFFICE, by="test")
    assert observer.post(f"{V1}/cycles/fall/pause", json={}, headers=held).status_code == 200


def test_keys_of_different_people_do_not_meet(site: Site) -> None:
    site.launched()
    key = {"Idempotency-Key": "same"}
    one, two = program(site), program(site, Role.OPERATIONS)
    assert one.post(f"{V1}/cycles/fall/pause", json={}, headers=key).status_code == 200
    resumed = two.post(f"{V1}/cycles/fall/resume", json={}, headers=key)
    assert resumed.status_code == 200


def test_the_same_request_while_it_is_carried_out_is_told_to_wait(site: Site) -> None:
    site.launched()
    api = program(site)
    account = site.account("administrator@example.org")
    digest = _digest_of("POST", f"{V1}/cycles/fall/launch", b"")
    reserve(site, account.id, "k-4", digest)
    waiting = api.post(f"{V1}/cycles/fall/launch", headers={"Idempotency-Key": "k-4"})
    assert waiting.status_code == 409


def test_a_request_whose_process_died_is_taken_over_after_a_minute(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.launched(launch=False)
    api = program(site)
    account = site.account("administrator@example.org")
    reserve(site, account.id, "k-5", _digest_of("POST", f"{V1}/cycles/fall/launch", b""))
    monkeypatch.setattr(idempotency, "TAKEN_OVER_AFTER", timedelta(0))
    done = api.post(f"{V1}/cycles/fall/launch", headers={"Idempotency-Key": "k-5"})
    assert done.status_code == 200
    assert site.product.cycles.get("fall").status.value == "running"


def test_a_new_key_is_not_kept_with_what_was_answered(site: Site) -> None:
    person = site.signed_in(Role.OPERATIONS)
    wanted = {"name": "export", "scopes": ["read"]}
    key = {"Idempotency-Key": "k-6"}
    first = person.post(f"{V1}/keys", json=wanted, headers=key)
    again = person.post(f"{V1}/keys", json=wanted, headers=key)
    assert first.json()["key"].startswith("sf_")
    assert again.json() == {**first.json(), "key": None}
    assert len(site.office.context.ledger.tokens()) == 1


@pytest.mark.parametrize("form", ["", "?form=csv", "?form=xlsx"])
def test_a_file_that_is_asked_for_under_a_key_is_a_look_of_its_own(site: Site, form: str) -> None:
    finished(site)
    officer = site.signed_in(Role.COMPLIANCE)
    key = {"Idempotency-Key": "k-7"}
    wanted = f"{V1}/cycles/fall/monitoring{form}"

    first = officer.post(wanted, headers=key)
    again = officer.post(wanted, headers=key)

    assert (first.status_code, again.status_code) == (200, 200)
    assert first.headers["content-type"] == again.headers["content-type"]
    assert len(looks(site)) == (2 if form else 1)


def reserve(site: Site, account: str, key: str, digest: str) -> None:
    day, minute = timedelta(days=1), timedelta(minutes=1)
    assert (
        site.office.context.ledger.begin_request(
            account, key, digest, taken_over_after=minute, kept_for=day
        )
        is None
    )


def _digest_of(method: str, path: str, body: bytes) -> str:
    return hashlib.sha256(f"{method} {path}?\n".encode() + body).hexdigest()
