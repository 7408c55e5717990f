"""A scrape tells what the record says, names nobody, and stays an answer while parts are away."""

import json
import re
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.request import urlopen

import pytest
import redis
import yaml
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.parser import text_string_to_metric_families as families

from swapflow.bootstrap import assemble
from swapflow.domain.cycle import CycleStatus, Round
from swapflow.domain.event import EventType
from swapflow.errors import UnavailableError
from swapflow.ledger.sql_ledger import SqlLedger
from swapflow.processes.metrics import Figures, serve_figures
from swapflow.settings import Settings
from tests.ledger.examples import RULES, applicant, pull, reviewer, seat
from tests.support.migrated import new_database
from tests.support.ports import free_port
from tests.support.redis_server import RedisServer
from tests.support.waiting import CAP


DEPLOY = Path(__file__).parents[2] / "deploy" / "prometheus"


@pytest.fixture
def server() -> Iterator[RedisServer]:
    with RedisServer() as started:
        yield started


@pytest.fixture
def settings(tmp_path: Path, server: RedisServer) -> Settings:
    made = Settings(data_dir=tmp_path / "var", redis_url=server.url)
    made.data_dir.mkdir()
    new_database(made.data_dir / "swapflow.db")
    return made


def scraped(settings: Settings) -> tuple[str, dict[tuple[str, ...], float]]:
    product, _ = assemble(settings)
    registry = CollectorRegistry()
    registry.register(Figures(product, settings))
    text = generate_latest(registry).decode()
    return text, {
        (sample.name, *sample.labels.values()): sample.value
        for family in families(text)
        for sample in family.samples
    }


def with_cycle(settings: Settings) -> None:
    """Store a cycle with an applicant, a reviewer and a request."""
    ledger = SqlLedger(settings.database)
    ledger.create_round(Round(id="2027", name="Season 2027", unit="minutes", zone="Europe/Paris"))
    ledger.create_cycle("fall", round_id="2027", name="Fall", rules=RULES, by="ops")
    with ledger.write("fall") as tx:
        tx.add_applications([applicant("a1")], [1], wave=1)
        tx.add_reviewers([reviewer("r1")])
        tx.record(EventType.LAUNCHED, {}, spent=30, committed=60)
        tx.set_status(CycleStatus.RUNNING)
        tx.insert_pulls([pull(0)])
        tx.insert_assignments([seat(pull(0))])
    ledger.dispose()


def test_a_scrape_tells_where_a_cycle_stands_and_names_no_person(settings: Settings) -> None:
    with_cycle(settings)
    text, figures = scraped(settings)
    assert figures["swapflow_cycle", "fall", "running"] == 1
    assert figures["swapflow_cycle_cost", "fall", "budget"] == 10_000
    assert figures["swapflow_cycle_cost", "fall", "spent"] == 30
    assert figures["swapflow_cycle_cost", "fall", "committed"] == 60
    assert figures["swapflow_requests", "fall", "review", "queued"] == 1
    assert figures["swapflow_stuck", "cycles without a coordinator"] == 1
    assert not [labels for labels in figures if labels[0] == "swapflow_programs_led"]
    for secret in ("Name of", "a1@", "Dr r1", "r1@", "biology"):
        assert secret not in text


def test_a_scrape_tells_how_many_programs_each_coordinator_leads(settings: Settings) -> None:
    with_cycle(settings)
    ledger = SqlLedger(settings.database)
    for holder in ("host-1", "host-2"):
        ledger.announce(holder, seconds=60)
    assert ledger.take_lease("fall", holder="host-1", seconds=60)
    ledger.dispose()
    _, figures = scraped(settings)
    assert figures["swapflow_programs_led", "host-1"] == 1
    assert figures["swapflow_programs_led", "host-2"] == 0
    assert figures["swapflow_stuck", "cycles without a coordinator"] == 0


def test_a_scrape_tells_what_waits_in_redis(settings: Settings, server: RedisServer) -> None:
    with redis.Redis.from_url(server.url) as client:
        client.rpush("sfq:mail", "{}", "{}")
    _, figures = scraped(settings)
    assert figures["swapflow_queue_length", "mail"] == 2
    assert figures["swapflow_part_answers", "redis"] == 1
    assert figures["swapflow_redis_memory_bytes", "used"] > 0


def test_a_scrape_answers_while_redis_is_away(settings: Settings, server: RedisServer) -> None:
    server.kill9()
    _, figures = scraped(settings)
    server.start()
    assert figures["swapflow_part_answers", "redis"] == 0
    assert figures["swapflow_part_answers", "database"] == 1


def test_a_scrape_answers_while_the_database_is_away(settings: Settings) -> None:
    product, _ = assemble(settings)
    registry = CollectorRegistry()
    registry.register(
        Figures(
            product, settings.model_copy(update={"database_url": "postgresql://127.0.0.1:1/x"})
        )
    )
    text = generate_latest(registry).decode()
    assert 'swapflow_part_answers{part="database"} 0.0' in text
    assert 'swapflow_part_answers{part="redis"} 1.0' in text


def test_mail_that_is_stuck_shows(settings: Settings) -> None:
    with closing(sqlite3.connect(settings.data_dir / "swapflow.db")) as connection, connection:
        connection.execute(
            'INSERT INTO message (id, "to", subject, text, html, calendar, state, detail, '
            "created_at, attempts) VALUES ('one', 'vera@example.org', 'Dear Vera', 't', 'h', '', "
            "'queued', '', '2020-01-01 00:00:00.000000', 0)"
        )
    text, figures = scraped(settings)
    assert figures["swapflow_stuck", "mails waiting"] == 1
    assert "vera" not in text.casefold()


def test_each_figure_that_alerts_and_dashboard_ask_for_is_told(settings: Settings) -> None:
    with_cycle(settings)
    text, _ = scraped(settings)
    told = {line.split()[2] for line in text.splitlines() if line.startswith("# TYPE")}
    told |= {name.removesuffix("_total") for name in told}
    alerts = yaml.safe_load((DEPLOY / "alerts.yml").read_text())
    dashboard = json.loads((DEPLOY / "dashboard.json").read_text())
    asked = [rule["expr"] for group in alerts["groups"] for rule in group["rules"]]
    asked += [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    named = {
        name.removesuffix("_total") for text in asked for name in re.findall(r"swapflow_\w+", text)
    }
    assert len(named) >= 10
    assert named <= told


def test_each_alert_says_what_is_the_case_and_what_to_do() -> None:
    alerts = yaml.safe_load((DEPLOY / "alerts.yml").read_text())
    for group in alerts["groups"]:
        for rule in group["rules"]:
            assert set(rule["annotations"]) == {"summary", "cure"}, rule["alert"]
            assert rule["labels"]["severity"] in {"page", "ticket"}


def test_figures_are_told_on_the_port_that_settings_name_and_nowhere_without(
    settings: Settings,
) -> None:
    port = free_port()
    product, _ = assemble(settings)
    serve_figures(product, settings)  # no port: nothing happens
    listening = settings.model_copy(update={"metrics_port": port})
    serve_figures(product, listening)
    with urlopen(f"http://127.0.0.1:{port}/metrics", timeout=CAP) as answer:
        assert b"swapflow_part_answers" in answer.read()
    with pytest.raises(UnavailableError, match="SWAPFLOW_METRICS_PORT"):
        serve_figures(product, listening)


def test_a_scrape_costs_no_more_than_a_moment_when_queues_are_full(
    settings: Settings, server: RedisServer
) -> None:
    with redis.Redis.from_url(server.url) as client:
        client.rpush("sfq:pull.weak", *(["{}"] * 1000))
    scraped(settings)  # connects
    begun = time.perf_counter()
    _, figures = scraped(settings)
    assert figures["swapflow_queue_length", "pull.weak"] == 1000
    assert figures[("swapflow_scrape_seconds",)] <= time.perf_counter() - begun
