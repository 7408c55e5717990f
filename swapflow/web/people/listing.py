"""Which applicants a page of the table shows: what was asked for in its address, and the rows."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Annotated
from urllib.parse import urlencode

import numpy as np
from fastapi import Depends, Query
from numpy.typing import NDArray

from swapflow.engine.read_models.people.applicant_table import STANDINGS, ApplicantTable
from swapflow.i18n.languages import gettext_noop


Word = Annotated[str, Query(max_length=100)]

PAGE = 50
"""Applicants on a page."""

CLOSE, WAITING, UNDATED, APART = "close", "waiting", "undated", "apart"

VIEWS: Mapping[str, str] = {
    "": gettext_noop("All"),
    CLOSE: gettext_noop("Too close to call"),
    WAITING: gettext_noop("Waiting for a review"),
    UNDATED: gettext_noop("No interview date"),
    APART: gettext_noop("Reviewers disagree"),
}
"""The views above the table, and their names."""

SORTS: Mapping[str, Callable[[ApplicantTable], NDArray[np.int64]]] = {
    # Without a rank: last.
    gettext_noop("rank"): lambda table: np.argsort(_last_where(table.rank == 0, table.rank)),
    gettext_noop("name"): lambda table: table.by_name,
    gettext_noop("score"): lambda table: _highest_first(table.estimate),
    gettext_noop("margin"): lambda table: _highest_first(table.margin),
    gettext_noop("reviews"): lambda table: _highest_first(table.received.sum(axis=1)),
    gettext_noop("state"): lambda table: np.argsort(table.status, kind="stable"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplicantListing:
    """What the address of the table asks for.

    Attributes:
        q: Words that name or id hold.
        state: Status of the application, "" for any.
        standing: One of `STANDINGS`, "" for any.
        view: One of `VIEWS`.
        sort: One of `SORTS`.
        page: From 1.
    """

    q: str = ""
    state: str = ""
    standing: str = ""
    view: str = ""
    sort: str = "rank"
    page: int = 1

    def address(self, **change: object) -> str:
        """Return the query of the same listing with something changed; the first page of it."""
        told = self._told({"page": 1} | change)
        return "?" + urlencode(told) if told else "?"

    @property
    def filters(self) -> dict[str, object]:
        """What a search for other words keeps: the view, the filters and the order."""
        return self._told({"page": 1, "q": ""})

    def _told(self, change: Mapping[str, object]) -> dict[str, object]:
        """Return what an address has to say, with something changed."""
        first = ApplicantListing()
        asked = {one.name: getattr(self, one.name) for one in fields(self)} | dict(change)
        return {name: text for name, text in asked.items() if text != getattr(first, name)}

    def rows(self, table: ApplicantTable) -> NDArray[np.int64]:
        """Return the rows of the table that it asks for, in order, on all pages."""
        kept = table.found(self.q)
        if self.state:
            kept &= table.status == self.state
        if self.standing:
            kept &= _has_standing(table, self.standing)
        if self.view in VIEWS and self.view:
            kept &= _of_view(table, self.view)
        order = SORTS.get(self.sort, SORTS["rank"])(table)
        found: NDArray[np.int64] = order[kept[order]]
        return found


def listing_of(
    q: Word = "",
    state: Word = "",
    standing: Word = "",
    view: Word = "",
    sort: Word = "rank",
    page: Annotated[int, Query(ge=1, le=100_000)] = 1,
) -> ApplicantListing:
    """Read what the address asks for."""
    return ApplicantListing(q=q, state=state, standing=standing, view=view, sort=sort, page=page)


Listed = Annotated[ApplicantListing, Depends(listing_of)]


def counts(table: ApplicantTable) -> dict[str, int]:
    """Count the applicants of each view."""
    return {view: int(_of_view(table, view).sum()) if view else table.size for view in VIEWS}


def _of_view(table: ApplicantTable, view: str) -> NDArray[np.bool_]:
    match view:
        case "close":
            return _has_standing(table, "too close")
        case "waiting":
            return np.asarray(table.asked.any(axis=1), dtype=np.bool_)
        case "undated":
            return table.undated
        case _:
            return table.apart


def _has_standing(table: ApplicantTable, standing: str) -> NDArray[np.bool_]:
    wanted = STANDINGS.index(standing) if standing in STANDINGS else -1
    found: NDArray[np.bool_] = table.standing == wanted
    return found


def _last_where(none: NDArray[np.bool_], values: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.where(none, np.iinfo(np.int64).max, values)


def _highest_first(values: NDArray[np.float64] | NDArray[np.int64]) -> NDArray[np.int64]:
    """Order by a column, highest first; what has no value comes last, ties by number."""
    return np.argsort(-np.nan_to_num(values.astype(np.float64), nan=-1.0), kind="stable")
