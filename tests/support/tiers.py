"""Which tests run where: the quick ones while typing, most anywhere, all of them in `.ci/run`.

TESTS_TIER names the tier, as the targets of the Makefile do; without it whatever the machine can
run is run. TESTS_DONE=quick leaves out what the quick tier has just run, unless its cases are
generated: a higher tier tries more of them.
"""

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator
from enum import StrEnum
from pathlib import Path, PurePath
from typing import NoReturn

import pytest
from hypothesis import HealthCheck, settings


class Tier(StrEnum):
    """How much is run.

    QUICK needs no server and no process, and takes less than a minute. EVERYDAY needs Python
    alone. FULL needs Debian's servers and a browser as well.
    """

    QUICK = "quick"
    EVERYDAY = "everyday"
    FULL = "full"


TIER = Tier(os.environ.get("TESTS_TIER", Tier.FULL))

QUICK_IS_DONE = os.environ.get("TESTS_DONE") == Tier.QUICK

SHARE = {Tier.QUICK: 0.15, Tier.EVERYDAY: 0.5, Tier.FULL: 1.0}
"""The share of generated cases that each tier tries; others come with every run."""

TESTS = Path(__file__).parents[1]

QUICK = (
    "advice/test_library_page.py",
    "bandit/estimation/*",
    "bandit/test_r*",
    "bandit/test_s*",
    "bandit/test_t*",
    "bandit/test_golden.py",
    "cli/test_words.py",
    "domain/**/*",
    "engine/intake/test_roster.py",
    "engine/lifecycle/test_launch.py",
    "engine/selection/test_assign.py",
    "engine/selection/test_list_objective.py",
    "files/**/*",
    "i18n/*",
    "identity/*",
    "ledger/cycle/*",
    "ledger/identity/*",
    "ledger/test_contract*.py",
    "monitoring/*",
    "outbound/*",
    "planning/test_report.py",
    "processes/test_heartbeat.py",
    "processes/test_log_format.py",
    "queues/*",
    "simulation/*",
    "state/*",
    "support/*",
    "untrusted/*",
    "web/account/test_users.py",
    "web/reviewing/*",
    "workers/test_deliveries.py",
    "test_layout.py",
    "test_readme.py",
    "test_settings.py",
)
"""Modules of the quick tier; it leaves out those of their items that need a server."""

SERVERS = frozenset(
    {
        "file",
        "file_ledger",
        "first use",
        "postgresql",
        "postgres",
        "redis7",
        "sentinels",
        "server",
        "valkey",
    }
)
"""Parameters and fixtures that need more than this process and its memory."""

NOT_QUICK = frozenset({"system", "browser", "slow", "data", "long"})
"""Marks of what the quick tier leaves out."""


def is_quick(path: Path) -> bool:
    """Return whether a module belongs to the quick tier."""
    place = PurePath(path).relative_to(TESTS)
    return any(_matches(place, pattern) for pattern in QUICK)


def quick_items(items: Iterable[pytest.Item]) -> Iterator[pytest.Item]:
    """Yield the items of the quick tier."""
    for item in items:
        call = getattr(item, "callspec", None)
        needs = {str(value) for value in call.params.values()} if call is not None else set()
        needs |= set(getattr(item, "fixturenames", ()))
        if not needs & SERVERS and not any(map(item.get_closest_marker, NOT_QUICK)):
            yield item


def left_to_run(items: Iterable[pytest.Item]) -> Iterator[pytest.Item]:
    """Yield what is to be run of the items that were collected."""
    items = list(items)
    if TIER is Tier.QUICK:
        yield from quick_items(items)
        return
    done = quick_items(item for item in items if is_quick(item.path)) if QUICK_IS_DONE else ()
    repeated = {item for item in done if not _is_generated(item)}
    yield from (item for item in items if item not in repeated)


def _is_generated(item: pytest.Item) -> bool:
    return bool(getattr(getattr(item, "obj", None), "is_hypothesis_test", False))


def cases(most: int, *, quiet: Iterable[HealthCheck] = ()) -> settings:
    """Return how many cases are generated: the tier's share of what the full one tries."""
    return settings(
        max_examples=max(5, round(most * SHARE[TIER])),
        deadline=None,
        suppress_health_check=list(quiet),
    )


def lacks(why: str, *, tier: Tier = Tier.EVERYDAY) -> NoReturn:
    """Skip the test that needs what is not there; where nothing may be skipped, fail it.

    Args:
        why: What is missing, and how it is got.
        tier: The lowest tier that has it: a tier below it skips, also in CI.
    """
    order = list(Tier)
    if os.environ.get("CI") == "true" and order.index(TIER) >= order.index(tier):
        pytest.fail(why)
    pytest.skip(why)


def only_in_full(what: str) -> None:
    """Skip a test of the tiers below the full one: they do without what it needs."""
    if TIER is not Tier.FULL:
        pytest.skip(f"needs {what}, which `.ci/run` has")


def told(skipped: Iterable[pytest.TestReport]) -> Iterator[str]:
    """Yield a line for each reason why items were skipped: how many, why, and where they are."""
    found: dict[str, list[str]] = defaultdict(list)
    for report in skipped:
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        found[reason.removeprefix("Skipped: ")].append(report.nodeid.split("::")[0])
    for reason, places in sorted(found.items()):
        where = ", ".join(f"{name} ({places.count(name)})" for name in sorted(set(places)))
        yield f"not run: {len(places)} items: {reason}: {where}"


def _matches(place: PurePath, pattern: str) -> bool:
    folder, deep, name = pattern.rpartition("**/")
    if deep:
        return place.is_relative_to(folder) and place.match(name)
    return place.match(pattern) and len(place.parts) == len(PurePath(pattern).parts)
