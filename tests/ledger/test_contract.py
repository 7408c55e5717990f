"""What the ledger promises of rounds, cycles, rules and refusals, on every database."""

import traceback
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import Connection
from sqlalchemy.exc import StatementError

from swapflow.domain.cycle import START, CycleStatus, Round
from swapflow.domain.event import EventType
from swapflow.engine.ports.writes.transaction import Transaction
from swapflow.errors import InvalidInputError, NotFoundError
from swapflow.ledger.core.database import RefusedStatementError
from swapflow.ledger.core.statements import insert_all
from swapflow.ledger.schema import DRAFT
from swapflow.ledger.sql_ledger import SqlLedger
from swapflow.ledger.transaction import SqlTransaction
from tests.ledger.examples import (
    RULES,
)


def _enter(ledger: SqlLedger, cycle_id: str) -> None:
    with ledger.write(cycle_id):
        pass


# Rounds, cycles, rules


def test_a_round_is_read_as_it_was_created(ledger: SqlLedger) -> None:
    assert ledger.rounds() == (
        Round(id="2027", name="Season 2027", unit="minutes", zone="Europe/Paris"),
    )


def test_an_existing_round_or_cycle_is_refused_and_nothing_changes(ledger: SqlLedger) -> None:
    before = ledger.cycles()

    with pytest.raises(InvalidInputError, match="round '2027' already"):
        ledger.create_round(Round(id="2027", name="Other", unit="h", zone="UTC"))
    with pytest.raises(InvalidInputError, match="program 'fall' already"):
        ledger.create_cycle("fall", round_id="2027", name="x", rules=RULES, by="ops")

    assert ledger.cycles() == before
    assert ledger.rounds()[0].name == "Season 2027"


def test_a_cycle_needs_a_round_that_exists(ledger: SqlLedger) -> None:
    with pytest.raises(NotFoundError, match="no round '1999'"):
        ledger.create_cycle("spring", round_id="1999", name="x", rules=RULES, by="ops")


def test_a_new_cycle_is_a_draft_at_the_start(ledger: SqlLedger) -> None:
    cycle = ledger.cycle("fall")

    assert (cycle.status, cycle.position, cycle.rules_version) == (CycleStatus.DRAFT, START, 1)
    assert (cycle.spent, cycle.committed, cycle.decisions, cycle.epoch) == (0, 0, 0, 0)
    assert abs(cycle.created_at - ledger.now()) < timedelta(minutes=1)


def test_every_read_of_an_unknown_cycle_says_so(ledger: SqlLedger) -> None:
    reads: list[Callable[[], object]] = [
        lambda: ledger.cycle("none"),
        lambda: ledger.rules("none"),
        lambda: ledger.events("none", after=START, at_most=1),
        lambda: ledger.applications("none"),
        lambda: ledger.reviewers("none"),
        lambda: ledger.pulls("none"),
        lambda: ledger.assignments("none"),
        lambda: ledger.scores("none"),
        lambda: ledger.decisions("none"),
        lambda: ledger.proposals("none"),
        lambda: ledger.wishes("none"),
        lambda: ledger.counts("none"),
        lambda: ledger.unanswered("none", [0], at_most=1),
        lambda: ledger.due_work("none"),
        lambda: ledger.take_lease("none", holder="x", seconds=1),
        lambda: ledger.check_chain("none"),
        lambda: _enter(ledger, "none"),
    ]

    for read in reads:
        with pytest.raises(NotFoundError, match="no program 'none'"):
            read()


def test_rules_are_kept_by_version_and_never_replaced(ledger: SqlLedger) -> None:
    second = replace(RULES, version=2, budget=20_000)
    with ledger.write("fall") as tx:
        tx.set_rules(second, by="ops", reason="more money")
        assert tx.rules() == second

    with pytest.raises(InvalidInputError, match="version 2 already"), ledger.write("fall") as tx:
        tx.set_rules(replace(second, budget=1), by="ops", reason="")

    assert (ledger.rules("fall"), ledger.rules("fall", 1)) == (second, RULES)
    with pytest.raises(NotFoundError, match="no rules version 3"):
        ledger.rules("fall", 3)


def test_a_rubric_version_once_stored_cannot_get_other_criteria(ledger: SqlLedger) -> None:
    criterion = replace(RULES.rubrics[0].criteria[0], weight=2.0)
    changed = replace(RULES.rubrics[0], criteria=(criterion,))

    with (
        pytest.raises(InvalidInputError, match="score form of review, version 1"),
        ledger.write("fall") as tx,
    ):
        tx.set_rules(replace(RULES, version=2, rubrics=(changed,)), by="ops", reason="")

    assert ledger.cycle("fall").rules_version == 1


# Documents and purge


def test_a_note_gives_a_digest_that_its_text_alone_does_not_prove(ledger: SqlLedger) -> None:
    with ledger.write("fall") as tx:
        one = tx.note(subject="launch of fall", by="ops", text="go")
        two = tx.note(subject="launch of fall", by="ops", text="go")

    assert len(one) == 64
    assert one != two


def connection_of(tx: Transaction) -> Connection:
    assert isinstance(tx, SqlTransaction)
    return tx._connection


@pytest.mark.parametrize("body", [{"remark": "Jane Roe"}, {"Jane Roe": object()}])
def test_what_the_database_refuses_is_named_without_what_was_to_be_stored(
    ledger: SqlLedger, body: dict[str, object]
) -> None:
    """One is refused by the database (there is no such assignment), one on its way there."""
    draft = {"assignment_id": "of Jane Roe", "version": 1, "body": body, "at": ledger.now()}

    with (
        pytest.raises((RefusedStatementError, StatementError)) as caught,
        ledger.write("fall") as tx,
    ):
        insert_all(connection_of(tx), DRAFT, [draft])

    said = "".join(traceback.format_exception(caught.value))
    assert "in insert_all" in said
    assert "Jane" not in said


def test_a_cost_below_zero_is_refused_by_the_database_itself(ledger: SqlLedger) -> None:
    with pytest.raises(RefusedStatementError), ledger.write("fall") as tx:
        tx.record(EventType.PULLS_CANCELLED, {"pulls": [], "why": "x"}, committed=-1)

    assert ledger.cycle("fall").position == START
