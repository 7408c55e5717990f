"""What a planned round is like: its rules, its people, and what is assumed of marks and delays."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from swapflow.bandit.oracles.oracle import Oracle
from swapflow.bandit.situation import IntArray
from swapflow.domain.people.group_numbers import value_number
from swapflow.domain.people.reviewer import NewReviewer, Reviewer
from swapflow.domain.rules import Rules
from swapflow.engine.projection.people_events import NO_VALUE
from swapflow.engine.selection.list_objective import list_objective


USUAL_SIGMA = 0.155
"""Spread of one mark around the applicant on [0, 1], seen in conference reviews (.13 to .17)."""
USUAL_BETWEEN = 0.115
"""Spread between applicants, seen likewise (.09 to .13)."""
USUAL_SEVERITY = 0.05
"""Spread between reviewers: 2 to 9 % of the variation of marks, seen likewise."""
USUAL_DAYS_VARIATION = 0.6
"""Spread of the logarithm of the days until an answer."""
WINDOW_SHARE = 0.5
"""Median days to an answer, as a share of the window that a reviewer has."""
USUAL_DAYS = 7.0
"""Median days to an answer of a kind without a due date."""
USUAL_SILENCE = 0.05
"""Share of requests that are declined or run out of time, and go to another reviewer."""
USUAL_GROUPS = 4
"""Groups of each attribute, where no file of applicants says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedReviewer:
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


def planned_reviewers(
    rules: Rules, people: Iterable[Reviewer | NewReviewer]
) -> tuple[PlannedReviewer, ...]:
    """Return what each person on a list of reviewers takes under these rules."""
    return tuple(
        PlannedReviewer(
            most=tuple(person.capacity.get(kind.name, 0) for kind in rules.kinds),
            packet=person.packet or rules.packet,
        )
        for person in people
    )


def usual_days(rules: Rules) -> tuple[float, ...]:
    """Return the median days to an answer of each kind where nothing is known of a past round."""
    return tuple(WINDOW_SHARE * kind.window_days or USUAL_DAYS for kind in rules.kinds)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanSetting:
    """One round that can be simulated.

    Attributes:
        values: Each applicant's value ("" for none) of every selection attribute that the rules
            look at.
    """

    rules: Rules
    applicants: int
    people: tuple[PlannedReviewer, ...]
    marks: Marks
    days: Days
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

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
        """What the list is chosen by: as in a live round, with quotas, targets and empty places.

        Where no list keeps to every limit the oracle is that of the smallest relaxation, as live.
        """
        held = _Held(rules=self.rules, values=self.values, applicants=self.applicants)
        return list_objective(held, np.arange(self.applicants, dtype=np.int64)).oracle

    def with_rules(self, **changes: object) -> Self:
        """Return the same round under changed rules."""
        rules = replace(self.rules, **changes)  # type: ignore[arg-type]  # names are the rules' own
        return replace(self, rules=rules)

    def with_kind(self, index: int, **changes: object) -> Self:
        """Return the same round with one kind changed."""
        kinds = list(self.rules.kinds)
        kinds[index] = replace(kinds[index], **changes)  # type: ignore[arg-type]  # likewise
        return self.with_rules(kinds=tuple(kinds))

    def reviews_only(self) -> Self:
        """Return the same round without any kind but the first."""
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
        """Return the same round in small: applicants, places, budget, caps, people in proportion.

        Shares and costs per applicant carry over; days do too, for the work per person stays.
        """
        if self.applicants <= applicants:
            return self
        share = applicants / self.applicants
        rules = self.rules
        places = max(1, round(self.places * share))
        # As spread over the file as they can be: a file may be sorted by group.
        kept = np.linspace(0, self.applicants, applicants, endpoint=False).astype(int)

        def fewer(number: int) -> int:
            return min(places, round(number * share))

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
            values={
                name: tuple(values[place] for place in kept)
                for name, values in self.values.items()
            },
            rules=replace(
                rules,
                lines=(replace(rules.lines[0], places=places),),
                kinds=kinds,
                quotas=tuple(
                    replace(
                        quota,
                        minimum=fewer(quota.minimum),
                        maximum=None if quota.maximum is None else fewer(quota.maximum),
                    )
                    for quota in rules.quotas
                ),
                targets=tuple(
                    replace(target, number=max(1, fewer(target.number)))
                    for target in rules.targets
                ),
                fewest=None if rules.fewest is None else fewer(rules.fewest),
                budget=round(rules.budget * share),
                out=None if rules.out is None else max(1, round(rules.out * share)),
                batch=max(1, round(rules.batch * share)),
                max_applicants=None,
            ),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Held:
    """A planned round as the engine's objective sees one; nobody is put in or out by hand."""

    rules: Rules
    values: Mapping[str, tuple[str, ...]]
    applicants: int
    pins: Mapping[int, int] = field(default_factory=dict)

    def values_of(self, attribute: str) -> IntArray:
        """Number the values as a live round does."""
        held = self.values.get(attribute, ("",) * self.applicants)
        return np.array(
            [value_number(attribute, value) if value else NO_VALUE for value in held],
            dtype=np.int64,
        )

    def groups_of(self, attribute: str) -> IntArray:
        """The same: a group is a value."""
        return self.values_of(attribute)
