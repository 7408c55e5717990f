"""Replays a recorded round: its marks asked for one at a time, as the rules would have asked.

The same engine either way: in process (SQLite in memory, the queue's twin), or through a running
deployment with Redis, workers and coordinators. Dispatch is in lockstep, so that both make the
same decisions.
"""

import hashlib
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from swapflow.automatic_reviewers.recorded_round import Recording
from swapflow.bandit.situation import PullKind
from swapflow.bootstrap import in_process
from swapflow.domain.cohort.quality_words import shows_certified_loss
from swapflow.domain.cycle import CycleStatus
from swapflow.domain.objective import Objective
from swapflow.domain.people.application import NewApplication
from swapflow.domain.people.reviewer import NewReviewer
from swapflow.domain.rules import (
    DispatchMode,
    Floor,
    KindRules,
    Purpose,
    RuleName,
    Rules,
    SeatLine,
)
from swapflow.engine.intake.roster import UNNAMED_MARK
from swapflow.engine.ports.dispatcher import QueueMessage, Topic
from swapflow.engine.services import Swapflow
from swapflow.errors import InvalidInputError, UnavailableError
from swapflow.simulation.baselines import Practice, even, two_tier


REVIEW, INTERVIEW = "review", "interview"
INTERVIEW_COST = 6
INTERVIEW_GAIN = 7.0
STALLED_SECONDS = 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How a recording is replayed.

    Attributes:
        cohort: Places.
        budget: Cost in reviews per application.
        floor: Reviews that everyone gets.
        batch: Requests per decision.
    """

    cohort: int
    budget: float
    floor: int = 1
    batch: int = 50
    rule: RuleName = RuleName.BUDGET
    sigma: float | None = None
    delta: float = 0.05
    epsilon: float = 0.0
    severity: bool = True
    kind_offsets: bool = True
    settled: float = 0.0
    objective: Objective = field(default_factory=Objective)
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayResult:
    """What a replay came to; `swapflow replay --json` prints these.

    Attributes:
        shows_certified: Whether the certified loss says something here: under its own rule, or
            where it is smaller than what the list is expected to lack.
        why: The reason for the stop, in a sentence.
    """

    utility: float
    even: float
    two_tier: float
    best: float
    overlap: float | None
    cohort: tuple[str, ...]
    decisions: str
    cost: int
    pulls: dict[str, int]
    stop: str
    why: str
    certified_loss: float
    shows_certified: bool
    seed: int
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayStep:
    """How far a replay is, for a progress bar."""

    spent: int
    budget: int
    decisions: int
    status: CycleStatus


def replay(
    recording: Recording,
    program: str,
    options: Options,
    *,
    product: Swapflow | None = None,
    cycle_id: str = "replay",
    report: Callable[[ReplayStep], None] = lambda _step: None,
) -> ReplayResult:
    """Replay a recording.

    Args:
        recording: The past round, its reviews in the order in which they are to be asked for.
        program: Specification of the automatic reviewer that knows these marks, without a
            fragment, such as `replay:FOLDER?seed=3`.
        options: Places, budget and rules.
        product: A running deployment; None replays in this process.
        cycle_id: Name of the cycle that is made for it.
        report: Called after each step.
    """
    started = time.monotonic()
    if product is None:
        runner = InProcess()
        prepare(runner.product, cycle_id, recording, program, options)
        runner.run(cycle_id, report)
        return result(runner.product, cycle_id, recording, options, started=started)
    prepare(product, cycle_id, recording, program, options)
    wait_until_ended(product, cycle_id, report)
    return result(product, cycle_id, recording, options, started=started)


class InProcess:
    """The product in this process, with the turns of coordinator and workers taken by hand."""

    def __init__(self) -> None:
        self.product, self._dispatcher = in_process(self._work)
        self.coordinator = self.product.cycles.coordinator("in-process")

    def run(
        self, cycle_id: str, report: Callable[[ReplayStep], None] = lambda _step: None
    ) -> None:
        """Take turns until the cycle has ended, or nothing is left to do."""
        for step in self.steps(cycle_id):
            report(step)

    def steps(self, cycle_id: str) -> Iterator[ReplayStep]:
        """Take turns one at a time, yielding the cycle's row after each."""
        while True:
            # Workers after the coordinator:
            # what they answer is there at its next turn, as in production.
            done = self.coordinator.turn() + self._dispatcher.run_pending()
            self.coordinator.raise_fault()
            yield progress_of(self.product, cycle_id)
            if not done:
                return

    def _work(self, _product: Swapflow, messages: Sequence[QueueMessage]) -> None:
        self.product.delivery.deliver_all([m.id for m in messages if m.topic is Topic.DELIVER])


def progress_of(product: Swapflow, cycle_id: str) -> ReplayStep:
    """Read how far a cycle is from its row alone."""
    cycle = product.cycles.get(cycle_id)
    return ReplayStep(
        spent=cycle.spent + cycle.committed,
        budget=product.cycles.rules(cycle_id).budget,
        decisions=cycle.decisions,
        status=cycle.status,
    )


def wait_until_ended(
    product: Swapflow, cycle_id: str, report: Callable[[ReplayStep], None] = lambda _step: None
) -> None:
    """Wait for the coordinators of a running deployment to end a simulated cycle.

    Raises:
        UnavailableError: If nothing moves for two minutes.
    """
    last, since = -1, time.monotonic()
    while True:
        cycle = product.cycles.get(cycle_id)
        report(progress_of(product, cycle_id))
        if cycle.status in {CycleStatus.ENDED, CycleStatus.FINALIZED}:
            return
        if cycle.position.seq != last:
            last, since = cycle.position.seq, time.monotonic()
        elif time.monotonic() - since > STALLED_SECONDS:
            raise UnavailableError("cycle_stuck", cycle=cycle_id, seconds=STALLED_SECONDS)
        time.sleep(0.2)


def prepare(
    product: Swapflow, cycle_id: str, recording: Recording, program: str, options: Options
) -> Rules:
    """Create and launch the cycle that replays a recording."""
    rules = replay_rules(recording, options)
    # Several replays on one deployment share the round.
    if not any(known.id == "replays" for known in product.cycles.rounds()):
        product.cycles.new_round("replays", name="Replays", unit="reviews")
    product.cycles.new(cycle_id, round_id="replays", rules=rules, by="replay")
    fill(product, cycle_id, recording, program, attributes=options.objective.attribute)
    product.cycles.launch(cycle_id, by="replay")
    return rules


def fill(
    product: Swapflow, cycle_id: str, recording: Recording, program: str, *, attributes: str = ""
) -> None:
    """Import a recording's applications and reviewers; only who judged an item may be asked."""
    product.applicants.import_all(
        cycle_id,
        [
            NewApplication(
                external_id=item,
                selection={attributes: recording.groups[item].get(attributes, "")}
                if attributes
                else {},
                monitor={},
                fields={},
            )
            for item in recording.items
        ],
    )
    reviewers, panel = _roster(recording, program)
    product.reviewers.import_all(cycle_id, reviewers, at_command_line=True)
    product.reviewers.set_panel(cycle_id, panel)


def replay_rules(recording: Recording, options: Options) -> Rules:
    """Write the rules of a replay: costs in reviews, lockstep, no reserve."""
    review = KindRules(
        name=REVIEW, cost=1, gain=1.0, maximum=recording.most_reviews, window_days=0
    )
    kinds = [review]
    if recording.interviews:
        kinds.append(
            KindRules(
                name=INTERVIEW, cost=INTERVIEW_COST, gain=INTERVIEW_GAIN, maximum=1, window_days=0
            )
        )
    # Lockstep without a reserve makes the cycle a function of the recorded marks alone.
    return Rules(
        version=1,
        purpose=Purpose.REPLAY,
        lines=(SeatLine(name="all", places=options.cohort),),
        kinds=tuple(kinds),
        floors=(Floor(kind=REVIEW, count=options.floor),),
        budget=round(options.budget * len(recording.items)),
        reserve=0.0,
        rule=options.rule,
        objective=options.objective,
        delta=options.delta,
        epsilon=options.epsilon,
        sigma=options.sigma,
        severity=options.severity,
        kind_offsets=options.kind_offsets,
        settled=options.settled,
        dispatch=DispatchMode.LOCKSTEP,
        batch=options.batch,
        blind=False,
        seed=options.seed,
    )


def result(
    product: Swapflow,
    cycle_id: str,
    recording: Recording,
    options: Options,
    *,
    started: float,
) -> ReplayResult:
    """Return what a replayed cycle came to, beside the same cost spent otherwise."""
    proposal = product.cohort.propose(cycle_id)
    cycle = product.cycles.get(cycle_id)
    cohort = tuple(sorted(place.external_id for place in proposal.cohort))
    accepted = recording.accepted & set(recording.items)
    practice = practice_of(recording, options.floor)
    size = options.cohort
    return ReplayResult(
        utility=recording.utility_of(cohort),
        even=even(recording, practice, cost=cycle.spent, size=size, seed=options.seed),
        two_tier=two_tier(recording, practice, cost=cycle.spent, size=size),
        best=recording.best_utility(size),
        overlap=len(accepted & set(cohort)) / len(accepted) if accepted else None,
        cohort=cohort,
        decisions=decisions_digest(product, cycle_id),
        cost=cycle.spent,
        pulls=dict(proposal.sheet.pulls),
        stop=cycle.stop_reason or "",
        why=proposal.sheet.stop_sentence,
        certified_loss=proposal.sheet.certified_loss,
        shows_certified=shows_certified_loss(
            proposal.sheet.rule, proposal.sheet.certified_loss, proposal.sheet.expected_loss
        ),
        seed=options.seed,
        seconds=time.monotonic() - started,
    )


def practice_of(recording: Recording, floor: int) -> Practice:
    """Costs and gains that even reviewing and two-tier practice are reckoned with."""
    interview = PullKind(cost=INTERVIEW_COST, gain=INTERVIEW_GAIN)
    return Practice(
        review=PullKind(cost=1, gain=1),
        interview=interview if recording.interviews else None,
        floor=floor,
    )


def decisions_digest(product: Swapflow, cycle_id: str) -> str:
    """Digest what makes two runs equal: who was asked about whom in which decision, and the stop.

    One line per assignment (decision, application, kind, ordinal, reviewer, attempt), sorted, by
    external ids; event order, numbers and hashes do not enter.
    """
    applications = {a.number: a.external_id for a in product.applicants.list(cycle_id)}
    reviewers = {r.number: r.external_id for r in product.reviewers.list(cycle_id)}
    decision = {pull.id: pull.decision for pull in product.context.ledger.pulls(cycle_id)}
    # Sorted by external ids:
    # numbers and the order of events differ between the two ways of running.
    lines = sorted(
        f"{decision[a.pull_id]} {applications[a.application]} {a.kind} {a.ordinal} "
        f"{reviewers[a.reviewer]} {a.attempt}"
        for a in product.context.ledger.assignments(cycle_id)
    )
    lines.append(product.cycles.get(cycle_id).stop_reason or "")
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _roster(recording: Recording, program: str) -> tuple[list[NewReviewer], list[tuple[str, str]]]:
    """Reviewers and who may judge whom; marks without a name go to unnamed reviewers."""
    if recording.reviewers:
        reviewers = [
            NewReviewer(external_id=name, capacity={REVIEW: None}, automatic=program)
            for name in recording.reviewers
        ]
        panel = [
            (item, review.reviewer)
            for item in recording.items
            for review in recording.reviews[item]
        ]
    else:
        # One for each mark of the item that has most: nobody judges an item twice.
        most = recording.most_reviews
        reviewers = [
            NewReviewer(
                external_id=f"stand-in-{place}",
                capacity={REVIEW: None},
                automatic=program + UNNAMED_MARK,
            )
            for place in range(1, most + 1)
        ]
        panel = [
            (item, f"stand-in-{place}")
            for item in recording.items
            for place in range(1, len(recording.reviews[item]) + 1)
        ]
    if recording.interviews:
        reviewers.append(
            NewReviewer(
                external_id="interviewer",
                capacity={INTERVIEW: None},
                automatic=program + UNNAMED_MARK,
            )
        )
    # A pull goes to a reviewer once, so a second mark by the same one could never be asked for.
    repeated = [name for name, count in Counter(panel).items() if count > 1]
    if repeated:
        item, reviewer = repeated[0]
        raise InvalidInputError("recorded_twice", reviewer=reviewer, item=item)
    return reviewers, panel


def recorded_program(folder: Path, seed: int, *, scale: str = "") -> str:
    """Specify the automatic reviewer that answers with a folder's recorded marks.

    Args:
        folder: Where they are.
        seed: Of the order in which they can be requested.
        scale: Their scale, where it is stated.
    """
    stated = f"&scale={quote(scale.replace(' ', ''))}" if scale else ""
    return f"replay:{folder.resolve()}?seed={seed}{stated}"
