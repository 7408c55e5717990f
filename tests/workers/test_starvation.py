"""Endpoints that drip hold neither a worker's threads nor anybody's sign-in."""

import time
from collections.abc import Iterator
from datetime import timedelta
from itertools import count
from pathlib import Path

import pytest

from swapflow.bootstrap import assemble, mailer_queues, worker_queues
from swapflow.domain.reviewing.assignment import AssignmentStatus
from swapflow.domain.webhook_call import WebhookEvent
from swapflow.engine.ports.dispatcher import QueueMessage, Topic
from swapflow.engine.ports.records import Mail
from swapflow.identity.ports.integration_store import Webhook
from swapflow.ledger.sql_ledger import SqlLedger
from swapflow.outbound.call_slots import call_slots
from swapflow.processes.celery_worker import WORKER_ENVIRONMENT, worker_argv
from swapflow.processes.deployment import deployment_specs
from swapflow.queues.names import ALL_QUEUES, served_queues
from swapflow.settings import Settings, load_settings
from tests.engine.cycle_by_hand import applicants, reviewers, rules
from tests.support.migrated import new_database
from tests.support.process import Process
from tests.support.raw_server import drip, server
from tests.support.redis_server import RedisServer
from tests.support.waiting import wait_until


THREADS = 4


@pytest.fixture
def redis() -> Iterator[RedisServer]:
    with RedisServer() as running:
        yield running


@pytest.fixture
def settings(redis: RedisServer, tmp_path: Path) -> Settings:
    new_database(tmp_path / "swapflow.db")
    return load_settings(data_dir=tmp_path, redis_url=redis.url, worker_concurrency=THREADS)


def worker(settings: Settings, *queues: str, concurrency: int = THREADS) -> Process:
    return Process(
        worker_argv(queues=queues, concurrency=concurrency, name=f"w{concurrency}"),
        env={
            **WORKER_ENVIRONMENT,
            "SWAPFLOW_DATA_DIR": str(settings.data_dir),
            "SWAPFLOW_REDIS_URL": str(settings.redis_url),
            "SWAPFLOW_WORKER_CONCURRENCY": str(concurrency),
        },
    )


@pytest.mark.system
def test_a_worker_whose_webhooks_drip_still_delivers_and_sends_the_sign_in_mail(
    settings: Settings,
) -> None:
    product, office = assemble(settings)
    ledger = product.context.ledger
    assert isinstance(ledger, SqlLedger)
    with server(drip(b"HTTP/1.1 200 OK\r\nX: ")) as port:
        for number in range(2 * THREADS):
            ledger.office().add_webhook(
                Webhook(
                    id=f"w{number}",
                    url=f"http://127.0.0.1:{port}/{number}",
                    secret="s",
                    events=tuple(event.value for event in WebhookEvent),
                    cycle_id=None,
                    active=True,
                    by="ops",
                    created_at=ledger.now() - timedelta(minutes=1),
                )
            )
        product.cycles.new_round("round", name="Round")
        product.cycles.new("fall", round_id="round", rules=rules(), by="ops")
        product.applicants.import_all("fall", applicants(8))
        product.reviewers.import_all("fall", reviewers(4))
        product.cycles.launch("fall", by="ops")
        with worker(settings) as running:
            coordinator = product.cycles.coordinator("test")
            coordinator.turn()
            product.context.dispatcher.send(
                [
                    QueueMessage(topic=Topic.WEBHOOK, id=c)
                    for c in ledger.due_calls(again_after=0.0, at_most=100)
                ]
            )
            wait_until(
                lambda: any(settings.data_dir.glob("call-slots/*.slot")), what="the first call"
            )
            office.users.add("ada@example.org")
            office.sign_in.mail_link(
                "ada@example.org", "/", address="192.0.2.1", site="http://127.0.0.1"
            )
            asked = time.monotonic()
            coordinator.turn()

            running.wait_for(
                lambda: any((settings.data_dir / "outbox").glob("*.eml")), what="the mail"
            )
            assert time.monotonic() - asked < 5
            running.wait_for(
                lambda: not ledger.assignments("fall", statuses={AssignmentStatus.QUEUED}),
                what="every delivery",
            )
            assert time.monotonic() - asked < 8


def test_webhooks_get_half_of_a_workers_threads_and_a_slot_is_given_back(tmp_path: Path) -> None:
    slot = call_slots(tmp_path / "slots", slots=load_settings(worker_concurrency=4).webhook_slots)

    with slot() as first, slot() as second, slot() as third:
        assert (first, second, third) == (True, True, False)
    with slot() as again:
        assert again


def test_mails_of_the_office_leave_before_those_of_programs_and_on_a_queue_of_their_own(
    settings: Settings,
) -> None:
    product, office = assemble(settings)
    numbers = count()
    product.cycles.new_round("round", name="Round")
    product.cycles.new("fall", round_id="round", rules=rules(), by="ops")
    with product.context.ledger.write("fall") as transaction:
        transaction.queue_mail(
            [
                Mail(
                    id=f"fall:bulk:{next(numbers)}",
                    to="b@example.org",
                    subject="Reminder",
                    text="",
                    html="",
                    calendar="",
                    state="queued",
                )
                for _ in range(3)
            ]
        )
    office.users.add("ada@example.org")
    office.sign_in.mail_link("ada@example.org", "/", address="192.0.2.1", site="http://here")

    waiting = product.context.ledger.mails(at_most=10)

    assert [mail.cycle_id for mail in waiting] == [None, "fall", "fall", "fall"]


def test_up_sends_mails_by_a_worker_that_serves_nothing_else(settings: Settings) -> None:
    specs = {spec.name: spec for spec in deployment_specs(settings)}

    assert set(mailer_queues()) | set(worker_queues()) == set(ALL_QUEUES)
    assert not set(mailer_queues()) & set(worker_queues())
    assert ",".join(mailer_queues()) in specs["mailer"].argv
    assert ",".join(worker_queues()) in specs["worker"].argv


def test_a_worker_that_was_told_to_serve_mails_serves_sign_ins_as_well() -> None:
    assert served_queues(["mail"]) == ("sign_in", "mail")
    assert served_queues(["study"]) == ("study",)
    assert served_queues([]) == ()
