"""Three hosts on one machine, in network namespaces, and links between them that are cut.

Coordinators and pages on one, Redis and PostgreSQL on another, workers on a third; while people
work, each link is taken down for half a minute. Meanwhile pages and commands must say what is
wrong, and afterwards nothing may be lost. Needs root and Debian's iproute2:

    python -m tests.chaos.hosts

Prints what was said during each cut, and writes var/hosts.json.
"""

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from swapflow.identity.permissions import Role, Scope
from tests.chaos import rounds
from tests.chaos.checker import Checker
from tests.chaos.deployment import ROOT, Deployment
from tests.chaos.driver import Browser, CutOffError, People
from tests.chaos.probe import SITE
from tests.chaos.proxy import Link, Links
from tests.chaos.servers import Postgres, RedisServer, short_folder
from tests.support.deployed import READY
from tests.support.ports import free_port
from tests.support.process import Process
from tests.support.waiting import wait_until


OUT = Path("var/hosts.json")
PAGES, DATA, WORK = "sf-pages", "sf-data", "sf-work"
ADDRESS = "10.91.0.1"
"""Where Redis and PostgreSQL are reached."""


@dataclass(frozen=True, kw_only=True)
class Cable:
    """The link between a host and the data: `.1` is at the host, `.2` at the data."""

    device: str
    network: str


LINKS = {
    PAGES: Cable(device="sfp", network="10.91.1"),
    WORK: Cable(device="sfw", network="10.91.2"),
}
FRONT = ("coordinator1", "coordinator2", "web1")
SUPERVISED = (sys.executable, "-m", "tests.chaos.supervised")


class Hosts(Deployment):
    """The deployment on three hosts; this process runs on the one with the pages."""

    def __init__(self) -> None:
        self.folder = short_folder("sf-hosts-")
        self.lease, self.names, self.on_sqlite = 3.0, FRONT, False
        self.has_clocks = self.mounted = False
        self.links = Links()
        self.redis = RedisServer(self.folder / "redis", host=ADDRESS, inside=DATA)
        self.postgres = Postgres(self.folder / "postgres", host=ADDRESS, inside=DATA)
        self._passed = 0.0
        self._seen: set[int] = set()
        self._shared = {
            "SWAPFLOW_DATA_DIR": str(self.folder),
            "SWAPFLOW_LEASE_SECONDS": str(self.lease),
            "SWAPFLOW_RESEND_SECONDS": "3.0",
            "SWAPFLOW_VISIBILITY_TIMEOUT": "5.0",
            "SWAPFLOW_WEB_PROCESSES": "1",
            "SWAPFLOW_REDIS_URL": self._redis_url(None),
            "SWAPFLOW_DATABASE_URL": self._database_url(None),
            "PYTHONPATH": str(ROOT),
        }
        self._far = self.folder / "work"
        for folder in (self.folder, self._far):
            (folder / "site").mkdir(parents=True)
            text = SITE.format(guard="")
            (folder / "site" / "sitecustomize.py").write_text(text, encoding="utf-8")

    def _environment(self, name: str) -> dict[str, str]:
        return {"SWAPFLOW_WEB_PORT": str(free_port())} if name.startswith("web") else {}

    def _redis_url(self, link: Link | None) -> str:
        del link
        return f"redis://{ADDRESS}:{self.redis.port}/0"

    def start(self) -> None:
        """Start the supervisor of this host, and the one of the host with the workers."""
        (self._far / "plan.json").write_text(json.dumps({"worker1": {}}), encoding="utf-8")
        self.far_process = Process(
            ["ip", "netns", "exec", WORK, *SUPERVISED, str(self._far)],
            env={**self._shared, "SWAPFLOW_DATA_DIR": str(self._far)},
        )
        self.far_process.start()
        super().start()
        wait_until(lambda: READY in self.far_process.output(), what="the workers' host")

    def close(self) -> None:
        """Stop everything on all hosts."""
        if hasattr(self, "far_process"):
            with suppress(AssertionError, ProcessLookupError):
                self.far_process.terminate()
            self.far_process.__exit__()
        super().close()

    def command(self, *words: str) -> dict[str, Any]:
        """Run a command on this host; gives its exit status, what it said, how long it took."""
        began = time.monotonic()
        done = subprocess.run(
            [sys.executable, "-m", "swapflow.cli.main", *words],
            env={**os.environ, **self._shared},
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        return {
            "command": " ".join(words),
            "code": done.returncode,
            "said": (done.stdout + done.stderr).strip()[:1500],
            "seconds": round(time.monotonic() - began, 1),
        }

    def page(self, path: str) -> dict[str, Any]:
        """Open a page of this host, signed in; return what it shows."""
        began = time.monotonic()
        try:
            status, text, _ = self._reader.ask(path)
        except CutOffError as error:
            status, text = 0, str(error)
        plain = re.sub(r"<(script|style|nav).*?</\1>|<[^>]+>", " ", text, flags=re.DOTALL)
        return {
            "page": path,
            "status": status,
            "said": " ".join(plain.split())[:600],
            "seconds": round(time.monotonic() - began, 1),
        }

    def sign_in(self) -> None:
        """Sign a member of staff in, while all is well."""
        email = rounds.address(0)
        account = self.office.users.add(email)
        self.office.users.grant(account, Role.OPERATIONS, Scope.OFFICE, by="hosts")
        self._reader = Browser(self, 0, strict=False)
        self._reader.ask("/inbox")


def campaign(seconds: float) -> dict[str, Any]:
    """Run people at work, cut each link for a while, and compare afterwards."""
    said: dict[str, Any] = {}
    with Hosts() as hosts:
        hosts.sign_in()
        people = People(hosts, 1, at_once=3)
        people.start()
        try:
            wait_until(lambda: people.memory.receipts >= 5, what="receipts")
            for name, link in LINKS.items():
                before = people.memory.receipts
                print(f"the link between {name} and {DATA} goes down", flush=True)
                _set(link, "down")
                cut = time.monotonic()
                said[name] = [
                    hosts.page("/today"),
                    hosts.page("/health/ready"),
                    hosts.command("cycle", "list"),
                    hosts.command("doctor"),
                ]
                time.sleep(max(0.0, seconds - 3.0 - (time.monotonic() - cut)))
                said[name].append(hosts.page("/today"))
                lasted = time.monotonic() - cut
                _set(link, "up")
                print(f"  up again after {lasted:.0f} s", flush=True)
                for one in said[name]:
                    print(f"  {json.dumps(one, ensure_ascii=False)[:700]}", flush=True)
                began = time.monotonic()
                after = people.memory.receipts
                wait_until(
                    lambda after=after: people.memory.receipts > after,  # type: ignore[misc]
                    what="a receipt after the cut",
                )
                said[name].append(
                    {
                        "receipts_meanwhile": after - before,
                        "next_receipt_after_seconds": round(time.monotonic() - began, 1),
                    }
                )
            people.stop_launching()
            wait_until(
                lambda: not people.under_way() and people.memory.all_received,
                cap=240,
                what="all programs end",
            )
            time.sleep(2 * hosts.lease)
        finally:
            for link in LINKS.values():
                _set(link, "up")
            people.stop()
        violations = Checker(hosts, people.memory).violations()
        return {
            "said": said,
            "programs": len(people.ended),
            "receipts": people.memory.receipts,
            "people": dict(people.memory.seen),
            "violations": violations,
        }


def main(argv: Sequence[str] | None = None) -> int:
    """Make the hosts, and run inside of the first."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inside", action="store_true", help="run here, on the first host")
    parser.add_argument("--seconds", type=float, default=30.0, help="how long each link is down")
    parser.add_argument("--out", type=Path, default=OUT)
    chosen = parser.parse_args(argv)
    if not chosen.inside:
        return _outside(chosen.seconds, chosen.out.resolve())
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    figures = campaign(chosen.seconds)
    chosen.out.parent.mkdir(parents=True, exist_ok=True)
    chosen.out.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    for violation in figures["violations"]:
        print(f"VIOLATION {violation}")
    print(
        f"{figures['programs']} programs, {figures['receipts']} receipts, "
        f"{len(figures['violations'])} violations; see {chosen.out}"
    )
    return 1 if figures["violations"] else 0


def _outside(seconds: float, out: Path) -> int:
    """Make namespaces and links, run the campaign on the first host, take all away again."""
    try:
        for name in (DATA, *LINKS):
            _ip("netns", "add", name)
            _ip("-n", name, "link", "set", "lo", "up")
        for name, link in LINKS.items():
            ends = (f"{link.device}-a", f"{link.device}-b")
            _ip(
                "link",
                "add",
                ends[0],
                "netns",
                name,
                "type",
                "veth",
                "peer",
                ends[1],
                "netns",
                DATA,
            )
            for where, end, last in ((name, ends[0], 1), (DATA, ends[1], 2)):
                _ip("-n", where, "addr", "add", f"{link.network}.{last}/24", "dev", end)
                _ip("-n", where, "link", "set", end, "up")
        # All data lie at one address, whichever link leads there.
        _ip("-n", DATA, "addr", "add", f"{ADDRESS}/32", "dev", "lo")
        for name, link in LINKS.items():
            _ip("-n", name, "route", "add", ADDRESS, "via", f"{link.network}.2")
        argv = [sys.executable, "-m", "tests.chaos.hosts", "--inside"]
        argv += ["--seconds", str(seconds), "--out", str(out)]
        return subprocess.run(["ip", "netns", "exec", PAGES, *argv], check=False).returncode
    finally:
        for name in (DATA, *LINKS):
            subprocess.run(["ip", "netns", "del", name], check=False, capture_output=True)


def _set(link: Cable, to: str) -> None:
    """Take the far end of a link down, or up: this end hears nothing of it but silence."""
    _ip("-n", DATA, "link", "set", f"{link.device}-b", to)


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


if __name__ == "__main__":
    sys.exit(main())
