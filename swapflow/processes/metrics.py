"""Figures for Prometheus, read at each scrape: nothing is counted in a process and lost with it.

Every web process tells the same figures, so one of them is enough to scrape. They name programs
and queues, never a person, a mark or a secret.
"""

import shutil
import time
from collections.abc import Callable, Iterator
from typing import TypeVar

from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.core import GaugeMetricFamily as Gauge
from prometheus_client.metrics_core import CounterMetricFamily as Counter
from prometheus_client.metrics_core import Metric
from prometheus_client.process_collector import ProcessCollector
from prometheus_client.registry import Collector

from swapflow.bootstrap import look_at_database, look_at_redis
from swapflow.domain.cycle import CycleStatus
from swapflow.engine.ports.health_facts import DatabaseFacts, Outboxes, RedisFacts
from swapflow.engine.services import Swapflow
from swapflow.errors import DamagedRecordError, SwapflowError, UnavailableError
from swapflow.settings import Settings


T = TypeVar("T")


class Figures(Collector):
    """Reads database and Redis once per scrape; a part that is away is a figure as well."""

    def __init__(self, product: Swapflow, settings: Settings) -> None:
        self._product = product
        self._settings = settings

    def describe(self) -> Iterator[Metric]:
        """Name nothing beforehand: registering must not read the database."""
        yield from ()

    def collect(self) -> Iterator[Metric]:
        """Read everything."""
        begun = time.perf_counter()
        answers = Gauge("swapflow_part_answers", "Whether a part answers.", labels=["part"])
        database = _asked(lambda: look_at_database(self._settings))
        redis = _asked(lambda: look_at_redis(self._settings, watch=0.0))
        answers.add_metric(["database"], float(database is not None))
        answers.add_metric(["redis"], float(redis is not None))
        yield answers
        if database is not None:
            yield from _database(database)
            yield from self._cycles()
        if redis is not None:
            yield from _redis(redis)
        yield from self._disk()
        yield _one(
            "swapflow_scrape_seconds",
            "Seconds that reading these figures took.",
            time.perf_counter() - begun,
        )

    def _cycles(self) -> Iterator[Metric]:
        status = Gauge("swapflow_cycle", "1 for where a cycle stands.", labels=["cycle", "status"])
        cost = Gauge(
            "swapflow_cycle_cost",
            "Cost of a cycle in the unit of its round: budget, spent, committed.",
            labels=["cycle", "what"],
        )
        events = Counter("swapflow_events", "Events of a cycle's record.", labels=["cycle"])
        decisions = Counter("swapflow_decisions", "Batches that were decided.", labels=["cycle"])
        requests = Gauge(
            "swapflow_requests",
            "Review requests by kind and state.",
            labels=["cycle", "kind", "state"],
        )
        try:
            for cycle in self._product.cycles.list():
                if cycle.is_practice:  # training would count as work of the office
                    continue
                status.add_metric([cycle.id, cycle.status.value], 1.0)
                events.add_metric([cycle.id], float(cycle.position.seq))
                decisions.add_metric([cycle.id], float(cycle.decisions))
                try:
                    rules = self._product.cycles.rules(cycle.id)
                except DamagedRecordError:  # the others' figures are wanted all the more
                    continue
                cost.add_metric([cycle.id, "budget"], float(rules.budget))
                cost.add_metric([cycle.id, "spent"], float(cycle.spent))
                cost.add_metric([cycle.id, "committed"], float(cycle.committed))
                if cycle.status is CycleStatus.DRAFT:
                    continue
                for (kind, state), count in self._product.reports.counts(cycle.id).items():
                    requests.add_metric([cycle.id, rules.kinds[kind].name, state], float(count))
        except UnavailableError:  # it went away in the middle: what was read is true
            pass
        yield from (status, cost, events, decisions, requests)

    def _disk(self) -> Iterator[Metric]:
        try:
            free = shutil.disk_usage(self._settings.data_dir).free
        except OSError:
            return
        yield _one("swapflow_disk_free_bytes", "Room left for the data folder.", float(free))


def serve_figures(product: Swapflow, settings: Settings) -> None:
    """Answer scrapes from a thread of its own, if the settings name a port.

    Raises:
        UnavailableError: If the port cannot be had.
    """
    if not settings.metrics_port:
        return
    # A registry of its own, and undescribed: registering would otherwise collect, and read the
    # database at the start.
    registry = CollectorRegistry(auto_describe=False)
    registry.register(Figures(product, settings))
    ProcessCollector(registry=registry)
    try:
        start_http_server(settings.metrics_port, addr=settings.metrics_host, registry=registry)
    except OSError as error:
        raise UnavailableError(
            "metrics_port_taken", port=settings.metrics_port, problem=error.strerror
        ) from error


def _database(facts: DatabaseFacts) -> Iterator[Metric]:
    yield _one(
        "swapflow_database_clock_ahead_seconds",
        "Seconds by which the database's clock is ahead of this machine's.",
        facts.ahead,
    )
    yield _one(
        "swapflow_migrations_pending",
        "1 when the database's tables are not those of this version.",
        float(facts.revision != facts.newest),
    )
    if facts.outboxes is not None:
        yield from _outboxes(facts.outboxes)


def _outboxes(boxes: Outboxes) -> Iterator[Metric]:
    led = Gauge(
        "swapflow_programs_led",
        "Programs that a coordinator leads now.",
        labels=["coordinator"],
    )
    for one in boxes.coordinators:
        led.add_metric([one.holder], float(len(one.programs)))
    yield led
    stuck = Gauge("swapflow_stuck", "What should have left and has not.", labels=["what"])
    for what, count in (
        ("cycles without a coordinator", len(boxes.leaderless)),
        ("requests unsent", boxes.unsent),
        ("requests undelivered", boxes.undelivered),
        ("mails waiting", boxes.mails_waiting),
        ("mails failed", boxes.mails_failed),
        ("webhook calls failed", boxes.calls_failed),
    ):
        stuck.add_metric([what], float(count))
    yield stuck


def _redis(facts: RedisFacts) -> Iterator[Metric]:
    lengths = Gauge("swapflow_queue_length", "Messages that wait in a queue.", labels=["queue"])
    for name, length in facts.waiting.items():
        lengths.add_metric([name], float(length))
    yield lengths
    memory = Gauge("swapflow_redis_memory_bytes", "Memory of Redis.", labels=["what"])
    memory.add_metric(["used"], float(facts.memory_used))
    memory.add_metric(["most"], float(facts.memory_most))
    yield memory
    yield _one(
        "swapflow_programs_set_aside",
        "Programs that are stopped because something of theirs cannot be read.",
        float(len(facts.quarantined)),
    )
    yield _one(
        "swapflow_redis_refuses_writes",
        "1 when Redis refuses a small write.",
        float(bool(facts.refused)),
    )
    yield _one(
        "swapflow_redis_clock_ahead_seconds",
        "Seconds by which Redis' clock is ahead of this machine's.",
        facts.ahead,
    )


def _one(name: str, meaning: str, value: float) -> Metric:
    return Gauge(name, meaning, value=value)


def _asked(look: Callable[[], T]) -> T | None:
    try:
        return look()
    except SwapflowError:
        return None
