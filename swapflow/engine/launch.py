"""Step 2, launch: check that the round can be run as its rules say, then start it."""

import math

from swapflow.domain.applicant import Application
from swapflow.domain.cycle import CycleStatus
from swapflow.domain.event import EventType
from swapflow.domain.reviewer import Reviewer
from swapflow.domain.rules import FloorFor, Purpose, Rules
from swapflow.engine.book import Book
from swapflow.engine.ingest import BATCH, follow
from swapflow.engine.ports import Ledger
from swapflow.engine.rule import rule_for
from swapflow.engine.situate import candidates, eligible_counts
from swapflow.errors import InvalidInputError, NotReadyError


SHOWN = 5
"""Ids named in a message before "and N more"."""


def launch(cycle_id: str, *, by: str, ledger: Ledger) -> None:
    """Start a cycle; the coordinator then opens the floors' pulls for every ready application.

    Raises:
        NotReadyError: If it was launched before.
        InvalidInputError: If it cannot be run: too few applications for its places, a budget
            that cannot pay the floors, a kind without reviewer, an application that nobody may
            judge, files that are not marked redacted in a blind cycle. All problems are named
            together, and nothing is changed.
    """
    cycle = ledger.cycle(cycle_id)
    if cycle.status is not CycleStatus.DRAFT:
        raise NotReadyError(
            f"cycle {cycle_id!r} was launched before (it is {cycle.status.value}); "
            "a second launch would ask everyone twice"
        )
    book = read_book(cycle_id, ledger=ledger)
    problems = _problems(cycle_id, book, ledger=ledger)
    if problems:
        listing = "\n".join(f"  - {problem}" for problem in problems)
        raise InvalidInputError(f"cycle {cycle_id!r} cannot be launched:\n{listing}")
    with ledger.write(cycle_id) as tx:
        if tx.cycle.status is not CycleStatus.DRAFT:
            raise NotReadyError(f"cycle {cycle_id!r} was launched a moment ago")
        tx.record(EventType.LAUNCHED, {"rules": tx.cycle.rules_version})
        tx.set_status(CycleStatus.RUNNING)
        tx.note(subject=f"launch of {cycle_id}", by=by, text="launched")


def read_book(cycle_id: str, *, ledger: Ledger) -> Book:
    """Fold a cycle's book from its events, up to the last."""
    book = Book(ledger.rules(cycle_id))
    while events := ledger.events(cycle_id, after=book.position, at_most=BATCH):
        follow(book, events, ledger=ledger)
    return book


def _problems(cycle_id: str, book: Book, *, ledger: Ledger) -> list[str]:
    rules = book.rules
    applications = ledger.applications(cycle_id)
    reviewers = ledger.reviewers(cycle_id)
    problems = _places(applications, rules)
    problems += _money(applications, rules)
    problems += _people(book, applications, reviewers)
    if rules.purpose is Purpose.REAL and rules.automatic is None:
        programs = [r.external_id for r in reviewers if r.automatic]
        if programs:
            problems.append(
                f"automatic reviewers in a real cycle ({_some(programs)}): give the rules an "
                "[automatic] table with purpose, approver and date, or take them off the roster"
            )
    if rules.blind:
        open_files = ledger.unredacted(cycle_id)
        if open_files:
            problems.append(
                f"{len(open_files)} applications have files that are not marked redacted, in a "
                f"blind cycle ({_some(open_files)}): mark them redacted, or set blind = false"
            )
    if not problems:
        problems += _rule(book)
    return problems


def _places(applications: tuple[Application, ...], rules: Rules) -> list[str]:
    ready = sum(a.status.is_candidate for a in applications)
    if ready == 0:
        return ["there is no application yet: `swapflow applications import CYCLE FILE`"]
    if rules.cohort_size >= ready:
        return [
            (
                f"{rules.cohort_size} places for {ready} applications leave nothing to decide: "
                "import more applications, or lower the places"
            )
        ]
    if rules.max_applicants is not None and rules.max_applicants < ready:
        return [
            (
                f"max_applicants = {rules.max_applicants} is less than the {ready} applications "
                "there are: raise it in the rules"
            )
        ]
    return []


def _money(applications: tuple[Application, ...], rules: Rules) -> list[str]:
    ready = sum(a.status.is_candidate for a in applications)
    floors = sum(
        rules.kinds[rules.kind_index(floor.kind)].cost
        * floor.count
        * (ready if floor.who is FloorFor.ALL else rules.cohort_size)
        for floor in rules.floors
    )
    staff = int(rules.reserve * rules.budget)
    if floors + staff > rules.budget:
        return [
            (
                f"a budget of {rules.budget} cannot pay the floors ({floors}) and the reserve for "
                f"staff ({staff}): raise the budget to at least {_enough(floors, rules.reserve)}, "
                "or lower the floors"
            )
        ]
    return []


def _enough(floors: int, reserve: float) -> int:
    """The smallest budget that pays floors and reserve."""
    budget = math.ceil(floors / (1 - reserve))
    # The reserve is rounded down, so a little less may do.
    while floors + int(reserve * (budget - 1)) <= budget - 1:
        budget -= 1
    return budget


def _people(
    book: Book, applications: tuple[Application, ...], reviewers: tuple[Reviewer, ...]
) -> list[str]:
    problems = []
    numbers = candidates(book)
    names = {a.number: a.external_id for a in applications}
    needed = book.rules.floor_counts(FloorFor.ALL)
    for index, kind in enumerate(book.rules.kinds):
        if not any(r.active and kind.name in r.capacity for r in reviewers):
            problems.append(
                f"no reviewer takes {kind.name!r}: import one, or remove this kind from the rules"
            )
            continue
        need = max(needed[index], 1) * kind.seats
        short = numbers[eligible_counts(book, numbers, index) < need]
        if short.size:
            problems.append(
                f"{short.size} applications have fewer than {need} reviewers for {kind.name!r} "
                "without a conflict of interest "
                f"({_some([names[int(a)] for a in short])}): add a reviewer"
            )
    return problems


def _rule(book: Book) -> list[str]:
    """Whether the bandit accepts the rules (for instance: `certified` without a sigma)."""
    try:
        rule_for(book, candidates(book), None)
    except InvalidInputError as error:
        return [str(error)]
    return []


def _some(names: "list[str] | tuple[str, ...]") -> str:
    shown = ", ".join(names[:SHOWN])
    return shown if len(names) <= SHOWN else f"{shown} and {len(names) - SHOWN} more"
