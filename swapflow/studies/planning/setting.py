"""What a planned round is like: its rules, its people, and what is assumed of marks and delays."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from swapflow.bandit.oracle import DiverseExact, Oracle, TopK
from swapflow.bandit.situation import IntArray
from swapflow.domain.rules import Rules


USUAL_SIGMA = 0.155
"""Spread of one mark around the applicant on [0, 1], seen in conference reviews (.13 to .17)."""
USUAL_BETWEEN = 0.115
"""Spread between applicants, seen likewise (.09 to .13)."""
USUAL_SEVERITY = 0.05
"""Spread between reviewers: 2 to 9 % of the variation of marks, seen likewise."""
USUAL_DAYS_VARIATION = 0.6
"""Spread of the logarithm of the days until an answer."""
USUAL_SILENCE = 0.05
"""Share of requests that are declined or run out of time, and go to somebody else."""
USUAL_GROUPS = 4
"""Groups that an objective spreads over, where no file of applicants says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """A reviewer: what they take of each kind at most (None: any number, 0: nothing), and at once.

    Attributes:
        most: Per kind of the rules.
        packet: Most requests open at once.
    """

    most: tuple[int | None, ...]
    packet: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """What is assumed of marks, on [0, 1].

    Attributes:
        sigma: Spread of one mark of gain 1 around applicant and severity.
        between: Spread between applicants.
        severity: Spread between reviewers; an interviewer's is not divided by the gain.
        level: Mean mark.
        gains: True gain of each kind, where it differs from the rules'; empty for theirs.
    """

    sigma: float = USUAL_SIGMA
    between: float = USUAL_BETWEEN
    severity: float = USUAL_SEVERITY
    level: float = 0.5
    gains: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Days:
    """What is assumed of answers: days until one comes (median per kind), and who never answers.

    Attributes:
        median: Per kind of the rules.
        variation: Spread of the logarithm of the days.
        silence: Share of requests that are declined or run out.
    """

    median: tuple[float, ...]
    variation: float = USUAL_DAYS_VARIATION
    silence: float = USUAL_SILENCE


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One round that can be simulated.

    Attributes:
        groups: Group of each applicant under the objective's attribute; empty without one.
    """

    rules: Rules
    applicants: int
    people: tuple[Person, ...]
    marks: Marks
    days: Days
    groups: tuple[int, ...] = ()

    @property
    def places(self) -> int:
        """How many are chosen."""
        return self.rules.cohort_size

    @property
    def review_cost(self) -> int:
        """Cost of one of the first kind."""
        return self.rules.kinds[0].cost

    @property
    def reviews_each(self) -> float:
        """The budget, in reviews for each applicant."""
        return self.rules.budget / self.review_cost / self.applicants

    def objective(self) -> Oracle:
        """What the list is chosen by."""
        if self.rules.objective.name == "diverse":
            return DiverseExact(size=self.places, groups=self._groups())
        return TopK(size=self.places)

    def _groups(self) -> IntArray:
        if self.groups:
            _, dense = np.unique(np.array(self.groups), return_inverse=True)
            return dense.astype(np.int64)
        return np.arange(self.applicants, dtype=np.int64) % USUAL_GROUPS

    def with_rules(self, **changes: object) -> Self:
        """Give the same round under changed rules."""
        rules = replace(self.rules, **changes)  # type: ignore[arg-type]  # names are the rules' own
        return replace(self, rules=rules)

    def with_kind(self, index: int, **changes: object) -> Self:
        """Give the same round with one kind changed."""
        kinds = list(self.rules.kinds)
        kinds[index] = replace(kinds[index], **changes)  # type: ignore[arg-type]  # likewise
        return self.with_rules(kinds=tuple(kinds))

    def reviews_only(self) -> Self:
        """Give the same round without any kind but the first."""
        rules = self.rules
        first = rules.kinds[0]
        return replace(
            self,
            rules=replace(
                rules,
                kinds=(first,),
                floors=tuple(floor for floor in rules.floors if floor.kind == first.name),
                rubrics=tuple(rubric for rubric in rules.rubrics if rubric.kind == first.name),
            ),
            people=tuple(
                replace(person, most=person.most[:1])
                for person in self.people
                if person.most[0] != 0
            ),
            days=replace(self.days, median=self.days.median[:1]),
            marks=replace(self.marks, gains=self.marks.gains[:1]),
        )

    def at_most(self, applicants: int) -> Self:
        """Give the same round in small: applicants, places, budget, caps and people in proportion.

        Shares and costs per applicant carry over; days do too, for the work per person stays.
        """
        if self.applicants <= applicants:
            return self
        share = applicants / self.applicants
        rules = self.rules
        places = max(1, round(self.places * share))
        kinds = tuple(
            replace(kind, total=None if kind.total is None else max(1, round(kind.total * share)))
            for kind in rules.kinds
        )
        step = max(1, round(1 / share))
        people = self.people[::step] if len(self.people) >= step else self.people
        able = all(any(person.most[kind] != 0 for person in people) for kind in range(len(kinds)))
        return replace(
            self,
            applicants=applicants,
            people=people if able else self.people,
            groups=self.groups[:applicants],
            rules=replace(
                rules,
                lines=(replace(rules.lines[0], places=places),),
                kinds=kinds,
                budget=round(rules.budget * share),
                out=None if rules.out is None else max(1, round(rules.out * share)),
                batch=max(1, round(rules.batch * share)),
                max_applicants=None,
            ),
        )
