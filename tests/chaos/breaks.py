"""Guards that are broken on purpose, one line each: the campaign must then fail.

`apply` runs in the processes under test alone, put there by the campaign's launcher; the product
has no switch for any of it. Each replaces a method, which mypy is told of with `method-assign`.
"""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

from sqlalchemy import bindparam

from swapflow.domain.event import EventType
from swapflow.domain.reviewing.assignment import AssignmentStatus
from swapflow.domain.reviewing.score import Answer, Receipt
from tests.chaos.damage_names import CHANGED, DAMAGED, GUARDS, SIGNED


@dataclass(frozen=True, kw_only=True)
class Break:
    """One guard taken away.

    Attributes:
        line: The line of the product that has no effect any more.
        apply: Takes it away in this process.
        faults: Those that a campaign needs to notice; empty for any.
        caught: Which checks say so.
        is_there: Whether the product has the guard.
    """

    line: str
    apply: Callable[[], None]
    faults: tuple[str, ...]
    caught: tuple[str, ...]
    is_there: Callable[[], bool] = lambda: True


def _no_fencing() -> None:
    from swapflow.ledger.sql_ledger import SqlLedger

    write = SqlLedger.write

    def anybody_writes(self: SqlLedger, cycle_id: str, *, epoch: int | None = None) -> Any:
        return write(self, cycle_id)

    SqlLedger.write = anybody_writes  # type: ignore[method-assign]


def _no_lease() -> None:
    from swapflow.ledger.cycle.leases import SqlLeases

    take = SqlLeases.take_lease

    def taken_by_all(self: SqlLeases, cycle_id: str, *, holder: str, seconds: float) -> Any:
        return take(self, cycle_id, holder="anybody", seconds=seconds)

    SqlLeases.take_lease = taken_by_all  # type: ignore[method-assign]


def _no_unique_receipt() -> None:
    from swapflow.engine.reviewing import submit as inbox

    inbox._Submission._known_scores = lambda *_: ()  # type: ignore[method-assign]


def _receipt_before_commit() -> None:
    from swapflow.engine.reviewing.shared_submits import SharedSubmits

    submit = SharedSubmits.submit

    def soon(self: SharedSubmits, answers: Sequence[Answer], **how: Any) -> tuple[Receipt, ...]:
        threading.Timer(3.0, submit, args=(self, answers), kwargs=how).start()
        return ()

    SharedSubmits.submit = soon  # type: ignore[method-assign]


def _no_place_in_the_chain() -> None:
    from swapflow.state.redis import RedisCycleState

    apply = RedisCycleState.apply

    def applied_anyway(self: RedisCycleState, cycle_id: str, changes: Any, **at: Any) -> Any:
        return apply(self, cycle_id, changes, before=self.position(cycle_id), after=at["after"])

    RedisCycleState.apply = applied_anyway  # type: ignore[method-assign]


def _no_reservation() -> None:
    from swapflow.ledger.core.cycle_lock import CycleLock

    record = CycleLock.record

    def for_nothing(self: CycleLock, event_type: EventType, *what: Any, **how: Any) -> int:
        if event_type is EventType.PULLS_OPENED:
            how["committed"] = 0
        return record(self, event_type, *what, **how)

    CycleLock.record = for_nothing  # type: ignore[method-assign]


def _no_rebuild() -> None:
    from swapflow.engine.projection import ingest

    ingest._catch_up = lambda *_, **__: None


def _no_second_message() -> None:
    relaying: Any = import_module("swapflow.engine.coordination.relay")
    relay = relaying.relay
    vars(relaying)["relay"] = lambda **how: relay(**{**how, "again_after": 1e6})


def _anybody_twice() -> None:
    from swapflow.engine.projection.people_events import PeopleProjection

    PeopleProjection.is_barred = lambda *_: False  # type: ignore[method-assign]
    PeopleProjection.barred = lambda *_: set()  # type: ignore[method-assign]


def _no_chain() -> None:
    from swapflow.ledger.core.cycle_lock import CycleLock

    record = CycleLock.record

    def unchained(self: CycleLock, *what: Any, **how: Any) -> int:
        before = self._row["head_hash"]
        seq = record(self, *what, **how)
        if seq % 5 == 0:
            self._row["head_hash"] = before
        return seq

    CycleLock.record = unchained  # type: ignore[method-assign]


def _delivered_whatever_it_is() -> None:
    from swapflow.ledger.cycle import outbox
    from swapflow.ledger.schema import ASSIGNMENT

    outbox._MARK_DELIVERED = (
        ASSIGNMENT.update()
        .where(ASSIGNMENT.c.id.in_(outbox._IN_VALUES))
        .values(status=AssignmentStatus.DELIVERED.value, delivered_at=bindparam("moment"))
    )


def _another_record() -> None:
    from swapflow.engine.coordination import dispatch

    record = dispatch._record

    def not_what_was_seen(*what: Any) -> Any:
        true = record(*what)
        return replace(true, digest=true.digest[::-1])

    vars(dispatch)["_record"] = not_what_was_seen


def _signed_whatever_it_is() -> None:
    signing: Any = import_module("swapflow.engine.cohort.signing")
    signing.PendingSignatures.current = property(lambda _: True)


def _written_whatever_came() -> None:
    confirmation: Any = import_module("swapflow.engine.confirmation")
    confirmation.unchanged = lambda *_, **__: True


def _live_state_believed() -> None:
    live_totals: Any = import_module("swapflow.engine.projection.live_totals")
    live_totals.LiveTotals.differences = lambda *_, **__: ()


def _nobody_set_aside() -> None:
    turns: Any = import_module("swapflow.engine.coordination.turns")

    def raised(_: object, cycle_id: str, error: Exception) -> None:
        raise error

    turns.CycleTurns._set_aside = raised


EVERY_BREAK: dict[str, Break] = {
    "fencing": Break(
        line="ledger/core/cycle_lock.py: if epoch is not None and row['lease_epoch'] != epoch",
        apply=_no_fencing,
        faults=("coordinator frozen before its write",),
        caught=("leases",),
    ),
    "lease": Break(
        line="ledger/cycle/leases.py: if valid and row.lease_holder != holder: return None",
        apply=_no_lease,
        faults=("coordinator killed",),
        caught=("leases",),
    ),
    "receipt": Break(
        line="engine/reviewing/submit.py: if earlier is not None: return _again(…)",
        apply=_no_unique_receipt,
        faults=("redis emptied",),
        caught=("people", "receipts"),
    ),
    "commit": Break(
        line="engine/reviewing/shared_submits.py: return mine.outcome.result()",
        apply=_receipt_before_commit,
        faults=("web killed",),
        caught=("people", "receipts"),
    ),
    "ingest": Break(
        line="state/scripts/apply.lua: if seq ~= ARGV[1] or hash ~= ARGV[2] then",
        apply=_no_place_in_the_chain,
        faults=("coordinator killed",),
        caught=("sums", "replays", "lockstep"),
    ),
    "budget": Break(
        line="engine/selection/pulls.py: committed=sum(pull.cost for pull in pulls)",
        apply=_no_reservation,
        faults=("days passed",),
        caught=("budget", "replays"),
    ),
    "rebuild": Break(
        line="engine/projection/ingest.py: "
        "if state.position(…) != projection.position: _catch_up(…)",
        apply=_no_rebuild,
        faults=("redis emptied",),
        caught=("nothing_pending", "sums"),
    ),
    "resend": Break(
        line="ledger/cycle/outbox.py: _waited_long_enough()",
        apply=_no_second_message,
        faults=("messages lost",),
        caught=("nothing_pending",),
    ),
    "twice": Break(
        line="engine/selection/assign.py: price[row, barred] = FORBIDDEN",
        apply=_anybody_twice,
        faults=("days passed",),
        caught=("nobody_twice", "replays"),
    ),
    "chain": Break(
        line="ledger/core/cycle_lock.py: self._row['head_hash'] = digest",
        apply=_no_chain,
        faults=("coordinator killed",),
        caught=("replays",),
    ),
    "delivery": Break(
        line="ledger/cycle/outbox.py: _MARK_DELIVERED = (update(ASSIGNMENT).where(…, QUEUED_ONLY)",
        apply=_delivered_whatever_it_is,
        faults=("messages doubled and reordered",),
        caught=("answered", "people"),
    ),
    "record": Break(
        line="engine/coordination/dispatch.py: digest=plan.situation.digest",
        apply=_another_record,
        faults=("coordinator killed",),
        caught=("replays",),
    ),
    "shown": Break(
        line="engine/cohort/signing.py: if not waiting.current: raise ConflictError(…)",
        apply=_signed_whatever_it_is,
        faults=(SIGNED,),
        caught=("shown",),
        is_there=GUARDS[SIGNED],
    ),
    "unchanged": Break(
        line="engine/confirmation.py: if unchanged(tx, basis, beside): return write(tx, worked)",
        apply=_written_whatever_came,
        faults=(SIGNED,),
        caught=("shown", "replays"),
        is_there=GUARDS[SIGNED],
    ),
    "live": Break(
        line="engine/coordination/checked_state.py: wrong = workspace.totals.differences(arms)",
        apply=_live_state_believed,
        faults=(CHANGED,),
        caught=("sums", "replays", "lockstep"),
        is_there=GUARDS[CHANGED],
    ),
    "aside": Break(
        line="engine/coordination/turns.py: except Exception as error: …self._set_aside(…)",
        apply=_nobody_set_aside,
        faults=(DAMAGED,),
        caught=("others",),
        is_there=GUARDS[DAMAGED],
    ),
}

BREAKS = {name: broken for name, broken in EVERY_BREAK.items() if broken.is_there()}
"""The guards that are there to be taken away."""
