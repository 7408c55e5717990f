"""Ports of this machine that nobody listens on."""

import socket


def free_port() -> int:
    """Return a free port; another process may take it before it is used."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
