"""A cycle's monitoring report: read from the record, grouped by declared attributes."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import combinations
from math import isnan
from statistics import median

from swapflow.domain.cohort.proposal import Verdict
from swapflow.domain.people.age_bands import AgeBands, banded
from swapflow.engine.audit.reviewer_figures import figure_terms, number_in
from swapflow.engine.ports.ledger import Ledger
from swapflow.errors import InvalidInputError
from swapflow.monitoring.adverse_impact import Impact
from swapflow.monitoring.applicant_rows import ApplicantRow, MonitoringRecord
from swapflow.monitoring.tables import (
    OTHERS,
    GroupEffort,
    Grouper,
    StageTable,
    effort,
    funnel,
    scoring_table,
    selection_table,
)


_DAY = 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Grouping:
    """All tables of the groups over one attribute or a pair of them.

    Attributes:
        attributes: Their names.
        stages: Who passed each stage.
        selection: Selection rates, None before people have decided.
        scoring: Scoring rates: the share of each group above the median.
        effort: Reviews and interviews of each group.
    """

    attributes: tuple[str, ...]
    stages: tuple[StageTable, ...]
    selection: StageTable | None
    scoring: StageTable
    effort: tuple[GroupEffort, ...]

    @property
    def tables(self) -> tuple[StageTable, ...]:
        """All tables of rates, in the order in which they are read."""
        last = () if self.selection is None else (self.selection,)
        return (*self.stages, self.scoring, *last)

    @property
    def main(self) -> StageTable:
        """The table that says most: who was selected, or before a decision who was scored high."""
        return self.scoring if self.selection is None else self.selection

    @property
    def lowest(self) -> Impact | None:
        """The group with the lowest ratio in the main table; None where nothing is compared."""
        compared = [
            row
            for row in self.main.rows
            if row.group != OTHERS and not row.is_reference and not isnan(row.ratio)
        ]
        return min(compared, key=lambda row: row.ratio, default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewerEffort:
    """The work of one reviewer: by number, since the reader need not know who.

    Attributes:
        reviewer: Number on the roster, or the random one of figures that are not named.
        done: Finished reviews and interviews; None beside a random number, which it would explain.
        waited: Median days from request to answer; NaN when none is finished.
    """

    reviewer: int
    done: int | None
    waited: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A monitoring report.

    Attributes:
        at: When it was built.
        first: When the first review was requested, None before.
        people: Number of applicants.
        decided: Whether people have decided.
        groupings: One per attribute, then one per requested pair of attributes.
        reviewers: By number; none where the rules tell no figures about them, or those are gone.
    """

    cycle_id: str
    at: datetime
    first: datetime | None
    people: int
    decided: bool
    groupings: tuple[Grouping, ...]
    reviewers: tuple[ReviewerEffort, ...]


class Monitoring:
    """Reads declared attributes and outcomes, and returns sums. Writes nothing."""

    def __init__(self, record: MonitoringRecord, ledger: Ledger) -> None:
        self._record = record
        self._ledger = ledger

    def attributes(self, cycle_id: str) -> tuple[str, ...]:
        """Return the names of a cycle's declared attributes, in order."""
        declared = self._record.declared(cycle_id)
        return tuple(sorted({name for values in declared.values() for name in values}))

    def report(
        self, cycle_id: str, *, crossed: Collection[str] = (), whole: bool = False
    ) -> Report:
        """Build the report of a cycle.

        Args:
            cycle_id: The cycle.
            crossed: Attributes whose pairs get tables as well (Local Law 144 requires sex and
                race).
            whole: Whether small groups are told by name and in numbers, as that law wants it;
                else they are merged.

        Raises:
            InvalidInputError: If no attribute, or no crossed one, was declared.
        """
        known = self.attributes(cycle_id)
        if not known:
            name = self._ledger.cycle(cycle_id).name
            raise InvalidInputError("monitoring_nothing_declared", name=name)
        for name in crossed:
            if name not in known:
                raise InvalidInputError(
                    "monitoring_attribute_unknown", name=name, attributes=known
                )
        people, reviewers = self._gathered(cycle_id)
        decided = any(person.accepted is not None for person in people)
        # Sorted, so that a pair has one name whichever of the two is asked for first.
        wanted = [(name,) for name in known] + list(combinations(sorted(set(crossed)), 2))
        asked = [a.created_at for a in self._ledger.assignments(cycle_id)]
        return Report(
            cycle_id=cycle_id,
            at=self._ledger.now(),
            first=min(asked, default=None),
            people=len(people),
            decided=decided,
            groupings=tuple(
                _grouping(people, Grouper(attributes=attributes, whole=whole), decided=decided)
                for attributes in wanted
            ),
            reviewers=reviewers,
        )

    def _gathered(self, cycle_id: str) -> tuple[list[ApplicantRow], tuple[ReviewerEffort, ...]]:
        # Lists that came before birth dates became bands at the import hold them as they are.
        bands = AgeBands(on=self._ledger.cycle(cycle_id).created_at.date())
        declared = {n: banded(v, bands) for n, v in self._record.declared(cycle_id).items()}
        asked = {a.id: a.created_at for a in self._ledger.assignments(cycle_id)}
        # Later revisions come later in the list, so the last one of an assignment remains.
        latest = {score.assignment_id: score for score in self._ledger.scores(cycle_id)}
        done: dict[int, list[int]] = defaultdict(list)
        waited: dict[int, list[float]] = defaultdict(list)
        busy: dict[int, list[float]] = defaultdict(list)
        for score in latest.values():
            if not score.counts:
                continue
            days = (score.submitted_at - asked[score.assignment_id]).total_seconds() / _DAY
            done[score.application].append(score.kind)
            waited[score.application].append(days)
            busy[score.reviewer].append(days)
        estimates = self._estimates(cycle_id)
        accepted = self._accepted(cycle_id)
        people = [
            ApplicantRow(
                groups=declared.get(a.number, {}),
                reviews=done[a.number].count(0),
                interviews=sum(kind > 0 for kind in done[a.number]),
                waited=waited[a.number],
                estimate=estimates.get(a.number),
                accepted=None if accepted is None else a.number in accepted,
            )
            for a in self._ledger.applications(cycle_id)
        ]
        return people, self._reviewers(cycle_id, busy)

    def _reviewers(
        self, cycle_id: str, busy: Mapping[int, Sequence[float]]
    ) -> tuple[ReviewerEffort, ...]:
        """Return what reviewers did, under the numbers that figures about them are told by."""
        terms, cycle = figure_terms(cycle_id, ledger=self._ledger), self._ledger.cycle(cycle_id)
        if not terms.told:
            return ()
        found = (
            ReviewerEffort(
                reviewer=number_in(cycle, terms, number),
                done=len(days) if terms.named else None,
                waited=median(days),
            )
            for number, days in busy.items()
        )
        return tuple(sorted(found, key=lambda one: one.reviewer))

    def _estimates(self, cycle_id: str) -> dict[int, float]:
        """Read the estimates of the last proposal; none before the first."""
        proposals = self._ledger.proposals(cycle_id)
        if not proposals:
            return {}
        _, places, _ = proposals[-1]
        # Without a score the estimate is only what was assumed of everybody at the start.
        return {p.application: p.estimate for p in places if p.raw_mean is not None}

    def _accepted(self, cycle_id: str) -> frozenset[int] | None:
        """Return the selected applications of the latest version; None before the first."""
        version = self._ledger.cycle(cycle_id).cohort_version
        if not version:
            return None
        last = {o.application: o.verdict for o in self._ledger.outcomes(cycle_id, version)}
        return frozenset(a for a, verdict in last.items() if verdict is Verdict.SELECTED)


def _grouping(people: Sequence[ApplicantRow], grouper: Grouper, *, decided: bool) -> Grouping:
    return Grouping(
        attributes=grouper.attributes,
        stages=funnel(people, grouper),
        selection=selection_table(people, grouper) if decided else None,
        scoring=scoring_table(people, grouper),
        effort=effort(people, grouper),
    )
