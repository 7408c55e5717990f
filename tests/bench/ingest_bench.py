"""Times the way of a score on one broker and one SQLite file, with real processes.

Run it with `python -m tests.bench.ingest_bench`; it prints what `measure` returns.
"""

import csv
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import redis

from swapflow.bootstrap import build, upgrade_database
from swapflow.domain.cycle import Round
from swapflow.domain.people.application import NewApplication
from swapflow.domain.people.reviewer import NewReviewer
from swapflow.domain.reviewing.assignment import Assignment, AssignmentStatus
from swapflow.domain.reviewing.score import Answer, Origin
from swapflow.domain.rules import DispatchMode, Floor, KindRules, Purpose, Rules, SeatLine
from swapflow.engine.ports.dispatcher import QueueMessage, Topic
from swapflow.engine.selection.decide import MOST_AT_ONCE
from swapflow.engine.services import Swapflow
from swapflow.processes.celery_worker import WORKER_ENVIRONMENT, worker_argv
from swapflow.processes.deployment import command
from swapflow.processes.heartbeat import HEARTBEAT_VARIABLE
from swapflow.queues.celery import CeleryDispatcher, broker_url, celery_app
from swapflow.queues.names import KEY_PREFIX, pull_queue
from swapflow.settings import Settings, load_settings
from tests.support.process import Process
from tests.support.redis_server import RedisServer
from tests.support.waiting import wait_until


ROOT = Path(__file__).parents[2]
PATIENCE = 300.0
_QUEUE_KEY = KEY_PREFIX + pull_queue(0)
_UNACKED_KEY = KEY_PREFIX + "unacked"
_MESSAGE_KEYS = (_QUEUE_KEY, _UNACKED_KEY, KEY_PREFIX + "unacked_index")
NOOPS = 4000
SCORES = 4000
TURN_APPLICATIONS = 3842
TURN_PLACES = 1565
TURN_BATCH = 500
MANY = 100_000
REVIEWERS = 45
REVIEW = KindRules(name="review", cost=1, gain=1.0, maximum=4, window_days=0)


def measure(*, many: int = MANY) -> dict[str, float]:
    """Measure all of it, one after the other, on one server.

    Args:
        many: Applications of the cycle whose coordinator's memory is taken.

    Returns:
        Tasks, scores and commits a second; seconds of a turn; milliseconds of the rest; megabytes.
        `ingest_over_noop` is the rate of scores over that of tasks that do nothing.
    """
    with RedisServer() as server, tempfile.TemporaryDirectory(prefix="sf-bench-") as name:
        folder = Path(name)
        figures = {"fsync_ms": time_fsync(folder)}
        figures["noop_per_second"] = time_noops(server, folder)
        figures["ingest_per_second"] = time_ingest(server, folder / "ingest")
        figures["ingest_over_noop"] = figures["ingest_per_second"] / figures["noop_per_second"]
        figures |= time_single(server, folder / "single")
        figures |= time_turn(server, folder / "turn")
        figures |= weigh(server, folder / "big", applications=many)
    return figures


def time_fsync(folder: Path) -> float:
    """Milliseconds of one fsync after 4 KB of writing, the median of 200."""
    file = folder / "fsync"
    taken = []
    with file.open("wb") as opened:
        for _ in range(200):
            opened.write(b"x" * 4096)
            opened.flush()
            began = time.perf_counter()
            os.fsync(opened.fileno())
            taken.append(time.perf_counter() - began)
    file.unlink()
    return statistics.median(taken) * 1000


def time_noops(server: RedisServer, folder: Path, *, count: int = NOOPS) -> float:
    """Tasks a second that do nothing, from the first message sent to the last one done.

    Messages that an earlier deployment left on the broker are removed first: done with the
    others, and not counted, they made the broker look slower than it is.
    """
    environment = {"SF_BENCH_REDIS": server.url, "PYTHONPATH": str(ROOT)}
    dispatcher = CeleryDispatcher(celery_app(broker_url(server.url)))
    with redis.Redis.from_url(server.url) as client:
        client.delete(*_MESSAGE_KEYS)
    with _worker("tests.bench.noop_app", folder, environment):
        began = time.perf_counter()
        dispatcher.send([QueueMessage(topic=Topic.DELIVER, id=f"n{n}") for n in range(count)])
        _wait_drained(server)
        taken = time.perf_counter() - began
    dispatcher.close()
    return count / taken


def time_ingest(server: RedisServer, data: Path) -> float:
    """Scores a second by automatic reviewers, a hundred in one transaction.

    From the decision that opens the requests, through dispatch, Celery, delivery and submit, to
    the last commit, with a coordinator that takes every score in meanwhile.
    """
    settings = _settings(server, data)
    product = _build(settings)
    truth = data / "truth.csv"
    _write_truth(truth, SCORES)
    rules = _rules(budget=SCORES, batch=500)
    _fill(product, "ingest", rules, SCORES, automatic=f"truth:{truth}")
    environment = _environment(settings)
    with (
        _worker("workers.app", data, environment),
        Process(command("coordinator"), env=environment) as coordinator,
    ):
        coordinator.wait_for(
            lambda: "coordinator started" in coordinator.output(),
            what="the coordinator",
        )
        product.cycles.launch("ingest", by="bench")
        coordinator.wait_for(
            lambda: product.cycles.get("ingest").spent == SCORES,
            what="every score",
        )
        head = product.cycles.get("ingest").position
        coordinator.wait_for(
            lambda: product.context.state.position("ingest").seq >= head.seq,
            what="the live state",
        )
    first = min(a.created_at for a in product.context.ledger.assignments("ingest"))
    last = max(score.submitted_at for score in product.scores.list("ingest"))
    _close(product)
    return SCORES / (last - first).total_seconds()


def time_single(server: RedisServer, data: Path) -> dict[str, float]:
    """Commits of one row a second, and milliseconds from a score's commit until it is applied."""
    settings = _settings(server, data)
    product = _build(settings)
    ledger = product.context.ledger
    began, rows = time.perf_counter(), 0
    while time.perf_counter() - began < 2.0:
        ledger.create_round(Round(id=f"row{rows}", name="", unit="", zone="UTC"))
        rows += 1
    per_second = rows / (time.perf_counter() - began)
    _fill(product, "idle", _rules(budget=60, batch=30), 60)
    with Process(command("coordinator"), env=_environment(settings)) as coordinator:
        product.cycles.launch("idle", by="bench")
        coordinator.wait_for(lambda: len(_open(product, "idle")) == 60, what="the requests")
        waits = [_time_until_applied(product, a) for a in _open(product, "idle")[:30]]
    _close(product)
    return {
        "single_commits_per_second": per_second,
        "applied_after_ms": statistics.median(waits) * 1000,
        "applied_after_ms_worst": max(waits) * 1000,
    }


def _time_until_applied(product: Swapflow, assignment: Assignment) -> float:
    time.sleep(0.3)  # idle again
    receipt = product.tasks.submit([Answer(assignment_id=assignment.id, utility=0.5)])[0]
    began = time.perf_counter()
    while product.context.state.position("idle").seq < receipt.seq:
        time.sleep(0.001)
        assert time.perf_counter() - began < PATIENCE
    return time.perf_counter() - began


def time_turn(server: RedisServer, data: Path) -> dict[str, float]:
    """Seconds of a turn that takes 500 scores in and dispatches 500 requests, n = 3,842."""
    product = _build(_settings(server, data))
    rules = _rules(budget=3 * TURN_APPLICATIONS, batch=TURN_BATCH, places=TURN_PLACES)
    _fill(product, "turn", rules, TURN_APPLICATIONS)
    product.cycles.launch("turn", by="bench")
    coordinator = product.cycles.coordinator("bench")
    while coordinator.turn():
        pass
    _answer_open(product, "turn")
    coordinator.turn()
    taken = []
    for _ in range(5):
        waiting = _open(product, "turn")
        assert len(waiting) == TURN_BATCH
        _answer(product, waiting)
        began = time.perf_counter()
        coordinator.turn()
        taken.append(time.perf_counter() - began)
    _close(product)
    return {"turn_s": statistics.median(taken), "turn_s_worst": max(taken)}


def weigh(server: RedisServer, data: Path, *, applications: int) -> dict[str, float]:
    """Peak memory of a coordinator that starts on a big cycle with every floor scored."""
    settings = _settings(server, data)
    product = _build(settings)
    rules = _rules(budget=2 * applications, batch=TURN_BATCH, places=applications // 20)
    _fill(product, "big", rules, applications)
    product.cycles.launch("big", by="bench")
    first = product.cycles.coordinator("first")
    # The floors, ten thousand at a time; what comes after them is the other process's part.
    for _ in range(0, applications, MOST_AT_ONCE):
        first.turn()
        _answer_open(product, "big")
    first.stop()
    argv = [sys.executable, "-m", "tests.bench.big_coordinator"]
    said = subprocess.run(
        [*argv, settings.database, settings.redis],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=True,
    )
    _close(product)
    figures = json.loads(said.stdout.splitlines()[-1])
    return {
        f"memory_mb_n{applications}": figures["peak_mb"],
        f"start_s_n{applications}": figures["seconds"],
    }


def _rules(*, budget: int, batch: int, places: int = 40) -> Rules:
    return Rules(
        version=1,
        purpose=Purpose.SIMULATION,
        lines=(SeatLine(name="all", places=places),),
        kinds=(REVIEW,),
        floors=(Floor(kind="review", count=1),),
        budget=budget,
        reserve=0.0,
        dispatch=DispatchMode.LOCKSTEP,
        batch=batch,
        packet=1_000_000,
        settled=0.0,
        blind=False,
    )


def _fill(
    product: Swapflow, cycle_id: str, rules: Rules, applications: int, *, automatic: str = ""
) -> None:
    product.cycles.new_round(f"round-{cycle_id}", name="Bench")
    product.cycles.new(cycle_id, round_id=f"round-{cycle_id}", rules=rules, by="bench")
    product.applicants.import_all(
        cycle_id,
        [
            NewApplication(external_id=_item(n), selection={}, monitor={}, fields={})
            for n in range(applications)
        ],
    )
    product.reviewers.import_all(
        cycle_id,
        [
            NewReviewer(external_id=f"R{n}", capacity={"review": None}, automatic=automatic)
            for n in range(REVIEWERS)
        ],
        at_command_line=True,
    )


def _item(number: int) -> str:
    return f"A{number:06}"


def _write_truth(path: Path, applications: int) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["external_id", "true_utility"])
        writer.writerows(
            (_item(n), f"{(n * 7919 % 1000) / 1000:.3f}") for n in range(applications)
        )


def _open(product: Swapflow, cycle_id: str) -> tuple[Assignment, ...]:
    live = {AssignmentStatus.QUEUED, AssignmentStatus.DELIVERED}
    return product.context.ledger.assignments(cycle_id, statuses=live)


def _answer_open(product: Swapflow, cycle_id: str) -> None:
    waiting = _open(product, cycle_id)
    for start in range(0, len(waiting), 500):
        _answer(product, waiting[start : start + 500])


def _answer(product: Swapflow, waiting: Sequence[Assignment]) -> None:
    product.tasks.submit(
        [
            Answer(
                assignment_id=a.id,
                utility=(a.application * 7919 % 1000) / 1000,
                origin=Origin.AUTOMATIC,
            )
            for a in waiting
        ]
    )


def _settings(server: RedisServer, data: Path) -> Settings:
    data.mkdir(exist_ok=True)
    return load_settings(data_dir=data, redis_url=server.url, resend_seconds=3600.0)


def _environment(settings: Settings) -> dict[str, str]:
    return {
        "SWAPFLOW_DATA_DIR": str(settings.data_dir),
        "SWAPFLOW_REDIS_URL": settings.redis,
        "SWAPFLOW_RESEND_SECONDS": "3600",
        "PYTHONPATH": str(ROOT),
    }


def _build(settings: Settings) -> Swapflow:
    upgrade_database(settings)
    return build(settings)


def _close(product: Swapflow) -> None:
    for part in (product.context.dispatcher, product.context.state, product.context.doorbell):
        part.close()  # type: ignore[union-attr]  # the real ones, all of which close
    product.context.ledger.dispose()  # type: ignore[attr-defined]  # an SqlLedger


@contextmanager
def _worker(app: str, folder: Path, environment: dict[str, str]) -> Iterator[None]:
    """Run a worker as the supervisor would, from ready to killed."""
    beat = folder / f"{app}.beat"
    env = {**environment, **WORKER_ENVIRONMENT, HEARTBEAT_VARIABLE: str(beat)}
    with Process(worker_argv(app=app), env=env) as worker:
        worker.wait_for(beat.exists, what=f"the worker of {app}")
        yield


def _wait_drained(server: RedisServer) -> None:
    """Wait until no message waits and none is being worked on."""
    with redis.Redis.from_url(server.url) as client:
        reads: tuple[Callable[[], object], ...] = (
            lambda: client.llen(_QUEUE_KEY),
            lambda: client.hlen(_UNACKED_KEY),
        )
        wait_until(
            lambda: not any(read() for read in reads),
            what="an empty queue",
        )


if __name__ == "__main__":
    print(json.dumps(measure(), indent=2))
