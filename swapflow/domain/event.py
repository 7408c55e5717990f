"""Events: the facts of a cycle, in one order, chained by hash.

Payloads hold ids, enumerated words, integers and salted digests only. Names, remarks, marks and
free text live in rows that can be erased; the chain and every replay are valid without them.

| type | payload |
|---|---|
| launched, rules_changed | `rules` (version) |
| launched | besides, where there are any: `practice` [[file, r, v], …], marks of practice files |
| application_added | `a`, `status`, `tie`, `wave`, `group` (its value's number), `in`, `topics` |
| application_changed | `a`, `group`, `in`, `topics`, as in application_added |
| application_moved | `a`, `status` |
| reviewer_added, reviewer_changed | `r`, `tie`, `capacity`, `packet`, `automatic`, `topics` |
| reviewer_away | `r`, `away` (0 or 1) |
| reviewer_left | `r` |
| reviewer_returned | `r` |
| conflicts_added | `pairs` [[a, r], …] |
| conflict_waived | `a`, `r`: scores of this pair count all the same |
| conflict_removed | `a`, `r`: this conflict was none |
| bar_lifted | `a`, `r`: after voided reviews the reviewer may be asked again |
| applicant_opened | `a`, `r`: read in another role before the review, so never asked |
| panel_set | `pairs` [[a, r], …]: only these may judge these; `replaces` 1 since panels end |
| decided | `decision`, `at` (seq it read), `digest`, `stop` (reason or null), `picks` (count) |
| out_drawn | `decision`, `out` (how many were clearly out), `drawn` [a, …], `instead` [a, …] |
| pulls_opened | `decision`, `why`, `pulls` [[a, k, ordinal, approval], …] |
| pulls_approved | `pulls` [[a, k, ordinal], …] |
| assigned | `items` [[a, k, ordinal, seat, attempt, r], …] |
| scored | `a`, `k`, `o`, `seat`, `attempt`, `r`, `v`, `counts`, `closes`, `extra`, `late` |
| declined | `a`, `k`, `o`, `seat`, `attempt`, `r`, `kind` |
| no_show | `items` [[a, k, ordinal, seat, attempt, r], …]: the applicant did not come |
| taken_back | `items` as in no_show: staff took the work from its reviewer |
| expired | `items` as in no_show; `why` (left, barred, answered) unless it was late |
| pulls_cancelled | `pulls` [[a, k, ordinal], …], `why` |
| pulls_reopened | `pulls` [[a, k, ordinal, approval], …], `items` as in assigned |
| score_corrected | `a`, `k`, `o`, `seat`, `attempt`, `v`, `counts` |
| paused, resumed | `shift` (seconds by which open due times moved) |
| stop_proposed, ended | `reason` |
| finalized | `version`; `reconsidered` (a) or `undone` (version) where it is one of those |
| reopened | `version` |
| reconsideration_opened | `a`, `k`, `reviews` |
| reconsideration_closed | `a`, `result`, `version` and `place`, 0 for none |
| yield_set | `accepting`, `declining` (thousandths), `risk` (millionths) |
| offered | `version`, `items` [[a, line], …], `risk` (millionths that this wave added) |
| offer_answered | `a`, `answer` |
| applicant_answered | `a`, `answer`: what they said by the link in their mail |
| purged | `a` or `r` |
| applications_merged | `a`, `into` |
| application_pinned | `a`, `pin`: 1 in, -1 out, 0 as the rule says |
| meeting_opened, meeting_closed, meeting_reopened | `version` |
| meeting_said | `version`, `a`, `outcome` |

Earlier releases wrote declined for both, of kind missed and of kind busy.
decided has `formulas` besides: the version of the formulas behind its look, from version 2 on.
`group` is the value that the objective looks at, -1 for none.
`in` are the numbers of its groups (`domain.people.group_numbers`), one a selection attribute.
`capacity` is [[kind, most or null], …]; `topics` are numbers; `automatic` is 0 for a person, 1
for a program, 2 for a program that answers for unnamed people.
These two hold `reserve`: 1 besides where a reviewer is kept for reconsiderations.
`a`, `r` and `k` are numbers of the application, the reviewer and the kind within the cycle, from
0; `o` is the pull's ordinal, from 1. Integer changes of the live state ride beside the payload.

Any event may carry, as `rows`, the rows that were stored with it (`domain.recorded_rows`): what
people decided stands on the chain too. `sealed` are the salted digests of the names and texts in
them, `erased` those whose salts were erased. Version 2 of an event holds its time, as `at`.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import TypeAlias

from swapflow.domain.cycle import Position
from swapflow.domain.fixed_point import Delta
from swapflow.errors import DamagedRecordError


Json: TypeAlias = "int | float | str | bool | Sequence[Json] | Mapping[str, Json] | None"


class EventType(StrEnum):
    """Every type of event ever released; none is ever removed."""

    LAUNCHED = "launched"
    RULES_CHANGED = "rules_changed"
    APPLICATION_ADDED = "application_added"
    APPLICATION_CHANGED = "application_changed"
    APPLICATION_PINNED = "application_pinned"
    APPLICATION_MOVED = "application_moved"
    APPLICATIONS_MERGED = "applications_merged"
    REVIEWER_ADDED = "reviewer_added"
    REVIEWER_CHANGED = "reviewer_changed"
    REVIEWER_AWAY = "reviewer_away"
    REVIEWER_LEFT = "reviewer_left"
    REVIEWER_RETURNED = "reviewer_returned"
    CONFLICTS_ADDED = "conflicts_added"
    CONFLICT_WAIVED = "conflict_waived"
    CONFLICT_REMOVED = "conflict_removed"
    BAR_LIFTED = "bar_lifted"
    APPLICANT_OPENED = "applicant_opened"
    PANEL_SET = "panel_set"
    DECIDED = "decided"
    OUT_DRAWN = "out_drawn"
    PULLS_OPENED = "pulls_opened"
    PULLS_APPROVED = "pulls_approved"
    PULLS_CANCELLED = "pulls_cancelled"
    PULLS_REOPENED = "pulls_reopened"
    ASSIGNED = "assigned"
    SCORED = "scored"
    SCORE_CORRECTED = "score_corrected"
    DECLINED = "declined"
    NO_SHOW = "no_show"
    TAKEN_BACK = "taken_back"
    EXPIRED = "expired"
    PAUSED = "paused"
    RESUMED = "resumed"
    STOP_PROPOSED = "stop_proposed"
    ENDED = "ended"
    FINALIZED = "finalized"
    REOPENED = "reopened"
    RECONSIDERATION_OPENED = "reconsideration_opened"
    RECONSIDERATION_CLOSED = "reconsideration_closed"
    YIELD_SET = "yield_set"
    OFFERED = "offered"
    OFFER_ANSWERED = "offer_answered"
    APPLICANT_ANSWERED = "applicant_answered"
    ANNOUNCED = "announced"
    ANNOUNCEMENT_TAKEN_BACK = "announcement_taken_back"
    MEETING_OPENED = "meeting_opened"
    MEETING_SAID = "meeting_said"
    MEETING_CLOSED = "meeting_closed"
    MEETING_REOPENED = "meeting_reopened"
    MEETING_LOOKED = "meeting_looked"
    ZONE_CONFIRMED = "zone_confirmed"
    PURGED = "purged"


EVENT_VERSION = 2
"""The version of the events that are written now: 2 holds its time, and the rows it carries."""

HOLDS_TIME = 2
"""The first version whose text holds the event's time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One fact, at its place in the chain.

    Attributes:
        deltas: Integer changes of the arms.
        spent: Change of the cost spent, in the round's unit.
        committed: Change of the cost reserved for open pulls.
    """

    cycle_id: str
    position: Position
    type: EventType
    version: int
    payload: Mapping[str, Json]
    deltas: tuple[Delta, ...]
    spent: int
    committed: int
    at: datetime


def body(
    payload: Mapping[str, Json],
    deltas: Sequence[Delta],
    *,
    spent: int,
    committed: int,
    at: datetime | None,
) -> str:
    """Write an event's content as the text that is stored and hashed.

    Args:
        payload: What happened.
        deltas: Integer changes of the arms.
        spent: Change of the cost spent.
        committed: Change of the cost reserved.
        at: The event's time; None for version 1, whose text does not hold it.
    """
    content: dict[str, object] = {
        "payload": payload,
        "deltas": [[d.application, d.numerator, d.information, d.pending] for d in deltas],
        "spent": spent,
        "committed": committed,
    }
    if at is not None:
        content["at"] = at.astimezone(UTC).isoformat()
    # Sorted keys and no spaces: the text must be the same on every release that writes the event.
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def text_of(event: Event) -> str:
    """Return the text of an event that was hashed onto the chain."""
    return body(
        event.payload,
        event.deltas,
        spent=event.spent,
        committed=event.committed,
        at=event.at if event.version >= HOLDS_TIME else None,
    )


def chain_hash(previous: str, *, cycle_id: str, seq: int, kind: str, text: str) -> str:
    """Return an event's chain hash: SHA-256 over the previous hash and the stored bytes."""
    # Cycle and number are hashed too, so that an event moved to another cycle or place is found.
    # The stored text is hashed as it is: a verifier needs no rule for writing JSON.
    head = f"{previous}|{cycle_id}|{seq}|{kind}|"
    return hashlib.sha256((head + text).encode()).hexdigest()


def damaged_event(cycle_id: str, seq: int, error: Exception) -> DamagedRecordError:
    """Build the error for an event that cannot be read."""
    # The error's own words would quote a value, which may be a mark, into pages and logs.
    # Its type is told alone: enough to see whether the text, a key or a number is wrong.
    return DamagedRecordError(
        "event_damaged", cycle=cycle_id, event=seq, problem=type(error).__name__
    )
