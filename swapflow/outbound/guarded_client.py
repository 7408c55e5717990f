"""The one way to an address that people entered: checked, and bounded in time and size.

Every read and write of a call gets what is left of one deadline, so an answer that drips in byte
by byte ends with it. A name is resolved once, when the connection is made, and the connection goes
to an address that was checked: a name that resolves differently the next time has no effect.
"""

import queue
import socket
import ssl
import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from ipaddress import ip_address
from typing import Any, NoReturn
from urllib.parse import urlsplit

import httpcore
from typing_extensions import override

from swapflow.errors import InvalidInputError, UnavailableError
from swapflow.identity.reach import Reach, check_address


OPTIONS = Iterable[httpcore.SOCKET_OPTION]
RESOLVED = tuple[int, int, int, tuple[Any, ...]]
"""Family, type and protocol of a socket, and the address that it connects to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """An answer: its status, and its body as it came."""

    status: int
    body: bytes


class GuardedClient:
    """Sends requests to addresses that people entered; threads may share it.

    No proxy of the environment is used and no redirect followed: both would lead to an address
    that nobody checked.

    Args:
        reach: The addresses that calls may reach.
    """

    def __init__(self, reach: Reach) -> None:
        self._reach = reach

    def post(
        self,
        url: str,
        body: bytes,
        *,
        headers: Mapping[str, str],
        seconds: float,
        largest: int = 0,
    ) -> Reply:
        """Send one POST.

        Args:
            url: The address as a person entered it; it is checked again.
            body: What is sent.
            headers: Sent beside those of every request.
            seconds: Deadline of the whole call: look-up, connection, request and answer.
            largest: Most bytes of the answer's body that are read; 0 reads none of it.

        Raises:
            UnavailableError: If the address leads to a forbidden network, does not answer in time,
                or answers with more than `largest` bytes.
        """
        call = _Call(until=time.monotonic() + seconds, reach=self._reach)
        try:
            return self._post(call, check_address(url, self._reach), body, headers, largest)
        except InvalidInputError as error:
            raise UnavailableError(error.message) from error
        except httpcore.TimeoutException as error:
            host = host_of(url)
            raise UnavailableError("call_too_slow", host=host, seconds=seconds) from error
        except (httpcore.NetworkError, httpcore.ProtocolError) as error:
            host, problem = host_of(url), type(error).__name__
            raise UnavailableError("call_not_answered", host=host, problem=problem) from error

    def _post(
        self, call: "_Call", url: str, body: bytes, headers: Mapping[str, str], largest: int
    ) -> Reply:
        with (
            httpcore.ConnectionPool(ssl_context=self._trust, network_backend=call) as connections,
            connections.stream(
                "POST",
                url,
                headers=[
                    ("Host", urlsplit(url).netloc),
                    # As it is: a small packed answer could unpack into a large one.
                    ("Accept-Encoding", "identity"),
                    ("User-Agent", "swapflow"),
                    *headers.items(),
                ],
                content=body,
            ) as response,
        ):
            taken = b""
            if largest:
                for part in response.iter_stream():
                    taken += part
                    if len(taken) > largest:
                        host = host_of(url)
                        raise UnavailableError("call_answer_too_large", host=host, most=largest)
            return Reply(status=response.status, body=taken)

    @cached_property
    def _trust(self) -> ssl.SSLContext:
        """The authorities of the machine and of certifi; made once, for it takes a while."""
        return httpcore.default_ssl_context()


def host_of(url: str) -> str:
    """Return the host of an address that was checked."""
    return urlsplit(url.strip()).hostname or ""


class _Call(httpcore.NetworkBackend):
    """The network of one call: what it may reach, and until when."""

    def __init__(self, *, until: float, reach: Reach) -> None:
        self._until = until
        self._reach = reach

    def left(self) -> float:
        """Return the seconds that are left.

        Raises:
            TimeoutException: If none are.
        """
        left = self._until - time.monotonic()
        if left <= 0:
            raise httpcore.TimeoutException
        return left

    @override
    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: OPTIONS | None = None,
    ) -> httpcore.NetworkStream:
        found = self._resolved(host, port)
        problem: OSError = OSError()
        for place, where in enumerate(found):
            try:
                # An address that swallows packets leaves the others their part of the time.
                return _Stream(_connected(where, self.left() / (len(found) - place)), self)
            except OSError as error:
                problem = error
        raise _named(problem, httpcore.ConnectTimeout, httpcore.ConnectError)

    @override
    def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: OPTIONS | None = None
    ) -> NoReturn:
        raise httpcore.UnsupportedProtocol

    def _resolved(self, host: str, port: int) -> list[RESOLVED]:
        """Resolve a name to addresses that calls may reach: all of them, or none is called."""
        answer: queue.SimpleQueue[list[RESOLVED] | OSError] = queue.SimpleQueue()
        # In a thread of its own: a resolver takes no deadline, and some take minutes.
        look_up = threading.Thread(target=_look_up, args=(host, port, answer), daemon=True)
        look_up.start()
        try:
            found = answer.get(timeout=self.left())
        except queue.Empty:
            raise httpcore.ConnectTimeout from None
        if isinstance(found, OSError) or not found:
            raise UnavailableError("call_host_unknown", host=host)
        addresses = [ip_address(str(where[3][0]).partition("%")[0]) for where in found]
        if not all(map(self._reach.allows, addresses)):
            raise UnavailableError("call_host_private", host=host)
        return found


class _Stream(httpcore.NetworkStream):
    """A connection of one call; every wait takes from the call's seconds.

    Each timeout set here is one system call's, or one operation's of the TLS library, which counts
    it from the first byte to the last.
    """

    def __init__(self, connection: socket.socket, call: _Call) -> None:
        self._connection = connection
        self._call = call

    @override
    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        self._connection.settimeout(self._call.left())
        try:
            return self._connection.recv(max_bytes)
        except OSError as error:
            raise _named(error, httpcore.ReadTimeout, httpcore.ReadError) from error

    @override
    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        rest = memoryview(buffer)
        while rest:
            self._connection.settimeout(self._call.left())
            try:
                rest = rest[self._connection.send(rest) :]
            except OSError as error:
                raise _named(error, httpcore.WriteTimeout, httpcore.WriteError) from error

    @override
    def close(self) -> None:
        self._connection.close()

    @override
    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        try:
            self._connection.settimeout(self._call.left())
            secured = ssl_context.wrap_socket(self._connection, server_hostname=server_hostname)
        except (OSError, ValueError) as error:
            self.close()
            raise _named(error, httpcore.ConnectTimeout, httpcore.ConnectError) from error
        return _Stream(secured, self._call)

    @override
    def get_extra_info(self, info: str) -> object:
        if info == "is_readable":  # asked before a connection is used again, which none is
            return False
        return None


def _look_up(host: str, port: int, answer: "queue.SimpleQueue[list[RESOLVED] | OSError]") -> None:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        answer.put(OSError(str(error)))
    else:
        answer.put([(family, kind, protocol, where) for family, kind, protocol, _, where in found])


def _connected(where: RESOLVED, seconds: float) -> socket.socket:
    family, kind, protocol, address = where
    connection = socket.socket(family, kind, protocol)
    try:
        connection.settimeout(seconds)
        connection.connect(address)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except BaseException:
        connection.close()
        raise
    return connection


def _named(error: Exception, timeout: type[Exception], other: type[Exception]) -> Exception:
    """Return what the HTTP library calls an error of a socket."""
    return (timeout if isinstance(error, TimeoutError) else other)(str(error))
