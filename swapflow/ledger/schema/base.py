"""Shared by all tables: names of constraints, JSON stored as text."""

import json
from typing import Any

from sqlalchemy import (
    Dialect,
    Table,
    Text,
    TypeDecorator,
)
from sqlmodel import SQLModel

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


def table(model: type[SQLModel]) -> Table:
    """Return the SQLAlchemy table of a row class."""
    return METADATA.tables[str(model.__tablename__)]
