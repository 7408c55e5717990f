"""An incomplete pull, with its seats."""

from dataclasses import dataclass, field

from swapflow.domain.reviewing.assignment import PullReason


@dataclass(slots=True, kw_only=True)
class OpenPull:
    """A pull that waits for answers.

    Attributes:
        rank: Its place in the order of dispatch, over the whole cycle.
        approved: False while a person still has to approve it.
        live: Who is asked now, by seat: (attempt, reviewer).
        tries: Tries so far of seats that were assigned before; None for none.
        answered: Seats that have answered. Both are empty for nearly every pull, and a hundred
            thousand may be open at once.
    """

    rank: int
    why: PullReason
    decision: int
    seats: int
    approved: bool
    live: dict[int, tuple[int, int]] = field(default_factory=dict)
    tries: dict[int, int] | None = None
    answered: tuple[int, ...] = ()

    def attempts(self, seat: int) -> int:
        """Return how often a now vacant seat was assigned before."""
        return 0 if self.tries is None else self.tries.get(seat, 0)

    def end(self, seat: int) -> int:
        """Release a seat's reviewer and return their number."""
        attempt, reviewer = self.live.pop(seat)
        self.tries = {**(self.tries or {}), seat: attempt}
        return reviewer

    def vacant(self) -> list[int]:
        """List the seats that no reviewer holds."""
        if not self.approved:
            return []
        seats = range(1, self.seats + 1)
        return [seat for seat in seats if seat not in self.live and seat not in self.answered]
