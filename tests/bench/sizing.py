"""What a coordinator, Redis and the database need for many rounds at once, and for big ones.

Run as `python -m tests.bench.sizing --rounds 1,10,30 --applicants 2000`; prints one line for each
size and writes var/sizing.json. Every round waits for people, as rounds do most of the time: its
first requests are out, and nothing happens until a reviewer answers. A coordinator of its own then
starts on all of it, so that its memory and time are those of that size alone.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import redis

from swapflow.bootstrap import build, upgrade_database
from swapflow.domain.people.application import NewApplication
from swapflow.domain.people.reviewer import NewReviewer
from swapflow.domain.reviewing.score import Answer
from swapflow.domain.rules import Floor, KindRules, Purpose, Rules, SeatLine
from swapflow.engine.coordination.coordinator import Coordinator
from swapflow.engine.services import Swapflow
from swapflow.settings import Settings, load_settings
from tests.bench.big_coordinator import peak_megabytes
from tests.support.redis_server import RedisServer


ROOT = Path(__file__).parents[2]
OUT = Path("var/sizing.json")
IDLE_TURNS = 5
BUSY_TURNS = 5
ANSWERS = 10
MEGABYTE = 1e6


def measure(*, rounds: int, applicants: int) -> dict[str, float]:
    """Make rounds of equal size, and start a fresh coordinator that leads them.

    Returns:
        `start_s`: until it has read everything; `idle_turn_ms`: looking at every round when
        nothing happens; `busy_turn_ms`: the same with ten answers in one of them; `peak_mb`;
        `redis_mb`, `database_mb`.
    """
    with RedisServer() as server, tempfile.TemporaryDirectory(prefix="sf-size-") as name:
        settings = load_settings(
            data_dir=Path(name), redis_url=server.url, database_url=None, resend_seconds=3600.0
        )
        upgrade_database(settings)
        product = build(settings)
        for number in range(rounds):
            _make(product, f"c{number}", applicants)
        coordinator = product.cycles.coordinator("first")
        _until_idle(coordinator)
        coordinator.stop()
        _close(product)
        said = subprocess.run(
            [sys.executable, "-m", "tests.bench.sizing", "--lead", name, server.url],
            cwd=ROOT,
            capture_output=True,
            check=True,
            text=True,
        )
        with redis.Redis.from_url(server.url) as client:
            held = int(client.info("memory")["used_memory"])
        stored = sum(file.stat().st_size for file in Path(name).glob("swapflow.db*"))
    figures: dict[str, float] = json.loads(said.stdout.splitlines()[-1])
    sizes = {"redis_mb": held / MEGABYTE, "database_mb": stored / MEGABYTE}
    return {"rounds": rounds, "applicants": applicants} | figures | sizes


def lead(settings: Settings) -> dict[str, float]:
    """Start on what there is, and time turns: what the process of its own does."""
    product = build(settings)
    coordinator = product.cycles.coordinator("second")
    began = time.perf_counter()
    _until_idle(coordinator)
    start = time.perf_counter() - began
    idle = [_timed(coordinator) for _ in range(IDLE_TURNS)]
    busy = []
    for turn in range(BUSY_TURNS):
        _answer(product, "c0", first=turn)
        busy.append(_timed(coordinator))
        _until_idle(coordinator)
    coordinator.stop()
    _close(product)
    return {
        "start_s": start,
        "idle_turn_ms": statistics.median(idle) * 1000,
        "busy_turn_ms": statistics.median(busy) * 1000,
        "peak_mb": peak_megabytes(),
    }


def _make(product: Swapflow, cycle_id: str, applicants: int) -> None:
    reviewers = max(2, applicants // 10)
    product.cycles.new_round(f"round-{cycle_id}", name="Size")
    product.cycles.new(
        cycle_id,
        round_id=f"round-{cycle_id}",
        rules=Rules(
            version=1,
            purpose=Purpose.REAL,
            lines=(SeatLine(name="all", places=max(1, applicants // 20)),),
            kinds=(KindRules(name="review", cost=1, gain=1.0, maximum=4, window_days=0),),
            floors=(Floor(kind="review", count=1),),
            budget=3 * applicants,
            packet=5,
            blind=False,
        ),
        by="size",
    )
    product.applicants.import_all(
        cycle_id,
        [
            NewApplication(external_id=f"A{n:06}", selection={}, monitor={}, fields={})
            for n in range(applicants)
        ],
    )
    product.reviewers.import_all(
        cycle_id,
        [NewReviewer(external_id=f"R{n:05}", capacity={"review": None}) for n in range(reviewers)],
    )
    product.cycles.launch(cycle_id, by="size")


def _answer(product: Swapflow, cycle_id: str, *, first: int) -> None:
    waiting = [a for a in product.context.ledger.assignments(cycle_id) if a.status.is_open][
        :ANSWERS
    ]
    assert len(waiting) == ANSWERS
    product.tasks.submit(
        [
            Answer(assignment_id=a.id, utility=((a.application + first) * 7919 % 1000) / 1000)
            for a in waiting
        ]
    )


def _until_idle(coordinator: Coordinator) -> None:
    while coordinator.turn():
        pass


def _timed(coordinator: Coordinator) -> float:
    began = time.perf_counter()
    coordinator.turn()
    return time.perf_counter() - began


def main(argv: Sequence[str] | None = None) -> None:
    """Measure every size that is asked for, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", default="1,10,30", help="how many at once: N,N,…")
    parser.add_argument("--applicants", default="2000", help="in each of them: N,N,…")
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--lead", nargs=2, metavar=("FOLDER", "REDIS"), help=argparse.SUPPRESS)
    chosen = parser.parse_args(argv)
    if chosen.lead:
        folder, url = chosen.lead
        settings = load_settings(
            data_dir=Path(folder), redis_url=url, database_url=None, resend_seconds=3600.0
        )
        print(json.dumps(lead(settings)))
        return
    found = []
    for applicants in _numbers(chosen.applicants):
        for rounds in _numbers(chosen.rounds):
            found.append(measure(rounds=rounds, applicants=applicants))
            print("  ".join(f"{name} {figure:,.4g}" for name, figure in found[-1].items()))
            sys.stdout.flush()
    chosen.out.parent.mkdir(parents=True, exist_ok=True)
    chosen.out.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    print(f"written to {chosen.out}")


def _numbers(text: str) -> list[int]:
    return [int(word) for word in text.split(",")]


def _close(product: Swapflow) -> None:
    for part in (product.context.dispatcher, product.context.state, product.context.doorbell):
        part.close()  # type: ignore[union-attr]  # the real ones, all of which close
    product.context.ledger.dispose()  # type: ignore[attr-defined]  # an SqlLedger


if __name__ == "__main__":
    main()
