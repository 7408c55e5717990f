"""Calibration as JSON: how reviewers and kinds mark, and lists by raw and adjusted estimates."""

from datetime import datetime

from pydantic import Field

from swapflow.domain.rules import Estimates
from swapflow.web.api.models.base import In, Out, Why


class Estimated(Out):
    """A figure with its 95 % interval; `high` is null where nothing bounds it."""

    value: float
    low: float
    high: float | None


class ReviewerSeverity(Out):
    """How one reviewer marks in one kind, in points of 100 above the others."""

    reviewer: str = Field(description="Their id, or a number for who may not see reviewers.")
    kind: str
    scores: int | None = Field(description="Null beside a random number, which it would explain.")
    severity: Estimated


class Severities(Out):
    """How severe reviewers are, for accounts with the role calibration."""

    reviewers: list[ReviewerSeverity]


class FigureOfReviewer(Out):
    """How quick and how late one reviewer is."""

    reviewer: str = Field(description="Their id, or a random number where figures are not named.")
    overdue: int = Field(description="Beside a random number, 3 for three or more.")
    median_days: float | None


class FiguresOfReviewers(Out):
    """How quick and how late reviewers are."""

    until: datetime | None = Field(description="When the figures go; null before the final list.")
    reviewers: list[FigureOfReviewer]


class KindCalibration(Out):
    """How scores of one kind spread, and how well its reviewers agree; null: not known."""

    kind: str
    chance: Estimated | None
    between_reviewers: Estimated | None
    offset: Estimated | None = Field(description="Points of 100 above the first kind.")
    offset_is_assumption: bool | None
    icc: Estimated | None
    icc_of_mean: Estimated | None
    alpha: Estimated | None
    kappa: Estimated | None


class BothEstimates(Out):
    """One applicant by raw and by adjusted estimates, in points of 100."""

    applicant: int
    rank: int
    mean: float | None
    raw: float
    raw_margin: float | None
    adjusted: float
    adjusted_margin: float | None
    on_list: bool
    on_raw_list: bool
    on_adjusted_list: bool


class ListChange(Out):
    """Whom other estimates would move."""

    estimates: Estimates
    comes_in: list[int]
    goes_out: list[int]


class Calibrated(Out):
    """How reviewers and kinds mark; looking changes nothing."""

    program: str
    seq: int
    estimates: Estimates = Field(description="What the rules say the list is made by.")
    in_force: Estimates = Field(description="What that comes to; `rule`: partly adjusted.")
    unknown_because: str = Field(description='Why no severity is known; "" when it is.')
    connected: bool = Field(description="Whether all reviewers can be compared, now and later.")
    groups: list[list[str]] = Field(description="Reviewers who can be compared by now.")
    groups_that_stay_apart: list[list[str]]
    between_applicants: Estimated | None
    reviewers: list[ReviewerSeverity] = Field(
        description="Empty where the rules keep figures about reviewers apart."
    )
    kinds: list[KindCalibration]
    changes: list[ListChange]
    applicants: list[BothEstimates]


class NewEstimates(In):
    """What the list is to be made by, and why."""

    estimates: Estimates
    reason: Why


class ChosenEstimates(Out):
    """What the list is made by from now on."""

    estimates: Estimates
    rules_version: int
