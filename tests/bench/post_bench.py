"""What one review costs: SQL statements, and reviews a second beside an earlier commit.

Run it with `python -m tests.bench.post_bench`; it prints what `measure` returns. Twenty clients in
a closed loop hand reviews in, to the web processes of `BEFORE` and to those of this tree, round
by round in turn, each on a SQLite file with the same people, requests and texts that its own code
has filled. The earlier commit is checked out into a temporary folder and runs with this tree's
interpreter and libraries.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sqlalchemy import update

from swapflow.domain.reviewing.assignment import AssignmentStatus, PullReason
from swapflow.engine.selection.pulls import open_pulls
from swapflow.engine.selection.staffing import PlannedPull
from swapflow.identity.account import Method
from swapflow.ledger.schema import ASSIGNMENT
from swapflow.settings import Settings, load_settings
from swapflow.web.http.dependencies import cookie_name
from tests.bench import filled_before
from tests.bench.earlier_tree import ROOT, checked_out
from tests.engine.cycle_by_hand import applicant
from tests.support.migrated import new_database
from tests.support.ports import free_port
from tests.support.process import Process
from tests.support.redis_server import RedisServer
from tests.web.score_statements import inbox_statements, submit_statements, turn_statements
from tests.web.site import ADDRESS, SITE_RULES, Site, named


BEFORE = "0fc6b15"
"""The commit that this tree is compared with: the last one that read a task anew in each step."""

CLIENTS = 20
REVIEWERS = 50
"""Reviewers of each client: people have a few open tasks, not hundreds."""

PACKET = 12
ROUNDS = 8
SECONDS = 4.0
WARM_UP = 2.0
CYCLE = "load"
STATEMENT = "Why I want to study here, and what I have done so far. " * 20


def measure(*, rounds: int = ROUNDS, seconds: float = SECONDS) -> dict[str, Any]:
    """Measure all of it.

    Returns:
        Statements, by what runs them, and `post_per_second`: the medians of the rounds `before`
        and `now`, their `ratio`, and `nothing`, the rate of a route that does nothing. Without
        the earlier commit `before` and `ratio` are None, and `left_out` says why. `processor_ms`
        is what a review costs the web processes: on a busy machine the steadier of the figures.
    """
    with tempfile.TemporaryDirectory(prefix="sf-post-") as name:
        folder = Path(name)
        return count(folder) | {
            "post_per_second": compare(folder, rounds=rounds, seconds=seconds),
        }


def count(folder: Path) -> dict[str, float]:
    """Count the statements of one score, as the tests that hold them to a budget count them."""
    counted: dict[str, Callable[[Site], list[str]]] = {
        "post_statements": lambda site: submit_statements(site, "next"),
        "post_and_stay_statements": lambda site: submit_statements(site, "stay"),
        "turn_statements": turn_statements,
        "inbox_statements": lambda site: inbox_statements(site, "r1@example.org"),
    }
    figures = {}
    for name, run in counted.items():
        (folder / name).mkdir()
        site = _site(folder / name)
        site.launched()
        figures[name] = float(len(run(site)))
        site.ledger.dispose()
    return figures


@dataclass
class Side:
    """The web processes of one tree.

    Attributes:
        address: Where they listen.
        clients: What each client has still to send.
        pid: The process that started them.
        rates: Reviews a second, by round.
        work: Processor time of one review in milliseconds, by round.
        refused: Requests that were told to come again, since the database was busy.
        sent: The most that one client sent in the last round.
    """

    address: str
    clients: list[list[dict[str, str]]]
    pid: int
    rates: list[float] = field(default_factory=list)
    work: list[float] = field(default_factory=list)
    refused: int = 0
    sent: int = 0

    @property
    def has_enough(self) -> bool:
        """Whether no client runs out of tasks in another round like the last one."""
        return min(len(one) for one in self.clients) > 2 * self.sent


def compare(folder: Path, *, rounds: int, seconds: float) -> dict[str, Any]:
    """Post to both trees in turn, and to the route that does nothing."""
    with ExitStack() as stack:
        redis = stack.enter_context(RedisServer()).url
        why, trees = "", {"now": ROOT}
        try:
            trees["before"] = stack.enter_context(checked_out(BEFORE, folder / "before-tree"))
        except LookupError as missing:
            why = str(missing)
        sides = {}
        for name, tree in sorted(trees.items()):
            home = folder / name
            home.mkdir()
            filled = _fill(home) if tree == ROOT else _fill_before(home, tree)
            assert not list(home.glob("*-wal")), "the file is not whole"
            settings = load_settings(
                data_dir=home, web_port=free_port(), database_url=None, redis_url=redis
            )
            pid = stack.enter_context(_serving(tree, settings))
            sides[name] = Side(settings.address, _clients(filled), pid)
        for side in sides.values():
            _drive(folder, side, WARM_UP)
            side.rates.clear()
            side.work.clear()
        nothing = []
        for number in range(rounds):
            if number and not all(side.has_enough for side in sides.values()):
                break  # a fast machine has handed in nearly all there are
            for side in sides.values():
                _drive(folder, side, seconds)
            nothing.append(_drive_nothing(folder, sides["now"].address, seconds / 3))
    rates = {name: round(statistics.median(side.rates), 1) for name, side in sides.items()}
    before = rates.get("before")
    work = {name: round(statistics.median(side.work), 2) for name, side in sides.items()}
    found: dict[str, Any] = {
        "before": before,
        "now": rates["now"],
        "ratio": round(rates["now"] / before, 2) if before else None,
        "nothing": round(statistics.median(nothing), 1),
        "processor_ms": work,
        "refused": {name: side.refused for name, side in sides.items()},
        "rounds": {name: [round(rate, 1) for rate in side.rates] for name, side in sides.items()},
        "commit": BEFORE,
        "load_average": round(os.getloadavg()[0], 1),
    }
    return found | ({"left_out": why} if why else {})


def _site(folder: Path) -> Site:
    database = folder / "swapflow.db"
    new_database(database)
    return Site(database, settings=load_settings(data_dir=folder, public_url=ADDRESS))


def _clients(filled: list[list[str]]) -> list[list[dict[str, str]]]:
    """Return what each client sends, in order: of each of its reviewers one review, and again.

    Args:
        filled: For each reviewer the cookie, then the codes of the tasks.
    """
    return [
        [
            {"path": f"/tasks/{filled[who][1 + turn]}", "cookie": filled[who][0], "expects": "303"}
            for turn in range(PACKET)
            for who in range(client, len(filled), CLIENTS)
        ]
        for client in range(CLIENTS)
    ]


def _fill_before(folder: Path, tree: Path) -> list[list[str]]:
    """Fill a database with the code of the earlier commit, as `_fill` does with this tree's."""
    sizes = {
        "people": CLIENTS * REVIEWERS,
        "packet": PACKET,
        "cycle": CYCLE,
        "statement": STATEMENT,
    }
    script = Path(filled_before.__file__)
    subprocess.run(
        [sys.executable, "-P", str(script), str(folder), json.dumps(sizes)],
        env={**os.environ, "PYTHONPATH": str(tree)},
        check=True,
    )
    filled: list[list[str]] = json.loads((folder / "filled.json").read_text(encoding="utf-8"))
    return filled


def _fill(folder: Path) -> list[list[str]]:
    """Fill `swapflow.db` with opened tasks; return for each reviewer the cookie and the codes."""
    site = _site(folder)
    people = CLIENTS * REVIEWERS
    tasks = people * PACKET
    rules = replace(SITE_RULES, budget=2 * tasks, packet=PACKET, batch=1)
    site.product.cycles.new_round("round", name="Fall 2027")
    site.product.cycles.new(CYCLE, round_id="round", rules=rules, by="load", name="MS load")
    site.product.applicants.import_all(
        CYCLE,
        [
            applicant(f"A{n:05d}", name=f"Applicant {n}", fields={"statement": STATEMENT})
            for n in range(tasks)
        ],
    )
    site.product.reviewers.import_all(CYCLE, [named(n) for n in range(people)])
    site.product.cycles.launch(CYCLE, by="load")
    with site.ledger.write(CYCLE) as tx:
        wanted = [
            PlannedPull(key=(n, 0, 1), priority=0, reviewers=(n % people,)) for n in range(tasks)
        ]
        open_pulls(tx, wanted, rules, why=PullReason.RULE, decision=0)
        now = tx.now
    with site.ledger._database.writing() as connection:
        opened = {"status": AssignmentStatus.OPENED.value, "opened_at": now, "rubric_version": 1}
        connection.execute(update(ASSIGNMENT).values(**opened))
    cycle = site.product.cycles.get(CYCLE)
    filled = [[_cookie(site, f"r{n}@example.org")] for n in range(people)]
    for assignment in site.ledger.assignments(CYCLE):
        filled[assignment.reviewer].append(cycle.task_code(assignment.id))
    site.ledger.dispose()
    return filled


def _cookie(site: Site, email: str) -> str:
    account = site.account(email)
    secret, _ = site.office.sign_in.start_session(account, method=Method.LINK, agent="load")
    return f"{cookie_name(secure=False)}={secret}"


@contextmanager
def _serving(tree: Path, settings: Settings) -> Iterator[int]:
    """Run the web processes of a tree until the block ends; yield the pid that they start from."""
    environment = {
        "PYTHONPATH": str(tree),
        "SWAPFLOW_DATA_DIR": str(settings.data_dir),
        "SWAPFLOW_DATABASE_URL": "",
        "SWAPFLOW_REDIS_URL": settings.redis,
        "SWAPFLOW_WEB_PORT": str(settings.web_port),
    }
    # -P: the folder that this runs in is the present tree, whichever is served.
    python = [sys.executable, "-P"]
    where = subprocess.run(
        [*python, "-c", "import swapflow; print(swapflow.__file__)"],
        env={**os.environ, **environment},
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    assert Path(where).is_relative_to(tree), f"{where} is served instead of {tree}"
    with Process([*python, "-m", "swapflow.cli.main", "web"], env=environment) as process:
        process.wait_for(lambda: _answers(settings.address), what="the web processes answer")
        yield process.pid


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"{address}/health/live", timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def _drive(folder: Path, side: Side, seconds: float) -> None:
    """Have the clients post for a while, and note how many answers came and what they cost."""
    spent = _processor_time(side.pid)
    result = _run(folder, side.address, side.clients, seconds)
    done = result["done"]
    side.refused += result["refused"]
    side.sent = max(done)
    side.clients = [one[sent:] for one, sent in zip(side.clients, done, strict=True)]
    side.rates.append(sum(done) / result["seconds"])
    side.work.append(1000 * (_processor_time(side.pid) - spent) / sum(done))


def _processor_time(pid: int) -> float:
    """Return the seconds of a processor that a process and those it started have had."""
    parents, own = {}, {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text(encoding="utf-8").rpartition(")")[2].split()
        except OSError:  # it ended meanwhile
            continue
        one = int(stat.parent.name)
        parents[one], own[one] = int(fields[1]), int(fields[11]) + int(fields[12])

    def with_children(one: int) -> int:
        children = (child for child, parent in parents.items() if parent == one)
        return own.get(one, 0) + sum(map(with_children, children))

    return with_children(pid) / os.sysconf("SC_CLK_TCK")


def _drive_nothing(folder: Path, address: str, seconds: float) -> float:
    asked = [{"path": "/health/live", "expects": "200"}] * 20_000
    result = _run(folder, address, [asked] * CLIENTS, seconds)
    return float(sum(result["done"]) / result["seconds"])


def _run(
    folder: Path, address: str, clients: list[list[dict[str, str]]], seconds: float
) -> dict[str, Any]:
    plan, result = folder / "plan.json", folder / "result.json"
    plan.write_text(
        json.dumps({"address": address, "seconds": seconds, "clients": clients}), encoding="utf-8"
    )
    subprocess.run(
        [sys.executable, "-m", "tests.bench.posting_clients", str(plan), str(result)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=True,
    )
    found: dict[str, Any] = json.loads(result.read_text(encoding="utf-8"))
    assert not found["wrong"], found["wrong"][:3]
    assert all(found["done"]), "a client had nothing left to send"
    return found


if __name__ == "__main__":
    print(json.dumps(measure(), indent=2))
