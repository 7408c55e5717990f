"""The library: told marks, it answers; the same marks give the same answers."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import swapflow
from swapflow.bandit.situation import StopReason
from swapflow.errors import InvalidInputError


def told(*, seed: int = 1, count: int = 30, **settings: object) -> swapflow.Advisor:
    advisor = swapflow.Advisor(places=5, seed=7, **settings)  # type: ignore[arg-type]  # tests name fields
    rng = np.random.default_rng(seed)
    for number, deserved in enumerate(rng.normal(0.5, 0.15, count)):
        for reader in rng.choice(8, 2, replace=False):
            mark = float(np.clip(deserved + rng.normal(0, 0.15), 0, 1))
            advisor.tell(f"A{number:02d}", reviewer=f"R{reader}", mark=mark)
    return advisor


def test_a_mark_counts_on_its_scale_and_a_second_one_takes_its_place() -> None:
    advisor = swapflow.Advisor(places=1)
    advisor.tell("A17", reviewer="ana", mark=4, scale=(1, 5))
    advisor.tell("B03", reviewer="ana", mark=2, scale=(1, 5))
    advisor.tell("b03", reviewer="Ana", mark=5, scale=(1, 5))

    assert advisor.marks().marks == 2
    assert [one.applicant for one in advisor.ranking()] == ["B03", "A17"]


def test_nobody_is_asked_twice_about_an_applicant() -> None:
    advisor = told()
    before = {("A00", "R0")}

    asked = [(one.applicant, one.reviewer) for one in advisor.ask(20)]

    assert len(set(asked)) == len(asked) == 20
    given = {(one.applicant, one.reviewer) for one in advisor._told.marks} | before
    assert given.isdisjoint(set(asked) - before)


def test_requests_that_are_out_are_not_asked_for_again_until_their_marks_are_in() -> None:
    advisor = told()
    first = advisor.ask(6)
    waiting = len(advisor.out)
    assert waiting == 6

    advisor.tell(first[0].applicant, reviewer=first[0].reviewer, mark=0.9)

    assert len(advisor.out) == waiting - 1
    again = {(one.applicant, one.reviewer) for one in advisor.ask(6)}
    assert again.isdisjoint({(one.applicant, one.reviewer) for one in first})


def test_the_order_of_telling_does_not_matter() -> None:
    one, other = told(), swapflow.Advisor(places=5, seed=7)
    for mark in reversed(one._told.marks):
        other.tell(mark.applicant, reviewer=mark.reviewer, mark=mark.utility)

    assert other.ranking() == one.ranking()
    assert other.expected_loss() == one.expected_loss()
    assert other.ask(10) == one.ask(10)


def test_a_saved_advisor_answers_as_the_one_that_was(tmp_path: Path) -> None:
    one = told()
    one.ask(4)
    one.save(tmp_path / "advisor.json")

    other = swapflow.Advisor.load(tmp_path / "advisor.json")

    assert other.out == one.out
    assert other.ranking() == one.ranking()
    assert other.ask(5) == one.ask(5)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": 1}', '{"format": 9e999}'])
def test_a_file_that_holds_no_advisor_is_refused_in_words(tmp_path: Path, text: str) -> None:
    (tmp_path / "advisor.json").write_text(text, encoding="utf-8")

    with pytest.raises(InvalidInputError, match="contains no saved advisor"):
        swapflow.Advisor.load(tmp_path / "advisor.json")


def test_a_budget_buys_interviews_too() -> None:
    kinds = [swapflow.Kind(), swapflow.Kind("interview", cost=2, gain=12)]
    advisor = told(kinds=kinds)

    requests = advisor.ask(10, budget=24)

    assert sum(one.cost for one in requests) <= 24
    assert "interview" in {one.kind for one in requests}


def test_a_floor_comes_before_everything_else() -> None:
    advisor = told(kinds=[swapflow.Kind(floor=2)])
    advisor.add_applicant("Z99")

    requests = advisor.ask(5)

    assert [one.applicant for one in requests[:2]] == ["Z99", "Z99"]
    assert requests[0].reason == "has 0 of the 2 that everyone gets (review)"


def test_limits_conflicts_and_absences_are_kept() -> None:
    advisor = told()
    for number in range(8):
        advisor.add_reviewer(f"R{number}", away=True)
    advisor.add_reviewer("new", limits={"review": 3}, conflicts=["A01"])

    requests = advisor.ask(10)

    assert {one.reviewer for one in requests} == {"new"}
    assert len(requests) == 3
    assert "A01" not in {one.applicant for one in requests}


def test_without_names_anybody_new_is_asked() -> None:
    advisor = swapflow.Advisor(places=3)
    advisor.tell_rows(
        {"applicant": f"A{number}", "mark": mark / 10}
        for number in range(10)
        for mark in (number, 9 - number // 2)
    )

    requests = advisor.ask(4)

    assert [one.reviewer for one in requests] == ["", "", "", ""]
    assert advisor.marks().reviewers == 0


def test_more_reviews_are_expected_to_bring_less_and_less() -> None:
    advisor = told(count=60)
    advisor.ask(20)

    loss = advisor.expected_loss()

    assert loss.now > loss.after > loss.after_twice > 0
    assert loss.now - loss.after > loss.after - loss.after_twice


def test_likely_adds_up_to_the_places() -> None:
    assert sum(told().likely().values()) == pytest.approx(5, abs=0.01)


def test_rows_fit_any_table() -> None:
    row = told().ranking()[0].row()

    assert list(row) == [
        "rank", "applicant", "estimate", "low", "high", "likely", "zone", "reviews",
    ]  # fmt: skip
    assert json.loads(json.dumps(row)) == row


def test_a_list_may_spread_over_groups() -> None:
    advisor = swapflow.Advisor(places=4, objective="diverse", over="region")
    for number in range(12):
        region = "north" if number < 9 else "south"
        advisor.tell(f"A{number:02d}", mark=0.9 - number / 20, region=region)

    chosen = {one.applicant for one in advisor.ranking()[:4]}

    assert chosen & {"A09", "A10", "A11"}
    advisor.ask(3)
    assert advisor.expected_loss().now >= 0


@pytest.mark.parametrize(
    ("settings", "code"),
    [
        ({"places": 0}, "advice_places"),
        ({"places": 2, "rule": "best"}, "advice_rule_unknown"),
        ({"places": 2, "rule": "paper"}, "rule_needs_sigma"),
        ({"places": 2, "objective": "diverse"}, "advice_objective"),
        ({"places": 2, "kinds": []}, "advice_kinds"),
    ],
)
def test_settings_that_cannot_be_are_refused(settings: dict[str, object], code: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        swapflow.Advisor(**settings)  # type: ignore[arg-type]  # wrong on purpose

    assert caught.value.code == code


def test_what_is_told_wrongly_is_refused_with_a_cure() -> None:
    advisor = swapflow.Advisor(places=1)

    with pytest.raises(InvalidInputError, match=r"lies outside the scale 1\.\.5; correct it"):
        advisor.tell("A", mark=7, scale=(1, 5))
    with pytest.raises(InvalidInputError, match="no kind of review 'talk'; there are review"):
        advisor.tell("A", mark=0.5, kind="talk")
    with pytest.raises(InvalidInputError, match="row 1 lacks mark"):
        advisor.tell_rows([{"applicant": "A"}])
    with pytest.raises(InvalidInputError, match="leave nothing to decide"):
        advisor.ranking()


@pytest.mark.long
def test_importing_the_library_loads_neither_celery_nor_the_web() -> None:
    code = (
        "import sys, swapflow; a = swapflow.Advisor(places=1); a.tell('A', mark=.1); "
        "a.tell('B', mark=.2); a.ranking(); print(sorted({m.split('.')[0] for m in sys.modules} "
        "& {'celery', 'fastapi', 'starlette', 'sqlalchemy', 'sqlmodel', 'redis', 'openpyxl', "
        "'typer', 'swapflow.web'}))"
    )

    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    )

    assert found.stdout.strip() == "[]"


def test_where_everybody_has_read_everyone_further_reviewers_are_what_lacks() -> None:
    advisor = swapflow.Advisor(places=2)
    for number, mark in enumerate((0.5, 0.6, 0.55, 0.58, 0.4)):
        advisor.tell(f"A{number}", reviewer="Ana", mark=mark + 0.1)
        advisor.tell(f"A{number}", reviewer="Ben", mark=mark - 0.1)

    requests = advisor.ask(3)

    assert (requests, advisor.stop) == ((), StopReason.EXHAUSTED)
    advisor.add_reviewer("Cem")
    assert {one.reviewer for one in advisor.ask(3)} == {"Cem"}
