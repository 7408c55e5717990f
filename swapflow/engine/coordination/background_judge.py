"""How good a list is, calculated outside the turns of a coordinator."""

from concurrent.futures import Future, ThreadPoolExecutor, wait

from swapflow.domain.cycle import Position
from swapflow.engine.selection.list_quality import JudgedList, QualityQuestion


PATIENCE = 0.05
"""Seconds that a turn waits for an answer: one that comes as quickly costs no further turn."""


class BackgroundJudge:
    """Answers the questions of one cycle in a thread, one at a time; a `Judge`.

    The answer is a function of the event alone, so that it does not matter how many turns later it
    is used, or whether another process had to calculate it again.
    """

    def __init__(self) -> None:
        self._asked: Position | None = None
        self._running: Future[JudgedList] | None = None

    @property
    def calculating(self) -> bool:
        """Whether an answer is still to come."""
        return self._running is not None and not self._running.done()

    def __call__(self, question: QualityQuestion) -> JudgedList | None:
        """Return the answer, or None while it is being calculated."""
        if question.quick:
            return question.answer()
        if self._running is None or (self._asked != question.position and not self.calculating):
            self._asked, self._running = question.position, _started(question)
        wait([self._running], timeout=PATIENCE)
        if self.calculating or self._asked != question.position:
            return None
        return self._running.result()


def _started(question: QualityQuestion) -> Future[JudgedList]:
    executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="judge")
    running = executor.submit(question.answer)
    executor.shutdown(wait=False)
    return running
