"""Rosters at the command: what a person at the machine may name that an upload may not."""

from pathlib import Path

from swapflow import bootstrap
from swapflow.engine.ports.automatic_reviewer import Question
from swapflow.settings import load_settings
from tests.cli.office import Office


TRUTH = "item_id,true_utility\nA1,0.25\n"


AUTOMATIC = """
[automatic]
purpose = "a trial"
approver = "A. Person"
date = "2026-01-01"
"""


def with_programs(office: Office) -> None:
    """A cycle whose rosters may hold programs."""
    rules = office.new_cycle()
    rules.write_text(rules.read_text() + AUTOMATIC)
    office.do("cycle", "rules", "ms", "--set", str(rules), "--reason", "a trial")


def test_a_file_named_at_the_command_line_is_what_the_worker_reads(office: Office) -> None:
    with_programs(office)
    (office.folder / "truth.csv").write_text(TRUTH)
    roster = office.write("roster.csv", "id,automatic\nrobot,truth:truth.csv?sigma=0&severity=0\n")

    office.do("reviewers", "import", "ms", roster)

    product = bootstrap.swapflow()
    (robot,) = product.reviewers.list("ms")
    assert Path(robot.automatic.partition(":")[2].partition("?")[0]).is_absolute()
    question = Question(
        assignment_id="ms/1",
        application="A1",
        kind="review",
        tier=0,
        ordinal=1,
        gain=1.0,
        reviewer="robot",
    )
    worker = bootstrap.build(load_settings())
    assert worker.context.automatic_reviewers.find(robot.automatic).answer([question]) == [0.25]
    assert product.reviewers.refused_programs("ms") == {}


def test_an_address_inside_is_refused_at_the_command_line_too(office: Office) -> None:
    with_programs(office)
    roster = office.write("roster.csv", "id,automatic\nrobot,https://169.254.169.254/latest\n")

    refused = office.run("reviewers", "import", "ms", roster)

    assert refused.code == 2
    assert "169.254.169.254 is inside a private network" in refused.err
    assert office.ask("reviewers", "list", "ms")["reviewers"] == []


def test_a_late_conflict_says_what_it_took_back_and_which_score_still_counts(
    office: Office,
) -> None:
    office.launched()
    first = office.tasks("ada")[0]
    pair = ("--applicant", office.applicant_of(first), "--reviewer", "ada")

    taken = office.ask("reviewers", "conflicts", "ms", *pair, "--by", "ops")

    assert (taken["taken_back"], taken["scores"]) == (1, [])
    assert first["task"] not in {task["task"] for task in office.tasks("ada")}
    second = office.tasks("ben")[0]
    office.answer(second, "ben")
    applicant = office.applicant_of(second)
    pair = ("--applicant", applicant, "--reviewer", "ben")
    said = office.do("reviewers", "conflicts", "ms", *pair, "--by", "ops")
    assert f"of {applicant} by ben counts although they are in conflict" in said.out
    (score,) = office.ask("cycle", "status", "ms")["conflicting_scores"]
    assert score in said.out
    office.do("reviewers", "waive-conflict", "ms", *pair, "--reason", "never met")
    assert office.ask("cycle", "status", "ms")["conflicting_scores"] == []


def test_a_reviewer_who_is_an_applicant_is_told_by_either_import(office: Office) -> None:
    office.new_cycle()
    applicants = office.write("a.csv", "id,name,email\nA01,Ada,Ada@self.example.org\n")
    roster = office.write("r.csv", "id,email\nr1,ada@self.example.org\n")
    office.do("applications", "import", "ms", applicants)

    said = office.do("reviewers", "import", "ms", roster, "--json")

    assert said.json["own_conflicts"] == [["A01", "r1"]]
    assert "reviewer 'r1' has the mail address of applicant 'A01'" in said.err
