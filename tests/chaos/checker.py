"""What must hold when the dust has settled, whatever was broken: each check on its own.

Rows are read by plain SQL and added up here, so that a fault in the product's own reading cannot
hide one in its writing; the replay of `swapflow cycle verify` comes on top.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from sqlalchemy import create_engine, text

from swapflow.domain.cycle import CycleStatus
from swapflow.domain.event import EventType
from swapflow.domain.people.reviewer import DeclineKind
from swapflow.domain.reviewing.assignment import AssignmentStatus
from swapflow.engine.services import Swapflow
from tests.chaos import rounds
from tests.chaos.deployment import Deployment
from tests.chaos.driver import OVER, Memory, Told
from tests.system.rounds import Outcome, unsound


Rows = list[dict[str, Any]]

VALUE_OF_A_STEP = 100_000
"""Ten steps make a utility of 1, stored as a million."""


ENDED = frozenset(AssignmentStatus) - {
    AssignmentStatus.QUEUED,
    AssignmentStatus.DELIVERED,
    AssignmentStatus.OPENED,
    AssignmentStatus.SCORED,
}
"""Requests that ended without a review: their reviewer may be asked again, after others."""

BARRING = frozenset({DeclineKind.CONFLICT, DeclineKind.UNQUALIFIED})
"""Reasons to decline after which a reviewer is never asked about the applicant again."""


def asked_too_often(requests: Sequence[tuple[str, str | None]]) -> bool:
    """Whether one reviewer's requests about one applicant are more than the rules allow.

    Args:
        requests: Status and reason to decline of each, in the order in which they were made.
    """
    barred = any(decline in BARRING for _, decline in requests[:-1])
    return barred or sum(status not in ENDED for status, _ in requests) > 1


class Checker:
    """Compares what people remember, the ledger's rows, its events and the live state."""

    def __init__(self, deployment: Deployment, memory: Memory) -> None:
        self._deployment = deployment
        self._product: Swapflow = deployment.product
        self._memory = memory
        self._ledger_url = deployment.database_url

    def violations(self) -> list[str]:
        """Run every check; each finding begins with the name of its check."""
        checks = (
            self.receipts,
            self.drafts,
            self.answered,
            self.budget,
            self.nobody_twice,
            self.sums,
            self.leases,
            self.nothing_pending,
            self.replays,
            self.lockstep,
        )
        found = [f"{check.__name__}: {what}" for check in checks for what in check()]
        return found + [f"people: {what}" for what in self._memory.wrong]

    def receipts(self) -> Iterator[str]:
        """Every answer that was received is in the ledger once, and none that nobody gave."""
        stored: dict[str, Rows] = defaultdict(list)
        corrected = self._memory.corrected
        for row in self._rows("SELECT assignment_id, value, seq, revision FROM score"):
            # A correction is a further row; what was answered stands in the first.
            if row["revision"] == 1 or row["assignment_id"] not in corrected:
                stored[row["assignment_id"]].append(row)
        events = Counter(self._scored())
        for name, told in self._memory.answers.items():
            if name in stored:
                yield from _compare(name, told, stored[name], events[name])
            elif told.receipts:
                yield f"the answer to {name} was received and is not in the ledger"
        for name in stored.keys() - self._memory.answers.keys():
            yield f"{name} has a score that nobody gave"
        statuses = self._statuses()
        for name in self._memory.declined:
            if statuses.get(name) != AssignmentStatus.DECLINED.value:
                yield f"{name} was declined and is {statuses.get(name)}"

    def drafts(self) -> Iterator[str]:
        """Every draft that was saved is there, or its review is."""
        kept = {
            row["assignment_id"]: row["version"]
            for row in self._rows("SELECT assignment_id, version FROM draft")
        }
        scored = {r["assignment_id"] for r in self._rows("SELECT assignment_id FROM score")}
        for name, (version, _) in self._memory.drafts.items():
            if name not in scored and kept.get(name, 0) < version:
                yield f"draft {version} of {name} was saved; there is {kept.get(name)}"

    def answered(self) -> Iterator[str]:
        """Whatever was answered is over, and nobody is asked for it again."""
        for row in self._rows(
            "SELECT a.id, a.status FROM assignment a JOIN score s ON s.assignment_id = a.id "
            "WHERE a.status <> 'scored'"
        ):
            yield f"{row['id']} was answered and is {row['status']}"

    def budget(self) -> Iterator[str]:
        """What is spent and promised never exceeded the budget, at any event."""
        for cycle in self._product.cycles.list():
            budget, spent, committed = self._product.cycles.rules(cycle.id).budget, 0, 0
            for event in self._product.reports.events(cycle.id):
                spent, committed = spent + event.spent, committed + event.committed
                if spent + committed > budget:
                    yield f"{cycle.id}: {spent} + {committed} of {budget} at {event.position.seq}"
                    break
            costs: Counter[str] = Counter()
            for row in self._rows(
                "SELECT status, cost FROM pull WHERE cycle_id = :cycle", cycle=cycle.id
            ):
                costs[row["status"]] += row["cost"]
            if costs["closed"] != spent or costs["open"] + costs["proposed"] != committed:
                yield f"{cycle.id}: requests cost {dict(costs)}, events say {spent}, {committed}"

    def nobody_twice(self) -> Iterator[str]:
        """No reviewer is asked about one applicant more often than the rules allow."""
        requests: dict[tuple[str, int, int], list[tuple[str, str | None]]] = defaultdict(list)
        for row in self._rows(
            "SELECT cycle_id, application, reviewer, status, decline_kind FROM assignment "
            "ORDER BY created_at, attempt"
        ):
            pair = (row["cycle_id"], row["application"], row["reviewer"])
            requests[pair].append((row["status"], row["decline_kind"]))
        for (cycle, application, reviewer), of_pair in requests.items():
            if asked_too_often(of_pair):
                yield (
                    f"{cycle}: reviewer {reviewer} was asked {len(of_pair)} times about "
                    f"applicant {application}: {of_pair}"
                )

    def sums(self) -> Iterator[str]:
        """Evidence and means of every applicant are the sums over the scores that stand."""
        for cycle in self._product.cycles.list():
            if cycle.status is CycleStatus.FINALIZED:
                continue  # nobody follows its live state any more
            value: Counter[int] = Counter()
            gain: Counter[int] = Counter()
            for row in self._rows(
                "SELECT s.application, s.value, p.gain FROM score s JOIN pull p ON "
                "p.id = s.pull_id WHERE s.cycle_id = :cycle AND s.counts AND s.revision = "
                "(SELECT max(revision) FROM score t WHERE t.assignment_id = s.assignment_id)",
                cycle=cycle.id,
            ):
                value[row["application"]] += row["value"] * row["gain"]
                gain[row["application"]] += row["gain"]
            arms = self._product.context.state.arms(cycle.id)
            if arms.position != cycle.position:
                yield f"{cycle.id}: the live state stands at {arms.position.seq}"
                continue
            for arm, (numerator, information) in enumerate(
                zip(arms.numerator.tolist(), arms.information.tolist(), strict=True)
            ):
                if (numerator, information) != (value[arm], gain[arm]):
                    yield (
                        f"{cycle.id}: applicant {arm} has {numerator}, {information} in the live "
                        f"state, the scores come to {value[arm]}, {gain[arm]}"
                    )

    def leases(self) -> Iterator[str]:
        """Each lease had one holder, and nothing was written under one after a newer one."""
        holders: dict[tuple[str, int], set[str]] = defaultdict(set)
        writes: dict[str, list[tuple[int, int, str]]] = defaultdict(list)
        for note in self.notes():
            cycle, epoch, process = note["cycle"], note["epoch"], note["process"]
            match note["what"]:
                case "let in":
                    newer = note["newer"]
                    yield f"{cycle}: {process} was let in with lease {epoch}, {newer} was in force"
                case "wrote":
                    # Who writes under a lease leads, whether it was noted to take it or not.
                    holders[cycle, epoch].add(process)
                    writes[cycle].append((note["seq"], epoch, process))
                case _:
                    holders[cycle, epoch].add(process)
        for (cycle, epoch), names in holders.items():
            if len(names) > 1:
                yield f"{cycle}: lease {epoch} was held by {' and '.join(sorted(names))}"
        for cycle, noted in writes.items():
            yield from _in_order(cycle, noted)

    def moves(self) -> int:
        """Count how often a program was led by another process than before."""
        leaders: dict[str, dict[int, str]] = defaultdict(dict)
        for note in self.notes():
            if note["what"] == "took":
                leaders[note["cycle"]][note["epoch"]] = note["process"]
        ways = ([of[epoch] for epoch in sorted(of)] for of in leaders.values())
        return sum(a != b for way in ways for a, b in pairwise(way))

    def nothing_pending(self) -> Iterator[str]:
        """Every program has ended and nothing waits to be sent."""
        for cycle in self._product.cycles.list():
            if cycle.status not in OVER:
                yield f"{cycle.id} is {cycle.status.value} after {cycle.decisions} decisions"
        for name, told in self._memory.answers.items():
            if not told.receipts:
                yield f"the answer to {name} was never received"
        for row in self._rows("SELECT id FROM assignment WHERE status = 'queued'"):
            yield f"{row['id']} never reached its reviewer"
        waiting = self._rows("SELECT id FROM message WHERE state = 'queued'")
        for row in waiting[:5]:
            yield f"mail {row['id']} was never sent"

    def replays(self) -> Iterator[str]:
        """`swapflow cycle verify`: chain, decisions, budget, requests, live state."""
        for cycle in self._product.cycles.list():
            yield from unsound(self._product, cycle.id)

    def lockstep(self) -> Iterator[str]:
        """A lockstep program came to what it comes to when nothing goes wrong."""
        for cycle in self._product.cycles.list():
            if cycle.status is not CycleStatus.ENDED or not cycle.id.startswith("l"):
                continue
            got = Outcome.of(self._product, cycle.id)
            expected = rounds.undisturbed(rounds.rules_of(cycle.id).seed)
            for name in ("decisions", "stop", "cohort"):
                if getattr(got, name) != getattr(expected, name):
                    yield f"{cycle.id}: {name} {getattr(got, name)}, undisturbed " + str(
                        getattr(expected, name)
                    )

    # Reading

    def notes(self) -> Iterator[dict[str, Any]]:
        """What coordinators noted of their leases."""
        for file in sorted(Path(self._deployment.folder, "leases").glob("*.jsonl")):
            for line in file.read_text("ascii").splitlines():
                if line.endswith("}"):  # a process may die while it writes
                    yield json.loads(line)

    def _rows(self, query: str, **values: object) -> Rows:
        engine = create_engine(self._ledger_url)
        try:
            with engine.connect() as connection:
                return [dict(row) for row in connection.execute(text(query), values).mappings()]
        finally:
            engine.dispose()

    def _statuses(self) -> dict[str, str]:
        return {r["id"]: r["status"] for r in self._rows("SELECT id, status FROM assignment")}

    def _scored(self) -> Iterator[str]:
        """Assignments by the events that say they were answered, one for each event."""
        asked = {
            (row["cycle_id"], row["application"], row["reviewer"]): row["id"]
            for row in self._rows("SELECT id, cycle_id, application, reviewer FROM assignment")
        }
        for cycle in self._product.cycles.list():
            for event in self._product.reports.events(cycle.id):
                if event.type is EventType.SCORED:
                    yield asked[cycle.id, event.payload["a"], event.payload["r"]]


def _compare(name: str, told: Told, rows: Rows, events: int) -> Iterator[str]:
    """Compare what a reviewer was told of an answer with what is stored of it."""
    if len(rows) != 1:
        yield f"{name} stands {len(rows)} times among the scores"
    if events != 1:
        yield f"{name} has {events} events"
    value, seq = rows[0]["value"], rows[0]["seq"]
    if value != told.mark * VALUE_OF_A_STEP:
        yield f"{name} was answered with {told.mark}, stored is {value}"
    if set(told.seqs) - {seq}:
        yield f"{name} had receipts {told.seqs} for event {seq}"


def _in_order(cycle: str, noted: list[tuple[int, int, str]]) -> Iterator[str]:
    """Look for events written under an older lease than one before them."""
    newest = 0
    for seq, epoch, process in sorted(noted):
        if epoch < newest:
            yield f"{cycle}: {process} wrote event {seq} under lease {epoch} after {newest}"
        newest = max(newest, epoch)
