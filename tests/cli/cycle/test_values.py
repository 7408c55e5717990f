"""One value in several spellings is named, mended by one command, and remembered."""

import pytest

from tests.cli.office import Office


QUOTA = '[[quotas]]\nattribute = "site"\nvalue = "North"\nminimum = 1\n'
PEOPLE = [
    {"id": "A1", "site": "South"},
    {"id": "A2", "site": "North"},
    {"id": "A3", "site": "South"},
    {"id": "A4", "site": "NORTH "},
    {"id": "A5", "site": "North."},
]


def limited(office: Office, quota: str = QUOTA) -> None:
    rules = office.new_cycle()
    rules.write_text(rules.read_text(encoding="utf-8") + "\n" + quota, encoding="utf-8")
    office.do("cycle", "rules", "ms", "--set", str(rules), "--reason", "a quota")


def imported(office: Office, rows: list[dict[str, str]], name: str = "people.csv") -> str:
    return office.do("applications", "import", "ms", office.write(name, rows)).err


def sites(office: Office) -> dict[str, str]:
    found = office.ask("applications", "list", "ms")["applications"]
    return {one["applicant"]: one["attributes"]["site"] for one in found}


def test_spellings_are_named_at_import_and_at_launch_and_mended_once_for_all(
    office: Office,
) -> None:
    limited(office)
    roster = [{"id": "r1", "email": "r1@example.org"}, {"id": "r2", "email": "r2@example.org"}]
    office.do("reviewers", "import", "ms", office.write("roster.csv", roster))

    said = imported(office, PEOPLE)
    checked = office.do("cycle", "launch", "ms", "--check").out

    for told in (said, checked):
        assert "site: 'North' (1), 'NORTH' (1), 'North.' (1) are perhaps one value" in told

    mended = office.do("applications", "values", "ms", "--mend").out
    assert "2 applicants changed" in mended
    assert sites(office) == {
        "A1": "South",
        "A2": "North",
        "A3": "South",
        "A4": "North",
        "A5": "North",
    }
    assert "perhaps one value" not in office.do("cycle", "launch", "ms", "--check").out

    again = imported(office, [*PEOPLE, {"id": "A6", "site": "NORTH"}], "again.csv")
    assert "perhaps one value" not in again
    assert "'NORTH' is taken for 'North' in 2 rows, as said before" in again
    assert sites(office)["A6"] == "North"
    assert sites(office)["A4"] == "North"
    changed = imported(office, [{"id": "A4", "site": "South"}], "moved.csv")
    assert changed == ""
    assert sites(office)["A4"] == "South", "a later list may move somebody"


def test_joining_is_undone_and_kept_apart_for_good(office: Office) -> None:
    limited(office)
    imported(office, PEOPLE)
    office.do("applications", "values", "ms", "--mend")
    imported(office, [{"id": "A6", "site": "NORTH"}], "later.csv")

    told = office.do(
        "applications", "values", "ms", "--attribute", "site", "--apart",
        "--spelling", "NORTH", "--spelling", "North.", "--spelling", "North",
    ).out  # fmt: skip

    assert "3 applicants changed back" in told
    assert "perhaps one value" not in told
    assert sites(office)["A6"] == "NORTH"
    assert sites(office)["A5"] == "North."
    assert "perhaps one value" not in imported(office, PEOPLE, "again.csv")


@pytest.mark.parametrize(
    ("there", "near"),
    [("NORTH", True), ("north-", True), ("Norht", True), ("Northern", True), ("South", False)],
)
def test_a_quota_on_a_value_that_nobody_has_names_the_near_spelling(
    office: Office, there: str, near: bool
) -> None:
    limited(office, QUOTA.replace("minimum", "maximum"))

    said = imported(office, [{"id": "A1", "site": there}, {"id": "A2", "site": "Centre"}])
    checked = office.do("cycle", "launch", "ms", "--check").out

    for told in (said, checked):
        assert "'North'" in told
        assert (repr(there) in told) == near


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Südwest", "Suedwest"),
        ("São Paulo", "Sao Paulo"),
        ("non-profit", "Nonprofit"),
        ("Engineering", "Enginering"),
    ],
)
def test_other_spellings_are_named(office: Office, one: str, other: str) -> None:
    limited(office)
    said = imported(office, [{"id": "A1", "site": one}, {"id": "A2", "site": other}])
    assert f"{one!r} (1), {other!r} (1) are perhaps one value" in said


@pytest.mark.parametrize(("one", "other"), [("Site 1", "Site 2"), ("Iran", "Iraq"), ("A", "B")])
def test_other_values_are_not(office: Office, one: str, other: str) -> None:
    limited(office)
    said = imported(office, [{"id": "A1", "site": one}, {"id": "A2", "site": other}])
    assert "perhaps one value" not in said


def test_half_of_the_options_is_refused(office: Office) -> None:
    limited(office)
    said = office.run("applications", "values", "ms", "--attribute", "site")
    assert said.code == 2
    assert "--into" in said.err
