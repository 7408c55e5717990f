"""A primary of PostgreSQL and a master of Redis killed while people hand reviews in.

Run as `make failover`, or `python -m tests.system.fail_over`: it prints the seconds without
service, and the receipts before and after, as a table, and writes var/failover.json.
"""

import json
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field, replace
from itertools import pairwise
from pathlib import Path

from swapflow.bootstrap import assemble, look_at_database, look_at_redis
from swapflow.domain.reviewing.assignment import AssignmentStatus
from swapflow.engine.ports.health_facts import Grade
from swapflow.engine.services import Swapflow
from swapflow.errors import UnavailableError
from swapflow.identity.account import Method
from swapflow.identity.services import Office
from swapflow.processes.deployment import running
from swapflow.processes.doctor_findings import sentinels as sentinels_finding
from swapflow.processes.doctor_findings import standbys as standbys_finding
from swapflow.settings import Settings, load_settings
from swapflow.web.http.dependencies import cookie_name
from tests.bench.reviewers_at_work import Browser, Reviewer, Seen
from tests.engine.cycle_by_hand import applicant, reviewer
from tests.support.cluster import Cluster, Replica, address_of_both
from tests.support.ports import free_port
from tests.support.sentinels import WatchedRedis
from tests.support.waiting import CAP, wait_until
from tests.web.site import RUBRIC, SITE_RULES


OUT = Path("var/failover.json")
CYCLE = "failover"
PEOPLE = 12
PACKET = 2
"""Requests that a reviewer has at most: soon all that they hand in was asked for afterwards."""

BEFORE = 20
"""Receipts before something is killed."""

AFTER = PEOPLE * PACKET + 20
"""Further receipts before it is over: more than was out when it was killed."""

EVERY = 0.25
"""Seconds between two acts of one reviewer."""

WITHIN = 30.0
"""Seconds within which reviews are taken, and requests go out, again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FailOver:
    """What was seen of one fail-over.

    Attributes:
        what: What was killed.
        receipts_before: Receipts given when it was killed; receipts_after: at the end.
        stored: Reviews in the record at the end.
        pages_away: Longest time between two receipts from then on, seconds.
        requests_away: Seconds until the first new request lay in an inbox.
        refused: Answers "not now" (503), and connections that were cut.
        wrong: Whatever must not be: other errors, what was lost, what `verify` found.
    """

    what: str
    receipts_before: int
    receipts_after: int
    stored: int
    pages_away: float
    requests_away: float
    refused: int
    wrong: tuple[str, ...]


@dataclass
class Crowd:
    """Reviewers in their browsers, until they are told to stop.

    Attributes:
        at: When each receipt came, on the monotonic clock.
        seen: What each of them saw.
    """

    at: list[float] = field(default_factory=list)
    seen: list[Seen] = field(default_factory=lambda: [Seen() for _ in range(PEOPLE)])

    @contextmanager
    def at_work(self, address: str, cookie: str, secrets: Sequence[str]) -> Iterator[None]:
        enough = threading.Event()

        def work(number: int) -> None:
            seen = self.seen[number]
            browser = Browser(address, f"{cookie}={secrets[number]}", seen)
            person, had = Reviewer(number, browser, seen), 0
            while not enough.wait(EVERY):
                person.act()
                if len(seen.reviews) > had:
                    had = len(seen.reviews)
                    self.at.append(time.monotonic())
            browser.close()

        threads = [threading.Thread(target=work, args=(n,)) for n in range(PEOPLE)]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            enough.set()
            for thread in threads:
                thread.join()

    def refusals(self) -> list[str]:
        """What was answered otherwise than hoped; not: a review that is handed in has no form."""
        said = [text for one in self.seen for text in one.wrong]
        return [text for text in said if not (text.startswith("page ") and "status 303" in text)]


def database_fails_over() -> FailOver:
    """Kill the primary, promote its replica; a receipt is given once both have the review."""
    with ExitStack() as stack:
        primary = stack.enter_context(Cluster(options={"max_wal_senders": "4"}))
        copy = stack.enter_context(Replica(primary))
        copy.wait_for_it()

        def fail(address: str) -> None:
            primary.kill9()
            # Nobody promotes a replica before it is seen that the primary is gone.
            wait_until(lambda: _ready(address) == 503, what="pages that say so")
            copy.promote()

        return _fail_over(
            "PostgreSQL's primary, its replica promoted",
            fail,
            database_url=address_of_both(primary, copy),
        )


def redis_fails_over() -> FailOver:
    """Kill the master; the sentinels promote its copy."""
    with WatchedRedis(password="geheim") as servers:

        def fail(address: str) -> None:
            del address
            servers.fail_over()

        return _fail_over("Redis' master, the sentinels promote", fail, redis_url=servers.url)


def faults(seen: FailOver) -> list[str]:
    """Name what must not be."""
    found = list(seen.wrong)
    if seen.stored != seen.receipts_after:
        found.append(f"{seen.receipts_after} receipts, {seen.stored} reviews in the record")
    found += [
        f"{what} were away for {seconds:.1f} s"
        for what, seconds in (("pages", seen.pages_away), ("requests", seen.requests_away))
        if seconds > WITHIN
    ]
    return found


def _fail_over(what: str, fail: Callable[[str], None], **servers: str) -> FailOver:
    folder = Path(tempfile.mkdtemp(prefix="sf-failover-"))
    short = {"lease_seconds": 2.0, "resend_seconds": 2.0, "visibility_timeout": 5.0}
    chosen = {"database_url": None, "redis_url": None, **servers}
    settings = load_settings(data_dir=folder, web_port=free_port(), **short, **chosen)
    environment = {f"SWAPFLOW_{name.upper()}": str(value) for name, value in short.items()}
    try:
        with running(settings, SWAPFLOW_WEB_PORT=str(settings.web_port), **environment):
            product, office = assemble(settings)
            wrong = _not_ready(settings)
            secrets = _prepare(product, office)
            crowd = Crowd()
            cookie = cookie_name(secure=settings.secure)
            with crowd.at_work(settings.address, cookie, secrets):
                wait_until(lambda: len(crowd.at) >= BEFORE, what="receipts before")
                before, there = len(crowd.at), _out(product)
                killed = time.monotonic()
                fail(settings.address)
                requests_away = _time_to_new(product, there, since=killed)
                wait_until(lambda: len(crowd.at) >= before + AFTER, what="receipts after")
            wrong += _wrong(product, crowd)
            stored = len(product.scores.list(CYCLE))
            _close(product)
        log = (folder / "processes.log").read_text("utf-8", "replace")
        if "Traceback" in log:
            wrong.append("a traceback: " + log[log.index("Traceback") :][:3000])
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    times = [killed, *(at for at in sorted(crowd.at) if at > killed)]
    return FailOver(
        what=what,
        receipts_before=before,
        receipts_after=len(crowd.at),
        stored=stored,
        pages_away=max(b - a for a, b in pairwise(times)),
        requests_away=requests_away,
        refused=len(crowd.refusals()),
        wrong=tuple(wrong),
    )


def _not_ready(settings: Settings) -> list[str]:
    """Name what the doctor finds missing before anything is killed."""
    standbys, watch = look_at_database(settings).standbys, look_at_redis(settings).sentinels
    found = [standbys_finding(standbys)] if standbys else []
    found += [sentinels_finding(watch)] if watch else []
    return [one.says for one in found if one.grade is not Grade.GOOD]


def _prepare(product: Swapflow, office: Office) -> list[str]:
    """Launch a program in which no reviewer has more than a few requests; sign them in."""
    rules = replace(SITE_RULES, budget=4_000, packet=PACKET)
    product.cycles.new_round("round", name="Fall 2027")
    product.cycles.new(CYCLE, round_id="round", rules=rules, by="ops")
    product.applicants.import_all(CYCLE, [applicant(f"A{n:03}") for n in range(150)])
    people = [f"r{n}@example.org" for n in range(PEOPLE)]
    product.reviewers.import_all(
        CYCLE, [reviewer(f"R{n}", name=f"R {n}", email=mail) for n, mail in enumerate(people)]
    )
    product.cycles.launch(CYCLE, by="ops")
    wait_until(lambda: len(_out(product)) >= PEOPLE, what="requests in inboxes")
    return [
        office.sign_in.start_session(office.users.add(mail), method=Method.LINK, agent="test")[0]
        for mail in people
    ]


def _out(product: Swapflow) -> set[str]:
    """What lies in an inbox, or did."""
    statuses = {AssignmentStatus.DELIVERED, AssignmentStatus.OPENED, AssignmentStatus.SCORED}
    found = product.context.ledger.assignments(CYCLE, statuses=statuses)
    return {assignment.id for assignment in found}


def _time_to_new(product: Swapflow, there: set[str], *, since: float) -> float:
    """Wait until a request is delivered that was not when the server was killed."""

    def is_new() -> bool:
        try:
            return bool(_out(product) - there)
        except UnavailableError:
            return False

    wait_until(is_new, what="a new request in an inbox")
    return time.monotonic() - since


def _wrong(product: Swapflow, crowd: Crowd) -> list[str]:
    """Name errors other than "not now", receipts without their review, and what verify finds."""
    cut = ("RemoteDisconnected", "ConnectionReset", "BrokenPipe", "timed out")
    wrong = [
        text
        for text in crowd.refusals()
        if "status 503" not in text and not any(word in text for word in cut)
    ]
    numbers = {one.external_id: one.number for one in product.reviewers.list(CYCLE)}
    for index, seen in enumerate(crowd.seen):
        for path, review in seen.reviews.items():
            task = product.tasks.find(path.removeprefix("/tasks/"), reviewer=numbers[f"R{index}"])
            given = product.tasks.score(task.assignment.id)
            marks = {c.name: float(review[f"c{n}"]) for n, c in enumerate(RUBRIC.criteria)}
            if given is None or (dict(given.marks), given.remark) != (marks, review["remark"]):
                wrong.append(f"review {path} by R{index}: {given}")
    until = time.monotonic() + CAP
    while True:
        found = product.reports.verify(CYCLE).findings
        if any(one.fatal for one in found) or not found or time.monotonic() > until:
            return wrong + [str(one.what) for one in found]
        time.sleep(0.2)


def _ready(address: str) -> int:
    seen = Seen()
    browser = Browser(address, "", seen)
    try:
        return browser.ask("ready", "/health/ready")[0]
    finally:
        browser.close()


def _close(product: Swapflow) -> None:
    for part in (product.context.dispatcher, product.context.state, product.context.doorbell):
        part.close()  # type: ignore[union-attr]  # the real ones, all of which close
    product.context.ledger.dispose()  # type: ignore[attr-defined]  # an SqlLedger


def table(seen: Sequence[FailOver]) -> str:
    """Format what was seen as a table in Markdown."""
    heads = (
        *("killed", "receipts before", "receipts after", "stored", "s without a receipt"),
        *("s to the first new request", "answered “not now”"),
    )
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    lines += [
        f"| {one.what} | {one.receipts_before} | {one.receipts_after} | {one.stored} "
        f"| {one.pages_away:.1f} | {one.requests_away:.1f} | {one.refused} |"
        for one in seen
    ]
    return "\n".join(lines)


def main() -> int:
    """Do both, print, write; 1 when something is not as it must be."""
    seen = []
    for fails_over in (database_fails_over, redis_fails_over):
        seen.append(fails_over())
        print(table(seen), flush=True)
    wrong = [text for one in seen for text in faults(one)]
    print("\n".join(wrong) or f"met: no receipt lost, back within {WITHIN:g} s")
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(json.dumps([asdict(one) for one in seen], indent=2) + "\n", "utf-8")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
