"""All that a fit of the model depends on, as one value that another process can answer."""

from dataclasses import dataclass

from swapflow.bandit.estimation.crossed_model import Fitted
from swapflow.bandit.estimation.posterior import FitVersion, fit
from swapflow.bandit.situation import PullKind, Scores


@dataclass(frozen=True, slots=True, kw_only=True)
class FitQuestion:
    """The marks of a moment and how they are to be fitted; see `posterior.fit`.

    Attributes:
        scores: All scores that count.
        n: Number of arms.
        kinds: Supplies the gains.
        severity: Whether reviewers have a severity of their own.
        kind_offsets: Whether kinds have an offset of their own.
        sigma: Known sd of one mark of gain 1, or None.
        sigma_weight: How many scores that guess is worth.
        version: How the fit is made.
    """

    scores: Scores
    n: int
    kinds: tuple[PullKind, ...]
    severity: bool
    kind_offsets: bool
    sigma: float | None
    sigma_weight: float
    version: FitVersion

    @property
    def count(self) -> int:
        """Number of scores."""
        return int(self.scores.mark.size)

    def answer(self) -> Fitted:
        """Fit; equal questions have equal answers, in whatever process."""
        return fit(
            self.scores,
            n=self.n,
            kinds=self.kinds,
            severity=self.severity,
            kind_offsets=self.kind_offsets,
            sigma=self.sigma,
            sigma_weight=self.sigma_weight,
            version=self.version,
        )
