"""A change of the rules says what it does to scores and list, before and after it is in force."""

from dataclasses import replace

import pytest

from swapflow.bootstrap import in_process
from swapflow.domain.people.application import NewApplication
from swapflow.domain.people.reviewer import NewReviewer
from swapflow.domain.reviewing.score import Answer
from swapflow.domain.rules import Criterion, Floor, KindRules, Rubric, RuleName, Rules, SeatLine
from swapflow.engine.lifecycle.rules_effect import RulesEffect
from swapflow.engine.services import Swapflow


FIVE = tuple((float(mark), f"means {mark}") for mark in range(1, 6))
GIVEN = {"ann": (5, 1), "bob": (1, 4), "cem": (2, 2), "dan": (3, 3)}
"""Marks for depth and clarity."""


def rules(*, weights: tuple[float, float] = (1.0, 1.0), seats: int = 1, places: int = 2) -> Rules:
    criteria = tuple(
        Criterion(name=name, marks=FIVE, weight=weight)
        for name, weight in zip(("Depth", "Clarity"), weights, strict=True)
    )
    return Rules(
        version=1,
        lines=(SeatLine(name="all", places=places),),
        kinds=(KindRules(name="review", cost=1, gain=1.0, maximum=1, seats=seats),),
        rubrics=(Rubric(kind="review", version=1, criteria=criteria),),
        floors=(Floor(kind="review", count=1),),
        budget=20,
        rule=RuleName.BUDGET,
        severity=False,
    )


def office(first: Rules) -> Swapflow:
    product, _ = in_process(lambda _product, _messages: None)
    product.cycles.new_round("fall", name="Fall")
    product.cycles.new("fall", round_id="fall", rules=first, by="staff")
    people = [
        NewApplication(external_id=name, selection={}, monitor={}, fields={}) for name in GIVEN
    ]
    product.applicants.import_all("fall", people)
    roster = [
        NewReviewer(external_id=f"r{n}", capacity={"review": None}, packet=9) for n in (1, 2, 3)
    ]
    product.reviewers.import_all("fall", roster)
    product.cycles.launch("fall", by="staff")
    coordinator = product.cycles.coordinator()
    while coordinator.turn():
        pass
    return product


def answered(first: Rules) -> Swapflow:
    """An office in which every request was answered."""
    product = office(first)
    names = {a.number: a.external_id for a in product.applicants.list("fall")}
    for reviewer in ("r1", "r2", "r3"):
        for one in product.tasks.inbox("fall", reviewer):
            depth, clarity = GIVEN[names[one.application]]
            marks: dict[str, float | None] = {"Depth": depth, "Clarity": clarity}
            product.tasks.submit([Answer(assignment_id=one.id, marks=marks)])
    return product


@pytest.mark.parametrize("seats", [1, 2])
def test_what_a_change_would_do_is_what_it_did(seats: int) -> None:
    product = answered(rules(seats=seats))
    other = rules(weights=(0.1, 1.0), seats=seats)
    before, scores = product.cycles.get("fall").position, len(product.scores.list("fall"))

    planned = product.cycles.rules_effect("fall", other)
    assert product.cycles.get("fall").position == before, "nothing is changed by asking"

    version = product.cycles.change_rules("fall", other, by="staff", reason="clarity").version
    assert product.cycles.effect_of_version("fall", version) == planned
    assert (planned.scores, planned.unreadable) == (scores, 0)
    assert 0 < planned.moved < scores
    # Ann and Dan were first by both marks; by clarity Bob and Dan are.
    assert seats > 1 or (planned.entering, planned.leaving) == (("bob",), ("ann",))
    product.cycles.change_rules("fall", rules(seats=seats), by="staff", reason="back")
    assert product.cycles.effect_of_version("fall", version) == planned, "the record stays"


def test_a_change_of_places_names_who_enters() -> None:
    product = answered(rules())
    wider = rules(places=3)

    planned = product.cycles.rules_effect("fall", wider)

    assert (planned.scores, planned.moved, planned.places) == (0, 0, (2, 3))
    assert len(planned.entering) == 1
    assert planned.leaving == ()


def test_a_form_that_cannot_read_a_score_is_counted_and_refused() -> None:
    product = answered(rules())
    coarse = tuple((float(mark), f"means {mark}") for mark in (1, 3, 5))
    (rubric,) = rules().rubrics
    other = replace(
        rules(),
        rubrics=(
            replace(rubric, criteria=tuple(replace(c, marks=coarse) for c in rubric.criteria)),
        ),
    )

    assert product.cycles.rules_effect("fall", other).unreadable == 2


def test_before_a_score_exists_there_is_nothing_to_move() -> None:
    product = office(rules())

    assert product.cycles.rules_effect("fall", rules(places=1)) == RulesEffect()
    version = product.cycles.change_rules("fall", rules(places=1), by="s", reason="one").version
    assert product.cycles.effect_of_version("fall", version) == RulesEffect()
    assert product.cycles.effect_of_version("fall", 99) == RulesEffect()
