"""Webhooks against a program that takes them: signed, at least once, duplicates recognisable."""

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_address
from pathlib import Path
from typing import Any

import pytest

from swapflow.domain.cohort.proposal import Waiver
from swapflow.domain.reviewing.score import Answer
from swapflow.domain.webhook_call import WAITS, WebhookCall, WebhookEvent
from swapflow.errors import InvalidInputError, UnavailableError
from swapflow.identity.ports.integration_store import Webhook
from swapflow.identity.principal import Principal
from swapflow.identity.reach import NOT_PUBLIC, Reach, check_address
from swapflow.outbound.guarded_client import GuardedClient
from swapflow.outbound.webhooks import webhook_sender
from swapflow.settings import load_settings
from tests.support.migrated import new_database
from tests.support.waiting import CAP
from tests.web.site import Site


HERE = Reach(plain=True, loopback=True)
EVERYTHING = [event.value for event in WebhookEvent]


@dataclass(frozen=True)
class Consumer:
    """The consumer's process: where it listens, what it has seen."""

    url: str
    log: Path
    secret: Path

    @property
    def seen(self) -> list[dict[str, Any]]:
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        return [json.loads(line) for line in lines]


@pytest.fixture
def refusals() -> int:
    return 0


@pytest.fixture
def consumer(tmp_path: Path, refusals: int) -> Iterator[Consumer]:
    secret, log = tmp_path / "secret", tmp_path / "consumer.log"
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "tests.support.webhook_consumer",
            str(secret),
            str(log),
            str(refusals),
        ],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    port = int(process.stdout.readline())
    yield Consumer(url=f"http://127.0.0.1:{port}/hook", log=log, secret=secret)
    process.terminate()
    process.wait(CAP)
    process.stdout.close()


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    database = tmp_path / "swapflow.db"
    new_database(database)
    made = Site(database, settings=load_settings(data_dir=tmp_path))
    yield made
    made.ledger.dispose()


def principal(site: Site) -> Principal:
    account = site.account("ops@example.org")
    return Principal(account=account, session="", grants=(), seats=())


def register(site: Site, consumer: Consumer, *, cycle: str | None = None) -> Webhook:
    webhook = site.office.webhooks.make(
        principal(site), consumer.url, events=EVERYTHING, cycle_id=cycle, reach=HERE
    )
    consumer.secret.write_text(webhook.secret)
    return webhook


def answer_everything(site: Site) -> None:
    for reviewer in site.product.reviewers.list("fall"):
        for task in site.product.tasks.inbox("fall", reviewer.external_id):
            site.product.tasks.submit([_answer(task.id)])


def _answer(assignment_id: str) -> Answer:
    return Answer(assignment_id=assignment_id, marks={"Preparation": 3.0, "Promise": 2.0})


def test_a_program_is_told_of_scores_batches_stops_and_cohorts_with_good_signatures(
    site: Site, consumer: Consumer
) -> None:
    register(site, consumer)
    site.launched()
    answer_everything(site)
    site.product.cycles.stop("fall", by="ops")
    site.product.cohort.finalize("fall", by="ops", waiver=_waiver())
    site.turn()

    assert all(call["valid"] and call["status"] == 204 for call in consumer.seen)
    events = [event.type.value for event in site.product.reports.events("fall")]
    told = [call["event"] for call in consumer.seen]
    assert told.count("score.received") == events.count("scored") > 0
    assert told.count("batch.dispatched") == events.count("pulls_opened") > 0
    assert told.count("cohort.finalized") == 1
    assert len({call["id"] for call in consumer.seen}) == len(consumer.seen)


def _waiver() -> Waiver:
    return Waiver(by="ops", reason="a test")


def test_what_is_told_names_ids_and_no_mark_name_or_reviewer(
    site: Site, consumer: Consumer
) -> None:
    register(site, consumer)
    site.launched()
    answer_everything(site)
    site.turn()

    scored = next(call["body"] for call in consumer.seen if call["event"] == "score.received")
    assert set(scored["data"]) == {
        "applicant",
        "external_id",
        "kind",
        "score",
        "counts",
        "late",
    }
    assert scored["data"]["external_id"].startswith("A")
    everything = consumer.log.read_text()
    assert "Applicant" not in everything
    assert "example.com" not in everything
    assert "Reviewer" not in everything


@pytest.mark.parametrize("refusals", [2])
def test_a_program_that_answers_500_twice_is_told_again_and_misses_nothing(
    site: Site, consumer: Consumer
) -> None:
    webhook = register(site, consumer)
    site.launched()
    answer_everything(site)
    site.turn()

    assert {call["status"] for call in consumer.seen} == {500}
    for seconds in (10, 60):
        site.later(seconds)
        site.turn()

    taken = [call["id"] for call in consumer.seen if call["status"] == 204]
    calls = site.office.context.ledger.webhook_calls(webhook.id, at_most=1000)
    assert sorted(taken) == sorted(call.id for call in calls)
    assert {call.state for call in calls} == {"done"}
    assert {call.attempts for call in calls} == {3}


def test_a_worker_that_dies_after_the_call_makes_a_duplicate_with_the_same_id(
    site: Site, consumer: Consumer
) -> None:
    site.launched()
    webhook = register(site, consumer)
    answer_everything(site)
    site.ledger.queue_calls()
    first = site.ledger.due_calls(again_after=0, at_most=1)[0]
    call = site.ledger.claim_call(first)
    assert call is not None
    webhook_sender(GuardedClient(HERE))(call)  # and the worker dies here, before the row says so

    assert site.ledger.claim_call(first) is None, "nobody else takes it meanwhile"
    site.later(600)
    site.turn()

    seen = [line for line in consumer.seen if line["id"] == first]
    assert [line["duplicate"] for line in seen] == [False, True]
    assert all(
        c.state == "done"
        for c in site.office.context.ledger.webhook_calls(webhook.id, at_most=1000)
    )


def test_a_program_that_never_answers_is_given_up_after_a_day_and_can_be_told_again(
    site: Site, consumer: Consumer, tmp_path: Path
) -> None:
    webhook = register(site, consumer)
    (tmp_path / "secret").write_text("another secret")  # so each call is refused
    site.launched()
    seconds = 0.0
    for wait in WAITS:
        site.turn()
        seconds += wait.total_seconds() + 1
        site.later(seconds)
    site.turn()

    calls = site.office.context.ledger.webhook_calls(webhook.id, at_most=1000)
    assert {call.state for call in calls} == {"failed"}
    assert {call.detail for call in calls} == {"127.0.0.1 answered 401"}
    assert 20 * 3600 < seconds < 28 * 3600

    consumer.secret.write_text(webhook.secret)
    assert site.office.context.ledger.call_again(webhook.id, calls[0].id)
    site.turn()
    assert site.office.context.ledger.webhook_calls(webhook.id)[0].state == "done"


def test_history_is_not_told_nor_other_cycles(site: Site, consumer: Consumer) -> None:
    site.launched()
    site.launched("other")
    webhook = register(site, consumer, cycle="fall")
    site.turn()
    assert site.office.context.ledger.webhook_calls(webhook.id) == ()

    answer_everything(site)
    site.turn()
    calls = site.office.context.ledger.webhook_calls(webhook.id)
    assert calls
    assert {call.cycle_id for call in calls} == {"fall"}


def test_a_resting_webhook_is_told_nothing_and_catches_up_when_it_goes_on(
    site: Site, consumer: Consumer
) -> None:
    webhook = register(site, consumer)
    site.office.context.ledger.set_webhook_active(webhook.id, active=False)
    site.launched()
    site.turn()
    assert consumer.seen == []

    site.office.context.ledger.set_webhook_active(webhook.id, active=True)
    site.turn()
    assert {call["event"] for call in consumer.seen} == {"batch.dispatched"}


def test_a_purged_applicant_has_no_id_in_what_is_told_later(
    site: Site, consumer: Consumer
) -> None:
    register(site, consumer)
    site.launched()
    answer_everything(site)
    for application in site.product.applicants.list("fall"):
        site.product.applicants.erase("fall", application.external_id, by="ops")
    site.turn()

    scored = [call["body"]["data"] for call in consumer.seen if call["event"] == "score.received"]
    assert scored
    assert {data["external_id"] for data in scored} == {None}


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "127.1.2.3",
        "10.0.0.1",
        "172.16.3.4",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0",
        "224.0.0.1",
        "255.255.255.255",
        "::1",
        "::",
        "fe80::1",
        "fc00::1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "64:ff9b::a00:1",
        "64:ff9b:1::1",
        "::127.0.0.1",
        "::10.0.0.1",
        "::ffff:0:127.0.0.1",
        "::ffff:0:10.0.0.1",
        "2002:7f00:1::",
        "2001:0:0:0:0:0:80ff:fffe",
        "fec0::1",
        "100::1",
        "2001:db8::1",
        "192.0.0.8",
        "192.0.2.1",
        "192.88.99.1",
        "198.18.0.1",
        "240.0.0.1",
        "ff02::1",
    ],
)
def test_calls_reach_no_address_behind_the_wall(address: str) -> None:
    assert not Reach().allows(ip_address(address))


@pytest.mark.parametrize(
    "address",
    ["1.1.1.1", "93.184.216.34", "2606:4700::1111", "64:ff9b::101:101", "::ffff:1.1.1.1"],
)
def test_calls_reach_every_public_address(address: str) -> None:
    assert Reach().allows(ip_address(address))


@pytest.mark.parametrize("network", NOT_PUBLIC, ids=str)
def test_neither_end_of_a_network_that_is_not_public_is_called(
    network: IPv4Network | IPv6Network,
) -> None:
    for address in (network[0], network[-1]):
        assert not Reach().allows(address)


def test_a_name_that_leads_inside_is_refused_when_something_is_sent() -> None:
    call = WebhookCall(
        id="w:fall:1",
        url="https://localhost/hook",
        secret="s",
        event="score.received",
        body=b"{}",
        attempt=1,
    )
    with pytest.raises(UnavailableError, match="private network"):
        webhook_sender(GuardedClient(Reach()))(call)


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/hook",
        "https://user:secret@example.org/",
        "https://10.0.0.1/",
        "https://[::1]/",
        "https://",
        "ftp://example.org/",
        "https://example.org:99999/",
        "https://exa mple.org/",
        "https://exam\x00ple.org/",
        "javascript:alert(1)",
        "",
    ],
)
def test_an_address_that_cannot_be_called_is_refused_when_it_is_registered(url: str) -> None:
    with pytest.raises(InvalidInputError):
        check_address(url, Reach())
