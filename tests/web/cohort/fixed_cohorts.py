"""Cohorts that a chair and a colleague have signed, and what was offered and told after it."""

import re
from dataclasses import replace

from starlette.testclient import TestClient

from swapflow.domain.reviewing.score import Answer
from swapflow.engine.offers.announcement_wording import usual_wording
from swapflow.identity.permissions import Role
from tests.web.site import SITE_RULES, Site


OFFERS = "/decide/fall/offers"
LETTERS = "/decide/fall/letters"


def ended(site: Site, *, signatures: int = 1, complete: bool = True) -> str:
    """A cycle whose asking has ended, with scores of everybody or, incomplete, of a few."""
    recipe = f"ended {signatures} {complete}"
    site.filled(recipe, lambda: _end(site, signatures, complete=complete))
    return "/decide/fall"


def _end(site: Site, signatures: int, *, complete: bool) -> None:
    site.launched("fall", rules=replace(SITE_RULES, signatures=signatures))
    for known in site.product.reviewers.list("fall"):
        waiting = site.product.tasks.inbox("fall", known.external_id)
        for n, task in enumerate(waiting if complete else waiting[:1]):
            marks: dict[str, float | None] = {"Preparation": 1.0 + n % 4, "Promise": 2.0}
            site.product.tasks.submit(
                [Answer(assignment_id=task.id, marks=marks, remark="a remark")]
            )
    site.product.cycles.stop("fall", by="ops", reason="enough")


def chair(site: Site, name: str = "chair") -> TestClient:
    return site.signed_in(Role.CHAIR, email=f"{name}@example.org")


def digest(client: TestClient) -> str:
    found = re.search(r'name="digest" value="(\w+)"', client.get("/decide/fall").text)
    assert found is not None
    return found[1]


def sign(client: TestClient) -> int:
    return client.post("/decide/fall/sign", data={"digest": digest(client)}).status_code


def fixed(site: Site) -> TestClient:
    """A list that is signed, and the browser of the person who signed it."""
    path = ended(site)
    client = chair(site)
    client.post(f"{path}/prepare")
    sign(client)
    return client


def shown(client: TestClient) -> str:
    """Return what the page says is next, as its form sends it."""
    found = re.search(r'name="seen" value="([\d,]*)"', client.get(OFFERS).text)
    assert found is not None
    return found[1]


def offered(client: TestClient, **more: str) -> int:
    return client.post(f"{OFFERS}/make", data={"seen": shown(client), **more}).status_code


def offers_out(site: Site) -> TestClient:
    client = fixed(site)
    assert offered(client, until="2090-05-01") == 303
    return client


def typed(**changes: str) -> dict[str, str]:
    """What the form holds when nobody has changed a word."""
    names = ("offered", "waitlisted", "declined")
    fields = {"waitlist": "", "minutes": "30"}
    for name, words in zip(names, usual_wording().values(), strict=True):
        fields |= {name: "yes", f"{name}_subject": words.subject, f"{name}_text": words.text}
    return fields | changes


def looked(client: TestClient, **changes: str) -> tuple[dict[str, str], str]:
    """Look at the letters; gives the form as it is sent next, and the page."""
    page = client.post(f"{LETTERS}/look", data=typed(**changes))
    assert page.status_code == 200, page.text
    seen = re.search(r'name="seen" value="([0-9a-f:]{64,})"', page.text)
    assert seen is not None
    return typed(**changes) | {"seen": seen[1]}, page.text
