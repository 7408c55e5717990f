"""Links between processes that can be cut, delayed and made deaf: small TCP proxies."""

import asyncio
import socket
import struct
import threading
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any


CHUNK = 65_536
RESET = struct.pack("ii", 1, 0)
"""SO_LINGER of no seconds: closing then sends a reset, as a machine that has restarted does."""


@dataclass
class Link:
    """One way from one process to one server.

    Attributes:
        delay: Seconds that everything takes longer, in both directions.
        is_cut: New connections are reset at once.
        is_deaf: Connections stay open and nothing passes.
    """

    name: str
    target: int
    port: int = 0
    delay: float = 0.0
    is_cut: bool = False
    is_deaf: bool = False
    writers: set[asyncio.StreamWriter] = field(default_factory=set)

    @property
    def is_whole(self) -> bool:
        return not (self.is_cut or self.is_deaf or self.delay)


class Links:
    """All links of a deployment, served from one thread."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="links", daemon=True)
        self._thread.start()
        self._servers: list[asyncio.Server] = []
        self.all: dict[str, Link] = {}

    def add(self, name: str, target: int) -> Link:
        """Open a link on a free port of this machine to another port of it."""
        link = Link(name=name, target=target)
        self.all[name] = link
        self._run(self._serve(link))
        return link

    def cut(self, link: Link) -> None:
        """Reset every connection and refuse new ones."""
        link.is_cut = True
        self._loop.call_soon_threadsafe(_reset_all, link)

    def mend(self, link: Link) -> None:
        """Pass everything on again; what was swallowed stays lost with its connection."""
        was_deaf = link.is_deaf
        link.is_cut, link.is_deaf, link.delay = False, False, 0.0
        if was_deaf:
            self._loop.call_soon_threadsafe(_reset_all, link)

    def close(self) -> None:
        """Close everything."""
        self._run(self._end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _run(self, task: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(task, self._loop).result(timeout=30)

    async def _serve(self, link: Link) -> None:
        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await _pass_both_ways(link, reader, writer)

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        link.port = server.sockets[0].getsockname()[1]
        self._servers.append(server)

    async def _end(self) -> None:
        for server in self._servers:
            server.close()
        for link in self.all.values():
            link.is_cut, link.is_deaf, link.delay = True, False, 0.0
            _reset_all(link)
        if others := asyncio.all_tasks() - {asyncio.current_task()}:
            await asyncio.wait(others, timeout=10)


async def _pass_both_ways(
    link: Link, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    link.writers.add(writer)
    onward: asyncio.StreamWriter | None = None
    try:
        if link.is_cut:
            return
        answers, onward = await asyncio.open_connection("127.0.0.1", link.target)
        link.writers.add(onward)
        ways = {
            asyncio.ensure_future(_pass(link, reader, onward)),
            asyncio.ensure_future(_pass(link, answers, writer)),
        }
        _, rest = await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        for way in rest:
            way.cancel()
        await asyncio.gather(*ways, return_exceptions=True)
    except OSError:
        return  # nobody listens there just now
    finally:
        for one in filter(None, (writer, onward)):
            link.writers.discard(one)
            _reset(one)


async def _pass(link: Link, source: asyncio.StreamReader, to: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while chunk := await source.read(CHUNK):
            while link.is_deaf:  # noqa: ASYNC110 - set from another thread
                await asyncio.sleep(0.1)
            if link.delay:
                await asyncio.sleep(link.delay)
            to.write(chunk)
            await to.drain()


def _reset_all(link: Link) -> None:
    for writer in list(link.writers):
        _reset(writer)


def _reset(writer: asyncio.StreamWriter) -> None:
    with suppress(OSError, AttributeError):
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
    with suppress(OSError, RuntimeError):
        writer.transport.abort()
