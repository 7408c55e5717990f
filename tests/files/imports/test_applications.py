from io import BytesIO
from pathlib import Path

import pytest
from openpyxl import Workbook

from swapflow.domain.objective import Objective
from swapflow.domain.people.application import NewApplication
from swapflow.domain.people.protected_attributes import is_protected, protected_trait
from swapflow.domain.rules import KindRules, Rules, SeatLine
from swapflow.errors import BadRowsError, InvalidInputError
from swapflow.files.imports.applications import examine_applications, read_applications


DATA = Path(__file__).parents[1] / "data"


def rules(objective: Objective) -> Rules:
    return Rules(
        version=1,
        lines=(SeatLine(name="all", places=2),),
        kinds=(KindRules(name="review", cost=10, gain=1.0, maximum=3),),
        budget=1000,
        objective=objective,
    )


def refused(data: bytes, **options: object) -> list[str]:
    with pytest.raises(BadRowsError) as caught:
        read_applications(data, **options)  # type: ignore[arg-type]  # options vary by test
    return [str(row) for row in caught.value.rows]


def test_an_ordinary_file_is_read_whole() -> None:
    found = read_applications(DATA / "01_utf8_bom_quoted.csv")

    assert found.new[1] == NewApplication(
        external_id="100418",
        name="Jürgen Weiß",
        email="j.weiss@example.org",
        selection={},
        monitor={"Gender": "M", "Citizenship Region": "Europe"},
        fields={"Program": "PhD", "GPA": "3.41", "GRE Quant": "169", "Submitted": "2025-12-03"},
    )
    assert (len(found.new), found.encoding, found.warnings) == (6, "utf-8-sig", ())


@pytest.mark.parametrize(
    ("file", "ids"),
    [
        ("02_semicolon_decimal_comma_cp1252.csv", ["0007113", "0007114", "0007115"]),
        ("05_excel_dates_leading_zeros.xlsx", ["0000123", "0000012", "0000001"]),
        ("07_blank_rows_and_columns.csv", ["D1", "D2", "D3"]),
        ("12_sep_line.csv", ["F1", "F2", "F3"]),
    ],
)
def test_ids_keep_their_zeros_and_no_blank_row_or_header_becomes_a_person(
    file: str, ids: list[str]
) -> None:
    found = read_applications(DATA / file)

    assert [application.external_id for application in found.new][:3] == ids


def test_ids_of_ten_digits_in_excels_unicode_text_keep_their_zeros() -> None:
    found = read_applications(DATA / "08_utf16le_tab.txt")

    assert all(len(application.external_id) == 10 for application in found.new)
    assert len(found.new) == 3


def test_duplicates_merge_when_they_agree_stop_when_they_conflict_and_all_is_reported() -> None:
    found = examine_applications(DATA / "04_duplicate_ids.csv")

    assert [application.external_id for application in found.new] == [
        "B100",
        "B101",
        "B102",
        "B103",
    ]
    assert [str(row) for row in found.bad] == [
        (
            "line 6, column 'Applicant ID', value 'B102': the same id stands on line 5 with "
            "another "
            "status, Region. Keep the row that is right and remove the other"
        ),
        "line 8, column 'Applicant ID': the id is missing. Give one, or remove the row",
    ]
    assert found.warnings == (
        "line 4: 'b101' is the same applicant as line 3 ('B101') and was merged with it",
        (
            "the e-mail 'b100@example.org' stands under 2 ids: 'B100', 'B103'. If that is "
            "one person, "
            "merge or remove one"
        ),
    )


def test_one_bad_row_refuses_the_whole_file_by_its_name() -> None:
    with pytest.raises(BadRowsError, match=r"04_duplicate_ids\.csv: 2 problems, nothing was impo"):
        read_applications(DATA / "04_duplicate_ids.csv")


def test_reading_the_same_file_again_gives_the_same_applicants() -> None:
    first = read_applications(DATA / "01_utf8_bom_quoted.csv")

    assert read_applications(DATA / "01_utf8_bom_quoted.csv") == first


def test_the_email_is_the_key_only_when_asked_for() -> None:
    file = DATA / "15_greenhouse_prospects.csv"

    found = read_applications(file, key="email", mapping={"Office": "select:Office"})

    assert [a.external_id for a in found.new] == ["ana@example.org", "bo@example.org"]
    assert [a.name for a in found.new] == ["Ana Lima", "Bo Chen"]
    assert [a.selection for a in found.new] == [{"Office": "London"}, {"Office": "Berlin"}]
    assert found.new[0].fields["Phone"] == "+44 20 7946 0000"
    with pytest.raises(BadRowsError, match="there is no column with the applicant's id"):
        read_applications(file)


@pytest.mark.parametrize(
    "text",
    [
        "nonsense",
        "one@example.org,",
        "two@example.org;zwei@example.org",
        "mailto:four@example.org",
        "eight@example",
        "nine.@example.org",
        "eleven@example..org",
        "thirteen@example.org.",
        "‹a@example.org>",
        "a b@example.org",
    ],
)
@pytest.mark.parametrize("key", ["id", "email"])
def test_an_address_that_no_mail_can_reach_is_refused_by_line(text: str, key: str) -> None:
    (problem,) = refused(f'id,email\n1,"{text}"\n'.encode(), key=key)

    assert problem.startswith("line 2, column 'email'")
    assert "is no mail address" in problem


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("Ann Roe <ann@example.org>", "ann@example.org"),
        ('""Roe, Ann"" <ann@example.org>', "ann@example.org"),
        ("<ann@example.org>", "ann@example.org"),
        (" ann@example.org ", "ann@example.org"),
        ("Ann+2026@Example.ORG", "Ann+2026@Example.ORG"),
        ("ann@bücher.example", "ann@bücher.example"),
        ("änn@example.org", "änn@example.org"),
        ("ann@intranet.local", "ann@intranet.local"),
    ],
)
def test_the_address_is_taken_out_of_what_stands_around_it(text: str, address: str) -> None:
    (one,) = read_applications(f'id,email\n1,"{text}"\n'.encode()).new

    assert one.email == address


@pytest.mark.parametrize(
    "note",
    [
        '"Source: portal export of 3 May, unconfirmed",,',
        '"* A2: documents follow",,',
        "\n2 withdrawn since,,",
        "Stand: 3. Mai 2026,,",
    ],
)
def test_a_note_under_the_table_is_no_applicant(note: str) -> None:
    data = f"id,name,email\nA1,One,one@example.org\nA2,Two,two@example.org\n{note}\n".encode()

    found = read_applications(data)

    assert [a.external_id for a in found.new] == ["A1", "A2"]
    assert "is a note under the table and was left out" in found.warnings[0]


def test_a_sentence_between_the_rows_is_refused_as_an_id() -> None:
    rows = "".join(f"A{i},One\n" for i in range(6))

    (problem,) = refused(f"id,name\n{rows}now the late ones,\n{rows}".encode())

    assert "a note rather than an id" in problem


@pytest.mark.parametrize("text", ["1-Mar", "01-Mrz", "Mar-14", "2026-03-01"])
def test_an_id_that_a_spreadsheet_took_for_a_date_is_refused(text: str) -> None:
    (problem,) = refused(f"id,name\n{text},Zoe\n14-2,Omar\n15-7,Ida\n".encode())

    assert "a spreadsheet program has turned this id into a date" in problem


def test_dates_that_are_the_ids_of_a_list_are_taken() -> None:
    data = b"id,name\n2026-03-01,Zoe\n2026-03-02,Omar\n"

    assert len(read_applications(data).new) == 2


def test_a_column_that_the_sheet_hides_is_left_out_unless_it_is_asked_for() -> None:
    made = Workbook()
    sheet = made.worksheets[0]
    sheet.append(["id", "statement", "for the dean"])
    sheet.append(["A1", "text", "be kind"])
    sheet.column_dimensions["C"].hidden = True
    file = BytesIO()
    made.save(file)

    found = read_applications(file.getvalue(), name="list.xlsx")
    asked = read_applications(file.getvalue(), mapping={"for the dean": "field:for the dean"})

    assert found.new[0].fields == {"statement": "text"}
    assert "'for the dean' is hidden in the sheet and was left out" in found.warnings[0]
    assert asked.new[0].fields == {"statement": "text", "for the dean": "be kind"}


def test_two_columns_that_could_be_the_id_are_asked_about() -> None:
    assert refused(b"Ref,Applicant ID\n1,2\n") == [
        (
            "line 1, column 'Applicant ID': more than one column could be the applicant's "
            "id: 'Ref', "
            "'Applicant ID'. Say which one by a mapping to external_id"
        )
    ]
    found = read_applications(b"Ref,Applicant ID\n1,2\n", mapping={"Applicant ID": "external_id"})
    assert [(a.external_id, a.fields) for a in found.new] == [("2", {"Ref": "1"})]


def test_a_column_of_row_numbers_gives_way_to_a_real_id() -> None:
    found = read_applications(b"#,Reference,Name\n1,X9,Ann\n")

    assert found.new[0].external_id == "X9"
    assert read_applications(b"#,Name\n7,Ann\n").new[0].external_id == "7"


def test_a_mapping_that_names_nothing_is_refused_with_what_there_is() -> None:
    assert refused(b"id,x\n1,2\n", mapping={"y": "name", "x": "hero"}) == [
        (
            "line 1, column 'y': the mapping names this column, and the file has none of "
            "that name. "
            "Name one of 'id', 'x'"
        ),
        (
            "line 1, column 'x': the mapping takes it for 'hero', which is nothing an import "
            "knows. "
            "Use one of external_id, name, first_name, last_name, email, ready, status, "
            "withdrawn, topic, document, "
            "redacted, select:NAME, monitor:NAME, document:NAME, field:NAME"
        ),
    ]


def test_a_column_can_be_left_out() -> None:
    found = read_applications(b"id,essay\n1,long\n", mapping={"essay": ""})

    assert found.new[0].fields == {}


def test_the_attribute_of_the_objective_is_for_selection_and_the_topic_is_a_field() -> None:
    found = read_applications(
        b"id,Research Area,topic,gender,birth_date,select:site,monitor:source\n"
        b"1,NLP,vision,f,2000-01-01,Rome,fair\n2,,,,,,\n",
        rules=rules(Objective(name="diverse", attribute="research area")),
    )

    assert found.new[0] == NewApplication(
        external_id="1",
        selection={"research area": "NLP", "site": "Rome"},
        monitor={"gender": "f", "birth_date": "2000-01-01", "source": "fair"},
        fields={"topic": "vision"},
    )
    assert found.new[1] == NewApplication(external_id="2", selection={}, monitor={}, fields={})


def test_an_objective_without_its_column_is_refused() -> None:
    assert refused(b"id\n1\n", rules=rules(Objective(name="diverse", attribute="area"))) == [
        (
            "line 1: the rules choose a list by 'area', and there is no such column. "
            "Name the column 'area', or change the rules"
        )
    ]


def test_a_protected_trait_enters_the_selection_only_with_a_legal_basis() -> None:
    data = b"id,select:Gender\n1,f\n"
    lawful = Objective(name="diverse", attribute="Gender", legal_basis="Act, counsel, 2026")

    assert refused(data) == [
        (
            "line 1, column 'select:Gender': 'Gender' is on the list of protected traits and "
            "their "
            "proxies (sex); it may enter reports, not the selection. Name the column "
            "monitor:Gender, "
            "or record a legal basis for it in the rules"
        )
    ]
    assert read_applications(data, rules=rules(lawful)).new[0].selection == {"Gender": "f"}


def test_ready_is_read_and_anything_unclear_is_asked_about() -> None:
    found = read_applications(b"id,ready\n1,yes\n2,No\n")

    assert [a.ready for a in found.new] == [True, False]
    assert refused(b"id,ready\n1,\n2,soon\n") == [
        (
            "line 2, column 'ready': it does not say whether the applicant is complete. "
            "Write yes "
            "or no"
        ),
        (
            "line 3, column 'ready', value 'soon': it does not say whether the applicant is "
            "complete. Write yes or no"
        ),
    ]


def test_documents_are_links_or_inner_paths_and_redacted_only_when_marked() -> None:
    found = read_applications(
        b"id,document,document:CV,redacted\n1,https://x.org/a.pdf,cv/1.pdf,yes\n2,,cv/2.pdf,\n"
    )

    assert [a.documents for a in found.new] == [
        (("document", "https://x.org/a.pdf", True), ("CV", "cv/1.pdf", True)),
        (("CV", "cv/2.pdf", False),),
    ]


@pytest.mark.parametrize(
    "link",
    ["javascript:alert(1)", "file:///etc/passwd", "/etc/passwd", "../../x", "C:\\x", "a\\..\\b"],
)
def test_a_document_that_leads_elsewhere_is_refused(link: str) -> None:
    (problem,) = refused(f"id,document\n1,{link}\n".encode())

    assert (
        "a document is a web link (http, https) or a path inside the documents folder" in problem
    )


@pytest.mark.parametrize("hidden", ["\u202e", "\u200b"])
def test_an_id_with_an_invisible_character_is_refused(hidden: str) -> None:
    (problem,) = refused(f"id\nA{hidden}1\n".encode())

    assert "the id holds an invisible character, so two ids could look the same" in problem


def test_an_id_that_is_too_long_is_refused() -> None:
    (problem,) = refused(b"id\n" + b"9" * 101 + b"\n")

    assert "the id has 101 characters, and 100 are the most. Shorten it" in problem


def test_ambiguous_dates_are_asked_about_and_impossible_ones_refused() -> None:
    file = DATA / "14_mixed_dates.csv"

    found = examine_applications(file, dates=["submitted", "reviewed"])

    assert [str(row) for row in found.bad] == [
        (
            "line 2, column 'submitted', value '01/02/2025': this date can be read with the "
            "day first "
            "or the month first. Say which (dmy or mdy), or write it year-month-day"
        ),
        (
            "line 6, column 'submitted', value '2025-02-30': this is no date of the "
            "calendar. Write "
            "it year-month-day, e.g. 2026-01-31"
        ),
    ]
    dated = examine_applications(file, dates=["submitted", "reviewed"], date_order="dmy")
    assert [a.fields.get("submitted") for a in dated.new] == [
        "2025-02-01",
        "2025-02-13",
        "2025-02-13",
        "2025-02-17",
        "2025-02-30",
        None,
        "2025-02-17",
    ]
    assert [a.fields.get("reviewed") for a in dated.new] == [
        "2025-02-03T10:00:00+01:00",
        "2025-02-14T09:00:00",
        "2025-02-14",
        "2025-02-18T12:00:00",
        None,
        None,
        "2025-02-18T23:30:00-08:00",
    ]


def test_a_date_column_or_an_order_that_does_not_exist_is_named() -> None:
    with pytest.raises(InvalidInputError, match="there is no column 'when' to read dates from"):
        read_applications(b"id\n1\n", dates=["when"])
    with pytest.raises(InvalidInputError, match="there is no order 'ymd' of day and month"):
        read_applications(b"id,when\n1,1/2/2025\n", dates=["when"], date_order="ymd")


@pytest.mark.parametrize(
    "name",
    [
        "Gender",
        "sex",
        "Race/Ethnicity",
        "BirthDate",
        "date_of_birth",
        "DOB",
        "Applicant's age",
        "Nationality",
        "Disability status",
        "Marital status",
        "Postcode",
        "ZIP code",
        "First language",
        "Religion",
        "Geschlecht",
        "Visa status",
    ],
)
def test_protected_traits_and_proxies_are_recognised_however_spelled(name: str) -> None:
    assert is_protected(name)


@pytest.mark.parametrize(
    "name",
    ["Package", "Language skills", "Research area", "Region", "Essex", "Average", "Program"],
)
def test_other_columns_are_not_taken_for_protected_ones(name: str) -> None:
    assert protected_trait(name) == ""


def test_a_file_that_is_no_table_is_refused_in_short_lines_that_say_how_to_go_on() -> None:
    long = "WARNING Memory overcommit must be enabled! Without it, a save may fail. " * 4
    log = f"redis | {long}, and more\nweb | is ready, {chr(27)}[2m at last\nup\n"

    said = refused(log.encode())

    assert "there is no column with the applicant's id" in said[0]
    assert "--key email" in said[0]
    assert any("the row has 1 cell, the header has 2" in line for line in said)
    assert all(len(line) < 500 for line in said)
