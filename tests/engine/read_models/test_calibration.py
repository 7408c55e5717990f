"""How reviewers and kinds mark in a cycle, and lists by raw or adjusted estimates."""

import dataclasses
import inspect
from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from swapflow.bandit.adjusted import shifts
from swapflow.bandit.situation import Scores
from swapflow.domain.cycle import CycleStatus
from swapflow.domain.event import EventType
from swapflow.domain.reviewing.assignment import Assignment
from swapflow.domain.rules import Estimates, Floor, RuleName, Rules, SeatLine
from swapflow.engine.read_models.calibration import Calibration, Lack, measure
from swapflow.engine.read_models.dashboard_codec import decode_dashboard, encode_dashboard
from swapflow.errors import CycleFinalizedError, InvalidInputError, NotReadyError
from swapflow.files.bundles.bundle import bundle
from swapflow.files.bundles.check import check_bundle
from swapflow.files.bundles.signing_keys import Signer
from swapflow.files.exports.method_sheet import method_text
from tests.engine.cycle_by_hand import (
    CYCLE,
    INTERVIEW,
    REVIEW,
    World,
    applicant,
    reviewer,
    reviewers,
    rules,
)
from tests.engine.read_models.severe_reviewers import SPREAD, normal, planted, severe


SIGNER = Signer(Ed25519PrivateKey.from_private_bytes(bytes(range(32))))


def four_each(
    people: int = 12,
    *,
    applications: int = 120,
    more: Mapping[str, None] = MappingProxyType({}),
    **changes: object,
) -> World:
    """Everybody is read by four; with these numbers each reviewer gives 40 marks."""
    count = 4 * applications
    roster = [reviewer(f"R{n}", capacity={"review": None, **more}) for n in range(1, people + 1)]
    wanted = rules(
        lines=(SeatLine(name="all", places=applications // 4),),
        floors=(Floor(kind="review", count=4),),
        budget=count,
    )
    wanted = dataclasses.replace(wanted, **changes)  # type: ignore[arg-type]  # tests name fields
    world = World(rules=wanted, applications=applications, roster=roster)
    world.run(severe)
    return world


def over(world: World) -> World:
    if not world.stands(CycleStatus.ENDED):
        world.product.cycles.stop(CYCLE, by="ops", reason="enough")
    return world


def certified(**changes: object) -> World:
    return over(
        four_each(rule=RuleName.CERTIFIED, sigma=0.16, applications=60, people=6, **changes)  # type: ignore[arg-type]  # tests name fields
    )


def asked(world: World, estimates: Estimates) -> Rules:
    return world.product.cohort.choose_estimates(
        CYCLE, estimates, by="chair", reason="one was strict"
    )


def listed(world: World) -> set[int]:
    return {place.application for place in world.product.cohort.propose(CYCLE).cohort}


def moved(seen: Calibration, estimates: Estimates) -> tuple[set[int], set[int]]:
    return (
        {row.application for row in seen.comes_in(estimates)},
        {row.application for row in seen.goes_out(estimates)},
    )


def test_planted_severities_are_recovered_at_forty_scores_a_reviewer() -> None:
    world = four_each()

    seen = world.product.reports.calibration(CYCLE)

    people, judges = world.people(), seen.measured.judges
    assert len(judges) == 12
    assert {one.marks for one in judges} == {40}
    truth = np.array([planted(people[one.reviewer]) for one in judges])
    found = np.array([one.severity.value for one in judges])
    assert np.corrcoef(truth, found)[0, 1] >= 0.95
    centred = truth - truth.mean()
    inside = [
        one.severity.low <= true <= one.severity.high
        for one, true in zip(judges, centred, strict=True)
    ]
    assert sum(inside) >= 10
    (spread,) = seen.measured.kinds
    assert spread.noise.low <= 0.1 <= spread.noise.high
    assert spread.severity is not None
    assert spread.severity.low <= SPREAD <= spread.severity.high


def test_agreement_of_the_cycle_is_told() -> None:
    seen = four_each().product.reports.calibration(CYCLE)

    ((kind, agreed),) = seen.measured.agreement

    assert kind == 0
    assert agreed.icc.low < 0.11**2 / (0.11**2 + 0.1**2 + SPREAD**2) < agreed.icc.high
    assert agreed.alpha.value == pytest.approx(agreed.icc.value, abs=0.03)


def test_a_generous_kind_is_told_with_its_interval_and_called_an_assumption() -> None:
    people = [
        *reviewers(8),
        *(reviewer(f"I{n}", capacity={"interview": None}) for n in range(4)),
    ]
    wanted = rules(
        lines=(SeatLine(name="all", places=10),),
        kinds=(REVIEW, dataclasses.replace(INTERVIEW, gain=1.0, cost=1)),
        floors=(Floor(kind="review", count=3), Floor(kind="interview", count=1)),
        budget=240,
    )
    world = World(rules=wanted, applications=60, roster=people)
    world.run(severe)

    (offset,) = world.product.reports.calibration(CYCLE).measured.offsets

    # What is left of the planted 0.1 is the difference of the two groups' mean severity.
    apart = np.mean([planted(f"I{n}") for n in range(4)]) - np.mean(
        [planted(f"R{n}") for n in range(1, 9)]
    )
    assert offset.both == 60
    assert offset.assumed
    assert offset.offset is not None
    assert offset.offset.value == pytest.approx(0.1 + apart, abs=0.04)
    assert offset.offset.low < 0.1 < offset.offset.high
    said = "it is an assumption of the model"
    assert said in method_text(world.product.cohort.propose(CYCLE).sheet)
    asked(over(world), Estimates.RAW)
    assert said not in method_text(world.product.cohort.propose(CYCLE).sheet)


def test_with_few_marks_nothing_is_claimed() -> None:
    world = World(rules=rules(kinds=(dataclasses.replace(REVIEW, maximum=1),)), applications=8)
    world.turn()
    assert world.product.reports.calibration(CYCLE).measured.lack is Lack.NO_SCORES
    assert world.product.reports.calibration(CYCLE).rows == ()

    world.run(severe)

    seen = world.product.reports.calibration(CYCLE)
    assert seen.measured.lack is Lack.FEW_REPEATS
    assert seen.measured.judges == ()
    assert len(seen.rows) == 8


def test_before_the_launch_there_is_nothing_to_say() -> None:
    with pytest.raises(NotReadyError, match="not launched"):
        World(launch=False).product.reports.calibration(CYCLE)


def test_looking_changes_nothing_and_is_kept_until_something_happens() -> None:
    world = certified()
    before, list_before = world.cycle, listed(world)

    seen = world.product.reports.calibration(CYCLE)

    assert world.product.reports.calibration(CYCLE) is seen
    assert (world.cycle, listed(world)) == (before, list_before)
    asked(world, Estimates.ADJUSTED)
    assert world.product.reports.calibration(CYCLE) is not seen


def test_the_preview_says_exactly_whom_adjusting_moves() -> None:
    world = certified()
    raw, seen = listed(world), world.product.reports.calibration(CYCLE)
    assert seen.in_force is Estimates.RAW
    assert seen.others == (Estimates.ADJUSTED,)
    comes, goes = moved(seen, Estimates.ADJUSTED)
    assert comes
    assert len(comes) == len(goes)

    asked(world, Estimates.ADJUSTED)

    assert listed(world) == (raw | comes) - goes
    again = world.product.reports.calibration(CYCLE)
    assert again.in_force is Estimates.ADJUSTED
    assert moved(again, Estimates.RAW) == (goes, comes)
    for place in world.product.cohort.propose(CYCLE).places:
        row = next(r for r in again.rows if r.application == place.application)
        assert (place.estimate, place.raw_mean) == (row.adjusted, row.raw)


def test_adjusted_lists_are_nearer_to_the_truth_than_raw_ones() -> None:
    world = certified()
    names = world.names()
    truth = np.array([0.5 + 0.11 * normal("truth", names[n]) for n in range(60)])
    rows = {row.application: row for row in world.product.reports.calibration(CYCLE).rows}

    raw = np.array([rows[n].raw for n in range(60)])
    adjusted = np.array([rows[n].adjusted for n in range(60)])

    assert np.corrcoef(truth, adjusted)[0, 1] > np.corrcoef(truth, raw)[0, 1]


def test_the_default_rule_adjusts_already_and_the_request_is_to_turn_it_to_raw() -> None:
    world = over(four_each(applications=60, people=6))
    own, seen = listed(world), world.product.reports.calibration(CYCLE)
    assert seen.in_force is Estimates.ADJUSTED
    assert seen.others == (Estimates.RAW,)
    comes, goes = moved(seen, Estimates.RAW)
    assert comes

    asked(world, Estimates.RAW)
    assert listed(world) == (own | comes) - goes
    asked(world, Estimates.RULE)

    assert listed(world) == own


def test_where_only_severity_is_taken_out_both_others_can_be_asked_for() -> None:
    kinds = (REVIEW, dataclasses.replace(INTERVIEW, maximum=1))
    world = over(
        four_each(kinds=kinds, kind_offsets=False, applications=20, more={"interview": None})
    )

    seen = world.product.reports.calibration(CYCLE)

    assert seen.in_force is Estimates.RULE
    assert seen.others == (Estimates.RAW, Estimates.ADJUSTED)


def test_a_request_is_an_event_with_a_reason_and_is_taken_back_the_same_way() -> None:
    world = certified()
    before = listed(world)

    first = asked(world, Estimates.ADJUSTED)
    asked(world, Estimates.RULE)

    events = world.events(EventType.RULES_CHANGED)
    assert [e.payload["rules"] for e in events] == [first.version, first.version + 1]
    latest, requested, _ = world.product.cycles.rules_history(CYCLE)
    assert (requested.by, requested.reason) == ("chair", "one was strict")
    assert latest.rules.estimates is Estimates.RULE
    assert listed(world) == before
    with pytest.raises(InvalidInputError, match="already"):
        asked(world, Estimates.RULE)
    with pytest.raises(InvalidInputError, match="write why"):
        world.product.cohort.choose_estimates(CYCLE, Estimates.RAW, by="chair", reason=" ")


def test_what_is_asked_for_does_not_depend_on_what_the_list_is_made_by() -> None:
    plain, adjusted = (
        four_each(applications=20),
        four_each(applications=20, estimates=Estimates.RAW),
    )
    picks = [
        [d.picks for d in world.product.reports.decisions(CYCLE)] for world in (plain, adjusted)
    ]
    assert picks[0] == picks[1]


def test_a_request_voids_signatures_and_is_refused_once_the_list_is_fixed() -> None:
    world = certified(signatures=2)
    digest = world.product.cohort.prepare(CYCLE, by="chair")
    world.product.cohort.sign(CYCLE, digest, by="chair")

    asked(world, Estimates.ADJUSTED)

    waiting = world.product.cohort.pending(CYCLE)
    assert waiting is not None
    assert not waiting.current
    digest = world.product.cohort.prepare(CYCLE, by="chair")
    world.product.cohort.sign(CYCLE, digest, by="chair")
    assert world.product.cohort.sign(CYCLE, digest, by="second")
    with pytest.raises(CycleFinalizedError, match="reopen"):
        asked(world, Estimates.RULE)


@pytest.mark.parametrize("rule", [RuleName.BUDGET, RuleName.CERTIFIED, RuleName.PAPER])
@pytest.mark.parametrize("estimates", [Estimates.RAW, Estimates.ADJUSTED])
def test_lists_by_other_estimates_are_replayed_by_verify_and_from_the_bundle(
    rule: RuleName, estimates: Estimates
) -> None:
    world = over(four_each(rule=rule, sigma=0.16, applications=40, people=5))
    asked(world, estimates)
    world.product.cohort.finalize(CYCLE, by="chair")
    world.product.cohort.reopen(CYCLE, names=("chair", "second"), reason="looked again")
    asked(world, Estimates.RULE)
    world.product.cohort.finalize(CYCLE, by="chair")

    assert world.product.reports.verify(CYCLE, live=False).findings == ()
    closed = world.product.reports.finished(CYCLE)
    packed = bundle(closed, SIGNER)

    assert packed == bundle(world.product.reports.finished(CYCLE), SIGNER)
    checked = check_bundle(packed)
    assert checked.passed
    assert checked.replayed is not None
    assert checked.replayed.findings == ()
    assert [fixed.sheet.estimates for fixed in closed.lists if fixed.sheet] == [estimates, "rule"]


def test_a_bundle_whose_list_was_not_made_so_is_found_out() -> None:
    world = certified()
    asked(world, Estimates.ADJUSTED)
    world.product.cohort.finalize(CYCLE, by="chair")
    closed = world.product.reports.finished(CYCLE)
    forged = dataclasses.replace(
        closed,
        rules=tuple(dataclasses.replace(r, estimates=Estimates.RULE) for r in closed.rules),
    )

    checked = check_bundle(bundle(forged, SIGNER))

    assert not checked.passed


def test_method_sheet_and_card_say_what_the_list_is_made_by() -> None:
    world = certified()
    plain = method_text(world.product.cohort.propose(CYCLE).sheet)
    assert "asked that the list" not in plain

    asked(world, Estimates.ADJUSTED)

    sheet = world.product.cohort.propose(CYCLE).sheet
    assert sheet.estimates == "adjusted"
    assert "People asked that the list is made by adjusted estimates" in method_text(sheet)
    assert "the list is by adjusted estimates" in sheet.certificate
    row = world.product.reports.calibration(CYCLE).rows[0]
    standing = world.product.reports.decision_card(CYCLE, world.names()[row.application]).standing
    assert standing is not None
    # Raw beside adjusted would tell how severe the reviewers are, whose remarks the card quotes.
    assert (standing.estimates, standing.raw, standing.adjusted, standing.mean) == (
        "adjusted",
        None,
        None,
        row.mean,
    )
    world.product.cohort.finalize(CYCLE, by="chair")
    assert (
        world.product.reports.decision_card(CYCLE, world.names()[row.application]).standing
        == standing
    )


def test_reviewers_who_share_no_applicant_are_told_apart_and_named() -> None:
    """Two panels that never meet: A and B read some, C and D read the others."""
    wanted = rules(floors=(Floor(kind="review", count=2),), budget=24)
    world = World(rules=wanted, applications=12, launch=False)
    world.product.reviewers.set_panel(
        CYCLE,
        [
            (f"A{n:03d}", by)
            for n in range(1, 13)
            for by in (("R1", "R2") if n <= 6 else ("R3", "R4"))
        ],
    )
    world.product.cycles.launch(CYCLE, by="ops")
    people = {name: number for number, name in world.people().items()}
    groups = (
        tuple(sorted((people["R1"], people["R2"]))),
        tuple(sorted((people["R3"], people["R4"]))),
    )

    world.run(severe)

    seen = world.product.reports.calibration(CYCLE)
    assert set(seen.groups) == set(groups)
    assert set(seen.apart) == set(groups)
    dashboard, _ = world.product.reports.dashboard(CYCLE)
    assert set(dashboard.apart) == set(groups)
    assert decode_dashboard(encode_dashboard(dashboard)).apart == dashboard.apart


def test_before_the_launch_the_preview_names_groups_that_will_stay_apart() -> None:
    wanted = rules(floors=(Floor(kind="review", count=2),), budget=24)
    world = World(rules=wanted, applications=12, launch=False)
    assert not any(
        "share no applicant" in text for text in world.product.cycles.preview(CYCLE).warnings
    )
    pairs = [
        (f"A{n:03d}", by)
        for n in range(1, 13)
        for by in (("R1", "R2") if n <= 6 else ("R3", "R4"))
    ]

    world.product.reviewers.set_panel(CYCLE, pairs)

    (warning,) = [
        t for t in world.product.cycles.preview(CYCLE).warnings if "share no applicant" in t
    ]
    assert warning.startswith("2 groups of reviewers will share no applicant (R1, R2; R3, R4)")
    world.product.reviewers.set_panel(CYCLE, [("A001", "R1"), ("A001", "R3")])
    assert not any(
        "share no applicant" in text for text in world.product.cycles.preview(CYCLE).warnings
    )


def test_with_one_review_each_and_no_more_nobody_can_be_compared() -> None:
    once = dataclasses.replace(REVIEW, maximum=1)
    world = World(rules=rules(kinds=(once,)), launch=False)

    assert [
        t for t in world.product.cycles.preview(CYCLE).warnings if "4 groups of reviewers" in t
    ]


def test_reviewers_who_may_still_come_to_share_applicants_are_not_called_apart() -> None:
    world = World(rules=rules(), applications=8)
    world.turn()
    first: dict[int, Assignment] = {}
    for task in world.waiting():
        if task.application not in {known.application for known in first.values()}:
            first.setdefault(task.reviewer, task)
    for task in first.values():
        world.submit(task, 0.5)

    seen = world.product.reports.calibration(CYCLE)

    assert len(seen.groups) == 4
    assert [len(group) for group in seen.apart] == [4]


def test_a_connected_graph_of_reviewers_is_one_group() -> None:
    seen = four_each(applications=20).product.reports.calibration(CYCLE)

    assert [len(group) for group in seen.groups] == [12]
    assert [len(group) for group in seen.apart] == [12]


def test_nothing_about_an_applicant_can_enter_an_adjustment() -> None:
    """What measures and adjusts is given marks, arms, reviewers and kinds, and no more."""
    assert {field.name for field in dataclasses.fields(Scores)} == {
        "arm",
        "reviewer",
        "kind",
        "mark",
    }
    assert set(inspect.signature(measure).parameters) == {"scores", "kinds", "drawn"}
    assert set(inspect.signature(shifts).parameters) == {"scores", "n", "kinds", "fitted"}


def test_other_attributes_give_the_same_adjustment() -> None:
    def rows(*values: str) -> list[tuple[float, float]]:
        people = [
            applicant(f"A{n:03d}", selection={"area": values[n % len(values)]}) for n in range(20)
        ]
        wanted = rules(
            floors=(Floor(kind="review", count=4),), budget=80, rule=RuleName.CERTIFIED, sigma=0.2
        )
        world = World(rules=wanted, applications=people, roster=6)
        world.run(severe)
        return [
            (row.raw, row.adjusted)
            for row in sorted(
                world.product.reports.calibration(CYCLE).rows, key=lambda row: row.application
            )
        ]

    assert rows("north", "south") == rows("east")
