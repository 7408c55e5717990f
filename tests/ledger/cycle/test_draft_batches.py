"""Many who save at the same time share a commit, and each is told what became of their own."""

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import event

from swapflow.domain.cycle import Round
from swapflow.errors import NotFoundError, StaleDraftError, UnavailableError
from swapflow.ledger.sql_ledger import SqlLedger
from tests.ledger.examples import RULES, applicant, pull, reviewer, seat
from tests.support.waiting import CAP, wait_until


Opened = Callable[[str], SqlLedger]


@pytest.fixture
def names(shared_url: str, opened: Opened) -> tuple[SqlLedger, list[str]]:
    """A ledger, and thirty requests for one reviewer."""
    ledger = opened(shared_url)
    ledger.create_round(Round(id="2027", name="2027", unit="minutes", zone="UTC"))
    ledger.create_cycle("fall", round_id="2027", name="Fall", rules=RULES, by="ops")
    requests = [pull(n) for n in range(30)]
    with ledger.write("fall") as tx:
        tx.add_applications([applicant(f"a{n}") for n in range(30)], list(range(30)), wave=1)
        tx.add_reviewers([reviewer("r0")])
        tx.insert_pulls(requests)
        tx.insert_assignments([seat(request) for request in requests])
    return ledger, [seat(request).id for request in requests]


def while_the_turn_is_taken(ledger: SqlLedger, saves: list[Callable[[], object]]) -> list[object]:
    """Hold all of these for one commit, then release them; return results and errors."""
    together = threading.Barrier(len(saves) + 1)

    def run(save: Callable[[], object]) -> object:
        together.wait()
        try:
            return save()
        except Exception as error:  # noqa: BLE001 - handed to the test
            return error

    drafts = ledger._draft_saves._batches
    with ThreadPoolExecutor(len(saves)) as pool:
        drafts._writing = True
        running = [pool.submit(run, save) for save in saves]
        together.wait()
        wait_until(lambda: len(drafts._waiting) >= len(saves), what="all of them wait")
        drafts._writer.submit(drafts._write_all)
        return [one.result() for one in running]


def test_thirty_saves_that_wait_for_the_disk_take_one_commit(
    names: tuple[SqlLedger, list[str]],
) -> None:
    ledger, requests = names
    commits: list[object] = []
    event.listen(ledger._database._writer, "commit", commits.append)

    def saving(name: str) -> Callable[[], object]:
        return lambda: ledger.save_draft(name, {"remark": name}, expected=0)

    saved = while_the_turn_is_taken(ledger, [saving(name) for name in requests])

    assert len(commits) == 1
    assert {name: ledger.drafts([name])[name] for name in requests} == dict(
        zip(requests, saved, strict=True)
    )
    assert [ledger.drafts([name])[name].body for name in requests] == [
        {"remark": name} for name in requests
    ]


def test_one_that_is_refused_takes_no_other_along(names: tuple[SqlLedger, list[str]]) -> None:
    ledger, requests = names
    first, second = requests[:2]
    ledger.save_draft(first, {"remark": "of another tab"}, expected=0)

    stale, kept, unknown = while_the_turn_is_taken(
        ledger,
        [
            lambda: ledger.save_draft(first, {"remark": "late"}, expected=0),
            lambda: ledger.save_draft(second, {"remark": "b"}, expected=0),
            lambda: ledger.save_draft("fall:99:review:1:1.1", {"remark": "c"}, expected=0),
        ],
    )

    assert isinstance(stale, StaleDraftError)
    assert isinstance(unknown, NotFoundError)
    assert ledger.drafts([second]) == {second: kept}
    assert ledger.drafts([first])[first].body == {"remark": "of another tab"}


def test_when_the_commit_fails_everybody_is_told_and_nothing_is_said_to_be_stored(
    names: tuple[SqlLedger, list[str]],
) -> None:
    ledger, requests = names

    def fail(_connection: object) -> None:
        raise UnavailableError("the disk is full")

    event.listen(ledger._database._writer, "commit", fail)
    results = while_the_turn_is_taken(
        ledger,
        [
            lambda: ledger.save_draft(requests[0], {"remark": "a"}, expected=0),
            lambda: ledger.save_draft(requests[1], {"remark": "b"}, expected=0),
        ],
    )
    event.remove(ledger._database._writer, "commit", fail)

    assert [type(result) for result in results] == [UnavailableError, UnavailableError]
    assert ledger.drafts(requests) == {}
    assert ledger.save_draft(requests[0], {"remark": "a"}, expected=0).version == 1


def test_whoever_hangs_up_stops_neither_their_own_save_nor_another(
    names: tuple[SqlLedger, list[str]],
) -> None:
    ledger, requests = names
    first, second = (
        ledger.save_draft_soon(name, {"c0": "1"}, expected=0) for name in requests[:2]
    )

    assert not first.cancel()
    second.result(CAP)
    assert list(ledger.drafts(requests)) == requests[:2]


def test_a_forked_process_saves_with_a_thread_of_its_own(
    names: tuple[SqlLedger, list[str]],
) -> None:
    ledger, requests = names
    ledger.save_draft(requests[0], {"c0": "1"}, expected=0)

    child = os.fork()
    if child == 0:
        saving = ledger.save_draft_soon(requests[1], {"c0": "2"}, expected=0)
        os._exit(0 if saving.result(CAP).version == 1 else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert list(ledger.drafts(requests)) == requests[:2]


def test_reads_of_one_moment_do_not_see_what_is_written_meanwhile(
    names: tuple[SqlLedger, list[str]],
) -> None:
    ledger, requests = names

    with ledger.one_moment(), ThreadPoolExecutor(1) as other:
        before = ledger.drafts(requests)
        other.submit(ledger.save_draft, requests[0], {"remark": "a"}, expected=0).result()
        within = ledger.drafts(requests)

    assert (before, within) == ({}, {})
    assert list(ledger.drafts(requests)) == requests[:1]


def test_nothing_is_written_among_reads_of_one_moment(
    names: tuple[SqlLedger, list[str]],
) -> None:
    ledger, requests = names

    with (
        ledger.one_moment(),
        pytest.raises(RuntimeError, match="would not be seen"),
    ):
        ledger.save_draft(requests[0], {"remark": "a"}, expected=0)


def test_a_reviewer_is_read_alone_as_among_all(ledger: SqlLedger) -> None:
    with ledger.write("fall") as tx:
        tx.add_reviewers([reviewer("r0"), reviewer("r1")])

    assert tuple(ledger.reviewer("fall", n) for n in (0, 1)) == ledger.reviewers("fall")
    with pytest.raises(NotFoundError):
        ledger.reviewer("fall", 2)
