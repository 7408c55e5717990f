"""Small recorded rounds: what they come to undisturbed, and what they came to on a deployment."""

import csv
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from swapflow.automatic_reviewers.recorded_round import Recording, read_recording
from swapflow.domain.cycle import Cycle, CycleStatus
from swapflow.engine.services import Swapflow
from swapflow.simulation.replay import (
    InProcess,
    Options,
    decisions_digest,
    prepare,
    recorded_program,
)
from tests.support.waiting import CAP
from tests.system.stack import Stack


TWIN = Path(__file__).parents[2] / "swapflow" / "automatic_reviewers" / "data" / "synthetic_twin"


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What makes two runs of a recorded round equal."""

    decisions: str
    stop: str
    cohort: tuple[str, ...]

    @classmethod
    def of(cls, product: Swapflow, cycle_id: str) -> "Outcome":
        places = product.cohort.propose(cycle_id).cohort
        return cls(
            decisions=decisions_digest(product, cycle_id),
            stop=product.cycles.get(cycle_id).stop_reason or "",
            cohort=tuple(sorted(place.external_id for place in places)),
        )


@dataclass(frozen=True, kw_only=True)
class SmallRound:
    """A part of the synthetic twin, replayed in lockstep.

    Attributes:
        folder: Where the part's files lie.
        seed: Of ties and of the order of marks.
    """

    folder: Path
    options: Options
    seed: int

    @cached_property
    def recording(self) -> Recording:
        return read_recording(self.folder).shuffled(self.seed)

    @cached_property
    def undisturbed(self) -> Outcome:
        """What the round comes to in one process, where nothing goes wrong."""
        runner = InProcess()
        prepare(runner.product, "replay", self.recording, self.program, self.options)
        runner.run("replay")
        assert runner.product.reports.verify("replay").passed
        return Outcome.of(runner.product, "replay")

    @property
    def program(self) -> str:
        return recorded_program(self.folder, self.seed)

    def launch(self, stack: Stack, cycle_id: str) -> None:
        """Make and launch it on a deployment."""
        prepare(stack.product, cycle_id, self.recording, self.program, self.options)


def small_round(
    folder: Path, *, applications: int = 80, seed: int = 0, batch: int = 10
) -> SmallRound:
    """Write every so-manieth application of the twin into a folder, as a round of its own."""
    if not (folder / "items.csv").exists():
        folder.mkdir(parents=True, exist_ok=True)
        step = 1600 // applications
        items = [row["item_id"] for row in _rows(TWIN / "items.csv")][::step][:applications]
        for name in ("items.csv", "scores.csv", "interviews.csv"):
            _copy(TWIN / name, folder / name, set(items))
    options = Options(
        cohort=applications // 5, budget=2.0, floor=1, batch=batch, seed=seed, settled=0.0
    )
    return SmallRound(folder=folder, options=options, seed=seed)


def wait_for_end(stack: Stack, cycle_id: str) -> None:
    """Wait until the deployment has ended a cycle; a failure shows what its processes said."""
    stack.wait_for(
        lambda: stack.product.cycles.get(cycle_id).status is CycleStatus.ENDED,
        what=f"the end of {cycle_id}, now {_state(stack.product.cycles.get(cycle_id))}",
    )


def wait_until_under_way(
    stack: Stack, cycle_id: str, *, decisions: int = 2, more: Callable[[Cycle], bool] | None = None
) -> Cycle:
    """Wait until a cycle has made that number of decisions, and has not ended."""

    def under_way() -> bool:
        cycle = stack.product.cycles.get(cycle_id)
        return cycle.decisions >= decisions and (more is None or more(cycle))

    stack.wait_for(under_way, what=f"decision {decisions} of {cycle_id}")
    cycle = stack.product.cycles.get(cycle_id)
    assert cycle.status is CycleStatus.RUNNING, "it was over before anything could go wrong"
    return cycle


def wait_until_further(stack: Stack, cycle_id: str, *, events: int) -> None:
    """Wait until a cycle has gone on by some events, or has ended."""
    until = stack.product.cycles.get(cycle_id).position.seq + events

    def gone_on() -> bool:
        cycle = stack.product.cycles.get(cycle_id)
        return cycle.position.seq >= until or cycle.status is CycleStatus.ENDED

    stack.wait_for(gone_on, what=f"event {until} of {cycle_id}")


def check(stack: Stack, cycle_id: str, expected: Outcome) -> None:
    """Check that a cycle came to what it comes to undisturbed, and that its record holds."""
    wait_for_end(stack, cycle_id)
    problems = problems_of(stack.product, cycle_id, expected)
    assert not problems, "\n".join([*problems, stack.process.tail()])


def problems_of(
    product: Swapflow, cycle_id: str, expected: Outcome, *, live: bool = True
) -> list[str]:
    """List what is wrong with a cycle that has ended; empty when nothing is.

    Args:
        product: The deployment.
        cycle_id: The cycle.
        expected: What it comes to undisturbed.
        live: Whether to compare the live state as well.
    """
    problems = []
    got = Outcome.of(product, cycle_id)
    if got.decisions != expected.decisions:
        problems.append(f"{cycle_id}: other decisions than in an undisturbed run")
    if got.stop != expected.stop:
        problems.append(f"{cycle_id}: stopped by {got.stop!r}, undisturbed by {expected.stop!r}")
    if got.cohort != expected.cohort:
        problems.append(f"{cycle_id}: another cohort than in an undisturbed run")
    return problems + unsound(product, cycle_id, live=live)


def unsound(
    product: Swapflow, cycle_id: str, *, live: bool = True, patience: float = CAP
) -> list[str]:
    """List what a verification finds; the coordinator gets a moment to bring Redis up to date."""
    until = time.monotonic() + patience
    while True:
        findings = product.reports.verify(cycle_id, live=live).findings
        waiting = [finding.what for finding in findings if not finding.fatal]
        fatal = [f"{cycle_id}: {finding.what}" for finding in findings if finding.fatal]
        if fatal or not waiting or time.monotonic() > until:
            return fatal + [f"{cycle_id}: {what}" for what in waiting]
        time.sleep(0.2)


def _state(cycle: Cycle) -> str:
    return f"{cycle.status.value} at event {cycle.position.seq} after {cycle.decisions} decisions"


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def _copy(source: Path, target: Path, items: set[str]) -> None:
    rows = [row for row in _rows(source) if row["item_id"] in items]
    with target.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
