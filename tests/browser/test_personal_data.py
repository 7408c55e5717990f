"""A copy of a person's data is a file that the browser stores, beside the table as on its page."""

import zipfile

from playwright.sync_api import Page, expect

from swapflow.engine.reviewing.documents import DocumentUpload
from swapflow.identity.permissions import Role
from tests.browser.office import Deployment


LETTER = b"the candid words of Professor Quine"


def taken(page: Page, button: str) -> tuple[str, bool]:
    """Press a button that takes a copy; returns the file's name, and whether the letter is in."""
    with page.expect_download() as download:
        page.get_by_role("button", name=button).click()
    with zipfile.ZipFile(download.value.path()) as archive:
        letter = any(archive.read(name) == LETTER for name in archive.namelist())
    return download.value.suggested_filename, letter


def test_a_copy_is_stored_as_a_file_and_the_panel_stays_open(up: Deployment) -> None:
    up.cycle("copied")
    first = up.product.applicants.list("copied")[0]
    paper = DocumentUpload(path=f"{first.external_id}_letter_confidential.txt", body=LETTER)
    up.product.applicants.attach_documents("copied", [paper], redacted=True)
    boss = up.staff("copies@example.org", Role.ADMINISTRATOR)

    with up.person(boss) as person:
        page = person.new_page()
        page.goto("/applicants/copied")
        page.locator(f'tr[data-number="{first.number}"] .nm a').click()
        panel = page.locator(f'#beside [data-number="{first.number}"]')
        expect(panel.get_by_role("button", name="confidential items too")).to_be_visible()
        beside = [taken(page, "Take the applicant's own copy"), taken(page, "Take everything")]
        expect(panel).to_be_visible()
        page.goto("/reviewers/copied/0")
        of_reviewer, _ = taken(page, "Take the reviewer's copy")

    number = first.number
    assert beside == [
        (f"copied-{number}-own-copy.zip", False),
        (f"copied-{number}-everything.zip", True),
    ]
    assert of_reviewer == "copied-reviewer-0-copy.zip"
