"""From an empty office to a launched program: nine fields at most, on two screens."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from swapflow.domain.cycle import CycleStatus
from swapflow.identity.permissions import Role
from tests.browser.office import Deployment
from tests.engine.cycle_by_hand import applicants, reviewers


MOST_FIELDS = 9
SCREEN = {"width": 1440, "height": 900}
EVERY_KIND: dict[str, int | None] = {"review": None, "interview": None}


def test_a_program_is_launched_from_nothing_with_nine_fields_at_most(
    up: Deployment, tmp_path: Path
) -> None:
    up.staff("launcher@example.org", Role.ADMINISTRATOR, Role.OPERATIONS)
    people = tmp_path / "applicants.csv"
    people.write_text("id,statement\n" + "".join(f"L{n:02},Text {n}\n" for n in range(40)))
    roster = tmp_path / "reviewers.csv"
    roster.write_text("id,email\n" + "".join(f"v{n},v{n}@example.org\n" for n in range(6)))
    fields = 0

    with up.person("launcher@example.org") as desk:
        page = desk.new_page()
        page.goto("/setup")
        opened = page.locator("details", has=page.locator("#p-name"))
        if opened.get_attribute("open") is None:
            opened.locator("summary").first.click()
        page.get_by_label("Name", exact=True).fill("MSc Launch")
        round_ = page.get_by_label("Round", exact=True)
        if round_.count():
            round_.select_option("+")
        page.get_by_label("Name of the new round").fill("Autumn 2027")
        page.get_by_label("Start from").select_option("admissions")
        fields += 3
        page.get_by_role("button", name="Make the program").click()
        for path, file in (("applicants", people), ("reviewers", roster)):
            page.goto(f"/setup/msc-launch/{path}")
            page.locator("input[type=file]").first.set_input_files(file)
            fields += 1
            page.get_by_role("button", name="Look at the file").click()
            page.locator("main form button.primary").first.click()
            expect(page.locator("#told, .notice.good").first).to_be_visible()

        page.goto("/setup/msc-launch/questions")
        for name, value in (
            ("places.0.number", "8"),
            ("hours", "60"),
            ("deadline", "2099-02-01T12:00"),
        ):
            page.locator(f"[name='{name}']").fill(value)
            fields += 1
        page.get_by_text("No one", exact=True).click()
        fields += 1
        expect(page.locator("#forecast .huge")).to_contain_text("%", timeout=60_000)
        page.get_by_role("button", name="Store and go on to the launch").click()
        page.get_by_role("checkbox").check()
        page.get_by_role("button", name="Launch MSc Launch").click()
        expect(page.get_by_text("The program is launched")).to_be_visible()

    assert up.product.cycles.get("msc-launch").status is CycleStatus.RUNNING
    rules = up.product.cycles.rules("msc-launch")
    assert (rules.cohort_size, rules.budget, rules.kinds[1].total) == (8, 3600, 0)
    assert fields <= MOST_FIELDS


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
        expect(page.locator("#forecast .huge")).to_contain_text("%", timeout=60_000)

        assert height(page) <= 2 * SCREEN["height"]


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
        for _ in range(20):
            page.get_by_role("button", name="Update forecast").click()
            if page.locator("#forecast .huge").count():
                break
        expect(page.locator("#forecast .huge")).to_contain_text("%")
        assert page.locator("[name='hours']").input_value() == "120"
        assert page.evaluate("document.documentElement.scrollWidth") <= 360


def height(page: Page) -> int:
    return int(page.evaluate("document.documentElement.scrollHeight"))
