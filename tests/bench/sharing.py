"""Decisions a second of one coordinator and of two, on three programs that have much to decide.

Run as `make sharing`, or `python -m tests.bench.sharing --seconds 20`. Marks are there already and
no worker runs, so that deciding is what limits: each decision asks for a few reviews more, which
nobody writes. PostgreSQL of Debian, every commit on the disk. Runs with one and with two alternate
on the same programs; it prints cores used and writes var/sharing.json.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

from swapflow.bootstrap import build, upgrade_database
from swapflow.domain.people.application import NewApplication
from swapflow.domain.people.reviewer import NewReviewer
from swapflow.domain.reviewing.score import Answer
from swapflow.domain.rules import Floor, KindRules, Purpose, Rules, SeatLine
from swapflow.engine.services import Swapflow
from swapflow.processes.deployment import command
from swapflow.settings import Settings, load_settings
from tests.bench.ingest_bench import time_fsync
from tests.bench.memory import cpu_seconds
from tests.support.cluster import Cluster
from tests.support.redis_server import RedisServer
from tests.support.waiting import wait_until


OUT = Path("var/sharing.json")
PROGRAMS = 3
ASKED = 1.4
"""Decisions a second of two coordinators over those of one, at least."""

WARM_SECONDS = 3.0
"""Until the programs are read and every coordinator decides at its own pace."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How big the programs are, and how long each run is.

    Attributes:
        applicants: In each program.
        reviewers: In each program while it decides; as many again wrote the marks.
        marks: Marks of each applicant that are there before.
        together: Most requests of one decision.
        seconds: How long decisions are counted.
        repeats: Runs with one coordinator, and with two.
    """

    applicants: int = 400
    reviewers: int = 60
    marks: int = 3
    together: int = 5
    seconds: float = 10.0
    repeats: int = 4


def measure(size: Size, *, say: Callable[[str], None] = print) -> dict[str, Any]:
    """Count the decisions of one coordinator and of two, by turns.

    Returns:
        `decisions_per_second`, by number of coordinators, the median of their runs; `runs`, each
        with the cores that coordinators and PostgreSQL used; `two_over_one`, of the medians.
    """
    runs: dict[int, list[dict[str, Any]]] = {1: [], 2: []}
    with (
        tempfile.TemporaryDirectory(prefix="sf-sharing-") as name,
        RedisServer() as server,
        Cluster() as cluster,
    ):
        settings = load_settings(
            data_dir=Path(name), redis_url=server.url, database_url=cluster.url
        )
        upgrade_database(settings)
        fsync = round(time_fsync(Path(name)), 2)
        product = build(settings)
        names = [f"p{number}" for number in range(PROGRAMS)]
        for cycle_id in names:
            _fill(product, cycle_id, size)
        for repeat in range(size.repeats):
            for many in (1, 2) if repeat % 2 == 0 else (2, 1):
                run = _run(product, settings, cluster, names, many, size)
                runs[many].append(run)
                say(
                    f"{many} coordinators: {run['decisions_per_second']} decisions a second, "
                    f"shares {run['shares']}, cores used: {run['coordinator_cores']} by "
                    f"coordinators, {run['database_cores']} by PostgreSQL"
                )
        _close(product)
    rates = {many: [run["decisions_per_second"] for run in of] for many, of in runs.items()}
    middle = {many: statistics.median(of) for many, of in rates.items()}
    return {
        "cores": os.cpu_count(),
        "load_average": round(os.getloadavg()[0], 2),
        "fsync_ms": fsync,
        "runs": runs,
        "decisions_per_second": middle,
        "two_over_one": round(middle[2] / middle[1], 2),
    }


def _run(
    product: Swapflow,
    settings: Settings,
    cluster: Cluster,
    names: Sequence[str],
    many: int,
    size: Size,
) -> dict[str, Any]:
    """Run coordinators that decide in programs for a while, and count."""
    ledger = product.context.ledger
    with _coordinators(settings, many) as pids:
        wait_until(
            lambda: len(ledger.heads(lease_seconds=settings.lease_seconds).coordinators) == many,
            what="the coordinators",
        )
        for cycle_id in names:
            product.cycles.resume(cycle_id, by="bench")
        wait_until(lambda: len(_deciding(cluster, names)) >= many, what="their first decisions")
        time.sleep(WARM_SECONDS)
        before, began = _used(pids, cluster), time.monotonic()
        count = _deciding(cluster, names).total()
        time.sleep(size.seconds)
        made = _deciding(cluster, names)
        seconds = time.monotonic() - began
        after = _used(pids, cluster)
        led = Counter(map(len, product.cycles.leaders().values()))
        for cycle_id in names:
            product.cycles.pause(cycle_id, by="bench")
    coordinators, database = ((b - a) / seconds for a, b in zip(before, after, strict=True))
    return {
        "decisions_per_second": round((made.total() - count) / seconds, 1),
        "decisions": dict(made),
        "shares": sorted(led.elements(), reverse=True),
        "coordinator_cores": round(coordinators, 2),
        "database_cores": round(database, 2),
    }


@contextmanager
def _coordinators(settings: Settings, many: int) -> Iterator[list[int]]:
    """Run coordinators until the block ends, and tell their process numbers."""
    environment = os.environ | {
        "SWAPFLOW_DATA_DIR": str(settings.data_dir),
        "SWAPFLOW_DATABASE_URL": settings.database,
        "SWAPFLOW_REDIS_URL": settings.redis,
        # The fit and numpy's own threads would take the other coordinator's core.
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }
    log = (settings.data_dir / "coordinators.log").open("ab")
    running = [
        subprocess.Popen(  # our own command
            command("coordinator", "--holder", f"c{number}"),
            env=environment,
            stdout=log,
            stderr=log,
        )
        for number in range(many)
    ]
    try:
        yield [one.pid for one in running]
    finally:
        for one in running:
            one.terminate()
        for one in running:
            try:
                one.wait(20)
            except subprocess.TimeoutExpired:
                # It decides as long as a turn has something to decide.
                one.kill()
                one.wait()
        log.close()


def _fill(product: Swapflow, cycle_id: str, size: Size) -> None:
    """Make a program with marks, which has much to decide once it is resumed."""
    product.cycles.new_round(f"round-{cycle_id}", name="Sharing")
    product.cycles.new(cycle_id, round_id=f"round-{cycle_id}", rules=_rules(size), by="bench")
    product.applicants.import_all(
        cycle_id,
        [
            NewApplication(external_id=f"A{n:06}", selection={}, monitor={}, fields={})
            for n in range(size.applicants)
        ],
    )
    # They have room for what is there before, and no more: then nothing can be asked.
    room = size.marks * size.applicants // size.reviewers
    first = [
        NewReviewer(external_id=f"W{n:04}", capacity={"review": room})
        for n in range(size.reviewers)
    ]
    product.reviewers.import_all(cycle_id, first)
    product.cycles.launch(cycle_id, by="bench")
    coordinator = product.cycles.coordinator(f"fills-{cycle_id}")
    while coordinator.turn():
        pass
    coordinator.stop()
    product.cycles.pause(cycle_id, by="bench")
    product.reviewers.import_all(
        cycle_id,
        [
            NewReviewer(external_id=f"R{n:04}", capacity={"review": None})
            for n in range(size.reviewers)
        ],
    )
    waiting = [one for one in product.context.ledger.assignments(cycle_id) if one.status.is_open]
    assert len(waiting) == room * size.reviewers, "every mark was asked for"
    product.tasks.submit(
        [
            Answer(
                assignment_id=one.id,
                utility=((one.application * 7919 + one.reviewer * 104_729) % 1000) / 1000,
            )
            for one in waiting
        ]
    )


def _rules(size: Size) -> Rules:
    return Rules(
        version=1,
        purpose=Purpose.REAL,
        lines=(SeatLine(name="all", places=max(1, size.applicants // 5)),),
        kinds=(
            KindRules(name="review", cost=1, gain=1.0, maximum=size.reviewers, window_days=30),
        ),
        floors=(Floor(kind="review", count=size.marks),),
        budget=size.reviewers * size.applicants,
        reserve=0.0,
        batch=size.together,
        out=size.reviewers * size.applicants,
        taper=0.0,
        packet=size.applicants,
        settled=0.0,
        blind=False,
    )


def _deciding(cluster: Cluster, names: Sequence[str]) -> Counter[str]:
    """Count the decisions of each program since it was resumed."""
    query = (
        "SELECT d.cycle_id, count(*) FROM decision d WHERE d.cycle_id = ANY(%s) AND d.read_seq >= "
        "(SELECT max(e.seq) FROM event e WHERE e.cycle_id = d.cycle_id AND e.type = 'resumed') "
        "GROUP BY d.cycle_id"
    )
    with psycopg.connect(cluster.url) as connection:
        return Counter(dict(connection.execute(query, [list(names)]).fetchall()))


def _used(pids: Sequence[int], cluster: Cluster) -> tuple[float, float]:
    """Processor seconds of the coordinators and of the database so far."""
    assert cluster._server is not None
    return sum(map(cpu_seconds, pids)), cpu_seconds(cluster._server.pid)


def _close(product: Swapflow) -> None:
    for part in (product.context.dispatcher, product.context.state, product.context.doorbell):
        part.close()  # type: ignore[union-attr]  # the real ones, all of which close
    product.context.ledger.dispose()  # type: ignore[attr-defined]  # an SqlLedger


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print, write; 1 when two coordinators are not faster than one as asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=Size().seconds)
    parser.add_argument("--repeats", type=int, default=Size().repeats)
    parser.add_argument("--applicants", type=int, default=Size().applicants)
    parser.add_argument("--out", type=Path, default=OUT)
    chosen = parser.parse_args(argv)
    size = Size(applicants=chosen.applicants, seconds=chosen.seconds, repeats=chosen.repeats)
    figures = measure(size, say=lambda line: print(line, flush=True))
    print(
        f"two over one: {figures['two_over_one']}, asked is {ASKED}; {figures['cores']} cores, "
        f"load average {figures['load_average']}, fsync {figures['fsync_ms']} ms"
    )
    chosen.out.parent.mkdir(parents=True, exist_ok=True)
    chosen.out.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    print(f"written to {chosen.out}")
    return int(figures["two_over_one"] < ASKED)


if __name__ == "__main__":
    sys.exit(main())
