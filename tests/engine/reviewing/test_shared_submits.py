"""Submits that wait for the record share a transaction, and each has an outcome of its own."""

import os
import sys
from collections import deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import event

from swapflow.bootstrap import start_anew_in_forks
from swapflow.domain.event import EventType
from swapflow.domain.reviewing.assignment import Assignment
from swapflow.domain.reviewing.score import Answer, Receipt
from swapflow.engine.reviewing import shared_submits
from swapflow.engine.reviewing.shared_submits import SharedSubmits
from swapflow.errors import (
    AssignmentClosedError,
    NotFoundError,
    ScoreOutOfRangeError,
    UnavailableError,
)
from tests.engine.cycle_by_hand import CYCLE, World, rules
from tests.engine.reviewing import handing_in
from tests.support.process import Process
from tests.support.waiting import CAP, wait_until


Outcome = tuple[Receipt, ...] | BaseException


@pytest.fixture
def world(url: str) -> World:
    """A cycle in which six requests of six applicants are out."""
    made = World(url=url, applications=6, roster=6)
    made.turn()
    assert len({a.application for a in made.waiting()}) >= 6
    return made


def answers_to(world: World, *, remark: str = "") -> list[Answer]:
    """An answer about each of six applicants."""
    asked = {a.application: a for a in world.waiting()}
    return [given(a, 0.1 * (n + 1), remark=remark) for n, a in enumerate(asked.values())][:6]


def given(assignment: Assignment, utility: float, *, remark: str = "") -> Answer:
    return Answer(assignment_id=assignment.id, utility=utility, remark=remark)


def together(world: World, submits: Sequence[Sequence[Answer]]) -> list[Outcome]:
    """Have submits wait for another one's transaction, in this order."""
    shared = world.product.context.submits

    def run(answers: Sequence[Answer]) -> Outcome:
        try:
            return world.product.tasks.submit(answers)
        except BaseException as error:  # noqa: BLE001 - handed to the test
            return error

    with ThreadPoolExecutor(len(submits)) as pool:
        with world.ledger.write(CYCLE):
            running = []
            for number, answers in enumerate(submits, start=1):
                running.append(pool.submit(run, answers))
                wait_until(
                    lambda: len(shared._queues.get(CYCLE, ())) == number,  # noqa: B023 - called here
                    what="one more that waits",
                )
        outcomes = [one.result(CAP) for one in running]
    assert shared._queues == {}
    return outcomes


def commits_of(world: World) -> list[object]:
    """What the database commits from now on; the transaction of `together` is the first."""
    commits: list[object] = []
    event.listen(world.ledger._database._writer, "commit", commits.append)
    return commits


def receipts_in(outcomes: Sequence[Outcome]) -> list[Receipt]:
    found: list[Receipt] = []
    for outcome in outcomes:
        assert isinstance(outcome, tuple), outcome
        found += outcome
    return found


def test_six_that_wait_take_one_commit_and_have_six_receipts(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers, commits, rings = answers_to(world), commits_of(world), list[str]()
    monkeypatch.setattr(world.product.context.doorbell, "ring", rings.append)

    receipts = receipts_in(together(world, [[answer] for answer in answers]))

    assert len(commits) == 2, "one of the holder of the record, one of all six"
    assert rings == [CYCLE]
    assert [r.assignment_id for r in receipts] == [a.assignment_id for a in answers]
    assert [r.value for r in receipts] == [100_000 * n for n in range(1, 7)]
    assert len({r.seq for r in receipts}) == 6
    assert not any(r.repeated for r in receipts)
    events = {e.position.seq: e for e in world.events(EventType.SCORED)}
    assert {r.seq: r.value for r in receipts} == {seq: e.payload["v"] for seq, e in events.items()}
    world.turn()
    world.check()
    world.verify()
    world.ledger.dispose()


def test_what_is_wrong_with_one_changes_nothing_for_the_others(world: World) -> None:
    first, second, third, fourth, *_ = answers_to(world)
    asked = {a.id: a for a in world.waiting()}
    world.product.tasks.submit([second])

    kept, changed, unknown, off_the_scale, also_kept = together(
        world,
        [
            [first],
            [given(asked[second.assignment_id], 0.9)],
            [Answer(assignment_id=f"{CYCLE}:99:review:1:1.1", utility=0.5)],
            [third, given(asked[fourth.assignment_id], 1.5)],
            [fourth],
        ],
    )

    assert isinstance(changed, AssignmentClosedError)
    assert isinstance(unknown, NotFoundError)
    assert isinstance(off_the_scale, ScoreOutOfRangeError)
    assert len(receipts_in([kept, also_kept])) == 2
    stored = {score.assignment_id for score in world.ledger.scores(CYCLE)}
    assert stored == {a.assignment_id for a in (first, second, fourth)}, "a submit is all or none"
    world.turn()
    world.check()
    world.verify()
    world.ledger.dispose()


def test_a_second_answer_to_the_same_request_finds_the_first_one_stored(world: World) -> None:
    answer, other, *_ = answers_to(world, remark="as it was sent")
    asked = next(a for a in world.waiting() if a.id == answer.assignment_id)
    commits = commits_of(world)

    first, again, differs, another = together(
        world, [[answer], [answer], [given(asked, 0.1, remark="of another tab")], [other]]
    )

    kept, repeated = receipts_in([first, again])
    assert (kept.repeated, repeated.repeated) == (False, True)
    assert repeated.seq == kept.seq
    assert isinstance(differs, AssignmentClosedError), "its remark would be lost without a word"
    assert len(receipts_in([another])) == 1
    assert len(commits) > 2
    world.ledger.dispose()


def test_many_take_several_commits(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_submits, "MOST", 2)
    commits = commits_of(world)

    receipts = receipts_in(together(world, [[answer] for answer in answers_to(world)]))

    assert len(receipts) == 6
    assert len(commits) == 1 + 3
    world.verify()
    world.ledger.dispose()


def test_when_the_commit_fails_nobody_has_a_receipt_and_nothing_is_stored(world: World) -> None:
    answers = answers_to(world)
    commits: list[object] = []

    def fail(connection: object) -> None:
        commits.append(connection)
        if len(commits) > 1:
            raise UnavailableError("the disk is full")

    event.listen(world.ledger._database._writer, "commit", fail)
    outcomes = together(world, [[answer] for answer in answers])
    event.remove(world.ledger._database._writer, "commit", fail)

    assert [type(outcome) for outcome in outcomes] == [UnavailableError] * 6
    assert world.ledger.scores(CYCLE) == ()
    assert len(receipts_in([world.product.tasks.submit([a]) for a in answers])) == 6
    world.ledger.dispose()


def test_one_whose_thread_is_stopped_leaves_the_others_to_the_next(world: World) -> None:
    answers = answers_to(world)
    commits: list[object] = []

    def stop(connection: object) -> None:
        commits.append(connection)
        if len(commits) == 2:
            raise KeyboardInterrupt

    event.listen(world.ledger._database._writer, "commit", stop)
    outcomes = together(world, [[answer] for answer in answers])
    event.remove(world.ledger._database._writer, "commit", stop)

    assert isinstance(outcomes[0], KeyboardInterrupt)
    assert len(receipts_in(outcomes[1:])) == 5
    assert len(world.ledger.scores(CYCLE)) == 5
    world.ledger.dispose()


def test_a_forked_process_waits_for_none_of_its_parents_threads(world: World, url: str) -> None:
    if url == "sqlite://":
        pytest.skip("a database in memory ends at the fork")
    answer = answers_to(world)[0]
    start_anew_in_forks(world.product.context.submits)
    # As it is in a child that was forked while a thread of its parent led.
    world.product.context.submits._queues[CYCLE] = deque()

    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = int(not world.product.tasks.submit([answer])[0].counts)
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0
    assert len(world.ledger.scores(CYCLE)) == 1
    world.ledger.dispose()


def test_no_cycle_and_nothing_at_all() -> None:
    world, rung = World(), list[str]()
    shared = SharedSubmits()
    nowhere = Answer(assignment_id="nowhere:1:review:1:1.1", utility=0.5)

    with pytest.raises(NotFoundError):
        shared.submit([nowhere], ledger=world.ledger, committed=rung.append)
    assert shared.submit([], ledger=world.ledger, committed=rung.append) == ()
    assert (rung, shared._queues) == ([], {})


@pytest.mark.system
def test_every_receipt_that_a_killed_process_gave_is_stored(url: str) -> None:
    """Killed with -9 amid commits, three times: each time what was received is there."""
    if url == "sqlite://":
        pytest.skip("another process cannot open a database in memory")
    world = World(
        url=url, applications=480, roster=12, rules=rules(budget=1920, packet=80, batch=480)
    )
    world.turn()
    assert len(world.waiting()) >= 400

    for minimum in (5, 20, 40):
        argv = [sys.executable, "-m", "tests.engine.reviewing.handing_in", url]
        with Process(argv) as process:
            process.wait_for(
                lambda: len(handing_in.received(process.output())) >= minimum,  # noqa: B023 - called here
                what="receipts",
            )
            process.kill9()
            received = handing_in.received(process.output())
        stored = {e.position.seq: e for e in world.events(EventType.SCORED)}
        scores = {score.assignment_id: score for score in world.ledger.scores(CYCLE)}
        assert len(received) >= minimum
        for receipt in received:
            assert scores[receipt.assignment_id].seq == receipt.seq
            assert stored[receipt.seq].payload["v"] == receipt.value
        assert set(scores) >= {receipt.assignment_id for receipt in received}
        assert world.ledger.check_chain(CYCLE) is None

    world.turn()
    world.check()
    world.verify()
    world.ledger.dispose()
