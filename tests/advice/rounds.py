"""Rounds of generated data, played by a program in process and by an advisor."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import cast

import numpy as np

from swapflow import Advisor, Request
from swapflow.domain.cycle import CycleStatus
from swapflow.domain.event import EventType
from swapflow.domain.people.application import NewApplication
from swapflow.domain.people.reviewer import NewReviewer
from swapflow.domain.reviewing.mark_scale import MarkScale
from swapflow.domain.reviewing.score import Score
from swapflow.domain.rules import DispatchMode, Floor, KindRules, Rules, SeatLine
from swapflow.engine.services import Swapflow
from swapflow.ledger.sql_ledger import SqlLedger
from tests.engine.cycle_by_hand import CYCLE, World, applicant, rules


UTILITY = MarkScale(worst=0.0, best=1.0)

Pull = tuple[int, int, int, int]
"""Applicant, kind, number, and whether it is only proposed."""

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


REFITTED = lockstep(batch=12, budget=96)
"""Rules under which marks grow by a tenth from decision to decision, the last one too.

A program fits its model again only then; advice, which remembers nothing, whenever it is asked.
"""


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


def last_asked(product: Swapflow, ledger: SqlLedger, cycle_id: str) -> list[Asked]:
    """What a program's last decision asked for, in the order in which it is recorded."""
    kinds = product.cycles.rules(cycle_id).kinds
    names = {one.number: one.external_id for one in product.applicants.list(cycle_id)}
    people = {one.number: one.external_id for one in product.reviewers.list(cycle_id)}
    opened = [
        e.payload for e in product.reports.events(cycle_id) if e.type is EventType.PULLS_OPENED
    ]
    last = max(int(str(one["decision"])) for one in opened)
    seats: dict[tuple[int, ...], list[str]] = {}
    for one in ledger.assignments(cycle_id):
        key = (one.application, one.kind, one.ordinal)
        seats.setdefault(key, []).append(people[one.reviewer])
    rows = [one["pulls"] for one in opened if one["decision"] == last]
    return [
        (names[a], kinds[k].name, tuple(sorted(seats[a, k, ordinal])))
        for a, k, ordinal, _ in chain.from_iterable(cast("list[list[Pull]]", rows))
    ]


def told_of(requests: Sequence[Request]) -> list[Asked]:
    """What advice asks for, in its order."""
    return [(one.applicant, one.kind, tuple(sorted(one.reviewer.split("; ")))) for one in requests]


def compare(world: World, applications: list[NewApplication], *, at_most: int = 40) -> int:
    """Play a whole round, and ask an advisor before every decision; count the decisions.

    A program's batch is what its decision asked for, so an advisor is asked for as many.
    """
    compared = 0
    for _ in range(at_most):
        advisor = advisor_of(world, applications)
        world.turn()
        if not world.waiting():
            break
        asked = last_asked(world.product, world.ledger, CYCLE)
        spent = world.cycle.spent
        rules_now = world.product.cycles.rules(CYCLE)
        requests = advisor.ask(
            max(len(asked), rules_now.batch) if compared else len(asked),
            budget=rules_now.budget - spent,
        )
        assert told_of(requests) == asked
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
