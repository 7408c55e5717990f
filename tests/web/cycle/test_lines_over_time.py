"""Lines that the server draws: axes of the program's zone, and what a page shows of them."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from swapflow.domain.reviewing.score import Answer
from swapflow.identity.permissions import Role
from swapflow.web.cycle.today.over_time import (
    draw_by_decision,
    draw_over_time,
    moments_between,
)
from tests.web.everyone import busy
from tests.web.site import SITE_RULES, Site


BERLIN = "Europe/Berlin"
LOOKS = {"left": "left", "spent": "spent"}


def rows(*at: datetime) -> list[dict[str, object]]:
    return [{"at": one, "left": 100 - 10 * i, "spent": 10 * i} for i, one in enumerate(at)]


def test_days_begin_at_midnight_of_the_programs_zone() -> None:
    first = datetime(2026, 12, 10, 12, tzinfo=UTC)
    found = moments_between(first, first + timedelta(days=5), BERLIN, most=6)

    assert [at.astimezone(UTC).hour for at, _ in found] == [23] * 5
    assert found[0][1] == "Fri 11 Dec"
    # Midnight in Honolulu lies ten hours after midnight in Greenwich.
    there = moments_between(first, first + timedelta(days=5), "Pacific/Honolulu", most=6)
    assert {at.astimezone(UTC).hour for at, _ in there} == {10}


def test_a_day_of_23_hours_is_one_day() -> None:
    first = datetime(2027, 3, 26, 22, tzinfo=UTC)
    found = moments_between(first, first + timedelta(days=4), BERLIN, most=6)

    hours = [at.astimezone(UTC).strftime("%d %H") for at, _ in found]
    assert hours == ["26 23", "27 23", "28 22", "29 22", "30 22"]


@pytest.mark.parametrize(
    ("length", "label"),
    [
        (timedelta(minutes=4), "15:01"),
        (timedelta(hours=5), "16:00"),
        (timedelta(days=3), "Fri 11 Dec"),
        (timedelta(days=60), "Mon 21 Dec"),
        (timedelta(days=900), "Mon 7 Jun"),
    ],
)
def test_moments_are_few_and_round_for_every_length(length: timedelta, label: str) -> None:
    first = datetime(2026, 12, 10, 14, 0, 30, tzinfo=UTC)
    found = moments_between(first, first + length, BERLIN, most=6)

    assert 2 <= len(found) <= 6
    assert all(first <= at <= first + length for at, _ in found)
    assert label in {said for _, said in found}


def test_lines_lie_between_the_axes_and_reach_both_ends() -> None:
    begin = datetime(2026, 12, 10, 14, tzinfo=UTC)
    told = rows(begin, begin + timedelta(days=1), begin + timedelta(days=4))
    drawn = draw_over_time(told, LOOKS, zone=BERLIN, width=900, height=300)

    assert drawn is not None
    left, spent = drawn.lines
    points = [[float(n) for n in one.split(",")] for one in left.points.split()]
    assert (points[0][0], points[-1][0]) == (drawn.left, drawn.right)
    # A quarter of the time on a quarter of the way.
    assert points[1][0] == pytest.approx(drawn.left + (drawn.right - drawn.left) / 4, abs=0.1)
    assert points[0][1] == drawn.top
    assert spent.last[1] < drawn.floor
    ends = {label: y for y, label in drawn.across}
    assert (ends["0"], ends["100"]) == (drawn.floor, drawn.top)


def test_one_moment_is_no_line_and_neither_is_one_decision() -> None:
    at = datetime(2026, 12, 10, 14, tzinfo=UTC)

    assert draw_over_time(rows(at), LOOKS, zone=BERLIN, width=900, height=300) is None
    assert draw_over_time(rows(at, at), LOOKS, zone=BERLIN, width=900, height=300) is None
    known = [{"number": n, "could_change": None if n < 3 else 2.0} for n in (1, 2, 3)]
    assert draw_by_decision(known, "could_change", "left", width=420, height=210) is None
    known.append({"number": 4, "could_change": 1.0})
    drawn = draw_by_decision(known, "could_change", "left", width=420, height=210)
    assert drawn is not None
    assert [label for _, label in drawn.along] == ["3", "4"]


def test_the_page_draws_all_but_the_chart_in_which_people_zoom(site: Site) -> None:
    busy(site)
    page = site.signed_in(Role.OPERATIONS).get("/today/fall/evidence").text

    charts = dict(re.findall(r'id="chart-(\w+)"([^>]*)>', page))
    assert set(charts) == {"intervals", "steps", "budget", "load"}
    assert 'class="lines wide"' in page
    assert 'class="lines narrow"' in page
    assert "UTC time" in page
    assert "style=" not in page
    for name, more in charts.items():
        label = re.search(r'aria-label="([^"]{20,})"', more)
        assert label, name


def test_a_program_with_its_own_zone_says_so_under_the_chart(site: Site) -> None:
    site.launched("berlin", rules=replace(SITE_RULES, zone=BERLIN))
    task, *_ = site.product.tasks.inbox("berlin", "R1")
    answer = Answer(assignment_id=task.id, marks={"Preparation": 3.0, "Promise": 2.0})
    site.later(3600)
    site.product.tasks.submit([answer])
    site.turn()
    page = site.signed_in(Role.OPERATIONS).get("/today/berlin/evidence").text

    assert "; Berlin time." in page
