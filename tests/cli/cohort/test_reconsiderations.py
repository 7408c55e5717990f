"""One application reconsidered by commands alone."""

import json
from pathlib import Path

import pytest

from tests.cli.office import REVIEW_MARKS, Office


RESERVE = [
    {
        "reviewer_id": name,
        "name": f"{name.capitalize()} Reserve",
        "email": f"{name}@example.org",
        "kinds": "review",
        "reserve": "yes",
    }
    for name in ("fay", "gus", "hal")
]


@pytest.fixture
def fixed(office: Office) -> Office:
    """A fixed list of two, four on the waitlist, and three reviewers in the reserve."""
    office.launched()
    office.run_until_proposed()
    office.do("cycle", "finalize", "ms", "--by", "Chair")
    office.do("reviewers", "import", "ms", office.write("reserve.csv", RESERVE))
    return office


def opened(office: Office, applicant: str, *more: str) -> None:
    office.do(
        "cycle", "reconsider", "open", "ms", applicant, "--reason", "the wrong file was read",
        "--asked-by", "the applicant", "--asked-on", "2027-05-04", *more,
    )  # fmt: skip
    office.turn()


def answered(office: Office, mark: int) -> list[str]:
    who = []
    for name in ("ada", "ben", "cyd", "fay", "gus", "hal"):
        for task in office.tasks(name):
            marks = [f"--mark={criterion}={mark}" for criterion in REVIEW_MARKS]
            office.do("inbox", "score", str(task["task"]), "--reviewer", name, *marks)
            who.append(name)
    office.turn()
    return who


def lists(office: Office) -> tuple[list[str], list[str]]:
    """Who is selected and who waits, as the exported lists of the latest version say."""
    office.do("cycle", "export", "ms", "--out", "all", "--format", "json")
    read = {
        name: json.loads(Path(f"all/{name}.json").read_text(encoding="utf-8"))
        for name in ("outcomes", "waitlist")
    }
    outcomes = {row["external_id"]: row["decision"] for row in read["outcomes"]}
    return (
        sorted(n for n, outcome in outcomes.items() if outcome == "selected"),
        [row["external_id"] for row in read["waitlist"]],
    )


def test_a_person_is_added_by_fresh_reviews_two_names_and_nobody_else_moves(
    fixed: Office,
) -> None:
    selected, waiting = lists(fixed)
    applicant = waiting[0]
    opened(fixed, applicant)
    again = fixed.run(
        "cycle", "reconsider", "open", "ms", applicant, "--reason", "x", "--asked-by", "y"
    )
    early = fixed.run("cycle", "reconsider", "conclude", "ms", applicant, "--by", "A", "--by", "B")
    who = answered(fixed, 5)
    shown = fixed.ask("cycle", "reconsider", "show", "ms", applicant)
    said = fixed.do("cycle", "reconsider", "show", "ms", applicant).out
    full = fixed.run(
        "cycle", "reconsider", "conclude", "ms", applicant, "--by", "A", "--by", "B",
        "--result", "added", "--reason", "as the marks say",
    )  # fmt: skip
    made = fixed.ask(
        "cycle", "reconsider", "conclude", "ms", applicant, "--by", "A", "--by", "B",
        "--result", "added", "--reason", "as the marks say", "--beyond",
    )  # fmt: skip

    assert set(who) < {"fay", "gus", "hal"}
    assert len(who) == 2
    assert (again.code, early.code, full.code) == (4, 2, 2)
    assert "is open already" in again.err
    assert "new reviews are not in yet" in early.err
    assert "--beyond" in full.err
    assert (shown["received"], shown["waiting"], shown["places_held"]) == (2, 0, 2)
    assert "2 of 2 new reviews came, 0 still out" in said
    assert (made["result"], made["version"], made["beyond_the_places"]) == ("added", 2, True)
    after, still = lists(fixed)
    assert after == sorted([*selected, applicant])
    assert still == [name for name in waiting if name != applicant]
    assert fixed.ask("cycle", "verify", "ms", "--record-only")["passed"]
    fixed.do("cycle", "bundle", "ms", "--out", "ms.bundle")
    assert fixed.ask("verify", "ms.bundle")["passed"]


def test_it_is_undone_until_a_place_was_offered_and_the_log_says_all_of_it(
    fixed: Office,
) -> None:
    before = lists(fixed)
    applicant = before[1][-1]
    opened(fixed, applicant, "--reviews", "1")
    answered(fixed, 5)
    conclude = (
        "cycle", "reconsider", "conclude", "ms", applicant, "--by", "A", "--by", "B",
        "--result", "added", "--reason", "the marks were swapped", "--beyond",
    )  # fmt: skip
    fixed.do(*conclude)
    undone = fixed.ask(
        "cycle", "reconsider", "undo", "ms", applicant, "--by", "A", "--by", "B",
        "--reason", "a mix-up",
    )  # fmt: skip
    assert undone["version"] == 3
    assert lists(fixed) == before

    opened(fixed, applicant, "--reviews", "1")
    fixed.do(
        "cycle", "reconsider", "take-back", "ms", applicant, "--reason", "they asked us to stop"
    )
    assert sum(len(fixed.tasks(name)) for name in ("fay", "gus", "hal")) == 0
    listed = fixed.ask("cycle", "reconsider", "list", "ms")["reconsiderations"]
    assert [(one["applicant"], one["result"]) for one in listed] == [
        (applicant, "undone"),
        (applicant, "withdrawn"),
    ]
    fixed.do("cycle", "oversight", "ms", "--out", "log.json")
    acts = json.loads(Path("log.json").read_text())["acts"]
    told = {(act["what"], act["about"], act["reason"]) for act in acts if act["departs"]}
    assert (
        "opened a reconsideration, asked by the applicant",
        applicant,
        "the wrong file was read",
    ) in told
    assert (
        "concluded a reconsideration: withdrawn",
        applicant,
        "they asked us to stop",
    ) in told
    fixed.do("cycle", "bundle", "ms", "--out", "ms.bundle")
    assert fixed.ask("verify", "ms.bundle")["passed"]


def test_once_the_list_is_fixed_only_the_reserve_grows(fixed: Office) -> None:
    ordinary = [{**RESERVE[0], "reviewer_id": "ida", "email": "ida@example.org", "reserve": ""}]
    wrong = [{**RESERVE[0], "reviewer_id": "ivo", "email": "", "reserve": "perhaps"}]

    refused = fixed.run("reviewers", "import", "ms", fixed.write("more.csv", ordinary))
    unread = fixed.run("reviewers", "import", "ms", fixed.write("odd.csv", wrong))

    assert refused.code == unread.code == 2
    assert "Write yes or no" in unread.err
    roster = fixed.ask("reviewers", "list", "ms")["reviewers"]
    assert {r["reviewer"] for r in roster if r["reserve"]} == {"fay", "gus", "hal"}
    assert "in reserve" in fixed.do("reviewers", "list", "ms").out


def test_a_day_that_is_none_is_refused_with_its_cure(fixed: Office) -> None:
    said = fixed.run(
        "cycle", "reconsider", "open", "ms", "a1", "--reason", "x", "--asked-by", "y",
        "--asked-on", "yesterday",
    )  # fmt: skip

    assert said.code == 2
    assert "write it like 2027-05-04" in said.err
