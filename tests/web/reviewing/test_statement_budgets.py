"""How many SQL statements one score costs, from the reviewer's button to the next request.

Counted without BEGIN and COMMIT, on each database. A budget that is passed prints all statements.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import httpx2
import pytest

from swapflow.domain.reviewing.score import Answer
from swapflow.identity.permissions import Role
from swapflow.settings import Settings
from tests.support.migrated import new_database
from tests.support.postgres import PostgresServer
from tests.support.statement_count import check_budget, statements_built, statements_run
from tests.web.score_statements import (
    BUDGETS,
    FURTHER_PROGRAM,
    inbox_statements,
    submit_statements,
    turn_statements,
)
from tests.web.site import SITE_RULES, Site


@pytest.fixture(params=["file", "postgresql"])
def site(request: pytest.FixtureRequest, tmp_path: Path, settings: Settings) -> Iterator[Site]:
    """A site with an empty database, on each of the two that the product runs on."""
    database: Path | str = tmp_path / "swapflow.db"
    if request.param == "postgresql":
        server: PostgresServer = request.getfixturevalue("postgres")
        database = server.clean_database()
    else:
        new_database(tmp_path / "swapflow.db")
    made = Site(database, settings=settings)
    yield made
    made.ledger.dispose()


@pytest.mark.parametrize("then", ["stay", "next"])
def test_a_submit_keeps_its_budget(site: Site, then: str) -> None:
    """A review with a remark, on a task that was opened before, costs few statements."""
    site.launched()

    run = submit_statements(site, then)

    check_budget(f"submit and {then}", run, BUDGETS[f"submit and {then}"])


def test_a_turn_after_one_score_keeps_its_budget(site: Site) -> None:
    """A coordinator that reads a score, decides, assigns and relays costs few statements."""
    site.launched()

    check_budget("turn", turn_statements(site), BUDGETS["turn after one score"])


def test_a_reviewers_requests_build_no_statement_that_they_built_before(site: Site) -> None:
    """Page, begin, draft, submission and list run the statements of the reviewer before."""
    site.launched(rules=replace(SITE_RULES, packet=8, budget=200), applicants=30)
    client, assignment = site.assigned()
    tasks = [
        f"/tasks/{site.product.tasks.code(one.id)}"
        for one in site.product.context.ledger.assignments("fall", reviewer=assignment.reviewer)
    ]
    answer = {"c0": "4", "c1": "3", "remark": "Steady work.", "then": "next"}
    draft = {"version": 0, "body": {"c0": "4"}}

    # Rules, rosters and rubrics are read once and kept, so the second round is not the third.
    for number, task in enumerate(tasks[:3]):
        requests: dict[str, Callable[[], httpx2.Response]] = {
            "page": partial(client.get, task),
            "begin": partial(client.post, f"{task}/open"),
            "draft": partial(client.post, f"{task}/draft", json=draft),
            "submission": partial(client.post, task, data={**answer, "version": "1"}),
            "list": partial(client.get, "/inbox"),
        }
        for name, request in requests.items():
            with statements_built(site.ledger) as built:
                assert request().status_code in {200, 204, 303}
            if number == 2:
                check_budget(f"{name}, built anew", built, 0)


def test_delivering_and_deciding_build_no_statement_that_they_built_before(site: Site) -> None:
    """A worker's delivery, a submission and a coordinator's turn run those of the turn before."""
    site.launched(rules=replace(SITE_RULES, packet=4, budget=200), applicants=30)
    site.turn()
    marks: dict[str, float | None] = {"Preparation": 3.0, "Promise": 2.0}

    for number in range(4):
        one = next(a for a in site.product.context.ledger.assignments("fall") if a.status.is_open)
        answer = Answer(assignment_id=one.id, marks=marks)
        steps: dict[str, Callable[[], object]] = {
            "delivery": partial(site.product.delivery.deliver, one.id),
            "submission": partial(site.product.tasks.submit, [answer]),
            "turn": site.coordinator.turn,
        }
        for name, step in steps.items():
            with statements_built(site.ledger) as built:
                assert step()
            if number == 3:
                check_budget(f"{name}, built anew", built, 0)


@pytest.mark.parametrize("packet", [1, 8])
def test_the_inbox_costs_the_same_however_many_tasks_wait(site: Site, packet: int) -> None:
    """A list of eight tasks costs no more statements than a list of one."""
    site.launched(rules=replace(SITE_RULES, packet=packet, budget=200), applicants=30)

    waiting = site.product.tasks.inbox("fall", "R1")
    run = inbox_statements(site, "r1@example.org")

    assert len(waiting) == packet
    check_budget(f"the inbox with {packet} tasks", run, BUDGETS["inbox"])


@pytest.mark.parametrize("programs", [2, 4])
def test_a_further_program_costs_the_inbox_little(site: Site, programs: int) -> None:
    """Each program after the first adds at most four statements to a reviewer's list."""
    for number in range(programs):
        site.launched(f"fall{number}")

    run = inbox_statements(site, "r1@example.org")

    most = BUDGETS["inbox"] + FURTHER_PROGRAM * (programs - 1)
    check_budget(f"the inbox of {programs} programs", run, most)


@pytest.mark.parametrize("applicants", [12, 60])
def test_a_seat_costs_staff_pages_little_however_many_applicants_there_are(
    site: Site, applicants: int
) -> None:
    """Who reviews in a program that they run costs three statements more at most, and no row."""
    site.launched(applicants=applicants, rules=replace(SITE_RULES, budget=300))
    (task, *_) = site.product.tasks.inbox("fall", "R1")
    marks: dict[str, float | None] = {"Preparation": 3.0, "Promise": 2.0}
    site.product.tasks.submit([Answer(assignment_id=task.id, marks=marks)])
    site.turn()
    others = site.signed_in(Role.OPERATIONS, email="elsewhere@example.org")
    seated = site.signed_in(Role.OPERATIONS, email="r1@example.org")

    for page in (
        "/today/fall",
        "/applicants/fall",
        f"/applicants/fall/{task.application}",
        "/reviewers/fall/0",
    ):
        for client in (others, seated):
            assert client.get(page).status_code == 200
        with statements_run(site.ledger) as without:
            others.get(page)
        with statements_run(site.ledger) as run:
            seated.get(page)
        check_budget(f"{page} with a seat", run, len(without) + 3)


def test_a_budget_that_is_passed_names_every_statement(site: Site) -> None:
    """Who passes a budget reads in the failure what was run."""
    with statements_run(site.ledger) as run:
        site.ledger.cycles()
        site.ledger.now()

    named = r"(?s)two reads: 2 statements, at most 1\n  1 SELECT cycle.*\n  2 SELECT .*clock"
    with pytest.raises(AssertionError, match=named):
        check_budget("two reads", run, 1)
