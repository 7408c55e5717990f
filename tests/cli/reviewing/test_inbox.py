"""A reviewer at a terminal sees own tasks only, and is told what was stored."""

import json
import re
from datetime import date

from tests.cli.office import Office


def test_the_receipt_says_what_is_stored_and_until_when_it_may_be_corrected(
    office: Office,
) -> None:
    office.launched()
    task = office.tasks("ada")[0]["task"]
    marks = ["Academic preparation=5", "Research promise=3", "Fit with the programme=N/A"]

    said = office.do("inbox", "score", task, "--reviewer", "ada", *(f"--mark={m}" for m in marks))

    assert "to be stored: 75.0 of 100" in said.err
    assert "stored: 75.0 of 100" in said.out
    assert "it counts" in said.out
    assert "until the list is final" in said.out


def test_the_receipt_names_no_deadline_that_has_passed(office: Office) -> None:
    rules = office.new_cycle()
    office.people()
    office.do("cycle", "launch", "ms")
    office.turn()

    def receipt(deadline: str) -> str:
        text = re.sub(r"deadline = .*\n", "", rules.read_text(encoding="utf-8"))
        rules.write_text(f"deadline = {deadline}\n{text}", encoding="utf-8")
        office.do("cycle", "rules", "ms", "--set", str(rules), "--reason", "another day")
        task = office.tasks("ada")[0]["task"]
        return office.do("inbox", "score", task, "--reviewer", "ada", "--score", "0.7").out

    assert "(planned for" in receipt("2999-01-31T12:00:00Z")
    passed = receipt("2001-01-31T12:00:00Z")
    assert "planned for" not in passed
    assert "until the list is final" in passed


def test_a_mark_may_be_typed_with_other_capitals(office: Office) -> None:
    office.launched()
    task = office.tasks("ada")[0]["task"]
    marks = ["academic preparation=1", "RESEARCH PROMISE=1", "fit with the programme=n/a"]

    said = office.ask("inbox", "score", task, "--reviewer", "ada", *(f"--mark={m}" for m in marks))

    assert said["marks"] == {
        "Academic preparation": 1,
        "Research promise": 1,
        "Fit with the programme": None,
    }
    assert said["stored"] == 0


def test_points_out_of_a_hundred_and_a_share_are_the_same_score(office: Office) -> None:
    office.launched()
    first, second = (task["task"] for task in office.tasks("ada")[:2])

    share = office.ask("inbox", "score", first, "--reviewer", "ada", "--score", "0.7")
    points = office.ask("inbox", "score", second, "--reviewer", "ada", "--score", "70/100")

    assert share["stored"] == points["stored"] == 70


def test_the_same_answer_twice_gives_the_same_receipt_and_stores_nothing_new(
    office: Office,
) -> None:
    office.launched()
    task = office.tasks("ada")[0]["task"]
    answer = ("inbox", "score", task, "--reviewer", "ada", "--score", "0.7")

    first = office.ask(*answer)
    before = office.dump()
    again = office.ask(*answer)

    assert again["repeated"]
    assert again["stored"] == first["stored"]
    assert office.dump() == before


def test_another_answer_to_an_answered_task_is_refused(office: Office) -> None:
    office.launched()
    task = office.tasks("ada")[0]["task"]
    office.do("inbox", "score", task, "--reviewer", "ada", "--score", "0.7")
    before = office.dump()

    said = office.run("inbox", "score", task, "--reviewer", "ada", "--score", "0.2")

    assert said.code == 4
    assert task in said.err
    assert ":review:" not in said.err, "an id would tell how often one was asked about"
    assert "use a correction" in said.err
    assert office.dump() == before


def test_a_task_of_somebody_else_is_not_there_at_all(office: Office) -> None:
    office.launched()
    task = office.tasks("ada")[0]["task"]
    before = office.dump()

    shown = office.run("inbox", "show", task, "--reviewer", "ben")
    scored = office.run("inbox", "score", task, "--reviewer", "ben", "--score", "0.9")
    declined = office.run("inbox", "decline", task, "--reviewer", "ben", "--kind", "conflict")

    assert [said.code for said in (shown, scored, declined)] == [3, 3, 3]
    assert office.dump() == before


def test_a_reviewer_sees_no_name_no_mail_no_mark_of_others_and_no_count(office: Office) -> None:
    office.launched()
    office.answer_all()
    office.turn()
    said = [office.do("inbox", "list", "ms", "--reviewer", "ada")]
    for task in office.tasks("ada"):
        said += [
            office.do("inbox", "show", task["task"], "--reviewer", "ada"),
            office.do("inbox", "show", task["task"], "--reviewer", "ada", "--json"),
        ]

    text = "\n".join(one.out for one in said)

    assert "Person Number" not in text
    assert "@example.org" not in text
    assert "ms:0:" not in text, "an id would tell how often and in which order one was asked for"
    for other in ("ben", "cyd", "dee", "eli"):
        assert other not in text


def test_show_gives_the_statement_and_the_criteria_with_their_anchors(office: Office) -> None:
    office.launched()
    task = office.tasks("ada")[0]

    shown = office.do("inbox", "show", task["task"], "--reviewer", "ada").out

    assert f"Statement of {office.applicant_of(task)[1:]}" in shown
    assert office.applicant_of(task) not in shown.split()
    assert "own ideas, carried out" in shown
    assert task["task"] in shown


def test_an_opened_task_is_marked_so_and_staff_do_not_open_it(office: Office) -> None:
    office.launched()
    first, second = (task["task"] for task in office.tasks("ada")[:2])

    office.do("inbox", "show", first, "--reviewer", "ada")
    office.do("inbox", "show", second, "--for", "ada", "--by", "olga")

    opened = {task["task"]: task["opened"] for task in office.tasks("ada")}
    assert (opened[first], opened[second]) == (True, False)


def test_staff_who_type_for_a_reviewer_are_both_on_record(office: Office) -> None:
    office.launched()
    task = office.tasks("ada")[0]["task"]

    said = office.ask("inbox", "score", task, "--for", "ada", "--by", "olga", "--score", "0.5")
    row = next(s for s in office.ask("scores", "list", "ms")["scores"] if s["value"] == 50)

    assert (said["reviewer"], said["typed_by"]) == ("ada", "olga")
    assert (row["reviewer"], row["typed_by"]) == ("ada", "olga")


def test_whoever_names_nobody_is_asked_who_they_are(office: Office) -> None:
    office.launched()

    assert office.run("inbox", "list", "ms").code == 2
    assert office.run("inbox", "list", "ms", "--reviewer", "ada", "--by", "olga").code == 2


def test_a_conflict_is_kept_for_good_and_the_task_goes_to_another(office: Office) -> None:
    office.launched()
    task = office.tasks("ada")[0]

    office.do("inbox", "decline", task["task"], "--reviewer", "ada", "--kind", "conflict")
    office.turn()

    others = {
        reviewer: {t["applicant"] for t in office.tasks(reviewer) if t["kind"] == "review"}
        for reviewer in ("ada", "ben", "cyd", "dee", "eli")
    }
    holders = [reviewer for reviewer, tasks in others.items() if task["applicant"] in tasks]
    assert "ada" not in holders
    assert len(holders) >= 2


def test_busy_needs_a_day_and_a_day_needs_busy(office: Office) -> None:
    office.launched()
    task = office.tasks("ada")[0]["task"]
    decline = ("inbox", "decline", task, "--reviewer", "ada", "--kind")

    assert office.run(*decline, "busy").code == 2
    assert office.run(*decline, "conflict", "--until", "2030-01-01").code == 2
    assert office.run(*decline, "busy", "--until", "soon").code == 2
    assert office.run(*decline, "busy", "--until", str(date(2030, 1, 1))).code == 0
    assert "2030-01-01" in json.dumps(office.ask("reviewers", "list", "ms"))
