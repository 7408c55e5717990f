"""A real nginx before a web process, with the server of `deploy/nginx.conf`."""

import shutil
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.encrypted import Authority
from tests.support.ports import free_port
from tests.support.process import Process
from tests.support.tiers import lacks, only_in_full


SERVER = Path(__file__).parents[2] / "deploy" / "nginx.conf"

AROUND = """
daemon off;
pid {folder}/nginx.pid;
error_log stderr warn;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    {server}
}}
"""


def nginx_program() -> str:
    """Return nginx, which is not on every PATH; a tier below the full one does without."""
    only_in_full("a real proxy")
    found = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
    if found is None:
        lacks("no nginx on this machine: install Debian's package `nginx-light`")
    return found


@contextmanager
def nginx_before(port: int, authority: Authority, *, comes_from: str = "") -> Iterator[str]:
    """Run it before a port of this machine; yields its address.

    Args:
        port: Where the web process listens.
        authority: Vouches for the proxy.
        comes_from: Address of this machine that its own requests come from.
    """
    program, listening = nginx_program(), free_port()
    folder = Path(tempfile.mkdtemp(prefix="sf-nginx-"))
    folder.chmod(0o755)  # its workers are another user's
    server = SERVER.read_text()
    bound = f"proxy_bind {comes_from};" if comes_from else ""
    for old, new in (
        ("listen 443 ", f"listen {listening} "),
        ("/etc/ssl/review.example.org.pem", str(authority.certificate)),
        ("/etc/ssl/private/review.example.org.key", str(authority.key)),
        ("http://127.0.0.1:8000;", f"http://127.0.0.1:{port}; {bound}"),
    ):
        assert old in server, old
        server = server.replace(old, new)
    configured = folder / "nginx.conf"
    configured.write_text(AROUND.format(folder=folder, server=server))
    address = f"https://localhost:{listening}"
    argv = [program, "-c", str(configured), "-p", str(folder), "-e", "stderr"]
    try:
        with Process(argv) as process:
            process.wait_for(lambda: _listens(listening), what="nginx listens")
            yield address
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _listens(port: int) -> bool:

    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1):
            return True
    except OSError:
        return False
