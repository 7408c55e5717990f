"""Connections, locks and the database's clock, for SQLite and PostgreSQL.

SQLite lets one process write at a time and picks the next one unfairly: of four writers one
starved the others for 12 seconds. So every writer first queues for a lock of this process, served
in order of arrival, and then for an `flock` on a file beside the database; SQLite's own lock is
then always free. PostgreSQL needs neither: the lock of the cycle's row is enough.
"""

import os
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlalchemy import (
    URL,
    Connection,
    Engine,
    RowMapping,
    make_url,
    select,
)
from sqlalchemy.exc import (
    ArgumentError,
    DBAPIError,
    InterfaceError,
    NoSuchModuleError,
    OperationalError,
)
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from swapflow.errors import InvalidInputError, NotFoundError, UnavailableError
from swapflow.ledger.core.clock import CLOCK_COLUMNS
from swapflow.ledger.core.engines import BUSY_SECONDS, ImpatientEngines, new_engine
from swapflow.ledger.core.fair_lock import FairLock
from swapflow.ledger.core.row_mapping import AnyRow
from swapflow.ledger.core.write_admission import Wait, WriteAdmission, WriteBounds, write_turn
from swapflow.messages import Message


TOUCH_SECONDS = 0.5
"""Seconds for which a write waits that matters little, such as when a person was last seen."""

_NOT_SET_UP = ("no such table", "no such column", "UndefinedTable", "UndefinedColumn")
NUMBER_OUT_OF_RANGE = "22003"
"""PostgreSQL's code for a number that a column cannot hold."""

_CLOCK = select(*CLOCK_COLUMNS)


def parse_url(url: str) -> URL:
    """Read a database URL and name the driver that swapflow ships.

    Raises:
        InvalidInputError: Unless it is a SQLite or PostgreSQL URL.
    """
    try:
        parsed = make_url(url)
    except ArgumentError as error:
        raise InvalidInputError("database_url_unreadable") from error
    backend = parsed.get_backend_name()
    if backend in {"postgresql", "postgres"}:
        return parsed.set(drivername="postgresql+psycopg")
    if backend == "sqlite":
        return parsed.set(drivername="sqlite")
    raise InvalidInputError("database_unknown", backend=backend)


class Database:
    """One database, with its pool of connections, its locks and its clock.

    Safe for threads. After a fork the child starts with connections and locks of its own.

    Attributes:
        url: Its address.
        file: The SQLite file, None for PostgreSQL and in memory.
        in_memory: Whether it is in memory, on one connection, and ends with this object.
    """

    def __init__(self, url: str) -> None:
        """Prepare the connections; the first use opens one.

        Raises:
            InvalidInputError: Unless it is a SQLite or PostgreSQL URL.
        """
        self._bounds: WriteBounds | None = None
        self._busy = BUSY_SECONDS
        self.url = parse_url(url)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self.in_memory = self.is_sqlite and self.url.database in {None, "", ":memory:"}
        self.file = Path(str(self.url.database)) if self.is_sqlite and not self.in_memory else None
        self._start()

    def _start(self) -> None:
        """Create the pool and the locks of this process."""
        self._process = os.getpid()
        self._lock = FairLock()
        self._impatient = ImpatientEngines(self.url)
        self._admission = WriteAdmission(self._bounds)
        self._moment = threading.local()
        self._borrowed: Connection | None = None
        self._engine: Engine = new_engine(self.url, in_memory=self.in_memory, busy=self._busy)
        self._reader: Engine = self._engine
        self._writer: Engine = self._engine
        if self.is_sqlite:
            self._writer = self._engine.execution_options(immediate=True)
        else:
            # Several reads of one block must agree; SQLite's transactions do so anyway.
            self._reader = self._engine.execution_options(isolation_level="REPEATABLE READ")

    def dispose(self) -> None:
        """Close the idle connections; a forked child calls this and leaves its parent's open."""
        if os.getpid() == self._process:
            self._engine.dispose()
            self._impatient.dispose()
        elif not self.in_memory:
            # The sockets belong to the parent, which still uses them.
            self._engine.dispose(close=False)
            self._impatient.dispose(close=False)
            self._start()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Open a connection that sees the database as of one moment."""
        self._check_process()
        shared: Connection | None = getattr(self._moment, "connection", None)
        if shared is not None:
            with self._translated():
                yield shared
            return
        with self._translated():
            if self.in_memory and self._lock.is_mine:
                assert self._borrowed is not None
                yield self._borrowed
            else:
                with self._one_at_a_time(), self._reader.connect() as connection:
                    yield connection

    @contextmanager
    def one_moment(self) -> Iterator[None]:
        """Read everything in this thread as of one moment, until the block ends.

        The reads also share a connection and a transaction, which is most of a small read's cost,
        and one reading of the clock. Nothing may be written meanwhile: the reads would not see it.
        """
        with self.reading() as connection:
            outer: Connection | None = getattr(self._moment, "connection", None)
            if outer is None:
                self._moment.clock = None
            self._moment.connection = connection
            try:
                yield
            finally:
                self._moment.connection = outer

    def check_may_write(self) -> None:
        """Raise for a write of this thread that would wait for itself, or stay unseen."""
        self._check_process()
        if self._lock.is_mine:
            raise RuntimeError("a write inside a write of the same thread would wait for itself")
        if getattr(self._moment, "connection", None) is not None:
            raise RuntimeError("a write among reads of one moment would not be seen by them")

    @contextmanager
    def writing(self, *, apart: bool = False) -> Iterator[Connection]:
        """Open a transaction that commits at the end of the block, and rolls back on an error.

        Args:
            apart: Whether it waits for its turn in a thread of its own, which answers no request.
        """
        self.check_may_write()
        with (
            self._translated(),
            self._admission.admitted(apart=apart) as wait,
            self._turn(wait),
            self._writer_for(wait).begin() as connection,
        ):
            self._borrowed, self._moment.wait = connection, wait
            if self.is_sqlite:
                wait.begun()
            try:
                yield connection
            finally:
                self._borrowed = None

    def has_its_lock(self) -> None:
        """Note that this thread's write has the row that it locks first: it waits no longer."""
        self._moment.wait.begun()

    @contextmanager
    def touching(self) -> Iterator[Connection]:
        """Open a transaction for a write that matters little, or give it up soon.

        Raises:
            UnavailableError: If its turn does not come within `TOUCH_SECONDS`.
        """
        self.check_may_write()
        wait = Wait(self._admission, None if self.in_memory else TOUCH_SECONDS)
        with self._translated(), self._turn(wait), self._writer_for(wait).begin() as connection:
            self._borrowed = connection
            try:
                yield connection
            finally:
                self._borrowed = None

    def bound_writes(self, bounds: WriteBounds) -> None:
        """Bound how many writes of this process wait for others, and for how long.

        Called before the first use.
        """
        self._bounds, self._busy = bounds, bounds.patient
        self._start()

    def _turn(self, wait: Wait) -> AbstractContextManager[None]:
        """Wait for this process's other writers, then for those of other processes."""
        return write_turn(self._lock if self.is_sqlite else None, self.file, wait)

    def _writer_for(self, wait: Wait) -> Engine:
        """Return the engine whose connections wait for as long as a write may."""
        if wait.seconds is None or wait.seconds == self._busy or self.in_memory:
            return self._writer
        engine = self._impatient.waiting(wait.seconds)
        return engine.execution_options(immediate=True) if self.is_sqlite else engine

    def now(self, connection: Connection, *, real: bool = False) -> datetime:
        """Return the database's time; `real` leaves out the offset that tests set."""
        in_moment = connection is getattr(self._moment, "connection", None)
        if in_moment and self._moment.clock is not None:
            return _time(self._moment.clock, real=real)
        return self.time_in(connection.execute(_CLOCK).one(), real=real)

    def time_in(self, row: AnyRow | RowMapping, *, real: bool = False) -> datetime:
        """Return the time that a statement read by `CLOCK_COLUMNS`; SQLite has no clock."""
        read = row if isinstance(row, RowMapping) else row._mapping  # noqa: SLF001 - public
        clock = read["clock_time"] or datetime.now(UTC), timedelta(seconds=read["clock_offset"])
        if getattr(self._moment, "connection", None) is not None:
            self._moment.clock = clock
        return _time(clock, real=real)

    @contextmanager
    def exclusive(self) -> Iterator[Connection]:
        """Open a connection outside a transaction that keeps other writers of the file away."""
        self._check_process()
        wait = Wait(self._admission, None)
        with self._translated(), self._turn(wait), self._writer.connect() as connection:
            yield connection

    def compact(self) -> None:
        """Empty SQLite's write-ahead log into the file; vacuum PostgreSQL."""
        if self.in_memory:
            return
        command = "PRAGMA wal_checkpoint(TRUNCATE)" if self.is_sqlite else "VACUUM"
        with self.exclusive() as connection:
            driver = connection.connection.driver_connection
            assert driver is not None
            if not self.is_sqlite:
                driver.autocommit = True  # VACUUM allows no transaction
            driver.execute(command).close()
            # The connection is in a state that the pool does not expect, so it is not reused.
            connection.invalidate()

    @contextmanager
    def _one_at_a_time(self) -> Iterator[None]:
        """Make readers queue in memory as well, where all threads share one connection."""
        if not self.in_memory:
            yield
            return
        with self._lock.held(), self._engine.connect() as connection:
            self._borrowed = connection
            try:
                yield
            finally:
                self._borrowed = None

    def _check_process(self) -> None:
        if os.getpid() != self._process:
            self.dispose()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Convert the driver's errors about an unreachable database into UnavailableError."""
        try:
            yield
        except (OperationalError, InterfaceError, PoolTimeoutError, NoSuchModuleError) as error:
            raise self._unavailable(error) from error
        except OverflowError as error:
            # SQLite's driver: a number of an address or a form that no column can hold.
            raise NotFoundError("number_beyond_all") from error
        except DBAPIError as error:
            if error.connection_invalidated or _is_not_set_up(error):
                raise self._unavailable(error) from error
            if getattr(error.orig, "sqlstate", None) == NUMBER_OUT_OF_RANGE:
                raise NotFoundError("number_beyond_all") from error
            # The original is dropped on purpose: its text quotes the row, and errors are logged.
            raise _without_values(error).with_traceback(error.__traceback__) from None
        except OSError as error:
            if self.file is None or error.filename is None:
                raise
            raise self._unavailable(error) from error

    def _unavailable(self, error: Exception) -> UnavailableError:
        place = self.url.render_as_string(hide_password=True)
        if _is_not_set_up(error):
            return UnavailableError(
                "database_without_tables",
                place=place,
                outside="database_being_set_up",
            )
        said = str(getattr(error, "orig", None) or error).strip().splitlines()
        return UnavailableError(
            "database_did_not_answer",
            place=place,
            problem=said[0] if said else str(error),
            cure=Message("database_folder_cure" if self.is_sqlite else "database_server_cure"),
            outside="database_away",
        )


def _time(clock: tuple[datetime, timedelta], *, real: bool) -> datetime:
    """Return the time that a clock shows; `real` leaves out the offset that tests set."""
    moment, offset = clock
    return moment if real else moment + offset


class RefusedStatementError(RuntimeError):
    """The database refused a statement: a fault of swapflow.

    The message holds the driver's words but no values, since faults are logged: the driver's own
    error, and SQLAlchemy's around it, quote marks and names.
    """


def _without_values(error: DBAPIError) -> RefusedStatementError:
    original = error.orig
    # PostgreSQL's second line is the row; SQLite has one line, with names of columns.
    primary = getattr(getattr(original, "diag", None), "message_primary", None)
    said = primary or str(original).partition("\n")[0]
    return RefusedStatementError(f"the database refused it: {type(original).__name__}: {said}")


def _is_not_set_up(error: Exception) -> bool:
    original = getattr(error, "orig", None)
    said = f"{type(original).__name__} {original}"
    return any(sign in said for sign in _NOT_SET_UP)
