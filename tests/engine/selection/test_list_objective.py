"""Limits on groups through the whole path: launch, decisions, proposals, finalizing."""

from collections import Counter
from dataclasses import replace

import pytest

from swapflow.domain.cohort.proposal import Proposal, Verdict
from swapflow.domain.cycle import CycleStatus
from swapflow.domain.event import EventType
from swapflow.domain.objective import GroupQuota, GroupTarget, Objective, SpreadOver
from swapflow.domain.people.application import ApplicationStatus
from swapflow.domain.rules import Purpose, RuleName, Rules
from swapflow.engine.cohort.finalize import Override
from swapflow.engine.lifecycle.pins import PinSide
from swapflow.errors import InfeasibleError, InvalidInputError
from tests.engine.cycle_by_hand import CYCLE, World, applicant, rules


# A001 to A004 are North, the others South; odd ones are at the college, even ones elsewhere.
PEOPLE = [
    applicant(
        f"A{n:03d}",
        selection={
            "region": "North" if n <= 4 else "South",
            "site": "college" if n % 2 else "elsewhere",
        },
    )
    for n in range(1, 9)
]
NORTH = GroupQuota(attribute="region", value="North", minimum=2)
COLLEGE = GroupQuota(attribute="site", value="college", maximum=1)


def rising(external_id: str, *_: object) -> float:
    """The later the id, the better: by scores alone it is A006, A007, A008."""
    return int(external_id[1:]) / 10


def world(**changes: object) -> World:
    settings: dict[str, object] = {"budget": 8, "purpose": Purpose.REAL, **changes}
    return World(rules=rules(**settings), applications=PEOPLE)


def decided(**changes: object) -> World:
    made = world(**changes)
    made.run(rising)
    assert made.stands(CycleStatus.PROPOSED)
    return made


def listed(proposal: Proposal) -> list[str]:
    return sorted(place.external_id for place in proposal.cohort)


@pytest.mark.parametrize(
    ("changes", "chosen"),
    [
        ({}, ["A006", "A007", "A008"]),
        ({"quotas": (NORTH,)}, ["A003", "A004", "A008"]),
        ({"quotas": (COLLEGE,)}, ["A006", "A007", "A008"]),
        ({"quotas": (NORTH, COLLEGE)}, ["A003", "A004", "A008"]),
        (
            {"quotas": (NORTH, replace(COLLEGE, maximum=0))},
            ["A002", "A004", "A008"],
        ),
        (
            {"quotas": (replace(NORTH, minimum=0, minimum_share=0.3),)},
            ["A004", "A007", "A008"],
        ),
        (
            {"targets": (GroupTarget(attribute="region", value="North", number=1, worth=0.3),)},
            ["A004", "A007", "A008"],
        ),
        ({"fewest": 1, "bar": 0.75}, ["A008"]),
        (
            {"objective": Objective(name="diverse", attribute="region")},
            ["A004", "A007", "A008"],
        ),
        (
            {
                "objective": Objective(
                    name="diverse",
                    spread=(SpreadOver(attribute="region"), SpreadOver(attribute="site")),
                ),
                "quotas": (NORTH,),
            },
            ["A003", "A004", "A008"],
        ),
    ],
)
def test_the_list_keeps_to_what_the_rules_want(
    changes: dict[str, object], chosen: list[str]
) -> None:
    made = decided(rule=RuleName.CERTIFIED, sigma=0.05, epsilon=0.0, **changes)

    assert listed(made.product.cohort.propose(CYCLE)) == chosen
    made.product.cohort.finalize(CYCLE, by="chair")
    made.verify()


def test_limits_that_no_list_keeps_to_are_refused_at_launch_with_the_smallest_change() -> None:
    made = World(
        rules=rules(quotas=(replace(NORTH, minimum=3), COLLEGE)),
        applications=[one for one in PEOPLE if one.external_id != "A002"],
        launch=False,
    )

    with pytest.raises(InvalidInputError, match="smallest change") as refusal:
        made.product.cycles.launch(CYCLE, by="ops")

    assert "lower the minimum of region = North from 3 to 2" in str(refusal.value)
    assert made.stands(CycleStatus.DRAFT)


def test_changed_rules_that_no_list_keeps_to_are_refused_in_mid_cycle() -> None:
    made = world()
    made.turn()
    wanted: Rules = replace(
        made.product.cycles.rules(CYCLE), quotas=(replace(NORTH, minimum_share=0.9),)
    )
    few = replace(wanted, quotas=(replace(NORTH, maximum=1), replace(COLLEGE, minimum=3)))

    with pytest.raises(InfeasibleError, match="lower the minimum of region = North from 2 to 1"):
        made.product.cycles.change_rules(CYCLE, few, by="ops", reason="more of them")
    made.product.cycles.change_rules(CYCLE, wanted, by="ops", reason="nearly all of them")
    made.run(rising)

    assert listed(made.product.cohort.propose(CYCLE)) == ["A002", "A003", "A004"]


def test_when_people_leave_the_round_goes_on_and_says_which_limit_gave_way() -> None:
    made = world(quotas=(replace(NORTH, minimum=3),))
    made.turn()
    for external_id in ("A001", "A002"):
        made.product.applicants.move(
            CYCLE, external_id, ApplicationStatus.WITHDRAWN, by="ops", reason="by phone"
        )
    made.run(rising)

    proposal = made.product.cohort.propose(CYCLE)

    assert listed(proposal) == ["A003", "A004", "A008"]
    cure = "lower the minimum of region = North from 3 to 2"
    assert proposal.sheet.given_way == (cure,)
    with pytest.raises(InfeasibleError, match=cure):
        made.product.cohort.finalize(CYCLE, by="chair")
    lower = replace(made.product.cycles.rules(CYCLE), quotas=(NORTH,))
    made.product.cycles.change_rules(CYCLE, lower, by="chair", reason="two have left")
    made.product.cohort.finalize(CYCLE, by="chair")
    ((_, _, sheet),) = made.product.cohort.proposals(CYCLE)
    assert sheet.limits == ("region = North: 2 chosen, at least 2 wanted",)
    made.verify()


def test_people_cannot_decide_against_a_limit_without_changing_the_rules() -> None:
    made = decided(quotas=(NORTH,))
    swap = [
        Override(external_id="A007", verdict=Verdict.SELECTED, reason="better after all"),
        Override(external_id="A003", verdict=Verdict.WAITLISTED, reason="no room"),
    ]

    with pytest.raises(InfeasibleError, match="region = North: 1 chosen, at least 2 wanted"):
        made.product.cohort.finalize(CYCLE, by="chair", overrides=swap)
    made.product.cohort.finalize(
        CYCLE, by="chair", overrides=[replace(swap[0], external_id="A002"), swap[1]]
    )

    outcomes = made.product.cohort.outcomes(CYCLE, 1)
    assert Counter(o.verdict for o in outcomes)[Verdict.SELECTED] == 3


def test_whoever_is_put_in_or_out_is_so_in_every_list_and_it_is_on_record() -> None:
    made = world(quotas=(NORTH,))
    made.turn()
    made.product.cohort.pin(CYCLE, "A005", PinSide.IN, by="dean", reason="the donor's condition")
    made.product.cohort.pin(CYCLE, "A004", PinSide.OUT, by="dean", reason="deferred to next year")
    made.run(rising)

    assert listed(made.product.cohort.propose(CYCLE)) == ["A002", "A003", "A005"]
    with pytest.raises(InfeasibleError, match="lower the minimum of region = North from 2 to 1"):
        made.product.cohort.pin(CYCLE, "A008", PinSide.IN, by="dean", reason="one more")
    with pytest.raises(InvalidInputError, match="has this status already"):
        made.product.cohort.pin(CYCLE, "A005", PinSide.IN, by="dean", reason="again")
    made.product.cohort.pin(CYCLE, "A005", PinSide.FREE, by="dean", reason="the condition is gone")
    assert listed(made.product.cohort.propose(CYCLE)) == ["A002", "A003", "A008"]
    assert len(made.events(EventType.APPLICATION_PINNED)) == 3
    made.product.cohort.finalize(CYCLE, by="chair")
    made.verify()
