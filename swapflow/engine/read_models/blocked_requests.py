"""Requests that cannot be sent: vacant seats, and floors that no reviewer can fill."""

from dataclasses import dataclass

from swapflow.domain.cycle import CycleStatus
from swapflow.engine.projection.cycle_projection import CycleProjection
from swapflow.engine.selection.assign import NoReviewer, Seat, obstacle
from swapflow.engine.selection.situation import CycleSituation, candidates, eligible_counts


ASKING = frozenset({CycleStatus.RUNNING, CycleStatus.PAUSED, CycleStatus.PROPOSED})


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockedRequest:
    """One request that cannot be sent.

    Attributes:
        application: Whom it is about, by number.
        kind: Index of the kind in the rules.
        obstacle: Why, with the remedy.
    """

    application: int
    kind: int
    obstacle: NoReviewer


def blocked(projection: CycleProjection, situation: CycleSituation) -> tuple[BlockedRequest, ...]:
    """List blocked requests; none before the launch, and none once asking has ended."""
    if projection.status not in ASKING:
        return ()
    found = []
    for (application, kind, ordinal), number in projection.vacancies():
        seat = Seat(application=application, kind=kind, ordinal=ordinal, seat=number)
        found.append(
            BlockedRequest(application=application, kind=kind, obstacle=obstacle(seat, projection))
        )
    numbers = candidates(projection)
    for kind, rules in enumerate(projection.rules.kinds):
        lacking = situation.floors_missing[:, kind] > 0
        nobody = lacking & (eligible_counts(projection, numbers, kind) < rules.seats)
        given_up = {
            a for a, k in projection.unasked if k == kind and projection.statuses[a].is_candidate
        }
        for application in sorted(given_up | set(numbers[nobody].tolist())):
            seat = Seat(application=application, kind=kind, ordinal=1)
            found.append(
                BlockedRequest(
                    application=application, kind=kind, obstacle=obstacle(seat, projection)
                )
            )
    return tuple(found)
