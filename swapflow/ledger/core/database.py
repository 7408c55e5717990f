"""Connections, locks and the database's clock, for SQLite and PostgreSQL.

SQLite lets one process write at a time and picks the next one unfairly: of four writers one
starved the others for 12 seconds. So every writer first queues for a lock of this process, served
in order of arrival, and then for an `flock` on a file beside the database; SQLite's own lock is
then always free. PostgreSQL needs neither: the lock of the cycle's row is enough.
"""

import fcntl
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlalchemy import (
    URL,
    Connection,
    Engine,
    RowMapping,
    StaticPool,
    create_engine,
    event,
    make_url,
    select,
)
from sqlalchemy.engine.interfaces import DBAPIConnection
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
from swapflow.ledger.core.fair_lock import FairLock
from swapflow.ledger.core.row_mapping import AnyRow
from swapflow.messages import Message


BUSY_SECONDS = 30
_SQLITE_SETTINGS = (
    "PRAGMA foreign_keys = ON",
    "PRAGMA secure_delete = ON",  # erased rows are overwritten, not only unlinked
    f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000}",
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",  # NORMAL loses commits in a power cut
)
_POSTGRESQL_SETTINGS = (
    "SET TIME ZONE 'UTC'",
    f"SET lock_timeout = '{BUSY_SECONDS}s'",
    # A writer that is stopped or cut off must not keep its cycle locked for ever.
    "SET idle_in_transaction_session_timeout = '60s'",
    "SET tcp_keepalives_idle = 5",
    "SET tcp_keepalives_interval = 3",
    "SET tcp_keepalives_count = 2",
)
_PATIENCE = {
    "connect_timeout": 10,
    # A lost network gives no answer: without these, a page would wait for a quarter of an hour.
    # Milliseconds, then seconds.
    "tcp_user_timeout": 10_000,
    "keepalives_idle": 5,
    "keepalives_interval": 3,
    "keepalives_count": 2,
}
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
        self.url = parse_url(url)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self.in_memory = self.is_sqlite and self.url.database in {None, "", ":memory:"}
        self.file = Path(str(self.url.database)) if self.is_sqlite and not self.in_memory else None
        self._start()

    def _start(self) -> None:
        """Create the pool and the locks of this process."""
        self._process = os.getpid()
        self._lock = FairLock()
        self._moment = threading.local()
        self._borrowed: Connection | None = None
        self._engine: Engine = _engine(self.url, in_memory=self.in_memory)
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
        elif not self.in_memory:
            # The sockets belong to the parent, which still uses them.
            self._engine.dispose(close=False)
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
    def writing(self) -> Iterator[Connection]:
        """Open a transaction that commits at the end of the block, and rolls back on an error."""
        self.check_may_write()
        queue = self._lock.held() if self.is_sqlite else nullcontext()
        with self._translated(), queue, self._file_lock(), self._writer.begin() as connection:
            self._borrowed = connection
            try:
                yield connection
            finally:
                self._borrowed = None

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
        queue = self._lock.held() if self.is_sqlite else nullcontext()
        with self._translated(), queue, self._file_lock(), self._writer.connect() as connection:
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

    @contextmanager
    def _file_lock(self) -> Iterator[None]:
        """Keep other processes from writing to the same SQLite file."""
        if self.file is None:
            yield
            return
        # Opened every time: a forked child would share an open file's lock with its parent.
        descriptor = os.open(self.file.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

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


def _engine(url: URL, *, in_memory: bool) -> Engine:
    if in_memory:
        engine = create_engine(
            url,
            poolclass=StaticPool,
            connect_args={"check_same_thread": False},
            hide_parameters=True,
        )
    else:
        engine = create_engine(
            url,
            # A connection beyond these is closed after each use. To a file it costs a new one
            # every time, and keeping it costs little; a server has to count them.
            pool_size=50 if url.get_backend_name() == "sqlite" else 10,
            max_overflow=40,
            pool_pre_ping=url.get_backend_name() == "postgresql",
            connect_args=_PATIENCE if url.get_backend_name() == "postgresql" else {},
            hide_parameters=True,  # otherwise error messages would hold marks and names
        )
    if url.get_backend_name() == "sqlite":
        event.listen(engine, "connect", _set_up_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    else:
        event.listen(engine, "connect", _set_up_postgresql)
    return engine


def _set_up_sqlite(connection: DBAPIConnection, _record: object) -> None:
    connection.isolation_level = None  # we begin transactions ourselves, see `_begin_sqlite`
    for setting in _SQLITE_SETTINGS:
        connection.execute(setting)


def _begin_sqlite(connection: Connection) -> None:
    # A transaction that reads first and writes later could fail half-way: writers begin as such.
    immediate = connection.get_execution_options().get("immediate", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")


def _set_up_postgresql(connection: DBAPIConnection, _record: object) -> None:
    connection.autocommit = True  # settings made inside a transaction would end with it
    for setting in _POSTGRESQL_SETTINGS:
        connection.execute(setting)
    connection.autocommit = False
