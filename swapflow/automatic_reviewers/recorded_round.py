"""Recorded reviews: a past round whose marks can be requested again, one at a time.

A folder holds `items.csv` (item_id, and `true_utility` where the truth is known), `scores.csv`
(item_id, order, score, and `reviewer_id` where reviewers are known) and, if there were interviews,
`interviews.csv` (item_id, score01). `score_20221105` beside `score` is a mark as first given: then
that is the review, and the mean of the final marks is the utility.
"""

import csv
from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Self

import numpy as np

from swapflow.bandit.ties import tie_key
from swapflow.domain.reviewing.mark_scale import MarkScale
from swapflow.errors import InvalidInputError, NotFoundError


UTILITY = MarkScale(worst=0.0, best=1.0)
"""What `score01` and `true_utility` are on."""

FIRST_GIVEN = "score_20221105"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedReview:
    """One recorded mark as a utility, with its reviewer ("" where unknown)."""

    utility: float
    final: float
    reviewer: str


@dataclass(frozen=True, kw_only=True)
class Recording:
    """A past round.

    Attributes:
        items: External ids, in the order of the file.
        groups: Attributes of each item by name (program, gender, area …).
        reviews: Each item's reviews, in the order in which they can be requested.
        interviews: Each item's interview, if it had one.
        utility: The measure of a cohort: the truth, or the mean of the final marks.
        accepted: Items that were actually chosen; empty where that is not on record.
        scale: The scale of the marks.
    """

    items: tuple[str, ...]
    groups: dict[str, dict[str, str]]
    reviews: dict[str, tuple[RecordedReview, ...]]
    interviews: dict[str, float]
    utility: dict[str, float]
    accepted: frozenset[str]
    scale: MarkScale

    @cached_property
    def reviewers(self) -> tuple[str, ...]:
        """The reviewers on record, sorted; empty where they are unknown."""
        return tuple(sorted({r.reviewer for rs in self.reviews.values() for r in rs} - {""}))

    @cached_property
    def most_reviews(self) -> int:
        """The most reviews that any item has."""
        return max(len(reviews) for reviews in self.reviews.values())

    def shuffled(self, seed: int) -> Self:
        """Reorder each item's reviews; the same seed gives the same order, item by item."""
        return replace(
            self,
            reviews={
                item: _shuffled(reviews, seed, item) for item, reviews in self.reviews.items()
            },
        )

    def only(self, attribute: str, value: str) -> Self:
        """Return the items of one group only."""
        items = tuple(i for i in self.items if self.groups[i].get(attribute) == value)
        if not items:
            known = Counter(groups.get(attribute, "") for groups in self.groups.values())
            raise InvalidInputError(
                "item_attribute_unknown", attribute=attribute, value=value, values=sorted(known)
            )
        return replace(self, items=items)

    def best_utility(self, size: int) -> float:
        """Return the utility of the best cohort of a size."""
        return sum(sorted((self.utility[item] for item in self.items), reverse=True)[:size])

    def utility_of(self, cohort: "tuple[str, ...] | frozenset[str]") -> float:
        """Return the utility of a cohort."""
        return sum(self.utility[item] for item in sorted(cohort))


def read_recording(folder: Path, *, scale: str = "") -> Recording:
    """Read a folder of recorded reviews.

    Items without a decision are left out where decisions are on record, and so are items without
    a single review.

    Args:
        folder: Where `items.csv` and `scores.csv` are.
        scale: Worst and best mark, such as "0..5", or "5..1" where 1 is best; "" reads it from
            the marks, if both ends of a usual scale occur.

    Raises:
        NotFoundError: If the folder or one of its files is missing.
        InvalidInputError: If a file lacks a column or holds something else than numbers, if the
            marks leave a doubt about their scale, or if one lies outside it.
    """
    if not folder.is_dir():
        raise NotFoundError("recorded_folder_missing", folder=folder)
    rows = _table(folder / "items.csv", {"item_id"})
    decided = {r["item_id"] for r in rows if r.get("accepted", "0") in {"0", "1"}}
    reviews, known_scale = _reviews(folder / "scores.csv", decided, scale)
    items = tuple(r["item_id"] for r in rows if r["item_id"] in reviews)
    known = set(items)
    truths = {
        r["item_id"]: _number(r["true_utility"], folder / "items.csv", line)
        for line, r in enumerate(rows, start=2)
        if r.get("true_utility")
    }
    final = {item: float(np.mean([r.final for r in reviews[item]])) for item in items}
    return Recording(
        items=items,
        groups={
            r["item_id"]: {k: v for k, v in r.items() if k not in {"item_id", "true_utility"}}
            for r in rows
            if r["item_id"] in known
        },
        reviews=reviews,
        interviews=_interviews(folder / "interviews.csv", known),
        utility={item: truths.get(item, final[item]) for item in items},
        accepted=frozenset(r["item_id"] for r in rows if r.get("accepted") == "1") & known,
        scale=known_scale,
    )


def _shuffled(
    reviews: tuple[RecordedReview, ...], seed: int, item: str
) -> tuple[RecordedReview, ...]:
    keyed = [(tie_key(seed, f"{item}/{place}"), review) for place, review in enumerate(reviews)]
    return tuple(review for _, review in sorted(keyed, key=lambda pair: pair[0]))


def _reviews(
    path: Path, items: set[str], scale: str
) -> tuple[dict[str, tuple[RecordedReview, ...]], MarkScale]:
    """Read the reviews of these items, and the scale of all marks of the file."""
    rows = []
    # The header is line 1; a cell with a line break would need a parser that counts lines.
    for line, row in enumerate(_table(path, {"item_id", "order", "score"}), start=2):
        final = _number(row["score"], path, line)
        first = _number(row[FIRST_GIVEN], path, line) if row.get(FIRST_GIVEN) else final
        rows.append((line, row, final, first))
    known = _scale(path, scale, [mark for _, _, *marks in rows for mark in marks])
    found: dict[str, list[tuple[int, RecordedReview]]] = {}
    for line, row, final, first in rows:
        for mark in (final, first):
            if not known.holds(mark):
                raise InvalidInputError(
                    "recorded_outside_scale", path=path, line=line, mark=mark, scale=known
                )
        if row["item_id"] not in items:
            continue
        review = RecordedReview(
            utility=known.utility(first),
            final=known.utility(final),
            reviewer=row.get("reviewer_id", ""),
        )
        number = int(_number(row["order"], path, line))
        found.setdefault(row["item_id"], []).append((number, review))
    reviews = {
        item: tuple(review for _, review in sorted(numbered, key=lambda pair: pair[0]))
        for item, numbered in found.items()
    }
    return reviews, known


def _scale(path: Path, scale: str, marks: list[float]) -> MarkScale:
    """Return the stated scale, or the one that the marks show."""
    if scale:
        return MarkScale.written(scale)
    read = MarkScale.of_marks(marks)
    if read is None:
        named: dict[str, object] = {"source": path, "header": "score"}
        if not marks:
            raise InvalidInputError("scale_not_stated", **named)
        raise InvalidInputError(
            "scale_not_stated_range", **named, least=min(marks), most=max(marks)
        )
    return read


def _interviews(path: Path, items: set[str]) -> dict[str, float]:
    if not path.exists():
        return {}
    found = {}
    for line, row in enumerate(_table(path, {"item_id", "score01"}), start=2):
        mark = _number(row["score01"], path, line)
        if not UTILITY.holds(mark):
            raise InvalidInputError("recorded_interview_outside", path=path, line=line, mark=mark)
        if row["item_id"] in items:
            found[row["item_id"]] = mark
    return found


def _table(path: Path, columns: set[str]) -> list[dict[str, str]]:
    if not path.exists():
        raise NotFoundError("path_missing", path=path)
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.DictReader(file)
            missing = columns - set(reader.fieldnames or ())
            if missing:
                raise InvalidInputError("recorded_column_missing", path=path, column=min(missing))
            return list(reader)
    except (csv.Error, UnicodeDecodeError) as error:
        raise InvalidInputError("recorded_unreadable", path=path, problem=error) from error


def _number(text: str | None, path: Path, line: int) -> float:
    try:
        return float(text or "")
    except ValueError:
        raise InvalidInputError(
            "recorded_not_a_number", path=path, line=line, text=text or ""
        ) from None
