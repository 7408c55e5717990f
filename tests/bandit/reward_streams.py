"""Rewards and coins that do not depend on the order in which they are asked for."""

from collections.abc import Sequence
from typing import Any

import numpy as np


MASK = (1 << 64) - 1
STRONG, COIN = 1, 2


def mix(value: int) -> int:
    """Scramble 64 bits (splitmix64)."""
    value = (value + 0x9E3779B97F4A7C15) & MASK
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & MASK
    return value ^ (value >> 31)


def uniform(*parts: int) -> float:
    """Return the stream's uniform number for a seed, kind, arm, index and summand."""
    state = 0
    for part in parts:
        state = mix(state ^ part)
    return (state >> 11) * 2.0**-53


def noise(seed: int, kind: int, arm: int, index: int) -> float:
    """Add twelve uniforms, less 6: mean 0, variance 1, sub-Gaussian with constant 1."""
    total = 0.0
    for summand in range(12):
        total += uniform(seed, kind, arm, index, summand)
    return total - 6.0


class StoredRewards:
    """Hands out the rewards that a vector lists, per arm and kind."""

    def __init__(self, stream: dict[str, Any]) -> None:
        self._by_kind = (stream["weak"], stream["strong"])
        self._used: dict[tuple[int, int], int] = {}

    def __call__(self, arm: int, kind: int) -> float:
        place = self._used.get((arm, kind), 0)
        self._used[arm, kind] = place + 1
        return float(self._by_kind[kind][arm][place])


class MadeRewards:
    """Makes the same rewards from the seed (the stream IH12)."""

    def __init__(self, means: Sequence[float], deviations: tuple[float, float], seed: int) -> None:
        self._means = means
        self._deviations = deviations
        self._seed = seed
        self._used: dict[tuple[int, int], int] = {}

    def __call__(self, arm: int, kind: int) -> float:
        place = self._used.get((arm, kind), 0)
        self._used[arm, kind] = place + 1
        return self._means[arm] + self._deviations[kind] * noise(self._seed, kind, arm, place)


class Coins(np.random.Generator):
    """A generator whose uniforms are given."""

    def __init__(self, seed: int, stored: Sequence[float] | None) -> None:
        super().__init__(np.random.PCG64(0))
        self._seed = seed
        self._stored = stored
        self.drawn = 0

    def random(self) -> float:  # type: ignore[override]  # the rule asks for one float at a time
        place = self.drawn
        self.drawn += 1
        if self._stored is None:
            return uniform(self._seed, COIN, 0, place, 0)
        return self._stored[place]
