"""A rubric in a new version reads the marks that were given under the old one again."""

from dataclasses import replace

import pytest

from swapflow.bootstrap import in_process
from swapflow.domain.people.application import NewApplication
from swapflow.domain.people.reviewer import NewReviewer
from swapflow.domain.reviewing.score import Answer
from swapflow.domain.rules import Criterion, Floor, KindRules, Rubric, Rules, SeatLine
from swapflow.engine.services import Swapflow
from swapflow.errors import InvalidRulesError


FIVE = tuple((float(mark), f"means {mark}") for mark in range(1, 6))


def rules(*, weights: tuple[float, float] = (1.0, 1.0)) -> Rules:
    return Rules(
        version=1,
        lines=(SeatLine(name="all", places=1),),
        kinds=(KindRules(name="review", cost=1, gain=1.0, maximum=3),),
        rubrics=(
            Rubric(
                kind="review",
                version=1,
                criteria=(
                    Criterion(name="Depth", marks=FIVE, weight=weights[0]),
                    Criterion(name="Clarity", marks=FIVE, weight=weights[1]),
                ),
            ),
        ),
        floors=(Floor(kind="review", count=1),),
        budget=20,
        reserve=0.0,
        blind=False,
        severity=False,
        kind_offsets=False,
    )


@pytest.fixture
def office() -> Swapflow:
    product, _ = in_process(lambda _product, _messages: None)
    product.cycles.new_round("fall", name="Fall")
    product.cycles.new("fall", round_id="fall", rules=rules(), by="staff")
    product.applicants.import_all(
        "fall",
        [
            NewApplication(external_id=name, selection={}, monitor={}, fields={})
            for name in ("ann", "bob", "cem")
        ],
    )
    product.reviewers.import_all(
        "fall",
        [
            NewReviewer(external_id=name, capacity={"review": None}, packet=9)
            for name in ("r1", "r2", "r3")
        ],
    )
    product.cycles.launch("fall", by="staff")
    coordinator = product.cycles.coordinator()
    while coordinator.turn():
        pass
    return product


def assignments(office: Swapflow) -> list[str]:
    return [a.id for reviewer in ("r1", "r2", "r3") for a in office.tasks.inbox("fall", reviewer)]


def test_scores_are_read_again_from_their_marks_when_weights_change(office: Swapflow) -> None:
    first, *_ = assignments(office)
    office.tasks.submit([Answer(assignment_id=first, marks={"Depth": 5, "Clarity": 1})])

    changed = office.cycles.change_rules(
        "fall", rules(weights=(3.0, 1.0)), by="staff", reason="depth"
    )

    values = [(s.revision, s.value, s.rubric_version) for s in office.scores.list("fall")]
    assert values == [(1, 500_000, 0), (2, 750_000, 2)]
    assert changed.rubrics[0].version == 2
    assert office.reports.verify("fall", live=False).passed


def test_a_form_opened_under_the_old_rubric_is_taken_under_the_new_one(office: Swapflow) -> None:
    first, *_ = assignments(office)
    office.tasks.open(first)
    other = replace(
        rules(),
        rubrics=(
            Rubric(kind="review", version=1, criteria=(Criterion(name="Depth", marks=FIVE),)),
        ),
    )
    office.cycles.change_rules("fall", other, by="staff", reason="clarity is not asked any more")

    (receipt,) = office.tasks.submit(
        [Answer(assignment_id=first, marks={"Depth": 4, "Clarity": 2})]
    )

    assert receipt.value == 500_000  # as the reviewer saw it: (0.75 + 0.25) / 2


def test_a_rubric_that_cannot_read_a_given_mark_is_refused_and_nothing_changes(
    office: Swapflow,
) -> None:
    first, *_ = assignments(office)
    office.tasks.submit([Answer(assignment_id=first, marks={"Depth": 4, "Clarity": 4})])
    coarse = tuple((float(mark), f"means {mark}") for mark in (1, 3, 5))
    other = replace(
        rules(),
        rubrics=(
            Rubric(
                kind="review",
                version=1,
                criteria=(
                    Criterion(name="Depth", marks=coarse),
                    Criterion(name="Clarity", marks=FIVE),
                ),
            ),
        ),
    )

    before = office.cycles.rules("fall")
    with pytest.raises(InvalidRulesError, match="cannot read a score"):
        office.cycles.change_rules("fall", other, by="staff", reason="coarser")

    assert office.cycles.rules("fall") == before
    assert [score.revision for score in office.scores.list("fall")] == [1]
