"""A committee's meeting: the proposed list in its order, and the recorded outcomes.

Once a meeting was opened about a version of a list, the decision follows it: every applicant too
close to call needs an outcome, the meeting is closed before anybody signs, and no decision differs
from the recorded outcome. Entries are events, which processes of an older release do not know.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from swapflow.domain.cohort.meeting import Endorsement, Meeting, Said, Shown, Word, ZoneSide
from swapflow.domain.cohort.proposal import (
    DrawnSample,
    GroupLimit,
    Place,
    Proposal,
    Standing,
    Verdict,
)
from swapflow.domain.cycle import Cycle, CycleStatus
from swapflow.domain.event import EventType
from swapflow.domain.seal import Seal, seal
from swapflow.engine.cohort.recorded_outcomes import NAMED, missing_outcomes
from swapflow.engine.ports.cycles import CycleReads
from swapflow.engine.ports.decisions import DecisionReads
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.overview import OverviewReads
from swapflow.engine.ports.writes.transaction import Transaction
from swapflow.engine.read_models.proposal import propose
from swapflow.engine.read_models.snapshot import SnapshotCache
from swapflow.engine.revisions import check_revision
from swapflow.errors import ForbiddenError, InvalidInputError, NotFoundError, NotReadyError


READY = frozenset((CycleStatus.PROPOSED, CycleStatus.ENDED))


@dataclass(frozen=True, slots=True, kw_only=True)
class Agenda:
    """Everything on the projected screen: no reviewer's name, no monitored attribute.

    Attributes:
        version: Version of the list in question.
        meeting: None when none was opened.
        open: Whether outcomes can be recorded now.
        places: In the order of the proposal.
        chosen: Numbers of those on the list at present: as proposed, and as recorded.
        size: Places in all.
        limits: Each limit on a group for those on the list: its text, and whether it is kept.
        lines: Name, places filled and places of each line: as recorded, the others in order.
        group_outcomes: Whether several applicants may be decided in one act.
        conflicts: Numbers of the reviewers in conflict, by application.
        endorsements: Endorsements.
        drawn: What became of those drawn from the clearly out; None where the rules draw none.
    """

    cycle: Cycle
    version: int
    meeting: Meeting | None
    open: bool
    places: tuple[Place, ...]
    chosen: frozenset[int]
    size: int
    limits: tuple[tuple[str, bool], ...]
    lines: tuple[tuple[str, int, int], ...]
    group_outcomes: bool
    conflicts: Mapping[int, frozenset[int]]
    endorsements: tuple[Endorsement, ...]
    drawn: DrawnSample | None = None

    @property
    def words(self) -> Mapping[int, Said]:
        """The recorded outcomes, by application."""
        return self.meeting.words if self.meeting else {}

    def zone(self, zone: ZoneSide) -> tuple[Place, ...]:
        """Applicants of a clear zone, in the order of the proposal."""
        inside = Standing.COHORT if zone is ZoneSide.IN else Standing.WAITLIST
        return tuple(p for p in self.places if not p.too_close and p.standing is inside)

    def unsaid(self, zone: ZoneSide) -> tuple[Place, ...]:
        """Applicants of a clear zone whom the meeting gave no outcome of their own."""
        return tuple(p for p in self.zone(zone) if p.application not in self.words)

    def zone_seal(self, zone: ZoneSide) -> Seal:
        """The digest of a clear zone as it is listed: who is in it, and whose file was opened."""
        listed = [place.application for place in self.unsaid(zone)]
        return seal(
            version=[self.version, zone.value],
            list=listed,
            files=self.looked_at(Shown.FILE).intersection(listed),
        )

    def looked_at(self, what: Shown) -> frozenset[int]:
        """Return the numbers of those about whom the meeting looked at something."""
        return self.meeting.looked_at(what) if self.meeting else frozenset()

    @property
    def close(self) -> tuple[Place, ...]:
        """Applicants too close to call, in the order of the proposal."""
        return tuple(place for place in self.places if place.too_close)

    @property
    def missing(self) -> tuple[Place, ...]:
        """Applicants too close to call without a final outcome."""
        return missing_outcomes(self.places, self.meeting)

    def place(self, number: int) -> Place:
        """Return an application's place.

        Raises:
            NotFoundError: If it is not on the list or the waitlist.
        """
        for place in self.places:
            if place.application == number:
                return place
        raise NotFoundError("applicant_not_on_list")


def agenda(
    cycle_id: str,
    *,
    ledger: Ledger,
    proposal: Proposal | None = None,
    snapshots: SnapshotCache | None = None,
) -> Agenda:
    """Build the agenda of a meeting; writes nothing.

    Args:
        cycle_id: The cycle.
        ledger: The ledger.
        proposal: The current proposal, where the caller has it already.
        snapshots: As for `propose`, where the caller has not.

    Raises:
        NotReadyError: If the cycle was not launched.
    """
    cycle, rules = ledger.cycle(cycle_id), ledger.rules(cycle_id)
    proposal = proposal or propose(cycle_id, ledger=ledger, snapshots=snapshots)
    fixed = cycle.status is CycleStatus.FINALIZED
    version = cycle.cohort_version if fixed else cycle.cohort_version + 1
    meeting = ledger.meeting(cycle_id, version)
    places = proposal.places
    # A final list is shown as it was stored, whatever was corrected since.
    if fixed:
        places = next(p for number, p, _ in ledger.proposals(cycle_id) if number == version)
        outcomes = ledger.outcomes(cycle_id, version)
        chosen = {o.application for o in outcomes if o.verdict is Verdict.SELECTED}
    else:
        chosen = _chosen(proposal, meeting)
    words = meeting.words if meeting else {}
    by_application: dict[int, set[int]] = {}
    for application, reviewer in ledger.conflicts(cycle_id):
        by_application.setdefault(application, set()).add(reviewer)
    return Agenda(
        cycle=cycle,
        version=version,
        meeting=meeting,
        open=meeting is not None and meeting.closed is None and cycle.status in READY,
        places=places,
        chosen=frozenset(chosen),
        size=rules.cohort_size,
        limits=_kept(proposal.limits, chosen),
        lines=_filled(
            [(line.name, line.places) for line in rules.lines],
            [words[one].line if one in words else "" for one in chosen],
        ),
        group_outcomes=rules.group_outcomes,
        conflicts={a: frozenset(reviewers) for a, reviewers in by_application.items()},
        endorsements=ledger.endorsements(cycle_id),
        drawn=proposal.drawn.on(places) if proposal.drawn else None,
    )


def open_meeting(cycle_id: str, *, by: str, ledger: CycleReads) -> bool:
    """Open the meeting about the next list; False when it was open before.

    Raises:
        NotReadyError: If asking has not ended, or the list is final.
    """
    with ledger.write(cycle_id) as tx:
        check_ready(tx.cycle)
        version = tx.cycle.cohort_version + 1
        if new := tx.open_meeting(version, by=by):
            tx.record(EventType.MEETING_OPENED, {"version": version})
        return new


def close_meeting(cycle_id: str, *, by: str, made_from: str = "", ledger: CycleReads) -> bool:
    """Close the meeting, so that nothing is recorded until it is reopened; False if it was closed.

    Args:
        cycle_id: The cycle.
        by: Who closes it.
        made_from: The revision of the meeting that the form was made from; "" for no check.
        ledger: The ledger.

    Raises:
        NotReadyError: If no meeting was opened, or the list is final.
        StaleRevisionError: If an outcome was recorded since the form was made.
    """
    with ledger.write(cycle_id) as tx:
        check_ready(tx.cycle)
        meeting = opened_meeting(tx)
        if meeting.closed is None:
            last = meeting.said[-NAMED:]
            check_revision(
                made_from,
                meeting.revision,
                {f"applicant {one.application}": f"{one.word.value} ({one.by})" for one in last},
            )
            tx.insert_turn(meeting.version, closed=True, reason="", by=by)
            tx.record(EventType.MEETING_CLOSED, {"version": meeting.version})
        return meeting.closed is None


def reopen_meeting(cycle_id: str, *, reason: str, by: str, ledger: CycleReads) -> bool:
    """Reopen a closed meeting, so that outcomes can be recorded; False when it is open.

    Raises:
        NotReadyError: If no meeting was opened, or the list is final.
        InvalidInputError: If there is no reason.
    """
    if not reason.strip():
        raise InvalidInputError("meeting_reopening_reason_missing")
    with ledger.write(cycle_id) as tx:
        check_ready(tx.cycle)
        meeting = opened_meeting(tx)
        if meeting.closed is not None:
            tx.insert_turn(meeting.version, closed=False, reason=reason.strip(), by=by)
            tx.record(EventType.MEETING_REOPENED, {"version": meeting.version})
        return meeting.closed is not None


def endorse(
    cycle_id: str, application: int, text: str, *, by: str, seat: int | None, ledger: Ledger
) -> None:
    """Store an endorsement of an application; it enters no estimate.

    Raises:
        NotReadyError: If the list is final.
        NotFoundError: If there is no such candidate.
        ForbiddenError: If the person is in conflict with the applicant.
        InvalidInputError: If the text is empty.
    """
    check_conflict(cycle_id, application, seat, ledger=ledger)
    if not text.strip():
        raise InvalidInputError("endorsement_empty")
    with ledger.write(cycle_id) as tx:
        if tx.cycle.status is CycleStatus.FINALIZED:
            raise NotReadyError("list_final")
        check_candidate(cycle_id, application, ledger=ledger)
        # A form that is sent twice adds no second endorsement.
        known = {(e.application, e.by, e.text) for e in ledger.endorsements(cycle_id)}
        if (application, by, text.strip()) not in known:
            tx.insert_endorsement(application, text=text.strip(), by=by)


def opened_meeting(tx: Transaction) -> Meeting:
    """Read the meeting about the next list; NotReadyError where none was opened."""
    meeting = tx.meeting(tx.cycle.cohort_version + 1)
    if meeting is None:
        raise NotReadyError("no_meeting_open")
    return meeting


def _chosen(proposal: Proposal, meeting: Meeting | None) -> set[int]:
    chosen = {place.application for place in proposal.cohort} | set(proposal.promised)
    for application, said in (meeting.words if meeting else {}).items():
        if said.word is Word.IN:
            chosen.add(application)
        elif said.word is not Word.DISCUSS:
            chosen.discard(application)
    return chosen & {place.application for place in proposal.places}


def _kept(limits: Sequence[GroupLimit], chosen: set[int]) -> tuple[tuple[str, bool], ...]:
    return tuple((limit.said_of(chosen), not limit.broken_by(chosen)) for limit in limits)


def _filled(
    lines: Sequence[tuple[str, int]], named: Sequence[str]
) -> tuple[tuple[str, int, int], ...]:
    """Fill the lines: by the names that were recorded, the rest in order, as offers do."""
    held = {name: named.count(name) for name, _ in lines}
    left = len(named) - sum(held.values())
    found = []
    for name, places in lines:
        taken = min(left, max(places - held[name], 0))
        left -= taken
        found.append((name, held[name] + taken, places))
    return tuple(found)


def check_ready(cycle: Cycle) -> None:
    """Raise NotReadyError unless a list can be decided now."""
    if cycle.status not in READY:
        raise NotReadyError("meeting_not_possible", status=cycle.status)


def check_conflict(
    cycle_id: str, application: int, seat: int | None, *, ledger: DecisionReads
) -> None:
    """Raise ForbiddenError for a member in conflict; `seat` is their number as a reviewer."""
    if seat is not None and (application, seat) in ledger.conflicts(cycle_id):
        raise ForbiddenError("conflict_of_interest")


def check_candidate(cycle_id: str, application: int, *, ledger: OverviewReads) -> None:
    """Raise NotFoundError for an application that is none of a candidate."""
    found = next(iter(ledger.named(cycle_id, {application})), None)
    if found is None or not found.status.is_candidate:
        raise NotFoundError("applicant_not_on_list")
