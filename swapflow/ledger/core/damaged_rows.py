"""Errors of rows that cannot be read: they name cycle and table, and quote no value."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from sqlalchemy import Table

from swapflow.errors import DamagedRecordError
from swapflow.ledger.schema import CYCLE


P = ParamSpec("P")
T = TypeVar("T")

UNREADABLE = (
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    ArithmeticError,
    RecursionError,
)
"""What the conversion of a damaged row raises."""


def row_of(table: Table) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Wrap a conversion, so that a damaged row raises DamagedRecordError."""

    def wrap(convert: Callable[P, T]) -> Callable[P, T]:
        @wraps(convert)
        def converted(*args: P.args, **kwargs: P.kwargs) -> T:
            try:
                return convert(*args, **kwargs)
            except UNREADABLE as error:
                raise DamagedRecordError(
                    "row_damaged",
                    cycle=_cycle_of(table, args[0]),
                    table=table.name,
                    # Not its words: they quote the value, which may be a mark or a name.
                    problem=type(error).__name__,
                ) from error

        return converted

    return wrap


def _cycle_of(table: Table, first: object) -> str:
    """Return the cycle of a row: named beside it, or in the row; "" where it is in neither."""
    if isinstance(first, str):
        return first
    row: Any = first
    values: Mapping[str, object] = getattr(row, "_mapping", row)
    return str(values.get("id" if table is CYCLE else "cycle_id", ""))
