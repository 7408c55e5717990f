"""Writes that get on are taken, however long each takes; those that do not are refused at once."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest
from starlette.types import Message, Receive, Scope, Send

from swapflow.web.http import bounded_writes
from swapflow.web.http.bounded_writes import (
    MOST,
    MOST_DRAFTS,
    MOST_WHILE_STUCK,
    BoundedWrites,
)


DRAFT = "/tasks/fall:0a3ca7fa3cf1767e/draft"


class Clock:
    """A clock that a test moves on."""

    now = 0.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(bounded_writes, "time", made)
    return made


class SlowSite:
    """An application whose writes are answered when a test says so."""

    def __init__(self) -> None:
        self.bounded = BoundedWrites(self._app)
        self._gates: list[asyncio.Future[int]] = []
        self._running: list[asyncio.Task[int]] = []

    async def _app(self, scope: Scope, receive: Receive, send: Send) -> None:
        del scope, receive
        gate = asyncio.get_running_loop().create_future()
        self._gates.append(gate)
        await send({"type": "http.response.start", "status": await gate, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def ask(self, method: str = "POST", path: str = "/x") -> int:
        """Send one request; returns the status of its answer."""
        found: list[int] = []

        async def receive() -> Message:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: Message) -> None:
            if message["type"] == "http.response.start":
                found.append(message["status"])

        scope = {"type": "http", "method": method, "path": path, "headers": []}
        await self.bounded(scope, receive, send)
        return found[0]

    async def begin(self, count: int, path: str = "/x") -> None:
        """Have that many more under way."""
        self._running += [asyncio.create_task(self.ask(path=path)) for _ in range(count)]
        await asyncio.sleep(0)

    async def answer_one(self, status: int) -> None:
        """Answer the request that began first."""
        self._gates.pop(0).set_result(status)
        assert await self._running.pop(0) == status

    async def is_taken(self, path: str = "/x") -> bool:
        """Whether one more is taken; it is answered at once."""
        one = asyncio.create_task(self.ask(path=path))
        await asyncio.sleep(0)
        if one.done():
            assert await one == 503
            return False
        self._gates.pop().set_result(303)
        return await one == 303


def test_writes_that_are_answered_one_after_the_other_are_taken_though_each_takes_long(
    clock: Clock,
) -> None:
    async def run() -> None:
        site = SlowSite()
        await site.begin(MOST_WHILE_STUCK + 4)
        for _ in range(4):
            clock.now += 0.9
            await site.answer_one(303)
            assert await site.is_taken(), f"after {clock.now:g} s, of which 0 since an answer"
        clock.now += 1.1
        assert not await site.is_taken(), "no answer for longer than a second"

    with ThreadPoolExecutor(1) as pool:  # this thread may have a loop of its own
        pool.submit(asyncio.run, run()).result()


def test_an_answer_that_says_it_failed_shows_no_progress(clock: Clock) -> None:
    async def run() -> None:
        site = SlowSite()
        await site.begin(MOST_WHILE_STUCK + 3)
        clock.now += 1.1
        await site.answer_one(503)
        assert not await site.is_taken()
        await site.answer_one(303)
        assert await site.is_taken(), "one was stored: the lock is free again"

    with ThreadPoolExecutor(1) as pool:  # this thread may have a loop of its own
        pool.submit(asyncio.run, run()).result()


def test_no_more_than_so_many_are_under_way(clock: Clock) -> None:
    async def run() -> None:
        site = SlowSite()
        await site.begin(MOST)
        assert not await site.is_taken()
        clock.now += 60
        reading = asyncio.create_task(site.ask("GET"))
        await asyncio.sleep(0)
        assert not reading.done(), "a page that only reads is always taken"
        site._gates.pop().set_result(200)
        assert await reading == 200

    with ThreadPoolExecutor(1) as pool:  # this thread may have a loop of its own
        pool.submit(asyncio.run, run()).result()


def test_drafts_that_wait_for_the_disk_keep_no_write_away(clock: Clock) -> None:
    async def run() -> None:
        site = SlowSite()
        await site.begin(200, DRAFT)
        clock.now += 5
        assert await site.is_taken(DRAFT), "a reviewer more who types"
        assert await site.is_taken(), "a review that is handed in meanwhile"
        await site.begin(MOST_DRAFTS - 200, DRAFT)
        assert not await site.is_taken(DRAFT)

    with ThreadPoolExecutor(1) as pool:  # this thread may have a loop of its own
        pool.submit(asyncio.run, run()).result()
