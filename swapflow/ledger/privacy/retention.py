"""What rounds keep for how long: rules, holds, and the deletion itself."""

from datetime import timedelta

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    Table,
    and_,
    delete,
    func,
    insert,
    or_,
    select,
    update,
)
from typing_extensions import override

from swapflow.domain.people.kept_data import (
    Deletion,
    KeptData,
    LegalHold,
    RetentionRule,
    Spared,
)
from swapflow.engine.ports.retention import RetentionReads, RetentionWrites
from swapflow.ledger.core.cycle_lock import CycleLock
from swapflow.ledger.core.database import Database
from swapflow.ledger.cycle.named_rows import erasing_on_hold
from swapflow.ledger.identity.personal_links import forget_links
from swapflow.ledger.privacy.application_erasure import MAIL_PARTS, NO_MAIL
from swapflow.ledger.schema import (
    ASSIGNMENT,
    DRAFT,
    IDEMPOTENCY,
    LEGAL_HOLD,
    MARK,
    MESSAGE,
    MONITORING_ATTRIBUTE,
    PRACTICE_MARK,
    PRACTICE_NOTE,
    REMARK,
    RETENTION_DELETION,
    RETENTION_RULE,
    SCORE,
    SCORE_NOTE,
)


_OF_REVIEWS = (MARK, SCORE_NOTE, REMARK)

_OF_PRACTICE = ((PRACTICE_MARK, "remark"), (PRACTICE_NOTE, "text"))

_ANSWERS_KEPT = timedelta(days=1)
"""How long an answer to a request is kept for its repeat."""


class SqlRetention(RetentionReads):
    """Rules, holds and deletions of rounds, outside a transaction."""

    _database: Database

    @override
    def retention_rules(self, round_id: str) -> tuple[RetentionRule, ...]:
        last = select(func.max(RETENTION_RULE.c.id)).filter_by(round_id=round_id)
        query = select(RETENTION_RULE).where(
            RETENTION_RULE.c.id.in_(last.group_by(RETENTION_RULE.c.kind))
        )
        with self._database.reading() as connection:
            return tuple(
                RetentionRule(kind=KeptData(row.kind), days=row.days, by=row.by, at=row.at)
                for row in connection.execute(query.order_by(RETENTION_RULE.c.kind))
            )

    @override
    def set_retention(self, round_id: str, kind: KeptData, days: int | None, *, by: str) -> None:
        with self._database.writing() as connection:
            row = {
                "round_id": round_id,
                "kind": kind.value,
                "days": days,
                "by": by,
                "at": self._database.now(connection),
            }
            connection.execute(insert(RETENTION_RULE), row)

    @override
    def deletions(self, round_id: str) -> tuple[Deletion, ...]:
        query = select(RETENTION_DELETION).filter_by(round_id=round_id)
        with self._database.reading() as connection:
            return tuple(
                Deletion(
                    kind=KeptData(row.kind),
                    cycle_id=row.cycle_id,
                    count=row.rows,
                    days=row.days,
                    set_by=row.set_by,
                    at=row.at,
                )
                for row in connection.execute(query.order_by(RETENTION_DELETION.c.id.desc()))
            )

    @override
    def record_deletion(
        self, round_id: str, rule: RetentionRule, count: int, *, cycle_id: str = ""
    ) -> None:
        with self._database.writing() as connection:
            row = _deletion(round_id, cycle_id, rule, count)
            row["at"] = self._database.now(connection)
            connection.execute(insert(RETENTION_DELETION), row)

    @override
    def legal_holds(self, round_id: str) -> tuple[LegalHold, ...]:
        with self._database.reading() as connection:
            return _holds(connection, select(LEGAL_HOLD).filter_by(round_id=round_id))

    @override
    def place_hold(
        self,
        round_id: str,
        *,
        cycle_id: str,
        application: int | None,
        reviewer: int | None,
        by: str,
        reason: str,
    ) -> int:
        with self._database.writing() as connection:
            row = {
                "round_id": round_id,
                "cycle_id": cycle_id,
                "application": application,
                "reviewer": reviewer,
                "reason": reason,
                "by": by,
                "at": self._database.now(connection),
                "lifted_by": "",
                "lifted_reason": "",
            }
            made = connection.execute(insert(LEGAL_HOLD).values(row).returning(LEGAL_HOLD.c.id))
            return int(made.scalar_one())

    @override
    def lift_hold(self, round_id: str, hold: int, *, by: str, reason: str) -> bool:
        with self._database.writing() as connection:
            lasts = (
                LEGAL_HOLD.c.id == hold,
                LEGAL_HOLD.c.round_id == round_id,
                LEGAL_HOLD.c.lifted_at.is_(None),
            )
            now = self._database.now(connection)
            ended = {"lifted_by": by, "lifted_reason": reason, "lifted_at": now}
            return connection.execute(update(LEGAL_HOLD).where(*lasts).values(ended)).rowcount > 0

    @override
    def erasing_on_hold(self, cycle_id: str) -> bool:
        with self._database.reading() as connection:
            return erasing_on_hold(connection, cycle_id) is not None

    @override
    def kept_rows(self, cycle_id: str, kind: KeptData, *, spared: Spared) -> int:
        with self._database.reading() as connection:
            return _count(connection, cycle_id, kind, spared)


class SqlRetentionWrites(CycleLock, RetentionWrites):
    """The part of a transaction that deletes what a rule keeps no longer."""

    @override
    def legal_holds(self) -> tuple[LegalHold, ...]:
        query = select(LEGAL_HOLD).filter_by(round_id=self._row["round_id"], lifted_at=None)
        return _holds(self._connection, query)

    @override
    def holds_about(
        self, *, application: int | None = None, reviewer: int | None = None
    ) -> tuple[LegalHold, ...]:
        reached = [hold for hold in self.legal_holds() if hold.reaches(self._id)]
        if not any(hold.of_one_person for hold in reached):
            return tuple(reached)
        asked = select(ASSIGNMENT.c.application, ASSIGNMENT.c.reviewer).filter_by(
            cycle_id=self._id,
            **({"reviewer": reviewer} if application is None else {"application": application}),
        )
        rows = self._connection.execute(asked.distinct())
        pairs = {(row.application, row.reviewer) for row in rows}
        # Each side of a review quotes the other, so what is held on one keeps the other too.
        applications = {application} | ({a for a, _ in pairs} if application is None else set())
        reviewers = {reviewer} | ({r for _, r in pairs} if reviewer is None else set())
        return tuple(
            hold
            for hold in reached
            if not hold.of_one_person
            or (hold.application is not None and hold.application in applications)
            or (hold.reviewer is not None and hold.reviewer in reviewers)
        )

    @override
    def delete_kept(self, rule: RetentionRule, *, spared: Spared) -> int:
        count = _count(self._connection, self._id, rule.kind, spared)
        if not count:
            return 0
        match rule.kind:
            case KeptData.DRAFTS:
                asked = _asked(self._id, spared)
                self._connection.execute(delete(DRAFT).where(DRAFT.c.assignment_id.in_(asked)))
            case KeptData.REVIEWS:
                self._delete_reviews(spared)
            case KeptData.MONITORING:
                rows = _monitoring(self._id, spared)
                self._connection.execute(delete(MONITORING_ATTRIBUTE).where(rows))
            case KeptData.MAILS:
                self._empty_mails()
            case KeptData.FIGURES | KeptData.BACKUPS:
                return 0  # neither is in a row of the program
        row = _deletion(self._row["round_id"], self._id, rule, count)
        self._connection.execute(insert(RETENTION_DELETION), {**row, "at": self._now})
        return count

    def _delete_reviews(self, spared: Spared) -> None:
        """Delete marks and words; utilities stay, for the list follows from them."""
        asked = _asked(self._id, spared)
        for table in _OF_REVIEWS:
            self._connection.execute(delete(table).where(table.c.assignment_id.in_(asked)))
        scored = SCORE.c.assignment_id.in_(asked)
        self._connection.execute(update(SCORE).where(scored).values(reason=""))
        for practice, words in _OF_PRACTICE:
            mine = _practice(self._id, practice, words, spared)
            self._connection.execute(update(practice).where(mine).values({words: ""}))
        # An answer to a reviewer's program may quote the review; a repeat is known for a day.
        old = IDEMPOTENCY.c.at < self._now - _ANSWERS_KEPT
        self._connection.execute(delete(IDEMPOTENCY).where(old))

    def _empty_mails(self) -> None:
        """Empty all mails of the program; what was not sent by now is never sent."""
        mine = MESSAGE.c.cycle_id == self._id
        forget_links(self._connection, select(MESSAGE.c.id).where(mine))
        waits = MESSAGE.c.state.in_(("held", "queued"))
        self._connection.execute(update(MESSAGE).where(mine, waits).values(state="void"))
        self._connection.execute(update(MESSAGE).where(mine).values(NO_MAIL))


def _deletion(round_id: str, cycle_id: str, rule: RetentionRule, count: int) -> dict[str, object]:
    return {
        "round_id": round_id,
        "cycle_id": cycle_id,
        "kind": rule.kind.value,
        "rows": count,
        "days": rule.days,
        "set_by": rule.by,
    }


def _holds(connection: Connection, query: Select[tuple[object, ...]]) -> tuple[LegalHold, ...]:
    found = connection.execute(query.order_by(LEGAL_HOLD.c.id.desc())).mappings()
    return tuple(LegalHold(**row) for row in found)


def _asked(cycle_id: str, spared: Spared) -> Select[tuple[str]]:
    """Select the assignments of a program, without those of spared people."""
    return select(ASSIGNMENT.c.id).where(
        ASSIGNMENT.c.cycle_id == cycle_id,
        ASSIGNMENT.c.application.not_in(spared.applications),
        ASSIGNMENT.c.reviewer.not_in(spared.reviewers),
    )


def _monitoring(cycle_id: str, spared: Spared) -> ColumnElement[bool]:
    return and_(
        MONITORING_ATTRIBUTE.c.cycle_id == cycle_id,
        MONITORING_ATTRIBUTE.c.application.not_in(spared.applications),
    )


def _practice(cycle_id: str, table: Table, words: str, spared: Spared) -> ColumnElement[bool]:
    """Choose what was written about practice files; notes of staff have no reviewer."""
    return and_(
        table.c.cycle_id == cycle_id,
        table.c[words] != "",
        or_(table.c.reviewer.is_(None), table.c.reviewer.not_in(spared.reviewers)),
    )


def _count(connection: Connection, cycle_id: str, kind: KeptData, spared: Spared) -> int:
    """Count what a rule would delete in a program now."""
    asked = _asked(cycle_id, spared)
    match kind:
        case KeptData.DRAFTS:
            queries = [select(func.count()).where(DRAFT.c.assignment_id.in_(asked))]
        case KeptData.REVIEWS:
            queries = [
                select(func.count()).where(table.c.assignment_id.in_(asked))
                for table in _OF_REVIEWS
            ]
            queries += [
                select(func.count()).where(_practice(cycle_id, table, words, spared))
                for table, words in _OF_PRACTICE
            ]
        case KeptData.MONITORING:
            queries = [select(func.count()).where(_monitoring(cycle_id, spared))]
        case KeptData.MAILS:
            # A letter quotes more people than its own, so one hold keeps all mails of a program.
            full = or_(*(part != "" for part in MAIL_PARTS))
            rows = select(func.count()).where(MESSAGE.c.cycle_id == cycle_id, full)
            queries = [] if spared else [rows]
        case KeptData.FIGURES | KeptData.BACKUPS:
            queries = []
    return sum(int(connection.execute(query).scalar_one()) for query in queries)
