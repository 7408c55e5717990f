"""The fit ends at the highest likelihood, whatever the size, and its cost grows with the marks."""

import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from swapflow.bandit.estimation import reviewer_system
from swapflow.bandit.estimation.crossed_model import CrossedModel, Fitted, ScoreColumns, maximise
from swapflow.bandit.estimation.posterior import NO_REVIEWER, FitVersion, fit, posterior
from swapflow.bandit.estimation.reml import RemlModel
from swapflow.bandit.estimation.reviewer_system import ReviewerSystem
from swapflow.bandit.situation import PullKind, Scores
from tests.support.tiers import cases


KINDS = (PullKind(cost=1, gain=1), PullKind(cost=6, gain=7))
WEIGHT = 50.0


def marks(
    seed: int, *, arms: int, reviewers: int, count: int, severity: float, interviews: float = 0.2
) -> Scores:
    """Draw marks of random pairs; some have no reviewer, some are interviews."""
    rng = np.random.default_rng(seed)
    arm = rng.integers(0, arms, count)
    reviewer = rng.integers(NO_REVIEWER, reviewers, count)
    kind = (rng.random(count) < interviews).astype(np.int64)
    utility = 0.5 + 0.14 * rng.standard_normal(arms)
    strict = severity * rng.standard_normal(reviewers + 1)
    gain = np.where(kind == 1, KINDS[1].gain, KINDS[0].gain)
    noise = 0.15 * rng.standard_normal(count) / np.sqrt(gain)
    mark = utility[arm] + strict[reviewer] + 0.05 * kind + noise
    return Scores(arm=arm, reviewer=reviewer, kind=kind, mark=np.round(mark, 2))


def variances(fitted: Fitted) -> np.ndarray:
    return np.array(
        [fitted.prior_variance, fitted.noise_variance, fitted.severity_variance, *fitted.offsets]
    )


def steps_of_em(scores: Scores, fitted: Fitted, *, guess: float, prior_floor: float) -> Fitted:
    """Take the 20 steps of the earlier versions' EM from given parameters."""
    columns = ScoreColumns.of(scores, kinds=2, severity=True, kind_offsets=True)
    gains = np.array([kind.gain for kind in KINDS], dtype=np.float64)[scores.kind]
    crossed = CrossedModel.of(scores, gains=gains, design=columns.design)
    return maximise(
        crossed,
        columns,
        start=fitted,
        prior_floor=prior_floor,
        guess=guess,
        guess_weight=WEIGHT,
    )


@given(
    seed=st.integers(0, 10**9),
    arms=st.integers(5, 120),
    reviewers=st.integers(2, 20),
    each=st.floats(0.7, 4),
    severity=st.sampled_from([0.02, 0.05, 0.1]),
)
@cases(40)
def test_the_fit_is_where_em_would_stay_for_ever(
    seed: int, arms: int, reviewers: int, each: float, severity: float
) -> None:
    """20 more steps of EM move no parameter; both maximise the same likelihood."""
    scores = marks(
        seed, arms=arms, reviewers=reviewers, count=max(int(each * arms), 2), severity=severity
    )
    sigma = 0.15
    found = fit(
        scores,
        n=arms,
        kinds=KINDS,
        severity=True,
        kind_offsets=True,
        sigma=sigma,
        sigma_weight=WEIGHT,
    )

    # A floor is for the fit to keep to; EM gets the value that was found as its own.
    after = steps_of_em(scores, found, guess=sigma**2, prior_floor=found.prior_variance)

    at_floor = after.prior_variance == found.prior_variance
    assert variances(after)[0 if not at_floor else 1 :] == pytest.approx(
        variances(found)[0 if not at_floor else 1 :], rel=1e-5, abs=2e-6
    )


def test_without_a_guess_the_fit_is_that_of_finished_rounds() -> None:
    """Restricted maximum likelihood by another way, `severity.py`: within 1 %."""
    scores = marks(3, arms=400, reviewers=30, count=1200, severity=0.05, interviews=0)
    known = scores.reviewer >= 0
    scores = Scores(
        arm=np.unique(scores.arm[known], return_inverse=True)[1],
        reviewer=scores.reviewer[known],
        kind=scores.kind[known],
        mark=scores.mark[known],
    )

    found = fit(scores, n=400, kinds=KINDS, severity=True, sigma_weight=0.0)

    exact = np.exp(RemlModel.of(scores).maximise())
    assert variances(found)[:3] == pytest.approx(exact, rel=0.01)


def test_few_marks_no_longer_end_the_fit_before_its_maximum() -> None:
    """At 1.1 marks an arm 20 steps of EM left the prior variance a tenth too small."""
    rng = np.random.default_rng(1)
    arm = np.concatenate([np.arange(1500), rng.integers(0, 1500, 150)])
    reviewer = rng.integers(0, 30, arm.size)
    utility = 0.5 + 0.14 * rng.standard_normal(1500)
    severity = 0.05 * rng.standard_normal(30)
    scores = Scores(
        arm=arm,
        reviewer=reviewer,
        kind=np.zeros(arm.size, dtype=np.int64),
        mark=utility[arm] + severity[reviewer] + 0.14 * rng.standard_normal(arm.size),
    )

    ended, stopped = (
        fit(scores, n=1500, kinds=KINDS, severity=True, version=version)
        for version in (FitVersion.MAXIMUM, FitVersion.MARK_SET)
    )

    assert abs(ended.prior_variance - 0.14**2) < abs(stopped.prior_variance - 0.14**2)
    assert ended.prior_variance > 1.08 * stopped.prior_variance


def test_probes_give_the_parameters_of_the_exact_inverse(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Within 1 %: what many reviewers share is estimated from 8 fixed probes."""
    scores = marks(5, arms=3000, reviewers=400, count=9000, severity=0.06)

    def fitted() -> np.ndarray:
        return variances(fit(scores, n=3000, kinds=KINDS, severity=True, kind_offsets=True))

    by_probes = fitted()
    monkeypatch.setattr(reviewer_system, "EXACT_REVIEWERS", 10_000)
    exact = fitted()

    assert by_probes == pytest.approx(exact, rel=0.01)
    assert not np.array_equal(by_probes, exact), "the probes were not used"


def test_conjugate_gradients_solve_what_the_inverse_solves(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(8)
    cross = sparse.csr_array(sparse.random_array((900, 350), density=0.02, rng=rng))

    def system() -> ReviewerSystem:
        return ReviewerSystem(
            cross=cross,
            arm_diagonal=np.asarray(cross.sum(axis=1)).ravel() + 2.0,
            own=np.asarray(cross.sum(axis=0)).ravel() + 0.5,
        )

    right = rng.standard_normal((350, 3))

    many = system()
    solved = many.solve(right)
    warm = many.solve(right, solved + 1e-3 * rng.standard_normal(solved.shape))
    traces = many.traces(many.solve(many.probes))
    monkeypatch.setattr(reviewer_system, "EXACT_REVIEWERS", 10_000)
    few = system()

    assert solved == pytest.approx(few.solve(right), rel=1e-9, abs=1e-11)
    assert warm == pytest.approx(solved, rel=1e-9, abs=1e-11)
    exact = few.traces(np.empty((350, 0)))
    assert traces.reviewers == pytest.approx(exact.reviewers, rel=0.01)
    assert traces.arms == pytest.approx(exact.arms, rel=0.05)


def test_a_known_noise_stays_known() -> None:
    scores = marks(9, arms=40, reviewers=6, count=90, severity=0.05)

    found = fit(scores, n=40, kinds=KINDS, severity=True, sigma=0.2, sigma_weight=math.inf)

    assert found.noise_variance == pytest.approx(0.04, rel=1e-12)


def peak_mb(work: object) -> float:
    """Return the most memory that a call holds at once, in MB."""
    assert callable(work)
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()


def test_no_array_of_arms_by_reviewers_is_made() -> None:
    """6,000 by 900 would take 43 MB; the fit takes less than a tenth of it, the posterior half.

    The posterior keeps arrays of reviewers by reviewers (6 MB each) and blocks of 8 MB.
    """
    scores = marks(2, arms=6000, reviewers=900, count=9000, severity=0.05, interviews=0)
    found = fit(scores, n=6000, kinds=KINDS, severity=True)

    assert peak_mb(lambda: fit(scores, n=6000, kinds=KINDS, severity=True)) < 8
    assert peak_mb(lambda: posterior(scores, n=6000, kinds=KINDS, fitted=found)) < 43


def test_blocks_of_arms_give_the_variances_of_one_block(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = marks(4, arms=300, reviewers=20, count=700, severity=0.05)
    found = fit(scores, n=300, kinds=KINDS, severity=True)
    whole = posterior(scores, n=300, kinds=KINDS, fitted=found)

    monkeypatch.setattr("swapflow.bandit.estimation.crossed_model.LARGEST_BLOCK", 100)
    in_blocks = posterior(scores, n=300, kinds=KINDS, fitted=found)

    assert in_blocks.variance == pytest.approx(whole.variance, rel=1e-12)
