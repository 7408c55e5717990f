"""Everything else that goes wrong around a round: the round comes out the same."""

import json
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from shutil import rmtree

import pytest
import redis

from swapflow.domain.event import EventType
from swapflow.domain.fixed_point import gain_units
from swapflow.domain.reviewing.assignment import AssignmentStatus
from swapflow.domain.reviewing.score import Receipt
from tests.support.process import Process
from tests.system import sleeper
from tests.system.people import answer, delivered, information, launch_with_people
from tests.system.rounds import SmallRound, check, unsound, wait_until_under_way
from tests.system.stack import Stack
from tests.system.submitting import submit_at_once


pytestmark = pytest.mark.system

WEEK = 7 * 86_400.0


@pytest.fixture(scope="module")
def deployment() -> Iterator[Stack]:
    with Stack() as running:
        yield running


def test_messages_that_come_twice_and_in_another_order_change_nothing(
    deployment: Stack, quick: SmallRound, cycle_id: str
) -> None:
    with deployment.frozen("worker"):
        quick.launch(deployment, cycle_id)
        deployment.wait_for(lambda: deployment.queued() >= 40, what="messages")
        assert deployment.double_and_shuffle_messages(seed=1) >= 80

    check(deployment, cycle_id, quick.undisturbed)


def test_lost_messages_are_sent_again(deployment: Stack, quick: SmallRound, cycle_id: str) -> None:
    with deployment.frozen("worker"):
        quick.launch(deployment, cycle_id)
        deployment.wait_for(lambda: deployment.queued() >= 40, what="messages")
        deployment.lose_messages()

    check(deployment, cycle_id, quick.undisturbed)


def test_redis_emptied_in_mid_cycle_changes_nothing(
    deployment: Stack, quick: SmallRound, cycle_id: str
) -> None:
    quick.launch(deployment, cycle_id)
    wait_until_under_way(deployment, cycle_id, decisions=3)

    with deployment.redis() as client:
        client.flushall()

    check(deployment, cycle_id, quick.undisturbed)


def test_redis_that_takes_no_more_writes_stops_a_round_only_as_long_as_it_lasts(
    deployment: Stack, quick: SmallRound, cycle_id: str
) -> None:
    quick.launch(deployment, cycle_id)
    wait_until_under_way(deployment, cycle_id)
    with deployment.redis() as client:
        client.config_set("maxmemory", 1)
        deployment.wait_for(lambda: refused_writes(client) >= 5, what="writes that Redis refuses")
        client.config_set("maxmemory", 0)

    check(deployment, cycle_id, quick.undisturbed)


def test_requests_that_stay_open_for_simulated_weeks_end_as_if_answered_at_once(
    deployment: Stack, quick: SmallRound, cycle_id: str
) -> None:
    with deployment.frozen("worker"):
        quick.launch(deployment, cycle_id)
        deployment.wait_for(lambda: deployment.queued() >= 40, what="messages")
        deployment.let_pass(3 * WEEK)

    check(deployment, cycle_id, quick.undisturbed)


def test_a_coordinator_thawed_after_its_lease_writes_nothing(
    deployment: Stack, quick: SmallRound, cycle_id: str
) -> None:
    product = deployment.product
    other = Process(
        [sys.executable, "-m", "tests.system.sleeper", "2"], env=deployment.environment
    )
    with other as frozen:
        with deployment.frozen("coordinator"):
            quick.launch(deployment, cycle_id)
            frozen.wait_for(lambda: _is_stopped(frozen.pid), what="its freeze")
            epoch = product.cycles.get(cycle_id).epoch
        check(deployment, cycle_id, quick.undisturbed)
        head = product.cycles.get(cycle_id).position

        frozen.cont()
        frozen.wait_for(lambda: sleeper.LOST in frozen.output(), what="refusal")

        assert product.cycles.get(cycle_id).position == head
        assert product.cycles.get(cycle_id).epoch > epoch
        assert frozen.terminate() == 0
    assert unsound(product, cycle_id) == []


def test_the_same_answer_handed_in_fifty_times_at_once_counts_once(
    deployment: Stack, cycle_id: str
) -> None:
    product = deployment.product
    launch_with_people(deployment, cycle_id)
    asked = delivered(deployment, cycle_id)[0]
    folder = Path(tempfile.mkdtemp(prefix="sf-submit-"))
    argv = [sys.executable, "-m", "tests.system.submitting"]
    argv += [asked.id, "0.25", "10", str(folder)]

    with (
        Process(argv, env=deployment.environment) as one,
        Process(argv, env=deployment.environment) as two,
    ):

        def wait() -> None:
            one.wait_for(lambda: len(list(folder.iterdir())) == 2, what="both")
            (folder / "go").touch()

        receipts = submit_at_once(product, answer(asked, 0.25), threads=30, wait=wait)
        for process in (one, two):
            receipts += _receipts(process)
    rmtree(folder)

    same = {(receipt.seq, receipt.value, receipt.counts) for receipt in receipts}
    assert len(receipts) == 50
    assert sum(not receipt.repeated for receipt in receipts) == 1
    assert len(same) == 1
    scored = [e for e in product.reports.events(cycle_id) if e.type is EventType.SCORED]
    assert len(scored) == 1
    assert product.cycles.get(cycle_id).spent == 1
    deployment.wait_for(
        lambda: information(deployment, cycle_id, asked.application) == gain_units(1.0),
        what="the live state",
    )
    assert unsound(product, cycle_id) == []


def test_received_is_true_though_redis_is_down_at_that_moment(
    deployment: Stack, cycle_id: str
) -> None:
    launch_with_people(deployment, cycle_id)
    asked = delivered(deployment, cycle_id)[0]
    elsewhere = deployment.away_from_redis()

    began = time.monotonic()
    receipt = elsewhere.tasks.submit([answer(asked)])[0]
    assert time.monotonic() - began < 60
    elsewhere.context.ledger.dispose()  # type: ignore[attr-defined]  # an SqlLedger

    assert receipt.counts
    deployment.wait_for(
        lambda: information(deployment, cycle_id, asked.application) == gain_units(1.0),
        what="the score in the live state",
    )


def test_received_is_true_though_everything_dies_at_that_moment(
    deployment: Stack, cycle_id: str
) -> None:
    launch_with_people(deployment, cycle_id)
    asked = delivered(deployment, cycle_id)[0]
    with deployment.redis() as client:
        client.config_set("maxmemory", 1)

    receipt = deployment.product.tasks.submit([answer(asked)])[0]
    deployment.kill_supervisor()
    assert receipt.counts
    deployment.start()

    deployment.wait_for(
        lambda: information(deployment, cycle_id, asked.application) == gain_units(1.0),
        what="the score in the live state",
    )
    assert deployment.product.tasks.submit([answer(asked)])[0].seq == receipt.seq


def test_a_request_nobody_answers_for_weeks_goes_to_another_and_the_late_answer_counts_once(
    deployment: Stack, cycle_id: str
) -> None:
    product = deployment.product
    launch_with_people(deployment, cycle_id)
    asked = delivered(deployment, cycle_id, at_least=8)

    deployment.let_pass(WEEK + 3600)
    pulls = {a.pull_id for a in asked}
    deployment.wait_for(
        lambda: pulls <= _pulls_asked_again(deployment, cycle_id),
        what="a second request for each of them",
    )
    receipts = [product.tasks.submit([answer(a, 0.75)])[0] for a in asked]
    assert all(receipt.counts for receipt in receipts)
    for assignment in asked:
        assert product.tasks.submit([answer(assignment, 0.75)])[0].repeated

    second = product.context.ledger.assignments(cycle_id)
    reviewers = {(a.pull_id, a.attempt): a.reviewer for a in second}
    assert all(reviewers[a.pull_id, 1] != reviewers[a.pull_id, 2] for a in asked)
    again = [a for a in second if a.attempt == 2 and a.pull_id in pulls]
    assert {a.status for a in again} == {AssignmentStatus.CANCELLED}
    assert unsound(product, cycle_id) == []


def test_a_database_restored_from_an_older_copy_under_a_live_redis_goes_on_from_there(
    deployment: Stack, quick: SmallRound, cycle_id: str
) -> None:
    product = deployment.product
    quick.launch(deployment, cycle_id)
    wait_until_under_way(deployment, cycle_id, decisions=2)
    copy = deployment.folder / "older.db"
    deployment.ledger.backup(copy)
    wait_until_under_way(deployment, cycle_id, decisions=4)
    deployment.stop()
    assert not deployment.settings.redis_socket.exists()
    later = product.cycles.get(cycle_id).position
    deployment.restore(copy)
    assert product.cycles.get(cycle_id).position.seq < later.seq

    deployment.start()

    check(deployment, cycle_id, quick.undisturbed)


def _pulls_asked_again(deployment: Stack, cycle_id: str) -> set[str]:
    assignments = deployment.product.context.ledger.assignments(cycle_id)
    return {a.pull_id for a in assignments if a.attempt == 2}


def _is_stopped(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] == "T"


def _receipts(process: Process) -> list[Receipt]:
    process.wait_for(lambda: process.code is not None, what="its receipts")
    assert process.code == 0, process.tail()
    return [Receipt(**receipt) for receipt in json.loads(process.output().splitlines()[-1])]


def refused_writes(client: "redis.Redis") -> int:
    """How often Redis has refused to write since it started."""
    errors = client.info("errorstats")
    return int(errors.get("errorstat_OOM", {}).get("count", 0))
