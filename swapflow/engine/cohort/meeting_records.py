"""What a meeting records about applicants: outcomes, what was looked at, and the clear zones.

Each act has a person. One act about several applicants is stored as that, with how many it
decided: its reason is nobody's own.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from swapflow.domain.cohort.meeting import Meeting, Said, Shown, Word, ZoneSide
from swapflow.domain.cohort.offer import promised
from swapflow.domain.cohort.proposal import DrawnSample, Place, Proposal, Standing
from swapflow.domain.event import EventType
from swapflow.domain.rules import Rules
from swapflow.domain.seal import NOTHING, Seal
from swapflow.engine.cohort.meeting import (
    agenda,
    check_candidate,
    check_conflict,
    check_ready,
    opened_meeting,
)
from swapflow.engine.confirmation import confirm
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.writes.transaction import Transaction
from swapflow.engine.read_models.proposal import propose
from swapflow.engine.read_models.snapshot import SnapshotCache
from swapflow.engine.revisions import check_revision
from swapflow.errors import InvalidInputError, NotFoundError, NotReadyError


AS_PROPOSED = "as proposed"
"""The stored reason of an outcome that follows the proposal and was given none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidOutcome:
    """What one act of a meeting says.

    Attributes:
        reason: Why; DISCUSS needs none, and an outcome as it is proposed is recorded as that.
        by: Who records it.
        seat: Their number as a reviewer of the cycle, None without one.
        line: The line of the place, of those in; "" leaves it to the order of the lines.
    """

    word: Word
    reason: str
    by: str
    seat: int | None
    line: str = ""


def record(
    cycle_id: str,
    applications: Mapping[int, str],
    said: SaidOutcome,
    *,
    ledger: Ledger,
    snapshots: SnapshotCache | None = None,
) -> None:
    """Record the meeting's outcome for applications, as one decision; earlier ones stay on record.

    All of them are stored, or none.

    Args:
        cycle_id: The cycle; its meeting must be open.
        applications: Their numbers, with the revision of the outcome that the form was made from;
            "" for no check.
        said: The outcome.
        ledger: The ledger.
        snapshots: As for `propose`.

    Raises:
        NotReadyError: If no meeting is open, or it was closed.
        NotFoundError: If there is no such candidate.
        ForbiddenError: If the person is in conflict with an applicant.
        InvalidInputError: If there is no reason and the outcome is not as proposed; if several are
            decided and the rules forbid it; if there is no such line; or if an applicant with an
            offer would lose it.
        StaleRevisionError: If another outcome of one was recorded since the form was made.
    """
    for application in applications:
        check_conflict(cycle_id, application, said.seat, ledger=ledger)
    _check_rules(applications, said, ledger.rules(cycle_id))
    reason, proposal = said.reason.strip(), None
    if said.word is not Word.DISCUSS and not reason:
        proposal, reason = (
            propose(cycle_id, ledger=ledger, snapshots=snapshots, judging=False),
            AS_PROPOSED,
        )
    with ledger.write(cycle_id) as tx:
        check_ready(tx.cycle)
        meeting = opened_meeting(tx)
        _check_not_closed(meeting)
        _check_candidates(tx, applications, said.word, ledger=ledger)
        if proposal is not None:
            _check_as_proposed(proposal, applications, said.word)
        new = (said.word, reason, said.by, said.line, len(applications))
        # A form that is sent twice adds no entry.
        if all(_stored(meeting.words.get(one)) == new for one in applications):
            return
        for application, made_from in applications.items():
            last = meeting.words.get(application)
            check_revision(made_from, last.revision if last else NOTHING, _told(last))
        numbers = sorted(applications)
        tx.insert_said(
            meeting.version, numbers, said.word, line=said.line, reason=reason, by=said.by
        )
        # One of its own keeps the payload of earlier releases.
        about = {"a": numbers[0]} if len(numbers) == 1 else {"together": list(numbers)}
        tx.record(
            EventType.MEETING_SAID,
            {"version": meeting.version, "outcome": said.word.value, **about},
        )


def _check_rules(applications: Mapping[int, str], said: SaidOutcome, rules: Rules) -> None:
    if not applications:
        raise InvalidInputError("outcome_nobody_ticked")
    if len(applications) > 1 and not rules.group_outcomes:
        raise InvalidInputError("outcomes_one_by_one")
    known = {line.name for line in rules.lines}
    if said.line and (said.word is not Word.IN or said.line not in known):
        raise InvalidInputError("line_unknown", line=said.line)


def _check_candidates(
    tx: Transaction, applications: Mapping[int, str], word: Word, *, ledger: Ledger
) -> None:
    offered = promised(tx.offers())
    for application in applications:
        check_candidate(tx.cycle.id, application, ledger=ledger)
        # An offer is a promise to the applicant; a meeting cannot take it back.
        if word in {Word.OUT, Word.WAITLIST} and application in offered:
            raise InvalidInputError("place_was_offered")


def look(
    cycle_id: str,
    application: int,
    what: Shown,
    *,
    by: str,
    seat: int | None,
    ledger: Ledger,
) -> bool:
    """Write down that the meeting looks at a file or an estimate; False where it did before.

    Raises:
        NotReadyError: If no meeting is open, or it was closed.
        NotFoundError: If there is no such candidate.
        ForbiddenError: If the person is in conflict with the applicant.
    """
    check_conflict(cycle_id, application, seat, ledger=ledger)
    with ledger.write(cycle_id) as tx:
        check_ready(tx.cycle)
        meeting = opened_meeting(tx)
        _check_not_closed(meeting)
        check_candidate(cycle_id, application, ledger=ledger)
        # The first look tells when the evidence was opened, and by whom; later ones add nothing.
        if application in meeting.looked_at(what):
            return False
        tx.insert_look(meeting.version, application, what, by=by)
        tx.record(
            EventType.MEETING_LOOKED,
            {"version": meeting.version, "a": application, "what": what.value},
        )
        return True


def confirm_zone(
    cycle_id: str,
    zone: ZoneSide,
    *,
    shown: str,
    by: str,
    ledger: Ledger,
    snapshots: SnapshotCache | None = None,
) -> int:
    """Record that a person takes on a clear zone as it was listed; return how many are in it.

    Whom the meeting gave an outcome alone is left out: their outcome has its person.

    Args:
        cycle_id: The cycle; its meeting must be open.
        zone: The zone.
        shown: Digest of the zone as it was listed; "" for no check.
        by: Who takes it on.
        ledger: The ledger.
        snapshots: As for `propose`.

    Raises:
        NotReadyError: If no meeting is open, or it was closed.
        NotFoundError: If the zone is empty.
        ConflictError: If the zone is another than was listed.
    """
    snapshots = snapshots or SnapshotCache()

    def work() -> _ListedZone:
        there = agenda(cycle_id, ledger=ledger, snapshots=snapshots)
        listed = tuple(place.application for place in there.unsaid(zone))
        if not listed:
            raise NotFoundError("zone_empty")
        opened = len(there.looked_at(Shown.FILE).intersection(listed))
        return _ListedZone(
            zone=zone,
            applications=listed,
            opened=opened,
            drawn=there.drawn if zone is ZoneSide.OUT else None,
            seal=there.zone_seal(zone),
        )

    return confirm(cycle_id, work, partial(_confirm, by=by), shown=shown, ledger=ledger)


@dataclass(frozen=True, slots=True, kw_only=True)
class _ListedZone:
    """A clear zone as it is listed."""

    zone: ZoneSide
    applications: tuple[int, ...]
    opened: int
    drawn: DrawnSample | None
    seal: Seal


def _confirm(tx: Transaction, listed: _ListedZone, *, by: str) -> int:
    check_ready(tx.cycle)
    meeting = opened_meeting(tx)
    _check_not_closed(meeting)
    last, count = meeting.confirmed(listed.zone), len(listed.applications)
    # Sent twice, it is written down once.
    if last is None or (last.applications, last.by) != (tuple(sorted(listed.applications)), by):
        tx.insert_zone(
            meeting.version, listed.zone, listed.applications, opened=listed.opened, by=by
        )
        told = {"version": meeting.version, "zone": listed.zone.value}
        drawn = _drawn(listed.drawn)
        tx.record(
            EventType.ZONE_CONFIRMED,
            {**told, "applicants": count, "opened": listed.opened, **drawn},
        )
    return count


def _drawn(sample: DrawnSample | None) -> dict[str, int]:
    """Build what the record says of the drawn check; nothing where the rules draw none."""
    if sample is None or not sample.took_place:
        return {}
    read = len(sample.places) - len(sample.unread)
    return {"drawn": len(sample.places), "read": read, "stayed": len(sample.stayed)}


def _check_not_closed(meeting: Meeting) -> None:
    if meeting.closed is not None:
        raise NotReadyError("meeting_closed", by=meeting.closed.by)


def _check_as_proposed(proposal: Proposal, applications: Mapping[int, str], word: Word) -> None:
    places = {place.application: place for place in proposal.places}
    if any(one not in places or proposed(places[one]) is not word for one in applications):
        raise InvalidInputError("minutes_reason_missing")


def proposed(place: Place) -> Word:
    """Return the outcome that the proposal has for an applicant."""
    return Word.IN if place.standing is Standing.COHORT else Word.WAITLIST


def _stored(said: Said | None) -> tuple[object, ...]:
    """Return what tells an outcome from another."""
    if said is None:
        return ()
    return said.word, said.reason, said.by, said.line, said.together


def _told(said: Said | None) -> dict[str, object]:
    """Return what a stored outcome says, by the name of the field."""
    if said is None:
        return {}
    return {"outcome": said.word.value, "reason": said.reason, "by": said.by}
