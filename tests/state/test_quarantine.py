"""Notes about cycles that stand still, whatever holds them."""

import json
from datetime import UTC, datetime

import pytest
import redis

from swapflow.engine.ports.live_state import CycleState, QuarantineNote
from swapflow.messages import Message
from swapflow.state.keys import QUARANTINE
from swapflow.state.redis import RedisCycleState
from tests.support.redis_server import RedisServer


SINCE = datetime(2027, 3, 1, 9, 30, tzinfo=UTC)
FALL = QuarantineNote(event=7, why=Message("live_sum_too_large", cycle="fall"), since=SINCE)
WORSE = QuarantineNote(event=9, why="its event 9 cannot be read", since=SINCE)


def test_a_note_about_a_cycle_is_replaced_by_a_later_one_and_ended_alone(
    state: CycleState,
) -> None:
    state.quarantine("fall", FALL)
    state.quarantine("spring", FALL)
    state.quarantine("fall", WORSE)

    both = dict(state.quarantined())
    state.end_quarantine("fall")
    state.end_quarantine("fall")

    assert both == {"fall": WORSE, "spring": FALL}
    assert state.quarantined() == {"spring": FALL}
    state.end_quarantine("spring")


def test_why_a_cycle_stands_still_is_kept_as_a_message_that_can_be_translated(
    state: CycleState,
) -> None:
    state.quarantine("fall", FALL)

    why = state.quarantined()["fall"].why

    assert isinstance(why, Message)
    assert (why.code, why.params) == ("live_sum_too_large", {"cycle": "fall"})
    state.end_quarantine("fall")


@pytest.mark.parametrize(
    "damaged",
    [
        b"no json",
        b"[]",
        b"{}",
        b"\xff",
        json.dumps({"event": "x", "why": "w", "since": SINCE.isoformat()}).encode(),
        json.dumps({"event": 1, "why": "w", "since": "yesterday"}).encode(),
        json.dumps({"event": 1, "why": {"code": "w"}, "since": SINCE.isoformat()}).encode(),
        json.dumps(
            {"event": 1, "why": {"code": "w", "params": []}, "since": SINCE.isoformat()}
        ).encode(),
    ],
)
def test_a_note_that_cannot_be_read_hides_no_other(valkey: RedisServer, damaged: bytes) -> None:
    store = RedisCycleState(valkey.url)
    store.quarantine("fall", FALL)
    with redis.Redis.from_url(valkey.url) as client:
        client.hset(QUARANTINE, "damaged", damaged)

    notes = store.quarantined()

    assert notes == {"fall": FALL}
    store.end_quarantine("fall")
    store.end_quarantine("damaged")
    store.close()
