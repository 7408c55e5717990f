"""The pages: whole in themselves, plain words first, nothing that a file says becomes markup."""

import re
from itertools import pairwise
from pathlib import Path

import pytest

from swapflow.domain.rules import RuleName
from swapflow.errors import InvalidInputError
from swapflow.files.exports.html_page import Point, ReportPage, ReportSection, render, write
from swapflow.files.exports.svg_charts import NARROW, Bar, Dot, Square, bars, dots, squares
from swapflow.planning.replay_report import page as replay_page
from swapflow.simulation.replay import Options
from tests.planning.plans import replayed


JARGON = re.compile(
    r"\b(arms?|pulls?|oracles?|rivals?|ledger|lockstep)\b|[σδε]|best applicants|\bfair\b|unbiased"
)


def page(folder: str = "last year") -> str:
    options = Options(cohort=150, budget=2.0, rule=RuleName.BUDGET)
    return render(
        replay_page(replayed(), options, folder=Path(folder), items=1600, command="swapflow …")
    )


def test_the_page_needs_nothing_from_elsewhere_and_runs_nothing() -> None:
    text = page()

    addresses = set(re.findall(r"https?://[^\s\"'<>]+", text))
    assert addresses == {"http://www.w3.org/2000/svg"}
    assert "<script" not in text
    assert "url(" not in text
    assert not re.search(r"\son\w+=", text)


def test_plain_words_stand_before_the_advanced_part() -> None:
    plain, advanced = page().split('<h2 id="advanced">', maxsplit=1)
    words = re.sub(r"<style>.*?</style>|<[^>]+>", " ", plain, flags=re.DOTALL)

    assert JARGON.search(words) is None
    assert "δ" in advanced


def test_the_figures_of_the_replay_stand_in_the_page() -> None:
    text = page()

    for figure in ("95.0 %", "90.3 %", "93.1 %", "+4.7 %", "3,200", "81 %", "2,696 reviews"):
        assert figure in text


def test_a_name_with_markup_in_it_is_shown_and_not_obeyed() -> None:
    text = page('<img src=x onerror="alert(1)">')

    assert "<img" not in text
    assert "&lt;img" in text


def test_commands_are_set_as_code_and_the_rest_is_escaped() -> None:
    section = ReportSection(
        title="T", points=(Point(title="<b>", text="try `swapflow plan` & see"),)
    )
    text = render(
        ReportPage(title="T", lead=(), keys=(), sections=(section,), advanced=(), foot="made")
    )

    assert "try <code>swapflow plan</code> &amp; see" in text
    assert "<b>" not in text.replace("<body>", "")


def test_headings_come_in_order_with_one_at_the_top() -> None:
    levels = [int(level) for level in re.findall(r"<h([1-6])", page())]

    assert levels.count(1) == 1
    assert levels[0] == 1
    assert all(later - earlier <= 1 for earlier, later in pairwise(levels))


def test_a_dot_plot_says_in_words_what_it_shows_and_stays_inside() -> None:
    rows = [
        Dot(label="a <few>", value=50.0, low=float("-inf"), high=float("inf"), text="50 %"),
        Dot(label="b", value=60.0, low=55.0, high=65.0, text="60 %", marked=True),
    ]

    drawn = dots(rows, title="Title", description="a: 50; b: 60", axis="percent", name="x")

    assert "<title" in drawn
    assert "a: 50; b: 60" in drawn
    assert "a &lt;few&gt;" in drawn
    assert "nan" not in drawn
    assert "inf" not in drawn
    places = [float(x) for x in re.findall(r'(?:x1|x2|cx)="([^"]+)"', drawn)]
    assert all(0 <= x <= 760 for x in places)


def test_a_heat_map_writes_its_figures_so_that_colour_says_nothing_alone() -> None:
    drawn = squares(
        [[Square(text="+8*", strength=0.8), Square(text="−3", strength=-0.3)]],
        rows=["costs 1"],
        columns=["2", "4"],
        axes=("cost", "worth"),
        title="Zone",
        description="cost 1, worth 2: +8*",
        name="zone",
    )

    assert "+8*" in drawn
    assert "−3" in drawn
    assert 'class="good"' in drawn
    assert 'class="bad"' in drawn


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    empty = ReportPage(title="T", lead=(), keys=(), sections=(), advanced=(), foot="made")

    with pytest.raises(InvalidInputError, match="cannot be written"):
        write(tmp_path / "no" / "page.html", empty)


def test_a_picture_has_a_form_for_a_phone_with_the_same_words() -> None:
    rows = [Dot(label="1. A17", value=5.0, low=4.0, high=6.0, text="3 in 10", marked=True)]

    picture = dots(rows, title="t", description="d", axis="points", name="plot")

    wide, narrow = picture.split("</svg>")[:2]
    assert 'class="wide"' in wide
    assert f'class="narrow" viewBox="0 0 {NARROW} ' in narrow
    for said in ("1. A17", "3 in 10", "points"):
        assert said in wide
        assert said in narrow
    ids = re.findall(r'id="([^"]+)"', picture)
    assert len(ids) == len(set(ids))


def test_bars_are_no_wider_than_a_phone() -> None:
    rows = [Bar(label=f"after {n} more", value=n, text=str(n)) for n in (3, 2, 1)]

    picture = bars(rows, title="t", description="d", name="loss")

    ends = [
        float(x) + float(width)
        for x, width in re.findall(r'<rect [^>]*x="([\d.]+)"[^>]*width="([\d.]+)"', picture)
    ]
    assert f'viewBox="0 0 {NARROW} ' in picture
    assert 0 < max(ends) <= NARROW
