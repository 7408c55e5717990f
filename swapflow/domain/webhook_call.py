"""What other systems are told of a cycle: its events, turned into calls that wait in the ledger.

A call's id hangs on webhook, cycle and event, so turning the same event twice makes the same call
twice, which is one. A call is sent at least once: whoever takes it tells duplicates by its id.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from swapflow.domain.event import EventType, Json


class WebhookEvent(StrEnum):
    """Everything that can be told."""

    SCORE_RECEIVED = "score.received"
    BATCH_DISPATCHED = "batch.dispatched"
    STOP_PROPOSED = "stop.proposed"
    COHORT_FINALIZED = "cohort.finalized"


TOLD = (
    EventType.SCORED,
    EventType.PULLS_OPENED,
    EventType.PULLS_APPROVED,
    EventType.STOP_PROPOSED,
    EventType.FINALIZED,
)
"""Types of the cycle's events that something is told of."""

WAITS = tuple(
    timedelta(seconds=seconds)
    for seconds in (5, 30, 120, 600, 1800, 3600, 7200, 14_400, 28_800, 28_800)
)
"""How long after each failed attempt the next one is made: about a day in all."""

HELD = timedelta(minutes=5)
"""A call that is being sent for longer was taken by a process that died."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookCall:
    """One call as it goes out.

    Attributes:
        id: Webhook, cycle and event: the same whenever it is sent again.
        attempt: Which attempt this is, from 1.
    """

    id: str
    url: str
    secret: str
    event: str
    body: bytes
    attempt: int


def webhook_event_of(
    kind: EventType, payload: Mapping[str, Json]
) -> tuple[WebhookEvent, dict[str, Json]] | None:
    """Say what is told of an event: numbers and words only; None when nothing is.

    Applications and kinds are numbers here (`a`, `k`); who sends the call adds their ids.
    """
    match kind:
        case EventType.SCORED:
            told = ("a", "k", "o", "seat", "attempt", "counts", "late")
            return WebhookEvent.SCORE_RECEIVED, {name: payload.get(name) for name in told}
        case EventType.PULLS_OPENED:
            sent = [pull for pull in _rows(payload["pulls"]) if not pull[3]]
            return _batch(sent, payload["why"], payload["decision"])
        case EventType.PULLS_APPROVED:
            return _batch(_rows(payload["pulls"]), "approved", None)
        case EventType.STOP_PROPOSED:
            return WebhookEvent.STOP_PROPOSED, {"reason": payload["reason"]}
        case EventType.FINALIZED:
            return WebhookEvent.COHORT_FINALIZED, {"version": payload["version"]}
        case _:
            return None


def next_wait(attempts: int) -> timedelta | None:
    """Say how long to wait after so many failed attempts; None when it is given up."""
    return WAITS[attempts - 1] if attempts <= len(WAITS) else None


def _batch(
    pulls: list[list[int]], why: Json, decision: Json
) -> tuple[WebhookEvent, dict[str, Json]] | None:
    if not pulls:
        return None
    kinds = Counter(pull[1] for pull in pulls)
    return WebhookEvent.BATCH_DISPATCHED, {
        "why": why,
        "decision": decision,
        "requests": len(pulls),
        "kinds": [[kind, count] for kind, count in sorted(kinds.items())],
    }


def _rows(pulls: Json) -> list[list[int]]:
    assert isinstance(pulls, list)
    return pulls
