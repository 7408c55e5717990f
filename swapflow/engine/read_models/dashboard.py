"""The dashboard: the progress of a cycle, as a few bytes that every page can read.

The coordinator has all of it in memory and publishes it beside the live state. A page that reads
it needs neither the events nor the scores, so a refresh costs the same on the first day as on the
last. Losing a dashboard is harmless: it is built again from the ledger.
"""

import math
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from swapflow.bandit.estimation.crossed_model import Fitted
from swapflow.bandit.estimation.list_quality import too_close
from swapflow.bandit.situation import ListQuality
from swapflow.domain.cycle import Position
from swapflow.domain.rules import RuleName
from swapflow.engine.ports.live_state import Arms, Integers
from swapflow.engine.projection.cycle_projection import CycleProjection
from swapflow.engine.read_models.blocked_requests import BlockedRequest, blocked
from swapflow.engine.selection.decide import look_now
from swapflow.engine.selection.list_objective import list_objective
from swapflow.engine.selection.list_quality import JudgedList, tied_at_cut
from swapflow.engine.selection.ranking import ranking
from swapflow.engine.selection.reviewer_overlap import Groups, possible_groups
from swapflow.engine.selection.reviewer_severity import (
    SeverityEstimates,
    estimate_severity,
    no_severity,
)
from swapflow.engine.selection.situation import candidates, situation_of


FORMAT = 4
"""Increased when older dashboards cannot be read any more; they are then built again."""

MOST_BLOCKED = 100
"""Most blocked requests that a dashboard lists; it counts all of them."""

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dashboard:
    """The progress of a cycle at one event; rows are candidates in the order of their ranks.

    Attributes:
        position: The event that all of it includes.
        at: When it was built.
        places: Places of the program.
        reserved: Cost kept back for floors, for the chosen and for staff.
        floors_missing: Floor reviews not yet asked for.
        certified_loss: The most the list could still gain; None before the first score.
        rule: The rule that made the list.
        quality: How good the list is by the model, `likely` in the order of the rows; None before
            the first score, and where draws or a fit of their own are needed for it: those are
            computed where they are read.
        application: Application numbers, shape (n,).
        estimate: Estimated score in [0, 1], shape (n,); NaN before a first review is in.
        margin: Margin of each estimate, shape (n,).
        evidence: Evidence received, in reviews of the first kind, shape (n,).
        in_list: In the list that is best at this moment, shape (n,).
        too_close: Too close to call, shape (n,); nobody while `calculating`.
        pending: Evidence asked for and not received, in reviews of the first kind, shape (n,).
        closed: Reviews received, shape (n, kinds).
        blocked: Requests that cannot be sent, `MOST_BLOCKED` at most.
        blocked_count: Their total number.
        done: Reviews that each reviewer has given, shape (reviewers,).
        severity: How the reviewers judge, by their numbers; NaN where the rules keep such figures
            apart.
        apart: Groups of reviewers, by number, that panels keep from ever sharing an applicant;
            empty where all can be compared, or will be.
    """

    position: Position
    at: datetime
    places: int
    reserved: int
    floors_missing: int
    certified_loss: float | None
    rule: RuleName
    quality: ListQuality | None
    application: Integers
    estimate: Floats
    margin: Floats
    evidence: Floats
    in_list: Flags
    too_close: Flags
    pending: Floats
    closed: Integers
    blocked: tuple[BlockedRequest, ...]
    blocked_count: int
    done: Integers
    severity: SeverityEstimates
    apart: Groups = ()

    @property
    def calculating(self) -> bool:
        """Whether there is a list whose quality is not known so far."""
        return self.quality is None and not bool(np.isnan(self.estimate).all())

    def with_quality(self, judged: JudgedList) -> "Dashboard":
        """Return the dashboard with a quality that was computed for it."""
        quality, too_close = judged.of(self.application)
        return replace(self, quality=quality, too_close=too_close)

    def received(self, kinds: int) -> Integers:
        """Return `closed` for this number of kinds, shape (n, kinds).

        Kinds may be appended while a program runs, and new rules are in force before a dashboard
        is built by them: a kind that it does not know yet has no reviews.
        """
        missing = max(0, kinds - self.closed.shape[1])
        return np.pad(self.closed, ((0, 0), (0, missing)))[:, :kinds]


def build_dashboard(
    projection: CycleProjection, arms: Arms, *, fitted: Fitted | None, at: datetime
) -> Dashboard:
    """Build the dashboard of a cycle; projection and `arms` must be at the same position."""
    numbers = candidates(projection)
    situation = situation_of(projection, arms)
    size, kinds = numbers.size, len(projection.rules.kinds)
    estimate = np.full(size, np.nan)
    margin = np.full(size, np.nan)
    in_list, close = np.zeros(size, dtype=bool), np.zeros(size, dtype=bool)
    certified_loss, quality = None, None
    order = np.arange(size)
    if size and arms.information.any():
        situation, look, _ = look_now(projection, arms, fitted=fitted)
        order = ranking(projection, situation, look)
        estimate, margin = look.estimate, look.radius
        in_list[look.cohort] = True
        certified_loss, quality = _known(look.certified_loss), look.quality
        if quality is not None:
            tied = np.zeros(size, dtype=bool)
            oracle = list_objective(projection, situation.application).oracle
            tied[list(tied_at_cut(projection.rules, look, oracle))] = True
            close = too_close(quality, tied, least=projection.rules.too_close)
        # A model's expectation for an applicant without a review must not be shown as a score.
        unseen = situation.situation.information == 0
        estimate = np.where(unseen, np.nan, estimate)
        margin = np.where(unseen, np.nan, margin)
    rows = situation.application[order] if size else numbers
    stuck = blocked(projection, situation)
    return Dashboard(
        position=projection.position,
        at=at,
        places=projection.rules.cohort_size,
        reserved=situation.reserved,
        floors_missing=int(situation.floors_missing.sum()),
        certified_loss=certified_loss,
        rule=projection.rules.rule,
        quality=None if quality is None else replace(quality, likely=quality.likely[order]),
        application=rows,
        estimate=estimate[order],
        margin=margin[order],
        evidence=situation.situation.information[order].astype(np.float64),
        in_list=in_list[order],
        too_close=close[order],
        pending=situation.situation.pending[order].astype(np.float64),
        closed=projection.closed()[rows].reshape(size, kinds),
        blocked=stuck[:MOST_BLOCKED],
        blocked_count=len(stuck),
        done=np.array(
            [sum(f.load.values()) - f.out for f in projection.reviewers], dtype=np.int64
        ),
        # A dashboard lies in Redis and is read by every page: figures about reviewers that are
        # told for a logged look alone are no part of it.
        severity=no_severity(len(projection.reviewers))
        if projection.rules.keeps_figures_apart
        else estimate_severity(
            situation.situation.judged,
            n=size,
            kinds=situation.situation.kinds,
            reviewers=len(projection.reviewers),
            fitted=fitted,
        ),
        apart=_apart(projection),
    )


def _apart(projection: CycleProjection) -> Groups:
    """Return the groups of reviewers that panels keep apart; none where all may be compared."""
    groups = possible_groups(projection) if projection.panels else ()
    return groups if len(groups) > 1 else ()


def _known(value: float) -> float | None:
    return None if math.isnan(value) or math.isinf(value) else float(value)
