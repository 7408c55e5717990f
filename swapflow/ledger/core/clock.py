"""The database's clock as columns: a statement that reads rows reads the time beside them."""

from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.expression import FunctionElement
from sqlalchemy.types import DateTime

from swapflow.ledger.schema import CLOCK


class DatabaseTime(FunctionElement[datetime]):
    """The time at which a database reads a row; NULL on SQLite, which has no clock."""

    inherit_cache = True
    type = DateTime(timezone=True)


@compiles(DatabaseTime)
def _postgresql(_element: DatabaseTime, _compiler: SQLCompiler, **_: Any) -> str:  # noqa: ANN401
    return "clock_timestamp()"


@compiles(DatabaseTime, "sqlite")
def _sqlite(_element: DatabaseTime, _compiler: SQLCompiler, **_: Any) -> str:  # noqa: ANN401
    return "NULL"


CLOCK_COLUMNS = (
    DatabaseTime().label("clock_time"),
    select(CLOCK.c.offset_seconds).scalar_subquery().label("clock_offset"),
)
"""Time and the seconds that tests add to it; `Database.time_in` reads them."""
