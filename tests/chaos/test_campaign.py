"""A short campaign, and the tools of the long one."""

import random
import shutil
import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from swapflow.domain.cycle import CycleStatus
from swapflow.errors import ConflictError, NotReadyError, SwapflowError
from tests.chaos import clocks, rounds
from tests.chaos.breaks import EVERY_BREAK
from tests.chaos.campaign import Result, plan_of, run
from tests.chaos.damage_names import GUARDS
from tests.chaos.deployment import FEW
from tests.chaos.driver import Browser, People
from tests.chaos.faults import Fault, Faults
from tests.chaos.proxy import Links
from tests.support.tiers import Tier, lacks


QUICK = (
    "coordinator frozen before its write",
    "link to redis cut",
    "messages doubled and reordered",
    "messages lost",
    "redis emptied",
    "web killed",
)
"""Faults that are over within a second or two."""


@pytest.mark.system
def test_a_short_campaign_breaks_no_promise() -> None:
    result = run(seed=1, faults=len(QUICK), database="sqlite", names=FEW, only=QUICK, quiet=True)

    assert result.violations == []
    assert sum(result.tally.values()) == len(QUICK)
    assert result.programs >= 2
    assert result.receipts >= rounds.APPLICANTS


def test_the_same_seed_gives_the_same_faults_and_each_kind_comes() -> None:
    known = [
        Fault(name=name, aims_at=(1,), act=lambda: None, weight=weight)
        for weight, name in enumerate("abcde", start=1)
    ]

    one, two, other = (
        [fault.name for fault in plan_of(known, 40, random.Random(seed))] for seed in (1, 1, 2)
    )

    assert one == two != other
    assert set(one) == set("abcde")
    assert [f.name for f in plan_of(known, 3, random.Random(1), only=["b"])] == ["b"] * 3


def test_an_undisturbed_program_comes_to_the_same_each_time() -> None:
    outcome = rounds.undisturbed(0)

    assert len(outcome.cohort) == rounds.PLACES
    assert outcome == rounds.undisturbed.__wrapped__(0)


@pytest.mark.parametrize(("status", "findings"), [(500, 1), (503, 0)])
def test_a_page_that_fails_is_a_finding_and_one_that_asks_for_patience_is_none(
    status: int, findings: int
) -> None:
    class Failing(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_error(status)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Failing) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        outside: Any = SimpleNamespace(
            product=None, office=None, addresses=[f"http://127.0.0.1:{server.server_port}"]
        )
        people = People(outside, seed=1)
        browser = Browser(outside, 0)
        browser._cookie = "somebody"

        def act() -> None:
            people._stopping.set()
            browser.ask("/inbox")

        people._live(act)
        server.shutdown()

    assert people.memory.seen["cut off"] == 1
    assert len(people.memory.wrong) == findings


@pytest.mark.parametrize("refusal", [ConflictError, NotReadyError])
def test_an_act_that_comes_after_its_program_moved_on_is_no_finding(
    refusal: type[SwapflowError],
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise refusal("cycle_not_ready")

    seen = SimpleNamespace(id="r1", status=CycleStatus.RUNNING)
    stands = SimpleNamespace(id="r1", status=CycleStatus.RUNNING)
    cycles = SimpleNamespace(list=lambda: [seen], get=lambda _: stands, pause=refuse)
    outside: Any = SimpleNamespace(
        product=SimpleNamespace(cycles=cycles), office=None, addresses=[]
    )
    people = People(outside, seed=1)
    people.stop_launching()
    vars(people)["_chance"] = SimpleNamespace(random=lambda: 0.0)

    with pytest.raises(refusal):
        people._staff()

    stands.status = CycleStatus.PROPOSED
    people._staff()
    assert people.memory.seen["moved on meanwhile"] == 1
    assert people.memory.wrong == []


def test_the_library_that_moves_clocks_is_found_wherever_it_lies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = clocks.find_library()
    if known is None:
        lacks("libfaketime is missing: apt-get install libfaketime", tier=Tier.FULL)
    elsewhere = tmp_path / "odd-place" / clocks.LIBRARY
    elsewhere.parent.mkdir()
    shutil.copy(known, elsewhere)
    (tmp_path / clocks.LIBRARY).write_bytes(b"of another machine")

    assert clocks.moves_clocks(elsewhere)
    assert not clocks.moves_clocks(tmp_path / clocks.LIBRARY)
    assert not clocks.moves_clocks(tmp_path / "nothing.so")
    monkeypatch.setenv(clocks.NAMED, str(elsewhere))
    assert clocks.find_library.__wrapped__() == elsewhere
    monkeypatch.setenv(clocks.NAMED, str(tmp_path / clocks.LIBRARY))
    assert clocks.find_library.__wrapped__() == known


def test_faults_that_a_machine_does_not_allow_are_named_with_the_cure() -> None:
    for has_clocks in (True, False):
        outside: Any = SimpleNamespace(has_clocks=has_clocks, on_sqlite=True)
        hand = Faults(outside, random.Random(1))
        names = {fault.name for fault in hand.all()}

        assert ("one clock jumps" in names) is has_clocks
        left = hand.left_out()
        assert set(left) & names == set()
        assert ("one clock jumps" in left) is not has_clocks
        assert all("apt-get install libfaketime" in left[n] for n in left if "clock" in n)
        assert Result(seed=1, database="sqlite", not_run=left).figures()["not_run"] == left


@pytest.mark.parametrize("is_there", [True, False])
def test_a_fault_that_aims_at_one_guard_comes_where_it_is_there_or_is_named(
    is_there: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside: Any = SimpleNamespace(has_clocks=True, on_sqlite=True)
    hand = Faults(outside, random.Random(1))
    for name in GUARDS:
        monkeypatch.setitem(GUARDS, name, lambda: is_there)

    for name in GUARDS:
        assert (name in {fault.name for fault in hand.all()}) is is_there
        assert name in {fault.name for fault in hand.all([name])}
        assert (name in hand.left_out()) is not is_there


def test_every_break_names_a_line_a_fault_and_a_check() -> None:
    for name, broken in EVERY_BREAK.items():
        assert broken.line.partition(":")[2], name
        assert broken.faults, name
        assert broken.caught, name


@contextmanager
def echo() -> Iterator[int]:
    """A server that says everything back; gives its port."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve(connection: socket.socket) -> None:
            with closing(connection), suppress(OSError):
                while said := connection.recv(1024):
                    connection.sendall(said)

        def accept() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                threading.Thread(target=serve, args=(connection,), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)


def test_a_link_passes_is_cut_goes_deaf_and_is_mended() -> None:
    links = Links()
    try:
        with echo() as port:
            link = links.add("here-there", port)
            with socket.create_connection(("127.0.0.1", link.port), timeout=5) as one:
                one.sendall(b"hello")
                assert one.recv(10) == b"hello"
                links.cut(link)
                with pytest.raises(ConnectionResetError):
                    one.recv(10)
            assert _is_refused(link.port)
            links.mend(link)
            link.is_deaf = True
            with socket.create_connection(("127.0.0.1", link.port), timeout=0.3) as deaf:
                deaf.sendall(b"anybody?")
                with pytest.raises(TimeoutError):
                    deaf.recv(10)
                links.mend(link)
            with socket.create_connection(("127.0.0.1", link.port), timeout=5) as whole:
                whole.sendall(b"again")
                assert whole.recv(10) == b"again"
    finally:
        links.close()


def _is_refused(port: int) -> bool:
    """Whether the other side hangs up, in order or not, be it while the connection is made."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
            return connection.recv(10) == b""
    except ConnectionResetError:
        return True
