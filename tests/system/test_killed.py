"""Processes that are killed, at named points and at random: the round comes out the same."""

import random
from collections.abc import Iterator

import pytest

from tests.support.postgres import PostgresServer
from tests.system.rounds import SmallRound, check, wait_until_further, wait_until_under_way
from tests.system.stack import Stack


pytestmark = pytest.mark.system

COORDINATOR_POINTS = (
    "before_commit:2",
    "after_commit:1",
    "before_send:1",
    "after_send:2",
    "before_apply:2",
    "after_apply:1",
)
WORKER_POINTS = ("before_commit:1", "after_commit:2")


@pytest.fixture(scope="module")
def deployment() -> Iterator[Stack]:
    """One coordinator and one worker whose first lives end at the named points."""
    with Stack(
        crash_points={"coordinator": COORDINATOR_POINTS, "worker": WORKER_POINTS}
    ) as running:
        yield running


def test_a_round_survives_death_at_every_named_point_of_coordinator_and_worker(
    deployment: Stack, quick: SmallRound, cycle_id: str
) -> None:
    quick.launch(deployment, cycle_id)

    check(deployment, cycle_id, quick.undisturbed)
    assert deployment.crashes() == len(COORDINATOR_POINTS) + len(WORKER_POINTS)


def test_a_round_survives_three_kills_of_each_process_at_random_moments(
    deployment: Stack, quick: SmallRound, cycle_id: str
) -> None:
    chance = random.Random(5)
    victims = ["coordinator", "worker", "redis"] * 3
    chance.shuffle(victims)
    quick.launch(deployment, cycle_id)
    wait_until_under_way(deployment, cycle_id, decisions=1)

    for name in victims:
        wait_until_further(deployment, cycle_id, events=chance.randint(0, 30))
        deployment.restart(name)

    check(deployment, cycle_id, quick.undisturbed)


def test_a_round_survives_three_deaths_of_its_supervisor_and_nothing_is_left_running(
    deployment: Stack, quick: SmallRound, cycle_id: str
) -> None:
    chance = random.Random(6)
    quick.launch(deployment, cycle_id)

    for _ in range(3):
        wait_until_further(deployment, cycle_id, events=chance.randint(0, 60))
        deployment.kill_supervisor()
        deployment.start()

    check(deployment, cycle_id, quick.undisturbed)


def test_two_coordinators_and_two_workers_on_postgresql_survive_crashes_and_kills(
    postgres: PostgresServer, quick: SmallRound, cycle_id: str
) -> None:
    points = {
        "coordinator1": ("before_commit:1", "after_commit:3"),
        "coordinator2": ("after_apply:2",),
        "worker1": ("after_commit:1",),
    }
    with Stack(
        database_url=postgres.new_database(), coordinators=2, workers=2, crash_points=points
    ) as deployment:
        quick.launch(deployment, cycle_id)
        wait_until_under_way(deployment, cycle_id, decisions=1)
        for name in ("worker2", "redis", "coordinator2"):
            deployment.kill(name)

        check(deployment, cycle_id, quick.undisturbed)
