"""A cycle rebuilt from its events, kept in memory by processes that decide.

The live state holds the numbers that the bandit reads (`CycleState`); the projection holds the
structure around them: who is a candidate, which pulls are open, who judged whom, who may still be
asked. Both are folds of the same events, so equal ledgers give equal projections. The events of
people are in `people_events`, those of pulls and scores in `pull_events`.
"""

from collections.abc import Mapping
from typing import cast

from swapflow.domain.cycle import START, CycleStatus, Position
from swapflow.domain.event import Event, EventType, Json
from swapflow.domain.fixed_point import VALUE_SCALE
from swapflow.domain.reviewing.practice import MOST_FILES
from swapflow.domain.rules import Rules
from swapflow.engine.projection.drawn_ones import DrawnOnes
from swapflow.engine.projection.pull_events import PullProjection
from swapflow.engine.projection.score_table import (
    int_of,
)


def practice_of(
    payload: Mapping[str, Json], *, reviewers: int
) -> tuple[tuple[int, int, int], ...]:
    """Read the marks of practice files of a launch: (file, reviewer, mark); none in most.

    Raises:
        ValueError: If one is of no file or no reviewer, or no mark.
    """
    said = cast("list[list[int]]", payload.get("practice", []))
    found = tuple((file, reviewer, value) for file, reviewer, value in said)
    for file, reviewer, value in found:
        # A file's number becomes an arm's: one from a foreign bundle must not fill the memory.
        if not (
            file in range(MOST_FILES)
            and reviewer in range(reviewers)
            and value in range(VALUE_SCALE + 1)
        ):
            raise ValueError(f"no mark of a practice file: {file}, {reviewer}, {value}")
    return found


CREDITED = frozenset({EventType.SCORED, EventType.SCORE_CORRECTED})
"""Events that change the sum of an application's scores."""


class CycleProjection(PullProjection):
    """A cycle's structure, folded from its events.

    Attributes:
        position: The event read last.
        rules: The rules in force; the caller of `apply` calls `use` after an event that changed
            `rules_version`.
        lists: The version of the list that was made final last; 0 before.
        reconsidering: Applications that are reconsidered after the list was made final.
        drawn: Who of those clearly out was drawn, and read.
        practice: (file, reviewer, mark in units of `VALUE_SCALE`) of every practice mark.
    """

    def __init__(self, rules: Rules) -> None:
        super().__init__(rules)
        self.position: Position = START
        self.rules_version = 0
        self.status = CycleStatus.DRAFT
        self.decisions = 0
        self.floors_open = True
        self.reconsidering: set[int] = set()
        self.stop_reason = ""
        self.lists = 0
        self._seed_drawn_now = False
        self.drawn = DrawnOnes()
        self.practice: tuple[tuple[int, int, int], ...] = ()

    def apply(self, event: Event) -> None:
        """Fold in the next event."""
        fold = getattr(self, f"_{event.type.value}")
        fold(event.payload)
        if event.type in CREDITED:
            self._credit(event)
        self.drawn.fold(event)
        self.position = event.position

    def use(self, rules: Rules) -> None:
        """Switch to another version of the rules; kinds are only ever appended."""
        self.rules = rules
        if self._seed_drawn_now:
            self.rekey(rules.seed)
            self._seed_drawn_now = False
        for table in self._tables():
            table.widen(len(rules.kinds))

    def _launched(self, payload: Mapping[str, Json]) -> None:
        self.status = CycleStatus.RUNNING
        self.rules_version = int_of(payload["rules"])
        # The seed itself stands in these rules, which the caller passes to `use`.
        self._seed_drawn_now = bool(payload.get("drawn"))
        self.practice = practice_of(payload, reviewers=len(self.reviewers))

    def _rules_changed(self, payload: Mapping[str, Json]) -> None:
        self.rules_version = int_of(payload["rules"])

    def _out_drawn(self, _payload: Mapping[str, Json]) -> None:
        """Change nothing here: `drawn` folds who was drawn."""

    def _decided(self, payload: Mapping[str, Json]) -> None:
        self.decisions = int_of(payload["decision"])

    def _paused(self, _payload: Mapping[str, Json]) -> None:
        self.status = CycleStatus.PAUSED

    def _resumed(self, _payload: Mapping[str, Json]) -> None:
        self.status = CycleStatus.RUNNING
        self.stop_reason = ""

    def _stop_proposed(self, payload: Mapping[str, Json]) -> None:
        self.status = CycleStatus.PROPOSED
        self.stop_reason = str(payload["reason"])

    def _ended(self, payload: Mapping[str, Json]) -> None:
        self.status = CycleStatus.ENDED
        self.stop_reason = str(payload["reason"])

    def _finalized(self, payload: Mapping[str, Json]) -> None:
        self.status = CycleStatus.FINALIZED
        self.lists = int_of(payload["version"])

    def _reopened(self, _payload: Mapping[str, Json]) -> None:
        self.status = CycleStatus.ENDED

    def _reconsideration_opened(self, payload: Mapping[str, Json]) -> None:
        self.reconsidering.add(int_of(payload["a"]))

    def _reconsideration_closed(self, payload: Mapping[str, Json]) -> None:
        self.reconsidering.discard(int_of(payload["a"]))

    def _yield_set(self, _payload: Mapping[str, Json]) -> None:
        """Change nothing: offers do not enter decisions."""

    def _offered(self, _payload: Mapping[str, Json]) -> None:
        """Change nothing: announcements, offers and answers do not enter decisions."""

    def _offer_answered(self, _payload: Mapping[str, Json]) -> None:
        """Change nothing: announcements, offers and answers do not enter decisions."""

    def _applicant_answered(self, _payload: Mapping[str, Json]) -> None:
        """Change nothing: announcements, offers and answers do not enter decisions."""

    def _announced(self, _payload: Mapping[str, Json]) -> None:
        """Change nothing: announcements, offers and answers do not enter decisions."""

    def _announcement_taken_back(self, _payload: Mapping[str, Json]) -> None:
        """Change nothing: announcements, offers and answers do not enter decisions."""

    def _meeting_opened(self, _payload: Mapping[str, Json]) -> None:
        """Change nothing: meetings do not enter decisions of the rule."""

    def _meeting_said(self, _payload: Mapping[str, Json]) -> None:
        """Change nothing: meetings do not enter decisions of the rule."""

    def _meeting_closed(self, _payload: Mapping[str, Json]) -> None:
        """Change nothing: meetings do not enter decisions of the rule."""

    def _meeting_reopened(self, _payload: Mapping[str, Json]) -> None:
        """Change nothing: meetings do not enter decisions of the rule."""

    def _meeting_looked(self, _payload: Mapping[str, Json]) -> None:
        """Change nothing: what a meeting looks at moves no estimate."""

    def _zone_confirmed(self, _payload: Mapping[str, Json]) -> None:
        """Change nothing: who takes on a clear zone moves no estimate."""

    def _purged(self, _payload: Mapping[str, Json]) -> None:
        """Change nothing: no number here is personal."""
