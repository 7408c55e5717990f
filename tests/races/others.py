"""The other people: a process of its own that changes what a page rests on, at a given moment."""

import multiprocessing
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import Any

from swapflow.domain.cohort.offer import OfferAnswer
from swapflow.domain.cohort.proposal import Verdict
from swapflow.domain.people.application import ApplicationStatus
from swapflow.domain.reviewing.score import Answer
from swapflow.engine.cohort.finalize import Override
from swapflow.engine.offers.announcement_wording import usual_wording
from swapflow.engine.services import ServiceContext, Swapflow, compose
from swapflow.errors import SwapflowError
from swapflow.ledger.sql_ledger import SqlLedger
from swapflow.queues.inline import InlineDispatcher
from swapflow.state.memory import MemoryCycleState, MemoryDoorbell
from tests.engine.cycle_by_hand import CYCLE, open_ledger


OTHER = "other"
"""The name under which the other people act."""


def product_on(url: str) -> Swapflow:
    """Compose a product of its own connections on a database, as a web process has it."""
    return compose(
        ServiceContext(
            ledger=open_ledger(url),
            state=MemoryCycleState(),
            dispatcher=InlineDispatcher(lambda _messages: None),
            doorbell=MemoryDoorbell(),
            post=lambda _mail: None,
        )
    )


def close(product: Swapflow) -> None:
    """Close a product's connections."""
    ledger = product.context.ledger
    assert isinstance(ledger, SqlLedger)
    ledger.dispose()


@dataclass(frozen=True, kw_only=True)
class Disturbance:
    """What others do, and when.

    Attributes:
        what: A name of `DISTURBANCES`.
        whom: External ids that it is about; what they mean is up to the disturbance.
        value: A mark or a rate.
        at: Moment on the machine's monotonic clock, in seconds.
    """

    what: str
    whom: tuple[str, ...] = ()
    value: float = 0.0
    at: float = 0.0


def _assignment(product: Swapflow, external_id: str, which: int = -1) -> str:
    numbers = {a.external_id: a.number for a in product.applicants.list(CYCLE)}
    scores = product.context.ledger.scores(CYCLE)
    return [s for s in scores if s.application == numbers[external_id]][which].assignment_id


def _correct(product: Swapflow, how: Disturbance) -> object:
    answer = Answer(assignment_id=_assignment(product, how.whom[0]), utility=how.value)
    return lambda: product.scores.correct(answer, by=OTHER, reason="a slip")


def _void(product: Swapflow, how: Disturbance) -> object:
    assignment = _assignment(product, how.whom[0])
    return lambda: product.scores.void([assignment], by=OTHER, reason="a slip")


def _override(product: Swapflow, how: Disturbance) -> object:
    into, out = how.whom
    changes = [
        Override(external_id=into, verdict=Verdict.SELECTED, reason="a second opinion"),
        Override(external_id=out, verdict=Verdict.WAITLISTED, reason="a second opinion"),
    ]
    return lambda: product.cohort.prepare(CYCLE, by=OTHER, overrides=changes, waiver="late")


def _withdrawal(product: Swapflow, how: Disturbance) -> object:
    return lambda: product.applicants.move(
        CYCLE, how.whom[0], ApplicationStatus.WITHDRAWN, by=OTHER
    )


def _drop(product: Swapflow, _how: Disturbance) -> object:
    return lambda: product.cohort.take_back(CYCLE)


def _meeting(product: Swapflow, _how: Disturbance) -> object:
    return lambda: product.meetings.open(CYCLE, by=OTHER)


def _end_reconsideration(product: Swapflow, how: Disturbance) -> object:
    return lambda: product.reconsiderations.take_back(
        CYCLE, how.whom[0], by=OTHER, reason="asked us to"
    )


def _offers(product: Swapflow, _how: Disturbance) -> object:
    return lambda: product.offers.make(CYCLE, by=OTHER)


def _answer(product: Swapflow, how: Disturbance) -> object:
    said = OfferAnswer.ACCEPTED if how.value > 0.8 else OfferAnswer.DECLINED
    return lambda: product.offers.answer(CYCLE, how.whom[0], said, by=OTHER)


def _rate(product: Swapflow, how: Disturbance) -> object:
    return lambda: product.offers.set_acceptance_rate(
        CYCLE, (how.value * 10 + 0.1, 5.0), risk=0.3, source="last year", by=OTHER
    )


def _letters(product: Swapflow, _how: Disturbance) -> object:
    words = usual_wording("en")
    return lambda: product.announcements.send(CYCLE, words, by=OTHER, hold=timedelta(days=1))


def _address(product: Swapflow, how: Disturbance) -> object:
    """Change a name and an address as an import does; no event covers them."""
    ledger = product.context.ledger

    def act() -> None:
        with ledger.write(CYCLE) as tx:
            found = next(a for a in tx.applications() if a.external_id == how.whom[0])
            tx.change_application(replace(found, name="Somebody Else", email="new@example.org"))

    return act


DISTURBANCES: dict[str, Callable[[Swapflow, Disturbance], Any]] = {
    "correction": _correct,
    "correction of another applicant": _correct,
    "void": _void,
    "override": _override,
    "withdrawal": _withdrawal,
    "decision dropped": _drop,
    "meeting": _meeting,
    "reconsideration ended": _end_reconsideration,
    "offers": _offers,
    "answer": _answer,
    "rate": _rate,
    "letters": _letters,
    "address": _address,
}


def wait_for(moment: float) -> None:
    """Wait for a moment of the monotonic clock, the last two milliseconds awake."""
    if (left := moment - time.monotonic() - 0.002) > 0:
        time.sleep(left)
    while time.monotonic() < moment:
        pass


def _serve(pipe: Connection) -> None:
    """Do what is asked for, one after the other, until nothing is."""
    while (task := pipe.recv()) is not None:
        url, how = task
        product = product_on(url)
        try:
            act = DISTURBANCES[how.what](product, how)
            pipe.send("ready")
            at = pipe.recv()
            wait_for(at)
            try:
                act()
                pipe.send("done")
            except SwapflowError as error:
                pipe.send(f"refused: {error.code}")
        except Exception as error:  # the campaign must hear of it, not wait for ever
            pipe.send(f"broken: {type(error).__name__}: {error}")
            raise
        finally:
            close(product)


class Others:
    """The process of the other people."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process: SpawnProcess = context.Process(target=_serve, args=(theirs,), daemon=True)
        self._process.start()

    def prepare(self, url: str, how: Disturbance) -> None:
        """Have them look at what they are going to change."""
        self._pipe.send((url, how))
        assert (said := self._pipe.recv()) == "ready", said

    def act_at(self, moment: float) -> None:
        """Have them act at a moment of the monotonic clock."""
        self._pipe.send(moment)

    def outcome(self) -> str:
        """Wait for what came of it: "done", or why it was refused."""
        said: str = self._pipe.recv()
        assert not said.startswith("broken"), said
        return said

    def close(self) -> None:
        """End the process."""
        self._pipe.send(None)
        self._process.join(10)
