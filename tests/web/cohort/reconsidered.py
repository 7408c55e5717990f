"""Reconsiderations of a fixed list, opened at the screen and answered by fresh reviewers."""

from starlette.testclient import TestClient

from swapflow.domain.cohort.proposal import Verdict
from swapflow.domain.reviewing.score import Answer
from tests.engine.cycle_by_hand import reviewer
from tests.web.cohort.fixed_cohorts import chair, ended, sign
from tests.web.site import Site


PATH = "/decide/fall/reconsiderations"
HIGH: dict[str, float | None] = {"Preparation": 4.0, "Promise": 3.0}


def fixed(site: Site) -> tuple[TestClient, int]:
    """A fixed list with two in the reserve; gives the chair's browser and the last who waits."""
    path = ended(site)
    client = chair(site)
    client.post(f"{path}/prepare")
    sign(client)
    site.product.reviewers.import_all(
        "fall", [reviewer(f"S{n}", reserve=True, email=f"s{n}@example.org") for n in (1, 2)]
    )
    outcomes = site.product.cohort.outcomes("fall", 1)
    waiting = {o.application for o in outcomes if o.verdict is Verdict.WAITLISTED}
    _, places, _ = site.product.cohort.proposals("fall")[0]
    return client, [p.application for p in places if p.application in waiting][-1]


def name_of(site: Site, number: int) -> str:
    return site.product.applicants.get("fall", number).external_id


def opened(site: Site, client: TestClient, number: int, **more: str) -> int:
    form = {
        "applicant": name_of(site, number),
        "reason": "a reviewer had the wrong file",
        "asked_by": "the applicant",
        "asked_on": "2027-05-04",
        "reviews": "2",
        "kind": "review",
    }
    status = client.post(f"{PATH}/open", data=form | more).status_code
    site.turn()
    return status


def answered(site: Site) -> list[str]:
    who = []
    for known in site.product.reviewers.list("fall"):
        for task in site.product.tasks.inbox("fall", known.external_id):
            site.product.tasks.submit([Answer(assignment_id=task.id, marks=HIGH)])
            who.append(known.external_id)
    site.turn()
    return sorted(who)
