"""Long fits of the model, made beside the turns of a coordinator."""

from collections.abc import Callable
from concurrent.futures import Future

from swapflow.bandit.estimation.crossed_model import Fitted
from swapflow.bandit.estimation.fit_question import FitQuestion
from swapflow.engine.selection.parameters import Adopted, DueFit, fitted_now


FitBeside = Callable[[FitQuestion], Future[Fitted]]
"""Begins a fit somewhere else; the answer may fail, as when that process was killed."""


class BackgroundFit:
    """Answers the fits that are due in one cycle, one at a time; a `Fits`.

    What it answers is a function of an event alone, and the decision that adopts it records which:
    it does not matter how long it took, nor whether another process began it anew.

    Args:
        beside: Where long fits are made; None makes all of them in the turn.
    """

    def __init__(self, beside: FitBeside | None) -> None:
        self._beside = beside
        self._asked: DueFit | None = None
        self._running: Future[Fitted] | None = None

    @property
    def calculating(self) -> bool:
        """Whether an answer is still to come."""
        return self._running is not None and not self._running.done()

    def __call__(self, due: DueFit) -> Adopted | None:
        """Return new parameters, or None while a decision may rest on those in force."""
        if self._beside is None or not due.may_wait:
            return fitted_now(due)
        if not self._serves(due):
            self._asked, self._running = due, self._beside(due.question)
        assert self._asked is not None
        assert self._running is not None
        if not self._running.done():
            return None
        if self._running.exception() is not None:
            # Its process was killed, or cannot be started: this decision does the work itself.
            self._asked = self._running = None
            return fitted_now(due)
        return Adopted(fitted=self._running.result(), at=self._asked.at)

    def _serves(self, due: DueFit) -> bool:
        """Whether what was asked is of use: of the rules in force, and newer than what is."""
        asked = self._asked
        return (
            asked is not None
            and asked.rules_version == due.rules_version
            and asked.at <= due.at
            and (due.in_force is None or asked.question.count > due.in_force.count)
        )
