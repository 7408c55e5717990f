"""Calibration: severities, agreement, and what the list would be by other estimates."""

import math
from collections.abc import Mapping

from fastapi import APIRouter, Request, Response

from swapflow.bandit.estimation.reml import SpreadInterval
from swapflow.domain.interval import Interval
from swapflow.engine.read_models.calibration import Calibration
from swapflow.engine.read_models.estimate_comparison import ComparedCandidate
from swapflow.engine.selection.reviewer_overlap import Groups
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal
from swapflow.web.api.audit import note
from swapflow.web.api.dependencies import (
    MayDecide,
    MaySeeApplicants,
    MaySeeReviewers,
    MaySeeSeverity,
)
from swapflow.web.api.idempotency import ApiRoute
from swapflow.web.api.models.base import finite
from swapflow.web.api.models.calibration import (
    BothEstimates,
    Calibrated,
    ChosenEstimates,
    Estimated,
    FigureOfReviewer,
    FiguresOfReviewers,
    KindCalibration,
    ListChange,
    NewEstimates,
    ReviewerSeverity,
    Severities,
)
from swapflow.web.api.resources.cycles import CycleId
from swapflow.web.api.revisions import MadeFrom, tag
from swapflow.web.http.context import Product
from swapflow.web.http.program_page import log_figures


router = APIRouter(prefix="/cycles/{cycle_id}", route_class=ApiRoute, tags=["decisions"])


@router.get("/calibration")
def read_calibration(
    cycle_id: CycleId, principal: MaySeeApplicants, product: Product, response: Response
) -> Calibrated:
    """Read how reviewers and kinds mark, and whom raw or adjusted estimates would move.

    `ETag` is the version of the rules, to be sent with a choice of estimates.
    """
    tag(response, str(product.cycles.rules(cycle_id).version))
    seen = product.reports.told_calibration(cycle_id)
    names = _labels(product, cycle_id, principal, seen)
    kinds = [kind.name for kind in product.cycles.rules(cycle_id).kinds]
    return Calibrated(
        program=cycle_id,
        seq=seen.position.seq,
        estimates=seen.estimates,
        in_force=seen.in_force,
        unknown_because=seen.measured.lack.value,
        connected=len(seen.groups) <= 1 and len(seen.apart) <= 1,
        groups=_named(seen.groups, names),
        groups_that_stay_apart=_named(seen.apart, names) if len(seen.apart) > 1 else [],
        between_applicants=_estimated(seen.measured.utility),
        reviewers=[
            ReviewerSeverity(
                reviewer=names[one.reviewer],
                kind=kinds[one.kind],
                scores=one.marks,
                severity=_hundredfold(one.severity),
            )
            # None where the rules keep figures about reviewers apart.
            for one in seen.measured.judges
        ],
        kinds=[_kind(seen, index, name) for index, name in enumerate(kinds)],
        changes=[
            ListChange(
                estimates=other,
                comes_in=[row.application for row in seen.comes_in(other)],
                goes_out=[row.application for row in seen.goes_out(other)],
            )
            for other in seen.others
        ],
        applicants=list(map(_both, seen.rows)),
    )


@router.post("/calibration/severity")
def look_at_severity(
    request: Request, cycle_id: CycleId, principal: MaySeeSeverity, product: Product
) -> Severities:
    """Read how severe reviewers are; who looks is written down, and no key may.

    By random number unless the rules have figures named.
    """
    log_figures(request, principal, cycle_id, "how severe")
    names = _figure_names(product, cycle_id, principal)
    kinds = [kind.name for kind in product.cycles.rules(cycle_id).kinds]
    return Severities(
        reviewers=[
            ReviewerSeverity(
                reviewer=names.get(one.reviewer, str(one.reviewer)),
                kind=kinds[one.kind],
                scores=one.marks,
                severity=_hundredfold(one.severity),
            )
            for one in product.reports.severities(cycle_id)
        ]
    )


@router.post("/reviewer-figures")
def look_at_figures(
    request: Request, cycle_id: CycleId, principal: MaySeeReviewers, product: Product
) -> FiguresOfReviewers:
    """Read how quick and how late reviewers are; who looks is written down.

    By random number unless the rules have figures named.
    """
    log_figures(request, principal, cycle_id, "how quick and how late")
    names = _figure_names(product, cycle_id, principal)
    return FiguresOfReviewers(
        until=product.reports.figure_terms(cycle_id).until,
        reviewers=[
            FigureOfReviewer(
                reviewer=names.get(one.who, str(one.who)),
                overdue=one.overdue,
                median_days=one.median_days,
            )
            for one in product.reports.reviewer_figures(cycle_id)
        ],
    )


def _figure_names(product: Product, cycle_id: str, principal: Principal) -> Mapping[int, str]:
    """Return reviewers' ids where figures are named; none beside random numbers."""
    cycle = product.cycles.get(cycle_id)
    rights = principal.rights(cycle_id=cycle.id, round_id=cycle.round_id)
    if not product.reports.figure_terms(cycle_id).named:
        return {}
    may_name = Right.SEE_REVIEWERS in rights
    return {
        one.number: one.external_id if may_name else str(cycle.reviewer_number(one.number))
        for one in product.reviewers.list(cycle_id)
    }


@router.put("/estimates")
def choose_estimates(
    request: Request,
    cycle_id: CycleId,
    principal: MayDecide,
    product: Product,
    wanted: NewEstimates,
    precondition: MadeFrom,
) -> ChosenEstimates:
    """Have the list made by raw or adjusted estimates, or by the rule's own again."""
    changed = product.cohort.choose_estimates(
        cycle_id,
        wanted.estimates,
        by=principal.name,
        reason=wanted.reason,
        made_from=precondition.made_from,
    )
    precondition.tag(str(changed.version))
    note(
        request,
        principal,
        f"asked for the list by {wanted.estimates.value} estimates",
        detail=wanted.reason,
    )
    return ChosenEstimates(estimates=changed.estimates, rules_version=changed.version)


def _labels(
    product: Product, cycle_id: str, principal: Principal, seen: Calibration
) -> Mapping[int, str]:
    """Return reviewers' ids, or numbers to those who may not know who they are."""
    cycle = product.cycles.get(cycle_id)
    if Right.SEE_REVIEWERS in principal.rights(cycle_id=cycle.id, round_id=cycle.round_id):
        return {one.number: one.external_id for one in product.reviewers.list(cycle_id)}
    if product.reports.figure_terms(cycle_id).apart:
        numbers = {number for group in (*seen.groups, *seen.apart) for number in group}
        return {number: str(cycle.reviewer_number(number)) for number in numbers}
    # Numbered anew for this answer: the cycle's own number would lead to the person elsewhere.
    order = [one.reviewer for one in seen.measured.judges]
    order += [number for group in (*seen.groups, *seen.apart) for number in group]
    return {number: str(turn) for turn, number in enumerate(dict.fromkeys(order), start=1)}


def _named(groups: Groups, names: Mapping[int, str]) -> list[list[str]]:
    return [[names[number] for number in group] for group in groups]


def _kind(seen: Calibration, index: int, name: str) -> KindCalibration:
    measured = seen.measured
    spread = next((one for one in measured.kinds if one.kind == index), None)
    offset = next((one for one in measured.offsets if one.kind == index), None)
    agreed = next((one for kind, one in measured.agreement if kind == index), None)
    return KindCalibration(
        kind=name,
        chance=_estimated(spread.noise) if spread else None,
        between_reviewers=_estimated(spread.severity) if spread else None,
        offset=_hundredfold(offset.offset) if offset and offset.offset else None,
        offset_is_assumption=offset.assumed if offset else None,
        icc=_share(agreed.icc) if agreed else None,
        icc_of_mean=_share(agreed.icc_mean) if agreed else None,
        alpha=_share(agreed.alpha) if agreed else None,
        kappa=_share(agreed.kappa) if agreed and agreed.kappa else None,
    )


def _both(row: ComparedCandidate) -> BothEstimates:
    return BothEstimates(
        applicant=row.application,
        rank=row.rank,
        mean=None if row.mean is None else 100 * row.mean,
        raw=100 * row.raw,
        raw_margin=finite(100 * row.raw_margin),
        adjusted=100 * row.adjusted,
        adjusted_margin=finite(100 * row.adjusted_margin),
        on_list=row.listed,
        on_raw_list=row.listed_raw,
        on_adjusted_list=row.listed_adjusted,
    )


def _estimated(spread: SpreadInterval | None) -> Estimated | None:
    if spread is None:
        return None
    return _hundredfold(Interval(spread.value, spread.low, spread.high))


def _hundredfold(one: Interval) -> Estimated:
    high = 100 * one.high if math.isfinite(one.high) else None
    return Estimated(value=100 * one.value, low=100 * one.low, high=high)


def _share(one: Interval) -> Estimated:
    return Estimated(value=one.value, low=one.low, high=one.high)
