"""A whole round through the real parts: two programs share 45 reviewers, from first to last.

The applicants, reviewers and marks are invented and come with the package, so the truth is known
and each list can be held against the best possible one.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from swapflow.automatic_reviewers.recorded_round import Recording, read_recording
from swapflow.domain.cohort.proposal import Proposal, figures_of
from swapflow.domain.cohort.quality_words import points_a_place
from swapflow.domain.cycle import CycleStatus
from swapflow.engine.services import Swapflow
from swapflow.errors import UnavailableError
from swapflow.simulation.replay import (
    STALLED_SECONDS,
    Options,
    ReplayResult,
    ReplayStep,
    fill,
    practice_of,
    progress_of,
    recorded_program,
    replay_rules,
    result,
)
from swapflow.simulation.reviews_needed import ReviewsNeeded, reviews_needed


DATA = Path(__file__).parents[1] / "automatic_reviewers" / "data" / "synthetic_twin"
ROUND = "demo"
FLOOR = 2
REVIEWS_EACH = 2.5


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoProgram:
    """One of the two programs: its cycle, its applicants and its places."""

    cycle_id: str
    name: str
    value: str
    places: int


PROGRAMS = (
    DemoProgram(cycle_id="masters", name="Master's program", value="MS", places=30),
    DemoProgram(cycle_id="doctoral", name="Doctoral program", value="PhD", places=120),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class EffortByRank:
    """Where the reviews of one program went, by rank in the final order.

    Attributes:
        label: Which ranks.
        applications: How many applications these are.
        reviews: Mean reviews each.
        interviews: Share of them that was interviewed.
    """

    label: str
    applications: int
    reviews: float
    interviews: float


@dataclass(frozen=True, slots=True, kw_only=True)
class AgainstTruth:
    """What the model says about a list beside what is true, since the truth is known here.

    Attributes:
        share: Score of the list as a share of the highest possible.
        expected_loss: What the list lacks by the model, in points of 100 a place.
        expected_loss_range: 90 % range of it.
        loss: What it lacks in truth, in points of 100 a place.
        belong: How many of its applicants belong on it by the model (H).
        belong_range: 90 % range of their number.
        belong_true: How many of them are among the best in truth.
    """

    share: float
    expected_loss: float
    expected_loss_range: tuple[float, float]
    loss: float
    belong: float
    belong_range: tuple[float, float]
    belong_true: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Demonstrated:
    """What one program's cycle came to.

    Attributes:
        needed: Reviews each that other practices need for a list as good, from the same marks.
    """

    program: DemoProgram
    replayed: ReplayResult
    proposal: Proposal
    effort: tuple[EffortByRank, ...]
    truth: AgainstTruth
    needed: ReviewsNeeded


def run_demo(
    product: Swapflow,
    *,
    seed: int = 0,
    report: Callable[[Mapping[str, ReplayStep]], None] = lambda _steps: None,
) -> tuple[Demonstrated, ...]:
    """Create, launch and finalize both cycles on a running deployment.

    Args:
        product: The deployment; coordinators and workers must run beside this process.
        seed: Of ties and of the order of marks.
        report: Called a few times a second with how far each cycle is.
    """
    started = time.monotonic()
    recording = read_recording(DATA).shuffled(seed)
    parts = {p.cycle_id: recording.only("program", p.value) for p in PROGRAMS}
    options = {
        p.cycle_id: Options(cohort=p.places, budget=REVIEWS_EACH, floor=FLOOR, seed=seed)
        for p in PROGRAMS
    }
    product.cycles.new_round(ROUND, name="Demonstration round", unit="reviews")
    for program in PROGRAMS:
        _launch(product, program, parts[program.cycle_id], options[program.cycle_id], seed)
    _wait(product, report)
    return tuple(
        _conclude(
            product,
            program,
            parts[program.cycle_id],
            options[program.cycle_id],
            started=started,
        )
        for program in PROGRAMS
    )


def _launch(
    product: Swapflow, program: DemoProgram, recording: Recording, options: Options, seed: int
) -> None:
    cycle_id = program.cycle_id
    rules = replay_rules(recording, options)
    product.cycles.new(cycle_id, round_id=ROUND, rules=rules, by="demo", name=program.name)
    fill(product, cycle_id, recording, recorded_program(DATA, seed))
    product.cycles.launch(cycle_id, by="demo")


def _wait(product: Swapflow, report: Callable[[Mapping[str, ReplayStep]], None]) -> None:
    before: dict[str, ReplayStep] = {}
    since = time.monotonic()
    while True:
        steps = {p.cycle_id: progress_of(product, p.cycle_id) for p in PROGRAMS}
        report(steps)
        if all(step.status is CycleStatus.ENDED for step in steps.values()):
            return
        if steps != before:
            before, since = steps, time.monotonic()
        # By what moves, not by a time in all:
        # a slow machine may take long, a dead worker moves nothing.
        elif time.monotonic() - since > STALLED_SECONDS:
            raise UnavailableError("demo_stuck")
        time.sleep(0.25)


def _conclude(
    product: Swapflow,
    program: DemoProgram,
    recording: Recording,
    options: Options,
    *,
    started: float,
) -> Demonstrated:
    replayed = result(product, program.cycle_id, recording, options, started=started)
    proposal = product.cohort.finalize(program.cycle_id, by="demo")
    return Demonstrated(
        program=program,
        replayed=replayed,
        proposal=proposal,
        effort=_effort(proposal, program.places),
        truth=against_truth(proposal, recording, program.places),
        needed=reviews_needed(
            recording,
            practice_of(recording, options.floor),
            utility=replayed.utility,
            size=program.places,
            seed=options.seed,
        ),
    )


def against_truth(proposal: Proposal, recording: Recording, places: int) -> AgainstTruth:
    """Compare what the model says about a plain list with the recorded utilities."""
    figures = figures_of(proposal.sheet)
    assert figures is not None, "a list with marks is judged"
    assert figures.points is not None, "the sum of scores has points"
    assert figures.points_range is not None, "the sum of scores has points"
    cohort = tuple(place.external_id for place in proposal.cohort)
    best = recording.best_utility(places)
    utility = recording.utility_of(cohort)
    ranked = sorted(recording.items, key=lambda item: (-recording.utility[item], item))
    return AgainstTruth(
        share=utility / best if best else 1.0,
        expected_loss=figures.points,
        expected_loss_range=figures.points_range,
        loss=points_a_place(best - utility, places),
        belong=figures.belong,
        belong_range=figures.belong_range,
        belong_true=len(set(ranked[:places]) & set(cohort)),
    )


def _effort(proposal: Proposal, places: int) -> tuple[EffortByRank, ...]:
    """Reviews and interviews by rank: the sure ones, those around the cut, and the others."""
    # Bands around the cut: a rule that adapts shows itself by looking there, and little elsewhere.
    half = max(1, places // 2)
    bands = (
        ("the first half of the list", 1, half),
        ("the second half of the list", half + 1, places),
        ("just below the list", places + 1, places + half),
        ("all the others", places + half + 1, len(proposal.places)),
    )
    effort = []
    for label, first, last in bands:
        ranked = [place for place in proposal.places if first <= place.rank <= last]
        if ranked:
            effort.append(
                EffortByRank(
                    label=label,
                    applications=len(ranked),
                    reviews=float(np.mean([place.pulls["review"] for place in ranked])),
                    interviews=float(
                        np.mean([place.pulls.get("interview", 0) for place in ranked])
                    ),
                )
            )
    return tuple(effort)
