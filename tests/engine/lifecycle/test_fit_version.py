"""How the model is fitted has a version: launched programs keep theirs."""

import json
from dataclasses import replace

from swapflow.bandit.estimation import posterior
from swapflow.domain.cycle import CycleStatus
from swapflow.domain.event import EventType
from swapflow.domain.rules_text import from_text, to_text
from swapflow.domain.rules_versions import FIRST_FIT, LATEST_FIT
from swapflow.engine.selection.list_objective import list_objective
from swapflow.engine.selection.rule import rule_for
from swapflow.engine.selection.situation import candidates
from tests.engine.cycle_by_hand import CYCLE, World, rules


OLD = rules(fit=FIRST_FIT, budget=40)


def test_the_rules_and_the_bandit_number_the_versions_alike() -> None:
    """Rules name a version by its number, without loading the model."""
    assert list(posterior.FitVersion) == [1, 2, 3]
    assert (FIRST_FIT, LATEST_FIT) == (1, posterior.LATEST_FIT)


def test_rules_stored_without_a_version_have_the_first() -> None:
    """Rules of earlier releases are read as they were meant, and written as they were."""
    text = to_text(OLD)

    assert "fit" not in json.loads(text)
    assert from_text(text).fit == FIRST_FIT
    assert from_text(to_text(rules())).fit == LATEST_FIT


def test_a_draft_of_an_earlier_release_is_launched_with_the_latest_fit() -> None:
    """The launch makes a version of the rules, with its reason on record, and names it."""
    world = World(rules=OLD)

    now = world.product.cycles.rules(CYCLE)

    assert (now.fit, now.version) == (LATEST_FIT, 2)
    assert world.product.cycles.rules_history(CYCLE)[0].reason == "settled at the launch"
    world.turn()
    world.answer_all()
    world.turn()
    assert {d.rules_version for d in world.ledger.decisions(CYCLE)} == {2}
    assert world.product.reports.verify(CYCLE).passed


def launched_before() -> World:
    """A program that the release before launched: its rules name no version."""
    world = World(rules=OLD, launch=False)
    with world.ledger.write(CYCLE) as tx:
        tx.record(EventType.LAUNCHED, {"rules": 1})
        tx.set_status(CycleStatus.RUNNING)
    return world


def test_a_launched_program_keeps_its_fit_through_later_rules_files_and_verifies() -> None:
    """Whatever version a new file names."""
    world = launched_before()
    world.turn()
    world.answer_all()

    world.product.cycles.change_rules(
        CYCLE, replace(rules(budget=50), version=2), by="ops", reason="more money"
    )
    world.turn()
    world.answer_all()
    world.turn()

    assert world.product.cycles.rules(CYCLE).fit == FIRST_FIT
    assert world.product.reports.verify(CYCLE).passed


def test_the_rule_fits_by_the_version_that_the_rules_name() -> None:
    """In the rule that asks, and in the adjusted estimates of the others."""
    world = launched_before()
    with world.product.context.snapshots.at_head(CYCLE, ledger=world.ledger) as seen:
        numbers = candidates(seen.projection)
        rule = rule_for(seen.projection, numbers, None)
        assert list_objective(seen.projection, numbers).oracle == rule.oracle  # type: ignore[attr-defined]  # a rule of `budget`
    assert rule.fit_version is posterior.FitVersion.FIRST_MARKS  # type: ignore[attr-defined]  # likewise
