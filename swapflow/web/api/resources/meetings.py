"""The meeting about a list: what is projected, and what is recorded about whom."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response

from swapflow.domain.cohort.meeting import Shown, ZoneSide
from swapflow.domain.cohort.proposal import DrawnSample
from swapflow.domain.seal import NOTHING
from swapflow.engine.cohort.meeting import Agenda
from swapflow.engine.cohort.meeting_records import SaidOutcome
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal
from swapflow.web.api.audit import note
from swapflow.web.api.dependencies import WRITE, MayDecide, MaySeeApplicants, may
from swapflow.web.api.idempotency import ApiRoute
from swapflow.web.api.models.meetings import (
    ClearZone,
    ConfirmedZone,
    DrawnCheckSeen,
    LookedAt,
    MeetingAbout,
    NewEndorsement,
    NewOutcome,
    NewOutcomes,
    Recorded,
    TheMeeting,
)
from swapflow.web.api.models.programs import Because
from swapflow.web.api.resources.applications import Number
from swapflow.web.api.resources.cycles import CycleId
from swapflow.web.api.revisions import MadeFrom, tag
from swapflow.web.http.context import Product


router = APIRouter(prefix="/cycles/{cycle_id}", route_class=ApiRoute, tags=["meeting"])

MayEndorse = Annotated[Principal, Depends(may(Right.SEE_APPLICANTS, scope=WRITE))]
"""A principal who sees applicants; of a key, more than looking is asked."""


@router.get("/meeting")
def read_meeting(
    cycle_id: CycleId, principal: MaySeeApplicants, product: Product, response: Response
) -> TheMeeting:
    """Read the list in the order of the proposal, and what was recorded about whom."""
    del principal
    return _told(response, product.meetings.agenda(cycle_id))


@router.post("/meeting")
def open_meeting(
    request: Request,
    cycle_id: CycleId,
    principal: MayDecide,
    product: Product,
    response: Response,
) -> TheMeeting:
    """Open the meeting; from now on the decision follows it. Changes nothing if it is open."""
    if product.meetings.open(cycle_id, by=principal.name):
        note(request, principal, "opened the meeting")
    return _told(response, product.meetings.agenda(cycle_id))


@router.post("/meeting/close")
def close_meeting(
    request: Request,
    cycle_id: CycleId,
    principal: MayDecide,
    product: Product,
    precondition: MadeFrom,
) -> TheMeeting:
    """Close the meeting; nothing is recorded until it is reopened. Then the list is signed."""
    if product.meetings.close(cycle_id, by=principal.name, made_from=precondition.made_from):
        note(request, principal, "closed the meeting")
    return _told(precondition.response, product.meetings.agenda(cycle_id))


@router.post("/meeting/reopen")
def reopen_meeting(
    request: Request,
    cycle_id: CycleId,
    principal: MayDecide,
    product: Product,
    why: Because,
    response: Response,
) -> TheMeeting:
    """Reopen the outcomes for recording after the meeting was closed, for a reason."""
    if product.meetings.reopen(cycle_id, reason=why.reason, by=principal.name):
        note(request, principal, "reopened the meeting", detail=why.reason)
    return _told(response, product.meetings.agenda(cycle_id))


@router.put("/applicants/{number:int}/meeting-outcome", status_code=204)
def record_outcome(
    request: Request,
    cycle_id: CycleId,
    number: Number,
    principal: MayDecide,
    product: Product,
    said: NewOutcome,
    precondition: MadeFrom,
) -> Response:
    """Record what the meeting says about an applicant; a member in conflict cannot."""
    product.meetings.record_together(
        cycle_id, {number: precondition.made_from}, _recording(said, principal, cycle_id)
    )
    what = f"recorded {said.outcome.value!r} at the meeting"
    note(request, principal, what, about=f"applicant {number}")
    stored = product.meetings.agenda(cycle_id).words.get(number)
    return precondition.done(stored.revision if stored else NOTHING)


@router.put("/meeting/outcomes")
def record_outcomes(
    request: Request,
    cycle_id: CycleId,
    principal: MayDecide,
    product: Product,
    said: NewOutcomes,
    response: Response,
) -> TheMeeting:
    """Record one decision about several applicants, where the rules allow it: all, or none."""
    about = {one.applicant: one.revision for one in said.applicants}
    product.meetings.record_together(cycle_id, about, _recording(said, principal, cycle_id))
    what = f"recorded {said.outcome.value!r} at the meeting, decided together, {len(about)}"
    note(request, principal, what, about=", ".join(f"applicant {one}" for one in about))
    return _told(response, product.meetings.agenda(cycle_id))


@router.post("/meeting/zones/{zone}")
def confirm_zone(
    request: Request,
    cycle_id: CycleId,
    zone: ZoneSide,
    principal: MayDecide,
    product: Product,
    confirmed: ConfirmedZone,
    response: Response,
) -> TheMeeting:
    """Take on a clear zone as it was listed: those in it who have no outcome of their own."""
    count = product.meetings.confirm_zone(cycle_id, zone, by=principal.name, shown=confirmed.shown)
    note(request, principal, f"confirmed {count} {zone.value}, clear of the cut")
    return _told(response, product.meetings.agenda(cycle_id))


@router.post("/applicants/{number:int}/looks/{what}", status_code=204)
def look(
    request: Request,
    cycle_id: CycleId,
    number: Number,
    what: Shown,
    principal: MayDecide,
    product: Product,
) -> Response:
    """Write down that the meeting opens a file, or shows an estimate."""
    seat = principal.reviews_in(cycle_id)
    if product.meetings.look(cycle_id, number, what, by=principal.name, seat=seat):
        said = f"showed the {what.value} at the meeting"
        note(request, principal, said, about=f"applicant {number}")
    return Response(status_code=204)


def _recording(said: NewOutcome, principal: Principal, cycle_id: str) -> SaidOutcome:
    return SaidOutcome(
        word=said.outcome,
        reason=said.reason,
        by=principal.name,
        seat=principal.reviews_in(cycle_id),
        line=said.line,
    )


@router.post("/applicants/{number:int}/endorsements", status_code=204)
def endorse_applicant(
    request: Request,
    cycle_id: CycleId,
    number: Number,
    principal: MayEndorse,
    product: Product,
    words: NewEndorsement,
) -> Response:
    """Keep words in favour of an applicant; a member in conflict cannot."""
    product.meetings.endorse(
        cycle_id, number, words.text, by=principal.name, seat=principal.reviews_in(cycle_id)
    )
    note(request, principal, "wrote words in favour", about=f"applicant {number}")
    return Response(status_code=204)


def _told(response: Response, agenda: Agenda) -> TheMeeting:
    """Answer with the meeting and with its revision."""
    told = _meeting(agenda)
    tag(response, told.revision)
    return told


def _meeting(agenda: Agenda) -> TheMeeting:
    meeting, words = agenda.meeting, agenda.words
    favour: dict[int, list[str]] = {}
    for one in agenda.endorsements:
        favour.setdefault(one.application, []).append(one.text)
    return TheMeeting(
        version=agenda.version,
        revision=meeting.revision if meeting else NOTHING,
        opened_by=meeting.by if meeting else None,
        opened_at=meeting.at if meeting else None,
        closed_by=meeting.closed.by if meeting and meeting.closed else None,
        closed_at=meeting.closed.at if meeting and meeting.closed else None,
        open=agenda.open,
        places=agenda.size,
        filled=len(agenda.chosen),
        limits=[said for said, _ in agenda.limits],
        without_outcome=[place.application for place in agenda.missing],
        applicants=[
            MeetingAbout(
                applicant=place.application,
                rank=place.rank,
                standing=place.standing.value.replace("cohort", "list"),
                too_close_to_call=place.too_close,
                outcome=words[place.application].word if place.application in words else None,
                endorsements=favour.get(place.application, []),
                revision=words[place.application].revision
                if place.application in words
                else NOTHING,
            )
            for place in agenda.places
        ],
        recorded=[
            Recorded(
                applicant=said.application,
                outcome=said.word,
                reason=said.reason,
                by=said.by,
                at=said.at,
                line=said.line,
                decided_together=said.together,
            )
            for said in (meeting.said if meeting else ())
        ],
        looked_at=[
            LookedAt(applicant=one.application, what=one.what, by=one.by, at=one.at)
            for one in (meeting.looks if meeting else ())
        ],
        clear_zones=[_clear_zone(agenda, zone) for zone in ZoneSide],
    )


def _clear_zone(agenda: Agenda, zone: ZoneSide) -> ClearZone:
    confirmed = agenda.meeting.confirmed(zone) if agenda.meeting else None
    return ClearZone(
        zone=zone,
        applicants=[place.application for place in agenda.unsaid(zone)],
        shown=agenda.zone_seal(zone).digest,
        confirmed_by=confirmed.by if confirmed else None,
        confirmed_at=confirmed.at if confirmed else None,
        files_opened=confirmed.opened if confirmed else 0,
        drawn_check=_drawn_check(agenda.drawn) if zone is ZoneSide.OUT and agenda.drawn else None,
    )


def _drawn_check(sample: DrawnSample) -> DrawnCheckSeen:
    made = sample.took_place
    return DrawnCheckSeen(
        made=made,
        drawn=[place.application for place in sample.places] if made else [],
        unread=[place.application for place in sample.unread] if made else [],
        stayed_out=len(sample.stayed),
        sentence=str(sample.sentence),
    )
