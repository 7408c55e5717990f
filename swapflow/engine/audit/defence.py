"""The defence file of a decision: what a complaint, a court or a works council asks about it.

Everything is read from the record as of its last event, so that two files of the same record are
the same, whenever they are made.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from swapflow.domain.cohort.meeting import Meeting, Shown, ZoneSide
from swapflow.domain.cohort.proposal import Outcome, Place, Standing
from swapflow.domain.cohort.reconsideration import CHANGES, Result
from swapflow.domain.cycle import START
from swapflow.domain.event import Event, EventType
from swapflow.domain.reviewing.assignment import PullReason, PullStatus
from swapflow.domain.rules_text import to_text
from swapflow.engine.audit.decision_card import Card, card
from swapflow.engine.audit.defended_decision import (
    RULE_CLOSE,
    ZONES,
    ApplicantDefence,
    Defence,
    DefendedOutcome,
    DefendedReconsideration,
    KnownSince,
    RulesInForce,
    ZoneReviews,
    ZoneTakenOn,
)
from swapflow.engine.audit.verify import verify
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.read_models.calibration import Calibration
from swapflow.engine.read_models.explanation import origin_of
from swapflow.engine.read_models.snapshot import SnapshotCache
from swapflow.errors import NotReadyError


def defence(cycle_id: str, *, ledger: Ledger) -> Defence:
    """Build the defence file of a program's latest final list; writes nothing.

    The whole record is replayed for it, which takes as long as `verify`.

    Raises:
        NotReadyError: If no list was made final.
    """
    with ledger.one_moment():
        cycle = ledger.cycle(cycle_id)
        version = cycle.cohort_version
        if not version:
            raise NotReadyError("defence_without_decision")
        events = list(_events(cycle_id, ledger=ledger))
        history = ledger.rules_history(cycle_id)
        _, places, sheet = next(one for one in ledger.proposals(cycle_id) if one[0] == version)
        meeting = _meeting(cycle_id, version, ledger=ledger)
        names = {one.number: (one.external_id, one.name) for one in ledger.named(cycle_id)}
        launch = next(e for e in events if e.type is EventType.LAUNCHED)
        return Defence(
            cycle=cycle_id,
            cycle_name=cycle.name,
            version=version,
            seq=events[-1].position.seq,
            head=events[-1].position.hash,
            at=events[-1].at,
            first=ledger.rules(cycle_id, int(str(launch.payload["rules"]))),
            rules=ledger.rules(cycle_id, sheet.rules_version),
            history=tuple(
                RulesInForce(
                    version=one.rules.version,
                    at=one.at,
                    by=one.by,
                    reason=one.reason,
                    digest=hashlib.sha256(to_text(one.rules).encode()).hexdigest(),
                    has_notice=bool(one.rules.notice.strip()),
                )
                for one in sorted(history, key=lambda one: one.rules.version)
            ),
            known=KnownSince(
                launched=_first(events, EventType.LAUNCHED),
                first_request=_first(events, EventType.PULLS_OPENED),
                first_mark=_first(events, EventType.SCORED),
            ),
            zones=tuple(_zones(cycle_id, places, ledger=ledger)),
            outcomes=tuple(_outcomes(cycle_id, version, places, meeting, names, ledger=ledger)),
            signed=tuple(by for by, _ in ledger.signatures(cycle_id, version)),
            met=meeting is not None,
            taken_on=tuple(_taken_on(meeting)),
            reconsidered=tuple(_reconsidered(cycle_id, names, ledger=ledger)),
            sheet=sheet,
            replay=verify(cycle_id, ledger=ledger),
        )


def applicant_defence(
    cycle_id: str,
    external_id: str,
    *,
    ledger: Ledger,
    snapshots: SnapshotCache | None = None,
    calibrated: Calibration | None = None,
    name_reviewers: bool = False,
) -> ApplicantDefence:
    """Build the defence file of the decision about one applicant; arguments as for `card`.

    Raises:
        NotFoundError: If the program has no such applicant.
        NotReadyError: If no list was made final.
    """
    made = card(
        cycle_id,
        external_id,
        ledger=ledger,
        snapshots=snapshots,
        calibrated=calibrated,
        name_reviewers=name_reviewers,
    )
    program = defence(cycle_id, ledger=ledger)
    number = next(n.number for n in ledger.named(cycle_id) if n.external_id == external_id)
    own = program.outcome(number)
    more = [one for one in program.outcomes if own and one.reviews > own.reviews]
    return ApplicantDefence(
        program=program,
        # The card's own time is now, and would make every file another one.
        card=replace(made, at=program.at),
        outcome=own,
        withheld=made.withheld,
        more_reviews=len(more),
        more_close=sum(one.zone == "close" for one in more),
        needed=_needed(made),
    )


def _events(cycle_id: str, *, ledger: Ledger) -> Iterable[Event]:
    position = START
    while batch := ledger.events(cycle_id, after=position, at_most=1000):
        yield from batch
        position = batch[-1].position


def _first(events: Sequence[Event], wanted: EventType) -> datetime | None:
    return next((event.at for event in events if event.type is wanted), None)


def _meeting(cycle_id: str, version: int, *, ledger: Ledger) -> Meeting | None:
    # A reconsideration makes a version of its own without a meeting; the outcomes of the others
    # are those of the meeting before it.
    numbered = (ledger.meeting(cycle_id, number) for number in range(version, 0, -1))
    return next((meeting for meeting in numbered if meeting is not None), None)


def zone_of(place: Place) -> str:
    """Return the zone of a place, one of `ZONES`."""
    if place.too_close:
        return "close"
    return "in" if place.standing is Standing.COHORT else "out"


def _zones(cycle_id: str, places: Sequence[Place], *, ledger: Ledger) -> Iterable[ZoneReviews]:
    rules = ledger.rules(cycle_id)
    made = {record.number: record for record in ledger.decisions(cycle_id)}
    zones = {place.application: zone_of(place) for place in places}
    asked: dict[str, Counter[str]] = {zone: Counter() for zone in ZONES}
    for pull in ledger.pulls(cycle_id, statuses={PullStatus.CLOSED}):
        if pull.application in zones:
            record = made.get(pull.decision)
            origin = origin_of(pull.why.value, record, pull.application, pull.kind, rules)
            if origin == PullReason.RULE and record and pull.application in record.contested:
                origin = RULE_CLOSE
            asked[zones[pull.application]][origin] += 1
    for zone in ZONES:
        counts = [sum(p.pulls.values()) for p in places if zones[p.application] == zone]
        yield ZoneReviews(
            zone=zone,
            applicants=len(counts),
            reviews=sum(counts),
            fewest=min(counts, default=0),
            most=max(counts, default=0),
            asked=dict(sorted(asked[zone].items())),
        )


def _outcomes(
    cycle_id: str,
    version: int,
    places: Sequence[Place],
    meeting: Meeting | None,
    names: Mapping[int, tuple[str, str]],
    *,
    ledger: Ledger,
) -> Iterable[DefendedOutcome]:
    decided: dict[int, Outcome] = {o.application: o for o in ledger.outcomes(cycle_id, version)}
    said = meeting.words if meeting else {}
    looks = {
        # The first look counts: it says whether the file was read before the outcome.
        one.application: one
        for one in reversed(meeting.looks if meeting else ())
        if one.what is Shown.FILE
    }
    for place in places:
        outcome = decided.get(place.application)
        if outcome is None:
            continue
        word, look = said.get(place.application), looks.get(place.application)
        recorded = word if word is not None and word.word.verdict is not None else None
        external_id, name = names.get(place.application, ("", ""))
        yield DefendedOutcome(
            application=place.application,
            external_id=external_id or "",
            name=name or "",
            rank=place.rank,
            zone=zone_of(place),
            reviews=sum(place.pulls.values()),
            proposed=place.standing is Standing.COHORT,
            verdict=outcome.verdict.value,
            by=recorded.by if recorded else outcome.by,
            prepared_by=outcome.prepared_by or "",
            reason=outcome.reason,
            at=recorded.at if recorded else outcome.at,
            opened_at=look.at if look else None,
            opened_by=look.by if look else "",
            zone_by=_zone_by(meeting, place.application),
            together=recorded.together if recorded else 1,
        )


def _zone_by(meeting: Meeting | None, application: int) -> str:
    for zone in ZoneSide:
        taken = meeting.confirmed(zone) if meeting else None
        if taken and application in taken.applications:
            return taken.by
    return ""


def _taken_on(meeting: Meeting | None) -> Iterable[ZoneTakenOn]:
    for zone in ZoneSide:
        taken = meeting.confirmed(zone) if meeting else None
        if taken:
            yield ZoneTakenOn(
                zone=zone.value,
                applicants=len(taken.applications),
                opened=taken.opened,
                by=taken.by,
                at=taken.at,
            )


def _reconsidered(
    cycle_id: str, names: Mapping[int, tuple[str, str]], *, ledger: Ledger
) -> Iterable[DefendedReconsideration]:
    for one in ledger.reconsiderations(cycle_id):
        closing = one.closing
        upheld = None
        if closing is not None and closing.result not in {Result.WITHDRAWN, Result.UNDONE}:
            upheld = closing.result in CHANGES
        yield DefendedReconsideration(
            application=one.application,
            external_id=names.get(one.application, ("", ""))[0] or "",
            asked_on=one.new.asked_on,
            reason=one.new.reason,
            result=closing.result.value if closing else "",
            decided_reason=closing.reason if closing else "",
            upheld=upheld,
            closed_at=one.closed_at,
            closed_by=one.closed_by,
        )


def _needed(made: Card) -> int | None:
    """Return how far the average of the marks was from the other side of the cut, in points."""
    standing = made.standing
    if standing is None or standing.cut is None or standing.way is None:
        return None
    apart = abs(standing.cut - standing.estimate)
    if standing.way.weight <= 0:
        return None
    # Whole points, rounded up: finer ones would tell what the rules keep apart about reviewers.
    return int(-(-100 * apart // standing.way.weight)) or 1
