"""Pairs of applicant and reviewer that come to be barred while requests are out or answered.

A conflict of interest and a panel can be recorded at any time. What is out is taken back: the
request is cancelled and its seat goes to another, so that an answer that comes all the same is
kept and does not count. What is done stays, and is named until staff void it or waive it.
"""

from collections.abc import Collection, Iterable, Sequence

from swapflow.domain.cycle import CycleStatus
from swapflow.domain.event import EventType
from swapflow.domain.people.reviewer import Reviewer
from swapflow.domain.reviewing.assignment import (
    OPEN_ASSIGNMENT,
    Assignment,
    AssignmentStatus,
    EndedWhy,
    PullReason,
    seat_items,
)
from swapflow.engine.interviews.slots import excuse
from swapflow.engine.ports.writes.transaction import Transaction


_TAKEN_BACK = frozenset({*OPEN_ASSIGNMENT, AssignmentStatus.EXPIRED})
"""Requests whose answer would still count."""

Pair = tuple[int, int]
"""(application, reviewer), by their numbers."""


def bar_pairs(
    tx: Transaction, pairs: Collection[Pair], *, source: str, address: str = ""
) -> tuple[Assignment, ...]:
    """Store conflicts of interest with their event, and take back what the pairs have out.

    Args:
        tx: The transaction.
        pairs: The conflicts.
        source: Who says so, or what.
        address: Address of the pages, for mails about dates that lapse.

    Returns:
        The open requests that were taken back.
    """
    tx.add_conflicts(pairs, source=source)
    tx.record(EventType.CONFLICTS_ADDED, {"pairs": [list(pair) for pair in pairs]})
    return take_back_requests(tx, pairs, address=address)


def take_back_requests(
    tx: Transaction, pairs: Collection[Pair], *, address: str = ""
) -> tuple[Assignment, ...]:
    """Take back what pairs that were barred just now have out; Args and Returns as `bar_pairs`."""
    barred = set(pairs)
    asked = _asked(tx, {reviewer for _, reviewer in barred})
    return _take_back(
        tx, [a for a in asked if (a.application, a.reviewer) in barred], address=address
    )


def restrict_to_panels(
    tx: Transaction, pairs: Collection[Pair], *, address: str = ""
) -> tuple[Assignment, ...]:
    """Store panels with their event, and take back what others than their members have out.

    Args and Returns as of `bar_pairs`.
    """
    tx.set_panel(pairs)
    # Events of earlier releases lack the mark: there a panel that is set again was added to.
    tx.record(EventType.PANEL_SET, {"pairs": [list(pair) for pair in pairs], "replaces": 1})
    roster = tx.reviewers()
    members: dict[int, set[int]] = {}
    for application, reviewer in pairs:
        members.setdefault(application, set()).add(reviewer)
    asked = [
        a
        for a in _asked(tx, [reviewer.number for reviewer in roster])
        if a.application in members and a.reviewer not in members[a.application]
    ]
    return _take_back(
        tx, [a for a in asked if not _stays(tx, a, members, roster)], address=address
    )


def serves(kind: str, members: Iterable[int], roster: Sequence[Reviewer]) -> bool:
    """Whether a panel restricts a kind: one whose members take none of it does not."""
    return any(kind in roster[number].capacity for number in members)


def _stays(
    tx: Transaction, asked: Assignment, members: dict[int, set[int]], roster: Sequence[Reviewer]
) -> bool:
    """Whether a request to a reviewer outside a panel stays."""
    if not serves(tx.rules().kinds[asked.kind].name, members[asked.application], roster):
        return True
    # In reconsiderations the reserve judges across panels.
    pull = tx.pulls([asked.pull_id])[asked.pull_id]
    return roster[asked.reviewer].reserve and pull.why is PullReason.RECONSIDERATION


def _asked(tx: Transaction, reviewers: Iterable[int]) -> list[Assignment]:
    """Return the requests of reviewers whose answers would still count."""
    # Before the launch nobody was asked, and whole lists of conflicts come in.
    if tx.cycle.status is CycleStatus.DRAFT:
        return []
    return [
        assignment
        for reviewer in sorted(reviewers)
        for assignment in tx.assignments_of_reviewer(reviewer, _TAKEN_BACK)
    ]


def _take_back(
    tx: Transaction, asked: Sequence[Assignment], *, address: str
) -> tuple[Assignment, ...]:
    """Cancel requests; the seats of those that were open are vacant from now on."""
    if not asked:
        return ()
    # Cancelled and not expired: a late answer to an expired request would count.
    tx.move_assignments([a.id for a in asked], AssignmentStatus.CANCELLED, allowed=_TAKEN_BACK)
    ended = tuple(a for a in asked if a.status.is_open)
    if ended:
        # For a pull it is the same whether its reviewer was late, has left or is barred.
        tx.record(EventType.EXPIRED, {"items": seat_items(ended), "why": EndedWhy.BARRED.value})
    for assignment in ended:
        excuse(tx, assignment, address=address)
    return ended
