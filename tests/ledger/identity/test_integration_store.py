"""Keys, requests under a key of their own, webhooks and their calls, on every database."""

from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

import pytest

from swapflow.domain.event import EventType, Json
from swapflow.domain.webhook_call import WebhookEvent, webhook_event_of
from swapflow.errors import NotFoundError
from swapflow.identity.account import Account, ApiToken
from swapflow.identity.ports.integration_store import StoredResponse, Webhook
from swapflow.ledger.identity.identity_store import SqlIdentityStore
from swapflow.ledger.sql_ledger import SqlLedger


MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)


def account(office: SqlIdentityStore) -> Account:
    made = Account(
        id=uuid4().hex,
        email=f"{uuid4().hex}@example.org",
        name="",
        password="",
        subject="",
        active=True,
        created_at=office.now(),
        last_seen_at=None,
    )
    office.add_account(made)
    return made


def webhook(office: SqlIdentityStore, **changes: object) -> Webhook:
    made = Webhook(
        id=uuid4().hex,
        url="https://example.org/",
        secret="whsec_x",
        events=tuple(event.value for event in WebhookEvent),
        cycle_id=None,
        active=True,
        by="ops",
        created_at=office.now(),
    )
    made = replace(made, **changes)  # type: ignore[arg-type]  # tests name fields
    office.add_webhook(made)
    return made


def begin(
    office: SqlIdentityStore, who: Account, key: str, digest: str, **ages: timedelta
) -> StoredResponse | None:
    return office.begin_request(
        who.id, key, digest, **({"taken_over_after": MINUTE, "kept_for": DAY} | ages)
    )


def propose_stop(ledger: SqlLedger) -> None:
    with ledger.write("fall") as tx:
        tx.record(EventType.STOP_PROPOSED, {"reason": "budget"})


def test_a_key_is_found_by_its_digest_until_it_ends(ledger: SqlLedger) -> None:
    office = ledger.office()
    who = account(office)
    token = ApiToken(
        id=uuid4().hex,
        account_id=who.id,
        name="a",
        digest="d" * 64,
        scopes=("read", "review"),
        created_at=office.now(),
        expires_at=office.now() + DAY,
        last_used_at=None,
        revoked_at=None,
    )
    office.add_token(token)

    assert office.token("d" * 64) == (token, who)
    assert office.token("e" * 64) is None
    ledger.set_clock_offset(2 * 86_400)
    assert office.token("d" * 64) is None
    ledger.set_clock_offset(0)
    assert office.revoke_token(token.id)
    assert not office.revoke_token(token.id)
    assert office.token("d" * 64) is None


def test_a_request_is_carried_out_once_and_remembered(ledger: SqlLedger) -> None:
    office = ledger.office()
    who = account(office)
    assert begin(office, who, "k", "one") is None
    assert begin(office, who, "k", "one") == StoredResponse(request="one", status=0, body="")
    office.end_request(who.id, "k", status=201, body="{}")
    assert begin(office, who, "k", "one") == StoredResponse(request="one", status=201, body="{}")
    assert begin(office, who, "k", "other") == StoredResponse(request="one", status=201, body="{}")
    assert begin(office, account(office), "k", "other") is None


def test_a_request_that_came_to_nothing_may_be_repeated(ledger: SqlLedger) -> None:
    office = ledger.office()
    who = account(office)
    begin(office, who, "k", "one")
    office.end_request(who.id, "k", status=0, body="")
    assert begin(office, who, "k", "other") is None


def test_a_request_whose_process_died_is_taken_over_by_one_alone(ledger: SqlLedger) -> None:
    office = ledger.office()
    who = account(office)
    begin(office, who, "k", "one")
    assert begin(office, who, "k", "other", taken_over_after=timedelta(0)) is not None
    assert begin(office, who, "k", "one", taken_over_after=timedelta(0)) is None
    assert begin(office, who, "k", "one") is not None


def test_old_answers_are_forgotten(ledger: SqlLedger) -> None:
    office = ledger.office()
    who = account(office)
    begin(office, who, "k", "one")
    office.end_request(who.id, "k", status=200, body="{}")
    assert begin(office, who, "k", "one", kept_for=timedelta(seconds=-1)) is None


def test_events_become_calls_once_however_often_they_are_looked_at(ledger: SqlLedger) -> None:
    office = ledger.office()
    hook = webhook(office)
    propose_stop(ledger)

    assert ledger.queue_calls() == 1
    assert ledger.queue_calls() == 0
    [due] = ledger.due_calls(again_after=60, at_most=10)
    ledger.mark_calls_relayed([due])
    assert ledger.due_calls(again_after=60, at_most=10) == ()
    assert ledger.due_calls(again_after=0, at_most=10) == (due,)

    call = ledger.claim_call(due)
    assert call is not None
    assert (call.id, call.event, call.attempt) == (f"{hook.id}:fall:1", "stop.proposed", 1)
    assert ledger.claim_call(due) is None
    ledger.close_call(call, done=True, detail="answered 200")
    assert [known.state for known in office.webhook_calls(hook.id)] == ["done"]
    assert ledger.due_calls(again_after=0, at_most=10) == ()


def test_a_slow_first_attempt_does_not_put_off_what_a_second_one_did(ledger: SqlLedger) -> None:
    office = ledger.office()
    hook = webhook(office)
    propose_stop(ledger)
    ledger.queue_calls()
    slow = ledger.claim_call(f"{hook.id}:fall:1")
    ledger.set_clock_offset(600)
    second = ledger.claim_call(f"{hook.id}:fall:1")
    assert slow is not None
    assert second is not None
    ledger.close_call(second, done=True, detail="answered 200")
    ledger.close_call(slow, done=False, detail="gone")
    assert [known.state for known in office.webhook_calls(hook.id)] == ["done"]


def test_without_webhooks_nothing_is_read_and_nothing_waits(ledger: SqlLedger) -> None:
    propose_stop(ledger)
    assert ledger.queue_calls() == 0
    webhook(ledger.office(), active=False)
    assert ledger.queue_calls() == 0


def test_a_webhook_of_no_cycle_is_refused_and_a_removed_one_leaves_nothing(
    ledger: SqlLedger,
) -> None:
    office = ledger.office()
    with pytest.raises(NotFoundError):
        webhook(office, cycle_id="gone")
    hook = webhook(office, cycle_id="fall")
    propose_stop(ledger)
    ledger.queue_calls()
    office.remove_webhook(hook.id)
    assert office.webhooks() == ()
    assert office.webhook_calls(hook.id) == ()


def test_calls_are_read_in_pages(ledger: SqlLedger) -> None:
    office = ledger.office()
    hook = webhook(office)
    for _ in range(5):
        propose_stop(ledger)
    ledger.queue_calls()
    first = office.webhook_calls(hook.id, at_most=3)
    rest = office.webhook_calls(hook.id, before=(first[-1].created_at, first[-1].id))
    assert {call.seq for call in (*first, *rest)} == {1, 2, 3, 4, 5}
    assert len(first) + len(rest) == 5


def test_what_waits_for_approval_is_no_batch_yet() -> None:
    opened: dict[str, Json] = {"decision": 1, "why": "rule", "pulls": [[0, 0, 1, 0], [1, 1, 1, 1]]}
    assert webhook_event_of(EventType.PULLS_OPENED, opened) == (
        WebhookEvent.BATCH_DISPATCHED,
        {"why": "rule", "decision": 1, "requests": 1, "kinds": [[0, 1]]},
    )
    assert webhook_event_of(EventType.PULLS_OPENED, {**opened, "pulls": [[1, 1, 1, 1]]}) is None
    approved = webhook_event_of(EventType.PULLS_APPROVED, {"pulls": [[1, 1, 1]]})
    assert approved is not None
    assert approved[1]["requests"] == 1
