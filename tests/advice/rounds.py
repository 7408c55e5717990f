"""Rounds of generated data, played by a program in process and by an advisor."""

from dataclasses import replace

import numpy as np

from swapflow import Advisor
from swapflow.domain.cycle import CycleStatus
from swapflow.domain.people.application import NewApplication
from swapflow.domain.people.reviewer import NewReviewer
from swapflow.domain.reviewing.mark_scale import MarkScale
from swapflow.domain.reviewing.score import Score
from swapflow.domain.rules import DispatchMode, Floor, KindRules, Rules, SeatLine
from tests.engine.cycle_by_hand import CYCLE, World, applicant, rules


UTILITY = MarkScale(worst=0.0, best=1.0)

Asked = tuple[str, str, tuple[str, ...]]
"""Applicant, kind, reviewers: one request."""


def lockstep(**changes: object) -> Rules:
    """Rules under which every decision waits for the answers of the one before."""
    usual: dict[str, object] = {
        "dispatch": DispatchMode.LOCKSTEP,
        "lines": (SeatLine(name="all", places=6),),
        "kinds": (KindRules(name="review", cost=1, gain=1.0, maximum=6),),
        "floors": (Floor(kind="review", count=1),),
        "budget": 96,
        "batch": 9,
        "packet": 60,
    }
    return replace(rules(), **(usual | changes))  # type: ignore[arg-type]  # tests name fields


def advisor_of(world: World, applications: list[NewApplication]) -> Advisor:
    """An advisor that is told what stands in the program: people, conflicts and marks."""
    own = Advisor.under(world.product.cycles.rules(CYCLE), {})
    for one in applications:
        own.add_applicant(one.external_id, **one.selection)
    for person in world.product.reviewers.list(CYCLE):
        own.add_reviewer(person.external_id, limits=person.capacity, packet=person.packet)
    names, people = world.names(), world.people()
    kinds = world.product.cycles.rules(CYCLE).kinds
    for score in standing(world):
        assignment = world.ledger.assignment(score.assignment_id)
        own.tell(
            names[assignment.application],
            reviewer=people[assignment.reviewer],
            kind=kinds[assignment.kind].name,
            mark=score.value / 1e6,
        )
    return own


def standing(world: World) -> list[Score]:
    """The marks that count, in the order in which they came."""
    return [score for score in world.ledger.scores(CYCLE) if score.counts]


def waiting(world: World) -> list[Asked]:
    """What the program asks for now, by name."""
    names, people = world.names(), world.people()
    kinds = world.product.cycles.rules(CYCLE).kinds
    pulls: dict[str, tuple[str, str, list[str]]] = {}
    for one in world.waiting():
        pull = pulls.setdefault(one.pull_id, (names[one.application], kinds[one.kind].name, []))
        pull[2].append(people[one.reviewer])
    return sorted((a, k, tuple(sorted(who))) for a, k, who in pulls.values())


def compare(world: World, applications: list[NewApplication], *, at_most: int = 40) -> int:
    """Play a whole round, and ask an advisor before every decision; count the decisions.

    A program's batch is what its decision asked for, so an advisor is asked for as many.
    """
    compared = 0
    for _ in range(at_most):
        advisor = advisor_of(world, applications)
        world.turn()
        asked = waiting(world)
        if not asked:
            break
        spent = world.cycle.spent
        rules_now = world.product.cycles.rules(CYCLE)
        requests = advisor.ask(
            max(len(asked), rules_now.batch) if compared else len(asked),
            budget=rules_now.budget - spent,
        )
        told = sorted(
            (one.applicant, one.kind, tuple(sorted(one.reviewer.split("; ")))) for one in requests
        )
        assert told == asked
        compared += 1
        world.answer_all()
    assert world.stands(CycleStatus.PROPOSED) or world.stands(CycleStatus.ENDED)
    return compared


def people(rng: np.random.Generator, count: int, kinds: tuple[str, ...]) -> list[NewReviewer]:
    """Reviewers of whom some have limits."""
    return [
        NewReviewer(
            external_id=f"R{number:02d}",
            capacity={
                kind: int(rng.integers(20, 60)) if rng.random() < 0.3 else None for kind in kinds
            },
        )
        for number in range(count)
    ]


def crowd(count: int) -> list[NewApplication]:
    """Applicants in some order."""
    return [applicant(f"A{number:03d}") for number in range(count)]
