"""What a deployment lets in or shows that it should not, as `swapflow doctor` tells it."""

from collections.abc import Iterator
from dataclasses import dataclass

from swapflow.domain.cycle import CycleStatus
from swapflow.engine.ports.health_facts import RedisFacts
from swapflow.engine.services import Swapflow
from swapflow.settings import Settings


MOST_NAMES = 5
"""Names in one sentence: a list that fits a line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exposure:
    """One thing that should be closed, or that was closed and that something still needs.

    Attributes:
        check: What was looked at, in a few words.
        is_fault: Whether something stands still because of it.
    """

    check: str
    says: str
    cure: str
    is_fault: bool = False


def refused_rosters(product: Swapflow) -> Iterator[Exposure]:
    """Name the programs on rosters that may not be asked, and so never answer."""
    for cycle in product.cycles.list():
        if cycle.status is CycleStatus.FINALIZED:
            continue
        refused = product.reviewers.refused_programs(cycle.id)
        by_reason: dict[str, list[str]] = {}
        for reviewer, reason in refused.items():
            by_reason.setdefault(reason, []).append(reviewer)
        for reason, reviewers in by_reason.items():
            yield Exposure(
                check=f"programs on the roster of {cycle.id}",
                says=f"{listed(reviewers)}: nothing is asked of them, for {reason}",
                cure="do so, or import the roster again with people or other programs in it",
                is_fault=True,
            )


def untrusted_proxy(facts: RedisFacts, settings: Settings) -> Iterator[Exposure]:
    """Tell of a proxy whose clients all count as one, for nobody trusts it."""
    peer = facts.untrusted_proxy
    if peer:
        yield Exposure(
            check="proxy",
            says=f"{peer} forwards requests (X-Forwarded-For) and is not trusted, so all its "
            "clients count as one address, and one of them uses up the tries of all",
            cure=f"if it is yours, SWAPFLOW_TRUSTED_PROXIES={settings.trusted_proxies},{peer}; "
            "if not, somebody tries to pass for another address, in vain",
        )


def listed(names: list[str]) -> str:
    """Write names in a line, the first few of many."""
    more = len(names) - MOST_NAMES
    return ", ".join(names[:MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
