"""The tables of a monitoring report: stages, scoring rates, effort; small groups are merged."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import mean, median

from swapflow.monitoring.adverse_impact import SMALLEST_SHARE, Impact, SelectionTally, impacts
from swapflow.monitoring.applicant_rows import ApplicantRow
from swapflow.monitoring.small_groups import UNKNOWN_GROUP, merged


OTHERS = ""
"""The group of all who are merged; no declared value is blank."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StageTable:
    """Who passed one stage, by group.

    Attributes:
        stage: Its two ends, e.g. "reviewed → interviewed".
        rows: One per group, the largest first, merged ones last as `OTHERS`; empty when nothing
            was declared, and when too few are in any two groups to be compared.
        unknown: Persons of unknown group; None where they are too few, and merged with others.
        closed: Whether there are rows that would be too small to be shown.
    """

    stage: str
    rows: tuple[Impact, ...]
    unknown: SelectionTally | None
    closed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupEffort:
    """Reviews and interviews of a group; shown, since an adaptive rule spends unevenly.

    Attributes:
        group: The group, `OTHERS` for those merged, None for unknown.
        people: Its size.
        reviews: Mean number of finished reviews a person.
        interviews: Mean number of interviews a person.
        interviewed: Share with at least one interview.
        waited: Median days from request to answer; NaN when nothing was answered.
    """

    group: str | None
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Grouper:
    """Puts people into the groups over one attribute or several.

    Attributes:
        attributes: Their names.
        whole: Whether small groups stay as they are, as one law wants them.
    """

    attributes: tuple[str, ...]
    whole: bool = False

    def groups(self, people: Iterable[ApplicantRow]) -> dict[tuple[str, ...], list[ApplicantRow]]:
        """Group people, the largest group first, equal ones by name, unknown last."""
        found: dict[tuple[str, ...], list[ApplicantRow]] = defaultdict(list)
        for person in people:
            found[person.values(*self.attributes)].append(person)
        order = sorted(found, key=lambda key: (key == UNKNOWN_GROUP, -len(found[key]), key))
        return {key: found[key] for key in order}

    def shown(self, people: Sequence[ApplicantRow]) -> dict[str | None, list[ApplicantRow]]:
        """Group people as they are shown: small groups merged as `OTHERS`; unknown is None.

        Empty when too few are in any two groups to be compared.
        """
        groups = self.groups(people)
        if self.whole:
            return {_name(key): members for key, members in groups.items()}
        hidden = merged({key: len(members) for key, members in groups.items()})
        if len(hidden) == len(groups):
            return {}
        found: dict[str | None, list[ApplicantRow]] = {
            _name(key): members for key, members in groups.items() if key not in hidden
        }
        unknown = found.pop(None, None)
        if hidden:
            # In the order of the rows that came in: what is merged is in no order of groups.
            inside = {id(person) for key in hidden for person in groups[key]}
            found[OTHERS] = [person for person in people if id(person) in inside]
        return found if unknown is None else {**found, None: unknown}


def _name(key: tuple[str, ...]) -> str | None:
    return None if key == UNKNOWN_GROUP else " × ".join(key)


def funnel(
    people: Sequence[ApplicantRow], grouper: Grouper, *, smallest_share: float = SMALLEST_SHARE
) -> tuple[StageTable, ...]:
    """Count who passed each stage, by group.

    Before a decision the stages that end in acceptance are left out.
    """
    decided = any(person.accepted is not None for person in people)
    return tuple(
        _stage(name, [p for p in people if enters(p)], goes_on, grouper, smallest_share)
        for name, enters, goes_on in STAGES
        if decided or "accepted" not in name
    )


def selection_table(people: Sequence[ApplicantRow], grouper: Grouper) -> StageTable:
    """Return selection rates by New York City's Local Law 144: 6 RCNY 5-301(b)."""
    return _stage("selection rate", people, lambda p: p.accepted is True, grouper, SMALLEST_SHARE)


def scoring_table(people: Sequence[ApplicantRow], grouper: Grouper) -> StageTable:
    """Return scoring rates: the share of a group above the median of all: 6 RCNY 5-301(c).

    Applicants without an estimate are left out, since there is no score to compare.
    """
    scored = [person for person in people if person.estimate is not None]
    middle = median([p.estimate for p in scored if p.estimate is not None]) if scored else math.nan

    def above(person: ApplicantRow) -> bool:
        return person.estimate is not None and person.estimate > middle

    return _stage("scoring rate", scored, above, grouper, SMALLEST_SHARE)


def effort(people: Sequence[ApplicantRow], grouper: Grouper) -> tuple[GroupEffort, ...]:
    """Return reviews and interviews of each group, the largest first, unknown last."""
    return tuple(
        GroupEffort(
            group=name,
            people=len(members),
            reviews=mean(p.reviews for p in members),
            interviews=mean(p.interviews for p in members),
            interviewed=mean(p.interviews > 0 for p in members),
            waited=_median(day for p in members for day in p.waited),
        )
        for name, members in grouper.shown(people).items()
    )


def _stage(
    name: str,
    people: Sequence[ApplicantRow],
    goes_on: Callable[[ApplicantRow], bool],
    grouper: Grouper,
    smallest_share: float,
) -> StageTable:
    groups = grouper.shown(people)
    tallies = {group: _tally(members, goes_on) for group, members in groups.items()}
    unknown = tallies.pop(None, None)
    if unknown is None and (grouper.whole or not _merges_unknown(people, grouper)):
        unknown = SelectionTally(all=0, selected=0)
    named = {group: tally for group, tally in tallies.items() if group is not None}
    return StageTable(
        stage=name,
        rows=impacts(named, smallest_share=smallest_share),
        unknown=unknown,
        closed=bool(people) and not named,
    )


def _merges_unknown(people: Iterable[ApplicantRow], grouper: Grouper) -> bool:
    return any(person.values(*grouper.attributes) == UNKNOWN_GROUP for person in people)


def _tally(
    members: Sequence[ApplicantRow], goes_on: Callable[[ApplicantRow], bool]
) -> SelectionTally:
    return SelectionTally(all=len(members), selected=sum(map(goes_on, members)))


def _median(values: Iterable[float]) -> float:
    found = list(values)
    return median(found) if found else math.nan
