"""A person at the terminal who reviews in a program is a reviewer first there."""

import pytest

from swapflow.cli.main import command
from swapflow.cli.options import ABOUT_ONE, SHOWS_NOBODY
from tests.cli.commands import leaves
from tests.cli.office import REVIEWERS, Office


def parameters(path: tuple[str, ...]) -> dict[str, object]:
    found: object = command()
    for name in path:
        found = found.commands[name]  # type: ignore[attr-defined]  # a group has commands
    return {one.name: one for one in found.params}  # type: ignore[attr-defined]


def as_reviewer(monkeypatch: pytest.MonkeyPatch, name: str = "ada") -> None:
    monkeypatch.setenv("SWAPFLOW_USER", name)


def test_every_command_about_a_program_asks_whether_its_caller_reviews_there() -> None:
    """A new command is closed to reviewers unless it stands in one of the two lists."""
    silent, about_one = set(), set()
    for path in leaves():
        known = parameters(path)
        cycle, who = known.get("cycle"), known.get("applicant")
        is_argument = getattr(cycle, "param_type_name", "") == "argument"
        if is_argument and path[0] not in {"inbox", "state"}:
            if getattr(cycle, "callback", None) is None:
                silent.add(" ".join(path))
            # An option is read before the program's name, and looked at with it.
            is_option = getattr(who, "param_type_name", "") == "option"
            if is_option or getattr(who, "callback", None) is not None:
                about_one.add(" ".join(path))

    assert silent == set()
    assert ABOUT_ONE - {"cycle put"} <= about_one
    assert {*SHOWS_NOBODY, *ABOUT_ONE} <= {" ".join(path) for path in leaves()} | {"cycle put"}


@pytest.mark.parametrize(
    "arguments",
    [
        ("applications", "list", "ms"),
        ("scores", "list", "ms"),
        ("cycle", "export", "ms"),
        ("cycle", "bundle", "ms"),
        ("cycle", "explain", "ms", "a1"),
        ("cycle", "card", "ms", "a1"),
        ("applications", "hold", "ms", "a1"),
        ("cycle", "pin", "ms", "a1", "in", "--reason", "x"),
        ("reviewers", "waive-conflict", "ms", "--applicant=a1", "--reviewer=ben", "--reason=x"),
        ("reviewers", "lift-bar", "ms", "--applicant=a1", "--reviewer=ben", "--reason=x"),
        ("approvals", "list", "ms"),
        ("reviewers", "sheet", "ms", "--out", "sheets"),
        ("meeting", "show", "ms"),
        ("cycle", "finalize", "ms", "--check"),
    ],
    ids=" ".join,
)
def test_what_shows_applicants_is_closed_to_reviewers_until_asking_ends(
    office: Office, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    office.launched()
    as_reviewer(monkeypatch)

    refused = office.run(*arguments)

    assert refused.code != 0
    assert "you review in this program" in refused.err
    assert "a1" not in refused.out


def test_a_reviewer_is_known_by_id_or_address_and_by_the_name_they_give(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    office.launched()
    address = next(row["email"] for row in REVIEWERS if row["reviewer_id"] == "ada")

    assert office.run("applications", "list", "ms").code == 0
    as_reviewer(monkeypatch, "ADA")
    assert office.run("applications", "list", "ms").code != 0
    as_reviewer(monkeypatch, address.upper())
    assert office.run("applications", "list", "ms").code != 0
    monkeypatch.delenv("SWAPFLOW_USER")
    named = office.run("applications", "hold", "ms", "a1", "--by", "ada")
    assert named.code != 0
    assert "you review in this program" in named.err


def test_how_a_program_stands_is_told_without_names(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    office.launched()
    as_reviewer(monkeypatch)

    shown = office.do("cycle", "status", "ms")

    assert "a1" not in shown.out


def test_an_applicant_is_opened_with_a_reason_and_then_explained(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    office.launched()
    as_reviewer(monkeypatch)

    opened = office.do("applications", "open", "ms", "a1", "--reason", "an appeal", "--json")
    again = office.do("applications", "open", "ms", "a1", "--reason", "an appeal", "--json")

    assert (opened.json["opened"], again.json["opened"]) == (True, False)
    assert "a1" in office.do("cycle", "explain", "ms", "a1").out
    assert office.run("cycle", "explain", "ms", "a2").code != 0


def test_who_does_not_review_opens_nobody(office: Office) -> None:
    office.launched()

    refused = office.run("applications", "open", "ms", "a1", "--reason", "x")

    assert refused.code == 2
    assert "do not review" in refused.err


def test_a_conflict_is_taken_back_and_the_bar_of_a_void_lifted(office: Office) -> None:
    office.launched()
    pair = ("--applicant", "a1", "--reviewer", "ada")
    office.do("reviewers", "conflicts", "ms", *pair)

    office.do("reviewers", "remove-conflict", "ms", *pair, "--reason", "a namesake")
    again = office.run("reviewers", "remove-conflict", "ms", *pair, "--reason", "x")
    lifted = office.run("reviewers", "lift-bar", "ms", *pair, "--reason", "x")

    assert again.code == 2
    assert lifted.code == 2
    assert "nothing to lift" in lifted.err
