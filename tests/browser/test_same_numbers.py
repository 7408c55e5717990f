"""How good a list is, read off the pages and compared with the API and the command."""

import json
import re
import urllib.request
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, expect

from swapflow.cli.cycle_output import progress_json
from swapflow.domain.reviewing.score import Answer
from swapflow.identity.api_keys import make_token
from swapflow.identity.permissions import SCOPES, Role
from tests.browser.office import Deployment
from tests.support.waiting import wait_until


CYCLE, CHAIR = "numbers", "numbers-chair@example.org"
APPLICANTS = 12
SENTENCE = re.compile(
    r"about (?P<loss>[\d.]+) of 100 points a place short of the best possible "
    r"\(90 % range (?P<low>[\d.]+) to (?P<high>[\d.]+)\); about (?P<belong>\d+) of its "
    r"(?P<places>\d+) places? would stay"
)


def test_pages_api_and_command_tell_the_same_numbers_of_a_list(up: Deployment) -> None:
    reviewed(up)
    up.staff(CHAIR, Role.CHAIR, Role.OPERATIONS)
    ask = api(up)
    with up.person(CHAIR) as desk:
        page = desk.new_page()
        page.goto(f"/today/{CYCLE}")
        today = sentence_of(page)
        could_change = int(page.locator("#could-change").inner_text())
        page.goto(f"/decide/{CYCLE}")
        decide = sentence_of(page)
        shown_checks = page.locator("#checks")
        shown_checks.locator("summary").click()
        missing = shown_checks.get_by_text("Without a review that they should have").inner_text()
    progress, proposal = ask("progress"), ask("proposal")
    told = progress_json(up.product.reports.progress(CYCLE))

    assert today == decide == in_words(progress) == in_words(proposal)
    assert in_words(json.loads(json.dumps(told))) == today
    assert could_change == round(progress["could_change"])
    checks = {check["name"]: check for check in proposal["checks"]}
    assert f": {len(checks['floors']['applicants'])}" in missing
    assert checks["limits"]["met"]


def reviewed(up: Deployment) -> None:
    """A program that was ended, with marks that differ, once every review is in its numbers."""
    up.cycle(CYCLE, applicants=APPLICANTS)
    submitted = 0
    for turn in range(2):
        for known in up.product.reviewers.list(CYCLE):
            for place, task in enumerate(up.tasks(CYCLE, known.external_id)[:3]):
                marks: dict[str, float | None] = {
                    "Preparation": float(1 + (place + 2 * turn + known.number) % 4),
                    "Promise": 2.0,
                }
                up.product.tasks.submit(
                    [Answer(assignment_id=task.id, marks=marks, remark="read with care")]
                )
                submitted += 1
    up.product.cycles.stop(CYCLE, by="ops", reason="enough for this year")

    def settled() -> bool:
        """Whether the coordinator has taken in every review, and shows the numbers after it."""
        progress = up.product.reports.progress(CYCLE)
        taken_in = sum(kind.done for kind in progress.kinds)
        shown, _ = up.product.reports.dashboard(CYCLE)
        return (
            taken_in == submitted
            and progress.figures is not None
            and shown.position.seq == up.product.cycles.get(CYCLE).position.seq
        )

    wait_until(settled, what="the pages show the numbers after the last review")


def sentence_of(page: Page) -> dict[str, str]:
    """Read the sentence about the list."""
    quality = page.locator("#quality")
    expect(quality).to_contain_text("points a place")
    found = SENTENCE.search(quality.inner_text())
    assert found, quality.inner_text()
    return found.groupdict()


def in_words(numbers: dict[str, Any]) -> dict[str, str]:
    """Round numbers of the API as the sentence rounds them."""
    low, high = numbers["expected_loss_points_range"]
    places = round(numbers["could_change"] + numbers["belong"])
    return {
        "loss": f"{numbers['expected_loss_points']:.1f}",
        "low": f"{low:.1f}",
        "high": f"{high:.1f}",
        "belong": f"{numbers['belong']:.0f}",
        "places": f"{places}",
    }


def api(up: Deployment) -> Callable[[str], dict[str, Any]]:
    """Return what reads the API of this program, under a chair's key."""
    account = up.office.users.get(CHAIR)
    key, _ = make_token(
        account,
        name="a program",
        scopes=tuple(SCOPES),
        days=30,
        ledger=up.office.context.ledger,
    )

    def read(path: str) -> dict[str, Any]:
        asked = urllib.request.Request(
            f"{up.settings.address}/api/v1/cycles/{CYCLE}/{path}",
            headers={"Authorization": f"Bearer {key}"},
        )
        with urllib.request.urlopen(asked, timeout=60) as answer:
            return dict(json.load(answer))

    return read
