"""Limits on groups at the ends of what is allowed: each end is, and one step beyond is not."""

from dataclasses import replace

import pytest

from swapflow.domain.objective import GroupQuota, GroupTarget
from swapflow.domain.rules import Rules
from swapflow.errors import InvalidRulesError
from swapflow.files.rules.rules_file import check_rules, parse_rules
from tests.files.rules.broken_rules import GOOD


RULES = parse_rules(GOOD)
PLACES = RULES.cohort_size


def with_quota(**limits: float) -> Rules:
    quota = GroupQuota(attribute="region", value="North", **limits)  # type: ignore[arg-type]  # counts are whole
    return replace(RULES, quotas=(quota,))


ENDS: dict[str, tuple[Rules, Rules]] = {
    "a minimum that is the maximum": (
        with_quota(minimum=1, maximum=1),
        with_quota(minimum=2, maximum=1),
    ),
    "a minimum of all places": (with_quota(minimum=PLACES), with_quota(minimum=PLACES + 1)),
    "no place at all": (with_quota(maximum=0), with_quota(maximum=-1)),
    "shares that are equal": (
        with_quota(minimum_share=0.5, maximum_share=0.5),
        with_quota(minimum_share=0.51, maximum_share=0.5),
    ),
    "a share of everything": (with_quota(minimum_share=1.0), with_quota(minimum_share=1.01)),
    "a target of one": (
        replace(
            RULES, targets=(GroupTarget(attribute="region", value="North", number=1, worth=0.5),)
        ),
        replace(
            RULES, targets=(GroupTarget(attribute="region", value="North", number=0, worth=0.5),)
        ),
    ),
    "one place that is filled whatever the scores": (
        replace(RULES, fewest=1, bar=0.6),
        replace(RULES, fewest=0, bar=0.6),
    ),
    "a bar that only the best mark reaches": (
        replace(RULES, fewest=1, bar=1.0),
        replace(RULES, fewest=1, bar=1.01),
    ),
}


@pytest.mark.parametrize("what", ENDS)
def test_the_end_of_a_range_is_allowed_and_what_lies_beyond_is_refused(what: str) -> None:
    at_the_end, beyond = ENDS[what]

    check_rules(at_the_end)
    with pytest.raises(InvalidRulesError):
        check_rules(beyond)
