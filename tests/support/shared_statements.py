"""Statements that all ledgers of a test process share once they are compiled.

SQLAlchemy keeps what it compiled with each engine. A test opens an engine of its own, so it would
compile everything anew: a quarter of its time. Dialects that are equal share their statements.
"""

from sqlalchemy import Engine
from sqlalchemy.dialects import registry
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.util import LRUCache


MOST = 4000
"""About twice what all tests of the product make; beyond it the oldest ones go."""

COMPILED: LRUCache[object, object] = LRUCache(MOST)


class _Shared:
    """A dialect that is equal to every other one for the same version of its server."""

    supports_statement_cache = True
    server_version_info: tuple[int, ...] | None = None

    def __eq__(self, other: object) -> bool:
        return (
            type(other) is type(self)
            and isinstance(other, _Shared)
            and other.server_version_info == self.server_version_info
        )

    def __hash__(self) -> int:
        return hash(type(self))

    @classmethod
    def engine_created(cls, engine: Engine) -> None:
        engine._compiled_cache = COMPILED


class SharedSQLite(_Shared, SQLiteDialect_pysqlite):
    """SQLite as the product speaks it."""

    supports_statement_cache = True


class SharedPostgres(_Shared, PGDialect_psycopg):
    """PostgreSQL as the product speaks it."""

    supports_statement_cache = True


def share_statements() -> None:
    """Let every engine that is made from now on in this process share its statements."""
    registry.register("sqlite", __name__, "SharedSQLite")
    registry.register("postgresql.psycopg", __name__, "SharedPostgres")
