"""A network that misbehaves on demand: a proxy between a client and a server."""

import asyncio
import socket
import struct
import threading
from contextlib import suppress
from enum import Enum
from pathlib import Path
from typing import Self

from tests.support.waiting import CAP


class Mode(Enum):
    """What happens to connections.

    PASS: everything arrives. LATENCY: everything arrives later. BLACK_HOLE: bytes vanish on the
    connections that are open, and new ones open but hear nothing (a half-open connection).
    REFUSE: open ones are closed, new ones refused at once. RESET: likewise, with a reset.
    """

    PASS = "pass"
    LATENCY = "latency"
    BLACK_HOLE = "black hole"
    REFUSE = "refuse"
    RESET = "reset"


class Proxy:
    """Listens on a TCP port of this machine and speaks to a Unix socket, in its own thread."""

    def __init__(self, target: Path, *, latency: float = 0.05) -> None:
        self._target = target
        self._latency = latency
        self._mode = Mode.PASS
        self._open: set[asyncio.StreamWriter] = set()
        self._swallowed: set[asyncio.StreamWriter] = set()
        self._loop = asyncio.new_event_loop()
        self._started = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.port = 0

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._started.wait(CAP)
        return self

    def __exit__(self, *exception: object) -> None:
        self.set(Mode.REFUSE)
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result(CAP)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(CAP)
        self._loop.close()

    def set(self, mode: Mode) -> None:
        """Change the weather; connections that fell into a black hole never come out of it."""
        asyncio.run_coroutine_threadsafe(self._set(mode), self._loop).result(CAP)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._server = self._loop.run_until_complete(
            asyncio.start_server(self._serve, "127.0.0.1", 0)
        )
        self.port = self._server.sockets[0].getsockname()[1]
        self._started.set()
        self._loop.run_forever()

    async def _close(self) -> None:
        self._server.close()
        tasks = [t for t in asyncio.all_tasks() if t is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _set(self, mode: Mode) -> None:
        self._mode = mode
        if mode is Mode.BLACK_HOLE:
            self._swallowed |= self._open
        if mode in {Mode.REFUSE, Mode.RESET}:
            for writer in list(self._open):
                _break(writer, reset=mode is Mode.RESET)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._mode in {Mode.REFUSE, Mode.RESET}:
            _break(writer, reset=self._mode is Mode.RESET)
            return
        self._open.add(writer)
        if self._mode is Mode.BLACK_HOLE:
            self._swallowed.add(writer)
        try:
            server_reader, server_writer = await asyncio.open_unix_connection(self._target)
        except OSError:
            _break(writer, reset=False)
            self._open.discard(writer)
            return
        try:
            await asyncio.gather(
                self._pump(reader, server_writer, client=writer),
                self._pump(server_reader, writer, client=writer),
            )
        except asyncio.CancelledError:
            return  # the test is over
        finally:
            self._open.discard(writer)
            self._swallowed.discard(writer)
            _break(writer, reset=False)
            _break(server_writer, reset=False)

    async def _pump(
        self,
        source: asyncio.StreamReader,
        sink: asyncio.StreamWriter,
        *,
        client: asyncio.StreamWriter,
    ) -> None:
        with suppress(OSError):
            while data := await source.read(65_536):
                if client in self._swallowed:
                    continue
                if self._mode is Mode.LATENCY:
                    await asyncio.sleep(self._latency)
                sink.write(data)
                await sink.drain()
        if client not in self._swallowed:
            sink.close()


def _break(writer: asyncio.StreamWriter, *, reset: bool) -> None:
    """Close a connection, with a reset if wanted."""
    raw: socket.socket | None = writer.get_extra_info("socket")
    if reset and raw is not None:
        with suppress(OSError):
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort()
        return
    writer.close()
