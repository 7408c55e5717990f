"""Lists at the command: every messy file by the one path, lists that come again, rows to cure."""

import csv
from pathlib import Path

import pytest

from tests.cli.office import Office


DATA = Path(__file__).parents[2] / "files" / "data"


def people(office: Office) -> dict[str, str]:
    found = office.ask("applications", "list", "ms")["applications"]
    return {one["applicant"]: one["name"] for one in found}


def test_messy_files_come_in_by_the_command_as_their_manifest_expects(office: Office) -> None:
    office.new_cycle()

    def brought(name: str, *options: str) -> int:
        said = office.ask("applications", "import", "ms", str(DATA / name), *options)
        return int(said["imported"])

    assert brought("01_utf8_bom_quoted.csv") == 6
    assert brought("02_semicolon_decimal_comma_cp1252.csv") == 5
    assert brought("05_excel_dates_leading_zeros.xlsx") == 4
    assert brought("07_blank_rows_and_columns.csv") == 3
    assert brought("08_utf16le_tab.txt") == 3
    assert brought("15_greenhouse_prospects.csv", "--key", "email") == 2
    assert brought("15_greenhouse_prospects.csv") == 0
    assert brought("01_utf8_bom_quoted.csv", "--key", "id") == 0

    assert len(people(office)) == 23
    assert people(office)["0007116"] == "Seán O’Neill"
    assert people(office)["0000012"]


def test_a_conflicting_file_brings_nobody_and_leaves_its_rows_to_be_cured(office: Office) -> None:
    office.new_cycle()
    cure = office.folder / "cure.csv"

    said = office.run(
        "applications", "import", "ms", str(DATA / "04_duplicate_ids.csv"), "--errors", str(cure)
    )

    assert said.code == 2
    assert "line 6" in said.err
    assert "line 8" in said.err
    assert people(office) == {}
    with cure.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["line"], row["Applicant ID"], row["Region"]) for row in rows] == [
        ("6", "B102", "Europe"),
        ("8", "", "Asia"),
    ]
    assert rows[1]["what is wrong"] == "Applicant ID: the id is missing"


def test_a_list_again_is_checked_first_and_changes_only_what_staff_left(office: Office) -> None:
    office.new_cycle()
    first = office.write("first.csv", "code,who,mail\na1,Ann,a@e.org\na2,Bo,b@e.org\n")
    columns = ("--column", "code=external_id", "--column", "who=name")
    office.do("applications", "import", "ms", first, *columns)
    office.do("applications", "correct", "ms", "a2", "--name", "Bob", "--reason", "he wrote")
    again = office.write("again.csv", "code,who,mail\na1,Anna,a@e.org\na2,Bo B,b@e.org\na3,Cy,\n")

    checked = office.ask("applications", "import", "ms", again, "--check")
    told = office.do("applications", "import", "ms", again)
    same = office.ask("applications", "import", "ms", again)

    assert (checked["new"], checked["changed"], checked["present"]) == (1, 1, 1)
    assert checked["imported"] == 0
    assert "1 applicant imported, 1 changed, 1 were there already" in told.out
    assert "stays: changed by staff" in told.out
    assert "as in the last list, columns are taken for what was said then" in told.err
    assert (same["imported"], same["changed"], same["present"]) == (0, 0, 3)
    assert people(office) == {"a1": "Anna", "a2": "Bob", "a3": "Cy"}


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--field", "city"], "--field 'city' cannot be read"),
        ([], "say what to correct: --name, --email or --field NAME=VALUE"),
    ],
)
def test_a_correction_says_what_it_lacks(office: Office, options: list[str], says: str) -> None:
    office.new_cycle()

    said = office.run("applications", "correct", "ms", "a1", *options)

    assert (said.code, says in said.err) == (2, True)


def test_an_address_under_two_ids_is_told_once(office: Office) -> None:
    office.new_cycle()
    rows = [
        {"id": "b1", "name": "Ann One", "email": "same@example.org"},
        {"id": "b2", "name": "Bea Two", "email": "same@example.org"},
    ]

    said = office.do("applications", "import", "ms", office.write("two.csv", rows), "--check")

    assert (said.out + said.err).count("same@example.org") == 1
    assert "merge or remove one" in said.out + said.err


def test_columns_are_chosen_at_the_command_and_each_is_told(office: Office) -> None:
    office.new_cycle()
    file = office.write("list.csv", "id,name,statement,Telefon,motto\nK1,Zoë,I am Zoe,030,hm\n")

    def told() -> dict[str, str]:
        columns = office.ask("applications", "columns", "ms")["columns"]
        return {one["column"]: one["reviewers_see"] for one in columns}

    first = office.do("applications", "import", "ms", file)
    hidden = told()
    office.do("applications", "import", "ms", file, "--show-proposed", "--show", "motto")
    shown = told()
    office.do("applications", "columns", "ms", "--hide", "motto", "--show", "Telefon")
    wrong = office.run("applications", "columns", "ms", "--show", "Handy")

    assert "columns for reviewers: 0 shown, 1 hidden, 2 new to decide" in first.out
    assert hidden == {"statement": "no", "Telefon": "no", "motto": "no"}
    assert shown == {"statement": "masked", "Telefon": "no", "motto": "yes"}
    assert told() == {"statement": "masked", "Telefon": "yes", "motto": "no"}
    assert wrong.code != 0
    assert "there is no column 'Handy'" in wrong.err


def test_people_are_found_by_the_command_without_their_accents(office: Office) -> None:
    office.new_cycle()
    rows = [{"id": "1", "name": "Nguyễn Thị Hoa"}, {"id": "2", "name": "Ada Lovelace"}]
    office.do("applications", "import", "ms", office.write("people.csv", rows))
    roster = [{"id": "r1", "name": "Jörg Müller"}, {"id": "r2", "name": "Grace Hopper"}]
    office.do("reviewers", "import", "ms", office.write("roster.csv", roster))

    found = office.ask("applications", "list", "ms", "--find", "Nguyen")["applications"]
    reviewers = office.ask("reviewers", "list", "ms", "--find", "mueller")["reviewers"]

    assert [one["applicant"] for one in found] == ["1"]
    assert [one["reviewer"] for one in reviewers] == ["r1"]


def _statuses(office: Office) -> dict[str, str]:
    found = office.ask("applications", "list", "ms")["applications"]
    return {one["applicant"]: one["status"] for one in found}


@pytest.mark.parametrize(
    ("header", "yes", "no"),
    [
        ("withdraw", "yes", ""),
        ("Withdrawn", "x", "no"),
        ("withdrawal date", "2026-11-03", ""),
        ("status", "Withdrawn", "Submitted"),
        ("Application status", "WITHDRAWN BY APPLICANT", "under review"),
        ("Bewerbungsstatus", "zurückgezogen", "eingereicht"),
        ("Rückzug am", "3.11.2026", ""),
        ("statut", "Candidature retirée", "soumise"),
        ("estado", "Retirada", "enviada"),
    ],
)
def test_a_column_that_says_who_withdrew_is_recognised(
    office: Office, header: str, yes: str, no: str
) -> None:
    office.new_cycle()
    rows = [{"id": "1", "name": "Ann", header: yes}, {"id": "2", "name": "Bo", header: no}]

    said = office.do("applications", "import", "ms", office.write("people.csv", rows))

    assert _statuses(office) == {"1": "withdrawn", "2": "ready"}
    assert "withdrawn or ineligible by the list: 1" in said.err


def test_a_later_list_withdraws_and_brings_nobody_back(office: Office) -> None:
    office.launched()
    first = office.ask("applications", "list", "ms")["applications"][0]

    def told(status: str) -> tuple[str, str]:
        rows = [{"id": first["applicant"], "status": status}, {"id": "new", "status": "draft"}]
        said = office.do("applications", "import", "ms", office.write("later.csv", rows))
        return said.out, said.err

    out, _ = told("withdrawn")
    assert "1 changed" in out
    assert _statuses(office)[first["applicant"]] == "withdrawn"
    assert _statuses(office)["new"] == "incomplete"
    _, err = told("submitted")
    assert _statuses(office)[first["applicant"]] == "withdrawn"
    assert "a list brings nobody back" in err

    office.do("applications", "reinstate", "ms", first["applicant"])
    out, _ = told("withdrawn")
    assert "stays: changed by staff" in out
    assert _statuses(office)[first["applicant"]] == "ready"


def test_a_status_that_says_nothing_here_stays_a_field_or_is_named(office: Office) -> None:
    office.new_cycle()
    rows = [{"id": "1", "status": "Phone screen"}, {"id": "2", "status": "Onsite"}]
    office.do("applications", "import", "ms", office.write("one.csv", rows))
    kept = office.ask("applications", "list", "ms")["applications"]
    assert kept[0]["fields"] == {"status": "Phone screen"}

    rows = [{"id": "3", "status": "Phone screen"}, {"id": "4", "status": "withdrawn"}]
    said = office.do("applications", "import", "ms", office.write("two.csv", rows), "--anew")
    assert "'Phone screen'" in said.err
    assert _statuses(office) == {"1": "ready", "2": "ready", "3": "ready", "4": "withdrawn"}


def test_a_cell_that_says_neither_is_refused_by_line(office: Office) -> None:
    office.new_cycle()
    rows = [{"id": "1", "withdrawn": "perhaps"}]

    said = office.run("applications", "import", "ms", office.write("people.csv", rows))

    assert said.code == 2
    assert "line 2" in said.err
    assert "whether the applicant withdrew" in said.err
