"""Shared by all tables: names of constraints, JSON stored as text."""

import json
from collections.abc import MutableMapping
from functools import cached_property
from typing import Any, ClassVar

from sqlalchemy import (
    Dialect,
    Index,
    Table,
    Text,
    TextClause,
    TypeDecorator,
)
from sqlalchemy.schema import SchemaItem
from sqlalchemy.util import PopulateDict
from sqlmodel import SQLModel
from sqlmodel.main import get_column_from_field

from swapflow.errors import DamagedRecordError


SQLModel.metadata.naming_convention = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}


METADATA = SQLModel.metadata


class JsonText(TypeDecorator[Any]):
    """JSON stored as text: NaN and the order of keys survive on both databases."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: object, dialect: Dialect) -> str | None:
        """Write a value."""
        del dialect
        return None if value is None else json.dumps(value, separators=(",", ":"))

    def process_result_value(self, value: str | None, dialect: Dialect) -> object:
        """Read a value."""
        del dialect
        try:
            return None if value is None else json.loads(value)
        except (ValueError, RecursionError) as error:
            raise DamagedRecordError("value_damaged", problem=type(error).__name__) from error


class PartialIndex(Index):
    """An index of the rows that meet a condition, the same on both databases.

    As an argument (`postgresql_where`) the condition would load all of PostgreSQL's dialect into a
    process on SQLite, which is a tenth of a command's start; so it is told when a dialect asks.
    """

    def __init__(self, name: str, *columns: str, where: TextClause, unique: bool = False) -> None:
        super().__init__(name, *columns, unique=unique)
        self._where = where

    @cached_property
    def dialect_options(self) -> PopulateDict[str, Any]:
        """Options by the name of a dialect, which is loaded by asking for them."""
        return PopulateDict(self._options_of)

    def _options_of(self, dialect: str) -> MutableMapping[str, Any]:
        options = self._kw_reg_for_dialect_cls(dialect)
        options["where"] = self._where
        return options


class Row(SQLModel):
    """Describes the rows of a table; nothing ever makes one.

    A class that SQLModel maps (`table=True`) costs a process four milliseconds for an ORM that
    the ledger does not use: 0.3 s of every start. So a class is declared as SQLModel has it, and
    `table` makes its columns by SQLModel's own function.
    """

    model_config = {"defer_build": True}
    __table_args__: ClassVar[tuple[SchemaItem, ...]] = ()


def table(row: type[Row]) -> Table:
    """Make the table that a class describes, columns in the order of its attributes."""
    columns = []
    for name, field in row.model_fields.items():
        column = get_column_from_field(field)
        column.name = column.key = name
        columns.append(column)
    return Table(str(row.__tablename__), METADATA, *columns, *row.__table_args__)
