"""The progress of a cycle, for staff to read at any time; nothing here writes."""

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from swapflow.domain.cohort.quality_words import QualityFigures
from swapflow.domain.cycle import CycleStatus
from swapflow.domain.reviewing.assignment import AssignmentStatus, PullStatus
from swapflow.domain.rules import RuleName
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.live_state import CycleState
from swapflow.engine.ports.overview import OverviewReads
from swapflow.engine.read_models.blocked_requests import blocked
from swapflow.engine.read_models.dashboard import Dashboard, build_dashboard
from swapflow.engine.read_models.dashboard_codec import decode_dashboard
from swapflow.engine.read_models.latest_cache import LatestCache
from swapflow.engine.read_models.list_quality import ListQualities
from swapflow.engine.read_models.proposal import stop_sentence_now
from swapflow.engine.read_models.snapshot import Snapshot, SnapshotCache
from swapflow.engine.selection.list_quality import quality_figures
from swapflow.engine.selection.rule import last_fit
from swapflow.engine.selection.situation import candidates
from swapflow.errors import InvalidInputError, UnavailableError


@dataclass(frozen=True, slots=True, kw_only=True)
class KindProgress:
    """The progress of one kind of review."""

    name: str
    cost: int
    done: int
    out: int
    proposed: int
    overdue: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """A cycle at a glance.

    Attributes:
        rule: The rule that makes the list.
        figures: How good the list is by the model; None before the first score and while
            `calculating`.
        too_close: Applications still too close to call; None while `calculating`.
        certified_loss: The most the list could still gain under the stated assumptions.
        calculating: Whether there is a list whose quality is not known so far.
        floors_missing: Floor reviews not yet asked for.
        blocked: Blocked requests: external id, kind, reason with remedy.
        wishes: Open staff requests.
    """

    cycle_id: str
    name: str
    status: str
    stop_reason: str
    stop_sentence: str
    events: int
    decisions: int
    candidates: int
    places: int
    rule: RuleName
    figures: QualityFigures | None
    too_close: int | None
    certified_loss: float | None
    calculating: bool
    unit: str
    budget: int
    spent: int
    committed: int
    reserved: int
    kinds: tuple[KindProgress, ...]
    floors_missing: int
    blocked: tuple[tuple[str, str, str], ...]
    wishes: int


def progress(
    cycle_id: str,
    *,
    ledger: Ledger,
    snapshots: SnapshotCache | None = None,
    qualities: ListQualities | None = None,
    seconds: float | None = None,
) -> Progress:
    """Return the progress of a cycle.

    Args:
        cycle_id: The cycle.
        ledger: The ledger.
        snapshots: As for `propose`.
        qualities: The qualities of lists that this process has computed.
        seconds: How long to wait for the quality of the list; None as long as it takes.
    """
    snapshots = snapshots or SnapshotCache()
    with snapshots.at_head(cycle_id, ledger=ledger) as seen:
        found = _progress(cycle_id, seen, ledger=ledger)
    if found.certified_loss is None:
        return found
    judged = (qualities or ListQualities()).latest(
        cycle_id, ledger=ledger, snapshots=snapshots, seconds=seconds
    )
    if judged is None:
        return replace(found, too_close=None, calculating=True)
    return replace(
        found,
        too_close=int(np.count_nonzero(judged.too_close)),
        figures=quality_figures(
            judged.quality, ledger.rules(cycle_id), places=judged.members.size
        ),
    )


def dashboard_from_ledger(
    cycle_id: str, *, ledger: Ledger, snapshots: SnapshotCache | None = None
) -> Dashboard:
    """Build a cycle's dashboard from the ledger alone, when the live state has none."""
    with (snapshots or SnapshotCache()).at_head(cycle_id, ledger=ledger) as seen:
        fitted = last_fit(ledger, cycle_id)
        return build_dashboard(seen.projection, seen.arms, fitted=fitted, at=ledger.now())


def current_dashboard(
    cycle_id: str,
    *,
    ledger: Ledger,
    state: CycleState,
    snapshots: SnapshotCache,
    cache: LatestCache[Dashboard],
) -> tuple[Dashboard, bool]:
    """Read the dashboard, and whether the live state had it; else build it from the ledger.

    Args:
        cycle_id: The cycle.
        ledger: The ledger.
        state: The live state, where a coordinator publishes dashboards.
        snapshots: As for `progress`.
        cache: The dashboards that were built from the ledger.
    """
    try:
        packed = state.dashboard(cycle_id)
        if packed is not None:
            dashboard = decode_dashboard(packed)
            # A dashboard ahead of the ledger shows that the ledger was restored from a copy.
            if dashboard.position.seq <= ledger.cycle(cycle_id).position.seq:
                return dashboard, True
    except (UnavailableError, InvalidInputError):
        pass
    # Built again only after an event: many people may look at a program without a dashboard.
    known, head = cache.get(cycle_id), ledger.cycle(cycle_id).position
    if known is None or known.position != head:
        made = dashboard_from_ledger(cycle_id, ledger=ledger, snapshots=snapshots)
        known = cache.put(cycle_id, made)
    return known, False


def _progress(cycle_id: str, seen: Snapshot, *, ledger: Ledger) -> Progress:
    cycle, projection = seen.cycle, seen.projection
    assessment = _belief(seen, ledger=ledger)
    counts = ledger.counts(cycle_id)
    unit = next(r.unit for r in ledger.rounds() if r.id == cycle.round_id)
    closed = projection.closed().sum(axis=0)
    now = ledger.now()
    live = {AssignmentStatus.QUEUED, AssignmentStatus.DELIVERED, AssignmentStatus.OPENED}
    late = Counter(
        a.kind
        for a in ledger.assignments(cycle_id, statuses=live)
        if a.due_at is not None and a.due_at < now
    )
    proposed = Counter(key[1] for key, pull in projection.open.items() if not pull.approved)
    return Progress(
        cycle_id=cycle_id,
        name=cycle.name,
        status=cycle.status.value,
        stop_reason=cycle.stop_reason or "",
        stop_sentence=stop_sentence_now(
            projection.rules,
            cycle,
            owes=assessment[2] > 0
            and projection.rules.budget - cycle.spent - cycle.committed < assessment[1],
        ),
        events=cycle.position.seq,
        decisions=cycle.decisions,
        candidates=int(candidates(projection).size),
        places=projection.rules.cohort_size,
        rule=projection.rules.rule,
        too_close=0,
        certified_loss=assessment[0],
        figures=None,
        calculating=False,
        unit=unit,
        budget=projection.rules.budget,
        spent=cycle.spent,
        committed=cycle.committed,
        reserved=assessment[1],
        kinds=tuple(
            KindProgress(
                name=kind.name,
                cost=kind.cost,
                done=int(closed[index]),
                out=sum(counts.get((index, status.value), 0) for status in live),
                proposed=proposed[index],
                overdue=late[index],
            )
            for index, kind in enumerate(projection.rules.kinds)
        ),
        floors_missing=assessment[2],
        blocked=_blocked(cycle_id, seen, ledger=ledger),
        wishes=len(ledger.wishes(cycle_id)),
    )


def _belief(seen: Snapshot, *, ledger: Ledger) -> tuple[float | None, int, int]:
    """Return certified loss, reserve and missing floors."""
    if seen.cycle.status is CycleStatus.DRAFT or candidates(seen.projection).size == 0:
        return None, 0, 0
    if not seen.arms.information.any():
        situation = seen.situation()
        return None, situation.reserved, int(situation.floors_missing.sum())
    assessment = seen.assessment(ledger=ledger)
    situation = assessment.situation
    return (
        assessment.look.certified_loss,
        situation.reserved,
        int(situation.floors_missing.sum()),
    )


def _blocked(
    cycle_id: str, seen: Snapshot, *, ledger: OverviewReads
) -> tuple[tuple[str, str, str], ...]:
    """List blocked requests, each with the reason and its remedy."""
    projection = seen.projection
    if seen.cycle.status is not CycleStatus.RUNNING:
        return ()
    found = blocked(projection, seen.situation())
    wanted = {one.application for one in found}
    names = {n.number: n.external_id for n in ledger.named(cycle_id, wanted)}
    return tuple(
        (names[one.application], projection.rules.kinds[one.kind].name, one.obstacle.value)
        for one in found
    )


def proposed_requests(cycle_id: str, *, ledger: Ledger) -> tuple[tuple[str, str, str, int], ...]:
    """List requests that wait for approval: id, external id, kind, decision."""
    rules, pulls = ledger.rules(cycle_id), ledger.pulls(cycle_id, statuses={PullStatus.PROPOSED})
    wanted = {pull.application for pull in pulls}
    names = {n.number: n.external_id for n in ledger.named(cycle_id, wanted)}
    return tuple(
        (pull.id, names[pull.application], rules.kinds[pull.kind].name, pull.decision)
        for pull in pulls
    )
