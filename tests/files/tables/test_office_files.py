"""Other files of the kinds that offices send: each kind in several variants, read to the row."""

import contextlib
import json
import time

import pytest

from swapflow.errors import BadRowsError, InvalidInputError
from swapflow.files.imports.applications import ApplicationsImport, examine_applications
from swapflow.files.imports.scores import read_scores
from swapflow.files.tables.table import read_table


PEOPLE = (
    "Ref ID,Name,Email,Region\nA01,Jürgen Weiß,j@example.org,Europe\nA02,Zoë,z@example.org,Asia\n"
)
READ = (("A01", "Jürgen Weiß"), ("A02", "Zoë"))


def people(data: bytes | str, name: str = "people.csv") -> ApplicationsImport:
    return examine_applications(data if isinstance(data, bytes) else data.encode(), name=name)


def read(data: bytes | str, name: str = "people.csv") -> tuple[tuple[str, str], ...]:
    found = people(data, name)
    assert found.bad == ()
    return tuple((new.external_id, new.name) for new in found.new)


# Encodings


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (PEOPLE.encode("utf-8-sig"), "utf-8-sig"),
        (b"\xef\xbb\xbf" + PEOPLE.encode("utf-8-sig"), "utf-8-sig"),
        (PEOPLE.encode("utf-16"), "utf-16"),
        (b"\xfe\xff" + PEOPLE.encode("utf-16-be"), "utf-16"),
        (PEOPLE.encode("utf-16") + b"\n", "utf-16"),
        (PEOPLE.encode("utf-16-le"), "utf-16-le"),
        (PEOPLE.encode("utf-16-be"), "utf-16-be"),
        (PEOPLE.encode("utf-32"), "utf-32"),
        (PEOPLE.encode() + b"\x1a", "utf-8"),
        (PEOPLE.encode() + bytes(16), "utf-8"),
        (PEOPLE.replace("\n", "\r").encode(), "utf-8"),
        (PEOPLE.replace("\n", "\r\n").encode(), "utf-8"),
        (PEOPLE.replace("\n", "\r\r\n").encode(), "utf-8"),
    ],
)
def test_a_text_with_a_mark_or_without_is_read_in_its_encoding(data: bytes, encoding: str) -> None:
    assert read(data) == READ
    assert people(data).encoding == encoding
    assert people(data).warnings == ()


GUESSED = {
    "cp1252": (PEOPLE, "Jürgen Weiß"),
    "mac_roman": (PEOPLE, "Jürgen Weiß"),
    "cp850": (PEOPLE, "Jürgen Weiß"),
    "cp1250": ("id,name\n1,Łukasz Żak\n2,Jędrzej Świątek\n", "Łukasz Żak"),
    "iso8859_2": ("id,name\n1,Jędrzej Świątek\n2,Jiří Šťastný\n", "Jędrzej Świątek"),
    "cp1251": ("id,name,город\n1,Иван Петров,Москва\n2,Анна Иванова,Казань\n", "Иван Петров"),
    "koi8_r": ("id,name,город\n1,Иван Петров,Москва\n2,Анна Иванова,Казань\n", "Иван Петров"),
    "cp1253": ("id,name\n1,Γιώργος Παπαδόπουλος\n", "Γιώργος Παπαδόπουλος"),
    "cp932": ("id,name,町\n1,山田太郎,東京\n2,佐藤花子,メール\n", "山田太郎"),
    "gb18030": ("id,name,城市\n1,王小明,北京\n2,李雷,上海\n", "王小明"),
    "cp949": ("id,name\n1,김철수\n2,이영희\n", "김철수"),
}


@pytest.mark.parametrize("encoding", GUESSED)
def test_an_encoding_without_a_mark_is_guessed_by_its_words_and_always_told(encoding: str) -> None:
    text, first = GUESSED[encoding]

    found = people(text.encode(encoding))

    assert (found.encoding, found.new[0].name) == (encoding, first)
    (warning,) = found.warnings
    assert warning.startswith(f"the file is not UTF-8 and was read as {encoding} (")
    assert "Check the names, e.g. on line" in warning


def test_a_file_of_two_encodings_is_refused_with_a_line_of_each() -> None:
    with pytest.raises(InvalidInputError, match=r"line 2 is UTF-8 and line 4 is not"):
        read_table(PEOPLE.encode() + "A03,Jörg,,\n".encode("cp1252"))


def test_names_that_were_spoilt_before_are_pointed_out() -> None:
    found = people(PEOPLE.encode().decode("cp1252", "replace"))

    (warning,) = found.warnings
    assert "line 2 looks as if the file had been saved in a wrong encoding before" in warning
    assert "'JÃ¼rgen'" in warning


def test_a_byte_that_no_one_can_see_is_named_with_its_cell_and_the_others_are_read() -> None:
    found = people(PEOPLE.replace("Zoë", "Zo\0ë"))

    (row,) = found.bad
    assert (row.line, row.column, row.value) == (3, "Name", "Zo\ufffdë")
    assert row.reason == "the cell contains a control character (U+0000)"
    assert [new.external_id for new in found.new] == ["A01"]


# Separators and quotation marks


@pytest.mark.parametrize("separator", [",", ";", "\t", "|", "~", "^", "\x1f"])
def test_any_separator_is_found(separator: str) -> None:
    assert read(PEOPLE.replace(",", separator)) == READ
    assert read_table(PEOPLE.replace(",", separator).encode()).separator == separator


@pytest.mark.parametrize(
    "text",
    [
        "Ref;Name;Grade\nA1;Ann;1,5\nA2;Bo;2,5\n",
        "Ref;Name;Grade, as given, of 5\nA1;Ann;1\nA2;Bo;2,5\n",
        "Ref\tName\tPlace\nA1\tAnn\tX, Y\nA2\tBo\tZ, Y; V\n",
        "Applicants, spring, 2026\nRef;Name\nA1;Ann\nA2;Bo\n",
        'Ref;Name\nA1;"Ann"\nA2;Bo\n',
        "sep=;\nRef;Name\nA1;Ann\nA2;Bo\n",
        'sep=;;\n"Ref";"Name"\nA1;Ann\nA2;Bo\n',
        '"sep=\t"\nRef\tName\nA1\tAnn\nA2\tBo\n',
        "'Ref','Name'\n'A1','Ann'\n'A2','Bo'\n",
        'Ref, Name\nA1, "Ann"\nA2, "Bo"\n',
        '"Ref,Name"\n"A1,Ann"\n"A2,Bo"\n',
        "| Ref | Name |\n|---|:---:|\n| A1 | Ann |\n| A2 | Bo |\n",
        "Ref,Name,,\nA1,Ann,,\n,,,\nA2,Bo,,\n , ,,\n",
        "\n\nRef,Name\n\nA1,Ann\n\nA2,Bo",
    ],
)
def test_cells_are_told_apart_however_they_are_set(text: str) -> None:
    assert read(text) == (("A1", "Ann"), ("A2", "Bo"))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('Ref, Name\nA1, "Ann, B"\nA2, Bo\n', "Ann, B"),
        ('Ref,Name\nA1,"Ann \\"Nick\\" B"\nA2,Bo\n', 'Ann "Nick" B'),
        ('Ref,Name\nA1,Ann "Nick" B\nA2,Bo\n', 'Ann "Nick" B'),
        ('Ref,Name\nA1,"Ann ""Nick"" B"\nA2,Bo\n', 'Ann "Nick" B'),
        ("'Ref','Name'\n'A1','Ann, B'\n'A2','Bo'\n", "Ann, B"),
        ('"Ref,Name"\n"A1,""Ann, B"""\n"A2,Bo"\n', "Ann, B"),
        ('Ref,Name\nA1,"Ann\r\nB"\nA2,Bo\n', "Ann\r\nB"),
        ("Ref;Name\nA1;Ann, B\nA2;Bo\n", "Ann, B"),
        ("Ref,Name\nA1,5' 9\" Ann\nA2,Bo\n", "5' 9\" Ann"),
    ],
)
def test_what_stands_in_quotation_marks_is_one_cell(text: str, name: str) -> None:
    assert read(text) == (("A1", name), ("A2", "Bo"))


def test_line_breaks_in_cells_are_kept_and_every_row_knows_the_line_it_begins_on() -> None:
    table = read_table(
        b'Ref,Note,Name\r\nA1,"one\r\ntwo, three",Ann\r\nA2,"x\n\ny",Bo\r\nA3,,Cy\r\n'
        b'A4,"say ""hi""\nthere",Di\r\n'
    )

    assert [(row.line, row["Note"], row["Name"]) for row in table.rows] == [
        (2, "one\r\ntwo, three", "Ann"),
        (4, "x\n\ny", "Bo"),
        (7, "", "Cy"),
        (8, 'say "hi"\nthere', "Di"),
    ]


# Rows that do not line up


def test_short_and_long_rows_are_named_and_an_open_mark_swallows_nobody() -> None:
    table = read_table(
        b"Ref,Name,Mail\nA1,Ann,a@e.org\nA2,Bo\nA3,Cy, Jr,c@e.org\nA4,Di,d@e.org,,\n"
        b'A5,"Ed,e@e.org\nA6,Flo,f@e.org\nA7,Gus\n'
    )

    assert [(row.line, row["Ref"]) for row in table.rows] == [(2, "A1"), (5, "A4"), (7, "A6")]
    assert [(row.line, row.reason) for row in table.bad] == [
        (3, "the row has 2 cells, the header has 3"),
        (4, "the row has 4 cells, the header has 3"),
        (
            6,
            "a cell is opened by a quotation mark that is never closed (read up to line 8)",
        ),
        (8, "the row has 2 cells, the header has 3"),
    ]


def test_a_mark_before_the_header_refuses_the_file_at_once() -> None:
    with pytest.raises(BadRowsError, match="line 1: a cell is opened by a quotation mark"):
        read_table(b'"Ref,Name\nA1,Ann\n')


def test_many_misplaced_marks_do_not_take_long() -> None:
    table = read_table(b"Ref,Name\n" + b'A1,"x" y\n' * 5000)

    assert len(table.bad) == 20


# Headers


@pytest.mark.parametrize(
    "text",
    [
        "Report: applicants\nCreated,2026-01-01\n\nRef,Name,Grade\nA1,Ann,3\nA2,Bo,4\n",
        "# exported by a program\n# 2 rows\nRef,Name,Grade\nA1,Ann,3\nA2,Bo,4\n",
        "Applicants 2026,,\n,,\nRef,Name,Grade\nA1,Ann,3\nA2,Bo,4\n",
        "Ref,Name,Grade\nA1,Ann,3\nRef,Name,Grade\nA2,Bo,4\n",
        "Ref,Name,Grade\nA1,Ann,3\nA2,Bo,4\nTotal,,7\n",
        "Ref,Name,Grade\nA1,Ann,3\nA2,Bo,4\nTotal: 2,,\nAverage,,3.5\n",
        "Ref,Name,Grade\nA1,Ann,3\nA2,Bo,4\nSumme;,,7\n",
        "Person,,Marks\nRef,Name,Grade\nA1,Ann,3\nA2,Bo,4\n",
        "Person,Person,Marks\nRef,Name,Grade\nA1,Ann,3\nA2,Bo,4\n",
        "Ref,Name,\n,,Grade\nA1,Ann,3\nA2,Bo,4\n",
        "Ref,Name,Grade,Grade\nA1,Ann,3,3\nA2,Bo,4,4\n",
        "Ref,Name,Grade,Grade\nA1,Ann,3,\nA2,Bo,4,\n",
        "Ref,Name,Grade,Grade\nA1,Ann,,3\nA2,Bo,,4\n",
        "\u200bRef\u00a0,Name , Grade\nA1,Ann,3\nA2,Bo,4\n",
        '"Ref\nID",Name,Grade\nA1,Ann,3\nA2,Bo,4\n',
    ],
)
def test_the_header_is_found_and_rows_that_are_none_become_nobody(text: str) -> None:
    found = people(text)

    assert [(new.external_id, new.name, dict(new.fields)) for new in found.new] == [
        ("A1", "Ann", {"Grade": "3"}),
        ("A2", "Bo", {"Grade": "4"}),
    ]
    assert found.bad == ()


def test_a_header_on_two_rows_is_put_together_and_repeated_names_get_their_group() -> None:
    table = read_table(
        b"Ref,Round 1,,Round 2,\n,Mark,Remark,Mark,Remark\nA1,3,ok,4,fine\nA2,4,so,5,good\n"
    )

    assert table.headers == (
        "Ref",
        "Round 1 Mark",
        "Round 1 Remark",
        "Round 2 Mark",
        "Round 2 Remark",
    )
    assert table.rows[0]["Round 2 Mark"] == "4"
    assert table.warnings == ("the header was put together from lines 1 and 2",)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Ref,Name\nA1,Ann\nRef,Name\nA2,Bo\n", "line 3 repeats the header and was left out"),
        (
            "Ref,Name,N\nA1,Ann,1\nA2,Bo,2\nTotal,,3\n",
            "line 4 ('Total') sums up the rows above and was left out",
        ),
        ("Ref,Name,Name\nA1,Ann,Ann\n", "column 3 repeats column 2 ('Name'); it counts once"),
        ("Ref,N\nA1,#REF!\n", "the cell shows #REF!, the error of a formula"),
    ],
)
def test_what_was_left_out_is_told(text: str, told: str) -> None:
    assert any(told in warning for warning in people(text).warnings)


def test_two_columns_of_one_name_with_different_values_are_refused() -> None:
    found = people("Ref,Score,Score\nA1,1,2\n")

    assert [row.reason for row in found.bad] == ["2 columns have this header"]


def test_a_row_of_data_is_no_second_header() -> None:
    assert read("Ref,,Name\nA1,x,Ann\nA2,y,Bo\n") == (("A1", "Ann"), ("A2", "Bo"))


def test_a_person_who_is_called_total_stays() -> None:
    assert read("Ref,Name\nA1,Total\n") == (("A1", "Total"),)


# Cells


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        ('"=""0007"""', "0007"),
        ("'0007", "0007"),
        ("'=1+1", "=1+1"),
        ("O'Neil", "O'Neil"),
        ("'t Hooft", "'t Hooft"),
        ("\u00a0Ann\u00a0Lee\u00a0", "Ann Lee"),
        ("\u200bAnn\ufeff", "Ann"),
        ('"=HYPERLINK(""http://e.org"",""x"")"', '=HYPERLINK("http://e.org","x")'),
        ("@ann", "@ann"),
        ("+1 555 0100", "+1 555 0100"),
        ("-2", "-2"),
        ('"\t=1+1"', "=1+1"),
        ('"a\x0bb"', "a\nb"),
    ],
)
def test_a_cell_says_what_it_says_without_what_programs_put_around_it(
    cell: str, shown: str
) -> None:
    assert read_table(f"id,note\n1,{cell}\n".encode()).rows[0]["note"] == shown


# JSON


OBJECTS = [{"id": "A01", "name": "Jürgen Weiß"}, {"id": "A02", "name": "Zoë"}]


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(OBJECTS),
        json.dumps(OBJECTS, indent=2, ensure_ascii=False),
        "\n".join(map(json.dumps, OBJECTS)) + "\n",
        json.dumps({"count": 2, "next": None, "results": OBJECTS}),
        json.dumps({"data": OBJECTS, "errors": []}),
        json.dumps({o["id"]: {"name": o["name"]} for o in OBJECTS}),
        json.dumps([["id", "name"], *[list(o.values()) for o in OBJECTS]]),
        json.dumps({"columns": ["id", "name"], "data": [list(o.values()) for o in OBJECTS]}),
    ],
)
def test_json_is_read_in_the_forms_that_programs_write(text: str) -> None:
    assert read(text, "people.json") == READ
    assert read(text, "people.txt") == READ


def test_objects_inside_objects_become_columns_and_numbers_stay_as_they_are_spelled() -> None:
    table = read_table(
        b'[{"id": 12345678901234567890, "gpa": 3.10, "person": {"name": "Ann", '
        b'"mails": [{"value": "a@e.org", "type": "home"}]}, "tags": ["x", "y"], "cv": null}]',
        name="x.json",
    )

    assert table.rows[0].cells == {
        "id": "12345678901234567890",
        "gpa": "3.10",
        "person.name": "Ann",
        "person.mails": "a@e.org",
        "tags": "x; y",
        "cv": "",
    }


def test_one_page_of_several_is_pointed_out() -> None:
    table = read_table(
        json.dumps({"next": "https://e.org/?page=2", "results": OBJECTS}).encode(), name="x.json"
    )

    assert "one page of several" in table.warnings[0]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('[{"id": "A1",}]', "this is no JSON"),
        ("[" * 100_000 + "]" * 100_000, "nested too deeply"),
        ('{"id": "A1", "id": "A2"}', "the key 'id' occurs twice in one object"),
        ('[{"id": "A1", "id": "A2"}]', "this key occurs twice in one object"),
        ('{"a": [1, 2]}', "a list of objects is expected"),
        ("[1, 2]", "a list of objects is expected"),
        ('[["id", "name"], ["A1"]]', "a list of objects is expected"),
    ],
)
def test_json_that_holds_no_table_is_refused_in_words(text: str, says: str) -> None:
    with pytest.raises(InvalidInputError, match=says):
        read_table(text.encode(), name="x.json")


def test_a_key_that_stands_twice_spoils_its_object_only() -> None:
    table = read_table(b'[{"id": "A1"}, {"id": "A2", "id": "A3"}]', name="x.json")

    assert [row["id"] for row in table.rows] == ["A1"]
    assert [(row.line, row.column) for row in table.bad] == [(3, "id")]


@pytest.mark.parametrize(
    "cell",
    [
        "-" * 400 + "x",
        "1" * 99_000 + "x",
        "[" + " " * 99_000 + "x]",
        "=" * 1000 + "?",
        ":" * 9000,
    ],
)
def test_a_long_odd_cell_is_read_at_once(cell: str) -> None:
    text = f"id,reviewer,score\n{cell},{cell},{cell}\n{cell},a,{cell}\n"

    began = time.process_time()
    for one in (text, text.replace("reviewer", "x"), f"{cell},{cell}\n" * 3):
        with contextlib.suppress(InvalidInputError):
            read_table(one.encode())
            read_scores(one.encode(), scale="0..5")

    assert time.process_time() - began < 10  # what backtracks takes years
