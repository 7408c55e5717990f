"""Estimates from a past round, and beside them what the files cannot tell.

A figure that the data do not hold is not guessed: it is listed under `unknown`, with what would be
needed to know it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from swapflow.domain.interval import Interval
from swapflow.engine.read_models.reviewer_agreement import Agreement, agreement
from swapflow.errors import InvalidInputError
from swapflow.files.imports.past_round import PastRound
from swapflow.planning.past.past_fit import (
    KindEstimate,
    PastFit,
    Severity,
    Unknown,
    mean_minutes,
    unknown_figures,
    usual_days,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PastEstimates:
    """What a past round says.

    Attributes:
        items: Applicants; `scored` of them have a mark.
        per_item: Reviews per scored applicant.
        accepted: How many were chosen, None where it is not on record.
        total: Spread of all reviews.
        between: Spread between applicants; None where unknown.
        kinds: The kinds, reviews first.
        agreement: None where nobody has two reviews.
        severities: Every known reviewer, the most generous first.
        days: Median days to an answer, and the sd of their logarithm; None where unknown.
        unknown: What cannot be known.
        scale: Worst and best mark, as the office writes them.
    """

    items: int
    scored: int
    per_item: float
    accepted: int | None
    total: float
    between: Interval | None
    kinds: tuple[KindEstimate, ...]
    agreement: Agreement | None
    severities: tuple[Severity, ...]
    days: tuple[float, float] | None
    unknown: tuple[Unknown, ...]
    scale: tuple[float, float]
    missing: int
    warnings: tuple[str, ...]


def with_minutes(past: PastRound, minutes: Mapping[str, float]) -> PastRound:
    """Fill in working times that the files do not hold.

    Args:
        past: The round.
        minutes: How long one of each kind takes, by the kind's name.

    Raises:
        InvalidInputError: If a kind does not occur.
    """
    filled = past.minutes.copy()
    for name, value in minutes.items():
        if name not in past.kinds:
            raise InvalidInputError(
                "minutes_kind_unknown", kind=name, value=value, kinds=past.kinds
            )
        # A time on record wins over what is stated.
        filled[(past.scores.kind == past.kinds.index(name)) & np.isnan(filled)] = value
    return replace(past, minutes=filled)


def estimate(past: PastRound) -> PastEstimates:
    """Work out everything that the files hold."""
    fit = PastFit.of(past)
    first = past.scores.kind == 0
    times = [mean_minutes(past, kind) for kind in range(len(past.kinds))]
    kinds = tuple(fit.kind(kind, times) for kind in range(len(past.kinds)))
    scored = np.unique(past.scores.arm[first]).size
    return PastEstimates(
        items=len(past.items),
        scored=scored,
        per_item=float(np.count_nonzero(first) / max(scored, 1)),
        accepted=past.accepted,
        total=float(past.scores.mark[first].std()),
        between=fit.between,
        kinds=kinds,
        agreement=agreement(past.scores) if fit.model is not None else None,
        severities=fit.severities(),
        days=usual_days(past),
        unknown=(*fit.unknown, *unknown_figures(past, kinds)),
        scale=past.scale,
        missing=past.missing,
        warnings=past.warnings,
    )
