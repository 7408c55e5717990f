"""Marks out of the tables that offices keep: each form, each system, each thing that is wrong."""

import io
import json
from collections.abc import Mapping

import pytest
from openpyxl import Workbook

from swapflow.domain.reviewing.mark_scale import MarkScale
from swapflow.errors import BadRowsError, InvalidInputError
from swapflow.files.marks.mark import HowToRead, MarksFile
from swapflow.files.marks.people import read_applicants, read_pending, read_returned
from swapflow.files.marks.read import read_marks


FIVE = HowToRead(scales={"": MarkScale(worst=1.0, best=5.0)})

Given = tuple[str, str, str, float]


def given(found: MarksFile) -> list[Given]:
    return [(m.applicant, m.reviewer, m.kind, round(m.utility, 6)) for m in found.marks]


def read(text: str, how: HowToRead = FIVE) -> MarksFile:
    return read_marks(text.encode(), how, name="marks.csv")


def problems(text: str, how: HowToRead = FIVE) -> list[str]:
    with pytest.raises(BadRowsError) as caught:
        read(text, how)
    return [str(row) for row in caught.value.rows]


def test_a_row_for_each_mark() -> None:
    found = read("Applicant ID,Reader,Mark\n007,Ana,5\n007,Ben,3\n008,Ana,1\n")

    assert given(found) == [
        ("007", "Ana", "review", 1.0),
        ("007", "Ben", "review", 0.5),
        ("008", "Ana", "review", 0.0),
    ]
    assert found.reviewers == ("Ana", "Ben")


def test_a_row_for_each_applicant_and_a_column_for_each_reviewer() -> None:
    found = read("Candidate;Ana;Ben;Average\nIngrid;5;3;4\nRohan;;2;2\nPavel;N/A;;\n")

    assert given(found) == [
        ("Ingrid", "Ana", "review", 1.0),
        ("Ingrid", "Ben", "review", 0.5),
        ("Rohan", "Ben", "review", 0.25),
    ]
    assert (found.applicants, found.missing) == (("Ingrid", "Rohan", "Pavel"), 3)


@pytest.mark.parametrize(
    "header", ["Review 1,Review 2", "Reviewer 1,Reviewer 2", "R1,R2", "Gutachten 1,Gutachten 2"]
)
def test_columns_that_count_reviews_name_nobody(header: str) -> None:
    found = read(f"ID,{header}\n1,5,3\n2,4,2\n")

    assert [m.reviewer for m in found.marks] == [""] * 4


def test_columns_that_count_may_be_reviewers_where_staff_say_so() -> None:
    found = read("ID,R1,R2\n1,5,3\n", HowToRead(scales=FIVE.scales, by="reviewers"))

    assert [m.reviewer for m in found.marks] == ["R1", "R2"]


def test_a_column_of_interviews_is_a_kind_of_its_own() -> None:
    how = HowToRead(
        scales={"": MarkScale(worst=1, best=5), "interview": MarkScale(worst=0, best=10)}
    )

    found = read("ID,Review 1,Review 2,Interview\n1,5,3,8\n2,4,2,\n", how)

    assert given(found)[2] == ("1", "", "interview", 0.8)
    assert len(found.marks) == 5


def test_a_column_names_the_kind_of_each_mark() -> None:
    found = read("applicant,reviewer,kind,score\nA,x,review,5\nA,y,Interview,3\n")

    assert [m.kind for m in found.marks] == ["review", "interview"]


def test_criteria_count_by_their_weights() -> None:
    how = HowToRead(scales=FIVE.scales, weights={"Research": 3, "Fit": 1})

    found = read("applicant,reviewer,Research,Fit,Words\nA,x,5,1,nice\nA,y,3,N/A,\n", how)

    assert given(found) == [("A", "x", "review", 0.75), ("A", "y", "review", 0.5)]


def test_weights_may_stand_in_the_headers() -> None:
    found = read("applicant,reviewer,Research (x3),Fit (x1)\nA,x,5,1\n")

    assert given(found) == [("A", "x", "review", 0.75)]


def test_criteria_without_weights_count_the_same() -> None:
    found = read("applicant,reviewer,Research,Fit\nA,x,5,1\n")

    assert given(found) == [("A", "x", "review", 0.5)]


def test_all_marks_in_one_cell() -> None:
    found = read('paper,ratings\n1,"[5, 3, 1]"\n2,"[4]"\n')

    assert [(m.applicant, m.reviewer, m.utility) for m in found.marks] == [
        ("1", "", 1.0),
        ("1", "", 0.5),
        ("1", "", 0.0),
        ("2", "", 0.75),
    ]


# Systems


def test_the_reviews_of_hotcrp_by_their_headers() -> None:
    text = (
        "paper,title,review,reviewername,email,Overall merit,Reviewer expertise,Comments for PC\n"
        "1,One,1A,Ana A,ana@example.org,4. Accept,3,fine\n"
        '1,One,1B,Ben B,ben@example.org,2,4,"two\nlines"\n'
        "2,Two,2A,Ana A,ana@example.org,5,3,\n"
    )

    found = read(text.replace("4. Accept", "4"))

    assert found.system == "HotCRP"
    assert found.names == {"1": "One", "2": "Two"}
    assert given(found) == [
        ("1", "ana@example.org", "review", 0.75),
        ("1", "ben@example.org", "review", 0.25),
        ("2", "ana@example.org", "review", 1.0),
    ]


def test_the_notes_of_openreview_by_their_keys() -> None:
    notes = [
        {
            "id": f"n{number}",
            "forum": forum,
            "signatures": [f"Conf/2027/Submission{forum}/Reviewer_{number}x"],
            "content": {"rating": {"value": mark}, "confidence": {"value": 3}},
        }
        for number, (forum, mark) in enumerate([("f1", "8: accept"), ("f1", 3), ("f2", "1: no")])
    ]
    decision = {"id": "d", "forum": "f1", "signatures": ["Conf/2027/Chairs"],
                "content": {"decision": {"value": "Accept"}}}  # fmt: skip
    content = json.dumps({"notes": [*notes, decision]}).encode()

    found = read_marks(
        content, HowToRead(scales={"": MarkScale(worst=1, best=10)}), name="reviews.json"
    )

    assert found.system == "OpenReview"
    # Their names are other ones for each paper, so nobody can be told to mark high.
    assert [(m.applicant, m.reviewer, round(m.utility, 3)) for m in found.marks] == [
        ("f1", "", 0.778),
        ("f1", "", 0.222),
        ("f2", "", 0.0),
    ]


def test_the_reviews_of_pretalx_by_their_keys() -> None:
    pages = {
        "count": 2,
        "next": None,
        "results": [
            {"id": 1, "submission": "ABC", "text": "", "score": "1.0", "scores": [], "answers": [],
             "user": "LZG9ZR"},
            {"id": 2, "submission": "DEF", "text": "", "score": None, "scores": [], "answers": [],
             "user": "LZG9ZR"},
        ],
    }  # fmt: skip

    found = read_marks(
        json.dumps(pages).encode(),
        HowToRead(scales={"": MarkScale(worst=0, best=2)}),
        name="reviews.json",
    )

    assert found.system == "pretalx"
    assert given(found) == [("ABC", "LZG9ZR", "review", 0.5)]
    assert found.applicants == ("ABC", "DEF")


def test_of_several_versions_of_a_review_the_last_one_counts() -> None:
    text = (
        "#,submission #,member #,version,scores\n"
        '1,12,3,1,"Overall evaluation: 2\nConfidence: 4"\n'
        '2,12,4,1,"Overall evaluation: 3\nConfidence: 4"\n'
        '1,12,3,2,"Overall evaluation: 5\nConfidence: 4"\n'
    )

    assert sorted(given(read(text))) == [
        ("12", "3", "review", 1.0),
        ("12", "4", "review", 0.5),
    ]


# Scales


@pytest.mark.parametrize(
    ("header", "marks", "utilities"),
    [
        ("Mark (1-5)", ("2", "4"), [0.25, 0.75]),
        ("Total (0–100)", ("30", "55"), [0.3, 0.55]),
        ("Mark", ("1", "10"), [0.0, 1.0]),
        ("score01", ("0.2", "0.7"), [0.2, 0.7]),
        ("Mark", ("80 %", "35 %"), [0.8, 0.35]),
        ("Mark", ("0,0", "1,0"), [0.0, 1.0]),
    ],
)
def test_a_scale_is_read_where_it_leaves_no_doubt(
    header: str, marks: tuple[str, str], utilities: list[float]
) -> None:
    found = read(f"applicant;{header}\nA;{marks[0]}\nB;{marks[1]}\n", HowToRead())

    assert [m.utility for m in found.marks] == pytest.approx(utilities)


def test_a_scale_in_doubt_is_asked_for_with_the_marks_that_there_are() -> None:
    with pytest.raises(InvalidInputError) as caught:
        read("applicant,mark\nA,2\nB,4\n", HowToRead())

    assert caught.value.code == "scale_not_stated_range"
    assert "from 2 to 4" in str(caught.value)


def test_one_may_be_the_best_mark() -> None:
    found = read("applicant,mark\nA,1\nB,4\n", HowToRead(scales={"": MarkScale(worst=5, best=1)}))

    assert [m.utility for m in found.marks] == [1.0, 0.25]


# What is wrong


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "applicant,reviewer,mark\nA,x,4\nB,x,four\n",
            (
                "line 3, column 'mark', value 'four': this is no mark. Correct it, or leave the "
                "cell empty"
            ),
        ),
        (
            "applicant,reviewer,mark\nA,x,4\nB,x,7\n",
            (
                "line 3, column 'mark', value '7': the mark lies outside the scale 1..5. Correct "
                "it, or state the scale that was used"
            ),
        ),
        (
            "applicant,reviewer,mark\nA,x,4\n,x,3\n",
            "line 3, column 'applicant': the applicant is missing. Give the id, or remove the row",
        ),
        (
            "applicant,reviewer,mark\nA,x,4\nB,,3\n",
            "line 3, column 'reviewer': the reviewer is missing. Give the name, or remove the row",
        ),
        (
            "applicant,reviewer,mark\nA,x,4\na,X,3\n",
            (
                "line 3, column 'reviewer', value 'X': x has another mark of A on line 2. Keep "
                "the one that is right"
            ),
        ),
        (
            "applicant,Ana,Ben\nA,4,5\nA,3,4\n",
            (
                "line 3, column 'applicant', value 'A': the same applicant stands on line 2. Keep "
                "one row for each applicant, or add a column that names the reviewer"
            ),
        ),
    ],
)
def test_what_is_wrong_is_told_with_line_column_value_reason_and_cure(
    text: str, told: str
) -> None:
    assert problems(text) == [told]


def test_every_problem_of_a_file_is_told_at_once() -> None:
    assert len(problems("applicant,mark\nA,x\nB,2\nC,?!\nD,y\n")) == 3


def test_a_kind_that_the_rules_do_not_have_is_refused() -> None:
    how = HowToRead(scales=FIVE.scales, kinds=("review", "interview"))

    told = problems("applicant,kind,mark\nA,reveiw,3\n", how)

    assert told == [
        (
            "line 2, column 'kind', value 'reveiw': there is no kind 'reveiw'. The kinds are "
            "review, interview"
        )
    ]


@pytest.mark.parametrize(
    "content", [b"", b"\x00\x01\x02", b"PK\x03\x04torn", b"<html>", b"a,b\n1,2\n", b'{"a": [1}']
)
def test_what_is_no_table_of_marks_is_refused_in_words(content: bytes) -> None:
    with pytest.raises(InvalidInputError):
        read_marks(content, FIVE, name="marks.csv")


def test_a_workbook_reads_as_the_same_table_in_text() -> None:
    book = Workbook()
    page = book.active
    assert page is not None
    for row in (("Candidate", "Ana", "Ben"), ("Ingrid", 5, 3), ("Rohan", None, 2)):
        page.append(row)
    file = io.BytesIO()
    book.save(file)

    found = read_marks(file.getvalue(), FIVE, name="marks.xlsx")

    assert given(found) == given(read("Candidate,Ana,Ben\nIngrid,5,3\nRohan,,2\n"))


def test_a_column_may_be_taken_for_what_its_header_does_not_say() -> None:
    how = HowToRead(scales=FIVE.scales, columns={"Wer": "applicant", "Wieviel": "mark"})

    assert given(read("Wer,Wieviel,Age\nA,5,30\n", how)) == [("A", "", "review", 1.0)]


# Beside the marks


def test_requests_that_are_out_are_those_whose_mark_is_empty() -> None:
    text = b"applicant,kind,reviewer,mark\nA,review,Ana,\nB,review,Ben,4\n"

    assert [(p.applicant, p.reviewer) for p in read_pending(text)] == [("A", "Ana")]
    assert read_returned(text) == 1


def test_everyone_who_applied_with_their_groups() -> None:
    found: Mapping[str, Mapping[str, str]] = read_applicants(b"id,Home Region\nA,north\nB,south\n")

    assert [(who, cells["home_region"]) for who, cells in found.items()] == [
        ("A", "north"),
        ("B", "south"),
    ]


def test_a_mark_that_states_the_best_one_is_on_that_scale() -> None:
    found = read(
        "applicant,reviewer,score\nA1,Ana,8/10\nA1,Ben,4 / 10\nA2,Ana,10/10\n", HowToRead()
    )

    assert given(found) == [
        ("A1", "Ana", "review", 0.8),
        ("A1", "Ben", "review", 0.4),
        ("A2", "Ana", "review", 1.0),
    ]


def test_a_mark_out_of_another_best_than_the_scale_has_is_named() -> None:
    (told,) = problems("applicant,reviewer,score (1-5)\nA1,Ana,4/5\nA1,Ben,7/10\n")

    assert told == (
        "line 3, column 'score (1-5)', value '7/10': the mark is out of 10, but the scale is "
        "1..5. Correct it, or write all marks on one scale"
    )


def test_a_column_of_days_is_no_column_of_marks() -> None:
    found = read("App #,Submitted,Ana,Ben\n501,2026-11-01,5,3\n502,2026-11-02,1,1\n")

    assert [one.taken for one in found.columns][:2] == ["applicant", ""]


@pytest.mark.parametrize(
    "text",
    [
        "Candidate,Smith,Jones\nIda,A,B+\nTom,C,A-\n",
        "Candidate;Reviewer;Recommendation\nIda;Smith;weak accept\n",
    ],
)
def test_marks_in_letters_or_words_are_to_be_given_as_numbers(text: str) -> None:
    (first, *_) = problems(text)

    assert (
        "this is no number. Letters and words say no distance: replace each by a number" in first
    )


@pytest.mark.parametrize(
    "header",
    ["App #", "Bewerber*in", "Bewerberin/Bewerber", "Kandidat/in", "Antragsteller:in"],
)
def test_what_offices_call_an_applicant(header: str) -> None:
    assert given(read(f"{header};Ana\nA1;5\n")) == [("A1", "Ana", "review", 1.0)]


def test_a_line_of_averages_under_a_long_table_is_left_out() -> None:
    found = read("Bewerber;Gutachter;Note\nIda;Ott;5\nTom;Ott;1,5\nMittelwert;;3,25\n")

    assert found.applicants == ("Ida", "Tom")
    assert found.warnings == ("line 4 ('Mittelwert') sums up the rows above and was left out",)


def test_a_talk_is_an_interview_in_german_too() -> None:
    found = read("Bewerbernummer;Gutachten 1;Gutachten 2;Gespräch\nB1;5;3;1\n")

    assert [(m.kind, m.reviewer) for m in found.marks] == [
        ("review", ""),
        ("review", ""),
        ("interview", ""),
    ]


@pytest.mark.parametrize(
    "header",
    [
        "Review 1 Reviewer,Review 1 Score,Review 1 Comment,Review 2 Reviewer,Review 2 Score",
        "Reviewer 1,Score 1,Comment,Reviewer 2,Score 2",
        "Gutachterin 1,Punkte 1,Bemerkung,Gutachterin 2,Punkte 2",
    ],
)
def test_each_of_several_reviews_in_a_row_names_its_reviewer(header: str) -> None:
    found = read(f"Applicant,{header}\nA1,Ana,5,fine,Ben,3\nA2,Cleo,1,,,\nA3,Ben,3,,Ana,\n")

    assert given(found) == [
        ("A1", "Ana", "review", 1.0),
        ("A1", "Ben", "review", 0.5),
        ("A2", "Cleo", "review", 0.0),
        ("A3", "Ben", "review", 0.5),
    ]
    assert [one.taken for one in found.columns][1] == "reviewer"


def test_a_reviewer_twice_in_the_row_of_an_applicant_is_named() -> None:
    (said,) = problems("ID,Reviewer 1,Score 1,Reviewer 2,Score 2\n1,Ana,5,Ana,3\n")

    assert said.startswith("line 2, column 'Score 2', value '3': Ana has another mark of 1")


def test_numbered_scores_without_a_column_of_reviewers_name_nobody() -> None:
    found = read("ID,Review 1 Score,Review 2 Score\n1,5,3\n")

    assert [mark.reviewer for mark in found.marks] == ["", ""]


def test_words_among_the_marks_of_a_reviewer_are_named_not_left_out() -> None:
    (said,) = problems("Name,Ana,Ben\nA,5,later\nB,3,2\nC,4,4\n")

    assert said.startswith("line 2, column 'Ben', value 'later': this is no mark. Correct it")


@pytest.mark.parametrize("header", ["Conflicts", "COI", "Befangenheit"])
def test_a_column_of_conflicts_says_who_may_not_review(header: str) -> None:
    found = read(f"ID,Reader,Mark,{header}\n1,Ana,5,Ben; Cleo\n1,Dan,3,\n2,Ana,4,no\n3,Ben,,yes\n")

    assert found.conflicts == (("1", "Ben"), ("1", "Cleo"), ("3", "Ben"))


def test_a_name_and_a_given_name_in_one_column_are_an_applicant() -> None:
    found = read('"Lfd. Nr.";"Name, Vorname";"Gutachten 1"\n1;"Muster, Eva";5\n')

    assert found.applicants == ("Muster, Eva",)
