"""The table of a program's applicants as columns: built once for an event, then only cut to pages.

A page of twenty thousand applicants costs what a page of sixty costs: filters and orders are
operations on arrays, and words are made for the rows that are shown.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from swapflow.domain.cycle import Position
from swapflow.domain.people.plain_words import forms_searched, search_among
from swapflow.domain.reviewing.interview_kinds import interview_kinds
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.records import ApplicantName
from swapflow.engine.read_models.dashboard import Dashboard
from swapflow.engine.read_models.latest_cache import LatestCache
from swapflow.engine.read_models.people.cut import cut_estimate


Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
Seen = tuple[Position, bool, str, frozenset[int]]

FAR_APART = 0.4
"""Distance of two counted scores of one applicant from which reviewers are said to disagree."""

NO_STANDING, IN, CLOSE, OUT = "", "in", "too close", "out"
STANDINGS = (NO_STANDING, IN, CLOSE, OUT)
"""What an applicant is now, by the number in the column."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedRow:
    """One applicant in the table.

    Attributes:
        rank: From 1; None without a score.
        estimate: In [0, 1]; None without a score.
        margin: Of the estimate, 1.0 at most: 100 points is all that a page can show.
        likely: Probability, by the model, of being among the best; None where it is not known.
        standing: One of `STANDINGS`.
        received: Reviews that came, by kind.
        asked: Reviews that are asked for, by kind.
    """

    who: ApplicantName
    rank: int | None
    estimate: float | None
    margin: float | None
    likely: float | None
    standing: str
    received: tuple[int, ...]
    asked: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)  # without slots: the lazy columns are stored in it
class ApplicantTable:
    """All applicants of a program at one event; rows are in the order of their numbers.

    Attributes:
        position: The event that all of it includes.
        seen: The event of the dashboard that it was built from, whether that knew the quality of
            the list, the digest of the names, and who has an interview without a date.
        places: Places of the program.
        last_in: The last rank within the places; 0 where all fit, or none has a score.
        cut: The estimate at which places end, in [0, 1]; None without a list, and where all fit.
        names: Who they are, as many as there are rows.
        rank: From 1; 0 without a score.
        estimate: In [0, 1]; NaN without a score.
        margin: Of the estimate; NaN without a score.
        likely: Probability of being among the best; NaN where it is not known.
        standing: Number in `STANDINGS`.
        received: Reviews that came, shape (rows, kinds).
        asked: Reviews that are asked for, shape (rows, kinds).
        undated: Whether an interview is asked for that has no date.
        apart: Whether two scores that count are `FAR_APART`.
    """

    position: Position
    seen: Seen
    places: int
    last_in: int
    cut: float | None
    names: tuple[ApplicantName, ...]
    rank: Integers
    estimate: Floats
    margin: Floats
    likely: Floats
    standing: Integers
    received: Integers
    asked: Integers
    undated: NDArray[np.bool_]
    apart: NDArray[np.bool_]
    _forms: dict[ApplicantName, tuple[str, ...]] = field(default_factory=dict, repr=False)

    @property
    def size(self) -> int:
        """How many applicants there are."""
        return len(self.names)

    @cached_property
    def status(self) -> NDArray[np.str_]:
        """The status of each applicant."""
        return np.array([one.status.value for one in self.names], dtype=np.str_)

    @cached_property
    def by_name(self) -> Integers:
        """The rows in the order of names, then ids."""
        keys = [(one.name.casefold(), one.external_id) for one in self.names]
        return np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64)

    @cached_property
    def _searched(self) -> list[tuple[str, ...]]:
        """The forms of each name and id in which words are looked for."""
        known = self._forms
        for one in self.names:
            if one not in known:
                known[one] = forms_searched(one.name, one.external_id)
        return [known[one] for one in self.names]

    def found(self, wanted: str) -> NDArray[np.bool_]:
        """Tell for each applicant whether name or id hold what is looked for, without accents."""
        if not wanted.strip():
            return np.ones(self.size, dtype=np.bool_)
        is_found = search_among(wanted)
        return np.fromiter(map(is_found, self._searched), dtype=np.bool_, count=self.size)

    def row(self, index: int) -> RankedRow:
        """Return one row in words and plain numbers."""
        known = bool(self.rank[index])
        likely = float(self.likely[index])
        return RankedRow(
            who=self.names[index],
            rank=int(self.rank[index]) or None,
            estimate=float(self.estimate[index]) if known else None,
            margin=min(float(self.margin[index]), 1.0) if known else None,
            likely=None if np.isnan(likely) else likely,
            standing=STANDINGS[int(self.standing[index])],
            received=tuple(self.received[index].tolist()),
            asked=tuple(self.asked[index].tolist()),
        )

    def row_of(self, number: int) -> RankedRow | None:
        """Return the row of an applicant by number; None if the table leaves them out."""
        at = next((i for i in self._places_near(number) if self.names[i].number == number), None)
        return None if at is None else self.row(at)

    def _places_near(self, number: int) -> Sequence[int]:
        """Return where a number can be: in its own place, unless the table leaves others out."""
        own = number < self.size and self.names[number].number == number
        return (number,) if own else range(self.size)

    def restricted(self, names: Collection[ApplicantName]) -> "ApplicantTable":
        """Return the table of some applicants, by other names where these are other."""
        place = {one.number: i for i, one in enumerate(self.names)}
        kept = [one for one in names if one.number in place]
        rows = np.array([place[one.number] for one in kept], dtype=np.int64)
        return replace(
            self,
            names=tuple(kept),
            rank=self.rank[rows],
            estimate=self.estimate[rows],
            margin=self.margin[rows],
            likely=self.likely[rows],
            standing=self.standing[rows],
            received=self.received[rows],
            asked=self.asked[rows],
            undated=self.undated[rows],
            apart=self.apart[rows],
            _forms={},
        )


def applicant_table(
    cycle_id: str, dashboard: Dashboard, *, ledger: Ledger, cache: LatestCache[ApplicantTable]
) -> ApplicantTable:
    """Return the table of a program at its last event; one that was built for it is used again.

    Args:
        cycle_id: The program.
        dashboard: Its dashboard; an older one than the last event shows older estimates.
        ledger: The ledger.
        cache: The tables built last.
    """
    cycle = ledger.cycle(cycle_id)
    digest = ledger.names_digest(cycle_id)
    kinds = ledger.rules(cycle_id).kinds
    # A date that is set or cancelled is no event, and shows at once all the same.
    undated = ledger.undated(cycle_id, interview_kinds(kinds, dated=ledger.dated_kinds(cycle_id)))
    seen = (dashboard.position, dashboard.quality is not None, digest, undated)
    known = cache.get(cycle_id)
    if known is not None and (known.position, known.seen) == (cycle.position, seen):
        return known
    same = known is not None and known.seen[2] == digest
    names = known.names if known is not None and same else ledger.named(cycle_id)
    table = _columns(names, dashboard, kinds=len(kinds), position=cycle.position, seen=seen)
    _add_requests(table, cycle_id, undated=undated, ledger=ledger)
    if known is not None:
        _keep_lazy(table, known)
    return cache.put(cycle_id, table)


def _keep_lazy(table: ApplicantTable, known: ApplicantTable) -> None:
    """Take over what was derived from the same names."""
    if table.names is known.names:
        for lazy in ("status", "by_name", "_searched"):
            if lazy in known.__dict__:
                table.__dict__[lazy] = known.__dict__[lazy]


def _columns(
    names: tuple[ApplicantName, ...],
    dashboard: Dashboard,
    *,
    kinds: int,
    position: Position,
    seen: Seen,
) -> ApplicantTable:
    """Spread the dashboard's rows, which are in the order of ranks, over the applicants."""
    size = len(names)
    place = np.full(max((one.number for one in names), default=-1) + 1, -1, dtype=np.int64)
    place[[one.number for one in names]] = np.arange(size)
    # One who came after the dashboard was built has no row there, and one may be missing here.
    there = dashboard.application < place.size
    at = place[dashboard.application[there]]
    rank, standing = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64)
    estimate, margin, likely = (np.full(size, np.nan) for _ in range(3))
    received = np.zeros((size, kinds), dtype=np.int64)
    received[at] = dashboard.received(kinds)[there]
    known = ~np.isnan(dashboard.estimate)
    scored = known[there]
    estimate[at], margin[at] = dashboard.estimate[there], dashboard.margin[there]
    # Who has no review yet has no rank, and takes none from those who follow.
    rank[at] = np.where(known, np.cumsum(known), 0)[there]
    stands = np.where(dashboard.too_close, 2, np.where(dashboard.in_list, 1, 3))[there]
    standing[at] = np.where(scored, stands, 0)
    if dashboard.quality is not None:
        likely[at] = np.where(scored, dashboard.quality.likely[there], np.nan)
    return ApplicantTable(
        position=position,
        seen=seen,
        places=dashboard.places,
        last_in=int(known[: dashboard.places].sum()) if dashboard.places < known.size else 0,
        cut=cut_estimate(
            dashboard.estimate,
            dashboard.in_list,
            None if dashboard.quality is None else dashboard.quality.likely,
        ),
        names=names,
        rank=rank,
        estimate=estimate,
        margin=margin,
        likely=likely,
        standing=standing,
        received=received,
        asked=np.zeros((size, kinds), dtype=np.int64),
        undated=np.zeros(size, dtype=np.bool_),
        apart=np.zeros(size, dtype=np.bool_),
    )


def _add_requests(
    table: ApplicantTable, cycle_id: str, *, undated: frozenset[int], ledger: Ledger
) -> None:
    """Fill in what is asked for, what has no date, and whose scores are far apart."""
    place = {one.number: i for i, one in enumerate(table.names)}
    for (application, kind), count in ledger.asked_for(cycle_id).items():
        # A kind may be appended between the two reads.
        if application in place and kind < table.asked.shape[1]:
            table.asked[place[application], kind] = count
    for column, numbers in (
        (table.undated, undated),
        (table.apart, ledger.far_apart(cycle_id, least=round(1e6 * FAR_APART))),
    ):
        column[[place[number] for number in numbers if number in place]] = True
