"""What people wait for while other systems drip and another process holds the database.

Run as `make starve`, or `python -m tests.bench.starve`; prints the seconds and writes
var/starve.json. A whole `swapflow up` works on SQLite. First its webhooks lead to a server that
answers a byte at a time and never ends, and a person asks for a link to sign in. Then another
process holds the write lock while forty staff write at once.
"""

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx2

from swapflow.bootstrap import assemble
from swapflow.domain.webhook_call import WebhookEvent
from swapflow.engine.services import Swapflow
from swapflow.identity.account import Method
from swapflow.identity.permissions import Role, Scope
from swapflow.identity.ports.integration_store import Webhook
from swapflow.identity.services import Office
from swapflow.ledger.sql_ledger import SqlLedger
from swapflow.processes.deployment import running
from swapflow.settings import load_settings
from swapflow.web.http.dependencies import cookie_name
from tests.engine.cycle_by_hand import applicant, reviewer
from tests.support.held_database import held
from tests.support.migrated import new_database
from tests.support.ports import free_port
from tests.support.raw_server import drip, server
from tests.support.waiting import wait_until
from tests.web.site import SITE_RULES


OUT = Path("var/starve.json")
CYCLE = "starve"
GOALS = {"sign_in_mail": 5.0, "live": 1.0, "inbox": 2.0}
"""Seconds within which each is to be there."""

HOOKS = 12
WRITERS = 40
HELD_SECONDS = 12.0
REVIEWER = "r1@example.org"
SAME_ORIGIN = {"Sec-Fetch-Site": "same-origin"}


def measure() -> dict[str, Any]:
    """Measure on a deployment of its own; returns the slowest of several, in seconds."""
    with tempfile.TemporaryDirectory(prefix="sf-starve-") as name:
        folder = Path(name)
        database = folder / "swapflow.db"
        new_database(database)
        settings = load_settings(data_dir=folder, web_port=free_port(), database_url=None)
        product, office = assemble(settings)
        with server(drip(b"HTTP/1.1 200 OK\r\nX: ")) as port:
            reviewers_cookie, staffs_cookie = _fill(product, office, port)
            with running(settings, SWAPFLOW_WEB_PORT=str(settings.web_port)):
                product.cycles.launch(CYCLE, by="starve")
                wait_until(
                    lambda: any(folder.glob("call-slots/*.slot")), what="the first webhook call"
                )
                mails = [_sign_in(settings.address, folder) for _ in range(3)]
                figures = _while_held(settings.address, database, reviewers_cookie, staffs_cookie)
                after = _sign_in(settings.address, folder)
    return {
        "sign_in_mail": max(mails),
        **figures,
        "sign_in_mail_after_lock": after,
    }


def _fill(product: Swapflow, office: Office, port: int) -> tuple[dict[str, str], dict[str, str]]:
    """Make a program with webhooks that drip; gives the cookies of a reviewer and of staff."""
    product.cycles.new_round("round", name="Round")
    product.cycles.new(CYCLE, round_id="round", rules=SITE_RULES, by="starve")
    product.applicants.import_all(
        CYCLE, [applicant(f"A{n:03d}", name=f"A {n}") for n in range(12)]
    )
    product.reviewers.import_all(
        CYCLE, [reviewer(f"R{n}", email=f"r{n}@example.org", name=f"R {n}") for n in range(1, 5)]
    )
    ledger = product.context.ledger
    assert isinstance(ledger, SqlLedger)
    for number in range(HOOKS):
        ledger.office().add_webhook(
            Webhook(
                id=f"hook{number}",
                url=f"http://127.0.0.1:{port}/{number}",
                secret="s",
                events=tuple(event.value for event in WebhookEvent),
                cycle_id=None,
                active=True,
                by="starve",
                created_at=ledger.now() - timedelta(minutes=1),
            )
        )
    cookies = []
    for email in (REVIEWER, "staff@example.org"):
        account = office.users.add(email)
        if email != REVIEWER:
            office.users.grant(account, Role.ADMINISTRATOR, Scope.OFFICE, "", by="starve")
        secret, _ = office.sign_in.start_session(account, method=Method.LINK, agent="starve")
        cookies.append({cookie_name(secure=False): secret})
    return cookies[0], cookies[1]


def _sign_in(address: str, folder: Path) -> float:
    """Ask for a link, as a person does; gives the seconds until its mail has left."""
    there = set((folder / "outbox").glob("*.eml"))
    began = time.monotonic()
    with _client(address) as client:
        sent = client.post("/sign-in/link", data={"email": REVIEWER, "next": "/inbox"})
        assert sent.status_code == 200, sent.text
    wait_until(lambda: bool(set((folder / "outbox").glob("*.eml")) - there), what="the mail")
    return time.monotonic() - began


def _while_held(
    address: str, database: Path, reviewers: dict[str, str], staffs: dict[str, str]
) -> dict[str, float]:
    """Measure live and inbox while another process holds the write lock and staff write."""
    live: list[float] = []
    inbox: list[float] = []

    def write(number: int) -> int:
        with _client(address, staffs) as client:
            return client.post(
                f"/today/{CYCLE}/pause", data={"reason": f"number {number}"}
            ).status_code

    with held(database), ThreadPoolExecutor(WRITERS) as crowd:
        ends = time.monotonic() + HELD_SECONDS
        writes: list[Future[int]] = []
        while time.monotonic() < ends:
            if len(writes) < WRITERS:
                writes += [crowd.submit(write, n) for n in range(len(writes), len(writes) + 4)]
            live.append(_seconds(lambda: _get(address, "/health/live", {}, {200})))
            inbox.append(_seconds(lambda: _get(address, "/inbox", reviewers, {200, 503})))
            time.sleep(0.3)
        assert {one.result() for one in writes} == {503}
    return {"live": max(live), "inbox": max(inbox)}


def _get(address: str, path: str, cookies: dict[str, str], expected: set[int]) -> None:
    with _client(address, cookies) as client:
        assert client.get(path).status_code in expected, path


def _client(address: str, cookies: dict[str, str] | None = None) -> httpx2.Client:
    return httpx2.Client(
        base_url=address, cookies=cookies, headers=SAME_ORIGIN, trust_env=False, timeout=60
    )


def _seconds(act: Callable[[], object]) -> float:
    began = time.monotonic()
    act()
    return time.monotonic() - began


def main() -> int:
    """Measure, print, write; 1 if a goal is missed."""
    os.environ.setdefault("SWAPFLOW_LOG_LEVEL", "WARNING")
    figures = measure()
    missed = []
    for name, seconds in figures.items():
        goal = GOALS.get(name)
        if goal is not None and seconds > goal:
            missed.append(name)
        against = (
            "" if goal is None else f"goal {goal:g} s: {'MISSED' if name in missed else 'met'}"
        )
        print(f"{name:26} {seconds:8.2f} s  {against}".rstrip())
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    print(f"written to {OUT}")
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())
