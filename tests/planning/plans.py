"""Plans that tests of the command and of its page share."""

import numpy as np

from swapflow.domain.interval import Interval
from swapflow.domain.rules import Rules
from swapflow.files.rules.rules_file import parse_rules, template
from swapflow.planning.plan import Effect, RoundPlan, Summary
from swapflow.planning.setting import Days, Marks, PlannedReviewer, PlanSetting
from swapflow.simulation.replay import ReplayResult


def rules(**values: float | str) -> Rules:
    return parse_rules(
        template("admissions", **{"places": 5, "budget": 4000, "reviews": 1} | values)
    )


def setting(
    wanted: Rules, *, applicants: int = 40, people: int = 8, packet: int = 10
) -> PlanSetting:
    person = PlannedReviewer(most=(None,) * len(wanted.kinds), packet=packet)
    return PlanSetting(
        rules=wanted,
        applicants=applicants,
        people=(person,) * people,
        marks=Marks(),
        days=Days(median=(6.0, 9.0)[: len(wanted.kinds)]),
    )


def summary(key: str, found: "list[float]") -> Summary:
    interval = Interval(float(np.mean(found)), min(found), max(found))
    return Summary(
        key=key,
        label=key,
        applicants=40,
        runs=len(found),
        found=interval,
        value=interval,
        overlap=interval,
        days=Interval(30.0, 28.0, 32.0),
        latest=35.0,
        cost=Interval(3000.0, 2900.0, 3100.0),
        sufficed=Interval(0.0, 0.0, 0.3),
        finished=Interval(1.0, 0.7, 1.0),
        asked=(80.0, 5.0),
        busiest=Interval(400.0, 390.0, 410.0),
        each=tuple(found),
        lengths=(30.0,) * len(found),
    )


def planned(even: "list[float]", alone: "list[float]", more: "list[float]") -> RoundPlan:
    own = summary("way/rules", [0.60, 0.62, 0.61, 0.63])
    return RoundPlan(
        setting=setting(rules()),
        forecast=own,
        base=own,
        ways=(own, summary("way/reviews", alone), summary("way/even", even)),
        effects=(
            Effect(parameter="budget", level="× 1.5", letter="", summary=summary("b", more)),
        ),
        zone=None,
        seed=0,
    )


SAME = [0.59, 0.64, 0.60, 0.63]


def replayed() -> ReplayResult:
    return ReplayResult(
        utility=100.6,
        even=95.6,
        two_tier=98.6,
        best=105.9,
        overlap=0.81,
        cohort=("A1",),
        decisions="8fde71c7",
        cost=3200,
        pulls={"review": 2696, "interview": 84},
        stop="budget",
        why="The budget was used up.",
        certified_loss=111.7,
        shows_certified=False,
        seed=3,
        seconds=4.1,
    )
