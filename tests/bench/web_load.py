"""200 reviewers who type at once, against a whole `swapflow up` on this machine.

Run as `make load-web`, or `python -m tests.bench.web_load --seconds 20 --reviewers 50`; prints a
table and writes var/web.json. Every act of the reviewers comes from another process over
loopback. Once everything has stopped, what the server said it had stored is read from the
database and compared.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from swapflow.bootstrap import assemble
from swapflow.domain.reviewing.assignment import AssignmentStatus
from swapflow.domain.rules import Floor
from swapflow.engine.services import Swapflow
from swapflow.identity.account import Method
from swapflow.identity.permissions import Role, Scope
from swapflow.identity.services import Office
from swapflow.processes.deployment import running
from swapflow.settings import Settings, load_settings
from swapflow.web.http.dependencies import cookie_name
from tests.bench.reviewers_at_work import EVERY, SAVES
from tests.engine.cycle_by_hand import applicant, reviewer
from tests.support.ports import free_port
from tests.support.waiting import wait_until
from tests.web.site import RUBRIC, SITE_RULES


OUT = Path("var/web.json")
ROOT = Path(__file__).parents[2]
CYCLE = "load"
SLOWEST_MS = 500.0
"""What 99 of 100 saves and of 100 submits must stay under."""


def measure(*, reviewers: int = 200, seconds: float = 120.0, watchers: int = 2) -> dict[str, Any]:
    """Run reviewers on a deployment of its own, and compare what it holds afterwards.

    Args:
        reviewers: How many type at the same time, each with one act every two seconds.
        seconds: How long.
        watchers: Staff who have the dashboard open meanwhile.

    Returns:
        Figures by kind of request (milliseconds), `errors` and `lost`, both as texts, and the
        counts of what was compared.
    """
    with tempfile.TemporaryDirectory(prefix="sf-load-") as name:
        folder = Path(name)
        settings = load_settings(
            data_dir=folder, web_port=free_port(), database_url=None, redis_url=None
        )
        result_file = folder / "result.json"
        with running(settings, SWAPFLOW_WEB_PORT=str(settings.web_port)):
            product, office = assemble(settings)
            plan = _prepare(product, office, settings, reviewers, seconds=seconds)
            plan["watchers"] = [_staff(office, n) for n in range(watchers)]
            plan_file = folder / "plan.json"
            plan_file.write_text(json.dumps(plan), encoding="utf-8")
            loads, spent = [os.getloadavg()[0]], _cpu_seconds(folder)
            _drive(plan_file, result_file)
            loads.append(os.getloadavg()[0])
            spent = {name: seconds - spent[name] for name, seconds in _cpu_seconds(folder).items()}
            _close(product)
        result = json.loads(result_file.read_text(encoding="utf-8"))
        # Everything has stopped: what is compared now was on the disk.
        product, _ = assemble(settings)
        lost = _lost(product, result)
        scores = len(product.scores.list(CYCLE))
        _close(product)
    drafts = sum(len(one) for one in result["drafts"])
    reviews = sum(len(one) for one in result["reviews"])
    return {
        "reviewers": reviewers,
        "seconds": round(result["seconds"], 1),
        "requests": {kind: _figures(times, result["seconds"]) for kind, times in _kinds(result)},
        "errors": result["wrong"],
        "lost": lost,
        "compared_drafts": drafts,
        "compared_reviews": reviews,
        "reviews_stored": scores,
        "load_average": [round(load, 2) for load in loads],
        "cpu": {
            name: round(seconds / result["seconds"], 2)
            for name, seconds in {**spent, "the load": result["cpu_seconds"]}.items()
        },
        "cores": os.cpu_count(),
    }


def faults(figures: dict[str, Any]) -> list[str]:
    """Name what a measurement shows that must not be."""
    found = [f"{len(figures['errors'])} errors"] if figures["errors"] else []
    found += [f"{len(figures['lost'])} drafts or reviews lost"] if figures["lost"] else []
    if figures["reviews_stored"] != figures["compared_reviews"]:
        found.append(
            f"{figures['reviews_stored']} reviews are stored, "
            f"{figures['compared_reviews']} were handed in"
        )
    found += [
        f"99 of 100 requests of the kind {kind} took up to {figures['requests'][kind]['p99']} ms"
        for kind in ("save", "submit")
        if figures["requests"].get(kind, {}).get("p99", 0.0) >= SLOWEST_MS
    ]
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print, write; 1 when something is not as it must be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reviewers", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--watchers", type=int, default=2, help="staff with the dashboard open")
    parser.add_argument("--out", type=Path, default=OUT)
    chosen = parser.parse_args(argv)
    figures = measure(reviewers=chosen.reviewers, seconds=chosen.seconds, watchers=chosen.watchers)
    _print(figures)
    chosen.out.parent.mkdir(parents=True, exist_ok=True)
    chosen.out.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    print(f"written to {chosen.out}")
    return int(bool(faults(figures)))


# Before: a program with enough to do


def _prepare(
    product: Swapflow, office: Office, settings: Settings, reviewers: int, *, seconds: float
) -> dict[str, Any]:
    """Launch a program with two reviews of everybody, and sign its reviewers in."""
    # Twice what they can do in the time, and a packet for everybody beside.
    reviews_each = int(2 * seconds / EVERY / (SAVES + 1)) + 12
    applicants = max(10, reviewers * reviews_each // 2)
    rules = replace(
        SITE_RULES, floors=(Floor(kind="review", count=2),), budget=4 * applicants, packet=10
    )
    product.cycles.new_round("round", name="Fall 2027")
    product.cycles.new(CYCLE, round_id="round", rules=rules, by="load", name="MS load")
    product.applicants.import_all(
        CYCLE,
        [
            applicant(
                f"A{n:05d}",
                name=f"Applicant {n}",
                email=f"a{n}@example.com",
                fields={"statement": f"Why I want to study here, number {n}. " * 40},
            )
            for n in range(applicants)
        ],
    )
    product.applicants.choose_columns(CYCLE, {"statement": True}, by="load")
    people = [f"r{n}@example.org" for n in range(reviewers)]
    product.reviewers.import_all(
        CYCLE,
        [reviewer(f"R{n}", name=f"Reviewer {n}", email=email) for n, email in enumerate(people)],
    )
    product.cycles.launch(CYCLE, by="load")
    enough = min(10, reviews_each) * reviewers
    wait_until(
        lambda: (
            len(product.context.ledger.assignments(CYCLE, statuses={AssignmentStatus.DELIVERED}))
            >= enough
        ),
        cap=300,
        what="everybody has a packet",
    )
    return {
        "address": settings.address,
        "cookie": cookie_name(secure=settings.secure),
        "cycle": CYCLE,
        "seconds": seconds,
        "reviewers": [_signed_in(office, email) for email in people],
    }


def _signed_in(office: Office, email: str) -> str:
    account = office.users.add(email)
    return office.sign_in.start_session(account, method=Method.LINK, agent="load")[0]


def _staff(office: Office, number: int) -> str:
    account = office.users.add(f"staff{number}@example.org")
    office.users.grant(account, Role.OPERATIONS, Scope.OFFICE, by="load")
    return office.sign_in.start_session(account, method=Method.PASSWORD, agent="load")[0]


def _drive(plan: Path, result: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "tests.bench.reviewers_at_work", str(plan), str(result)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=True,
    )


def _cpu_seconds(folder: Path) -> dict[str, float]:
    """Read how much processor time each process of the deployment has had so far.

    What a process started counts with it: the process called `web` only watches over those
    that serve.
    """
    noted = json.loads((folder / "run" / "processes.json").read_text(encoding="ascii"))
    tick = os.sysconf("SC_CLK_TCK")
    parents, own = {}, {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text(encoding="utf-8").rpartition(")")[2].split()
        except OSError:  # it ended meanwhile
            continue
        pid = int(stat.parent.name)
        parents[pid], own[pid] = int(fields[1]), (int(fields[11]) + int(fields[12])) / tick

    def with_children(pid: int) -> float:
        children = [child for child, parent in parents.items() if parent == pid]
        return own.get(pid, 0.0) + sum(map(with_children, children))

    return {name: with_children(pid) for name, (pid, _) in noted.items()}


# Afterwards


def _lost(product: Swapflow, result: dict[str, Any]) -> list[str]:
    """Compare everything that was acknowledged with what is stored; names what differs."""
    numbers = {r.external_id: r.number for r in product.reviewers.list(CYCLE)}
    lost = []
    for index, (drafts, reviews) in enumerate(
        zip(result["drafts"], result["reviews"], strict=True)
    ):
        for path, (version, body) in drafts.items():
            task = product.tasks.find(path.removeprefix("/tasks/"), reviewer=numbers[f"R{index}"])
            name = task.assignment.id
            kept = product.context.ledger.drafts([name]).get(name)
            if kept is None or (kept.version, dict(kept.body)) != (version, body):
                lost.append(f"draft {version} of {path} by R{index}: {kept}")
        for path, review in reviews.items():
            task = product.tasks.find(path.removeprefix("/tasks/"), reviewer=numbers[f"R{index}"])
            given = product.tasks.score(task.assignment.id)
            marks = {c.name: float(review[f"c{n}"]) for n, c in enumerate(RUBRIC.criteria)}
            if given is None or (dict(given.marks), given.remark) != (marks, review["remark"]):
                lost.append(f"review {path} by R{index}: {given}")
    return lost


def _kinds(result: dict[str, Any]) -> list[tuple[str, list[float]]]:
    order = ("save", "submit", "begin", "page", "list", "receipt", "dashboard")
    return [(kind, result["took"][kind]) for kind in order if kind in result["took"]]


def _figures(times: Sequence[float], seconds: float) -> dict[str, float]:
    p50, p95, p99 = np.percentile(times, [50, 95, 99]) * 1000
    return {
        "count": len(times),
        "per_second": round(len(times) / seconds, 1),
        "p50": round(float(p50), 1),
        "p95": round(float(p95), 1),
        "p99": round(float(p99), 1),
        "max": round(max(times) * 1000, 1),
    }


def _print(figures: dict[str, Any]) -> None:
    names = ("count", "per_second", "p50", "p95", "p99", "max")
    print(
        f"{figures['reviewers']} reviewers, {figures['seconds']:g} s, {figures['cores']} cores, "
        f"load average {' to '.join(map(str, figures['load_average']))}; times in ms"
    )
    print(f"{'request':12}" + "".join(f"{name:>12}" for name in names))
    for kind, one in figures["requests"].items():
        print(f"{kind:12}" + "".join(f"{one[name]:12,.1f}" for name in names))
    print(
        f"errors {len(figures['errors'])}; lost {len(figures['lost'])} of "
        f"{figures['compared_drafts']} drafts and {figures['compared_reviews']} reviews compared"
    )
    print("cores used: " + ", ".join(f"{name} {used}" for name, used in figures["cpu"].items()))
    for text in [*figures["errors"][:10], *figures["lost"][:10]]:
        print(f"  {text}")
    print("; ".join(faults(figures)) or "met: nothing lost, no error, p99 under 500 ms")


def _close(product: Swapflow) -> None:
    for part in (product.context.dispatcher, product.context.state, product.context.doorbell):
        part.close()  # type: ignore[union-attr]  # the real ones, all of which close
    product.context.ledger.dispose()  # type: ignore[attr-defined]  # an SqlLedger


if __name__ == "__main__":
    sys.exit(main())
