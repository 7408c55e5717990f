"""A site with something on every page, and the people who see most of it."""

from dataclasses import dataclass

from sqlalchemy import select
from starlette.testclient import TestClient

from swapflow.domain.reviewing.score import Answer
from swapflow.identity.account import Method
from swapflow.identity.permissions import Role
from swapflow.ledger.schema.base import METADATA
from tests.web.site import Site


@dataclass(frozen=True, slots=True)
class Seen:
    """A person with a browser, and where their walk starts."""

    name: str
    client: TestClient
    starts: tuple[str, ...]


def busy(site: Site) -> Site:
    """Fill a site: a running cycle with answers, a draft one, one that was fixed."""
    site.filled("busy", lambda: _fill(site))
    return site


def _fill(site: Site) -> None:
    site.launched("fall")
    site.launched("draft", launch=False)
    site.launched("done", applicants=6)
    for cycle in ("fall", "done"):
        for known in site.product.reviewers.list(cycle):
            for task in site.product.tasks.inbox(cycle, known.external_id)[:2]:
                marks: dict[str, float | None] = {"Preparation": 3.0, "Promise": 2.0}
                answer = Answer(assignment_id=task.id, marks=marks, remark="clear and well argued")
                site.product.tasks.submit([answer])
    site.turn()
    site.product.cycles.stop("done", by="ops", reason="enough for this year")


def people(site: Site) -> tuple[Seen, ...]:
    """Return an administrator, a chair, a reviewer, and a visitor who is not signed in."""
    places = tuple(
        f"/{place}/{cycle}"
        for place in ("today", "applicants", "reviewers", "decide", "setup")
        for cycle in ("fall", "draft", "done")
    )
    chair = [place for place in places if not place.startswith(("/reviewers", "/setup"))]
    return (
        Seen("administrator", site.signed_in(Role.ADMINISTRATOR), ("/", "/me", *places)),
        Seen("chair", site.signed_in(Role.CHAIR), ("/", "/me", *chair)),
        Seen(
            "reviewer",
            site.signed_in(email="r1@example.org", method=Method.LINK),
            ("/", "/inbox", "/me"),
        ),
        Seen("nobody", site.anonymous(), ("/", "/sign-in")),
    )


TOUCHED = {("account", "last_seen_at"), ("session", "last_seen_at"), ("api_token", "last_used_at")}
"""What a visit may note: when a person was here last."""


def dump(site: Site) -> dict[str, list[dict[str, object]]]:
    """Read every row of every table but for the times of last visits."""
    rows: dict[str, list[dict[str, object]]] = {}
    with site.ledger._database.reading() as connection:
        for table in METADATA.sorted_tables:
            found = connection.execute(select(table)).mappings().all()
            rows[table.name] = sorted(
                (
                    {k: v for k, v in row.items() if (table.name, k) not in TOUCHED}
                    for row in found
                ),
                key=repr,
            )
    return rows
