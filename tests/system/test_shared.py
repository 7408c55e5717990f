"""Real coordinators share six programs, are frozen and killed, and share them again."""

import math
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest
from sqlalchemy import select

from swapflow.ledger.schema import CYCLE
from tests.engine.cycle_by_hand import applicants, reviewers, rules
from tests.support.postgres import PostgresServer
from tests.system.stack import Stack


pytestmark = pytest.mark.system

PROGRAMS = tuple(f"p{number}" for number in range(6))
LEASE = 1.5
MOVE = 4.0


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_two_coordinators_share_six_programs_and_take_over_from_each_other(
    database: str, request: pytest.FixtureRequest
) -> None:
    url = None
    if database == "postgresql":
        server: PostgresServer = request.getfixturevalue("postgres")
        url = server.new_database()
    with (
        Stack(database_url=url, coordinators=2, lease=LEASE, move=MOVE) as deployment,
        watched(deployment) as seen,
    ):
        launch(deployment)
        shared_evenly(deployment)

        with deployment.frozen("coordinator2"):
            deployment.wait_for(
                lambda: sorted(leads(deployment).values()) == [6],
                what="one coordinator to lead every program",
            )
        shared_evenly(deployment)

        before, began = leads(deployment), time.monotonic()
        deployment.kill("coordinator1")
        deployment.wait_for(
            lambda: (
                leads(deployment).total() == len(PROGRAMS)
                and leads(deployment).keys() != before.keys()
            ),
            what="its programs to be taken over",
        )
        assert time.monotonic() - began <= LEASE + 5
        shared_evenly(deployment)

        for name in PROGRAMS:
            assert deployment.product.reports.verify(name).passed
    assert seen.looks > 20
    for lease, holders in seen.holders.items():
        assert len(holders) == 1, f"{lease} had the holders {holders}"
    assert len(seen.holders) > len(PROGRAMS), "programs moved"
    assert seen.soonest_move() >= MOVE - 2 * LEASE, "a program that was led moved again too soon"


@dataclass
class Leases:
    """What a look at all rows every few hundredths of a second saw.

    Attributes:
        looks: How many.
        holders: The holders of each program at each epoch.
        given: Moments at which a program passed from one living coordinator to another.
    """

    looks: int = 0
    holders: dict[tuple[str, int], set[str]] = field(default_factory=lambda: defaultdict(set))
    taken: dict[tuple[str, int], float] = field(default_factory=dict)
    given: dict[tuple[str, int], float] = field(default_factory=dict)

    def look(self, deployment: Stack) -> None:
        with deployment.ledger._database.reading() as connection:
            query = select(CYCLE.c.id, CYCLE.c.lease_epoch, CYCLE.c.lease_holder)
            rows = connection.execute(query).all()
        self.looks += 1
        for cycle_id, epoch, holder in rows:
            if holder:
                self.holders[cycle_id, epoch].add(holder)
                self.taken.setdefault((cycle_id, epoch), time.monotonic())
            elif (cycle_id, epoch) in self.taken:
                # Only its holder clears a lease; one that dies or freezes leaves its name.
                self.given.setdefault((cycle_id, epoch), time.monotonic())

    def soonest_move(self) -> float:
        """Return the shortest time, in seconds, between taking a program and giving it up.

        Infinite where no look came between a program's giving up and its next taking.
        """
        gaps = (at - self.taken[lease] for lease, at in self.given.items())
        return min(gaps, default=math.inf)


@contextmanager
def watched(deployment: Stack) -> Iterator[Leases]:
    """Watch the leases until the block ends; those released when all stop are not looked at."""
    seen, ended = Leases(), threading.Event()

    def watch() -> None:
        while not ended.wait(0.03):
            seen.look(deployment)

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield seen
    finally:
        ended.set()
        thread.join()


def launch(deployment: Stack) -> None:
    """Launch programs that wait for their reviewers."""
    product = deployment.product
    product.cycles.new_round("round", name="Round")
    for name in PROGRAMS:
        product.cycles.new(name, round_id="round", rules=rules(), by="ops")
        product.applicants.import_all(name, applicants(6))
        product.reviewers.import_all(name, reviewers(4))
        product.cycles.launch(name, by="ops")


def shared_evenly(deployment: Stack) -> None:
    deployment.wait_for(
        lambda: sorted(leads(deployment).values()) == [3, 3],
        what="two coordinators to lead three programs each",
    )


def leads(deployment: Stack) -> Counter[str]:
    """Count the programs of each holder of a valid lease."""
    heads = deployment.product.context.ledger.heads(lease_seconds=LEASE).of.values()
    return Counter(head.leader for head in heads if head.leader)
