"""Three cycles at once, answered by programs as fast as they can, against two limits.

Run as `make load`, or `python -m tests.bench.load --minutes 10 --database postgresql`. It starts
what `swapflow up` starts on a Redis and a database of its own, prints how it goes, and writes
var/load.json. Beside it, in the same run: tasks a second that do nothing, on the same broker, and
rows a second that are only inserted, a hundred in a transaction, into the same database.

A cycle that ends is finalized and the next one launched, so that three run all the time, as in an
office that never stops. Latency is the time from a score's commit to the first requests that were
decided with it in view.
"""

import argparse
import csv
import json
import os
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
from sqlalchemy import create_engine, make_url

from swapflow.bootstrap import build, upgrade_database
from swapflow.domain.cycle import CycleStatus
from swapflow.domain.people.application import NewApplication
from swapflow.domain.people.reviewer import NewReviewer
from swapflow.domain.rules import Floor, KindRules, Purpose, Rules, SeatLine
from swapflow.engine.services import Swapflow
from swapflow.processes.deployment import running
from swapflow.settings import Settings, load_settings
from tests.bench.ingest_bench import NOOPS, time_fsync, time_noops
from tests.bench.memory import MemoryWatch, cpu_seconds
from tests.support.cluster import Cluster
from tests.support.ports import free_port
from tests.support.redis_server import RedisServer


OUT = Path("var/load.json")
CYCLES = 3
ASKED = 0.5
"""Scores taken in for each task that does nothing, at least."""

TOGETHER = 100
"""Rows of one transaction: as many as an automatic reviewer hands in at once."""

BARE_SECONDS = 3.0
REPORT_EVERY = 15.0
_BARE_TABLE = (
    "CREATE TABLE bare_score (assignment_id TEXT PRIMARY KEY, pull_id TEXT, cycle_id TEXT, "
    "application INTEGER, reviewer INTEGER, value INTEGER, submitted_at TEXT, seq BIGINT)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How big the load is.

    Attributes:
        applicants: In the cycles that run at the same time, together; reviewers: likewise.
        cycles: How many run at the same time.
        reviews: Most reviews of one applicant, and the budget of a cycle for each of them.
        open: Most requests out at once for each reviewer; fewer make a queue that is shorter,
            and decisions of fewer requests each.
        seconds: How long, from the moment the first cycle is launched.
        every: Seconds between two lines of progress.
        noops: How many tasks that do nothing are timed, before and after.
    """

    applicants: int = 20_000
    reviewers: int = 2_000
    cycles: int = CYCLES
    reviews: int = 8
    open: int = 10
    seconds: float = 600.0
    every: float = REPORT_EVERY
    noops: int = NOOPS


class Series:
    """Cycles that follow each other: as many as `size.cycles` run, and as many stand ready."""

    def __init__(self, product: Swapflow, size: Size, truth: Path) -> None:
        self.made: list[str] = []
        self.launched: list[str] = []
        self.finished: list[str] = []
        self._product = product
        self._size = size
        self._truth = truth

    def make(self) -> None:
        """Make a cycle with its applicants and reviewers, ready to be launched."""
        cycle_id = f"load{len(self.made) + 1}"
        applicants = max(1, self._size.applicants // self._size.cycles)
        reviewers = max(1, self._size.reviewers // self._size.cycles)
        self._product.cycles.new_round(f"round-{cycle_id}", name="Load")
        self._product.cycles.new(
            cycle_id,
            round_id=f"round-{cycle_id}",
            rules=_rules(applicants, self._size.open * reviewers, self._size.reviews),
            by="load",
        )
        self._product.applicants.import_all(
            cycle_id,
            [
                NewApplication(external_id=_name(n), selection={}, monitor={}, fields={})
                for n in range(applicants)
            ],
        )
        self._product.reviewers.import_all(
            cycle_id,
            [
                NewReviewer(
                    external_id=f"R{n:05}",
                    capacity={"review": None},
                    automatic=f"truth:{self._truth}?sigma=0.16",
                )
                for n in range(reviewers)
            ],
            at_command_line=True,
        )
        self.made.append(cycle_id)

    def launch(self) -> None:
        """Launch the next one."""
        cycle_id = self.made[len(self.launched)]
        self._product.cycles.launch(cycle_id, by="load")
        self.launched.append(cycle_id)

    def follow(self) -> None:
        """Finalize what has ended and launch what comes after it."""
        for cycle_id in self.launched:
            if cycle_id in self.finished:
                continue
            if self._product.cycles.get(cycle_id).status is CycleStatus.ENDED:
                self._product.cohort.finalize(cycle_id, by="load", signed_by=("load",))
                self.finished.append(cycle_id)
                if len(self.launched) == len(self.made):
                    self.make()
                self.launch()

    def scores(self) -> int:
        """Scores that count so far: every review costs 1."""
        return sum(self._product.cycles.get(cycle_id).spent for cycle_id in self.launched)


def measure(
    size: Size, *, database: str = "sqlite", say: Callable[[str], None] = print
) -> dict[str, Any]:
    """Run a deployment for a while, between two measurements of its limits.

    Args:
        size: How big.
        database: "sqlite" or "postgresql", Debian's and with every commit on the disk.
        say: Takes lines about how far it is.

    Returns:
        Rates a second, `ingest_over_noop`, latencies in milliseconds, bytes, memory in MB by
        process, load averages, and `problems`: what a verification of the finished cycles found.
    """
    with (
        tempfile.TemporaryDirectory(prefix="sf-load-") as name,
        RedisServer() as server,
        _database(database, Path(name)) as url,
    ):
        folder = Path(name)
        settings = load_settings(
            data_dir=folder, redis_url=server.url, database_url=url, web_port=free_port()
        )
        upgrade_database(settings)
        figures: dict[str, Any] = {
            "applicants": size.applicants,
            "reviewers": size.reviewers,
            "cycles": size.cycles,
            "open": size.open,
            "database": database,
            "cores": os.cpu_count(),
            "load_average_before": round(os.getloadavg()[0], 2),
            "fsync_ms": round(time_fsync(folder), 2),
        }
        say("limits, before")
        before = _limits(server, settings, size)
        figures |= _run(server, settings, size, say)
        say("limits, after")
        after = _limits(server, settings, size)
    figures["load_average_after"] = round(os.getloadavg()[0], 2)
    for limit, rate in before.items():
        figures[limit] = round((rate + after[limit]) / 2, 1)
        figures[f"{limit}_before_after"] = [round(rate, 1), round(after[limit], 1)]
    figures["ingest_over_noop"] = round(
        figures["scores_per_second"] / figures["noop_per_second"], 3
    )
    return figures


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print, write; 1 when something is not as it must be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--applicants", type=int, default=Size().applicants)
    parser.add_argument("--reviewers", type=int, default=Size().reviewers)
    parser.add_argument("--cycles", type=int, default=CYCLES)
    parser.add_argument(
        "--reviews", type=int, default=Size().reviews, help="most for one applicant"
    )
    parser.add_argument("--open", type=int, default=Size().open, help="requests of a reviewer")
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--out", type=Path, default=OUT)
    chosen = parser.parse_args(argv)
    size = Size(
        applicants=chosen.applicants,
        reviewers=chosen.reviewers,
        cycles=chosen.cycles,
        reviews=chosen.reviews,
        open=chosen.open,
        seconds=chosen.minutes * 60,
    )
    figures = measure(size, database=chosen.database, say=lambda line: print(line, flush=True))
    _print(figures)
    chosen.out.parent.mkdir(parents=True, exist_ok=True)
    chosen.out.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    print(f"written to {chosen.out}")
    return int(bool(faults(figures)))


def faults(figures: dict[str, Any]) -> list[str]:
    """Name what a measurement shows that must not be."""
    found = list(figures["problems"])
    if figures["ingest_over_noop"] < ASKED:
        found.append(
            f"{figures['ingest_over_noop']} scores were taken in for each task that does "
            f"nothing; asked are {ASKED}"
        )
    return found


# The run


def _run(
    server: RedisServer, settings: Settings, size: Size, say: Callable[[str], None]
) -> dict[str, Any]:
    product = build(settings)
    truth = settings.data_dir / "truth.csv"
    _write_truth(truth, size.applicants)
    empty = _bytes(settings)
    series = Series(product, size, truth)
    began = time.monotonic()
    for _ in range(2 * size.cycles):
        series.make()
    say(f"{2 * size.cycles} cycles made in {time.monotonic() - began:.0f} s")
    filled = _bytes(settings)

    def processes() -> dict[str, int]:
        noted = json.loads((settings.data_dir / "run" / "processes.json").read_text("ascii"))
        return {"redis": server.pid} | {name: pid for name, (pid, _) in noted.items()}

    with running(settings, SWAPFLOW_WEB_PORT=str(settings.web_port)):
        spent = {name: cpu_seconds(pid) for name, pid in processes().items()}
        with MemoryWatch(processes, every=min(5.0, size.seconds / 20)) as memory:
            for _ in range(size.cycles):
                series.launch()
            curve = _follow(series, size, memory, say)
        cpu = {name: cpu_seconds(pid) - spent[name] for name, pid in processes().items()}
    seconds, scores = curve[-1]
    latencies = np.array(_latencies(settings, series.launched)) * 1000
    percentiles = np.percentile(latencies, [50, 99]) if latencies.size else (0.0, 0.0)
    per_cycle = (filled - empty) / (2 * size.cycles)
    grown = _bytes(settings) - empty - per_cycle * len(series.made)
    problems = [
        f"{cycle_id}: {finding.what}"
        for cycle_id in (*series.finished[:2], *series.launched[-1:])
        for finding in product.reports.verify(cycle_id, live=False).findings
        if finding.fatal
    ]
    _close(product)
    return {
        "seconds": round(seconds, 1),
        "scores": scores,
        "scores_per_second": round(scores / seconds, 1),
        "scores_per_second_halves": _halves(curve),
        "cycles_launched": len(series.launched),
        "cycles_finished": len(series.finished),
        "decision_ms_p50": round(float(percentiles[0]), 1),
        "decision_ms_p99": round(float(percentiles[1]), 1),
        "decisions_timed": int(latencies.size),
        "bytes_per_score": round(grown / max(scores, 1)),
        "bytes_per_applicant": round(per_cycle / max(size.applicants // size.cycles, 1)),
        "memory": memory.figures(),
        "memory_over_time": {
            name: [[round(figure, 1) for figure in look] for look in looks]
            for name, looks in memory.seen.items()
        },
        "cpu": {name: round(used / seconds, 2) for name, used in cpu.items()},
        "problems": problems,
    }


def _follow(
    series: Series, size: Size, memory: MemoryWatch, say: Callable[[str], None]
) -> list[tuple[float, int]]:
    """Watch until the time is over; gives seconds and scores at every look."""
    began = time.monotonic()
    curve: list[tuple[float, int]] = [(0.0, 0)]
    told = curve[0]
    while curve[-1][0] < size.seconds:
        time.sleep(min(1.0, size.seconds / 20))
        series.follow()
        curve.append((time.monotonic() - began, series.scores()))
        if curve[-1][0] - told[0] >= size.every:
            say(_progress(told, curve[-1], series, memory))
            told = curve[-1]
    return curve


def _progress(
    before: tuple[float, int], now: tuple[float, int], series: Series, memory: MemoryWatch
) -> str:
    held = ", ".join(f"{name} {looks[-1][1]:.0f}" for name, looks in sorted(memory.seen.items()))
    rate = (now[1] - before[1]) / (now[0] - before[0])
    return (
        f"{now[0]:6.0f} s  {now[1]:8,d} scores, {rate:6.0f} a second; "
        f"{len(series.finished)} cycles finished; MB: {held}"
    )


def _halves(curve: Sequence[tuple[float, int]]) -> list[float]:
    """Scores a second in the first half of the time and in the second."""
    middle = min(curve, key=lambda look: abs(look[0] - curve[-1][0] / 2))
    parts = ((curve[0], middle), (middle, curve[-1]))
    return [round((b[1] - a[1]) / max(b[0] - a[0], 1e-9), 1) for a, b in parts]


def _rules(applicants: int, out: int, reviews: int) -> Rules:
    return Rules(
        version=1,
        purpose=Purpose.SIMULATION,
        lines=(SeatLine(name="all", places=max(1, applicants // 20)),),
        kinds=(KindRules(name="review", cost=1, gain=1.0, maximum=reviews, window_days=0),),
        floors=(Floor(kind="review", count=1),),
        budget=reviews * applicants,
        reserve=0.0,
        batch=500,
        out=out,
        settled=0.0,
        blind=False,
    )


def _name(number: int) -> str:
    return f"A{number:06}"


def _write_truth(path: Path, applicants: int) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["external_id", "true_utility"])
        writer.writerows((_name(n), f"{(n * 7919 % 1000) / 1000:.3f}") for n in range(applicants))


# What is read afterwards


def _latencies(settings: Settings, cycles: Sequence[str]) -> list[float]:
    """Seconds from each score to the first requests decided with it in view.

    Scores after which nothing more was asked (the end of a cycle) have none.
    """
    found: list[float] = []
    engine = create_engine(make_url(settings.database))
    with engine.connect() as connection:
        for cycle_id in cycles:
            decided = connection.exec_driver_sql(
                "SELECT read_seq, at FROM decision WHERE picks <> '[]' "
                f"AND cycle_id = '{cycle_id}' ORDER BY number"
            ).all()
            scored = connection.exec_driver_sql(
                "SELECT seq, at FROM event WHERE type = 'scored' "
                f"AND cycle_id = '{cycle_id}' ORDER BY seq"
            ).all()
            read = np.array([row[0] for row in decided])
            at = np.array([_moment(row[1]) for row in decided])
            next_one = np.searchsorted(read, [row[0] for row in scored])
            found += [
                float(at[where] - _moment(row[1]))
                for row, where in zip(scored, next_one.tolist(), strict=True)
                if where < len(at)
            ]
    engine.dispose()
    return found


def _moment(stored: Any) -> float:  # noqa: ANN401 - a text on SQLite, a datetime on PostgreSQL
    if isinstance(stored, str):
        return float(np.datetime64(stored.replace(" ", "T"), "us").astype(np.int64)) / 1e6
    return float(stored.timestamp())


def _bytes(settings: Settings) -> int:
    """How much the database holds; pages that are free again do not count."""
    if settings.database.startswith("sqlite"):
        with closing(sqlite3.connect(str(make_url(settings.database).database))) as connection:
            pages, free, size = (
                int(connection.execute(f"PRAGMA {name}").fetchone()[0])
                for name in ("page_count", "freelist_count", "page_size")
            )
        return (pages - free) * size
    with psycopg.connect(_plain(settings.database)) as connection:
        row = connection.execute("SELECT pg_database_size(current_database())").fetchone()
        assert row is not None
        return int(row[0])


# The limits


@contextmanager
def _database(kind: str, folder: Path) -> Iterator[str | None]:
    """Start a database and yield its address: None for the SQLite file of the data folder."""
    if kind == "sqlite":
        yield None
        return
    del folder
    with Cluster() as cluster:
        yield cluster.url


def _limits(server: RedisServer, settings: Settings, size: Size) -> dict[str, float]:
    with tempfile.TemporaryDirectory(prefix="sf-noop-") as name:
        noops = time_noops(server, Path(name), count=size.noops)
    return {"noop_per_second": noops, "inserts_per_second": _bare_inserts(settings)}


def _bare_inserts(settings: Settings) -> float:
    """Rows a second, a hundred in a transaction that is on the disk, and nothing else."""
    sqlite = settings.database.startswith("sqlite")
    mark = "?" if sqlite else "%s"
    insert = f"INSERT INTO bare_score VALUES ({', '.join([mark] * 8)})"
    connection: Any
    if sqlite:
        connection = sqlite3.connect(str(make_url(settings.database).database))
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
    else:
        connection = psycopg.connect(_plain(settings.database))
    with closing(connection):
        connection.execute(_BARE_TABLE)
        connection.commit()
        began, rows = time.perf_counter(), 0
        while time.perf_counter() - began < BARE_SECONDS:
            connection.cursor().executemany(insert, [_bare(rows + n) for n in range(TOGETHER)])
            connection.commit()
            rows += TOGETHER
        rate = rows / (time.perf_counter() - began)
        connection.execute("DROP TABLE bare_score")
        connection.commit()
    return rate


def _bare(number: int) -> tuple[str | int, ...]:
    return (
        *(f"load:{number}:0:1:1", f"load:{number}:0:1", "load", number % 20_000, number % 2_000),
        *(number * 7919 % 1_000_000, "2026-11-28 12:00:00.000000", number),
    )


def _plain(url: str) -> str:
    return url.replace("postgresql+psycopg://", "postgresql://")


def _print(figures: dict[str, Any]) -> None:
    print(
        f"{figures['applicants']:,} applicants, {figures['reviewers']:,} reviewers, "
        f"{figures['cycles']} cycles at once, {figures['database']}, {figures['seconds']:g} s, "
        f"{figures['cores']} cores, load average {figures['load_average_before']} to "
        f"{figures['load_average_after']}, fsync {figures['fsync_ms']} ms"
    )
    rows = (
        ("scores taken in", "scores_per_second", "a second"),
        ("tasks that do nothing", "noop_per_second", "a second"),
        ("bare inserts", "inserts_per_second", "a second"),
        ("ingest over no-op", "ingest_over_noop", ""),
        ("score to next request, p50", "decision_ms_p50", "ms"),
        ("score to next request, p99", "decision_ms_p99", "ms"),
        ("database", "bytes_per_score", "bytes a score"),
    )
    for name, figure, unit in rows:
        print(f"{name:30}{figures[figure]:>12,} {unit}")
    names = ("rss_mb_first", "rss_mb_half", "rss_mb_last", "pss_mb_last", "rss_mb_per_10_min")
    print(f"{'process':16}" + "".join(f"{name:>20}" for name in (*names, "cores used")))
    for name, one in figures["memory"].items():
        used = figures["cpu"].get(name, 0.0)
        print(f"{name:16}" + "".join(f"{one[key]:20,.1f}" for key in names) + f"{used:20.2f}")
    print("; ".join(faults(figures)) or f"met: ingest at least {ASKED} of the no-op rate")


def _close(product: Swapflow) -> None:
    for part in (product.context.dispatcher, product.context.state, product.context.doorbell):
        part.close()  # type: ignore[union-attr]  # the real ones, all of which close
    product.context.ledger.dispose()  # type: ignore[attr-defined]  # an SqlLedger


if __name__ == "__main__":
    sys.exit(main())
