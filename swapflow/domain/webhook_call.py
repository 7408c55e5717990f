"""Webhook events of a cycle: its events, turned into calls that wait in the ledger.

A call's id follows from webhook, cycle and event, so the same event twice still gives one call. A
call is sent at least once: the receiver recognises duplicates by the id.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from swapflow.domain.event import EventType, Json


class WebhookEvent(StrEnum):
    """The events that a webhook can subscribe to."""

    SCORE_RECEIVED = "score.received"
    BATCH_DISPATCHED = "batch.dispatched"
    STOP_PROPOSED = "stop.proposed"
    COHORT_FINALIZED = "cohort.finalized"
    FILES_READY = "files.ready"


TOLD = (
    EventType.SCORED,
    EventType.PULLS_OPENED,
    EventType.PULLS_APPROVED,
    EventType.STOP_PROPOSED,
    EventType.FINALIZED,
)
"""Types of the cycle's events that lead to a call."""

WAITS = tuple(
    timedelta(seconds=seconds)
    for seconds in (5, 30, 120, 600, 1800, 3600, 7200, 14_400, 28_800, 28_800)
)
"""How long after each failed attempt the next one is made: about a day in all."""

HELD = timedelta(minutes=5)
"""Time after which a call in sending counts as held by a process that died."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookCall:
    """One outgoing call.

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

    @property
    def cycle_id(self) -> str:
        """The cycle that it tells of."""
        return self.id.split(":")[-2] if self.id.count(":") > 1 else ""


def webhook_event_of(
    kind: EventType, payload: Mapping[str, Json]
) -> tuple[WebhookEvent, dict[str, Json]] | None:
    """Return the webhook event and data of an event, numbers and words only; None for no call.

    Applications and kinds are numbers here (`a`, `k`); the sender of the call adds their ids.
    """
    match kind:
        case EventType.SCORED:
            told = ("a", "k", "o", "seat", "attempt", "counts", "late")
            return WebhookEvent.SCORE_RECEIVED, {name: payload.get(name) for name in told}
        case EventType.PULLS_OPENED:
            # A pull that waits for a person's approval (the fourth number) has reached nobody yet.
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
    """Return the wait after this many failed attempts; None when the call is given up."""
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
