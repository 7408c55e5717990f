"""How long staff wait for a page of a big program: `python -m tests.bench.pages`.

Prints a table and writes var/pages.json. Three programs are made, with every score submitted and
counted: an ordinary one, the same with ten times as many past scores, and one of 20,000
applicants. Pages are asked for in this process, from the request to the last byte.
"""

import argparse
import gzip
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from swapflow.bootstrap import upgrade_database
from swapflow.domain.people.application import NewApplication
from swapflow.domain.rules import DispatchMode, Floor, KindRules, Purpose, Rules, SeatLine
from swapflow.identity.api_keys import make_token
from swapflow.identity.permissions import Role
from swapflow.settings import load_settings
from tests.bench.ingest_bench import _answer_open
from tests.engine.cycle_by_hand import reviewer
from tests.web.site import Site


OUT = Path("var/pages.json")
REVIEWERS = 60
TIMES = 5
QUICK = 0.3
"""Seconds within which each page must be answered, however many people it is about."""

USABLE = 2.0
"""Seconds within which the dashboard of an ordinary program must be usable."""

CYCLE = "big"


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """One program: how many apply, and how many reviews each of them has."""

    name: str
    applicants: int
    each: int


SIZES = (
    Size(name="1,600 applicants, 2 reviews each", applicants=1600, each=2),
    Size(name="1,600 applicants, 20 reviews each", applicants=1600, each=20),
    Size(name="20,000 applicants, 2 reviews each", applicants=20_000, each=2),
)

PAGES: tuple[tuple[str, str], ...] = (
    ("dashboard", "/today/big"),
    ("charts", "/today/big/data"),
    ("decision log", "/today/big/decisions"),
    ("applicants", "/applicants/big"),
    ("filtered", "/applicants/big?q=Applicant+15&state=ready&standing=in"),
    ("sorted by name", "/applicants/big?sort=name"),
    ("sorted by score", "/applicants/big?sort=score"),
    ("sorted by margin", "/applicants/big?sort=margin"),
    ("sorted by reviews", "/applicants/big?sort=reviews"),
    ("sorted by state", "/applicants/big?sort=state"),
    ("a view", "/applicants/big?view=close"),
    ("deep page", "/applicants/big?page=15"),
    ("one applicant", "/applicants/big/7"),
    ("reviewers", "/reviewers/big"),
    ("one reviewer", "/reviewers/big/3"),
    ("decide", "/decide/big"),
    ("API: applicants", "/api/v1/cycles/big/applicants"),
    ("API: explanation", "/api/v1/cycles/big/applicants/7/explanation"),
    ("API: decisions", "/api/v1/cycles/big/decisions"),
)


def measure(sizes: Sequence[Size] = SIZES, *, times: int = TIMES) -> dict[str, dict[str, Any]]:
    """Time every page of every program.

    Returns:
        By program, and by page: seconds (the median), the slowest, and kilobytes compressed.
    """
    return {size.name: _measure_one(size, times=times) for size in sizes}


def _measure_one(size: Size, *, times: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="sf-pages-") as name:
        folder = Path(name)
        database = folder / "swapflow.db"
        settings = load_settings(data_dir=folder, database_url=f"sqlite:///{database}")
        upgrade_database(settings)
        site = Site(database, settings=settings)
        _fill(site, size)
        with site.signed_in(Role.ADMINISTRATOR) as client:
            program = _program(site)
            # The first reader in a process folds the events of a program; pages do it beside.
            program.get("/api/v1/cycles/big/applicants/7/explanation")
            figures = {
                page: _time(program if path.startswith("/api/") else client, path, times)
                for page, path in PAGES
            }
        site.ledger.dispose()
    return figures


def _fill(site: Site, size: Size) -> None:
    """Make a program in which everybody has the size's number of reviews."""
    rules = Rules(
        version=1,
        purpose=Purpose.SIMULATION,
        lines=(SeatLine(name="all", places=size.applicants // 20),),
        kinds=(KindRules(name="review", cost=1, gain=1.0, maximum=size.each + 2, window_days=0),),
        floors=(Floor(kind="review", count=size.each),),
        budget=size.applicants * (size.each + 2),
        reserve=0.0,
        dispatch=DispatchMode.LOCKSTEP,
        batch=500,
        packet=1_000_000,
        settled=0.0,
        blind=False,
    )
    product = site.product
    product.cycles.new_round("round", name="Fall 2027")
    product.cycles.new(CYCLE, round_id="round", rules=rules, by="bench", name="MS big")
    product.applicants.import_all(
        CYCLE,
        [
            NewApplication(
                external_id=f"A{n:06}",
                name=f"Applicant {n * 7919 % size.applicants}",
                email=f"a{n}@example.com",
                selection={},
                monitor={},
                fields={"statement": "Why I want to study here. " * 10},
            )
            for n in range(size.applicants)
        ],
    )
    product.applicants.choose_columns(CYCLE, {"statement": True}, by="bench")
    product.reviewers.import_all(
        CYCLE,
        [
            reviewer(f"R{n}", name=f"Reviewer {n}", email=f"r{n}@example.org")
            for n in range(REVIEWERS)
        ],
    )
    product.cycles.launch(CYCLE, by="bench")
    wanted = size.applicants * size.each
    while product.cycles.get(CYCLE).spent < wanted:
        site.coordinator.turn()
        _answer_open(product, CYCLE)
    site.coordinator.turn()
    while product.context.state.dashboard(CYCLE) is None or site.coordinator.turn():
        pass


def _program(site: Site) -> TestClient:
    """A client with a key that may read everything."""
    account = site.account("administrator@example.org")
    key, _ = make_token(
        account, name="bench", scopes=("read",), days=1, ledger=site.office.context.ledger
    )
    return TestClient(site.app, headers={"Authorization": f"Bearer {key}"})


def _time(client: TestClient, path: str, times: int) -> dict[str, float]:
    taken = []
    for _ in range(times + 1):
        began = time.perf_counter()
        answer = client.get(path)
        taken.append(time.perf_counter() - began)
        assert answer.status_code == 200, (path, answer.status_code, answer.text[:300])
    return {
        "seconds": round(statistics.median(taken[1:]), 4),
        "first": round(taken[0], 4),
        "kilobytes": round(len(gzip.compress(answer.content, 5)) / 1000, 1),
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print, write; 1 when a page is too slow."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", type=int, choices=range(len(SIZES)), help="one program alone")
    parser.add_argument("--out", type=Path, default=OUT)
    chosen = parser.parse_args(argv)
    sizes = SIZES if chosen.only is None else (SIZES[chosen.only],)
    figures = measure(sizes)
    print(f"load average {os.getloadavg()[0]:.2f}; seconds, median of {TIMES}, and kB compressed")
    for size in sizes:
        print(size.name)
        for page, one in figures[size.name].items():
            print(f"  {page:20} {one['seconds']:8.3f} {one['kilobytes']:10.1f}")
    chosen.out.parent.mkdir(parents=True, exist_ok=True)
    chosen.out.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    print(f"written to {chosen.out}")
    slow = [
        f"{size.name}: {page} takes {one['seconds']:.3f} s"
        for size in sizes
        for page, one in figures[size.name].items()
        if one["seconds"] >= QUICK
    ]
    print(*slow, sep="\n")
    ordinary = figures[sizes[0].name]
    usable = ordinary["dashboard"]["seconds"] + ordinary["charts"]["seconds"] < USABLE
    return int(bool(slow) or not usable)


if __name__ == "__main__":
    sys.exit(main())
