"""What the days without interviews must satisfy: a known country or region, days that exist."""

from collections.abc import Iterator

from swapflow.domain.free_days import LONGEST_CLOSED, countries, is_region, span
from swapflow.domain.rules import Rules
from swapflow.files.rules.problem import RulesProblem, quoted
from swapflow.messages import Message


def check_free_days(rules: Rules) -> Iterator[RulesProblem]:
    """Find what is wrong with the public holidays and the closed days."""
    if rules.free_days is None:
        return
    region = rules.free_days.region
    if region and not is_region(region):
        country = region.partition("-")[0]
        regions = countries().get(country, ())
        named = [f"{country}-{one}" for one in regions]
        yield RulesProblem(
            place="holidays",
            value=quoted(region),
            reason="no public holidays are known for it",
            cure=Message("holidays_region_cure", country=country, regions=named)
            if named
            else "Write a country or a country and its region, such as DE-BW, US-CA or IE",
        )
    for text in rules.free_days.closed:
        try:
            span(text)
        except ValueError:
            yield RulesProblem(
                place="closed",
                value=quoted(text),
                reason=Message("closed_days_unreadable", most=LONGEST_CLOSED),
                cure="Write 2026-12-24, or 2026-12-24 to 2027-01-01",
            )
