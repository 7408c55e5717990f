"""A database that dies while it commits: nobody knows whether the review was stored."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from html import unescape

import pytest
from sqlalchemy import Connection, event

from swapflow.ledger.sql_ledger import SqlLedger
from swapflow.settings import Settings
from tests.support.postgres import PostgresServer
from tests.web.site import Site


@pytest.fixture
def site(postgres: PostgresServer, settings: Settings) -> Iterator[Site]:
    made = Site(postgres.clean_database(), settings=settings)
    yield made
    made.ledger.dispose()


@contextmanager
def dies_at_the_commit_of_a_review(ledger: SqlLedger, *, stored: bool) -> Iterator[None]:
    """Break the connection right before or after the server has committed a review."""
    engine = ledger._database._engine
    holding: set[int] = set()

    def note(connection: Connection, _cursor: object, statement: str, *_: object) -> None:
        if statement.lstrip().startswith("INSERT INTO score"):
            holding.add(id(connection))

    def die(connection: Connection) -> None:
        if id(connection) in holding:
            driver = connection.connection.driver_connection
            assert driver is not None
            if stored:
                driver.commit()
            driver.close()

    event.listen(engine, "before_cursor_execute", note)
    event.listen(engine, "commit", die)
    try:
        yield
    finally:
        event.remove(engine, "before_cursor_execute", note)
        event.remove(engine, "commit", die)
    assert holding


@pytest.mark.parametrize("stored", [True, False])
def test_a_review_whose_commit_went_unanswered_is_sent_again_from_the_page_and_counts_once(
    site: Site, stored: bool
) -> None:
    site.launched()
    client, assignment = site.assigned()
    task = f"/tasks/{site.product.tasks.code(assignment.id)}"
    typed = {"c0": "4", "c1": "3", "remark": "Steady “work”, <well> argued.", "then": "stay"}

    with dies_at_the_commit_of_a_review(site.ledger, stored=stored):
        refused = client.post(task, data={**typed, "version": "0"})

    assert refused.status_code == 503
    assert refused.headers["retry-after"]
    found = re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)">', refused.text)
    kept = {name: unescape(value) for name, value in found}
    assert {name: kept[name] for name in typed} == typed
    assert f'action="{task}"' in refused.text
    assert len(site.product.scores.list("fall")) == stored

    again = client.post(task, data=kept)

    assert again.status_code == 303
    (score,) = site.product.scores.list("fall")
    given = site.product.tasks.score(score.assignment_id)
    assert given is not None
    assert given.remark == typed["remark"]
    assert client.post(task, data=kept).headers["location"] == again.headers["location"]
    assert len(site.product.scores.list("fall")) == 1
    assert site.product.reports.verify("fall", live=False).passed
