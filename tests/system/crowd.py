"""Reviewers who answer whatever is open and remember every receipt, as honest people would."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from swapflow.domain.cycle import CycleStatus
from swapflow.domain.reviewing.score import Answer
from swapflow.engine.services import Swapflow
from swapflow.errors import SwapflowError
from tests.engine.cycle_by_hand import LIVE, marks
from tests.support.waiting import wait_until


@dataclass
class Crowd:
    """The reviewers of one cycle.

    Attributes:
        mark: Mark by applicant, kind, ordinal and reviewer.
        told: The event of each receipt, by assignment.
        began: What they have handed in, acknowledged or not.
        lock: Held while one of the two changes.
    """

    product: Swapflow
    cycle_id: str
    mark: Callable[[str, str, int, str], float] = marks
    told: dict[str, int] = field(default_factory=dict)
    began: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, *, at_most: int = 1_000_000) -> int:
        """Answer what is open now; gives how much that was."""
        names = {a.number: a.external_id for a in self.product.applicants.list(self.cycle_id)}
        people = {r.number: r.external_id for r in self.product.reviewers.list(self.cycle_id)}
        waiting = self.product.context.ledger.assignments(self.cycle_id, statuses=LIVE)[:at_most]
        for one in waiting:
            given = self.mark(names[one.application], "review", one.ordinal, people[one.reviewer])
            with self.lock:
                self.began.append(one.id)
            receipt = self.product.tasks.submit([Answer(assignment_id=one.id, utility=given)])[0]
            with self.lock:
                self.told[one.id] = receipt.seq
        return len(waiting)

    def answer_until_over(self) -> bool:
        """Answer what is open; says whether the cycle has ended."""
        self.answer()
        return self.product.cycles.get(self.cycle_id).status is CycleStatus.ENDED

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Have them answer, one after the other, until the block ends."""
        enough, failed = threading.Event(), []

        def work() -> None:
            try:
                while not enough.is_set():
                    if not self.answer(at_most=1):
                        enough.wait(0.02)
            except SwapflowError as error:
                failed.append(error)

        thread = threading.Thread(target=work)
        thread.start()
        try:
            yield
        finally:
            enough.set()
            thread.join()
        assert not failed, failed

    def wait_for(self, receipts: int) -> None:
        """Wait until that number of answers was acknowledged."""
        wait_until(lambda: len(self.told) >= receipts, what="receipts")
