"""`swapflow units`: made, listed, moved to, and what a role in one opens at the commands."""

import io

import pytest

from tests.cli.office import Office


def faculties(office: Office) -> None:
    """`ms` in Physics, which is within Science; Arts beside."""
    office.launched()
    (season,) = office.ask("round", "list")["rounds"]
    for words in (("Science",), ("Physics", "--within", "science"), ("Arts",)):
        office.do("units", "new", *words, "--round", season["id"])
    office.do("units", "move", "ms", "physics", "--yes")


def test_units_are_made_filled_and_shown_at_a_terminal(office: Office) -> None:
    faculties(office)
    office.do("user", "add", "dean@example.org")
    office.do("user", "grant", "dean@example.org", "chair", "--unit", "science")

    listed = office.ask("units", "list")["units"]
    shown = office.do("units", "list").out

    assert [(u["unit"], u["name"], u["programs"], u["roles"]) for u in listed] == [
        ("arts", "Arts", [], []),
        ("science", "Science", [], ["dean@example.org: chair"]),
        ("physics", "Science, Physics", ["ms"], []),
    ]
    assert "Science, Physics" in shown


def test_a_move_says_first_whose_rights_change_and_asks(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    faculties(office)
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    office.do("user", "add", "dean@example.org")
    office.do("user", "grant", "dean@example.org", "chair", "--unit", "science")

    looked = office.ask("units", "move", "ms", "arts", "--check")
    said = office.do("units", "move", "ms", "arts", "--check").out
    asked = office.run("units", "move", "ms", "arts")
    still = {u["unit"]: u["programs"] for u in office.ask("units", "list")["units"]}
    office.do("units", "move", "ms", "--none", "--yes")

    (dean,) = looked["changed"]
    assert (looked["before"], looked["unit"], looked["moved"]) == ("physics", "arts", False)
    assert dean["email"] == "dean@example.org"
    assert "sign" in dean["lost"]
    assert "dean@example.org loses in ms: " in said
    assert asked.code != 0
    assert "dean@example.org loses in ms: " in asked.err
    assert still["physics"] == ["ms"]
    assert all(not u["programs"] for u in office.ask("units", "list")["units"])


def test_a_unit_is_renamed_and_removed_once_nothing_is_in_it(office: Office) -> None:
    faculties(office)

    office.do("units", "rename", "physics", "Physics and Optics")
    full = office.run("units", "remove", "physics")
    office.do("units", "move", "ms", "--none", "--yes")
    office.do("units", "remove", "physics")
    office.do("units", "remove", "science")

    assert full.code == 4
    assert "was not removed" in full.err
    assert [u["unit"] for u in office.ask("units", "list")["units"]] == ["arts"]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("units", "new", "Law", "--round", "nowhere"), 3),
        (("units", "new", "Law", "--round", "fall", "--within", "nowhere"), 3),
        (("units", "new", " ", "--round", "fall"), 2),
        (("units", "new", "Law", "--round", "fall", "--id", "Law!"), 2),
        (("units", "rename", "nowhere", "Law"), 3),
        (("units", "remove", "nowhere"), 3),
        (("units", "move", "ms"), 2),
        (("units", "move", "ms", "arts", "--none"), 2),
        (("units", "move", "ms", "nowhere", "--yes"), 3),
        (("user", "grant", "eve@example.org", "chair", "--unit", "nowhere"), 3),
        (("user", "grant", "eve@example.org", "chair", "--unit", "arts", "--cycle", "ms"), 2),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_cannot_be_done_is_said_and_changes_nothing(
    office: Office, words: tuple[str, ...], code: int
) -> None:
    faculties(office)
    office.do("user", "add", "eve@example.org")
    before = office.ask("units", "list")

    refused = office.run(*words)

    assert (refused.code, refused.out) == (code, "")
    assert office.ask("units", "list") == before


@pytest.mark.parametrize(("unit", "code"), [("physics", 0), ("science", 0), ("arts", 1)])
def test_severity_is_shown_to_the_calibration_role_of_the_programs_unit(
    office: Office, unit: str, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    faculties(office)
    office.do("user", "add", "cal@example.org")
    office.do("user", "grant", "cal@example.org", "calibration", "--unit", unit)
    monkeypatch.setenv("SWAPFLOW_USER", "cal@example.org")

    shown = office.run("cycle", "calibration", "ms", "--severity")

    assert (shown.code != 0) == (code != 0), shown
