"""Sheets as offices make them: each is read right, or what is in doubt is named."""

import io
from collections.abc import Sequence

import pytest
from openpyxl import Workbook

from swapflow.domain.reviewing.mark_scale import MarkScale
from swapflow.errors import BadRowsError, InvalidInputError
from swapflow.files.marks.mark import HowToRead, MarksFile
from swapflow.files.marks.read import read_marks, read_sheets


Rows = Sequence[Sequence[object]]

FIVE = HowToRead(scales={"": MarkScale(worst=1.0, best=5.0)})


def text(content: str, how: HowToRead | None = None) -> MarksFile:
    return read_marks(content.encode(), how, name="marks.csv")


def book(*sheets: tuple[str, Rows, Sequence[str]]) -> bytes:
    workbook = Workbook()
    workbook.remove(workbook.worksheets[0])
    for title, rows, merged in sheets:
        sheet = workbook.create_sheet(title)
        for row in rows:
            sheet.append(row)
        for cells in merged:
            sheet.merge_cells(cells)
    written = io.BytesIO()
    workbook.save(written)
    return written.getvalue()


def given(found: MarksFile) -> list[tuple[str, str, float]]:
    return [(m.applicant, m.reviewer, round(m.utility, 3)) for m in found.marks]


TWO = [("A1", "Ana", 1.0), ("A1", "Ben", 0.75), ("A2", "Ana", 0.0), ("A2", "Ben", 0.25)]
NAMELESS = [(who, "", mark) for who, _, mark in TWO]

READ = {
    "sums, ranks and spreads beside marks": (
        (
            "Applicant,Ana,Ben,Average,Rank,Total,Std. Dev.,Varianz\n"
            "A1,5,4,4.5,1,9,.5,.5\nA2,1,2,1.5,2,3,.5,.5\n"
        ),
        TWO,
    ),
    "a mean under a name of its own": (
        "Applicant,Ana,Ben,Level\nA1,5,4,4.5\nA2,1,2,1.5\nA3,3,4,3.5\nA4,2,5,3.5\n",
        [*TWO, ("A3", "Ana", 0.5), ("A3", "Ben", 0.75), ("A4", "Ana", 0.25), ("A4", "Ben", 1.0)],
    ),
    "the highest of the others": ("Applicant,Ana,Ben,Max\nA1,5,4,5\nA2,1,2,2\n", TWO),
    "grades of before, not of this round": (
        "Applicant,Jahrgang,Semester,ECTS,GPA,Ana,Ben\nA1,2001,3,180,3.9,5,4\nA2,2000,4,170,3,1,2\n",
        TWO,
    ),
    "confidence in brackets": (
        (
            "Paper ID,Reviewer Name,Q1 (overall),Q2 (confidence)\nA1,Ana,5,3\nA1,Ben,4,2\n"
            "A2,Ana,1,4\nA2,Ben,2,5\n"
        ),
        TWO,
    ),
    "points with their unit": (
        "Applicant,Ana,Ben\nA1,5 pts,4 Punkte\nA2,1 pts,2 Pkt.\n",
        TWO,
    ),
    "a word for no mark yet": (
        "Applicant,Ana,Ben,Cem\nA1,5,4,absent\nA2,1,2,k.A.\n",
        TWO,
    ),
    "headings of groups and averages between rows": (
        (
            "Applicant,Ana,Ben\nGroup North,,\nA1,5,4\nMean,5,4\nGroup South,,\nA2,1,2\n"
            "Std. dev.,2,1\nAverage,3,3\n"
        ),
        TWO,
    ),
    "those who withdrew": (
        "Applicant,Status,Ana,Ben\nA1,active,5,4\nA2,active,1,2\nA3,withdrawn,5,5\n",
        TWO,
    ),
    "an address of each applicant": (
        "Applicant,Email,Ana,Ben\nA1,a@example.org,5,4\nA2,b@example.org,1,2\n",
        TWO,
    ),
    "a comment beside each mark": (
        "Applicant,Ana: Score,Ana: Comment,Ben: Score,Ben: Comment\nA1,5,fine,4,\nA2,1,,2,short\n",
        TWO,
    ),
    "numbered reviews beside an overall mark": (
        "ID,Reader 1,Reader 2,Overall\nA1,5,4,5\nA2,1,2,1\n",
        NAMELESS,
    ),
    "two applicants of one name": (
        "Nr,Applicant,Review 1,Review 2\nA1,Jo Lee,5,4\nA2,Jo Lee,1,2\n",
        NAMELESS,
    ),
}


@pytest.mark.parametrize("what", READ)
def test_a_sheet_of_an_office_is_read_as_people_read_it(what: str) -> None:
    content, marks = READ[what]

    assert given(text(content)) == marks


def test_a_reviewer_may_be_called_max_or_mark() -> None:
    found = text("Applicant,Max,Mark,Ana\nA1,1,5,3\nA2,5,2,4\n")

    assert found.reviewers == ("Max", "Mark", "Ana")


@pytest.mark.parametrize(
    ("header", "who"),
    [
        ("Last Name,First Name", "Lee, Jo"),
        ("Nachname,Vorname", "Lee, Jo"),
        ("Nom,Prénom", "Lee, Jo"),
        ("Email,Last,First", "b, a@example.org"),
    ],
)
def test_a_first_and_a_last_name_name_an_applicant(header: str, who: str) -> None:
    cells = "a@example.org,b,a@example.org" if header.startswith("Email") else "Lee,Jo"

    found = text(f"{header},Ana,Ben\n{cells},5,1\n", FIVE)

    assert found.applicants == (who,)


def test_coi_in_a_cell_is_a_conflict_and_no_mark() -> None:
    found = text("Applicant,Ana,Ben\nA1,5,COI\nA2,1,recused\nA3,2,3\n", FIVE)

    assert found.conflicts == (("A1", "Ben"), ("A2", "Ben"))
    assert len(found.marks) == 4


def test_what_was_left_out_is_told_with_its_line() -> None:
    found = text("Applicant,Ana,Ben\nGroup North,,\nA1,5,4\nMean,5,4\nA2,1,2\n")

    assert found.warnings == (
        "line 2 ('Group North') is a heading without marks and was left out",
        "line 4 ('Mean') sums up other rows and was left out",
    )


# Criteria of several reviewers


GRID: Rows = [
    [None, None, "Ana", None, "Ben", None],
    ["ID", "Name", "Research", "Fit", "Research", "Fit"],
    ["A1", "X", 5, 5, 4, 4],
    ["A2", "Y", 1, 1, 2, 2],
]


def test_columns_of_a_reviewer_and_a_criterion_are_one_review() -> None:
    content = book(("S", GRID, ["C1:D1", "E1:F1"]))

    assert given(read_marks(content, name="m.xlsx")) == TWO
    assert given(text("ID,R1 Research,R1 Fit,R2 Research,R2 Fit\nA1,5,5,4,4\nA2,1,1,2,2\n")) == (
        NAMELESS
    )
    assert given(text("ID,Fit Ana,Writing Ana,Fit Ben,Writing Ben\nA1,5,5,4,4\nA2,1,1,2,2\n")) == (
        TWO
    )


def test_a_grid_that_does_not_say_who_is_who_is_refused() -> None:
    rows: Rows = [[None, "Red", None, "Blue", None], ["ID", "Sol", "Lua", "Sol", "Lua"],
            ["A1", 5, 1, 2, 3], ["A2", 1, 5, 4, 3]]  # fmt: skip

    with pytest.raises(BadRowsError, match="which part of the header names the reviewer"):
        read_marks(book(("S", rows, ["B1:C1", "D1:E1"])), name="m.xlsx")


def test_people_who_share_first_and_last_names_are_people() -> None:
    found = text("ID,Ann Koch,Ann Lee,Max Koch,Max Lee\nA1,5,1,2,3\nA2,1,5,4,3\n")

    assert len(found.reviewers) == 4


# Scales


@pytest.mark.parametrize(
    ("header", "best"),
    [
        ("Score (1 = excellent; 5 = poor)", 0.0),
        ("Score (1 = poor; 5 = excellent)", 1.0),
        ("Score (1-5, 1 = best)", 0.0),
        ("Score (5 = highest)", 1.0),
    ],
)
def test_a_header_says_which_end_is_the_best(header: str, best: float) -> None:
    found = text(f'Applicant,Reviewer,"{header}"\nA,Ana,5\nB,Ana,1\n')

    assert found.marks[0].utility == best


def test_a_line_above_the_table_says_which_end_is_the_best() -> None:
    found = text("Noten: 1 = sehr gut; 5 = nicht bestanden,,\nBewerber,Ana,Ben\nA,1,2\nB,5,3\n")

    assert given(found)[0] == ("A", "Ana", 1.0)


def test_a_scale_over_a_group_of_columns_counts_for_each() -> None:
    rows: Rows = [["Nr", "Gutachten (0–15 Punkte)", None], [None, "Müller", "Weiß"],
            ["001", "7,5", "15"], ["002", "3", "12"]]  # fmt: skip

    found = read_marks(book(("S", rows, ["A1:A2", "B1:C1"])), name="m.xlsx")

    assert given(found)[:2] == [("001", "Müller", 0.5), ("001", "Weiß", 1.0)]


@pytest.mark.parametrize(
    "content",
    [
        "Bewerber,Gutachten 1,Gutachten 2\nA,1,2\nB,5,3\n",
        "Applicant;Ana;Ben\nA;1,0;1,3\nB;5,0;2,7\n",
        "Applicant,Ana,Ben\nA,1,10\nB,5,1\n",
    ],
    ids=["German grades", "steps of grades", "reviewers who use two scales"],
)
def test_a_scale_in_doubt_is_asked_for(content: str) -> None:
    with pytest.raises(InvalidInputError, match="nothing says on which scale"):
        text(content)


# What cannot be used


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("Applicant,Ana,Ben\nA1,5,4\nA2,C,B\nA3,3,2\nA4,1,5\n", "line 3, column 'Ana', value 'C'"),
        ("Applicant,Ana,Ben\nA1,★★★,★\nA2,★,★★\n", "line 2, column 'Ana', value '★★★'"),
        ("Applicant,Ana,Ben\nA1,++,+\nA2,-,--\n", "line 2, column 'Ana', value '++'"),
        ("Applicant,Ana,Cem,Ben\nA1,5,A,4\nA2,1,B,2\n", "line 2, column 'Cem', value 'A'"),
        ("Applicant,Ana,Ben\nmax. points,5,5\nA1,5,1\n", "value 'max. points'"),
        ("Applicant,Ana,Ben\nA1,5*,1\nA2,4,2\nA3,4,2\n", "line 2, column 'Ana', value '5*'"),
        ("Applicant,Ana,Ben\nA1,4-5,1\nA2,4,2\nA3,4,2\n", "line 2, column 'Ana', value '4-5'"),
        ("Applicant,Ana,Ben\nA1,5,1\nA2,4,2\nA1,4,2\n", "line 4, column 'Applicant', value 'A1'"),
    ],
)
def test_what_cannot_be_used_is_named_by_its_place(content: str, told: str) -> None:
    with pytest.raises(BadRowsError) as caught:
        text(content, FIVE)

    assert told in str(caught.value)


# Several sheets


HEAD: Sequence[object] = ["Applicant", "Ana", "Ben"]
MARKS: Rows = [HEAD, ["A1", 5, 4], ["A2", 1, 2]]


def test_a_sheet_of_interviews_is_read_beside_that_of_reviews() -> None:
    other: Rows = [["Applicant", "Cem"], ["A1", 5], ["A2", 1]]
    content = book(
        ("Read me", [["Ask Jane."]], ()), ("Reviews", MARKS, ()), ("Interviews", other, ())
    )

    reviews, interviews = read_sheets(content, name="m.xlsx")

    assert given(reviews) == TWO
    assert [m.kind for m in interviews.marks] == ["interview", "interview"]


def test_a_sheet_for_each_reviewer_is_theirs() -> None:
    own: Rows = [["Applicant", "Score"], ["A1", 5], ["A2", 1]]

    files = read_sheets(book(("Ana", own, ()), ("Ben", own, ())), name="m.xlsx")

    assert [given(one) for one in files] == [
        [("A1", "Ana", 1.0), ("A2", "Ana", 0.0)],
        [("A1", "Ben", 1.0), ("A2", "Ben", 0.0)],
    ]


def test_two_rounds_in_one_workbook_are_not_mixed() -> None:
    content = book(("2025", MARKS, ()), ("2026", MARKS, ()))

    with pytest.raises(InvalidInputError, match="several sheets hold marks"):
        read_sheets(content, name="m.xlsx")
    (one,) = read_sheets(content, HowToRead(sheet="2026"), name="m.xlsx")
    assert given(one) == TWO
