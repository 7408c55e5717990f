"""One score's way on a site, with the SQL statements that each part of it runs."""

from swapflow.identity.account import Method
from tests.support.statement_count import statements_run
from tests.web.site import Site


BUDGETS = {"submit and stay": 20, "submit and next": 24, "turn after one score": 40, "inbox": 12}
"""The most statements of each part, without BEGIN and COMMIT."""

FURTHER_PROGRAM = 4
"""What the inbox may cost more for each further program."""

_ANSWER = {"c0": "4", "c1": "3", "remark": "Steady work, and well argued.", "version": "0"}
_LEADS_TO = {"stay": "/receipt", "next": "?after="}


def submit_statements(site: Site, then: str) -> list[str]:
    """Hand in a review with a remark, on a task that its reviewer opened before.

    Args:
        site: A site with a running cycle.
        then: The form's button: "stay", or "next" where another task waits.
    """
    client, assignment = site.assigned()
    task = f"/tasks/{site.product.tasks.code(assignment.id)}"
    assert client.get(task).status_code == 200
    assert client.post(f"{task}/open").status_code == 204
    with statements_run(site.ledger) as run:
        answer = client.post(task, data={**_ANSWER, "then": then})
    assert answer.status_code == 303
    assert _LEADS_TO[then] in answer.headers["location"]
    return run


def turn_statements(site: Site) -> list[str]:
    """Take a coordinator's turn after one score: it reads, decides, assigns and relays."""
    site.turn()  # a coordinator that has just started reads the whole cycle
    submit_statements(site, "stay")
    (before,) = site.product.cycles.list()
    with statements_run(site.ledger) as run:
        assert site.coordinator.turn()
    after = site.product.cycles.get(before.id)
    assert after.decisions > before.decisions, "nothing was decided"
    return run


def inbox_statements(site: Site, email: str) -> list[str]:
    """Open a reviewer's list."""
    client = site.signed_in(email=email, method=Method.LINK)
    with statements_run(site.ledger) as run:
        page = client.get("/inbox")
    assert page.status_code == 200
    return run
