"""From an empty office to a launched program: nine fields at most, on two screens."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from swapflow.identity.permissions import Role
from tests.browser.office import Deployment, follow, wait_for
from tests.engine.cycle_by_hand import applicants, reviewers
from tests.support.waiting import wait_until
from tests.walks.jobs import MOST, launch


SCREEN = {"width": 1440, "height": 900}
EVERY_KIND: dict[str, int | None] = {"review": None, "interview": None}


def test_a_program_is_launched_from_nothing_with_nine_fields_at_most(
    up: Deployment, tmp_path: Path
) -> None:
    assert launch(up, tmp_path)["fields"] <= MOST["launch"]["fields"]


@pytest.mark.parametrize("count", [60, 1000])
def test_the_five_questions_and_their_forecast_fit_on_two_screens(
    up: Deployment, count: int
) -> None:
    address = f"questions-{count}@example.org"
    up.staff(address, Role.ADMINISTRATOR, Role.OPERATIONS)
    cycle = f"questions-{count}"
    with up.person(address) as desk:
        page = desk.new_page()
        page.set_viewport_size(SCREEN)  # type: ignore[arg-type]  # its own type of a dictionary
        page.goto("/setup")
        made = page.request.post(
            "/setup/programs",
            form={"id": cycle, "name": cycle, "new_round": cycle, "template": "admissions"},
            headers={"Origin": up.settings.address},
        )
        assert made.ok, made.text()
        up.product.applicants.import_all(cycle, applicants(count))
        up.product.reviewers.import_all(cycle, reviewers(10, capacity=EVERY_KIND))
        page.goto(f"/setup/{cycle}/questions")
        page.locator("[name='hours']").fill(str(count))
        expect(page.locator("#forecast .huge")).to_contain_text("%")

        assert height(page) <= 2 * SCREEN["height"]


def test_an_answer_that_was_typed_before_the_script_has_come_is_in_the_forecast(
    up: Deployment,
) -> None:
    address, cycle = "early-questions@example.org", "early-questions"
    up.staff(address, Role.ADMINISTRATOR, Role.OPERATIONS)
    up.cycle(cycle, applicants=30, launch=False)
    with up.person(address) as desk:
        page = desk.new_page()
        held: list[Route] = []

        def hold(route: Route) -> None:
            held.append(route)

        page.route("**/launch.js*", hold)
        page.goto(f"/setup/{cycle}/questions", wait_until="commit")
        page.locator("[name='hours']").fill("3")
        wait_for(page, held)
        with page.expect_response("**/questions/forecast") as asked:
            held[0].continue_()

        assert "hours=3" in (asked.value.request.post_data or "")


def test_the_forecast_is_there_without_a_script(up: Deployment) -> None:
    address = "unscripted@example.org"
    up.staff(address, Role.ADMINISTRATOR, Role.OPERATIONS)
    with up.person(address, scripts=False, width=360) as phone:
        page = phone.new_page()
        page.goto("/setup")
        page.request.post(
            "/setup/programs",
            form={
                "id": "unscripted",
                "name": "unscripted",
                "new_round": "unscripted",
                "template": "hiring",
            },
            headers={"Origin": up.settings.address},
        )
        up.product.applicants.import_all("unscripted", applicants(50))
        kinds = [kind.name for kind in up.product.cycles.rules("unscripted").kinds]
        up.product.reviewers.import_all("unscripted", reviewers(8, capacity=dict.fromkeys(kinds)))
        page.goto("/setup/unscripted/questions")
        page.locator("[name='hours']").fill("120")

        def is_forecast() -> bool:
            follow(page.get_by_role("button", name="Update forecast"))
            return bool(page.locator("#forecast .huge").count())

        wait_until(is_forecast, what="the forecast is calculated")
        expect(page.locator("#forecast .huge")).to_contain_text("%")
        expect(page.locator("[name='hours']")).to_have_value("120")
        assert page.evaluate("document.documentElement.scrollWidth") <= 360


def height(page: Page) -> int:
    return int(page.evaluate("document.documentElement.scrollHeight"))
