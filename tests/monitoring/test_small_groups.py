"""Small groups are merged, never named, and cannot be had back from any sum that is shown."""

from hypothesis import given
from hypothesis import strategies as st

from swapflow.domain.people.group_sizes import SMALL
from swapflow.monitoring.applicant_rows import ApplicantRow
from swapflow.monitoring.small_groups import MOST_SHOWN, UNKNOWN_GROUP, merged
from swapflow.monitoring.tables import OTHERS, Grouper, effort, scoring_table, selection_table


SEX = Grouper(attributes=("sex",))
PAIR = Grouper(attributes=("race", "sex"))

sizes_of_one = st.dictionaries(
    st.sampled_from([UNKNOWN_GROUP, *((c,) for c in "abcdefgh")]), st.integers(1, 40)
)
sizes_of_pairs = st.dictionaries(
    st.one_of(st.just(UNKNOWN_GROUP), st.tuples(st.sampled_from("abcd"), st.sampled_from("xyz"))),
    st.integers(1, 20),
)


def people(**groups: tuple[int, int]) -> list[ApplicantRow]:
    """Applicants by sex: how many, and how many of them were accepted; "none": not declared."""
    return [
        ApplicantRow(
            groups={} if name == "none" else {"sex": name},
            reviews=1,
            interviews=0,
            waited=(1.0,),
            estimate=0.5,
            accepted=number < accepted,
        )
        for name, (count, accepted) in groups.items()
        for number in range(count)
    ]


def test_a_group_is_merged_below_the_size_from_which_groups_are_shown_and_not_at_it() -> None:
    sizes: dict[tuple[str, ...], int] = {
        ("a",): SMALL,
        ("b",): 2 * SMALL,
        ("c",): SMALL - 1,
        ("d",): 1,
    }

    assert merged(sizes) == {("c",), ("d",)}


@given(st.one_of(sizes_of_one, sizes_of_pairs))
def test_no_small_number_can_be_had_back_from_a_sum(sizes: dict[tuple[str, ...], int]) -> None:
    hidden = merged(sizes)

    assert all(group in hidden for group, size in sizes.items() if size < SMALL)
    assert sum(g not in hidden and g != UNKNOWN_GROUP for g in sizes) <= MOST_SHOWN + 1
    if hidden == frozenset(sizes):
        return  # nothing is shown at all
    # The total is known, and of pairs each value's sum stands in the table of its attribute.
    lines = [list(sizes)]
    pairs = [group for group in sizes if len(group) > 1]
    lines += [
        [group for group in pairs if group[place] == value]
        for place in range(2)
        for value in {group[place] for group in pairs}
    ]
    for line in lines:
        inside = sum(sizes[group] for group in line if group in hidden)
        shown = any(group not in hidden for group in line)
        assert not shown or inside == 0 or inside >= SMALL


def test_the_next_larger_group_is_merged_where_the_total_would_tell() -> None:
    table = selection_table(people(a=(20, 8), b=(9, 3), c=(3, 1)), SEX)

    assert [row.group for row in table.rows] == ["a", OTHERS]
    assert (table.rows[1].tally.all, table.rows[1].tally.selected) == (12, 4)
    assert not table.closed


def test_a_cell_of_two_attributes_is_not_the_rest_of_a_row() -> None:
    rows = [
        ApplicantRow(
            groups={"race": race, "sex": sex},
            reviews=1,
            interviews=0,
            waited=(),
            estimate=0.5,
            accepted=False,
        )
        for (race, sex), count in {
            ("x", "f"): 12, ("x", "m"): 9, ("y", "f"): 7, ("y", "m"): 3, ("z", "f"): 8,
            ("z", "m"): 2,
        }.items()
        for _ in range(count)
    ]  # fmt: skip

    named = {row.group for row in selection_table(rows, PAIR).rows}

    # "y" has 10 and "z" 10 in the table of race: with "y × f" shown, "y × m" would be known.
    assert named == {"x × f", "x × m", OTHERS}


def test_few_who_did_not_declare_are_merged_too() -> None:
    few = selection_table(people(a=(20, 8), b=(9, 3), none=(2, 1)), SEX)
    assert few.unknown is None
    assert [row.group for row in few.rows] == ["a", OTHERS]
    assert few.rows[1].tally.all == 11

    many = selection_table(people(a=(20, 8), b=(9, 3), none=(6, 1)), SEX)
    assert many.unknown is not None
    assert many.unknown.all == 6
    assert [one.group for one in effort(people(a=(20, 8), none=(6, 1)), SEX)] == ["a", None]


def test_a_value_for_nearly_everybody_makes_no_rows_and_no_names() -> None:
    ids = {f"P{number}": (1, 0) for number in range(60)}
    table = scoring_table(people(**ids), SEX)
    assert table.rows == ()
    assert table.closed
    assert effort(people(**ids), SEX) == ()


def test_merged_groups_are_never_the_reference() -> None:
    rows = selection_table(people(a=(20, 2), b=(4, 4), c=(4, 4)), SEX).rows
    assert [row.group for row in rows if row.is_reference] == ["a"]
    assert rows[1].group == OTHERS
    assert rows[1].ratio == 10.0


def test_a_page_of_many_groups_shows_the_largest() -> None:
    groups = {f"g{number:02d}": (5 + number, 1) for number in range(40)}
    rows = selection_table(people(**groups), SEX).rows
    assert len(rows) == MOST_SHOWN + 1
    assert rows[0].group == "g39"
    assert rows[-1].group == OTHERS
