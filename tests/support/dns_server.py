"""A real DNS server with the records of a test: Debian's dnsmasq, on a port of its own."""

import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Self

import dns.exception
import dns.resolver

from tests.support.ports import free_port
from tests.support.tiers import lacks, only_in_full
from tests.support.waiting import wait_until


class DnsServer:
    """Answers for TXT records below `test`; every other name there does not exist.

    Args:
        records: Names, each with a text; a name may come again.
    """

    def __init__(self, *records: tuple[str, str]) -> None:
        only_in_full("Debian's dnsmasq")
        found = shutil.which("dnsmasq") or shutil.which("dnsmasq", path="/usr/sbin")
        if found is None:
            lacks("no dnsmasq on the PATH: install Debian's package `dnsmasq-base`")
        self.port = free_port()
        self.address = f"127.0.0.1:{self.port}"
        # In a file, for there a text in quotes may hold commas.
        self._folder = tempfile.TemporaryDirectory(prefix="sf-dns-")
        self._file = Path(self._folder.name) / "dnsmasq.conf"
        self._file.write_text(
            "".join(
                f"txt-record={name},{_quoted(text)}\n"
                for name, text in (("ready.test", "ready"), *records)
            ),
            encoding="utf-8",
        )
        self._argv = [
            str(Path(found)),
            "--keep-in-foreground",
            f"--conf-file={self._file}",
            "--no-resolv",
            "--no-hosts",
            "--pid-file=",
            "--user=",
            "--listen-address=127.0.0.1",
            "--bind-interfaces",
            f"--port={self.port}",
            "--local=/test/",
        ]
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(self._argv)
        wait_until(self._answers, what="the DNS server answers")
        return self

    def __exit__(self, *exception: object) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait()
        self._folder.cleanup()

    def _answers(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, "dnsmasq has ended"
        resolver = dns.resolver.Resolver(configure=False)
        resolver.nameservers, resolver.port, resolver.lifetime = ["127.0.0.1"], self.port, 1.0
        try:
            resolver.resolve("ready.test", "TXT")
        except dns.exception.DNSException:
            return False
        return True


def _quoted(text: str) -> str:
    """Write a text as dnsmasq reads it: strings of at most 255 characters, in quotes."""
    return ",".join(f'"{text[at : at + 255]}"' for at in range(0, max(len(text), 1), 255))
