"""Lists of known systems, the memory of how columns were taken, people alike, rows to cure."""

import csv
import io

import pytest

from swapflow.errors import BadRow
from swapflow.files.exports.rejected_rows import refused_file
from swapflow.files.imports.import_settings import Reading, reading_of
from swapflow.files.imports.possible_duplicates import ListedPerson, possible_duplicates
from swapflow.files.tables.known_layouts import shape_of
from swapflow.files.tables.table import Table, read_table


SLATE = (
    "Application Reference ID,Person Reference ID,First,Last,Email,Sex,Round,Bin\n"
    "912345678,812345678,Ann,Lee,ann@example.org,F,Fall 2026,Review\n"
)
GREENHOUSE = (
    "First Name,Last Name,Company,Email,Source,Who gets credit,Job,Office,Prospect Pool\n"
    "Ana,Lima,,ana@example.org,Referral,Sam,Engineer,London,\n"
)
GREENHOUSE_WITH_IDS = (
    "Application ID,Candidate ID,First Name,Last Name,Email,Current Stage,Job\n"
    "1,2,Ana,Lima,ana@example.org,Review,Engineer\n"
)


def table(text: str) -> Table:
    return read_table(text.encode(), name="list.csv")


@pytest.mark.parametrize(
    ("text", "system", "key", "columns"),
    [
        (
            SLATE,
            "Slate",
            "id",
            {
                "Application Reference ID": "external_id",
                "Person Reference ID": "field:Person Reference ID",
                "First": "first_name",
                "Last": "last_name",
            },
        ),
        (GREENHOUSE, "Greenhouse", "email", {}),
        (
            GREENHOUSE_WITH_IDS,
            "Greenhouse",
            "id",
            {"Application ID": "external_id", "Candidate ID": "field:Candidate ID"},
        ),
    ],
)
def test_a_list_of_a_known_system_is_recognised(
    text: str, system: str, key: str, columns: dict[str, str]
) -> None:
    shape = shape_of(table(text))

    assert shape is not None
    assert (shape.system, shape.key, dict(shape.columns)) == (system, key, columns)


@pytest.mark.parametrize(
    "text",
    [
        "Ref ID,Name,Email\n1,Ann,a@e.org\n",
        "reference,first_name,last_name,email,stage,job_title,source\n1,A,B,a@e.org,X,Y,Z\n",
        "First,Last\n3,4\n",
    ],
)
def test_an_ordinary_list_is_of_no_system(text: str) -> None:
    assert shape_of(table(text)) is None


def test_what_staff_say_goes_before_the_last_list_and_that_before_the_shape() -> None:
    chosen = Reading(columns={"First": "name"}, dates=("Round",))
    remembered = Reading(
        columns={"Bin": "", "First": "field:First", "Gone": "name"}, key="email", dates=("Gone",)
    ).settings()

    reading, shape, notes = reading_of(table(SLATE), chosen, remembered)

    assert reading.columns["First"] == "name"
    assert reading.columns["Bin"] == ""
    assert reading.columns["Last"] == "last_name"
    assert "Gone" not in reading.columns
    assert (reading.key, reading.dates) == ("email", ("Round",))
    assert shape is not None
    assert [note.split(",")[0].split(";")[0] for note in notes] == [
        "as in the last list",
        "this looks like a list from Slate",
    ]


def test_a_reading_is_kept_and_read_back_whole() -> None:
    reading = Reading(
        columns={"a:b": "external_id", "c": ""},
        key="id",
        dates=("d",),
        date_order="dmy",
    )

    assert Reading.of_settings(reading.settings()) == reading
    assert Reading.of_settings({"key": "nonsense", "date_order": "x", "other": "y"}) == Reading()


def someone(external_id: str, name: str, email: str, *, new: bool = True) -> ListedPerson:
    return ListedPerson(external_id=external_id, name=name, email=email, new=new)


def test_people_with_one_address_or_one_name_are_shown_once() -> None:
    found = possible_duplicates(
        [
            someone("A1", "Zoë Weiß", "zoe@example.org", new=False),
            someone("A2", "Old One", "old@example.org", new=False),
            someone("A3", "Old One", "older@example.org", new=False),
            someone("B1", "Weiss, Zoe", "z@example.org"),
            someone("B2", "Zoe W.", "ZOE@example.org"),
            someone("B3", "", ""),
            someone("B4", "", ""),
        ]
    )

    assert [(one.what, [p.external_id for p in one.people]) for one in found] == [
        ("mail address", ["A1", "B2"]),
        ("name", ["A1", "B1"]),
    ]
    assert str(found[0]) == (
        "the mail address 'zoe@example.org' stands under A1, B2; if that is one person, merge or "
        "remove one"
    )


def test_rows_to_cure_carry_reason_cure_and_their_cells_and_cannot_calculate() -> None:
    read = table("id,name\nA1,=1+1\n,Bo\n")
    bad = [
        BadRow(line=3, column="id", value="", reason="the id is missing", cure="Give one"),
        BadRow(line=2, column="name", value="=1+1", reason="no", cure="yes"),
        BadRow(line=2, column="id", value="", reason="nor this", cure="yes"),
    ]

    rows = list(csv.DictReader(io.StringIO(refused_file(read, bad).decode("utf-8-sig"))))

    assert [row["line"] for row in rows] == ["2", "3"]
    assert rows[0]["what is wrong"] == "name: no (=1+1)\nid: nor this"
    assert (rows[0]["cure"], rows[0]["name"]) == ("yes", "\t=1+1")
    assert rows[1]["name"] == "Bo"
