"""What operations staff do to a cycle: pause, resume, stop, change the rules, approve, ask."""

from collections.abc import Collection
from dataclasses import replace

from swapflow.domain.cycle import CycleStatus
from swapflow.domain.event import EventType
from swapflow.domain.people.application import HOLD, HOLD_ENDS
from swapflow.domain.reviewing.assignment import Pull, PullStatus
from swapflow.domain.rules import Rules
from swapflow.engine.coordination.dispatch import cancel_pulls
from swapflow.engine.intake.applications import find
from swapflow.engine.lifecycle.launch import no_way_in, read_book
from swapflow.engine.ports import Ledger, Transaction
from swapflow.engine.preconditions import refuse_finalized
from swapflow.engine.projection.cycle_projection import STRUCK
from swapflow.engine.scoring.rubric_versions import numbered, recompute
from swapflow.engine.selection.list_objective import refuse_impossible
from swapflow.engine.selection.situation import candidates
from swapflow.errors import (
    CycleFinalizedError,
    InvalidInputError,
    InvalidRulesError,
    NotFoundError,
    NotReadyError,
)


WISH_PULL = "pull"


def pause(cycle_id: str, *, by: str, reason: str = "", ledger: Ledger) -> None:
    """Stop sending and expiring; scores, drafts, declines and corrections are still taken."""
    with ledger.write(cycle_id) as tx:
        _require(tx, {CycleStatus.RUNNING}, "paused")
        tx.record(EventType.PAUSED, {})
        tx.set_status(CycleStatus.PAUSED, paused_at=tx.now)
        tx.note(subject=f"pause of {cycle_id}", by=by, text=reason)


def resume(cycle_id: str, *, by: str, reason: str = "", ledger: Ledger) -> None:
    """Go on after a pause or against a proposed stop; open due times move by the pause."""
    with ledger.write(cycle_id) as tx:
        cycle = tx.cycle
        _require(tx, {CycleStatus.PAUSED, CycleStatus.PROPOSED}, "resumed")
        shift = tx.now - cycle.paused_at if cycle.paused_at is not None else None
        if shift is not None:
            tx.shift_due_times(shift)
        tx.record(EventType.RESUMED, {"shift": 0 if shift is None else int(shift.total_seconds())})
        tx.set_status(CycleStatus.RUNNING)
        tx.note(subject=f"resumption of {cycle_id}", by=by, text=reason)


def hold(cycle_id: str, *, by: str, reason: str, release: bool = False, ledger: Ledger) -> None:
    """Put the erasing of people on hold, or let it go: while a complaint or a case is open.

    Raises:
        InvalidInputError: If there is no reason.
    """
    if not reason.strip():
        raise InvalidInputError("write why; it stands in the record")
    with ledger.write(cycle_id) as tx:
        tx.note(subject=HOLD_ENDS if release else HOLD, by=by, text=reason)


def stop(cycle_id: str, *, by: str, reason: str = "", ledger: Ledger) -> int:
    """End the asking: what nobody opened is cancelled, what was opened may still come in.

    Returns:
        Requests that were cancelled.
    """
    with ledger.write(cycle_id) as tx:
        cycle = tx.cycle
        allowed = {CycleStatus.RUNNING, CycleStatus.PAUSED, CycleStatus.PROPOSED}
        _require(tx, allowed, "stopped")
        cancelled = cancel_unopened(tx)
        tx.record(EventType.ENDED, {"reason": cycle.stop_reason or "staff"})
        tx.set_status(CycleStatus.ENDED, stop_reason=cycle.stop_reason or "staff")
        tx.note(subject=f"end of {cycle_id}", by=by, text=reason)
        return cancelled


def cancel_unopened(tx: Transaction) -> int:
    """Cancel every pull that no reviewer has opened. Counts them."""
    begun = {a.pull_id for a in tx.begun_assignments()}
    return cancel_pulls(tx, [p for p in tx.open_pulls() if p.id not in begun], why="stopped")


def change_rules(
    cycle_id: str, rules: Rules, *, by: str, reason: str, ledger: Ledger, provider: bool = False
) -> Rules:
    """Put a new version of the rules in force; the old ones stay on record.

    A changed budget is a new version too. Where a rubric changed, every score is read again from
    its marks. Kinds may be appended, never removed, renamed or moved,
    for what was asked under them stands.

    Raises:
        InvalidRulesError: If kinds were removed or renamed, the objective's attribute or the seed
            changed after launch, the budget is below what is spent and committed, or they want a
            sign-in through an identity provider and none is connected.
        InfeasibleError: If no list of the candidates keeps to their limits on groups.
    """
    if closed := no_way_in(rules, provider=provider):
        raise InvalidRulesError(closed)
    _check_limits(cycle_id, rules, ledger=ledger)
    with ledger.write(cycle_id) as tx:
        refuse_finalized(tx)
        old, cycle = tx.rules(), tx.cycle
        launched = cycle.status is not CycleStatus.DRAFT
        _check_change(old, rules, spent=cycle.spent + cycle.committed, launched=launched)
        new = numbered(old, replace(rules, version=cycle.rules_version + 1))
        tx.set_rules(new, by=by, reason=reason)
        if launched:
            tx.record(EventType.RULES_CHANGED, {"rules": new.version})
            recompute(tx, old, new, by=by)
        return new


def _check_limits(cycle_id: str, rules: Rules, *, ledger: Ledger) -> None:
    """Refuse limits on groups that no list of the candidates could keep to, once launched."""
    if rules.plain or ledger.cycle(cycle_id).status is CycleStatus.DRAFT:
        return
    book = read_book(cycle_id, ledger=ledger)
    book.use(rules)
    refuse_impossible(book, candidates(book))


def check_rules(cycle_id: str, rules: Rules, *, ledger: Ledger) -> None:
    """Say whether `change_rules` would take these rules at this moment; writes nothing.

    Raises:
        InvalidRulesError: As `change_rules`.
        CycleFinalizedError: If the cohort is fixed.
    """
    cycle = ledger.cycle(cycle_id)
    if cycle.status is CycleStatus.FINALIZED:
        raise CycleFinalizedError("the list is fixed; reopen it before the rules change")
    launched = cycle.status is not CycleStatus.DRAFT
    spent = cycle.spent + cycle.committed
    _check_limits(cycle_id, rules, ledger=ledger)
    _check_change(ledger.rules(cycle_id), rules, spent=spent, launched=launched)


def approve(cycle_id: str, pulls: Collection[str], *, by: str, ledger: Ledger) -> int:
    """Let proposed pulls go out; the coordinator finds their reviewers. Counts them."""
    with ledger.write(cycle_id) as tx:
        found = _proposed(tx, pulls)
        ids = [pull.id for pull in found]
        tx.move_pulls(ids, PullStatus.OPEN, allowed={PullStatus.PROPOSED})
        tx.record(
            EventType.PULLS_APPROVED,
            {"pulls": [[p.application, p.kind, p.ordinal] for p in found]},
        )
        tx.insert_approval(ids, by=by, verdict="approved", reason="")
        return len(ids)


def strike(cycle_id: str, pulls: Collection[str], *, by: str, reason: str, ledger: Ledger) -> int:
    """Refuse proposed pulls; their cost is released. Counts them."""
    with ledger.write(cycle_id) as tx:
        found = _proposed(tx, pulls)
        cancel_pulls(tx, found, why=STRUCK)
        tx.insert_approval([p.id for p in found], by=by, verdict="struck", reason=reason)
        return len(found)


def ask(
    cycle_id: str, external_id: str, kind: str, *, by: str, reason: str, ledger: Ledger
) -> int:
    """Wish for an extra pull; the coordinator opens it from the reserve. Gives the wish's id."""
    with ledger.write(cycle_id) as tx:
        refuse_finalized(tx)
        application = find(tx.applications(), external_id, cycle_id)
        index = tx.rules().kind_index(kind)
        if index < 0:
            names = ", ".join(k.name for k in tx.rules().kinds)
            raise InvalidInputError(f"the rules have no kind {kind!r}; they have {names}")
        return tx.add_wish(
            what=WISH_PULL, application=application.number, kind=index, by=by, reason=reason
        )


def _proposed(tx: Transaction, pulls: Collection[str]) -> list[Pull]:
    found = tx.pulls(pulls)
    for missing in (name for name in pulls if name not in found):
        raise NotFoundError(f"there is no request {missing!r}")
    for pull in found.values():
        if pull.status is not PullStatus.PROPOSED:
            raise NotReadyError(f"request {pull.id!r} is {pull.status.value}, not proposed")
    return sorted(found.values(), key=lambda pull: pull.id)


def _check_change(old: Rules, new: Rules, *, spent: int, launched: bool) -> None:
    if not launched:
        return
    before, after = ([kind.name for kind in rules.kinds] for rules in (old, new))
    if after[: len(before)] != before:
        raise InvalidRulesError(
            f"kinds may be appended, not removed, renamed or moved: {', '.join(before)} before, "
            f"{', '.join(after)} now"
        )
    if new.seed != old.seed:
        raise InvalidRulesError("the seed cannot change after launch: ties hang on it")
    if new.objective.attribute != old.objective.attribute:
        raise InvalidRulesError("the objective's attribute cannot change after launch")
    if new.budget < spent:
        raise InvalidRulesError(
            f"a budget of {new.budget} is below the {spent} that are spent and committed"
        )


def _require(tx: Transaction, allowed: Collection[CycleStatus], verb: str) -> None:
    status = tx.cycle.status
    if status not in allowed:
        names = " or ".join(sorted(s.value for s in allowed))
        raise NotReadyError(
            f"cycle {tx.cycle.id!r} is {status.value}; only a cycle that is {names} can be {verb}"
        )
