"""Plain operations that the compiler turns into vector instructions; needs numba.

Of numba's own `max` and conditional expression the compiler makes branches, and among these it
does not recognise a running maximum: a pass takes four times as long. Each of these is one
instruction, and changes no bit.
"""

from typing import Any, cast

from llvmlite import ir  # type: ignore[import-untyped]  # it has no types
from numba.core import types
from numba.extending import intrinsic


Piece = Any
"""An object of numba's or llvmlite's, neither of which has types."""

DOUBLE = ir.DoubleType()


def _extreme(name: str) -> Piece:
    """Make the larger or the smaller of two floats, none of which may be NaN."""

    def extreme(_context: Piece, first: Piece, second: Piece) -> Piece:
        def generate(_context: Piece, builder: Piece, _signature: Piece, given: Piece) -> Piece:
            kind = ir.FunctionType(DOUBLE, [DOUBLE, DOUBLE])
            function = builder.module.declare_intrinsic(name, [DOUBLE], kind)
            return builder.call(function, given, fastmath=("nnan", "nsz"))

        return types.float64(first, second), generate

    return cast(Piece, intrinsic(extreme))


def _either(_context: Piece, condition: Piece, first: Piece, second: Piece) -> Piece:
    def generate(_context: Piece, builder: Piece, _signature: Piece, given: Piece) -> Piece:
        return builder.select(*given)

    return types.float64(condition, first, second), generate


larger = _extreme("llvm.maxnum")
"""The larger of two floats."""

smaller = _extreme("llvm.minnum")
"""The smaller of two floats."""

either = cast(Piece, intrinsic(_either))
"""The first of two floats where the condition holds, else the second; both are computed."""
