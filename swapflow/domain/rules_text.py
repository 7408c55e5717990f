"""Conversion of rules to their stored text, and back."""

import dataclasses
import json
from collections.abc import Mapping
from datetime import datetime
from functools import lru_cache

from swapflow.domain.drawn_check import DrawnCheck
from swapflow.domain.free_days import FreeDays
from swapflow.domain.objective import GroupQuota, GroupTarget, Objective, SpreadOver
from swapflow.domain.rules import (
    AutomaticReview,
    Criterion,
    DispatchMode,
    Estimates,
    Floor,
    FloorFor,
    KindRules,
    Purpose,
    ReviewerFigures,
    Rubric,
    RuleName,
    Rules,
    SeatLine,
    SignInPolicy,
)
from swapflow.domain.rules_versions import FIRST_ASKING, FIRST_AVERAGES, FIRST_FIT


def to_text(rules: Rules) -> str:
    """Write rules as the JSON that is stored.

    Settings of a later release are left out where they have no effect, so that processes of the
    release before can read them during its rollout.
    """
    content = dataclasses.asdict(rules)
    for name, usual in _ADDED.items():
        if content[name] == usual:
            del content[name]
    return json.dumps(content, default=_plain, sort_keys=True)


_ADDED = {
    "estimates": Estimates.RULE,
    "language": "",
    "kind_overlap": 0.0,
    "join_reviewers": False,
    "too_close": 0.1,
    "fit": FIRST_FIT,
    "asking": FIRST_ASKING,
    "averages": FIRST_AVERAGES,
    "drawn_check": None,
    "taper": None,
    "reviewer_figures": None,
    "seed_drawn": False,
    "group_outcomes": True,
    "confirm_answers": False,
    "notice": "",
    "confidential": (),
    "practice_marks": False,
    "free_days": None,
    "explanation_days": 0,
}
"""Settings that the first release does not know, with the values that have no effect."""


FIRST_VERSIONS: Mapping[str, int | None] = {
    "fit": FIRST_FIT,
    "asking": FIRST_ASKING,
    "averages": FIRST_AVERAGES,
    "reviewer_figures": None,
}
"""What is in force in rules, stored or in a bundle, that were written before they said it."""


@lru_cache(maxsize=64)
def from_text(text: str) -> Rules:
    """Read rules from the JSON that `to_text` wrote; fields added since take their defaults.

    The same text returns the same object: every page reads the rules, and they rarely change.
    """
    raw = {**FIRST_VERSIONS, **json.loads(text)}
    raw["purpose"] = Purpose(raw["purpose"])
    raw["rule"] = RuleName(raw["rule"])
    raw["dispatch"] = DispatchMode(raw["dispatch"])
    raw["estimates"] = Estimates(raw.get("estimates", Estimates.RULE))
    figures = raw["reviewer_figures"]
    raw["reviewer_figures"] = None if figures is None else ReviewerFigures(figures)
    raw["sign_in"] = SignInPolicy(raw.get("sign_in", SignInPolicy.ANY))
    raw["confidential"] = tuple(raw.get("confidential", ()))
    raw["lines"] = tuple(SeatLine(**line) for line in raw["lines"])
    raw["kinds"] = tuple(
        KindRules(**{**kind, "questions": tuple(kind.get("questions", ()))})
        for kind in raw["kinds"]
    )
    raw["rubrics"] = tuple(_rubric(rubric) for rubric in raw["rubrics"])
    raw["floors"] = tuple(
        Floor(kind=f["kind"], count=f["count"], who=FloorFor(f["who"])) for f in raw["floors"]
    )
    drawn = raw.get("drawn_check")
    raw["drawn_check"] = DrawnCheck(**drawn) if drawn else None
    free = raw.get("free_days")
    raw["free_days"] = FreeDays(**{**free, "closed": tuple(free["closed"])}) if free else None
    raw["objective"] = Objective(
        **{
            **raw["objective"],
            "spread": tuple(SpreadOver(**one) for one in raw["objective"].get("spread", ())),
        }
    )
    raw["quotas"] = tuple(GroupQuota(**one) for one in raw.get("quotas", ()))
    raw["targets"] = tuple(GroupTarget(**one) for one in raw.get("targets", ()))
    raw["automatic"] = AutomaticReview(**raw["automatic"]) if raw["automatic"] else None
    for moment in ("applications_close", "deadline"):
        raw[moment] = datetime.fromisoformat(raw[moment]) if raw[moment] else None
    return Rules(**raw)


def _rubric(raw: dict[str, object]) -> Rubric:
    criteria = raw.pop("criteria")
    assert isinstance(criteria, list)
    return Rubric(
        kind=str(raw["kind"]),
        version=int(str(raw["version"])),
        criteria=tuple(
            Criterion(
                name=c["name"],
                weight=c["weight"],
                marks=tuple((float(mark), str(anchor)) for mark, anchor in c["marks"]),
            )
            for c in criteria
        ),
    )


def _plain(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"{value!r} has no place in rules")
