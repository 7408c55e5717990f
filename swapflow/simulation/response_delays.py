"""Delay models: how long people take to answer."""

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from swapflow.bandit.situation import FloatArray, IntArray
from swapflow.simulation.random_numbers import Stream, normal_quantile
from swapflow.simulation.score_sources import PURPOSE_DELAY


class DelayModel(Protocol):
    """How long each request stays out; a function of its address and, if need be, of its mark."""

    def delays(
        self, arm: IntArray, kind: IntArray, ordinal: IntArray, mark: FloatArray
    ) -> FloatArray:
        """Return times in any one unit, of the arguments' common shape."""
        ...


@dataclass(frozen=True, eq=False, kw_only=True)
class Lognormal:
    """Most answer soon, a few take very long.

    Attributes:
        mean: Mean delay of each kind.
        variation: Standard deviation over mean; 1 is usual.
        leaning: How much longer a mark one `scale` above the middle takes, as an exponent: at 1
            good news comes e times later, at -1 e times sooner, at 0 the mark does not matter.
        middle: The mark at which `leaning` changes nothing.
        scale: How far above the middle a mark must be to be delayed by `leaning`.
    """

    mean: tuple[float, ...]
    stream: Stream
    run: int
    variation: float = 1.0
    leaning: float = 0.0
    middle: float = 0.5
    scale: float = 1.0

    def delays(
        self, arm: IntArray, kind: IntArray, ordinal: IntArray, mark: FloatArray
    ) -> FloatArray:
        """Draw each delay from its own address."""
        variance = math.log1p(self.variation**2)
        chance = self.stream.uniforms(self.run, arm, ordinal, kind + PURPOSE_DELAY)[0]
        noise = math.sqrt(variance) * normal_quantile(chance) - variance / 2
        lean = self.leaning * (mark - self.middle) / self.scale
        return np.asarray(np.array(self.mean)[kind] * np.exp(noise + lean))
