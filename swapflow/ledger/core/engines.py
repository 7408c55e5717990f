"""Pools of connections, and the settings of each connection to SQLite and PostgreSQL."""

import threading
from functools import partial

from sqlalchemy import URL, Connection, Engine, StaticPool, create_engine, event
from sqlalchemy.engine.interfaces import DBAPIConnection


BUSY_SECONDS = 30.0
"""Seconds for which a statement waits for a lock, unless a process bounds its writes."""

_SQLITE_SETTINGS = (
    "PRAGMA foreign_keys = ON",
    "PRAGMA secure_delete = ON",  # erased rows are overwritten, not only unlinked
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",  # NORMAL loses commits in a power cut
)
_POSTGRESQL_SETTINGS = (
    "SET TIME ZONE 'UTC'",
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
_SECONDS_A_HOST = 3
"""Seconds for a connection to one of several hosts: a host that is gone must not use up the time
in which the next one could have answered."""


def new_engine(url: URL, *, in_memory: bool, busy: float) -> Engine:
    """Build the pool of connections to a database; the first use opens one.

    Args:
        url: Its address.
        in_memory: Whether it is in memory, on one connection that threads share.
        busy: Seconds for which a statement waits for a lock.
    """
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
            connect_args=_patience(url) if url.get_backend_name() == "postgresql" else {},
            hide_parameters=True,  # otherwise error messages would hold marks and names
        )
    if url.get_backend_name() == "sqlite":
        event.listen(engine, "connect", partial(_set_up_sqlite, busy=busy))
        event.listen(engine, "begin", _begin_sqlite)
    else:
        event.listen(engine, "connect", partial(_set_up_postgresql, busy=busy))
    return engine


def _patience(url: URL) -> dict[str, int]:
    """Return how long a connection may take, and the silence on one."""
    hosts = str(url.query.get("host", "")).split(",")
    return _PATIENCE | ({"connect_timeout": _SECONDS_A_HOST} if len(hosts) > 1 else {})


def _set_up_sqlite(connection: DBAPIConnection, _record: object, *, busy: float) -> None:
    connection.isolation_level = None  # we begin transactions ourselves, see `_begin_sqlite`
    # First: the settings after it may have to wait themselves.
    connection.execute(f"PRAGMA busy_timeout = {round(busy * 1000)}")
    for setting in _SQLITE_SETTINGS:
        connection.execute(setting)


def _begin_sqlite(connection: Connection) -> None:
    # A transaction that reads first and writes later could fail half-way: writers begin as such.
    immediate = connection.get_execution_options().get("immediate", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")


def _set_up_postgresql(connection: DBAPIConnection, _record: object, *, busy: float) -> None:
    connection.autocommit = True  # settings made inside a transaction would end with it
    connection.execute(f"SET lock_timeout = '{round(busy * 1000)}ms'")
    for setting in _POSTGRESQL_SETTINGS:
        connection.execute(setting)
    connection.autocommit = False


class ImpatientEngines:
    """Pools whose statements wait less long for a lock than others; made when first used.

    Args:
        url: Address of the database.
    """

    def __init__(self, url: URL) -> None:
        self._url = url
        self._mutex = threading.Lock()
        self._known: dict[float, Engine] = {}

    def waiting(self, seconds: float) -> Engine:
        """Return the pool whose statements wait for a lock for this long."""
        with self._mutex:
            if seconds not in self._known:
                self._known[seconds] = new_engine(self._url, in_memory=False, busy=seconds)
            return self._known[seconds]

    def dispose(self, *, close: bool = True) -> None:
        """Close the idle connections, or leave them to the process that opened them."""
        with self._mutex:
            for engine in self._known.values():
                engine.dispose(close=close)
