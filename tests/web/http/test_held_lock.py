"""While another session holds the database, a web process goes on answering."""

import sys
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass

import httpx2
import pytest
from sqlalchemy import create_engine, make_url

from swapflow.identity.account import Method
from swapflow.identity.permissions import Role
from swapflow.ledger.core.write_admission import WriteBounds
from swapflow.settings import Settings
from swapflow.web.app import THREADS
from swapflow.web.http.bounded_writes import MOST
from tests.support.held_database import (
    EVERY_CONNECTION,
    LOCK_FILE,
    ROW,
    TABLES,
    TRANSACTION,
    held,
    held_server,
)
from tests.support.ports import free_port
from tests.support.postgres import PostgresServer
from tests.support.process import Process
from tests.web.site import Site


pytestmark = pytest.mark.system

NO_DATABASE = ("/health/live", "/sign-in", "/static/app.css")
"""What is answered without a look at the database."""

WAITED = WriteBounds().patient
"""Seconds that what waits for the lock takes at least; a busy machine alone takes fewer."""

LONG_AGO = "UPDATE session SET last_seen_at = '2020-01-01 00:00:00.000000'"

HEADERS = {"Sec-Fetch-Site": "same-origin"}


@dataclass(frozen=True, kw_only=True)
class Crowd:
    """One web process, and who writes and reads there.

    Attributes:
        address: Of the web process.
        reviewer: Cookies of a reviewer.
        staff: Cookies of an administrator.
    """

    address: str
    reviewer: dict[str, str]
    staff: dict[str, str]

    def write(self, number: int) -> tuple[float, int, str]:
        """Pause the program; return seconds, status and when to come again."""
        with self._client(self.staff) as client:
            began = time.monotonic()
            sent = client.post("/today/fall/pause", data={"reason": f"number {number}"})
            retry = sent.headers.get("retry-after", "")
            return time.monotonic() - began, sent.status_code, retry

    def read(self, path: str) -> tuple[float, int]:
        """Read a page; return seconds and status."""
        with self._client({} if path in NO_DATABASE else self.reviewer) as client:
            began = time.monotonic()
            status = client.get(path).status_code
            return time.monotonic() - began, status

    def seconds(self, path: str) -> float:
        """Return how long a page takes: the better of two, for the machine may be busy."""
        read = [self.read(path) for _ in range(2)]
        assert {status for _, status in read} == {200}, path
        return min(took for took, _ in read)

    def _client(self, cookies: dict[str, str]) -> httpx2.Client:
        return httpx2.Client(
            base_url=self.address, cookies=cookies, headers=HEADERS, trust_env=False, timeout=60
        )


@contextmanager
def serving(site: Site, url: str) -> Iterator[Crowd]:
    """Serve a site by one web process, and sign a reviewer and an administrator in."""
    site.launched()
    people = (
        site.signed_in(email="r1@example.org", method=Method.LINK),
        site.signed_in(Role.ADMINISTRATOR),
    )
    reviewer, staff = (dict(client.cookies) for client in people)
    port, folder = free_port(), site.settings.data_dir
    env = {
        "SWAPFLOW_DATA_DIR": str(folder),
        "SWAPFLOW_DATABASE_URL": url,
        "SWAPFLOW_WEB_PORT": str(port),
        "SWAPFLOW_WEB_PROCESSES": "1",
        "SWAPFLOW_REDIS_URL": f"unix://{folder}/none.sock",
    }
    # Each visit would write when the person was last seen.
    site.ledger.dispose()
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.exec_driver_sql(LONG_AGO)
    engine.dispose()
    with Process([sys.executable, "-m", "swapflow.cli.main", "web"], env=env) as web:
        address = f"http://127.0.0.1:{port}"

        def answers() -> bool:
            try:
                return httpx2.get(f"{address}/health/ready", trust_env=False).status_code == 200
            except httpx2.TransportError:
                return False

        web.wait_for(answers, what="the pages")
        yield Crowd(address=address, reviewer=reviewer, staff=staff)


@pytest.fixture
def on_file(site: Site) -> Iterator[Crowd]:
    """A site on a SQLite file."""
    with serving(site, f"sqlite:///{site.file}") as crowd:
        yield crowd


@pytest.fixture
def server(postgres: PostgresServer) -> str:
    """Address of an empty database on a PostgreSQL server."""
    return postgres.new_database()


@pytest.fixture
def on_server(server: str, settings: Settings) -> Iterator[Crowd]:
    """A site on PostgreSQL."""
    made = Site(server, settings=settings)
    with serving(made, server) as crowd:
        yield crowd
    made.ledger.dispose()


def check_bounded(crowd: Crowd, *, inbox: bool = True, most: int = 6, longest: float = 40) -> None:
    """Check what is answered while nobody can write: pages soon, few writes wait, the rest 503.

    Args:
        crowd: Who reads and writes.
        inbox: Whether a page that reads the database is answered as well.
        most: Writes that may wait for as long as a lock is waited for.
        longest: Seconds after which the last of them is answered.
    """
    with ThreadPoolExecutor(40) as pool:
        writes = crowd_of(pool, crowd, 60)
        seconds = {path: crowd.seconds(path) for path in NO_DATABASE}
        if inbox:
            assert crowd.seconds("/inbox") < WAITED
        answers = [one.result() for one in writes]

    assert max(seconds.values()) < WAITED, seconds
    assert {(status, retry) for _, status, retry in answers} == {(503, "5")}
    patient = [took for took, _, _ in answers if took >= WAITED]
    at_once = [took for took, _, _ in answers if took < WAITED / 2]
    assert len(patient) <= most, "more wait for the lock than may"
    assert len(at_once) > 10, "nobody is told at once"
    assert max(took for took, _, _ in answers) < longest


def crowd_of(
    pool: ThreadPoolExecutor, crowd: Crowd, count: int
) -> Sequence[Future[tuple[float, int, str]]]:
    """Send writes one soon after the other."""
    writes, pace = [], threading.Event()
    for number in range(count):
        writes.append(pool.submit(crowd.write, number))
        pace.wait(0.03)
    return writes


@pytest.mark.parametrize("script", [TRANSACTION, LOCK_FILE], ids=["transaction", "file"])
def test_liveness_sign_in_files_and_the_inbox_answer_while_the_write_lock_is_held(
    site: Site, on_file: Crowd, script: str
) -> None:
    with held(site.file, script):
        check_bounded(on_file)


def test_on_a_server_they_answer_while_another_session_holds_the_programs_row(
    server: str, on_server: Crowd
) -> None:
    with held_server(make_url(server), ROW):
        check_bounded(on_server)


def test_what_needs_no_database_answers_while_a_migration_holds_its_tables(
    server: str, on_server: Crowd
) -> None:
    with held_server(make_url(server), TABLES):
        # They wait to know who asks, before anything is written: as many as a process takes, and
        # as many at a time as it has threads.
        rounds = MOST / THREADS
        check_bounded(on_server, inbox=False, most=MOST, longest=rounds * (WAITED + 2))


def test_a_server_without_a_connection_left_is_told_of_at_once_and_not_waited_for(
    server: str, on_server: Crowd
) -> None:
    with held_server(make_url(server), EVERY_CONNECTION), ThreadPoolExecutor(40) as pool:
        writes = crowd_of(pool, on_server, 60)
        reads = [pool.submit(on_server.read, "/inbox") for _ in range(40)]
        seconds = {path: on_server.seconds(path) for path in NO_DATABASE}
        written = [one.result() for one in writes]
        read = [one.result() for one in reads]

    assert max(seconds.values()) < WAITED, seconds
    # Those that find a connection which the process has already are served.
    # The first of them pauses the program, and then it is paused already (422).
    assert {(status, retry) for _, status, retry in written} <= {
        (303, ""),
        (422, ""),
        (503, "5"),
    }
    assert {status for _, status in read} <= {200, 503}
    assert 503 in {status for _, status, _ in written} | {status for _, status in read}
    assert all(took < 40 for took in [*(one[0] for one in written), *(one[0] for one in read)])
    # Once there are connections again, the process serves as before.
    assert on_server.seconds("/inbox") < WAITED
