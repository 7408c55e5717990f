"""The tables of a monitoring report: stages, scoring rates, effort, with small cells hidden."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import mean, median

from swapflow.monitoring.adverse_impact import SMALLEST_SHARE, Impact, SelectionTally, impacts
from swapflow.monitoring.applicant_rows import UNKNOWN, ApplicantRow


SMALL = 5
"""Persons below which a group's numbers could disclose one of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StageTable:
    """Who passed one stage, by group.

    Attributes:
        stage: Its two ends, e.g. "reviewed → interviewed".
        rows: One per group, the largest first; empty when nothing was declared.
        unknown: Persons of unknown group.
    """

    stage: str
    rows: tuple[Impact, ...]
    unknown: SelectionTally


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupEffort:
    """Reviews and interviews of a group; shown, since an adaptive rule spends unevenly.

    Attributes:
        group: The group, "" for unknown.
        people: Its size.
        reviews: Mean number of finished reviews a person.
        interviews: Mean number of interviews a person.
        interviewed: Share with at least one interview.
        waited: Median days from request to answer; NaN when nothing was answered.
    """

    group: str
    people: int
    reviews: float
    interviews: float
    interviewed: float
    waited: float


Stage = tuple[str, Callable[[ApplicantRow], bool], Callable[[ApplicantRow], bool]]

STAGES: tuple[Stage, ...] = (
    ("imported → reviewed", lambda _: True, lambda p: p.reviews + p.interviews > 0),
    ("reviewed → interviewed", lambda p: p.reviews + p.interviews > 0, lambda p: p.interviews > 0),
    ("interviewed → accepted", lambda p: p.interviews > 0, lambda p: p.accepted is True),
    ("imported → accepted", lambda _: True, lambda p: p.accepted is True),
)
"""The stages, and the bottom line. Acceptance without an interview counts in the last only."""


def funnel(
    people: Sequence[ApplicantRow], *attributes: str, smallest_share: float = SMALLEST_SHARE
) -> tuple[StageTable, ...]:
    """Count who passed each stage, by the groups over one attribute or several.

    Before a decision the stages that end in acceptance are left out.
    """
    decided = any(person.accepted is not None for person in people)
    return tuple(
        _stage(name, [p for p in people if enters(p)], goes_on, attributes, smallest_share)
        for name, enters, goes_on in STAGES
        if decided or "accepted" not in name
    )


def selection_table(people: Sequence[ApplicantRow], *attributes: str) -> StageTable:
    """Return selection rates by New York City's Local Law 144: 6 RCNY 5-301(b)."""
    return _stage(
        "selection rate", people, lambda p: p.accepted is True, attributes, SMALLEST_SHARE
    )


def scoring_table(people: Sequence[ApplicantRow], *attributes: str) -> StageTable:
    """Return scoring rates: the share of a group above the median of all: 6 RCNY 5-301(c).

    Applicants without an estimate are left out, since there is no score to compare.
    """
    scored = [person for person in people if person.estimate is not None]
    middle = median([p.estimate for p in scored if p.estimate is not None]) if scored else math.nan

    def above(person: ApplicantRow) -> bool:
        return person.estimate is not None and person.estimate > middle

    return _stage("scoring rate", scored, above, attributes, SMALLEST_SHARE)


def effort(people: Sequence[ApplicantRow], *attributes: str) -> tuple[GroupEffort, ...]:
    """Return reviews and interviews of each group, the largest first, unknown last."""
    groups = _grouped(people, attributes)
    return tuple(
        GroupEffort(
            group=name,
            people=len(members),
            reviews=mean(p.reviews for p in members),
            interviews=mean(p.interviews for p in members),
            interviewed=mean(p.interviews > 0 for p in members),
            waited=_median(day for p in members for day in p.waited),
        )
        for name, members in groups.items()
    )


def closed_cells(sizes: Sequence[int], *, small: int = SMALL) -> frozenset[int]:
    """Return the groups to be hidden: those below `small`, and one more if only one is.

    Args:
        sizes: Persons of each group, the total of which is known to the reader.
        small: Persons from which a group is shown.

    Returns:
        Indices into `sizes`. A single hidden group could be computed from the total, so the
        smallest shown one is hidden too.
    """
    closed = {index for index, size in enumerate(sizes) if 0 < size < small}
    if len(closed) == 1 and len(sizes) > 1:
        rest = [index for index in range(len(sizes)) if index not in closed and sizes[index]]
        if rest:
            closed.add(min(rest, key=lambda index: sizes[index]))
    return frozenset(closed)


def _stage(
    name: str,
    people: Sequence[ApplicantRow],
    goes_on: Callable[[ApplicantRow], bool],
    attributes: Sequence[str],
    smallest_share: float,
) -> StageTable:
    groups = _grouped(people, attributes)
    tallies = {
        group: SelectionTally(all=len(members), selected=sum(map(goes_on, members)))
        for group, members in groups.items()
    }
    unknown = tallies.pop(UNKNOWN, SelectionTally(all=0, selected=0))
    return StageTable(
        stage=name, rows=impacts(tallies, smallest_share=smallest_share), unknown=unknown
    )


def _grouped(
    people: Iterable[ApplicantRow], attributes: Sequence[str]
) -> dict[str, list[ApplicantRow]]:
    """Group people, the largest group first, equal ones by name, unknown last."""
    groups: dict[str, list[ApplicantRow]] = defaultdict(list)
    for person in people:
        groups[person.group(*attributes)].append(person)
    order = sorted(groups, key=lambda name: (name == UNKNOWN, -len(groups[name]), name))
    return {name: groups[name] for name in order}


def _median(values: Iterable[float]) -> float:
    found = list(values)
    return median(found) if found else math.nan
