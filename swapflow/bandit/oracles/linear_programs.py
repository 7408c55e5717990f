"""Linear and integer programs, solved by HiGHS through `scipy.optimize`."""

from typing import Any

import numpy as np

from swapflow.bandit.situation import FloatArray


def cheapest(
    cost: FloatArray,
    rows: Any,  # noqa: ANN401 - a dense or a sparse matrix
    lower: FloatArray,
    upper: FloatArray,
    *,
    most: FloatArray,
    whole: FloatArray | bool,
    presolve: bool,
) -> FloatArray | None:
    """Find the cheapest point between two bounds of every row.

    Args:
        cost: Cost of one of each variable, `(variables,)`.
        rows: How much each variable adds to each row, `(rows, variables)`.
        lower: Least sum of each row, `(rows,)`.
        upper: Most sum of each row.
        most: Most of each variable, `(variables,)`; the least is 0.
        whole: Which variables take whole numbers only.
        presolve: Whether to simplify first, which takes longer than solving a small program.

    Returns:
        How much of each variable, `(variables,)`; None when no point lies within the bounds.
    """
    # Imported here: it is half of what a process would load, and few rounds have crossing limits.
    from scipy.optimize import Bounds, LinearConstraint, milp  # noqa: PLC0415 - see above

    found = milp(
        cost,
        constraints=LinearConstraint(rows, lower, upper),
        bounds=Bounds(0, most),
        integrality=np.broadcast_to(np.asarray(whole, dtype=np.int64), cost.shape),
        options={"presolve": presolve, "mip_rel_gap": 0.0},
    )
    return None if found.x is None else np.asarray(found.x, dtype=np.float64)
