"""The record of a reconsideration replays, and cards and bundles tell of it."""

from dataclasses import replace

import pytest

from swapflow.domain.cohort.proposal import Standing, Verdict
from swapflow.domain.cohort.reconsideration import Result
from swapflow.domain.cycle import CycleStatus
from swapflow.domain.rules import RuleName
from swapflow.engine.audit import finished_cycle
from swapflow.files.exports.decision_card import card_document
from swapflow.files.exports.document import html
from tests.engine.cycle_by_hand import CYCLE
from tests.engine.reconsideration.fixed_list import (
    NAMES,
    answered,
    concluded,
    fixed,
    reopened,
    selected,
    stands,
    verdicts,
)


@pytest.mark.parametrize("rule", ["budget", "certified"])
def test_the_record_of_two_reconsiderations_and_a_reopening_replays(rule: str) -> None:
    world = fixed(rule=RuleName(rule), budget=20, sigma=0.1 if rule == "certified" else None)
    out = [n for n, verdict in verdicts(world).items() if verdict == "waitlisted"]
    for name in out[:2]:
        reopened(world, name)
        answered(world, 1.0)
        concluded(world, name, result=Result.ADDED, beyond=True, reason="as the marks say")
    world.product.cohort.reopen(CYCLE, names=NAMES, reason="the rest too")
    world.product.cohort.finalize(CYCLE, by="chair")

    assert set(out[:2]) < selected(world)
    stands(world)


def test_a_list_that_moves_somebody_else_too_does_not_pass_for_a_reconsideration() -> None:
    world = fixed()
    reopened(world, "A003")
    answered(world, 1.0)
    concluded(world, "A003", beyond=True)
    record = finished_cycle.gather_finished_cycle(CYCLE, ledger=world.ledger)
    first, second = record.lists
    number = world.number("A008")
    outcomes = tuple(
        replace(o, verdict=Verdict.NOT_SELECTED) if o.application == number else o
        for o in second.outcomes
    )
    forged = replace(record, lists=(first, replace(second, outcomes=outcomes)))

    found = finished_cycle.check(forged)

    assert not found.passed
    assert "more than applicant" in found.findings[0].what


def test_what_it_costs_comes_beside_the_budget_and_is_counted() -> None:
    world = fixed()
    spent = world.cycle.spent
    reopened(world, "A001")
    answered(world, 0.5)

    assert world.cycle.spent == spent + 2
    assert world.cycle.status is CycleStatus.FINALIZED
    world.verify()


def test_the_card_says_why_by_how_many_and_what_came_of_it() -> None:
    world = fixed()
    reopened(world, "A003")
    answered(world, 1.0)
    concluded(world, "A003", beyond=True)

    card = world.product.reports.decision_card(CYCLE, "A003")
    (again,) = card.reconsidered
    page = html(card_document(card)).decode()
    assert (again.result, again.fresh, again.reviews) == ("added", 2, 2)
    assert again.before is not None
    assert again.after is not None
    assert f"{100 * again.before:.1f}" in page
    assert f"{100 * again.after:.1f}" in page
    assert "a reviewer had the wrong file" in page
    assert not {"S1", "S2", "the applicant"} & set(page.replace("<", " ").split())
    assert world.product.reports.decision_card(CYCLE, "A004").reconsidered == ()


def test_the_list_in_force_names_the_added_person_last() -> None:
    world = fixed()
    reopened(world, "A003")
    answered(world, 1.0)
    concluded(world, "A003", beyond=True)

    _, places, sheet = world.product.cohort.proposals(CYCLE)[-1]
    listed = [p.external_id for p in places if p.standing is Standing.COHORT]
    assert listed == ["A008", "A007", "A006", "A003"]
    assert sheet.stop_sentence.endswith("everybody else stands where the list put them.")
