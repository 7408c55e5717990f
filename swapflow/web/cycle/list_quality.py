"""How good a program's list is, as Today tells it."""

from datetime import datetime, timedelta

import numpy as np

from swapflow.domain.cohort.quality_words import (
    MODEL_LIMITS,
    QualityFigures,
    points_a_place,
    shows_certified_loss,
)
from swapflow.domain.rules import Rules
from swapflow.engine.ports.records import DecisionStep
from swapflow.engine.read_models.dashboard import Dashboard
from swapflow.engine.selection.list_quality import quality_figures
from swapflow.messages import Message


def list_figures(dashboard: Dashboard, rules: Rules) -> QualityFigures | None:
    """Return how good the list is, in units that people read; None where it is not known."""
    if dashboard.quality is None:
        return None
    places = int(np.count_nonzero(dashboard.in_list))
    return quality_figures(dashboard.quality, rules, places=places)


def quality_sentences(dashboard: Dashboard, figures: QualityFigures | None) -> list[Message]:
    """Return in sentences how good the list is; empty while that is not known."""
    if figures is None:
        return []
    told = [figures.sentence()]
    certified = dashboard.certified_loss
    if certified is not None and shows_certified_loss(
        dashboard.rule.value, certified, figures.expected_loss
    ):
        points = points_a_place(certified, figures.places)
        if points <= 100:  # noqa: PLR2004 - a full score a place: nobody needs a promise of that
            told.append(Message("list_could_gain", points=points))
    return [*told, MODEL_LIMITS]


def could_change_before(
    steps: tuple[DecisionStep, ...], figures: QualityFigures | None
) -> tuple[float, datetime] | None:
    """Return how many places could change a day before the last decision, and when that was."""
    known = [step for step in steps if "could_change" in step.look]
    if figures is None or not known:
        return None
    earlier = [step for step in known if step.at <= known[-1].at - timedelta(days=1)]
    if not earlier:
        return None
    return earlier[-1].look["could_change"], earlier[-1].at
