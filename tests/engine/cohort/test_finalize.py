"""Finalize: the rule proposes, people decide, and the record keeps both apart."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from swapflow.domain.cohort.proposal import Standing, Verdict, Waiver
from swapflow.domain.cycle import CycleStatus
from swapflow.domain.reviewing.score import NotCounted
from swapflow.domain.rules import Purpose
from swapflow.engine.cohort.finalize import Override
from swapflow.errors import CycleFinalizedError, InvalidInputError, NotFoundError, NotReadyError
from tests.engine.cycle_by_hand import CYCLE, World, rules


ENDS_SOON = rules(budget=8, purpose=Purpose.REAL)


def apart(external_id: str, *_: object) -> float:
    return int(external_id[1:]) / 10


def proposed(mark: Callable[..., float] = apart, **changes: object) -> World:
    """A cycle whose stop is proposed: A006 to A008 are ahead."""
    world = World(rules=replace(ENDS_SOON, **changes))  # type: ignore[arg-type]  # by name
    world.run(mark)
    assert world.stands(CycleStatus.PROPOSED)
    return world


def swap(into: str, out: str) -> list[Override]:
    return [
        Override(external_id=into, verdict=Verdict.SELECTED, reason="a second opinion"),
        Override(external_id=out, verdict=Verdict.NOT_SELECTED, reason="withdrew by phone"),
    ]


def refused(world: World, error: type[Exception], match: str, **arguments: object) -> None:
    """It is refused for this reason and nothing is written."""
    before = world.cycle
    with pytest.raises(error, match=match):
        world.product.cohort.finalize(CYCLE, **({"by": "chair"} | arguments))  # type: ignore[arg-type]
    assert world.cycle == before
    assert world.product.cohort.proposals(CYCLE) == ()


def test_a_running_cycle_cannot_be_finalized() -> None:
    world = World()
    world.turn()

    refused(world, NotReadyError, "swapflow cycle stop")


def test_too_few_signatures_are_refused_and_the_same_name_twice_is_one() -> None:
    world = proposed(signatures=2)

    refused(world, NotReadyError, "2 signatures, 1 given")
    refused(world, NotReadyError, "2 signatures, 1 given", signed_by=["chair"])
    world.product.cohort.finalize(CYCLE, by="chair", signed_by=["dean"])

    assert world.ledger.signatures(CYCLE, 1) == (("chair", "chair"), ("dean", "chair"))


def test_below_a_floor_a_waiver_with_a_name_and_a_reason_is_needed() -> None:
    world = World(rules=ENDS_SOON)
    world.turn()
    for assignment in world.waiting()[1:]:
        world.submit(assignment, 0.5)
    world.turn()
    world.product.cycles.stop(CYCLE, by="dean")
    world.turn()

    refused(world, InvalidInputError, "(?s)1 applicants are below a floor.*A001.*review")
    world.product.cohort.finalize(CYCLE, by="chair", waiver=Waiver(by="dean", reason="ill"))

    assert world.stands(CycleStatus.FINALIZED)


@pytest.mark.parametrize(
    ("overrides", "match"),
    [
        (swap("A001", "A008")[:1], "4 would be selected for 3"),
        (swap("A001", "A008")[1:], "2 would be selected for 3"),
        (swap("nobody", "A008"), "'nobody' is not an applicant"),
        (
            [Override(external_id="A001", verdict=Verdict.SELECTED, reason=" ")],
            "needs a reason",
        ),
    ],
)
def test_overrides_that_do_not_fit_are_refused(overrides: list[Override], match: str) -> None:
    refused(proposed(), InvalidInputError, match, overrides=overrides)


def test_what_people_decide_stands_beside_what_was_proposed(url: str) -> None:
    world = World(url=url, rules=ENDS_SOON)
    world.run(apart)

    world.product.cohort.finalize(CYCLE, by="chair", overrides=swap("A001", "A008"))

    ((version, places, sheet),) = world.product.cohort.proposals(CYCLE)
    listed = {p.external_id for p in places if p.standing is Standing.COHORT}
    outcomes = world.product.cohort.outcomes(CYCLE, version)
    selected = {world.names()[o.application] for o in outcomes if o.verdict is Verdict.SELECTED}
    assert listed == {"A006", "A007", "A008"}
    assert selected == {"A001", "A006", "A007"}
    assert {o.by for o in outcomes} == {"chair"}
    reasons = {world.names()[o.application]: o.reason for o in outcomes}
    assert reasons["A001"] == "a second opinion"
    assert reasons["A007"] == "as proposed"
    assert sheet.stop_reason == "budget"
    world.verify()
    world.ledger.dispose()


def test_finalizing_twice_is_refused() -> None:
    world = proposed()
    world.product.cohort.finalize(CYCLE, by="chair")

    with pytest.raises(CycleFinalizedError, match="reopen"):
        world.product.cohort.finalize(CYCLE, by="chair")

    assert len(world.product.cohort.proposals(CYCLE)) == 1


def test_the_waitlist_is_in_the_order_of_the_estimates() -> None:
    places = proposed().product.cohort.propose(CYCLE).places

    assert [p.external_id for p in places] == [f"A00{n}" for n in range(8, 0, -1)]
    assert [p.rank for p in places] == list(range(1, 9))
    assert [p.standing for p in places] == [Standing.COHORT] * 3 + [Standing.WAITLIST] * 5


def test_a_tie_at_the_cut_is_flagged_on_both_sides_of_it() -> None:
    marks = {"A005": 0.6, "A006": 0.6, "A007": 0.9, "A008": 0.9}
    world = proposed(lambda name, *_: marks.get(name, 0.1))

    tied = {
        p.external_id: p.standing for p in world.product.cohort.propose(CYCLE).places if p.tied
    }

    assert set(tied) == {"A005", "A006"}
    assert set(tied.values()) == {Standing.COHORT, Standing.WAITLIST}


def test_without_a_tie_at_the_cut_nothing_is_flagged() -> None:
    assert not any(p.tied for p in proposed().product.cohort.propose(CYCLE).places)


def test_a_cohort_is_reopened_by_two_people_with_a_reason_and_the_old_one_is_kept() -> None:
    world = proposed()
    world.product.cohort.finalize(CYCLE, by="chair")
    for names, reason in [(["chair"], "appeal"), (["chair", "chair"], "appeal"), (["a", "b"], "")]:
        with pytest.raises(InvalidInputError, match="two different names and a reason"):
            world.product.cohort.reopen(CYCLE, names=names, reason=reason)

    assert world.product.cohort.reopen(CYCLE, names=["chair", "dean"], reason="appeal") == 2
    world.turn()
    world.product.cohort.finalize(CYCLE, by="chair", overrides=swap("A005", "A006"))

    assert [version for version, _, _ in world.product.cohort.proposals(CYCLE)] == [1, 2]
    selected = [
        {
            world.names()[o.application]
            for o in world.product.cohort.outcomes(CYCLE, version)
            if o.verdict is Verdict.SELECTED
        }
        for version in (1, 2)
    ]
    assert selected == [{"A006", "A007", "A008"}, {"A005", "A007", "A008"}]
    world.verify()


def test_only_a_fixed_cohort_can_be_reopened() -> None:
    with pytest.raises(NotReadyError, match="not finalized"):
        proposed().product.cohort.reopen(CYCLE, names=["chair", "dean"], reason="appeal")


def test_a_score_after_the_freeze_is_stored_and_does_not_count_even_when_reopened() -> None:
    world = World(rules=rules(budget=16, purpose=Purpose.REAL))
    world.turn()
    opened, *others = world.waiting()
    for assignment in others:
        world.submit(assignment, apart(world.names()[assignment.application]))
    world.product.tasks.open(opened.id)
    world.product.cycles.stop(CYCLE, by="dean")
    world.product.cohort.finalize(
        CYCLE, by="chair", waiver=Waiver(by="dean", reason="term begins")
    )
    before = world.tally()

    receipt = world.submit(opened, 1.0)

    assert not receipt.counts
    assert world.standing()[opened.id].reason == NotCounted.AFTER_LIST
    assert world.tally().numerator.tolist() == before.numerator.tolist()
    world.product.cohort.reopen(CYCLE, names=["chair", "dean"], reason="appeal")
    world.turn()
    assert world.tally().numerator.tolist() == before.numerator.tolist()
    world.check()
    world.verify()


# Why


def test_explain_says_why_somebody_was_asked_about_and_what_came_of_it() -> None:
    world = World(rules=rules(budget=14, out=4, purpose=Purpose.REAL))
    world.run(apart)
    name = next(
        world.names()[p.application] for p in world.ledger.pulls(CYCLE) if p.why.value == "rule"
    )

    explanation = world.product.reports.explain(CYCLE, name)

    assert {asked.why for asked in explanation.asked} == {"floor", "rule"}
    by_rule = next(asked for asked in explanation.asked if asked.why == "rule")
    assert by_rule.priority is not None
    assert by_rule.priority > 0
    assert by_rule.decision > 0
    assert by_rule.score == apart(name)
    place = next(p for p in world.product.cohort.propose(CYCLE).places if p.external_id == name)
    assert (explanation.rank, explanation.estimate) == (place.rank, place.estimate)
    assert explanation.in_list == (place.standing is Standing.COHORT)


def test_explaining_a_stranger_says_that_there_is_none() -> None:

    with pytest.raises(NotFoundError, match="nobody"):
        proposed().product.reports.explain(CYCLE, "nobody")
