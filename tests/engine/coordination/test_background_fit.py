"""A long fit holds nobody up, is recorded where it is adopted, and survives kill -9."""

import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import replace

import pytest

from swapflow.bandit.estimation.crossed_model import Fitted
from swapflow.bandit.estimation.fit_question import FitQuestion
from swapflow.domain.cycle import CycleStatus
from swapflow.engine.coordination.coordinator import Coordinator
from swapflow.engine.ports.records import DecisionRecord
from swapflow.engine.selection import parameters
from swapflow.processes.beside.fit_process import FitProcess
from swapflow.state.memory import MemoryDoorbell
from tests.engine.cycle_by_hand import CYCLE, World, marks, rules
from tests.support.waiting import wait_until


class Fits:
    """A process of its own that a test freezes and kills, and what it was asked."""

    def __init__(self) -> None:
        self.process = FitProcess()
        self.begun: list[Future[Fitted]] = []

    def __call__(self, question: FitQuestion) -> Future[Fitted]:
        self.begun.append(self.process(question))
        return self.begun[-1]

    def freeze(self) -> None:
        """Start the process, and stop it before it is asked."""
        self.process._process()
        self._signal(signal.SIGSTOP)

    def kill(self) -> None:
        self._signal(signal.SIGKILL)

    def _signal(self, number: int) -> None:
        assert self.process.pid is not None
        os.kill(self.process.pid, number)


@pytest.fixture
def fits(monkeypatch: pytest.MonkeyPatch) -> Iterator[Fits]:
    monkeypatch.setattr(parameters, "LONG_FIT", 1)
    made = Fits()
    yield made
    made.process.close()


def coordinator(world: World, fits: Fits, holder: str) -> Coordinator:
    return Coordinator(
        ledger=world.ledger,
        state=world.state,
        dispatcher=world.product.context.dispatcher,
        doorbell=MemoryDoorbell(),
        lease_seconds=3600.0,
        holder=holder,
        fit_beside=fits,
    )


def answer_until(world: World, one: Coordinator, claim: Callable[[], bool]) -> None:
    """Answer one request after the other, each followed by a turn."""
    for _ in range(200):
        if claim():
            return
        waiting = world.waiting()
        for asked in waiting[:1]:
            name, who = world.names()[asked.application], world.people()[asked.reviewer]
            world.submit(asked, marks(name, "review", asked.ordinal, who))
        one.turn()
    raise AssertionError("not within 200 answers")


def decisions(world: World) -> tuple[DecisionRecord, ...]:
    return world.ledger.decisions(CYCLE)


def adopted(world: World) -> list[DecisionRecord]:
    return [decision for decision in decisions(world) if "fitted_at" in decision.look]


def test_scores_are_decided_on_while_a_fit_runs_and_one_that_was_killed_begins_anew(
    fits: Fits,
) -> None:
    world = World(rules=rules(budget=60, out=4), applications=12, roster=6)
    one = coordinator(world, fits, "first")
    fits.freeze()

    answer_until(world, one, lambda: len(fits.begun) > 0)
    before, spent = world.cycle.decisions, world.cycle.spent
    answer_until(world, one, lambda: world.cycle.spent >= spent + 3)

    assert world.arms().position == world.cycle.position
    assert world.cycle.decisions > before
    kept = decisions(world)[-1]
    assert kept.look["count"] < spent, "the parameters in force"
    assert not fits.begun[0].done()
    assert adopted(world) == []

    # Both die as by kill -9: what the coordinator knew, and the process that fits.
    lease = one._workspaces[CYCLE].lease
    assert lease is not None
    world.ledger.release_lease(lease)
    two = coordinator(world, fits, "second")
    fits.kill()
    answer_until(world, two, lambda: len(fits.begun) > 1)
    wait_until(lambda: all(begun.done() for begun in fits.begun), what="the fits, begun anew")
    answer_until(world, two, lambda: bool(adopted(world)))
    one.turn()

    assert adopted(world)[0].look["fitted_at"] < adopted(world)[0].read.seq
    answer_until(world, two, lambda: world.stands(CycleStatus.ENDED))
    world.verify()
    world.check()


def test_parameters_that_were_not_fitted_to_the_marks_they_name_do_not_verify(
    fits: Fits, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(rules=rules(budget=60, out=4), applications=12, roster=6)
    answer = FitQuestion.answer
    one = coordinator(world, fits, "first")

    def adopts_again() -> bool:
        # A fit in a process of its own takes as long as the machine lets it.
        wait_until(lambda: all(begun.done() for begun in fits.begun), what="the fits begun")
        return len(adopted(world)) > 1

    answer_until(world, one, adopts_again)
    world.verify()

    # The replay fits otherwise than the coordinator did.
    monkeypatch.setattr(
        FitQuestion, "answer", lambda question: replace(answer(question), noise_variance=0.5)
    )

    assert any(f.fatal for f in world.product.reports.verify(CYCLE).findings)
