"""The reports of plan and replay, opened as files: light, dark, phone, desk and paper."""

from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser

from swapflow.engine.lifecycle.launch_preview import Preview
from swapflow.files.exports.html_page import write
from swapflow.planning.plan import Zone
from swapflow.planning.plan_report import page as plan_page
from swapflow.planning.replay_report import page as replay_page
from swapflow.simulation.replay import Options
from tests.browser.axe import RUN, SHADES, TAGS, WIDER
from tests.browser.office import AXE, DESK, PHONE
from tests.planning.plans import SAME, planned, replayed


pytestmark = pytest.mark.browser

NOTHING = Preview(
    applicants=40,
    incomplete=0,
    places=5,
    reviewers=8,
    unit="minutes",
    budget=4000,
    reserve=200,
    floors=1400,
    for_draw=0,
    rest=2400,
    kinds=(),
    days=30.0,
    warnings=("there is no deadline",),
    obstacles=(),
)


@pytest.fixture(scope="module", params=["plan", "replay"])
def report(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("reports") / f"{request.param}.html"
    if request.param == "replay":
        options = Options(cohort=150, budget=2.0)
        folder = Path("last year")
        write(path, replay_page(replayed(), options, folder=folder, items=1600, command="made"))
        return path
    plan = planned(SAME, SAME, SAME)
    zone = Zone(
        kind="interview",
        gains=(1.0, 6.0),
        costs=(1.0, 6.0),
        won=((0.0, 0.2), (-0.2, 0.05)),
        error=((0.1, 0.01), (0.01, 0.1)),
    )
    made = plan_page(
        replace(plan, zone=zone),
        NOTHING,
        title="round.toml",
        assumed=("usual days",),
        start=None,
        command="made",
    )
    write(path, made)
    return path


@pytest.mark.parametrize("shade", SHADES)
@pytest.mark.parametrize("width", [PHONE, DESK])
def test_a_report_is_readable_by_all_and_asks_nobody_for_anything(
    report: Path, width: int, shade: Literal["light", "dark"], browser: Browser
) -> None:
    page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=shade)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(report.as_uri())
    page.evaluate(f"() => {{ {AXE.read_text(encoding='utf-8')}; }}")

    assert page.evaluate(RUN, TAGS) == []
    assert page.evaluate(WIDER) == 0
    assert asked == [report.as_uri()]
    page.close()


def test_no_label_of_a_picture_is_cut_off(report: Path, browser: Browser) -> None:
    page = browser.new_page(viewport={"width": DESK, "height": 800})
    page.goto(report.as_uri())

    outside = page.evaluate(
        """() => [...document.querySelectorAll("svg text")].filter(t => {
          const box = t.getBoundingClientRect();
          const frame = t.ownerSVGElement.getBoundingClientRect();
          return box.left < frame.left - 1 || box.right > frame.right + 1;
        }).map(t => t.textContent)"""
    )

    assert outside == []
    page.close()
