"""How quick, how late and how severe each reviewer is: computed for one look, stored nowhere.

The caller writes the look down first. Pages, dashboards and cards hold none of them,
but in programs that were launched before rules told how such figures are kept.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from swapflow.domain.cycle import Cycle
from swapflow.domain.people.kept_data import KeptData
from swapflow.domain.rules import ReviewerFigures
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.records import Load
from swapflow.engine.read_models.calibration import Calibration, Judge
from swapflow.errors import NotFoundError


KEPT_FOR = timedelta(days=90)
"""How long figures are told after the list is final: for questions about it, and no longer."""


MANY = 3
"""Overdue requests from which they are not counted beside a random number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureTerms:
    """How a program tells figures about its reviewers.

    Attributes:
        mode: What its rules say; None for a program that shows them as before they said it.
        until: When they go, known once the list is final.
        ended: Whether they are gone.
    """

    mode: ReviewerFigures | None
    until: datetime | None
    ended: bool

    @property
    def apart(self) -> bool:
        """Whether figures are told for a logged look alone."""
        return self.mode is not None

    @property
    def told(self) -> bool:
        """Whether there are figures to be looked at."""
        return self.mode is not ReviewerFigures.OFF and not self.ended

    @property
    def named(self) -> bool:
        """Whether they stand beside names, not beside random numbers."""
        return self.mode is None or self.mode is ReviewerFigures.NAMED


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewerFigure:
    """How quick and how late one reviewer is.

    Attributes:
        who: Number on the roster where figures are named, else the random one.
        overdue: Open requests whose time has passed; beside a random number `MANY` for as many or
            more.
        median_days: From a request to its answer, in tenths beside a random number; None before
            the first.
    """

    who: int
    overdue: int
    median_days: float | None


def figure_terms(cycle_id: str, *, ledger: Ledger) -> FigureTerms:
    """Read how a program tells figures about its reviewers."""
    mode = ledger.rules(cycle_id).reviewer_figures
    final_at = None if mode is None else ledger.list_final_at(cycle_id)
    until = None if final_at is None else final_at + _kept_for(cycle_id, ledger=ledger)
    return FigureTerms(mode=mode, until=until, ended=until is not None and ledger.now() >= until)


def _kept_for(cycle_id: str, *, ledger: Ledger) -> timedelta:
    """Return how long figures are told after the list is final: the round's rule, or ours."""
    for rule in ledger.retention_rules(ledger.cycle(cycle_id).round_id):
        if rule.kind is KeptData.FIGURES and rule.days is not None:
            return timedelta(days=rule.days)
    return KEPT_FOR


def reviewer_figures(cycle_id: str, *, ledger: Ledger) -> tuple[ReviewerFigure, ...]:
    """Compute how quick and how late reviewers are, those with most overdue first.

    Random numbers stand without counts of what was asked and done, and without exact times: the
    roster has those beside names, and would tell whose number it is.

    Raises:
        NotFoundError: If the rules have none told, or they are gone.
    """
    terms, cycle = told_terms(cycle_id, ledger=ledger), ledger.cycle(cycle_id)
    found = []
    for reviewer, load in ledger.loads(cycle_id).items():
        overdue, days = load.overdue or 0, load.median_days
        if not terms.named:
            overdue = min(overdue, MANY)
            days = None if days is None else round(days, 1)
        who = number_in(cycle, terms, reviewer)
        found.append(ReviewerFigure(who=who, overdue=overdue, median_days=days))
    return tuple(sorted(found, key=lambda one: (-one.overdue, one.who)))


def severities(cycle_id: str, seen: Calibration, *, ledger: Ledger) -> tuple[Judge, ...]:
    """Return how severe reviewers are, under the numbers that they are told by.

    Raises:
        NotFoundError: If the rules have none told, or they are gone.
    """
    terms, cycle = told_terms(cycle_id, ledger=ledger), ledger.cycle(cycle_id)
    found = (
        replace(
            one,
            reviewer=number_in(cycle, terms, one.reviewer),
            marks=one.marks if terms.named else None,
        )
        for one in seen.measured.judges
    )
    return tuple(sorted(found, key=lambda one: (one.kind, -one.severity.value, one.reviewer)))


def told_terms(cycle_id: str, *, ledger: Ledger) -> FigureTerms:
    """Read how figures are told.

    Raises:
        NotFoundError: If the rules have none told, or they are gone.
    """
    terms = figure_terms(cycle_id, ledger=ledger)
    if terms.mode is ReviewerFigures.OFF:
        raise NotFoundError("reviewer_figures_off", cycle=cycle_id)
    if terms.ended:
        raise NotFoundError("reviewer_figures_gone", cycle=cycle_id, days=KEPT_FOR.days)
    return terms


def number_in(cycle: Cycle, terms: FigureTerms, reviewer: int) -> int:
    """Return the number under which a reviewer's figures stand."""
    return reviewer if terms.named else cycle.reviewer_number(reviewer)


def without_figures(load: Load) -> Load:
    """Return what has to be known of a reviewer to run a program: what waits, what is done."""
    return replace(load, overdue=None, median_days=None, last_at=None)


def without_severities(seen: Calibration) -> Calibration:
    """Return a calibration that tells of kinds and of the list, and of no reviewer."""
    return replace(seen, measured=replace(seen.measured, judges=()))
