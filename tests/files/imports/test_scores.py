from pathlib import Path

import pytest

from swapflow.domain.rules import Criterion, KindRules, Rubric, Rules, SeatLine
from swapflow.errors import BadRowsError, InvalidInputError
from swapflow.files.imports.scores import read_scores


DATA = Path(__file__).parents[1] / "data"
FIVE = tuple((float(mark), "") for mark in range(1, 6))


def rules(*criteria: str, kinds: tuple[str, ...] = ("review",)) -> Rules:
    rubric = Rubric(
        kind="review",
        version=1,
        criteria=tuple(Criterion(name=name, marks=FIVE) for name in criteria),
    )
    return Rules(
        version=1,
        lines=(SeatLine(name="all", places=1),),
        kinds=tuple(KindRules(name=name, cost=1, gain=1.0, maximum=3) for name in kinds),
        rubrics=(rubric,) if criteria else (),
        budget=100,
    )


def refused(data: bytes | Path, **options: object) -> list[str]:
    with pytest.raises(BadRowsError) as caught:
        read_scores(data, **options)  # type: ignore[arg-type]  # options vary by test
    return [str(row) for row in caught.value.rows]


def test_missing_scores_are_never_zero_and_every_impossible_one_is_named() -> None:
    assert refused(DATA / "06_missing_scores.csv", scale="0..5", reviewers=["r1", "r2", "r3"]) == [
        (
            "line 12, column 'score', value '-1': the score lies outside the scale 0 to 5. "
            "Correct "
            "it, or state the scale that was used"
        ),
        (
            "line 13, column 'score', value '11': the score lies outside the scale 0 to 5. "
            "Correct "
            "it, or state the scale that was used"
        ),
        (
            "line 14, column 'score', value 'NaN': this is no score. Write a number, or N/A where "
            "there is none"
        ),
        (
            "line 15, column 'score', value 'inf': this is no score. Write a number, or N/A where "
            "there is none"
        ),
        (
            "line 16, column 'reviewer', value 'r9': there is no reviewer of that id in the "
            "program. "
            "Correct the id, or import that one first"
        ),
    ]


def test_what_is_left_of_that_file_holds_four_scores_and_six_missing_ones() -> None:
    lines = (DATA / "06_missing_scores.csv").read_bytes().splitlines(keepends=True)

    found = read_scores(b"".join(lines[:11]), scale="0..5")

    assert [(s.application, s.reviewer, s.utility) for s in found.scores] == [
        ("C1", "r1", 0.8),
        ("C2", "r1", 0.0),
        ("C5", "r1", 0.6),
        ("C5", "r2", 0.6),
    ]
    assert [(a, r) for _, a, r in found.missing] == [
        ("C1", "r2"),
        ("C2", "r2"),
        ("C3", "r1"),
        ("C3", "r3"),
        ("C4", "r2"),
        ("C4", "r3"),
    ]


def test_decimal_commas_are_read() -> None:
    found = read_scores(
        DATA / "12_sep_line.csv",
        scale="0..10",
        mapping={"id": "application", "gruppe": "reviewer"},
    )

    assert [s.utility for s in found.scores] == [0.75, 0.8, 0.625]


def test_hotcrp_reviews_are_read_a_row_a_review() -> None:
    found = read_scores(DATA / "10_hotcrp_reviews.csv", scale="1..5")

    assert [(s.application, s.reviewer, s.utility) for s in found.scores] == [
        ("1", "r1@example.org", 0.75),
        ("1", "r2@example.org", 0.25),
        ("2", "r1@example.org", 0.5),
        ("3", "r2@example.org", 1.0),
    ]
    assert found.scores[1].remark == "line 1\nline 2"
    assert found.missing == ((6, "2", "r3@example.org"),)


def test_of_several_versions_of_an_easychair_review_the_last_one_counts() -> None:
    found = read_scores(DATA / "11_easychair_review_versions.csv", scale="-3..3")

    assert [(s.application, s.reviewer, round(6 * s.utility - 3)) for s in found.scores] == [
        ("12", "3", 1),
        ("12", "5", -1),
        ("13", "5", 3),
    ]
    assert found.warnings == (
        (
            "line 2: an earlier version of the review on line 4 ('3' on '12'); the last "
            "version counts"
        ),
    )


def test_a_list_of_scores_is_given_to_numbered_reviewers() -> None:
    found = read_scores(
        b'id,rating_list\np1,"[6, 8, 5]"\np2,8-10\np3,[]\np4,"[\'8: accept, good\']"\n'.replace(
            b"['8: accept, good']", b"['8: accept']"
        ),
        scale="0..10",
    )

    assert [(s.application, s.reviewer, s.utility) for s in found.scores] == [
        ("p1", "1", 0.6),
        ("p1", "2", 0.8),
        ("p1", "3", 0.5),
        ("p2", "1", 0.8),
        ("p2", "2", 1.0),
        ("p4", "1", 0.8),
    ]
    assert found.missing == ((4, "p3", ""),)
    assert "the file names no reviewers" in found.warnings[0]


def test_marks_become_a_utility_by_the_rubric_and_na_is_left_out() -> None:
    found = read_scores(
        b"application,reviewer,Depth,Fit\nA,r1,5,3\nA,r2,2,N/A\nB,r1,,-\n",
        rules=rules("Depth", "Fit"),
    )

    assert [(s.kind, s.utility, s.marks) for s in found.scores] == [
        ("review", 0.75, {"Depth": 5.0, "Fit": 3.0}),
        ("review", 0.25, {"Depth": 2.0, "Fit": None}),
    ]
    assert found.missing == ((4, "B", "r1"),)


def test_one_score_is_the_mark_of_the_only_criterion() -> None:
    (found,) = read_scores(b"application,reviewer,score\nA,r1,4\n", rules=rules("Depth")).scores

    assert (found.utility, found.marks) == (0.75, {"Depth": 4.0})


def test_a_mark_beside_the_rubric_is_named() -> None:
    (problem,) = refused(b"application,reviewer,Depth\nA,r1,9\n", rules=rules("Depth"))

    assert "'Depth': 9 is none of the marks 1, 2, 3, 4, 5" in problem


def test_one_score_for_several_criteria_needs_a_scale() -> None:
    data = b"application,reviewer,score\nA,r1,4\n"

    assert refused(data, rules=rules("Depth", "Fit")) == [
        (
            "line 2, column 'score', value '4': the score form of 'review' has 2 criteria, not "
            "one. Give a "
            "column for each ('Depth', 'Fit'), or state the scale of the score, e.g. 0..5"
        )
    ]
    assert read_scores(data, rules=rules("Depth", "Fit"), scale="0..5").scores[0].utility == 0.8


def test_a_score_without_a_scale_is_refused_but_a_utility_has_one() -> None:
    assert refused(b"application,reviewer,score\nA,r1,4\n") == [
        (
            "line 2, column 'score', value '4': nothing says on which scale this score is. "
            "State it, "
            "worst to best, e.g. 0..5"
        )
    ]
    assert read_scores(b"application,reviewer,utility\nA,r1,0.25\n").scores[0].utility == 0.25


def test_on_a_scale_where_one_is_best_one_counts_most() -> None:
    found = read_scores(b"application,reviewer,score\nA,r1,1\nB,r1,4\n", scale="5..1")

    assert [s.utility for s in found.scores] == [1.0, 0.25]


@pytest.mark.parametrize("scale", ["5", "1-5", "3..3", "a..b"])
def test_a_scale_that_is_none_is_refused(scale: str) -> None:
    with pytest.raises(
        InvalidInputError, match=r"is no scale\. Write the worst and the best score"
    ):
        read_scores(b"application,reviewer,score\nA,r1,1\n", scale=scale)


def test_the_kind_comes_from_its_column_or_the_caller_or_is_asked_for() -> None:
    both = rules(kinds=("review", "interview"))
    data = b"application,reviewer,utility\nA,r1,1\n"

    assert read_scores(data, rules=both, kind="interview").scores[0].kind == "interview"
    assert (
        read_scores(b"application,reviewer,kind,utility\nA,r1,Interview,1\n", rules=both)
        .scores[0]
        .kind
        == "interview"
    )
    assert refused(data, rules=both) == [
        (
            "line 1: nothing says of which kind the scores are. Name the kind, or add a "
            "column kind. "
            "The reviews and interviews are review, interview"
        )
    ]
    assert refused(data, rules=both, kind="exam") == [
        "line 1: there is no review 'exam'. The reviews and interviews are review, interview"
    ]


def test_ids_are_matched_without_case_and_spaces_and_spelled_as_the_cycle_does() -> None:
    (found,) = read_scores(
        b"application,reviewer,utility\n a1 ,R1,1\n", applications=["A1"], reviewers=["r1"]
    ).scores

    assert (found.application, found.reviewer) == ("A1", "r1")


def test_unknown_and_missing_ids_are_named() -> None:
    assert refused(b"application,reviewer,utility\nZ,r1,1\n,r1,1\n", applications=["A1"]) == [
        (
            "line 2, column 'application', value 'Z': there is no applicant of that id in "
            "the program. "
            "Correct the id, or import that one first"
        ),
        "line 3, column 'application': the applicant is missing. Give the id, or remove the row",
    ]


def test_the_same_score_twice_counts_once_and_another_one_stops() -> None:
    head = b"application,reviewer,utility\nA,r1,1\n"

    again = read_scores(head + b"a,R1,1\n")

    assert len(again.scores) == 1
    assert again.warnings == ("line 3: the same score stands on line 2; it counts once",)
    assert refused(head + b"A,r1,0.5\n") == [
        (
            "line 3, column 'reviewer', value 'r1': this reviewer has another score of 'A' "
            "on line 2. "
            "Keep the one that is right"
        )
    ]


def test_a_file_without_scores_reviewers_or_applicants_is_refused() -> None:
    assert len(refused(b"colour\nred\n")) == 3


def test_a_column_that_proves_its_decimal_mark_may_group_digits() -> None:
    found = read_scores(
        b"id;reviewer;score\na1;r1;1.250\na2;r1;2.000,5\na3;r1;1 500\na4;r1;7,5\n", scale="0..4000"
    )

    assert [round(4000 * s.utility, 6) for s in found.scores] == [1250, 2000.5, 1500, 7.5]


def test_an_id_without_its_zeros_is_told_whose_it_may_be() -> None:
    (problem,) = refused(b"id,reviewer,utility\n7113,r1,1\n", applications=["0007113", "0007114"])

    assert "there is no applicant of that id in the program. Perhaps '0007113' is meant" in problem


@pytest.mark.parametrize(
    ("cell", "scores"),
    [
        ("[6, 8, 5]", {"1": 6, "2": 8, "3": 5}),
        ("(6, 8)", {"1": 6, "2": 8}),
        ("6-8-5", {"1": 6, "2": 8, "3": 5}),
        ("6, 8, 5", {"1": 6, "2": 8, "3": 5}),
        ("6;8", {"1": 6, "2": 8}),
        ("[6, None, 5]", {"1": 6, "3": 5}),
        ("[6, , 5]", {"1": 6, "3": 5}),
        ("['8: accept, good paper', '6: marginally above']", {"1": 8, "2": 6}),
        ("[\"3 - reject, don't\", '5: so-so']", {"1": 3, "2": 5}),
        ("[7.5]", {"1": 7.5}),
        ("[]", {}),
    ],
)
def test_a_list_of_scores_is_read_however_it_is_written(
    cell: str, scores: dict[str, float]
) -> None:
    quoted = cell.replace('"', '""')
    found = read_scores(
        f'forum,recommendation,decision\np1,"{quoted}",Accept\np2,"[9, 9]",Reject\n'.encode(),
        scale="0..10",
    )

    assert {s.reviewer: 10 * s.utility for s in found.scores if s.application == "p1"} == scores


@pytest.mark.parametrize(("scale", "utility"), [("0..100", 0.85), ("0..1", 0.85)])
def test_a_percentage_is_a_mark_of_a_hundred(scale: str, utility: float) -> None:
    found = read_scores(b"applicant,reviewer,score\nA1,r1,85 %\n", scale=scale)

    assert [score.utility for score in found.scores] == [utility]


def test_a_percentage_on_another_scale_is_refused() -> None:
    (problem,) = refused(b"applicant,reviewer,score\nA1,r1,85%\n", scale="1..5")

    assert "this is a percentage, and the scale is none of 0 to 100" in problem


def test_a_date_a_fraction_or_money_is_no_score() -> None:
    for text in ("2026-01-05", "3 1/2", "€85", "09:30:00"):
        (problem,) = refused(f"applicant,reviewer,score\nA1,r1,{text}\n".encode(), scale="0..100")

        assert "this is no score" in problem


def test_a_label_behind_a_score_is_passed_over() -> None:
    found = read_scores(
        'id,reviewer,rating\np1,r1,"8: accept, good"\np1,r2,3 – reject\n'.encode(), scale="0..10"
    )

    assert [10 * s.utility for s in found.scores] == [8, 3]
