"""What a thousand programs at rest cost a coordinator: its start, its idle time, a take-over.

Run as `make resting`, or `python -m tests.bench.resting --programs 1000 --applicants 200`. Every
program waits for people: its first requests are out, and nothing happens until a reviewer answers.
Coordinators are processes of their own, and no worker runs. It prints the figures beside what is
asked for and writes var/resting.json.
"""

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from swapflow.bootstrap import build, upgrade_database
from swapflow.domain.people.application import NewApplication
from swapflow.domain.people.reviewer import NewReviewer
from swapflow.domain.reviewing.assignment import AssignmentStatus
from swapflow.domain.reviewing.score import Answer
from swapflow.domain.rules import Floor, KindRules, Purpose, Rules, SeatLine
from swapflow.engine.services import Swapflow
from swapflow.processes.deployment import command
from swapflow.settings import Settings, load_settings
from tests.bench.memory import cpu_seconds, memory_mb
from tests.support.cluster import Cluster
from tests.support.process import Process
from tests.support.redis_server import RedisServer
from tests.support.waiting import wait_until


OUT = Path("var/resting.json")
ASKED = {"idle_core": 0.02, "start_seconds": 5.0, "takeover_after_lease_seconds": 5.0}
"""What each figure may come to, at 1,000 programs of 200 applicants."""

WITH_WORK = 3
"""Programs that were answered before their coordinator is killed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How many programs rest, how big they are, and how long a coordinator is watched.

    Attributes:
        programs: How many.
        applicants: In each; reviewers: likewise.
        seconds: How long processor time is counted.
    """

    programs: int = 1000
    applicants: int = 200
    reviewers: int = 20
    seconds: float = 60.0


def measure(
    size: Size, *, database: str = "sqlite", say: Callable[[str], None] = print
) -> dict[str, Any]:
    """Make the programs, let a first coordinator serve them, and time the next ones.

    Returns:
        `first_start_seconds`, of one that reads all; `start_seconds`, of one that finds them at
        rest, and `start_cpu_seconds`, which other work on the machine changes less; `idle_core`,
        its share of a core; `memory_mb`; `takeover_after_lease_seconds`, from kill -9 to the last
        of three answered programs served, without the lease's length.
    """
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="sf-resting-")))
        server = stack.enter_context(RedisServer())
        url = stack.enter_context(Cluster()).url if database == "postgresql" else None
        settings = load_settings(data_dir=folder, redis_url=server.url, database_url=url)
        upgrade_database(settings)
        product = build(settings)
        for number in range(size.programs):
            _make(product, f"p{number}", size)
            if number % 100 == 99:
                say(f"{number + 1} programs made")
        led = _led(product, settings)
        with _coordinator(settings, "first"):
            first = wait_until(lambda: led("first") == size.programs, what="the first readings")
            wait_until(lambda: _at_rest(product, settings) == size.programs, what="the rest")
            say(f"a coordinator that reads all leads them after {first:.1f} s")
            _deliver(product, size)
        with _coordinator(settings, "second") as second:
            start = wait_until(lambda: led("second") == size.programs, what="the start")
            start_cpu = cpu_seconds(second.pid)
            say(f"one that finds them at rest leads them after {start:.2f} s")
            time.sleep(2 * settings.lease_seconds)
            before, began = cpu_seconds(second.pid), time.monotonic()
            time.sleep(size.seconds)
            idle = (cpu_seconds(second.pid) - before) / (time.monotonic() - began)
            memory = memory_mb(second.pid)[0]
            say(f"idle it takes {idle:.4f} of a core and {memory:.0f} MB")
            with _coordinator(settings, "third"):
                wait_until(lambda: _there(product, settings) == 2, what="another")
                names = _names(product, settings, "second")[:WITH_WORK]
                second.kill9()
                killed = time.monotonic()
                for cycle_id in names:
                    _answer(product, cycle_id)
                wait_until(lambda: _served(product, names), what="the take-over")
                takeover = time.monotonic() - killed - settings.lease_seconds
        say(f"those with work are served {takeover:.1f} s after the lease's length")
        product.context.ledger.dispose()  # type: ignore[attr-defined]  # an SqlLedger
    return {
        "programs": size.programs,
        "applicants": size.applicants,
        "database": database,
        "cores": os.cpu_count(),
        "load_average": round(os.getloadavg()[0], 2),
        "first_start_seconds": round(first, 2),
        "start_seconds": round(start, 2),
        "start_cpu_seconds": round(start_cpu, 2),
        "idle_core": round(idle, 4),
        "memory_mb": round(memory, 1),
        "takeover_after_lease_seconds": round(takeover, 2),
    }


def faults(figures: dict[str, Any]) -> list[str]:
    """Name what a measurement shows that must not be."""
    return [
        f"{name}: {figures[name]}; asked is {most} at most"
        for name, most in ASKED.items()
        if figures[name] > most
    ]


@contextmanager
def _coordinator(settings: Settings, name: str) -> Iterator[Process]:
    """Run a coordinator until the block ends."""
    environment = {
        "SWAPFLOW_DATA_DIR": str(settings.data_dir),
        "SWAPFLOW_DATABASE_URL": settings.database,
        "SWAPFLOW_REDIS_URL": settings.redis,
    }
    with Process(command("coordinator", "--holder", name), env=environment) as process:
        yield process
        if process.code is None:
            process.terminate()


def _led(product: Swapflow, settings: Settings) -> Callable[[str], int]:
    """Return what counts the programs that a coordinator leads."""
    return lambda name: len(_names(product, settings, name))


def _names(product: Swapflow, settings: Settings, leader: str) -> list[str]:
    heads = product.context.ledger.heads(lease_seconds=settings.lease_seconds)
    return [name for name, head in heads.of.items() if head.leader.startswith(f"{leader}-")]


def _there(product: Swapflow, settings: Settings) -> int:
    heads = product.context.ledger.heads(lease_seconds=settings.lease_seconds)
    return len(heads.coordinators)


def _at_rest(product: Swapflow, settings: Settings) -> int:
    heads = product.context.ledger.heads(lease_seconds=settings.lease_seconds)
    return sum(head.rested for head in heads.of.values())


def _served(product: Swapflow, names: Sequence[str]) -> bool:
    return all(
        product.context.state.position(name) == product.context.ledger.cycle(name).position
        and product.context.ledger.cycle(name).spent > 0
        for name in names
    )


def _make(product: Swapflow, cycle_id: str, size: Size) -> None:
    product.cycles.new_round(f"round-{cycle_id}", name="Resting")
    product.cycles.new(
        cycle_id,
        round_id=f"round-{cycle_id}",
        rules=Rules(
            version=1,
            purpose=Purpose.REAL,
            lines=(SeatLine(name="all", places=max(1, size.applicants // 20)),),
            kinds=(KindRules(name="review", cost=1, gain=1.0, maximum=4, window_days=0),),
            floors=(Floor(kind="review", count=1),),
            budget=3 * size.applicants,
            packet=5,
            blind=False,
        ),
        by="bench",
    )
    product.applicants.import_all(
        cycle_id,
        [
            NewApplication(external_id=f"A{n:06}", selection={}, monitor={}, fields={})
            for n in range(size.applicants)
        ],
    )
    product.reviewers.import_all(
        cycle_id,
        [
            NewReviewer(external_id=f"R{n:05}", capacity={"review": None})
            for n in range(size.reviewers)
        ],
    )
    product.cycles.launch(cycle_id, by="bench")


def _deliver(product: Swapflow, size: Size) -> None:
    """Deliver what was asked for, as workers do: a program at rest waits for people."""
    for number in range(size.programs):
        waiting = product.context.ledger.assignments(f"p{number}")
        product.context.ledger.mark_delivered(
            [one.id for one in waiting if one.status is AssignmentStatus.QUEUED]
        )


def _answer(product: Swapflow, cycle_id: str) -> None:
    waiting = [a for a in product.context.ledger.assignments(cycle_id) if a.status.is_open]
    product.tasks.submit([Answer(assignment_id=waiting[0].id, utility=0.5)])


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print, write; 1 when a figure is above what is asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=Size().programs)
    parser.add_argument("--applicants", type=int, default=Size().applicants)
    parser.add_argument("--seconds", type=float, default=Size().seconds)
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--out", type=Path, default=OUT)
    chosen = parser.parse_args(argv)
    size = Size(programs=chosen.programs, applicants=chosen.applicants, seconds=chosen.seconds)
    figures = measure(size, database=chosen.database, say=lambda line: print(line, flush=True))
    chosen.out.parent.mkdir(parents=True, exist_ok=True)
    chosen.out.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    for name, figure in figures.items():
        print(f"{name:30} {figure}")
    found = faults(figures)
    for fault in found:
        print(fault)
    print(f"written to {chosen.out}")
    return int(bool(found))


if __name__ == "__main__":
    raise SystemExit(main())
