"""Whether reviewers can be compared: who shares applicants with whom, over any number of steps.

Two reviewers who marked the same applicant are compared by their marks of them; two who did not
are compared through others. Without such a path, a group's severity cannot be separated from the
quality of its applicants.
"""

from collections.abc import Iterable, Sequence

import numpy as np
import scipy

from swapflow.bandit.situation import IntArray
from swapflow.domain.cycle import CycleStatus
from swapflow.engine.projection.cycle_projection import CycleProjection
from swapflow.engine.selection.situation import candidates


Groups = tuple[tuple[int, ...], ...]
"""Reviewers by number; the largest group first, each in the order of the numbers."""


def groups_of(application: IntArray, reviewer: IntArray) -> Groups:
    """Split reviewers into groups that share no applicant, over any number of steps.

    Args:
        application: Who was marked, shape (m,).
        reviewer: By whom; -1 where it is not one known person, shape (m,).

    Returns:
        Everybody who gave a mark, in one group where all can be compared.
    """
    known = reviewer >= 0
    application, reviewer = application[known], reviewer[known]
    if not reviewer.size:
        return ()
    people, row = np.unique(reviewer, return_inverse=True)
    _, column = np.unique(application, return_inverse=True)
    size = people.size + int(column.max()) + 1
    links = scipy.sparse.coo_array(
        (np.ones(row.size), (row, people.size + column)), shape=(size, size)
    )
    _, label = scipy.sparse.csgraph.connected_components(links, directed=False)
    return _sorted(people, label[: people.size].astype(np.int64))


def marked_groups(projection: CycleProjection) -> Groups:
    """Split the reviewers whose marks count, by those marks."""
    table = projection.scores()
    unnamed = np.array([facts.unnamed for facts in projection.reviewers], dtype=bool)
    reviewer = table.reviewer.copy()
    reviewer[(reviewer >= 0) & np.append(unnamed, False)[reviewer]] = -1
    practice = np.array(practice_pairs(projection), dtype=np.int64).reshape(-1, 2)
    return groups_of(
        np.concatenate([table.application, practice[:, 0]]),
        np.concatenate([reviewer, practice[:, 1]]),
    )


def practice_pairs(projection: CycleProjection) -> list[tuple[int, int]]:
    """List (file, reviewer) of practice marks that link reviewers, numbered as applications are.

    A program's own reviewers are people, so none of these marks is without a name. Empty where
    the rules leave practice files out of the severities.
    """
    if not projection.rules.practice_marks:
        return []
    # Numbered behind the applications, so that no file is taken for an applicant.
    behind = projection.applications
    return [(behind + file, reviewer) for file, reviewer, _ in projection.practice]


def possible_groups(projection: CycleProjection) -> Groups:
    """Split reviewers by marks given, awaited, and still possible.

    While a cycle is in draft or running, reviewers who may be asked about the same applicant may
    still share them; more than one group then means that panels, conflicts or the rules keep them
    apart until the end. Afterwards only marks count.
    """
    if projection.status not in {CycleStatus.DRAFT, CycleStatus.RUNNING, CycleStatus.PAUSED}:
        return marked_groups(projection)
    if projection.status is CycleStatus.DRAFT:
        return _possible(projection, marked_pairs=())
    return _possible(projection, marked_pairs=_shared(projection))


class ReviewerOverlap:
    """Which reviewers a seat would link, while seats are assigned one after the other.

    Args:
        projection: Supplies the marks given and awaited; unchanged.
    """

    def __init__(self, projection: CycleProjection) -> None:
        self._links = _Links(range(len(projection.reviewers)))
        self._on: dict[int, set[int]] = {}
        self._unnamed = {n for n, facts in enumerate(projection.reviewers) if facts.unnamed}
        for application, reviewer in _shared(projection):
            self.note(application, reviewer)

    def joins(self, application: int, reviewers: Iterable[int]) -> list[bool]:
        """Whether an applicant would link each reviewer with reviewers they share none with."""
        there = {self._links.root(number) for number in self._on.get(application, ())}
        return [
            bool(there) and number not in self._unnamed and self._links.root(number) not in there
            for number in reviewers
        ]

    def note(self, application: int, reviewer: int) -> None:
        """Record that a reviewer judges an applicant."""
        if reviewer in self._unnamed:
            return
        on = self._on.setdefault(application, set())
        on.add(reviewer)
        self._links.join(on)


def _shared(projection: CycleProjection) -> list[tuple[int, int]]:
    """List (application, reviewer) of every mark given or awaited."""
    table = projection.scores()
    pairs = list(zip(table.application.tolist(), table.reviewer.tolist(), strict=True))
    pairs += [
        (application, reviewer)
        for (application, _, _), pull in projection.open.items()
        for _, reviewer in pull.live.values()
    ]
    return [pair for pair in pairs if pair[1] >= 0] + practice_pairs(projection)


def _possible(projection: CycleProjection, *, marked_pairs: Iterable[tuple[int, int]]) -> Groups:
    """Link reviewers who share an applicant, or may still be asked about the same one."""
    known = [(n, facts) for n, facts in enumerate(projection.reviewers) if not facts.unnamed]
    serving = [
        frozenset(n for n, facts in known if facts.room(kind) > 0 and not facts.reserve)
        for kind in range(len(projection.rules.kinds))
    ]
    asked: dict[int, set[int]] = {}
    for application, reviewer in marked_pairs:
        if not projection.reviewers[reviewer].unnamed:
            asked.setdefault(application, set()).add(reviewer)
    present = frozenset().union(*serving, *asked.values())
    links = _Links(present)
    for together in asked.values():
        links.join(together)
    for application in candidates(projection).tolist():
        # Applications are many and groups few: all reviewers are usually linked after a handful.
        if links.parts <= 1:
            break
        links.join(_may_share(projection, application, serving, asked.get(application, set())))
    people = np.array(sorted(present), dtype=np.int64)
    label = np.array([links.root(number) for number in people.tolist()], dtype=np.int64)
    return _sorted(people, label) if people.size else ()


def _may_share(
    projection: CycleProjection,
    application: int,
    serving: Sequence[frozenset[int]],
    asked: set[int],
) -> set[int]:
    """Return the reviewers of whom two may judge one applicant; none where only one can."""
    given = projection.given()[application]
    barred = projection.barred(application)
    panel = projection.panels.get(application)
    found: set[int] = set()
    seats = len(asked)
    for kind, people in enumerate(serving):
        rules = projection.rules.kinds[kind]
        restricted = panel is not None and any(
            kind in projection.reviewers[r].capacity for r in panel
        )
        own = (people & panel if restricted and panel else people) - barred
        more = max(0, rules.maximum - int(given[kind])) * rules.seats
        if own and more:
            found |= own
            seats += min(len(own), more)
    return found | asked if seats > 1 else set()


def _sorted(people: IntArray, label: IntArray) -> Groups:
    found = [tuple(people[label == one].tolist()) for one in np.unique(label)]
    return tuple(sorted(found, key=lambda group: (-len(group), group)))


class _Links:
    """Which reviewers are linked, over any number of steps (union-find)."""

    def __init__(self, people: Iterable[int]) -> None:
        self._above = {number: number for number in people}
        self.parts = len(self._above)

    def root(self, number: int) -> int:
        """Return the representative of the group that this reviewer belongs to."""
        while self._above[number] != number:
            # Halving the path on the way keeps later look-ups near constant time.
            self._above[number] = self._above[self._above[number]]
            number = self._above[number]
        return number

    def join(self, people: Iterable[int]) -> None:
        """Link all of these."""
        roots = {self.root(number) for number in people}
        if roots:
            one = roots.pop()
            self._above |= dict.fromkeys(roots, one)
            self.parts -= len(roots)
