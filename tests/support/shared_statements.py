"""Statements that all ledgers of a test process share once they are compiled.

SQLAlchemy keeps what it compiled with each engine. A test opens an engine of its own, so it would
compile everything anew: a quarter of its time. Dialects that are equal share their statements.
"""

from typing import Any

from sqlalchemy import Dialect, Engine
from sqlalchemy.dialects import registry
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.sql.compiler import Compiled
from sqlalchemy.util import LRUCache


MOST = 4000
"""About twice what all tests of the product make; beyond it the oldest ones go."""

COMPILED: LRUCache[Any, Compiled] = LRUCache(MOST)


class SharedSQLite(SQLiteDialect_pysqlite):
    """SQLite as the product speaks it."""

    supports_statement_cache = True

    def __eq__(self, other: object) -> bool:
        return _alike(self, other)

    def __hash__(self) -> int:
        return hash(type(self))

    @classmethod
    def engine_created(cls, engine: Engine) -> None:
        engine._compiled_cache = COMPILED


class SharedPostgres(PGDialect_psycopg):
    """PostgreSQL as the product speaks it."""

    supports_statement_cache = True

    def __eq__(self, other: object) -> bool:
        return _alike(self, other)

    def __hash__(self) -> int:
        return hash(type(self))

    @classmethod
    def engine_created(cls, engine: Engine) -> None:
        engine._compiled_cache = COMPILED


def _alike(one: Dialect, other: object) -> bool:
    """Return whether another dialect is of the same kind, for the same version of its server."""
    known = "server_version_info"
    return type(other) is type(one) and getattr(one, known, 0) == getattr(other, known, 0)


def share_statements() -> None:
    """Make every engine that is created from now on in this process share its statements."""
    registry.register("sqlite", __name__, "SharedSQLite")
    registry.register("postgresql.psycopg", __name__, "SharedPostgres")
