"""The figures of a monitoring report agree with published ones, and with other programs."""

import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2_contingency, hypergeom

from swapflow.monitoring.adverse_impact import SelectionTally, fisher_p, impacts, pooled_z
from swapflow.monitoring.applicant_rows import ApplicantRow
from swapflow.monitoring.tables import (
    Grouper,
    effort,
    funnel,
    scoring_table,
    selection_table,
)


tallies = st.integers(1, 400).flatmap(
    lambda n: st.integers(0, n).map(lambda k: SelectionTally(all=n, selected=k))
)


WHOLE = Grouper(attributes=("sex",), whole=True)


def person(group: str = "", **changes: object) -> ApplicantRow:
    values: dict[str, object] = {
        "groups": {"sex": group} if group else {},
        "reviews": 1,
        "interviews": 0,
        "waited": (),
        "estimate": 0.5,
        "accepted": False,
    }
    return ApplicantRow(**(values | changes))  # type: ignore[arg-type]  # tests name fields


def people_of(groups: dict[str, tuple[int, int]]) -> list[ApplicantRow]:
    return [
        person(name, accepted=number < selected)
        for name, (count, selected) in groups.items()
        for number in range(count)
    ]


def test_the_worked_example_comes_out_to_four_digits() -> None:
    table = selection_table(
        people_of({"A": (100, 30), "B": (60, 12), "C": (3, 1), "": (7, 2)}), WHOLE
    )
    a, b, c = table.rows
    assert a.is_reference
    assert table.unknown is not None
    assert (table.unknown.all, table.unknown.selected) == (7, 2)
    assert b.tally.rate == pytest.approx(0.2)
    assert b.ratio == pytest.approx(0.6667, abs=5e-5)
    assert b.z == pytest.approx(-1.392, abs=5e-4)
    assert b.p == pytest.approx(0.1958, abs=5e-5)
    assert b.shortfall == pytest.approx(3.75)
    assert b.flipped == pytest.approx(0.7471, abs=5e-5)
    assert b.flags == ("below four fifths",)
    assert c.left_out
    assert c.share == pytest.approx(3 / 163)
    assert c.ratio == pytest.approx(1.1111, abs=5e-5)


def test_fishers_test_gives_the_published_p_of_the_tea_like_table() -> None:
    p = fisher_p(SelectionTally(all=10, selected=1), SelectionTally(all=14, selected=11))
    assert p == pytest.approx(0.002759456, abs=5e-10)


@given(one=tallies, other=tallies)
def test_fishers_p_is_the_sum_of_the_tables_that_are_no_likelier(
    one: SelectionTally, other: SelectionTally
) -> None:
    total, drawn = one.all + other.all, one.selected + other.selected
    chances = hypergeom(total, drawn, one.all)
    here = chances.pmf(one.selected)
    lowest, highest = max(0, drawn - other.all), min(one.all, drawn)
    likely = chances.pmf(range(lowest, highest + 1))
    expected = math.fsum(likely[likely <= here * (1 + 1e-7)])
    assert fisher_p(one, other) == pytest.approx(min(1.0, expected), rel=1e-6)


@given(one=tallies, other=tallies)
def test_z_squared_is_the_chi_square_without_correction(
    one: SelectionTally, other: SelectionTally
) -> None:
    z = pooled_z(one, other)
    selected = one.selected + other.selected
    if selected in {0, one.all + other.all}:
        assert math.isnan(z)
        return
    table = [[t.selected, t.all - t.selected] for t in (one, other)]
    assert z * z == pytest.approx(chi2_contingency(table, correction=False).statistic, abs=1e-9)


@given(groups=st.dictionaries(st.text("abcdef", min_size=1), tallies, min_size=1, max_size=6))
def test_no_group_large_enough_has_a_higher_rate_than_the_reference(
    groups: dict[str, SelectionTally],
) -> None:
    rows = impacts(groups)
    references = [row for row in rows if row.is_reference]
    assert len(references) == 1
    assert references[0].ratio == 1.0
    for row in rows:
        if not row.left_out:
            assert row.tally.rate <= references[0].tally.rate


def test_a_ratio_that_one_person_would_lift_says_so() -> None:
    rows = impacts(
        {"A": SelectionTally(all=20, selected=10), "B": SelectionTally(all=20, selected=7)}
    )
    assert rows[1].flags[:2] == ("below four fifths", "one person would change that")


@pytest.mark.parametrize(("selected", "is_below"), [(40, False), (39, True)])
def test_a_ratio_of_exactly_four_fifths_is_not_below_them(selected: int, is_below: bool) -> None:
    rows = impacts(
        {
            "A": SelectionTally(all=100, selected=50),
            "B": SelectionTally(all=100, selected=selected),
        }
    )

    assert ("below four fifths" in rows[1].flags) is is_below


def test_nobody_selected_anywhere_gives_no_ratio_and_no_crash() -> None:
    rows = impacts(
        {"A": SelectionTally(all=20, selected=0), "B": SelectionTally(all=20, selected=0)}
    )
    assert [math.isnan(row.ratio) for row in rows] == [False, True]
    assert impacts({}) == ()


def test_more_selected_than_there_are_is_refused() -> None:
    with pytest.raises(ValueError, match="3 of 2"):
        SelectionTally(all=2, selected=3)


def test_stages_multiply_to_the_bottom_line_for_those_who_are_interviewed() -> None:
    people = [
        person("f", reviews=0),
        person("f", interviews=1, accepted=True),
        person("m", interviews=1),
        person("m", reviews=2),
    ]
    tables = {table.stage: table for table in funnel(people, WHOLE)}
    counts = {
        stage: {row.group: (row.tally.all, row.tally.selected) for row in table.rows}
        for stage, table in tables.items()
    }
    assert counts["imported → reviewed"] == {"f": (2, 1), "m": (2, 2)}
    assert counts["reviewed → interviewed"] == {"f": (1, 1), "m": (2, 1)}
    assert counts["interviewed → accepted"] == {"f": (1, 1), "m": (1, 0)}
    assert counts["imported → accepted"] == {"f": (2, 1), "m": (2, 0)}


def test_before_a_decision_no_table_speaks_of_acceptance() -> None:
    tables = funnel([person("f", accepted=None), person("m", accepted=None)], WHOLE)
    assert [table.stage for table in tables] == ["imported → reviewed", "reviewed → interviewed"]


def test_groups_over_two_attributes_count_whoever_gave_both() -> None:
    people = [
        person(groups={"sex": "f", "race": "x"}, accepted=True),
        person(groups={"sex": "f"}),
    ]
    table = selection_table(people, Grouper(attributes=("sex", "race"), whole=True))
    assert [(row.group, row.tally.all) for row in table.rows] == [("f × x", 1)]
    assert table.unknown is not None
    assert table.unknown.all == 1


@given(st.lists(st.tuples(st.sampled_from("ab"), st.floats(0, 1)), min_size=1, max_size=60))
def test_scoring_rates_count_those_strictly_above_the_median(
    scores: list[tuple[str, float]],
) -> None:
    table = scoring_table([person(group, estimate=score) for group, score in scores], WHOLE)
    middle = statistics.median(score for _, score in scores)
    for row in table.rows:
        mine = [score for group, score in scores if group == row.group]
        assert row.tally.selected == sum(score > middle for score in mine)


def test_effort_shows_an_uneven_spending() -> None:
    people = [
        person("f", reviews=3, interviews=1, waited=(1.0, 3.0, 8.0)),
        person("f", reviews=1),
        person("m", reviews=1, waited=(2.0,)),
    ]
    f, m = effort(people, WHOLE)
    assert (f.group, f.people, f.reviews, f.interviewed, f.waited) == ("f", 2, 2.0, 0.5, 3.0)
    assert (m.reviews, m.interviews, m.waited) == (1.0, 0.0, 2.0)
