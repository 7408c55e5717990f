"""Errors of rows that cannot be read: they name cycle and table, and quote no value."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
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


def row_of(
    table: Table, columns: Sequence[str] = ()
) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Wrap a conversion, so that a damaged row raises DamagedRecordError.

    Args:
        table: The table.
        columns: The columns of rows that are read by place.
    """

    def wrap(convert: Callable[P, T]) -> Callable[P, T]:
        @wraps(convert)
        def converted(*args: P.args, **kwargs: P.kwargs) -> T:
            try:
                return convert(*args, **kwargs)
            except UNREADABLE as error:
                raise _damaged(table, _cycle_of(table, args[0], columns), error) from error

        return converted

    return wrap


@contextmanager
def rows_of(table: Table, cycle_id: str) -> Iterator[None]:
    """Read rows of one cycle inside the block; one that is damaged raises DamagedRecordError.

    Some values are converted while rows are fetched, such as moments, before a row is there.
    """
    try:
        yield
    except UNREADABLE as error:
        raise _damaged(table, cycle_id, error) from error


def _damaged(table: Table, cycle_id: str, error: Exception) -> DamagedRecordError:
    return DamagedRecordError(
        "row_damaged",
        cycle=cycle_id,
        table=table.name,
        # Not its words: they quote the value, which may be a mark or a name.
        problem=type(error).__name__,
    )


def _cycle_of(table: Table, first: object, columns: Sequence[str]) -> str:
    """Return the cycle of a row: named beside it, or in the row; "" where it is in neither."""
    if isinstance(first, str):
        return first
    row: Any = first
    plain = dict(zip(columns, row, strict=False)) if isinstance(row, tuple | list) else row
    values: Mapping[str, object] = getattr(row, "_mapping", plain)
    return str(values.get("id" if table is CYCLE else "cycle_id", ""))
