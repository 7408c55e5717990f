"""A whole small cycle by commands alone, with Redis away all the time."""

import csv
import json
from pathlib import Path

from tests.cli.office import Office


def test_a_cycle_runs_from_an_empty_folder_to_a_list_by_commands_alone(office: Office) -> None:
    office.launch()

    reason = office.run_until_proposed()
    listed = office.ask("cycle", "finalize", "ms", "--by", "Chair", "--out", "list")

    assert reason == "proposed"
    assert len(listed["selected"]) == 2
    assert set(listed["selected"]) < {"a2", "a4", "a6"}, "the even ones have the high marks"
    assert len(listed["waitlist"]) == 4
    assert listed["signed_by"] == ["Chair"]
    names = {Path(file).name for file in listed["files"]}
    assert names == {
        "cohort.csv", "waitlist.csv", "evidence.csv", "outcomes.csv", "method.md", "method.json"
    }  # fmt: skip
    with Path("list/cohort.csv").open(encoding="utf-8-sig", newline="") as file:
        assert {row["external_id"] for row in csv.DictReader(file)} == set(listed["selected"])
    assert office.ask("cycle", "verify", "ms", "--record-only")["passed"]


def test_every_floor_is_met_and_the_budget_kept(office: Office) -> None:
    office.launched()
    office.run_until_proposed()

    status = office.ask("cycle", "status", "ms")

    reviews, interviews = status["kinds"]
    assert reviews["done"] >= 12
    assert interviews["done"] >= 2
    assert status["floors_missing"] == 0
    assert status["spent"] + status["committed"] <= status["budget"] == 800


def test_people_may_decide_otherwise_and_the_record_says_so(office: Office) -> None:
    office.launched()
    office.run_until_proposed()
    proposed = _proposed(office)
    out, put_in = proposed["selected"][0], proposed["waitlist"][-1]

    listed = office.ask(
        "cycle", "finalize", "ms", "--by", "Chair", "--select", put_in, "--leave-out", out,
        "--reason", "a place tied to a project",
    )  # fmt: skip

    assert put_in in listed["selected"]
    assert out in listed["waitlist"]
    place = next(p for p in listed["places"] if p["applicant"] == put_in)
    assert (place["proposed"], place["decision"]) == ("waitlist", "selected")
    assert place["reason"] == "a place tied to a project"


def test_a_fixed_list_is_reopened_by_two_people_and_keeps_its_first_version(
    office: Office,
) -> None:
    office.launched()
    office.run_until_proposed()
    office.do("cycle", "finalize", "ms", "--by", "Chair")

    alone = office.run("cycle", "reopen", "ms", "--by", "A", "--by", "A", "--reason", "an appeal")
    opened = office.ask("cycle", "reopen", "ms", "--by", "A", "--by", "B", "--reason", "an appeal")
    again = office.ask("cycle", "finalize", "ms", "--by", "Chair")

    assert alone.code == 2
    assert opened["next_version"] == again["version"] == 2


def test_a_paused_cycle_takes_scores_and_sends_nothing(office: Office) -> None:
    office.launched()
    office.do("cycle", "pause", "ms", "--reason", "holidays")

    count = office.answer_all()
    office.turn()
    waiting = sum(len(office.tasks(reviewer)) for reviewer in ("ada", "ben", "cyd"))
    office.do("cycle", "resume", "ms")
    office.turn()

    assert count >= 12
    assert waiting == 0
    assert office.ask("cycle", "status", "ms")["status"] in {"running", "proposed"}


def test_watch_ends_by_itself_when_the_cycle_is_over(office: Office) -> None:
    office.launched()
    office.do("cycle", "stop", "ms", "--reason", "enough")

    seen = office.do("cycle", "watch", "ms", "--every", "0.2")

    assert seen.out.startswith("ms ended: ")


def test_export_writes_lists_scores_rules_and_every_event(office: Office) -> None:
    office.launched()
    count = office.answer_all()

    found = office.ask("cycle", "export", "ms", "--out", "all")

    events = Path("all/events.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(events[-1])["seq"] == len(events)
    with Path("all/scores.csv").open(encoding="utf-8-sig", newline="") as file:
        assert len(list(csv.DictReader(file))) == count > 0
    assert {Path(file).name for file in found["files"]} >= {"rules.toml", "method.json"}


def test_the_budget_changes_by_a_new_version_of_the_rules(office: Office) -> None:
    office.launched()

    changed = office.ask("cycle", "budget", "ms", "900", "--reason", "two more reviewers")

    assert (changed["before"], changed["budget"]) == (800, 900)
    assert office.ask("cycle", "rules", "ms")["rules_version"] == changed["rules_version"]
    assert office.ask("cycle", "status", "ms")["budget"] == 900


def test_an_existing_rules_file_is_taken_as_it_stands(office: Office) -> None:
    rules = office.new_cycle()
    before = rules.read_text(encoding="utf-8")

    made = office.ask(
        "cycle", "new", "other", "--round", "fall", "--template", "hiring", "--out", str(rules)
    )

    assert made["written"] is False
    assert rules.read_text(encoding="utf-8") == before
    assert office.ask("cycle", "status", "other")["places"] == 2


def test_explain_says_why_each_review_was_asked_for(office: Office) -> None:
    office.launched()
    office.answer_all()
    office.turn()

    found = office.ask("cycle", "explain", "ms", "a2")
    plain = office.do("cycle", "explain", "ms", "a2").out

    floors = [asked for asked in found["asked"] if asked["why"] == "floor"]
    assert len(floors) >= 2
    assert all(asked["score"] == 1.0 for asked in floors if asked["score"] is not None)
    assert "everyone gets it" in plain


def test_explain_tells_no_rank_and_no_score_before_a_review_counts(office: Office) -> None:
    office.launched()

    plain = office.do("cycle", "explain", "ms", "a2").out

    assert "no rank yet, as no review counts" in plain
    assert "of 100, margin" not in plain


def _proposed(office: Office) -> dict[str, list[str]]:
    """Fix the list as proposed, reopen it, and give what it was."""
    listed = office.ask("cycle", "finalize", "ms", "--by", "Chair")
    office.do("cycle", "reopen", "ms", "--by", "A", "--by", "B", "--reason", "a second look")
    return {"selected": listed["selected"], "waitlist": listed["waitlist"]}
