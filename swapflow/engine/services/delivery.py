"""Delivery: an assignment reaches a person's task list, or a program answers it at once."""

import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from cachetools import FIFOCache

from swapflow.domain.people.reviewer import Reviewer
from swapflow.domain.reviewing.assignment import Assignment, AssignmentStatus
from swapflow.domain.reviewing.score import Answer, Origin
from swapflow.domain.rules import Rules
from swapflow.engine.ports.automatic_reviewer import Question
from swapflow.engine.ports.dispatcher import QueueMessage, Topic
from swapflow.engine.services.context import ServiceContext
from swapflow.engine.services.tasks import TaskService
from swapflow.errors import NotFoundError


HANDED_IN_TOGETHER = 100
"""Most answers of a program in one transaction."""

ANSWERING_SECONDS = 10.0
"""How long one message may keep a program answering, well within a task's lifetime."""

ROSTER_SECONDS = 5.0
"""Seconds for which a worker trusts its copy of a roster."""

ANSWERED_KEPT = 50_000
"""Requests that a worker remembers to have answered, some two hundred bytes each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cycle:
    """The facts of a cycle that deliveries need."""

    read_at: float
    roster: dict[int, Reviewer]
    rules: Rules


def _entries(cycle: _Cycle, program: str) -> list[int]:
    """Return the numbers of the roster entries that a program answers for."""
    return [number for number, one in cycle.roster.items() if one.automatic == program]


class DeliveryService:
    """Delivers for one process; threads of the process may share it.

    Args:
        context: The ledger that holds the requests, and the automatic reviewers.
        tasks: Puts tasks into inboxes, and takes the answers of programs.
    """

    def __init__(self, context: ServiceContext, tasks: TaskService) -> None:
        self._context = context
        self._ledger = context.ledger
        self._tasks = tasks
        self._cycles: dict[str, _Cycle] = {}
        self._answered = FIFOCache[str, None](ANSWERED_KEPT)
        self._answered_lock = threading.Lock()

    def deliver(self, assignment_id: str) -> str:
        """Deliver one assignment; safe to repeat.

        A program answers all its open requests of the cycle, a hundred answers in one transaction,
        so later messages find nothing left to do. The process that answered knows that by itself,
        another one reads the request. While a program is asked, a message for it ends at once:
        however long it takes, it holds one thread.
        """
        return self._deliver(assignment_id)[0]

    def deliver_all(self, assignment_ids: Sequence[str]) -> None:
        """Deliver many assignments; skip those that an earlier one's answer included."""
        answered: set[str] = set()
        for assignment_id in assignment_ids:
            if assignment_id not in answered:
                answered.update(self._deliver(assignment_id)[1])

    def _deliver(self, assignment_id: str) -> tuple[str, list[str]]:
        """Deliver; return what happened and the assignments that were answered by it."""
        # An answer is final: no act opens a request again that has one.
        if assignment_id in self._answered:
            return f"{AssignmentStatus.SCORED.value} before", []
        assignment = self._ledger.assignment(assignment_id)
        if not assignment.status.is_open:
            return f"{assignment.status.value} before", []
        cycle = self._known(assignment.cycle_id)
        reviewer = cycle.roster[assignment.reviewer]
        if not reviewer.automatic:
            new = self._tasks.deliver([assignment_id])
            return ("delivered" if new else "delivered before"), []
        program = reviewer.automatic
        with self._turn(program, assignment.cycle_id) as is_free:
            if not is_free:
                return "left to the thread that asks this program", []
            # Read again: the thread that had the turn before may have answered it.
            if not self._ledger.assignment(assignment_id).status.is_open:
                return "answered meanwhile", []
            answered = self._answer_all(cycle, program, assignment)
            return f"answered {len(answered)}", answered

    @contextmanager
    def _turn(self, program: str, cycle_id: str) -> Iterator[bool]:
        """Take the turn of a program, if it is free; then pass on what was refused meanwhile."""
        turns, is_free = self._context.answer_turns, False
        try:
            with turns.turn(program, cycle_id) as is_free:
                yield is_free
        finally:
            # Only now is known who was refused; after a failure too, for their messages are gone.
            if is_free:
                self._send_again(program, turns.take_waiting(program))

    def _send_again(self, program: str, cycle_ids: Iterable[str]) -> None:
        """Send one message for each cycle in which a program has open requests."""
        messages: list[QueueMessage] = []
        for cycle_id in cycle_ids:
            with suppress(NotFoundError):  # erased meanwhile
                same = _entries(self._known(cycle_id), program)
                messages += [
                    QueueMessage(topic=Topic.DELIVER, id=left.id, tier=left.kind)
                    for left in self._ledger.unanswered(cycle_id, same, at_most=1)
                ]
        if messages:
            self._context.dispatcher.send(messages)

    def _answer_all(self, cycle: _Cycle, program: str, first: Assignment) -> list[str]:
        """Answer one assignment and the other open ones of the same program.

        What is left when the time is over has a message of its own then.
        """
        same = _entries(cycle, program)
        until = time.monotonic() + ANSWERING_SECONDS
        answered: list[str] = []
        # In the first batch in any case: older requests alone could fill it.
        must: tuple[Assignment, ...] = (first,)
        while time.monotonic() < until:
            waiting = self._ledger.unanswered(first.cycle_id, same, at_most=HANDED_IN_TOGETHER)
            batch = {assignment.id: assignment for assignment in (*must, *waiting)}
            chosen = list(batch.values())[:HANDED_IN_TOGETHER]
            answered += self._answer(cycle, program, chosen)
            # Fewer than a full batch means that nothing is left, unless more came in the meantime,
            # which has messages of its own.
            if len(chosen) < HANDED_IN_TOGETHER:
                return answered
            must = ()
        self._send_again(program, [first.cycle_id])
        return answered

    def _answer(self, cycle: _Cycle, program: str, chosen: Sequence[Assignment]) -> list[str]:
        """Submit the program's answers in one transaction."""
        if not chosen:
            return []
        cycle_id = chosen[0].cycle_id
        asked = self._context.way_out.reviewer(cycle_id, program)
        external_ids = {
            one.number: one.external_id
            for one in self._ledger.applications_numbered(
                cycle_id, {a.application for a in chosen}
            )
        }
        marks = asked.answer(
            [self._question(cycle, a, external_ids[a.application]) for a in chosen]
        )
        self._tasks.submit(
            [
                Answer(assignment_id=a.id, utility=mark, origin=Origin.AUTOMATIC)
                for a, mark in zip(chosen, marks, strict=True)
            ]
        )
        answered = [assignment.id for assignment in chosen]
        with self._answered_lock:
            self._answered.update(dict.fromkeys(answered))
        return answered

    def _question(self, cycle: _Cycle, assignment: Assignment, external_id: str) -> Question:
        kind = cycle.rules.kinds[assignment.kind]
        return Question(
            assignment_id=assignment.id,
            application=external_id,
            kind=kind.name,
            tier=assignment.kind,
            ordinal=assignment.ordinal,
            gain=kind.gain,
            reviewer=cycle.roster[assignment.reviewer].external_id,
        )

    def _known(self, cycle_id: str) -> _Cycle:
        known = self._cycles.get(cycle_id)
        now = time.monotonic()
        if known is None or now - known.read_at > ROSTER_SECONDS:
            known = _Cycle(
                read_at=now,
                roster={r.number: r for r in self._ledger.reviewers(cycle_id)},
                rules=self._ledger.rules(cycle_id),
            )
            # Stale copies are dropped: a worker that lives for months would otherwise hold the
            # rosters of all rounds.
            fresh = {k: c for k, c in self._cycles.items() if now - c.read_at <= ROSTER_SECONDS}
            self._cycles = {**fresh, cycle_id: known}
        return known
