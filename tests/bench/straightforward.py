"""Algorithm 1 as its box reads, in plain Python: the yardstick for speed, and a second opinion."""

import math
from collections.abc import Callable, Sequence


def largest(values: Sequence[float], size: int) -> list[int]:
    """Return the indices of the largest values, the lowest index first among equals."""
    return sorted(range(len(values)), key=lambda arm: -values[arm])[:size]


def one_look(
    mean: Sequence[float],
    information: Sequence[float],
    *,
    cost: float,
    size: int,
    sigma: float,
    delta: float,
) -> tuple[list[int], int | None]:
    """Do lines 5 to 16: give the cohort, and the arm to pull or None when it stops."""
    n = len(mean)
    cohort = largest(mean, size)
    worst = []
    radius = []
    for arm in range(n):
        radius.append(sigma * math.sqrt(2 * math.log(4 * n * cost**3 / delta) / information[arm]))
        if arm in cohort:
            worst.append(mean[arm] - radius[arm])
        else:
            worst.append(mean[arm] + radius[arm])
    rival = largest(worst, size)
    contested = sorted(set(cohort) ^ set(rival))
    if not contested:
        return sorted(cohort), None
    return sorted(cohort), max(contested, key=lambda arm: radius[arm])


def whole_run(
    first_looks: Sequence[float],
    *,
    size: int,
    sigma: float,
    delta: float,
    gain: float,
    cost: float,
    reward: Callable[[int, bool], float],
    coin: Callable[[], float],
    max_steps: int,
) -> tuple[list[int], float, int]:
    """Run to the end: give the cohort, the cost and the number of pulls."""
    mean = list(first_looks)
    information = [1.0] * len(mean)
    spent = float(len(mean))
    alpha = (gain - cost) / (gain - 1) if gain != 1 else 0.0
    for step in range(max_steps):
        cohort, arm = one_look(mean, information, cost=spent, size=size, sigma=sigma, delta=delta)
        if arm is None:
            return cohort, spent, step
        strong = alpha > coin()
        weight = gain if strong else 1.0
        before = information[arm]
        mean[arm] = (mean[arm] * before + weight * reward(arm, strong)) / (before + weight)
        information[arm] = before + weight
        spent += cost if strong else 1.0
    return sorted(largest(mean, size)), spent, max_steps
