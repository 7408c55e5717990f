"""The board to decide on: its length, its keys, and how few acts a meeting of sixteen takes."""

from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from swapflow.domain.cohort.meeting import Shown, Word, ZoneSide
from swapflow.domain.cohort.proposal import Place, Standing
from swapflow.web.cohort.board import NEAR
from tests.browser.axe import RUN, TAGS
from tests.browser.office import AXE, DESK, PHONE, Deployment, follow
from tests.walks.jobs import BOARD_CHAIR, MOST, ended, sixteen


SCREEN = 900
"""Pixels of a screen's height; the board takes two at most."""

ROW, FOLD = 36, 30
"""Pixels of a row, and of the line below those that are folded."""


@pytest.mark.parametrize("applicants", [60, 1000])
def test_the_board_takes_two_screens_at_most(
    up: Deployment, applicants: int, tmp_path: Path
) -> None:
    path = ended(up, f"board{applicants}", applicants=applicants, places=12, answered=4)
    with up.person(BOARD_CHAIR, width=1440) as desk:
        page = desk.new_page()
        page.set_viewport_size({"width": 1440, "height": SCREEN})
        for opened in (False, True):
            page.goto(path)
            page.screenshot(path=tmp_path / f"board-{applicants}-{opened}.png", full_page=True)
            height = page.evaluate("document.documentElement.scrollHeight")
            # As if every part had all the rows that are not folded, and a fold beside them.
            rows, folds = page.locator("tr.cand").count(), page.locator("tr.fold").count()
            height += (sum(NEAR.values()) - rows) * ROW + (len(NEAR) - folds) * FOLD
            print(f"Decide with {applicants} applicants: {height} pixels")
            assert height <= 2 * SCREEN
            if not opened:
                follow(page.get_by_role("button", name="Open the meeting"))
        # The folded rows are a link away.
        page.goto(f"{path}?all=yes")
        expect(page.locator("tr.cand")).to_have_count(applicants)


def test_a_meeting_of_sixteen_with_four_changes_takes_few_acts_and_opens_every_file(
    up: Deployment, tmp_path: Path
) -> None:
    assert sixteen(up, tmp_path)["acts"] <= MOST["meeting_16"]["acts"]


def test_rows_are_decided_by_keys_and_together_and_zones_have_a_person(up: Deployment) -> None:
    path = ended(up, "keyed-board", applicants=30, places=6, answered=8)
    up.product.meetings.open("keyed-board", by=BOARD_CHAIR)
    agenda = up.product.meetings.agenda("keyed-board")
    one, two, three = [p for p in agenda.close if p.standing is not Standing.COHORT][:3]
    with up.person(BOARD_CHAIR, width=DESK) as desk:
        page = desk.new_page()
        page.goto(f"{path}#r-{one.application}")
        page.keyboard.press("w")
        expect(row(page, one).locator("[aria-pressed=true]")).to_contain_text("Waitlist")
        page.locator(f"#r-{two.application} input[name=tick]").focus()
        page.keyboard.press("j")
        row(page, two).get_by_role("checkbox").check()
        row(page, three).get_by_role("checkbox").check()
        expect(page.locator("#together")).to_contain_text("2 selected")
        page.locator("#together").get_by_role("button", name="Out", exact=True).click()
        expect(page.locator("#why-problem")).to_be_visible()
        page.get_by_label("Reason", exact=True).fill("no supervisor is free")
        page.locator("#together").get_by_role("button", name="Out", exact=True).click()
        expect(row(page, two)).to_contain_text("decided together, 2")
        expect(row(page, three)).to_contain_text("decided together, 2")
        # In a field, and once they are off, keys are letters.
        page.get_by_label("Reason", exact=True).press_sequentially("wio")
        expect(page.get_by_label("Reason", exact=True)).to_have_value("wio")
        page.get_by_role("button", name="Keys off").click()
        page.goto(f"{path}?show=close#r-{one.application}")
        page.keyboard.press("o")
        expect(row(page, one).locator("[aria-pressed=true]")).to_contain_text("Waitlist")
        for zone in ZoneSide:
            if up.product.meetings.agenda("keyed-board").unsaid(zone):
                take_on(page, path, zone)
    words = up.product.meetings.agenda("keyed-board").words
    assert [words[p.application].word for p in (one, two, three)] == ["waitlist", "out", "out"]


def take_on(page: Page, path: str, zone: ZoneSide) -> None:
    page.goto(path)
    follow(page.locator(f"#zone-{zone.value} .by a"))
    button = page.locator(f"form[action='{path}/zones/{zone.value}'] button")
    button.click()
    expect(page.get_by_role("alert")).to_contain_text("looked at this list")
    page.locator("input[name=looked]").check()
    button.click()
    expect(page.locator(f"#zone-{zone.value}")).to_contain_text(f"Confirmed by {BOARD_CHAIR}")


def row(page: Page, place: Place) -> Locator:
    return page.locator(f"#r-{place.application}")


def test_board_zone_and_wall_are_for_everyone_at_both_widths_light_and_dark(
    up: Deployment, tmp_path: Path
) -> None:
    path = ended(up, "pictured", applicants=40, places=12, answered=10)
    up.product.meetings.open("pictured", by=BOARD_CHAIR)
    agenda = up.product.meetings.agenda("pictured")
    first, second, *_ = agenda.close
    for what in Shown:
        up.product.meetings.look("pictured", first.application, what, by=BOARD_CHAIR, seat=None)
    up.product.meetings.record(
        "pictured", second.application, Word.OUT, reason="no supervisor", by=BOARD_CHAIR, seat=None
    )
    pages = {
        "board": path,
        "zone": f"{path}/zones/out",
        "wall": f"{path}/meeting",
        "person": f"{path}/meeting/{second.application}",
        "file": f"{path}/meeting/{first.application}?shown=true&file=yes&estimate=yes",
    }
    found, axe = {}, AXE.read_text("utf-8")
    for width in (PHONE, DESK):
        for dark in (False, True):
            with up.person(BOARD_CHAIR, width=width, dark=dark) as context:
                page = context.new_page()
                for name, address in pages.items():
                    page.goto(address)
                    kind = f"{name}-{width}-{'dark' if dark else 'light'}"
                    page.screenshot(path=tmp_path / f"{kind}.png", full_page=True)
                    assert page.evaluate("document.documentElement.scrollWidth") <= width, kind
                    page.evaluate(f"() => {{ {axe}; }}")
                    if problems := page.evaluate(RUN, TAGS):
                        found[kind] = problems
    assert found == {}
