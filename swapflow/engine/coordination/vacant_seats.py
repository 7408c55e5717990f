"""Vacant seats of open pulls: another reviewer, or the end of the pull."""

from swapflow.domain.cycle import ASKING
from swapflow.domain.ids import pull_id
from swapflow.domain.reviewing.assignment import PullStatus
from swapflow.engine.coordination.workspace import CycleWorkspace
from swapflow.engine.ports.cycles import CycleReads
from swapflow.engine.ports.records import Lease
from swapflow.engine.projection.cycle_projection import CycleProjection
from swapflow.engine.projection.pull_events import NOBODY_LEFT, PullKey
from swapflow.engine.selection.assign import NoReviewer, Seat, place
from swapflow.engine.selection.pulls import assign_seats, cancel_pulls, harmless_for


def fill_vacant_seats(
    workspace: CycleWorkspace, *, ledger: CycleReads, lease: Lease
) -> int | None:
    """Assign vacant seats of open pulls to other reviewers; cancel pulls that nobody can take.

    Returns:
        How many seats were assigned and pulls cancelled; None when there was nothing to write.
    """
    projection = workspace.projection
    vacant = projection.vacancies()
    if not vacant:
        return None
    attempts: dict[Seat, int] = {}
    for (application, kind, ordinal), number in vacant:
        seat = Seat(application=application, kind=kind, ordinal=ordinal, seat=number)
        attempts[seat] = projection.open[application, kind, ordinal].attempts(number)
    tired = {s: NoReviewer.CONFLICTS for s in attempts if attempts[s] >= projection.rules.attempts}
    placement = place([seat for seat in attempts if seat not in tired], projection)
    workspace.blocked = placement.left | tired
    hopeless = _out_of_reach(workspace.blocked, projection)
    if not placement.taken and not hopeless:
        return None
    return _write(
        placement.taken, attempts, hopeless, projection=projection, ledger=ledger, lease=lease
    )


def _write(
    taken: dict[Seat, int],
    attempts: dict[Seat, int],
    hopeless: set[PullKey],
    *,
    projection: CycleProjection,
    ledger: CycleReads,
    lease: Lease,
) -> int:
    """Commit the reviewers of vacant seats and the pulls given up; return how many of both."""

    def named(key: PullKey) -> str:
        application, kind, ordinal = key
        return pull_id(lease.cycle_id, application, projection.rules.kinds[kind].name, ordinal)

    with ledger.write(lease.cycle_id, epoch=lease.epoch) as tx:
        # A pause or a stop since the last turn: no reviewer is asked now.
        if tx.cycle.status not in ASKING:
            return 1
        harmless = harmless_for(
            projection, ((seat.application, reviewer) for seat, reviewer in taken.items())
        )
        if not tx.event_types_after(projection.position.seq) <= harmless:
            return 1  # conflicts, panels or open pulls have changed: read them first
        # A score may just have closed one of these.
        pulls = tx.pulls({named(_pull(seat)) for seat in taken} | set(map(named, hopeless)))
        live = {(a.pull_id, a.seat) for a in tx.assignments_of(list(pulls)) if a.status.is_open}
        still = {
            seat: reviewer
            for seat, reviewer in taken.items()
            if pulls[named(_pull(seat))].status is PullStatus.OPEN
            and (named(_pull(seat)), seat.seat) not in live
            and _pull(seat) not in hopeless
        }
        assign_seats(tx, still, projection.rules, attempts=attempts)
        given_up = [pulls[named(key)] for key in sorted(hopeless)]
        return len(still) + cancel_pulls(tx, given_up, why=NOBODY_LEFT)


def _pull(seat: Seat) -> PullKey:
    return seat.application, seat.kind, seat.ordinal


def _out_of_reach(blocked: dict[Seat, NoReviewer], projection: CycleProjection) -> set[PullKey]:
    """Return the pulls that cannot reach their quorum any more."""
    lost: dict[PullKey, int] = {}
    for seat, reason in blocked.items():
        if not reason.passes:
            lost[_pull(seat)] = lost.get(_pull(seat), 0) + 1
    return {
        key
        for key, count in lost.items()
        if projection.open[key].seats - count < projection.rules.kinds[key[1]].quorum
    }
