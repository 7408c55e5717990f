from dataclasses import replace
from datetime import date

import pytest

from swapflow.domain.people.reviewer import Absence, NewReviewer
from swapflow.domain.rules import AutomaticReview, KindRules, Purpose, Rules, SeatLine
from swapflow.errors import BadRowsError, InvalidInputError
from swapflow.files.imports.pairs import read_pairs
from swapflow.files.imports.reviewers import read_reviewers


def rules(*, purpose: Purpose = Purpose.REAL, automatic: AutomaticReview | None = None) -> Rules:
    return Rules(
        version=1,
        purpose=purpose,
        lines=(SeatLine(name="all", places=2),),
        kinds=(
            KindRules(name="review", cost=10, gain=1.0, maximum=3),
            KindRules(name="interview", cost=60, gain=5.0, maximum=1),
        ),
        budget=1000,
        automatic=automatic,
    )


def refused(data: bytes, given: Rules | None = None) -> list[str]:
    with pytest.raises(BadRowsError) as caught:
        read_reviewers(data, rules=given or rules())
    return [str(row) for row in caught.value.rows]


def test_a_roster_is_read_whole() -> None:
    (found,) = read_reviewers(
        b"reviewer id,name,email,group,capacity:review,capacity:interview,packet,topics,"
        b"conflicts,away,automatic\n"
        b"r1,Ann,ann@x.org,CS,12,no,5,ml; nlp,A1;A2,2026-01-05..2026-01-20; 2026-03-01,\n",
        rules=rules(),
    )

    assert replace(found, said=None) == NewReviewer(
        external_id="r1",
        name="Ann",
        email="ann@x.org",
        group="CS",
        capacity={"review": 12},
        packet=5,
        topics=("ml", "nlp"),
        conflicts=("A1", "A2"),
        absences=(
            Absence(first=date(2026, 1, 5), last=date(2026, 1, 20)),
            Absence(first=date(2026, 3, 1), last=date(2026, 3, 1)),
        ),
    )


@pytest.mark.parametrize(
    ("columns", "cells", "capacity"),
    [
        ("capacity:review,capacity:interview", ",3", {"review": None, "interview": 3}),
        ("capacity:review,capacity:interview", "0,unlimited", {"interview": None}),
        ("capacity:interview", "no", {}),
        ("capacity:interview", "Nein", {}),
        ("capacity:interview", "unbegrenzt", {"interview": None}),
        ("kinds,capacity", "review; interview,8", {"review": 8, "interview": 8}),
        ("kinds,capacity", "Interview,", {"interview": None}),
        ("capacity", "4", {"review": 4, "interview": 4}),
        ("name", "Ann", {"review": None, "interview": None}),
    ],
)
def test_blank_is_without_limit_and_no_or_zero_is_not_asked(
    columns: str, cells: str, capacity: dict[str, int | None]
) -> None:
    (found,) = read_reviewers(f"id,{columns}\nr1,{cells}\n".encode(), rules=rules())

    assert found.capacity == capacity


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ("id,email", {"email"}),
        ("id,capacity:review", {"capacity:review"}),
        ("id,kinds", {"capacity"}),
        ("id,capacity", {"capacity"}),
        ("id,away,reserve", {"absences", "reserve"}),
    ],
)
def test_a_list_knows_what_it_has_columns_for(header: str, said: set[str]) -> None:
    (found,) = read_reviewers(f"{header},\nr1,,,\n".encode(), rules=rules())

    assert set(found.said or ()) == said | {"external_id"}
    assert found.says(next(iter(said)))
    assert not found.says("topics")


def test_an_address_is_the_key_of_a_reviewer_without_another() -> None:
    (found,) = read_reviewers(b"name,email\nAnn,ann@x.org\n", rules=rules())

    assert (found.external_id, found.email) == ("ann@x.org", "ann@x.org")


def test_every_problem_of_a_roster_is_named_at_once() -> None:
    assert refused(
        b"id,email,capacity:review,packet,away\n"
        b"r1,ann,many,0,2026-02-01..2026-01-01\n"
        b"R1 ,b@x.org,1,1,soon\n"
        b",c@x.org,1,1,\n"
    ) == [
        (
            "line 2, column 'email', value 'ann': “ann” is no mail address: An email address "
            "must have an @-sign. Correct it"
        ),
        (
            "line 2, column 'capacity:review', value 'many': a capacity is a whole number. "
            "Write how "
            "many at most, leave it blank for no limit, or write no"
        ),
        (
            "line 2, column 'packet', value '0': a packet is a whole number of 1 or more. "
            "Write how "
            "many open reviews this person takes at once, or leave it blank"
        ),
        (
            "line 2, column 'away', value '2026-02-01..2026-01-01': '2026-02-01..2026-01-01' ends "
            "before it begins. Swap the two dates"
        ),
        (
            "line 3, column 'away', value 'soon': 'soon' is no period. Write "
            "2026-01-05..2026-01-20, several separated by semicolons"
        ),
        (
            "line 3, column 'id', value 'R1': the same reviewer stands on line 2. Keep one "
            "row per "
            "reviewer"
        ),
        "line 4, column 'id': the id is missing. Give one, or remove the row",
    ]


def test_kinds_that_the_rules_do_not_know_are_named() -> None:
    assert refused(b"id,capacity:reveiw\nr1,2\n") == [
        (
            "line 1, column 'capacity:reveiw': there is no review 'reveiw'. The "
            "reviews and interviews are review, interview"
        )
    ]
    assert refused(b"id,kinds\nr1,exam\n") == [
        (
            "line 2, column 'kinds', value 'exam': there is no review 'exam'. The "
            "reviews and interviews are review, interview"
        )
    ]


def test_a_roster_without_ids_or_addresses_is_refused() -> None:
    assert refused(b"name\nAnn\n") == [
        (
            "line 1: there is no column for the id. Name it id, or say by "
            "a mapping "
            "which it is. The columns are 'name'"
        )
    ]


AUTOMATIC = b"id,automatic\nr1,truth:truth.csv\nr2,https://x.org/score\nr3,\n"


def test_programs_score_a_real_cycle_only_when_its_rules_allow_it() -> None:
    allowed = AutomaticReview(purpose="first reading", approver="A. Person", date="2026-01-01")

    assert refused(AUTOMATIC)[0] == (
        "line 2, column 'automatic', value 'truth:truth.csv': programs may not score in a real "
        "cycle unless its rules allow it. Leave it blank, or add the table [automatic] with "
        "purpose, approver and date to the rules"
    )
    assert len(refused(AUTOMATIC)) == 2
    for given in (rules(automatic=allowed), rules(purpose=Purpose.SIMULATION)):
        found = read_reviewers(AUTOMATIC, rules=given)
        assert [r.automatic for r in found] == ["truth:truth.csv", "https://x.org/score", ""]


def test_an_automatic_reviewer_that_names_no_program_is_refused() -> None:
    (problem,) = refused(b"id,automatic\nr1,yes\n", rules(purpose=Purpose.SIMULATION))

    assert "it does not say which program answers. Write truth:FILE, replay:FOLDER" in problem


def test_a_mapping_of_a_roster_is_checked() -> None:
    (found,) = read_reviewers(b"Kennung\nr1\n", mapping={"Kennung": "external_id"})

    assert found.external_id == "r1"
    with pytest.raises(InvalidInputError, match="the mapping takes 'Nope' for 'external_id'"):
        read_reviewers(b"Kennung\nr1\n", mapping={"Nope": "external_id"})


def test_pairs_are_read_once_each_in_order() -> None:
    data = b"applicant_id;reviewer\nA2;r1\nA1;r1\nA2;r1\n"

    assert read_pairs(data) == (("A2", "r1"), ("A1", "r1"))


def test_half_a_pair_and_a_missing_column_are_named() -> None:
    with pytest.raises(BadRowsError) as half:
        read_pairs(b"application,reviewer\nA1,\n,r1\n")
    with pytest.raises(BadRowsError, match="there is no column for the reviewer"):
        read_pairs(b"application\nA1\n")

    assert [str(row) for row in half.value.rows] == [
        "line 2, column 'reviewer': the reviewer is missing. Give the id, or remove the row",
        "line 3, column 'application': the applicant is missing. Give the id, or remove the row",
    ]


def test_pairs_are_spelled_as_the_program_spells_them_and_strangers_named() -> None:
    def read(text: bytes) -> tuple[tuple[str, str], ...]:
        return read_pairs(text, applications=["0007113", "B2"], reviewers=["Ada"])

    assert read(b"applicant,reviewer\nb2 ,ADA\n") == (("B2", "Ada"),)
    with pytest.raises(BadRowsError) as caught:
        read(b"applicant,reviewer\n7113,ada\nB2,Bob\n")
    assert [(row.line, row.column, row.value) for row in caught.value.rows] == [
        (2, "applicant", "7113"),
        (3, "reviewer", "Bob"),
    ]
    assert caught.value.rows[0].cure.startswith("Perhaps '0007113' is meant")
