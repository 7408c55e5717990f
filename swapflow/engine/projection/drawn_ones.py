"""Who was drawn of those clearly out, and who of them was read since."""

from collections.abc import Collection

from swapflow.domain.event import Event, EventType
from swapflow.domain.reviewing.assignment import PullReason
from swapflow.engine.projection.score_table import int_column, int_of, table_rows


DrawnPull = tuple[int, int, int]
"""(application, kind, ordinal)"""


class DrawnOnes:
    """The draw of a cycle, folded from its events. Mutable.

    Attributes:
        took_place: Whether there was a draw.
        out: How many were clearly out when it was made.
        now: Numbers of those drawn, without those in whose place another was drawn.
    """

    def __init__(self) -> None:
        self.took_place = False
        self.out = 0
        self.now: tuple[int, ...] = ()
        # The answers that count, by request of the draw: a review taken out checks nothing.
        self._answers: dict[DrawnPull, set[tuple[int, int]]] = {}

    def fold(self, event: Event) -> None:
        """Fold in the next event."""
        payload = event.payload
        match event.type:
            case EventType.OUT_DRAWN:
                gone = set(int_column(payload["instead"]))
                kept = [number for number in self.now if number not in gone]
                self.now = (*kept, *int_column(payload["drawn"]))
                self.out, self.took_place = int_of(payload["out"]), True
            case EventType.PULLS_OPENED if payload["why"] == PullReason.DRAWN.value:
                for application, kind, ordinal, _ in table_rows(payload["pulls"]):
                    self._answers[application, kind, ordinal] = set()
            case EventType.SCORED | EventType.SCORE_CORRECTED if self._answers:
                key = (int_of(payload["a"]), int_of(payload["k"]), int_of(payload["o"]))
                answers = self._answers.get(key)
                if answers is None:
                    return
                answer = (int_of(payload["seat"]), int_of(payload["attempt"]))
                (answers.add if payload["counts"] else answers.discard)(answer)
            case _:
                pass

    def asks(self, key: DrawnPull) -> bool:
        """Whether a request was made for the draw."""
        return key in self._answers

    def read(self, still_open: Collection[DrawnPull]) -> frozenset[int]:
        """Return the numbers of those whom a reviewer of the draw has read.

        Args:
            still_open: The requests that wait for answers.
        """
        return frozenset(
            key[0] for key, answers in self._answers.items() if answers and key not in still_open
        )

    def out_now(self, still_open: Collection[DrawnPull]) -> frozenset[int]:
        """Return the numbers of those whose request of the draw waits for an answer."""
        return frozenset(key[0] for key in self._answers if key in still_open)
