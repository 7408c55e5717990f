"""What a round keeps no longer is deleted: when that is, what it is, and what keeps it.

The days count from the end of the round: the day on which the last of its lists became final.
Without a rule nothing is deleted.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from swapflow.domain.cycle import Cycle, CycleStatus
from swapflow.domain.people.kept_data import (
    MOST_DAYS,
    Deletion,
    KeptData,
    LegalHold,
    RetentionRule,
    Spared,
)
from swapflow.engine.ports.backup_store import BackupStore, StoredCopy
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.preconditions import find
from swapflow.engine.revisions import check_revision
from swapflow.errors import InvalidInputError, NotFoundError


@dataclass(frozen=True, slots=True, kw_only=True)
class Foreseen:
    """When one kind of a round's data goes.

    Attributes:
        days: Days after the round ended; None where there is no rule.
        goes_at: When; None without a rule, or while the round goes on.
        count: Rows or files that are there now and would go.
        set_by: Who set the rule.
        held: Whether a legal hold keeps some of it.
    """

    kind: KeptData
    days: int | None
    goes_at: datetime | None
    count: int
    set_by: str
    held: bool


def rule_revision(days: int | None) -> str:
    """Return what a form about a rule carries of the rule that it was made from."""
    return "kept" if days is None else str(days)


def set_rule(
    round_id: str,
    kind: KeptData,
    days: int | None,
    *,
    by: str,
    ledger: Ledger,
    made_from: str = "",
) -> None:
    """Keep a kind of data for some days after the round ended; None keeps it.

    Raises:
        StaleRevisionError: If a form was made from another rule than is in force now.
        NotFoundError: If there is no such round.
        InvalidInputError: If the days are out of range.
    """
    _require_round(round_id, ledger=ledger)
    if days is not None and not 1 <= days <= MOST_DAYS:
        raise InvalidInputError("retention_days_out_of_range", days=days, most=MOST_DAYS)
    stored = next((r.days for r in ledger.retention_rules(round_id) if r.kind is kind), None)
    if stored == days:
        return  # said again, it changes nothing, and the one who set it stays on record
    check_revision(made_from, rule_revision(stored), {"days": stored})
    ledger.set_retention(round_id, kind, days, by=by)


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldTarget:
    """What a legal hold keeps, as people name it.

    Attributes:
        program: Id of the program; "" for the whole round.
        applicant: Their id in the program; "" for no one applicant.
        reviewer: Their id in the program; "" for no one reviewer.
    """

    program: str = ""
    applicant: str = ""
    reviewer: str = ""


def place_hold(round_id: str, target: HoldTarget, *, by: str, reason: str, ledger: Ledger) -> int:
    """Keep a round, one of its programs, or one person of it from being deleted.

    Raises:
        NotFoundError: If there is no such round, program, applicant or reviewer.
        InvalidInputError: If there is no reason, a person without their program, or two people.
    """
    _require_round(round_id, ledger=ledger)
    if not reason.strip():
        raise InvalidInputError("reason_missing")
    cycle_id, person = target.program, target.applicant or target.reviewer
    # Two holds can be lifted apart, and each says of whom it is.
    if target.applicant and target.reviewer:
        raise InvalidInputError("hold_one_person")
    if person and not cycle_id:
        raise InvalidInputError("hold_program_missing", applicant=person)
    if cycle_id and cycle_id not in {cycle.id for cycle in _programs(round_id, ledger=ledger)}:
        raise NotFoundError("cycle_not_in_round", round=round_id, cycle=cycle_id)
    application = reviewer = None
    if target.applicant:
        application = find(ledger.applications(cycle_id), target.applicant, cycle_id).number
    if target.reviewer:
        known = {one.external_id: one.number for one in ledger.reviewers(cycle_id)}
        if target.reviewer not in known:
            raise NotFoundError(
                "reviewer_not_in_program", cycle=cycle_id, reviewer=target.reviewer
            )
        reviewer = known[target.reviewer]
    return ledger.place_hold(
        round_id,
        cycle_id=cycle_id,
        application=application,
        reviewer=reviewer,
        by=by,
        reason=reason.strip(),
    )


def lift_hold(round_id: str, hold: int, *, by: str, reason: str, ledger: Ledger) -> None:
    """End a legal hold.

    Raises:
        NotFoundError: If the round has no hold of this number that lasts.
        InvalidInputError: If there is no reason.
    """
    if not reason.strip():
        raise InvalidInputError("reason_missing")
    if not ledger.lift_hold(round_id, hold, by=by, reason=reason.strip()):
        raise NotFoundError("hold_not_found", round=round_id, hold=hold)


def round_ended(round_id: str, *, ledger: Ledger) -> datetime | None:
    """Return when the last list of a round became final; None while one is not final."""
    launched = [
        cycle
        for cycle in _programs(round_id, ledger=ledger)
        if cycle.status is not CycleStatus.DRAFT and not cycle.is_practice
    ]
    # A program in draft keeps no round open: it may have been set up and never used. Nor does a
    # practice program, which nobody has to end.
    if any(cycle.status is not CycleStatus.FINALIZED for cycle in launched):
        return None
    ends = [ledger.list_final_at(cycle.id) for cycle in launched]
    return max((end for end in ends if end is not None), default=None)


def preview(round_id: str, *, ledger: Ledger, backups: BackupStore | None) -> tuple[Foreseen, ...]:
    """Tell of each kind of data of a round when it goes, and how much that is now.

    Raises:
        NotFoundError: If there is no such round.
    """
    _require_round(round_id, ledger=ledger)
    ended = round_ended(round_id, ledger=ledger)
    rules = {rule.kind: rule for rule in ledger.retention_rules(round_id)}
    return tuple(
        _foreseen(round_id, kind, rules.get(kind), ended, ledger=ledger, backups=backups)
        for kind in KeptData
    )


def delete_due(
    round_id: str = "", *, ledger: Ledger, backups: BackupStore | None
) -> list[Deletion]:
    """Delete what rules keep no longer; repeated, it finds nothing more.

    Args:
        round_id: The round; all rounds when "".
        ledger: The record.
        backups: Where backups lie.

    Returns:
        What was deleted now.

    Raises:
        NotFoundError: If there is no such round.
    """
    deleted: list[Deletion] = []
    if round_id:
        _require_round(round_id, ledger=ledger)
    for round_ in ledger.rounds():
        if round_id not in {"", round_.id}:
            continue
        rules = [rule for rule in ledger.retention_rules(round_.id) if rule.days is not None]
        # Backups last: those that were made until now hold what the others delete.
        rules.sort(key=lambda rule: rule.kind is KeptData.BACKUPS)
        ended = round_ended(round_.id, ledger=ledger) if rules else None
        for rule in rules:
            goes_at = _goes_at(rule, ended)
            if goes_at is None or ledger.now() < goes_at:
                continue
            if rule.kind is KeptData.BACKUPS:
                before = _before(round_.id, goes_at, ledger=ledger)
                deleted += _delete_backups(round_.id, rule, before, ledger=ledger, at=backups)
                continue
            for cycle in _programs(round_.id, ledger=ledger):
                deleted += _delete_rows(cycle.id, rule, ledger=ledger)
    return deleted


def _foreseen(
    round_id: str,
    kind: KeptData,
    rule: RetentionRule | None,
    ended: datetime | None,
    *,
    ledger: Ledger,
    backups: BackupStore | None,
) -> Foreseen:
    goes_at = _goes_at(rule, ended)
    held, count = False, 0
    if kind is KeptData.BACKUPS:
        held = _anything_held(ledger)
        before = _before(round_id, goes_at or ledger.now(), ledger=ledger)
        count = len(_due_copies(backups, before))
    else:
        for cycle in _programs(round_id, ledger=ledger):
            holds, on_hold = ledger.legal_holds(round_id), ledger.erasing_on_hold(cycle.id)
            kept, spared = _spared(holds, cycle.id, on_hold=on_hold)
            held = held or kept or bool(spared)
            if not kept:
                count += ledger.kept_rows(cycle.id, kind, spared=spared)
    return Foreseen(
        kind=kind,
        days=None if rule is None else rule.days,
        goes_at=goes_at,
        count=count,
        set_by="" if rule is None else rule.by,
        held=held,
    )


def _delete_rows(cycle_id: str, rule: RetentionRule, *, ledger: Ledger) -> Iterator[Deletion]:
    """Delete one kind of a program's rows, all of it or nothing."""
    with ledger.write(cycle_id) as tx:
        kept, spared = _spared(tx.legal_holds(), cycle_id, on_hold=tx.hold() is not None)
        # Read under the lock: a list that is open again needs its reviews.
        final = tx.cycle.status in {CycleStatus.FINALIZED, CycleStatus.DRAFT}
        count = 0 if kept or not final else tx.delete_kept(rule, spared=spared)
    if count:
        yield _deletion(rule, count, cycle_id, ledger=ledger)


def _delete_backups(
    round_id: str, rule: RetentionRule, before: datetime, *, ledger: Ledger, at: BackupStore | None
) -> Iterator[Deletion]:
    """Delete the backups that were made before a round's day came; each holds all programs."""
    if at is None or _anything_held(ledger):
        return
    # A copy cannot lose one person's rows alone, so each goes as a whole or stays.
    due = _due_copies(at, before)
    for copy in due:
        at.delete(copy)
    if count := len(due):
        ledger.record_deletion(round_id, rule, count)
        yield _deletion(rule, count, "", ledger=ledger)


def _deletion(rule: RetentionRule, count: int, cycle_id: str, *, ledger: Ledger) -> Deletion:
    return Deletion(
        kind=rule.kind,
        cycle_id=cycle_id,
        count=count,
        days=rule.days or 0,
        set_by=rule.by,
        at=ledger.now(),
    )


def _spared(
    all_holds: Sequence[LegalHold], cycle_id: str, *, on_hold: bool
) -> tuple[bool, Spared]:
    """Return whether a hold keeps all of a program, and the people whose data one keeps."""
    holds = [hold for hold in all_holds if hold.reaches(cycle_id)]
    kept = on_hold or any(not hold.of_one_person for hold in holds)
    return kept, Spared(
        applications=frozenset(h.application for h in holds if h.application is not None),
        reviewers=frozenset(h.reviewer for h in holds if h.reviewer is not None),
    )


def _anything_held(ledger: Ledger) -> bool:
    """Whether any hold lasts anywhere: a backup holds everything, so it is kept for each."""
    if any(hold.lasts for known in ledger.rounds() for hold in ledger.legal_holds(known.id)):
        return True
    return any(ledger.erasing_on_hold(cycle.id) for cycle in ledger.cycles())


def _before(round_id: str, goes_at: datetime, *, ledger: Ledger) -> datetime:
    """Return before when a backup was made that still holds what rules deleted since."""
    rows = [one.at for one in ledger.deletions(round_id) if one.kind is not KeptData.BACKUPS]
    return max([goes_at, *rows])


def _due_copies(backups: BackupStore | None, before: datetime) -> list[StoredCopy]:
    """List the copies that were made before a moment, without the newest backup.

    An office without any backup loses more than one that keeps the last a little longer: it goes
    when there is a newer one.
    """
    copies = () if backups is None else backups.copies()
    newest = next((copy for copy in copies if copy.is_backup), None)
    return [copy for copy in copies if copy is not newest and copy.made_at < before]


def _goes_at(rule: RetentionRule | None, ended: datetime | None) -> datetime | None:
    if rule is None or rule.days is None or ended is None:
        return None
    return ended + timedelta(days=rule.days)


def _programs(round_id: str, *, ledger: Ledger) -> list[Cycle]:
    return [cycle for cycle in ledger.cycles() if cycle.round_id == round_id]


def _require_round(round_id: str, *, ledger: Ledger) -> None:
    if round_id not in {known.id for known in ledger.rounds()}:
        raise NotFoundError("round_not_found", round=round_id)
