"""What practice files bring where two panels share no applicant, in simulated rounds.

Each of two panels reads its own half of the applicants, so nothing in their marks tells a strict
panel from a weak half. Before the launch every reviewer marks the same few practice files.

Run it with `python -m swapflow.simulation.practice_marks`.
"""

import sys
from dataclasses import dataclass

import numpy as np

from swapflow.bandit.budget import BudgetRule
from swapflow.bandit.oracles.oracle import TopK
from swapflow.bandit.situation import FloatArray, IntArray, PullKind, Scores, Situation, no_scores
from swapflow.simulation.random_numbers import stream_of


APPLICANTS = 60
PLACES = 12
REVIEWERS = 12
REVIEWS = 2
SPREAD_OF_APPLICANTS = 0.15
SPREAD_OF_SEVERITIES = 0.10
NOISE = 0.13
"""Spreads in score units: shares of applicants, reviewers and chance near those of real rounds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PracticeErrors:
    """Errors of one round, or their means over many.

    Attributes:
        severity: Root mean square error of the reviewers' severities, in score units.
        between_panels: Error of the difference between the panels, in score units.
        estimate: Root mean square error of the applicants' estimates, in score units.
        loss: What the chosen list lacks of the best one, in score units a place.
    """

    severity: float
    between_panels: float
    estimate: float
    loss: float


def simulate(run: int, *, files: int) -> PracticeErrors:
    """Play one round in which two panels share no applicant.

    Args:
        run: Which round; the truth and the marks of applicants do not depend on `files`.
        files: Practice files that all reviewers mark before the launch; 0 for none.
    """
    rng = stream_of("practice marks").generator(run)
    truth = 0.5 + SPREAD_OF_APPLICANTS * rng.standard_normal(APPLICANTS)
    severity = SPREAD_OF_SEVERITIES * rng.standard_normal(REVIEWERS)
    arm = np.repeat(np.arange(APPLICANTS), REVIEWS)
    panel = arm % 2
    # The members of a panel take turns, so that within a panel all can be compared.
    turn = arm // 2 * REVIEWS + np.tile(np.arange(REVIEWS), APPLICANTS)
    reviewer = panel * (REVIEWERS // 2) + (turn + arm // REVIEWERS) % (REVIEWERS // 2)
    marks = truth[arm] + severity[reviewer] + NOISE * rng.standard_normal(arm.size)

    written = 0.5 + SPREAD_OF_APPLICANTS * rng.standard_normal(files)
    file = np.repeat(np.arange(files), REVIEWERS)
    reader = np.tile(np.arange(REVIEWERS), files)
    practised = written[file] + severity[reader] + NOISE * rng.standard_normal(file.size)

    situation = _situation(
        _scores(arm, reviewer, marks),
        _scores(APPLICANTS + file, reader, practised) if files else no_scores(),
    )
    rule = BudgetRule(oracle=TopK(PLACES), severity=True).refitted(situation)
    believed, chosen = rule.believe(situation), rule.look(situation).cohort
    wrong = believed.severity - severity
    halves = wrong.reshape(2, -1).mean(axis=1)
    best = np.sort(truth)[-PLACES:]
    return PracticeErrors(
        # Only differences between reviewers have a meaning: the level takes up a common one.
        severity=_root_mean_square(wrong - wrong.mean()),
        between_panels=abs(float(halves[0] - halves[1])),
        estimate=_root_mean_square(believed.mean - truth - (believed.mean - truth).mean()),
        loss=float(best.sum() - truth[chosen].sum()) / PLACES,
    )


def average(runs: int, *, files: int) -> PracticeErrors:
    """Return the mean errors of the first `runs` rounds."""
    played = [simulate(run, files=files) for run in range(runs)]
    return PracticeErrors(
        severity=float(np.mean([one.severity for one in played])),
        between_panels=float(np.mean([one.between_panels for one in played])),
        estimate=float(np.mean([one.estimate for one in played])),
        loss=float(np.mean([one.loss for one in played])),
    )


def _situation(scores: Scores, practice: Scores) -> Situation:
    """Return a round in which nothing more is asked for."""
    count = np.bincount(scores.arm, minlength=APPLICANTS).astype(np.float64)
    mean = np.bincount(scores.arm, scores.mark, minlength=APPLICANTS) / count
    return Situation(
        mean=mean,
        information=count,
        pending=np.zeros(APPLICANTS),
        settled_mean=mean,
        settled_information=count,
        kinds=(PullKind(cost=1, gain=1),),
        allowed=np.zeros((APPLICANTS, 1), dtype=np.int64),
        kind_left=np.zeros(1, dtype=np.int64),
        budget_left=0.0,
        cost=float(count.sum()),
        scores=scores,
        practice=practice,
        lowest=0.0,
        highest=1.0,
    )


def _scores(arm: IntArray, reviewer: IntArray, mark: FloatArray) -> Scores:
    return Scores(arm=arm, reviewer=reviewer, kind=np.zeros(arm.size, dtype=np.int64), mark=mark)


def _root_mean_square(values: FloatArray) -> float:
    return float(np.sqrt(np.mean(values**2)))


def main() -> None:
    """Print the errors with 0, 1, 3 and 5 practice files, in points of 100."""
    sys.stdout.write("files  severity  between panels  estimate  loss a place\n")
    for files in (0, 1, 3, 5):
        errors = average(400, files=files)
        sys.stdout.write(
            f"{files:5d}  {100 * errors.severity:8.2f}  {100 * errors.between_panels:14.2f}"
            f"  {100 * errors.estimate:8.2f}  {100 * errors.loss:12.2f}\n"
        )


if __name__ == "__main__":
    main()
