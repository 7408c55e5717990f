"""Assignment of reviewers to the pulls that a decision wants."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from swapflow.engine.projection.cycle_projection import CycleProjection
from swapflow.engine.projection.pull_events import PullKey
from swapflow.engine.selection.assign import (
    NoReviewer,
    Seat,
    place,
    seats_of,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedPull:
    """A pull to open: its key, its priority in billionths, and the reviewers of its seats."""

    key: PullKey
    priority: int
    reviewers: tuple[int, ...]


def staffed(
    wanted: Sequence[PullKey],
    priorities: Sequence[int],
    projection: CycleProjection,
    *,
    new: bool = False,
) -> tuple[tuple[PlannedPull, ...], dict[Seat, NoReviewer]]:
    """Assign reviewers to the wanted pulls; a pull opens when all its seats are filled.

    Pulls of a kind that a person must approve open without reviewers, who are assigned after the
    approval. With `new` only reviewers who were never asked about an application count.
    """
    kinds = projection.rules.kinds
    placement = place(
        seats_of([key for key in wanted if not kinds[key[1]].approval], projection),
        projection,
        new=new,
    )
    pulls = []
    for key, priority in zip(wanted, priorities, strict=False):
        application, kind, ordinal = key
        reviewers = [
            placement.taken.get(
                Seat(application=application, kind=kind, ordinal=ordinal, seat=number)
            )
            for number in range(1, kinds[kind].seats + 1)
        ]
        if kinds[kind].approval:
            pulls.append(PlannedPull(key=key, priority=priority, reviewers=()))
        # A panel opens whole or not at all:
        # a lone reviewer would wait for a quorum that cannot come.
        elif None not in reviewers:
            given = tuple(r for r in reviewers if r is not None)
            pulls.append(PlannedPull(key=key, priority=priority, reviewers=given))
    return _gapless(pulls, projection), placement.left


def _gapless(pulls: Sequence[PlannedPull], projection: CycleProjection) -> tuple[PlannedPull, ...]:
    """Renumber ordinals where an earlier pull of the same application could not be staffed."""
    seen: dict[tuple[int, int], int] = {}
    renumbered = []
    for pull in pulls:
        application, kind, _ = pull.key
        pair = (application, kind)
        seen[pair] = seen.get(pair, projection.next_ordinal(application, kind) - 1) + 1
        renumbered.append(replace(pull, key=(application, kind, seen[pair])))
    return tuple(renumbered)
