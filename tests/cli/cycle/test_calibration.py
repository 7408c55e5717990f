"""`swapflow cycle calibration`: agreement, groups, and lists by other estimates."""

import json

from tests.cli.office import REVIEWERS, Office, _reviewer


def scored(office: Office, *, apart: bool = False) -> None:
    """Fourteen applicants with two reviews each."""
    office.new_cycle(budget=2000)
    office.people(applicants=14)
    if apart:
        fourth = office.write("fourth.csv", [*REVIEWERS, _reviewer("fay", "review")])
        office.do("reviewers", "import", "ms", fourth)
        ids = [f"a{number}" for number in range(1, 15)]
        rows = [
            {"applicant_id": name, "reviewer_id": by}
            for n, name in enumerate(ids)
            for by in (("ada", "ben") if n % 2 else ("cyd", "fay"))
        ]
        office.do("reviewers", "panel", "ms", office.write("panel.csv", rows))
    office.do("cycle", "launch", "ms")
    office.turn()
    office.answer_all()
    if apart:
        for task in office.tasks("fay"):
            office.answer(task, "fay")
    office.turn()


def test_agreement_and_the_effect_on_the_list_are_told_and_no_severity(office: Office) -> None:
    scored(office)

    said = office.do("cycle", "calibration", "ms").out
    told = office.ask("cycle", "calibration", "ms")

    assert "3 reviewers gave scores, and all can be compared" in said
    assert "ICC of one" in said
    assert "The list is made by adjusted estimates." in said
    assert "--use raw --reason" in said
    assert [len(group) for group in told["groups"]] == [3]
    assert (told["measured"]["judges"], told["reviewers"]) == ([], {}), "shown to who asks"
    assert len(told["rows"]) == 14


def test_a_disconnected_graph_of_reviewers_is_named(office: Office) -> None:
    scored(office, apart=True)

    said = office.do("cycle", "calibration", "ms").out

    assert "! 2 groups of reviewers cannot be compared with each other" in said
    assert "  - ada, ben\n" in said
    assert "  - cyd, fay\n" in said


def test_a_list_by_raw_marks_is_asked_for_with_a_reason_and_undone(office: Office) -> None:
    scored(office)

    assert office.run("cycle", "calibration", "ms", "--use", "raw").code == 2
    assert office.run("cycle", "calibration", "ms", "--reason", "so").code == 2
    told = office.ask("cycle", "calibration", "ms", "--use", "raw", "--reason", "we agreed so")
    assert told["estimates"] == "raw"
    assert office.ask("cycle", "calibration", "ms")["in_force"] == "raw"
    office.do("cycle", "calibration", "ms", "--use", "rule", "--reason", "back again")

    assert office.ask("cycle", "calibration", "ms")["in_force"] == "adjusted"
    office.do("cycle", "oversight", "ms", "--out", "log.json")
    acts = json.loads((office.folder / "log.json").read_text())["acts"]
    assert [
        (a["what"], a["reason"], a["departs"]) for a in acts if "list is made" in a["what"]
    ] == [
        ("changed the rules: the list is made by marks as they were given", "we agreed so", True),
        ("changed the rules: the list is made by the rule's own estimates", "back again", True),
    ]
    office.do("cycle", "verify", "ms", "--record-only")


def test_a_cycle_that_was_not_launched_has_nothing_to_compare(office: Office) -> None:
    office.new_cycle()

    said = office.run("cycle", "calibration", "ms")

    assert said.code == 2
    assert "not launched" in said.err
