"""A server that says what a test has it say, byte by byte, whatever HTTP asks of it."""

import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress


Talk = Callable[[socket.socket], None]


@contextmanager
def server(talk: Talk) -> Iterator[int]:
    """Serve every connection by `talk`, in a thread each; yield the port."""
    listening = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with suppress(OSError):
            while True:
                connection, _ = listening.accept()
                threading.Thread(target=hold, args=(connection,), daemon=True).start()

    def hold(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            talk(connection)

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield listening.getsockname()[1]
    finally:
        # Wakes the thread that accepts; closing alone would leave it waiting.
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()


def read_request(connection: socket.socket) -> bytes:
    """Read a request whole, body and all; what is closed before that resets the connection."""
    heard = b""
    while b"\r\n\r\n" not in heard:
        heard += _more(connection)
    head, _, body = heard.partition(b"\r\n\r\n")
    length = re.search(rb"(?im)^content-length: *(\d+)", head)
    left = int(length[1]) - len(body) if length else 0
    while left > 0:
        body += (more := _more(connection))
        left -= len(more)
    return head + b"\r\n\r\n" + body


def _more(connection: socket.socket) -> bytes:
    more = connection.recv(65536)
    if not more:
        raise ConnectionError
    return more


def drip(text: bytes) -> Talk:
    """Answer at once with a text, and then go on for ever with a byte every tenth of a second."""

    def talk(connection: socket.socket) -> None:
        read_request(connection)
        connection.sendall(text)
        while True:
            connection.sendall(b"x")
            time.sleep(0.1)

    return talk


def reads_nothing(connection: socket.socket) -> None:
    while True:
        connection.recv(1)
        time.sleep(0.1)


def answers(text: bytes) -> Talk:
    def talk(connection: socket.socket) -> None:
        read_request(connection)
        connection.sendall(text)

    return talk


def endless(connection: socket.socket) -> None:
    read_request(connection)
    connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
    while True:
        connection.sendall(b"x" * 65536)
