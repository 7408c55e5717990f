"""The events of pulls and scores: open pulls, assignments, answers."""

from collections.abc import Mapping

import numpy as np

from swapflow.domain.event import Event, Json
from swapflow.domain.people.application import ApplicationStatus
from swapflow.domain.people.reviewer import DeclineKind
from swapflow.domain.reviewing.assignment import PullReason
from swapflow.domain.rules import Rules
from swapflow.engine.projection.open_pulls import OpenPull
from swapflow.engine.projection.people_events import PAIR, Cause
from swapflow.engine.projection.pull_tables import PullTables
from swapflow.engine.projection.score_table import (
    GrowingScores,
    Integers,
    ScoreKey,
    ScoreTable,
    int_of,
    table_rows,
)


PullKey = tuple[int, int, int]
"""(application, kind, ordinal)"""

EXTRA_PULL = 1
"""`extra` of a score that opened and closed a pull of its own (it came late)."""

VOLUNTEERED = 2
"""`extra` of a score that was not requested."""

STRUCK = "struck"
NOBODY_LEFT = "nobody left to ask"
"""Reasons for cancelled pulls that the projection remembers."""

GIVEN_BACK = frozenset({ApplicationStatus.WITHDRAWN.value, ApplicationStatus.INELIGIBLE.value})
"""Reasons for cancelled pulls that are given back when the applicant is reinstated."""


class PullProjection(PullTables):
    """Pulls, their assignments and their scores, from the events about them.

    Attributes:
        rules: The rules in force.
        open: Pulls proposed or open, by key.
        struck: (application, kind) pairs that a person refused; the rule asks no more.
        unasked: (application, kind) pairs whose last pull found no reviewer.
        staff_cost: Cost of the pulls that staff requested, those of reconsiderations included.
        appeal_cost: Cost of reconsiderations; it does not count against the budget.
    """

    def __init__(self, rules: Rules) -> None:
        super().__init__(rules)
        self.staff_cost = 0
        self.appeal_cost = 0
        self._rank = 0
        self.open: dict[PullKey, OpenPull] = {}
        self.struck: set[tuple[int, int]] = set()
        self.unasked: set[tuple[int, int]] = set()
        self._left: dict[PullKey, OpenPull] = {}
        self._score_rows: dict[ScoreKey, int] = {}
        self._scores = GrowingScores()

    def is_appeal(self, key: PullKey) -> bool:
        """Whether an open pull belongs to a reconsideration."""
        pull = self.open.get(key)
        return pull is not None and pull.why is PullReason.RECONSIDERATION

    def first_out(self) -> Integers:
        """Return the rank of each application's first open pull; a huge number for none."""
        first = np.full(self.applications, np.iinfo(np.int64).max)
        for (application, _kind, _ordinal), pull in self.open.items():
            first[application] = min(first[application], pull.rank)
        return first

    def scores(self) -> "ScoreTable":
        """Return the scores that count, by pull, in an order that does not depend on arrival."""
        return self._scores.table()

    def score(self, key: ScoreKey) -> tuple[int, bool] | None:
        """Return the current value of a score and whether it counts; None if there is none."""
        row = self._score_rows.get(key)
        if row is None:
            return None
        return self._scores.value[row], bool(self._scores.counts[row])

    def vacancies(self) -> list[tuple[PullKey, int]]:
        """List the vacant seats of open pulls, in the order of dispatch."""
        ordered = sorted(self.open.items(), key=lambda item: item[1].rank)
        return [(key, seat) for key, pull in ordered for seat in pull.vacant()]

    def _application_added(self, payload: Mapping[str, Json]) -> None:
        super()._application_added(payload)
        for table in self._tables():
            table.lengthen(self.applications)

    def _pulls_opened(self, payload: Mapping[str, Json]) -> None:
        why, decision = PullReason(str(payload["why"])), int_of(payload["decision"])
        for application, kind, ordinal, approval in table_rows(payload["pulls"]):
            self._rank += 1
            rules = self.rules.kinds[kind]
            self.open[application, kind, ordinal] = OpenPull(
                rank=self._rank,
                why=why,
                decision=decision,
                seats=rules.seats,
                approved=not approval,
            )
            self._count_pull(application, kind, ordinal)
            self.unasked.discard((application, kind))
            self._out.rows[application, kind] += 1
            if why in {PullReason.STAFF, PullReason.RECONSIDERATION}:
                self.staff_cost += rules.cost
            if why is PullReason.RECONSIDERATION:
                self.appeal_cost += rules.cost

    def _pulls_approved(self, payload: Mapping[str, Json]) -> None:
        for application, kind, ordinal in table_rows(payload["pulls"]):
            self.open[application, kind, ordinal].approved = True

    def _pulls_cancelled(self, payload: Mapping[str, Json]) -> None:
        for application, kind, ordinal in table_rows(payload["pulls"]):
            pull = self.open.pop((application, kind, ordinal))
            if payload["why"] in GIVEN_BACK:
                self._left[application, kind, ordinal] = pull
            for seat in list(pull.live):
                reviewer = pull.live[seat][1]
                self._end_live(pull, seat, kind, keeps_load=False)
                if not self._bars_once_asked():
                    self._free(application, reviewer, last=False)
            self._given.rows[application, kind] -= 1
            self._out.rows[application, kind] -= 1
            if pull.why in {PullReason.STAFF, PullReason.RECONSIDERATION}:
                self.staff_cost -= self.rules.kinds[kind].cost
            if pull.why is PullReason.RECONSIDERATION:
                self.appeal_cost -= self.rules.kinds[kind].cost
            if payload["why"] == STRUCK:
                self.struck.add((application, kind))
            elif payload["why"] == NOBODY_LEFT:
                self.unasked.add((application, kind))

    def _pulls_reopened(self, payload: Mapping[str, Json]) -> None:
        for application, kind, ordinal, approval in table_rows(payload["pulls"]):
            key = (application, kind, ordinal)
            pull = self.open[key] = self._left.pop(key)
            pull.approved = not approval
            self.unasked.discard((application, kind))
            self._given.rows[application, kind] += 1
            self._out.rows[application, kind] += 1
            if pull.why is PullReason.STAFF:
                self.staff_cost += self.rules.kinds[kind].cost
        self._assigned(payload)

    def _assigned(self, payload: Mapping[str, Json]) -> None:
        for application, kind, ordinal, seat, attempt, reviewer in table_rows(payload["items"]):
            pull = self.open[application, kind, ordinal]
            pull.live[seat] = (attempt, reviewer)
            facts = self.reviewers[reviewer]
            facts.out += 1
            facts.load[kind] = facts.load.get(kind, 0) + 1
            self._asked_list.append(application * PAIR + reviewer)
            # As long as it is open, and in the first version for good: nobody is asked twice.
            if self._bars_once_asked():
                self._bar_for_good(application, reviewer, Cause.ASKED)
            else:
                self._bar(application, reviewer)

    def _scored(self, payload: Mapping[str, Json]) -> None:
        application, kind, ordinal = (int_of(payload[name]) for name in ("a", "k", "o"))
        seat, reviewer = int_of(payload["seat"]), int_of(payload["r"])
        pull = self.open.get((application, kind, ordinal))
        if payload["counts"] or payload["extra"] == VOLUNTEERED or self._bars_once_asked():
            self._bar_for_good(application, reviewer, Cause.REVIEW)
        if payload["extra"] == EXTRA_PULL:
            self._rank += 1
            self._count_pull(application, kind, ordinal)
            self._closed.rows[application, kind] += 1
        elif payload["extra"] == VOLUNTEERED:
            self._rank += 1
            self._number_pull(application, kind, ordinal)
        elif pull is not None and payload["late"] != "uncounted":
            pull.answered = (*pull.answered, seat)
            if seat in pull.live:
                # An answer typed for the seat by another reviewer
                # uses up nothing of the one who was asked.
                successor = pull.live[seat][1]
                self._end_live(pull, seat, kind, keeps_load=successor == reviewer)
                if successor != reviewer and not self._bars_once_asked():
                    self._free(application, successor, last=False)
        # Settled means take scores in the order of dispatch: one without an open pull comes last.
        rank = pull.rank if pull is not None else self._rank
        self._put_score(
            (application, kind, ordinal, seat, int_of(payload["attempt"])),
            (reviewer, int_of(payload["v"]), int(bool(payload["counts"])), rank),
        )
        if pull is not None and payload["closes"]:
            # The quorum is there: the other seats are not waited for,
            # and use up nobody's capacity.
            for left in list(pull.live):
                unheard = pull.live[left][1]
                self._end_live(pull, left, kind, keeps_load=False)
                if not self._bars_once_asked():
                    self._free(application, unheard, last=False)
            del self.open[application, kind, ordinal]
            self._out.rows[application, kind] -= 1
            self._closed.rows[application, kind] += 1

    def _score_corrected(self, payload: Mapping[str, Json]) -> None:
        names = ("a", "k", "o", "seat", "attempt")
        application, kind, ordinal, seat, attempt = (int_of(payload[name]) for name in names)
        row = self._score_rows[application, kind, ordinal, seat, attempt]
        counted, counts = self._scores.counts[row], int(bool(payload["counts"]))
        if counts:
            # Admitted, or counted again: only a person lifts a bar that a review has made.
            self._bar_for_good(application, int(self._scores.reviewer[row]), Cause.REVIEW)
        self._scores.correct(row, value=int_of(payload["v"]), counts=counts)
        pull = self.open.get((application, kind, ordinal))
        if pull is not None and counted and not counts:
            # The panel still waits, so another must be asked.
            pull.answered = tuple(other for other in pull.answered if other != seat)
        if pull is not None and counts and not counted and seat not in pull.answered:
            pull.answered = (*pull.answered, seat)

    def _declined(self, payload: Mapping[str, Json]) -> None:
        key = (int_of(payload["a"]), int_of(payload["k"]), int_of(payload["o"]))
        pull = self.open.get(key)
        if pull is not None:
            self._end_live(pull, int_of(payload["seat"]), key[1], keeps_load=False)
        if self._bars_once_asked():
            return
        application, reviewer = key[0], int_of(payload["r"])
        match DeclineKind(str(payload["kind"])):
            case DeclineKind.MISSED:
                # The applicant did not come: no reason to ask others first.
                self._free(application, reviewer, last=False)
            case DeclineKind.BUSY:
                self._busy.setdefault(reviewer, set()).add(application)
            case DeclineKind.CONFLICT:
                self._bar_for_good(application, reviewer, Cause.CONFLICT)
            case DeclineKind.UNQUALIFIED:
                self._bar_for_good(application, reviewer, Cause.UNQUALIFIED)

    def _no_show(self, payload: Mapping[str, Json]) -> None:
        for application, kind, ordinal, seat, _attempt, reviewer in table_rows(payload["items"]):
            pull = self.open.get((application, kind, ordinal))
            if pull is not None:
                self._end_live(pull, seat, kind, keeps_load=False)
            if not self._bars_once_asked():
                # The reviewer waited in vain: no reason to ask others first.
                self._free(application, reviewer, last=False)

    def _taken_back(self, payload: Mapping[str, Json]) -> None:
        for application, kind, ordinal, seat, _attempt, reviewer in table_rows(payload["items"]):
            pull = self.open.get((application, kind, ordinal))
            if pull is not None:
                self._end_live(pull, seat, kind, keeps_load=False)
            if not self._bars_once_asked():
                # As of a busy reviewer: staff do not want to find the request there again.
                self._busy.setdefault(reviewer, set()).add(application)

    def _expired(self, payload: Mapping[str, Json]) -> None:
        for application, kind, ordinal, seat, _attempt, reviewer in table_rows(payload["items"]):
            pull = self.open.get((application, kind, ordinal))
            if pull is not None:
                self._end_live(pull, seat, kind, keeps_load=False)
            if not self._bars_once_asked():
                self._free(application, reviewer)

    def _credit(self, event: Event) -> None:
        """Store with a score what it changed in its arm's sums."""
        names = ("a", "k", "o", "seat", "attempt")
        application, kind, ordinal, seat, attempt = (int_of(event.payload[name]) for name in names)
        row = self._score_rows[application, kind, ordinal, seat, attempt]
        for delta in event.deltas:
            self._scores.credit(row, delta.numerator, delta.information)

    def _end_live(self, pull: OpenPull, seat: int, kind: int, *, keeps_load: bool) -> None:
        if seat not in pull.live:
            return
        facts = self.reviewers[pull.end(seat)]
        facts.out -= 1
        if not keeps_load:
            facts.load[kind] -= 1

    def _put_score(self, key: ScoreKey, row: tuple[int, int, int, int]) -> None:
        if key in self._score_rows:
            self._scores.replace(self._score_rows[key], row)
        else:
            self._score_rows[key] = self._scores.append(key, row)
