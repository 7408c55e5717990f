"""Small programs for a campaign: what is asked and answered, what comes of it undisturbed."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache

from swapflow.bootstrap import in_process
from swapflow.domain.cycle import CycleStatus
from swapflow.domain.people.application import NewApplication
from swapflow.domain.people.reviewer import NewReviewer
from swapflow.domain.reviewing.score import Answer
from swapflow.domain.rules import (
    Criterion,
    DispatchMode,
    Floor,
    KindRules,
    Purpose,
    Rubric,
    Rules,
    SeatLine,
)
from swapflow.engine.ports.dispatcher import QueueMessage, Topic
from swapflow.engine.services import Swapflow
from swapflow.errors import InvalidInputError
from tests.system.rounds import Outcome


APPLICANTS, REVIEWERS, PLACES = 12, 6, 4
ROUND, KIND, CRITERION = "campaign", "review", "Promise"
MARKS = tuple((float(mark), f"step {mark}") for mark in range(11))
RULES = Rules(
    version=1,
    lines=(SeatLine(name="all", places=PLACES),),
    kinds=(KindRules(name=KIND, cost=1, gain=1.0, maximum=3, window_days=7),),
    rubrics=(Rubric(kind=KIND, version=1, criteria=(Criterion(name=CRITERION, marks=MARKS),)),),
    floors=(Floor(kind=KIND, count=1),),
    budget=24,
    reserve=0.0,
    settled=0.0,
    batch=6,
    packet=20,
    taper=0.5,
    blind=False,
)


def rules_of(cycle_id: str) -> Rules:
    """Rules by the first letter of a program's id: `l` in lockstep, `r` rolling."""
    seed = int(cycle_id[1:]) % 6 // 2
    if cycle_id.startswith("l"):
        return replace(
            RULES, purpose=Purpose.SIMULATION, dispatch=DispatchMode.LOCKSTEP, seed=seed
        )
    return replace(RULES, packet=4, seed=seed)


def mark_of(seed: int, application: str, ordinal: int, reviewer: str) -> int:
    """What a reviewer thinks: a function of the request alone, however often it is asked."""
    noise = hashlib.sha256(f"{seed}/{application}/{ordinal}/{reviewer}".encode()).digest()
    truth = hashlib.sha256(f"{seed}/{application}".encode()).digest()
    return (3 * truth[0] % 11 * 2 + noise[0] % 11) // 3


def make(product: Swapflow, cycle_id: str) -> None:
    """Make and launch a program; whatever is there already is left as it is."""
    if not any(known.id == ROUND for known in product.cycles.rounds()):
        _once(lambda: product.cycles.new_round(ROUND, name="Campaign"))
    if not any(known.id == cycle_id for known in product.cycles.list()):
        _once(
            lambda: product.cycles.new(
                cycle_id, round_id=ROUND, rules=rules_of(cycle_id), by="staff"
            )
        )
    if not product.applicants.list(cycle_id):
        rows = [
            NewApplication(
                external_id=f"A{n:02}", selection={}, monitor={}, fields={"name": f"Person {n}"}
            )
            for n in range(APPLICANTS)
        ]
        product.applicants.import_all(cycle_id, rows)
    if not product.reviewers.list(cycle_id):
        product.reviewers.import_all(
            cycle_id,
            [
                NewReviewer(external_id=f"R{n}", capacity={KIND: None}, email=address(n))
                for n in range(REVIEWERS)
            ],
        )
    if product.cycles.get(cycle_id).status is CycleStatus.DRAFT:
        product.cycles.launch(cycle_id, by="staff")


def address(reviewer: int) -> str:
    return f"r{reviewer}@example.org"


@lru_cache(maxsize=8)
def undisturbed(seed: int) -> Outcome:
    """What a lockstep program of this seed comes to in one process, where nothing goes wrong."""

    def work(product: Swapflow, messages: Sequence[QueueMessage]) -> None:
        product.tasks.deliver([m.id for m in messages if m.topic is Topic.DELIVER])

    product, dispatcher = in_process(work)
    coordinator = product.cycles.coordinator("undisturbed")
    cycle_id = f"l{2 * seed}"
    assert rules_of(cycle_id).seed == seed
    make(product, cycle_id)
    while product.cycles.get(cycle_id).status is not CycleStatus.ENDED:
        done = coordinator.turn() + dispatcher.run_pending()
        coordinator.raise_fault()
        names = {a.number: a.external_id for a in product.applicants.list(cycle_id)}
        for reviewer in product.reviewers.list(cycle_id):
            for asked in product.tasks.inbox(cycle_id, reviewer.external_id):
                mark = mark_of(seed, names[asked.application], asked.ordinal, reviewer.external_id)
                product.tasks.submit(
                    [Answer(assignment_id=asked.id, marks={CRITERION: float(mark)})]
                )
                done += 1
        assert done, "an undisturbed program stands still"
    assert product.reports.verify(cycle_id).passed
    return Outcome.of(product, cycle_id)


def _once(make_it: Callable[[], object]) -> None:
    """Make something that a try whose answer was lost may have made."""
    try:
        make_it()
    except InvalidInputError as error:
        if "already" not in str(error):
            raise
