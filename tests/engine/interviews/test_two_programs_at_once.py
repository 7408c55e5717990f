"""Two programs that book one person at the same moment: one date is set, the other refused."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from swapflow.domain.rules import KindRules, SeatLine
from swapflow.engine.interviews.schedule import DoubleBookingError
from swapflow.engine.interviews.slots import InterviewSlot
from tests.engine.cycle_by_hand import CYCLE, RULES, World, applicants, reviewers
from tests.support.waiting import CAP


TALK = KindRules(name="interview", cost=1, gain=1.0, maximum=1)
TALKS = replace(
    RULES,
    kinds=(TALK,),
    lines=(SeatLine(name="all", places=1),),
    floors=(replace(RULES.floors[0], kind="interview"),),
    budget=200,
)
MONDAY = datetime(2031, 3, 10, 9, tzinfo=UTC)
OTHER, ROUNDS = "spring", 8


def test_of_two_programs_that_book_one_person_at_once_one_is_refused(url: str) -> None:
    """Each hour is wanted by both, from two connections; a diary never holds it twice."""
    person = [
        replace(one, name="Ann", email="ann@example.org", capacity={"interview": None})
        for one in reviewers(1)
    ]
    here = World(url=url, rules=TALKS, applications=ROUNDS, roster=person)
    here.turn()
    product = here.product
    product.cycles.new(OTHER, round_id="round", rules=TALKS, by="ops")
    product.applicants.import_all(OTHER, applicants(ROUNDS))
    product.reviewers.import_all(OTHER, person)
    product.cycles.launch(OTHER, by="ops")
    coordinator = product.cycles.coordinator("two")
    for _ in range(20):
        coordinator.turn()
    # In memory there is one connection, and a write waits for the other.
    there = here if url == "sqlite://" else World(url=url, there=True)
    requests = {
        cycle: [one.pull.id for one in product.reviewers.interview_requests(cycle)]
        for cycle in (CYCLE, OTHER)
    }
    assert [len(found) for found in requests.values()] == [ROUNDS, ROUNDS]

    start = threading.Barrier(2, timeout=CAP)

    def book(world: World, cycle: str, turn: int) -> str:
        at = MONDAY + timedelta(hours=turn % 4, days=turn // 4)
        slot = InterviewSlot(pull_id=requests[cycle][turn], starts_at=at, minutes=60)
        start.wait()
        try:
            world.product.reviewers.set_slots(cycle, [slot], by="ops")
        except DoubleBookingError as error:
            return error.code
        return "booked"

    told = []
    with ThreadPoolExecutor(2) as pool:
        for turn in range(ROUNDS):
            jobs = [
                pool.submit(book, world, cycle, turn)
                for world, cycle in ((here, CYCLE), (there, OTHER))
            ]
            told.append(sorted(job.result(CAP) for job in jobs))

    assert told == [["booked", "interviewer_booked"]] * ROUNDS
    hours = [one.starts_at for one in product.reviewers.diary(CYCLE).bookings]
    assert len(hours) == len(set(hours)) == ROUNDS
    for world in {id(one): one for one in (here, there)}.values():
        world.ledger.dispose()
