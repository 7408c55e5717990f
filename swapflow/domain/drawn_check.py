"""A few of those clearly out, drawn by the seed and read once more before the asking stops."""

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from swapflow.bandit.ties import tie_key
from swapflow.domain.rules_versions import LATEST_DRAW


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnCheck:
    """How many of those clearly out are drawn; each is read by a reviewer new to them.

    Attributes:
        share: Share of those out who are drawn, above 0 and at most 1.
        least: Fewest who are drawn, as far as that many are out.
        version: Version of how the draw is made; a launched program keeps its own.
    """

    share: float = 0.05
    least: int = 5
    version: int = LATEST_DRAW

    def count(self, out: int) -> int:
        """Return how many of this many are drawn."""
        # 5 % of 140 is 7, and a little more in floating point.
        return min(out, max(self.least, math.ceil(self.share * out - 1e-9)))

    def draw(self, seed: int, ties: Collection[tuple[int, int]]) -> "Draw":
        """Draw from those clearly out, given as `draw_order` takes them."""
        order = draw_order(seed, ties)
        return Draw(out=len(order), drawn=tuple(order[: self.count(len(order))]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Draw:
    """A draw that was made, or of a later one who is drawn in place of others.

    Attributes:
        out: How many were clearly out when it was made.
        drawn: Numbers of the applications, in the order of the draw.
        instead: Numbers of those drawn before who withdrew unread, in whose place these are.
    """

    out: int
    drawn: tuple[int, ...]
    instead: tuple[int, ...] = ()


def draw_order(seed: int, ties: Iterable[tuple[int, int]]) -> list[int]:
    """Order applications as the seed draws them: the first of these are the drawn ones.

    A keyed hash of seed and applicant, so that the order depends on no mark, on no other applicant
    and not on when it is asked for.

    Args:
        seed: The cycle's seed.
        ties: Number of each application, and the number that breaks its ties.
    """
    keys = ((tie_key(seed, f"drawn check/{tie}"), number) for number, tie in ties)
    return [number for _, number in sorted(keys)]
