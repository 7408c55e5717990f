"""Calls to addresses that people entered: pinned, not led on, ended in time, of a bounded size."""

import socket
import ssl
import threading
import time
from pathlib import Path

import pytest

from swapflow.domain.webhook_call import WebhookCall
from swapflow.errors import UnavailableError
from swapflow.identity.reach import Reach
from swapflow.outbound import webhooks
from swapflow.outbound.guarded_client import GuardedClient
from tests.support.encrypted import new_authority
from tests.support.raw_server import answers, drip, endless, read_request, reads_nothing, server


HERE = Reach(plain=True, loopback=True)
SECONDS = 1.0
SLACK = 1.0
"""Seconds beyond the deadline that a busy machine may take to notice it."""

DRIPS = {
    "a header": ("http", drip(b"HTTP/1.1 200 OK\r\nX-Long: "), b"{}"),
    "interim answers": ("http", drip(b"HTTP/1.1 100 Continue\r\n\r\n" * 50), b"{}"),
    "a body": ("http", drip(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"), b"{}"),
    "chunks": (
        "http",
        drip(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10000\r\n"),
        b"{}",
    ),
    "a TLS handshake": ("https", drip(b"\x16\x03\x03\x40\x00"), b"{}"),
    "the request, which it hardly reads": ("http", reads_nothing, b"x" * 20_000_000),
}
"""What a server takes its time with; a timeout of each read would never end these calls."""


@pytest.mark.long
@pytest.mark.parametrize("what", DRIPS)
def test_a_call_ends_at_its_deadline_whatever_drips(what: str) -> None:
    scheme, talk, body = DRIPS[what]
    with server(talk) as port:
        began = time.monotonic()
        with pytest.raises(UnavailableError, match=f"within {SECONDS} seconds"):
            GuardedClient(HERE).post(
                f"{scheme}://127.0.0.1:{port}/",
                body,
                headers={},
                seconds=SECONDS,
                largest=1_000_000,
            )

    assert time.monotonic() - began < SECONDS + SLACK


@pytest.mark.long
def test_a_webhook_that_drips_holds_a_worker_no_longer_than_its_deadline(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(webhooks, "SECONDS", SECONDS)
    send = webhooks.webhook_sender(GuardedClient(HERE))
    with server(drip(b"HTTP/1.1 200 OK\r\nX-Long: ")) as port:
        call = WebhookCall(
            id="w:fall:1",
            url=f"http://127.0.0.1:{port}/hook",
            secret="s",
            event="score.received",
            body=b"{}",
            attempt=1,
        )
        began = time.monotonic()
        with pytest.raises(UnavailableError, match="did not answer within"):
            send(call)

    assert time.monotonic() - began < SECONDS + SLACK


@pytest.mark.long
def test_a_name_that_is_looked_up_for_ever_ends_at_the_deadline(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    done = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: done.wait(60) and [])
    began = time.monotonic()

    with pytest.raises(UnavailableError, match="within"):
        GuardedClient(HERE).post("http://slow.example/", b"", headers={}, seconds=SECONDS)

    done.set()
    assert time.monotonic() - began < SECONDS + SLACK


def test_an_answer_is_taken_up_to_its_largest_size_and_not_beyond() -> None:
    client = GuardedClient(HERE)
    whole = b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + b"x" * 1000
    with server(answers(whole)) as port:
        reply = client.post(f"http://127.0.0.1:{port}/", b"", headers={}, seconds=9, largest=1000)
        assert (reply.status, reply.body) == (200, b"x" * 1000)

        with pytest.raises(UnavailableError, match="more than 999 bytes"):
            client.post(f"http://127.0.0.1:{port}/", b"", headers={}, seconds=9, largest=999)

    with server(endless) as port, pytest.raises(UnavailableError, match="more than 5000 bytes"):
        client.post(f"http://127.0.0.1:{port}/", b"", headers={}, seconds=9, largest=5000)


def test_a_call_that_reads_no_body_ends_with_the_headers() -> None:
    with server(drip(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")) as port:
        reply = GuardedClient(HERE).post(f"http://127.0.0.1:{port}/", b"", headers={}, seconds=9)

    assert (reply.status, reply.body) == (200, b"")


def test_a_redirect_is_an_answer_and_leads_nowhere() -> None:
    asked = threading.Event()

    def inside(connection: socket.socket) -> None:
        asked.set()
        connection.recv(65536)

    with server(inside) as hidden:
        there = f"Location: http://127.0.0.1:{hidden}/".encode()
        with server(answers(b"HTTP/1.1 307 There\r\n" + there + b"\r\n\r\n")) as port:
            reply = GuardedClient(HERE).post(
                f"http://127.0.0.1:{port}/", b"", headers={}, seconds=9, largest=1000
            )

    assert reply.status == 307
    assert not asked.is_set()


def test_no_proxy_of_the_environment_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = threading.Event()

    def proxy(connection: socket.socket) -> None:
        asked.set()
        connection.recv(65536)

    with (
        server(proxy) as proxy_port,
        server(answers(b"HTTP/1.1 204 Fine\r\n\r\n")) as port,
    ):
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy_port}")
        reply = GuardedClient(HERE).post(f"http://127.0.0.1:{port}/", b"", headers={}, seconds=9)

    assert reply.status == 204
    assert not asked.is_set()


def resolver(monkeypatch: pytest.MonkeyPatch, *answers: list[tuple[str, int]]) -> list[str]:
    """Lead names to given addresses, another list at each look-up; return the names asked."""
    asked: list[str] = []

    def look_up(host: str, port: int, **_: object) -> list[object]:
        del port
        found = answers[min(len(asked), len(answers) - 1)]
        asked.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", where) for where in found]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    return asked


def test_one_address_inside_is_enough_to_refuse_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    resolver(monkeypatch, [("1.1.1.1", 443), ("10.0.0.1", 443)])

    with pytest.raises(UnavailableError, match="private network"):
        GuardedClient(Reach()).post("https://both.example/", b"", headers={}, seconds=9)


def test_a_name_is_looked_up_once_and_the_address_that_was_checked_is_called(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with server(answers(b"HTTP/1.1 204 Fine\r\n\r\n")) as port:
        asked = resolver(monkeypatch, [("127.0.0.1", port)], [("10.0.0.1", port)])
        reply = GuardedClient(HERE).post("http://twice.example/", b"", headers={}, seconds=9)

    assert reply.status == 204
    assert asked == ["twice.example"]


def test_a_name_with_one_dead_address_is_reached_by_the_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        dead = closed.getsockname()[1]
    with server(answers(b"HTTP/1.1 204 Fine\r\n\r\n")) as port:
        resolver(monkeypatch, [("127.0.0.1", dead), ("127.0.0.1", port)])
        reply = GuardedClient(HERE).post("http://two.example/", b"", headers={}, seconds=9)

    assert reply.status == 204


def test_the_server_is_told_the_name_that_was_entered(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[bytes] = []

    def talk(connection: socket.socket) -> None:
        heard.append(read_request(connection))
        connection.sendall(b"HTTP/1.1 204 Fine\r\n\r\n")

    with server(talk) as port:
        resolver(monkeypatch, [("127.0.0.1", port)])
        GuardedClient(HERE).post(
            "http://scores.example:8080/hook?a=b", b"{}", headers={"X-Mine": "1"}, seconds=9
        )

    lines = heard[0].split(b"\r\n")
    assert lines[0] == b"POST /hook?a=b HTTP/1.1"
    assert b"Host: scores.example:8080" in lines
    assert b"X-Mine: 1" in lines
    assert b"Content-Length: 2" in lines


def test_a_server_proves_the_name_that_was_entered_not_the_address(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    authority = new_authority(tmp_path / "authority")
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.root))
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(authority.certificate, authority.key)

    def talk(connection: socket.socket) -> None:
        with context.wrap_socket(connection, server_side=True) as secured:
            read_request(secured)
            secured.sendall(b"HTTP/1.1 204 Fine\r\n\r\n")

    with server(talk) as port:
        resolver(monkeypatch, [("127.0.0.1", port)])
        client = GuardedClient(HERE)

        reply = client.post("https://localhost/", b"", headers={}, seconds=9)
        with pytest.raises(UnavailableError, match="did not answer"):
            client.post("https://other.example/", b"", headers={}, seconds=9)

    assert reply.status == 204
