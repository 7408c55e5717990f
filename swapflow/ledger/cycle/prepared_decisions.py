"""Staff reads and writes around a cycle: prepared decisions, rules, mails.

None of it is an event: a prepared decision has no effect until it is carried out.
"""

from datetime import datetime
from typing import Any

from sqlalchemy import (
    Select,
    and_,
    bindparam,
    func,
    or_,
    select,
    update,
)
from typing_extensions import override

from swapflow.domain.ids import applicant_mails
from swapflow.domain.returned_mail import CAME_BACK, KEPT_BACK, SETTLED
from swapflow.domain.reviewing.score import Score
from swapflow.engine.ports.cycles import CycleReads
from swapflow.engine.ports.decisions import DecisionReads
from swapflow.engine.ports.outbox import Outbox
from swapflow.engine.ports.records import (
    NOT_SENT,
    Mail,
    MailRecord,
    PreparedDecision,
    RulesVersion,
)
from swapflow.engine.ports.requests import RequestReads
from swapflow.errors import NotFoundError
from swapflow.ledger.core import queries
from swapflow.ledger.core.database import Database
from swapflow.ledger.core.row_mapping import MAIL_COLUMNS, AnyRow, to_rules
from swapflow.ledger.core.statements import require_cycle
from swapflow.ledger.cycle.prepared_writes import (
    drop_prepared,
    lock_cycle,
    put_prepared,
    read_prepared,
    sign_prepared,
)
from swapflow.ledger.cycle.returned_mails import SENT_ANEW
from swapflow.ledger.schema import MESSAGE, PREPARED, RULES


_MAIL_EXTRAS = (MESSAGE.c.detail, MESSAGE.c.created_at, MESSAGE.c.attempts)
_AGAIN = (
    update(MESSAGE)
    .where(MESSAGE.c.cycle_id == bindparam("cycle"), MESSAGE.c.state.in_(("failed", NOT_SENT)))
    .values(**SENT_ANEW)
)
# Asked for one at a time alone: most of those that came back would come back again.
_ONE_AGAIN = (
    update(MESSAGE)
    .where(
        MESSAGE.c.cycle_id == bindparam("cycle"),
        MESSAGE.c.id == bindparam("which"),
        MESSAGE.c.state.in_(("failed", NOT_SENT, CAME_BACK, KEPT_BACK, SETTLED)),
    )
    .values(**SENT_ANEW)
)


class SqlPreparedDecisions(CycleReads, RequestReads, DecisionReads, Outbox):
    """The part of the ledger behind the pages of staff.

    Raises:
        NotFoundError: From any method, if the cycle does not exist.
        UnavailableError: From any method, if the database does not answer.
    """

    _database: Database

    # Rules

    @override
    def rules_history(self, cycle_id: str) -> tuple[RulesVersion, ...]:
        query = (
            select(RULES.c.body, RULES.c.by, RULES.c.reason, RULES.c.at)
            .where(RULES.c.cycle_id == cycle_id)
            .order_by(RULES.c.version.desc())
        )
        with self._database.reading() as connection:
            require_cycle(connection, cycle_id)
            return tuple(
                RulesVersion(
                    rules=to_rules(cycle_id, row.body), by=row.by, reason=row.reason, at=row.at
                )
                for row in connection.execute(query)
            )

    @override
    def scores_with_marks(
        self, cycle_id: str, kind: int
    ) -> tuple[tuple[Score, dict[str, float | None]], ...]:
        with self._database.reading() as connection:
            require_cycle(connection, cycle_id)
            return queries.scores_with_marks(connection, cycle_id, kind)

    # Decisions that wait for signatures

    @override
    def prepared(self, cycle_id: str) -> PreparedDecision | None:
        with self._database.reading() as connection:
            require_cycle(connection, cycle_id)
            return read_prepared(connection, cycle_id)

    @override
    def cycles_to_sign(self) -> frozenset[str]:
        with self._database.reading() as connection:
            return frozenset(connection.execute(select(PREPARED.c.cycle_id)).scalars())

    @override
    def prepare(self, cycle_id: str, new: PreparedDecision) -> None:
        with self._database.writing() as connection:
            lock_cycle(connection, cycle_id)
            put_prepared(connection, cycle_id, new, at=self._database.now(connection))

    @override
    def sign_prepared(self, cycle_id: str, digest: str, *, by: str) -> bool:
        with self._database.writing() as connection:
            lock_cycle(connection, cycle_id)
            now = self._database.now(connection)
            return sign_prepared(connection, cycle_id, digest, by=by, at=now)

    @override
    def drop_prepared(self, cycle_id: str) -> bool:
        with self._database.writing() as connection:
            lock_cycle(connection, cycle_id)
            return drop_prepared(connection, cycle_id)

    # Mails of a cycle

    @override
    def cycle_mails(
        self,
        cycle_id: str,
        *,
        state: str = "",
        skip: int = 0,
        after: tuple[datetime, str] | None = None,
        at_most: int = 50,
        without_applicants: bool = False,
    ) -> tuple[MailRecord, ...]:
        query = (
            _mails_of(cycle_id)
            .order_by(MESSAGE.c.created_at.desc(), MESSAGE.c.id)
            .offset(skip)
            .limit(at_most)
        )
        if state:
            query = query.where(MESSAGE.c.state == state)
        if without_applicants:
            theirs = MESSAGE.c.id.startswith(applicant_mails(cycle_id), autoescape=True)
            query = query.where(~theirs)
        if after is not None:
            at, mail_id = after
            same = and_(MESSAGE.c.created_at == at, MESSAGE.c.id > mail_id)
            query = query.where(or_(MESSAGE.c.created_at < at, same))
        with self._database.reading() as connection:
            require_cycle(connection, cycle_id)
            return tuple(_to_record(row) for row in connection.execute(query))

    @override
    def cycle_mail(self, cycle_id: str, mail_id: str) -> MailRecord:
        with self._database.reading() as connection:
            row = connection.execute(
                _mails_of(cycle_id).where(MESSAGE.c.id == mail_id)
            ).one_or_none()
        if row is None:
            raise NotFoundError("mail_not_in_program", mail=mail_id)
        return _to_record(row)

    @override
    def count_mails(self, cycle_id: str) -> dict[str, int]:
        query = (
            select(MESSAGE.c.state, func.count())
            .where(MESSAGE.c.cycle_id == cycle_id)
            .group_by(MESSAGE.c.state)
        )
        with self._database.reading() as connection:
            return dict(connection.execute(query).all())

    @override
    def queue_again(self, cycle_id: str, mail_id: str) -> bool:
        with self._database.writing() as connection:
            which = {"cycle": cycle_id, "which": mail_id}
            return bool(connection.execute(_ONE_AGAIN, which).rowcount)

    @override
    def queue_all_again(self, cycle_id: str) -> int:
        with self._database.writing() as connection:
            return connection.execute(_AGAIN, {"cycle": cycle_id}).rowcount


def _mails_of(cycle_id: str) -> Select[*tuple[Any, ...]]:
    return select(*MAIL_COLUMNS, *_MAIL_EXTRAS).where(MESSAGE.c.cycle_id == cycle_id)


def _to_record(row: AnyRow) -> MailRecord:
    known = row._asdict()
    extras = {column.name: known.pop(column.name) for column in _MAIL_EXTRAS}
    return MailRecord(mail=Mail(**known), **extras)
