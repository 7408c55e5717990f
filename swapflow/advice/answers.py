"""What an advisor answers, as values that become rows of any table."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request to make.

    Attributes:
        applicant: Whose file is to be read.
        kind: What is asked for.
        reviewer: Who is asked; several for a panel, joined by "; "; "" for any reviewer who is
            new to the applicant, where no names are known.
        reason: Why, in a sentence.
        gain: What it alone is expected to add to the list, in points of 100 a place.
        cost: In the unit of the kinds.
    """

    applicant: str
    kind: str
    reviewer: str
    reason: str
    gain: float
    cost: int

    def row(self) -> Mapping[str, object]:
        """Return it as a mapping, for a table."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """One applicant's place.

    Attributes:
        rank: From 1.
        estimate: What the list is ranked by, from 0 to 100.
        low: Lower end of its 90 % range; high: upper end.
        likely: Probability, by the model, of being among the best.
        zone: "in", "too close to call" or "out".
        reviews: How many marks there are.
    """

    rank: int
    applicant: str
    estimate: float
    low: float
    high: float
    likely: float
    zone: str
    reviews: int

    def row(self) -> Mapping[str, object]:
        """Return it as a mapping, for a table."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkFigures:
    """How the marks look, by the fitted model.

    Attributes:
        applicants: Everyone there is; marked: those with a mark.
        marks: How many marks there are.
        reviewers: How many reviewers gave them; 0 where no names are known.
        average: Average mark, from 0 to 100.
        spread: Standard deviation of what applicants deserve, in points of 100.
        severity: Standard deviation of how high reviewers mark, in points.
        noise: Standard deviation of one mark of the first kind around both, in points.
        agreement: Correlation of two reviewers' marks of one applicant.
        apart: Points between the reviewers who mark highest and lowest, shrunk.
    """

    applicants: int
    marked: int
    marks: int
    reviewers: int
    average: float
    spread: float
    severity: float
    noise: float
    agreement: float
    apart: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ListStanding:
    """How the list is now.

    Attributes:
        ranking: Everyone, best first.
        cut: The estimate at which the places end, from 0 to 100.
        places: How many are chosen.
        too_close: How many are too close to call.
        could_change: How many of those on the list the model expects another to deserve it more.
        loss_range: 90 % range of what the list lacks now, in points of 100 a place.
    """

    ranking: tuple[Ranked, ...]
    cut: float
    places: int
    too_close: int
    could_change: float
    loss_range: tuple[float, float]
