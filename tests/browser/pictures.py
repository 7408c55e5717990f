"""The pictures of the README: four pages that people see most, light and reduced."""

import csv
import io
from datetime import date
from pathlib import Path

import numpy as np
from PIL import Image
from playwright.sync_api import Page

from swapflow.advice.advise import AdviceQuestion, MarksSource, advise
from swapflow.advice.report import page as report_page
from swapflow.domain.reviewing.mark_scale import MarkScale
from swapflow.files.exports.html_page import write
from swapflow.files.marks.mark import HowToRead
from tests.browser.office import DESK, PHONE, Deployment, settle, show_form
from tests.browser.shown_program import CHAIR, OFFICER, SHOWN


FOLDER = Path("docs/pictures")
COLOURS = 48
"""Colours of a picture: pages have few, and a file of a third of the size looks the same."""


def picture_near_the_cut(up: Deployment) -> None:
    """Take a review on a phone and what waits for the office, while reviews come in."""
    task = next(task for number in range(1, 11) for task in up.tasks(SHOWN, f"R{number}"))
    reader = next(
        known.email for known in up.product.reviewers.list(SHOWN) if known.number == task.reviewer
    )
    with up.person(reader, width=PHONE) as context:
        page = context.new_page()
        page.goto(f"/tasks/{up.product.tasks.code(task.id)}")
        show_form(page)
        _take(page, "review-on-a-phone")
    with up.person(OFFICER) as context:
        page = context.new_page()
        page.goto("/")
        _take(page, "to-do")


def picture_before_the_committee(up: Deployment, data: Path) -> None:
    """Take the board to decide on, and the report of an advice.

    Args:
        up: The deployment.
        data: Where the advice's table may lie meanwhile.
    """
    with up.person(CHAIR) as context:
        page = context.new_page()
        page.goto(f"/decide/{SHOWN}")
        _take(page, "decide")
    with up.person(width=DESK) as context:
        page = context.new_page()
        page.set_content(_report(data / "marks.csv"))
        _take(page, "advice")


def _take(page: Page, name: str) -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    settle(page)
    shot = Image.open(io.BytesIO(page.screenshot()))
    shot.convert("RGB").quantize(COLOURS).save(FOLDER / f"{name}.png", optimize=True)


def _report(file: Path) -> str:
    """Return the report about invented marks: 120 applicants, 3 marks each, by 9 reviewers."""
    rng = np.random.default_rng(7)
    with file.open("w", encoding="utf-8", newline="") as opened:
        writer = csv.writer(opened)
        writer.writerow(("applicant", "reviewer", "mark"))
        for number, merit in enumerate(rng.normal(6, 1.2, 120), start=1):
            for reader in rng.choice(9, 3, replace=False):
                mark = round(float(np.clip(rng.normal(merit, 1.2), 1, 10)))
                writer.writerow((f"A{number:03d}", f"Reviewer {reader + 1}", mark))
    question = AdviceQuestion(
        marks=(MarksSource(source=file, name="marks.csv"),),
        places=20,
        reviews=30,
        how=HowToRead(scales={"": MarkScale(worst=1.0, best=10.0)}),
        on=date(2027, 1, 19),
    )
    command = "swapflow advise marks.csv --places 20 --reviews 30 --scale 1..10"
    written = file.with_suffix(".html")
    write(written, report_page(advise(question), command=command))
    return written.read_text("utf-8")
