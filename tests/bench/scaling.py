"""How many processes an office needs for the reviewers it has at work.

Run as `python -m tests.bench.scaling`, after `make load-web` and `make load`: it reads the
processor time that they measured (var/web.json, var/load.json), prints a table for
docs/load.md and writes var/scaling.json. Processor seconds a request, a review and a decision are
slopes; a line whose rates are above those of the measurement is marked, for nothing of its size
was run.
"""

import argparse
import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any


OUT = Path("var/scaling.json")
REVIEWERS = (50, 200, 1_000, 5_000, 20_000)
MINUTES = 10.0
"""Minutes that a reviewer takes for one review while at work."""

SAVED_EVERY = 15.0
"""Seconds between two drafts that a page saves while its reviewer types."""

PAGES = 2
"""Pages opened for each review: the list or the review, and the file."""

BUSY = 0.6
"""The share of a core that a process may use before another one is started: above it, requests
begin to wait for each other."""

LEAST = 2
"""Of each kind run two, so that one may be replaced while the other serves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slopes:
    """What was measured.

    Attributes:
        web: Processor seconds of the web processes for one request.
        worker: Processor seconds of the workers for one review taken in and one request sent.
        coordinator: Processor seconds of the coordinator for one review and what follows from it.
        requests_per_second: The highest rate of requests that was run.
        reviews_per_second: The highest rate of reviews that was run.
    """

    web: float
    worker: float
    coordinator: float
    requests_per_second: float
    reviews_per_second: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """One line of the table: rates, and the processes for them."""

    reviewers: int
    requests_per_second: float
    reviews_per_second: float
    web: int
    workers: int
    coordinators: int
    cores: float
    extrapolated: bool


def slopes(web: dict[str, Any], load: dict[str, Any] | None) -> Slopes:
    """Compute processor seconds a request and a review from what the load runs measured.

    Args:
        web: Figures of `make load-web`: people who type.
        load: Figures of `make load`, where reviewers answer at once; without it the few reviews
            of the other run are the slope, which then also pays for the turns between them.
    """
    requests = sum(kind["count"] for kind in web["requests"].values())
    reviews = web["requests"]["submit"]["count"]
    seconds = web["seconds"]
    worker, coordinator, highest = (
        web["cpu"]["worker"] * seconds / reviews,
        web["cpu"]["coordinator"] * seconds / reviews,
        reviews / seconds,
    )
    if load is not None:
        highest = load["scores_per_second"]
        worker, coordinator = (
            load["cpu"]["worker"] / highest,
            load["cpu"]["coordinator"] / highest,
        )
    return Slopes(
        web=web["cpu"]["web"] * seconds / requests,
        worker=worker,
        coordinator=coordinator,
        requests_per_second=requests / seconds,
        reviews_per_second=highest,
    )


def need(reviewers: int, found: Slopes, *, minutes: float = MINUTES) -> Need:
    """Compute the processes for reviewers who are all at work at the same moment."""
    reviews = reviewers / (60 * minutes)
    requests = reviews * (PAGES + 1) + reviewers / SAVED_EVERY
    web, worker = requests * found.web, reviews * found.worker
    coordinator = reviews * found.coordinator
    return Need(
        reviewers=reviewers,
        requests_per_second=requests,
        reviews_per_second=reviews,
        web=_processes(web),
        workers=_processes(worker),
        coordinators=_processes(coordinator),
        cores=web + worker + coordinator,
        extrapolated=requests > found.requests_per_second or reviews > found.reviews_per_second,
    )


def table(needs: Sequence[Need]) -> str:
    """Write the lines as a table of Markdown; what was drawn out is marked."""
    lines = [
        (
            "| reviewers at work | requests a second | reviews a second | web | workers | "
            "coordinators | cores used | |"
        ),
        "|---|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {one.reviewers:,} | {one.requests_per_second:.0f} | {one.reviews_per_second:.1f} | "
        f"{one.web} | {one.workers} | {one.coordinators} | {one.cores:.1f} | "
        f"{'drawn out' if one.extrapolated else 'within what was run'} |"
        for one in needs
    ]
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    """Read, compute, print, write; 2 when there is no measurement to compute from."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--web", type=Path, default=Path("var/web.json"))
    parser.add_argument("--load", type=Path, default=Path("var/load.json"))
    parser.add_argument("--minutes", type=float, default=MINUTES, help="for one review")
    parser.add_argument("--out", type=Path, default=OUT)
    chosen = parser.parse_args(argv)
    if not chosen.web.exists():
        print(f"{chosen.web} is not there: run `make load-web` first, it measures the requests")
        return 2
    load = json.loads(chosen.load.read_text("utf-8")) if chosen.load.exists() else None
    found = slopes(json.loads(chosen.web.read_text("utf-8")), load)
    needs = [need(reviewers, found, minutes=chosen.minutes) for reviewers in REVIEWERS]
    print(
        f"web {1e3 * found.web:.1f} ms a request, workers {1e3 * found.worker:.1f} ms and "
        f"coordinator {1e3 * found.coordinator:.1f} ms a review; at most "
        f"{found.requests_per_second:.0f} requests and {found.reviews_per_second:.0f} reviews a "
        f"second were run"
    )
    print(table(needs))
    chosen.out.parent.mkdir(parents=True, exist_ok=True)
    figures = {"slopes": asdict(found), "needs": [asdict(one) for one in needs]}
    chosen.out.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    print(f"written to {chosen.out}")
    return 0


def _processes(cores: float) -> int:
    return max(LEAST, math.ceil(cores / BUSY))


if __name__ == "__main__":
    raise SystemExit(main())
