"""A visitor tries a spreadsheet: found on the sign-in page, read, looked at, taken along."""

import pytest
from playwright.sync_api import FilePayload, Page, expect

from tests.browser.axe import RUN, SHADES, TAGS, WIDER
from tests.browser.office import AXE, Deployment
from tests.browser.places import try_sheet


def looked_at(page: Page) -> list[str]:
    """Return what is wrong with a page, light and dark."""
    page.evaluate(f"() => {{ {AXE.read_text(encoding='utf-8')}; }}")
    wrong = []
    for shade in SHADES:
        page.emulate_media(color_scheme=shade)
        wrong += page.evaluate(RUN, {"type": "tag", "values": TAGS})
    page.emulate_media(color_scheme="light")
    if over := page.evaluate(WIDER):
        wrong.append(f"{over} pixels too wide")
    return wrong


@pytest.mark.parametrize("width", [360, 1280])
def test_a_visitor_tries_a_spreadsheet_and_takes_the_answer_along(
    up: Deployment, width: int
) -> None:
    with up.person(width=width) as context, up.person() as elsewhere:
        page = context.new_page()
        page.goto("/sign-in")
        page.get_by_role("link", name="Try it with a spreadsheet").click()
        expect(page.get_by_label("File with marks")).to_be_visible()
        assert looked_at(page) == []

        try_sheet(page)

        expect(page.get_by_role("heading", level=1)).to_have_text("Ask for these 10 reviews next")
        page.locator("summary").first.click()
        assert looked_at(page) == []
        expect(page.get_by_role("cell", name="mark, 0 to 100")).to_be_visible()
        with page.expect_download() as downloading:
            page.get_by_role("link", name="Download the 10 reviews to ask for").click()
        assert downloading.value.suggested_filename == "next.xlsx"
        with page.expect_download() as downloading:
            page.get_by_role("link", name="Download the report").click()
        assert downloading.value.path().read_text("utf-8").startswith("<!DOCTYPE html>")
        # A request for each: whichever of the web processes takes it has the answer.
        for _ in range(6):
            answer = elsewhere.request.get(page.url)
            assert answer.status == 200
            assert answer.headers["content-security-policy"].startswith("default-src 'self'")


@pytest.mark.parametrize("width", [360, 1280])
def test_a_visitor_says_what_the_columns_are_without_script(up: Deployment, width: int) -> None:
    rows = [f"Person {n},{('Ana', 'Ben')[n % 2]},{n * 37 % 90}" for n in range(30)]
    file: FilePayload = {
        "name": "folder.csv",
        "mimeType": "text/csv",
        "buffer": "\n".join(["Folder,Desk,Value", *rows]).encode(),
    }
    with up.person(width=width, scripts=False) as plain, up.person(width=width) as scripted:
        page = plain.new_page()
        page.goto("/try")
        page.locator("[name=places]").fill("8")
        page.locator("input[type=file]").set_input_files(file)
        page.get_by_role("button", name="Read the file").click()
        expect(page.get_by_text("there is no column for the applicant").first).to_be_visible()

        for header, role in (("Folder", "applicant"), ("Desk", "reviewer"), ("Value", "mark")):
            page.get_by_label(header, exact=True).select_option(role)
        page.locator("[name=scale]").fill("0..100")
        page.locator("input[type=file]").set_input_files(file)
        page.get_by_role("button", name="Read the file").click()

        expect(page.get_by_role("heading", level=1)).to_contain_text("Ask for")
        looked = scripted.new_page()
        looked.goto(page.url + "/columns")
        expect(looked.get_by_label("Desk", exact=True)).to_have_value("reviewer")
        assert looked_at(looked) == []


def test_the_form_and_its_answer_need_no_script(up: Deployment) -> None:
    with up.person(scripts=False) as context:
        page = context.new_page()
        page.goto("/try")
        page.locator("[name=places]").fill("8")
        page.get_by_role("button", name="Read the file").click()
        expect(page.locator("#file-problem")).to_have_text("Choose a file first.")

        try_sheet(page)

        expect(page.get_by_role("heading", level=1)).to_have_text("Ask for these 10 reviews next")
