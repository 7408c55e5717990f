"""What a worker keeps in mind between deliveries, and how many threads one program holds."""

import gc
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from typing_extensions import override

from swapflow.domain.ids import cycle_of
from swapflow.domain.rules import AutomaticReview, Purpose
from swapflow.engine.ports.automatic_reviewer import (
    AnswerTurns,
    AutomaticReviewer,
    AutomaticReviewers,
    Question,
)
from swapflow.engine.services import Swapflow, compose, delivery
from swapflow.engine.services.context import AnswerTurnsOfOneProcess
from swapflow.errors import UnavailableError
from swapflow.ledger.sql_ledger import SqlLedger
from swapflow.outbound.answer_turns import AnswerTurnsInFiles
from swapflow.queues.inline import InlineDispatcher
from tests.engine.cycle_by_hand import World, applicants, reviewer, reviewers, rules
from tests.support.statement_count import statements_run


CYCLES = 6


def test_a_worker_forgets_the_rosters_of_cycles_that_it_has_long_not_delivered_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with_people = World(rules=rules(purpose=Purpose.REAL))
    product = with_people.product
    kept = product.delivery
    names = [f"more{number}" for number in range(CYCLES)]
    for name in names:
        product.cycles.new(
            name, round_id="round", rules=with_people.product.cycles.rules("fall"), by="ops"
        )
        product.applicants.import_all(name, applicants(4))
        product.reviewers.import_all(name, reviewers(2))
        product.cycles.launch(name, by="ops")
    with_people.coordinator.turn()

    for name in names:
        for assignment in product.context.ledger.assignments(name):
            kept.deliver(assignment.id)
    assert len(_rosters()) == CYCLES, "all are fresh, so nothing is read twice"

    monkeypatch.setattr(delivery, "ROSTER_SECONDS", 0.0)
    for assignment in product.context.ledger.assignments(names[0]):
        kept.deliver(assignment.id)
    assert len(_rosters()) == 1


def _rosters() -> list[object]:
    gc.collect()
    return [thing for thing in gc.get_objects() if type(thing).__name__ == "_Cycle"]


class Slow(AutomaticReviewers, AutomaticReviewer):
    """Programs of which one answers when it is let go, and the others at once."""

    def __init__(self, slow: str) -> None:
        self.slow = slow
        self.asked = threading.Semaphore(0)
        self.let_go = threading.Event()
        self.fails = False

    @override
    def check(self, specification: str) -> None:
        pass

    @override
    def name_here(self, specification: str) -> str:
        return specification

    @override
    def find(self, specification: str) -> AutomaticReviewer:
        if specification == self.slow:
            self.asked.release()
            assert self.let_go.wait(30)
            if self.fails:
                raise UnavailableError("no_automatic_reviewer_here", reviewer=specification)
        return self

    @override
    def answer(self, questions: Sequence[Question]) -> list[float]:
        return [0.5] * len(questions)


SLOW, QUICK = "https://slow.example/score", "https://quick.example/score"
THREADS = 4
TURNS: dict[str, Callable[[Path], AnswerTurns]] = {
    "threads": lambda _folder: AnswerTurnsOfOneProcess(),
    "processes": AnswerTurnsInFiles,
}


@pytest.fixture(params=TURNS)
def under_way(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Swapflow, Slow, list[str]]:
    """Two programs whose reviewers are a slow service, a quick one and a person; its requests."""
    allowed = AutomaticReview(purpose="a trial", approver="A. Person", date="2026-01-01")
    ruled = rules(purpose=Purpose.REAL, automatic=allowed)
    roster = [
        reviewer("slow", automatic=SLOW),
        reviewer("quick", automatic=QUICK),
        *reviewers(1),
    ]
    world = World(rules=ruled, roster=roster)
    world.product.cycles.new("spring", round_id="round", rules=ruled, by="ops")
    world.product.applicants.import_all("spring", applicants(8))
    world.product.reviewers.import_all("spring", roster)
    world.product.cycles.launch("spring", by="ops")
    world.coordinator.turn()
    found = Slow(SLOW)
    sent: list[str] = []
    dispatcher = InlineDispatcher(lambda messages: sent.extend(one.id for one in messages))
    product = compose(
        replace(
            world.product.context,
            automatic_reviewers=found,
            dispatcher=dispatcher,
            answer_turns=TURNS[request.param](tmp_path),
        )
    )
    return product, found, sent


def requests(product: Swapflow, number: int, *cycles: str) -> list[str]:
    return [
        one.id
        for cycle in cycles or ("fall", "spring")
        for one in product.context.ledger.assignments(cycle, reviewer=number)
        if one.status.is_open
    ]


def pending(product: Swapflow, sent: list[str]) -> list[str]:
    """Return the assignments of which the service sent messages since the last time."""
    sent.clear()
    dispatcher = product.context.dispatcher
    assert isinstance(dispatcher, InlineDispatcher)
    dispatcher.run_pending()
    return list(sent)


def test_a_slow_scoring_service_holds_one_thread_however_many_requests_it_has(
    under_way: tuple[Swapflow, Slow, list[str]],
) -> None:
    product, slow, sent = under_way
    its = requests(product, 0)
    others = requests(product, 1) + requests(product, 2)
    assert len({cycle_of(one) for one in its}) == 2
    assert len(its) > THREADS
    assert others
    with ThreadPoolExecutor(THREADS) as pool:
        first = pool.submit(product.delivery.deliver, its[0])
        assert slow.asked.acquire(timeout=30)

        # Behind all of the slow one's, as in a queue, while it answers none.
        done = list(pool.map(product.delivery.deliver, [*its[1:], *others], timeout=30))

        assert not first.done()
        assert set(done[: len(its) - 1]) == {"left to the thread that asks this program"}
        # Those of one program that came while another thread asked the quick one came back.
        product.delivery.deliver_all(pending(product, sent))
        assert requests(product, 1) == []
        slow.let_go.set()
        first.result(30)

    assert not slow.asked.acquire(blocking=False), "asked once"
    # On a slow machine a turn of the service ends early, and the rest is sent again.
    for _ in range(len(its)):
        product.delivery.deliver_all(pending(product, sent))
    assert requests(product, 0) == [], "those that were refused are answered as well"
    assert pending(product, sent) == []


def test_requests_that_were_left_to_a_thread_that_fails_have_a_message_again(
    under_way: tuple[Swapflow, Slow, list[str]],
) -> None:
    product, slow, sent = under_way
    slow.fails = True
    its = requests(product, 0)
    with ThreadPoolExecutor(THREADS) as pool:
        first = pool.submit(product.delivery.deliver, its[0])
        assert slow.asked.acquire(timeout=30)
        list(pool.map(product.delivery.deliver, its[1:], timeout=30))
        slow.let_go.set()
        with pytest.raises(UnavailableError):
            first.result(30)

    slow.fails = False
    again = pending(product, sent)
    assert {cycle_of(one) for one in again} == {"fall", "spring"}
    assert len(again) == 2, "one message for each program, not one for each request"
    product.delivery.deliver_all(again)
    assert requests(product, 0) == []


def test_what_is_left_when_the_time_of_a_message_is_over_has_a_message_of_its_own(
    under_way: tuple[Swapflow, Slow, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    product, slow, sent = under_way
    slow.let_go.set()
    monkeypatch.setattr(delivery, "HANDED_IN_TOGETHER", 1)
    monkeypatch.setattr(delivery, "ANSWERING_SECONDS", 1e-3)
    waiting = len(requests(product, 0, "fall"))
    assert waiting > 1

    product.delivery.deliver(requests(product, 0, "fall")[0])
    for _ in range(waiting):
        product.delivery.deliver_all(pending(product, sent))

    assert requests(product, 0, "fall") == []
    assert requests(product, 0, "spring")


def test_a_worker_reads_no_request_that_it_answered_itself(
    under_way: tuple[Swapflow, Slow, list[str]],
) -> None:
    product, _, sent = under_way
    its = requests(product, 1, "fall")
    assert len(its) > 1
    product.delivery.deliver(its[0])

    ledger = product.context.ledger
    assert isinstance(ledger, SqlLedger)
    with statements_run(ledger) as run:
        assert {product.delivery.deliver(one) for one in its} == {"scored before"}

    assert run == []
    other = compose(product.context)
    assert {other.delivery.deliver(one) for one in its} == {"scored before"}
    assert pending(product, sent) == []
