"""The ledger on SQLite or PostgreSQL: rounds, cycles, transactions, maintenance."""

import sqlite3
from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from datetime import datetime
from pathlib import Path

from sqlalchemy import Connection, bindparam, insert, select, update
from sqlalchemy.exc import IntegrityError
from typing_extensions import override

from swapflow.domain.cycle import START, Cycle, CycleStatus, Round
from swapflow.domain.ids import new_task_key
from swapflow.domain.people.shown_columns import NEW_PROGRAM
from swapflow.domain.rules import Rules
from swapflow.engine.ports.coordination import Coordination
from swapflow.engine.ports.cycles import CycleReads
from swapflow.engine.ports.records import SHOWN
from swapflow.engine.ports.writes.transaction import Transaction, WriteHook, write_alone
from swapflow.errors import DamagedRecordError, InvalidInputError, NotFoundError
from swapflow.ledger.backup_record import SqlBackupRecord
from swapflow.ledger.cohort.announcements import SqlAnnouncements
from swapflow.ledger.cohort.applicant_answers import SqlApplicantAnswers
from swapflow.ledger.cohort.meetings import SqlMeetings
from swapflow.ledger.cohort.offers import SqlOffers
from swapflow.ledger.cohort.reconsiderations import SqlReconsiderations
from swapflow.ledger.core.cycle_lock import store_rules
from swapflow.ledger.core.damaged_rows import UNREADABLE
from swapflow.ledger.core.database import Database
from swapflow.ledger.core.row_mapping import to_cycle
from swapflow.ledger.core.statements import no_cycle
from swapflow.ledger.core.write_admission import WriteBounds
from swapflow.ledger.cycle.cycle_reads import SqlCycleReads
from swapflow.ledger.cycle.draft_batches import DraftBatches
from swapflow.ledger.cycle.imported_lists import store_list_reading
from swapflow.ledger.cycle.leases import SqlLeases
from swapflow.ledger.cycle.outbox import SqlOutbox
from swapflow.ledger.cycle.overview import SqlOverview
from swapflow.ledger.cycle.prepared_decisions import SqlPreparedDecisions
from swapflow.ledger.cycle.returned_mails import SqlReturnedMails
from swapflow.ledger.cycle.reviewer_tasks import SqlReviewerTasks
from swapflow.ledger.cycle.task_reads import SqlTaskReads
from swapflow.ledger.exchange import SqlExchange
from swapflow.ledger.held_acts import SqlHeldActs
from swapflow.ledger.identity.identity_store import SqlIdentityStore
from swapflow.ledger.identity.personal_links import SqlPersonalLinks
from swapflow.ledger.identity.unit_store import place_in_unit
from swapflow.ledger.identity.webhook_calls import SqlWebhooks
from swapflow.ledger.outbox_work import SqlOutboxWork
from swapflow.ledger.practice import SqlPractice
from swapflow.ledger.privacy.erased_people import SqlErasedPeople
from swapflow.ledger.privacy.monitoring import SqlMonitoring
from swapflow.ledger.privacy.personal_data import SqlPersonalData
from swapflow.ledger.privacy.retention import SqlRetention
from swapflow.ledger.privacy.thrown_away import copy_rights, delete_practice_program
from swapflow.ledger.schema import CLOCK, CYCLE, ROUND
from swapflow.ledger.schema.base import METADATA
from swapflow.ledger.transaction import SqlTransaction


_CYCLE = select(CYCLE).where(CYCLE.c.id == bindparam("cycle"))
_CYCLES = select(CYCLE).order_by(CYCLE.c.created_at, CYCLE.c.id)
_CYCLES_NAMED = _CYCLES.where(CYCLE.c.id.in_(bindparam("named", expanding=True)))


def _first_damaged(connection: Connection, ids: Collection[str]) -> DamagedRecordError:
    """Name the first of these cycles whose row cannot be read."""
    for cycle_id in ids:
        try:
            connection.execute(_CYCLE, {"cycle": cycle_id}).all()
        except UNREADABLE as error:
            return DamagedRecordError(
                "row_damaged", cycle=cycle_id, table=CYCLE.name, problem=type(error).__name__
            )
    return DamagedRecordError("value_damaged", problem=CYCLE.name)


class SqlLedger(
    SqlCycleReads,
    SqlOverview,
    SqlReviewerTasks,
    SqlTaskReads,
    SqlOutbox,
    SqlOutboxWork,
    SqlPersonalLinks,
    SqlReturnedMails,
    SqlWebhooks,
    SqlPreparedDecisions,
    SqlPractice,
    SqlExchange,
    SqlOffers,
    SqlAnnouncements,
    SqlApplicantAnswers,
    SqlMeetings,
    SqlReconsiderations,
    SqlErasedPeople,
    SqlRetention,
    SqlBackupRecord,
    SqlHeldActs,
    SqlLeases,
    CycleReads,
    Coordination,
):
    """The port `Ledger` in SQL, safe for threads and for forked processes.

    Its reads are in `cycle/` and `cohort/`, its outgoing messages in `cycle/outbox.py`; a write is
    a `SqlTransaction`.
    """

    def __init__(self, url: str) -> None:
        """Prepare a ledger; the first use connects.

        Args:
            url: `sqlite:///FILE`, `postgresql://USER:PASSWORD@HOST/NAME` (set up beforehand by
                `upgrade`), or `sqlite://` for one in memory that starts empty and ends with
                this object.

        Raises:
            InvalidInputError: If the URL is none of these.
        """
        self._database = Database(url)
        self._draft_saves = DraftBatches(self._database)
        self.around_write: WriteHook = write_alone
        if self._database.in_memory:
            with self._database.writing() as connection:
                METADATA.create_all(connection, checkfirst=False)
                connection.execute(insert(CLOCK), {"id": 1, "offset_seconds": 0.0})

    def office(self) -> SqlIdentityStore:
        """Return the office's record, on the same connections."""
        return SqlIdentityStore(self._database)

    def monitoring(self) -> SqlMonitoring:
        """Return the monitoring record, on the same connections."""
        return SqlMonitoring(self._database)

    def personal_data(self) -> SqlPersonalData:
        """Return what reads everything about one person, on the same connections."""
        return SqlPersonalData(self._database)

    def bound_writes(self, bounds: WriteBounds) -> None:
        """Bound how many writes of this process wait for others, and for how long."""
        self._database.bound_writes(bounds)

    def dispose(self) -> None:
        """Close the connections; a forked child starts with new ones."""
        self._database.dispose()

    @override
    def now(self) -> datetime:
        with self._database.reading() as connection:
            return self._database.now(connection)

    @override
    def one_moment(self) -> AbstractContextManager[None]:
        return self._database.one_moment()

    # Rounds and cycles

    @override
    def create_round(self, new: Round) -> None:
        with self._database.writing() as connection:
            row = {
                "id": new.id,
                "name": new.name,
                "unit": new.unit,
                "zone": new.zone,
                "created_at": self._database.now(connection),
            }
            try:
                connection.execute(insert(ROUND), row)
            except IntegrityError as error:
                raise InvalidInputError("round_exists", round=new.id) from error

    @override
    def rounds(self) -> tuple[Round, ...]:
        query = select(ROUND.c.id, ROUND.c.name, ROUND.c.unit, ROUND.c.zone)
        with self._database.reading() as connection:
            rows = connection.execute(query.order_by(ROUND.c.created_at, ROUND.c.id))
            return tuple(Round(**row._asdict()) for row in rows)

    @override
    def create_cycle(
        self,
        cycle_id: str,
        *,
        round_id: str,
        name: str,
        rules: Rules,
        by: str,
        practice_of: str = "",
        rights_of: str = "",
        unit: str = "",
    ) -> None:
        with self._database.writing() as connection:
            now = self._database.now(connection)
            if connection.execute(select(ROUND.c.id).filter_by(id=round_id)).first() is None:
                raise NotFoundError("round_not_found", round=round_id)
            row = {
                "id": cycle_id,
                "round_id": round_id,
                "name": name,
                "purpose": rules.purpose.value,
                "status": CycleStatus.DRAFT.value,
                "seq": START.seq,
                "head_hash": START.hash,
                "spent": 0,
                "committed": 0,
                "decisions": 0,
                "rules_version": rules.version,
                "cohort_version": 0,
                "lease_holder": "",
                "lease_epoch": 0,
                "lease_until": None,
                "created_at": now,
                "paused_at": None,
                "stop_reason": None,
                "task_key": new_task_key(),
            }
            if practice_of:
                row["practice_of"] = practice_of
            try:
                connection.execute(insert(CYCLE), row)
            except IntegrityError as error:
                raise InvalidInputError("cycle_exists", cycle=cycle_id) from error
            if unit:
                place_in_unit(connection, cycle_id, unit, round_id=round_id)
            store_rules(connection, cycle_id, rules, by=by, reason="", at=now)
            # A program without this row was made before columns were chosen.
            store_list_reading(connection, cycle_id, SHOWN, NEW_PROGRAM.settings(), by=by, at=now)
            if rights_of:
                copy_rights(connection, rights_of, cycle_id, by=by, at=now)

    @override
    def throw_away(self, cycle_id: str) -> None:
        with self._database.writing() as connection:
            delete_practice_program(connection, cycle_id)

    @override
    def cycle(self, cycle_id: str) -> Cycle:
        with self._database.reading() as connection:
            row = connection.execute(_CYCLE, {"cycle": cycle_id}).mappings().one_or_none()
        if row is None:
            raise no_cycle(cycle_id)
        return to_cycle(row)

    @override
    def cycles(
        self, *, without: Collection[str] = (), only: Collection[str] | None = None
    ) -> tuple[Cycle, ...]:
        asked = {} if only is None else {"named": sorted(only)}
        query = _CYCLES if only is None else _CYCLES_NAMED
        if without:
            query = query.where(CYCLE.c.id.not_in(sorted(without)))
        with self._database.reading() as connection:
            try:
                return tuple(map(to_cycle, connection.execute(query, asked).mappings().all()))
            except UNREADABLE:
                # A moment that is none fails before its row is there: look at one at a time.
                ids = connection.execute(query.with_only_columns(CYCLE.c.id), asked)
                raise _first_damaged(connection, ids.scalars().all()) from None

    # Writing

    @override
    def write(
        self, cycle_id: str, *, epoch: int | None = None
    ) -> AbstractContextManager[Transaction]:
        return self.around_write(cycle_id, self._write(cycle_id, epoch))

    @contextmanager
    def _write(self, cycle_id: str, epoch: int | None) -> Iterator[Transaction]:
        with self._database.writing() as connection:
            transaction = SqlTransaction(connection, self._database, cycle_id, epoch)
            self._database.has_its_lock()
            yield transaction
            # Not reached when the block raises:
            # then no event is written and the transaction rolls back.
            transaction.save()

    # For administrators and tests

    def set_clock_offset(self, seconds: float) -> None:
        """Set the seconds by which every later `now` differs from the database's time; for tests.

        Leases and mails being sent use the database's own time.
        """
        with self._database.writing() as connection:
            connection.execute(update(CLOCK).values(offset_seconds=seconds))

    def backup(self, path: Path) -> None:
        """Copy a SQLite ledger as of one moment into a new file, while others continue to write.

        Raises:
            InvalidInputError: If this is PostgreSQL (use pg_dump), or the file exists.
        """
        if not self._database.is_sqlite:
            raise InvalidInputError("postgresql_backup_elsewhere")
        if path.exists():
            raise InvalidInputError("backup_file_exists", path=path)
        with self._database.reading() as connection, closing(sqlite3.connect(path)) as copy:
            # SQLite's own copy includes what its log holds and follows writers;
            # a copied file would not.
            source = connection.connection.driver_connection
            assert isinstance(source, sqlite3.Connection)
            source.backup(copy)

    @override
    def compact(self) -> None:
        """Remove erased data from the write-ahead log as well, after a purge.

        On PostgreSQL this is a vacuum; old versions of rows also remain in backups and replicas.
        """
        self._database.compact()
