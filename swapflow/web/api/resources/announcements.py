"""Announcements to applicants: worked out, written, taken back."""

from datetime import timedelta

from fastapi import APIRouter, Request

from swapflow.domain.cohort.announcement import Announcement, Group, Wording
from swapflow.engine.offers.announcements import AnnouncementDraft, Recipient
from swapflow.errors import InvalidInputError
from swapflow.web.api.audit import note
from swapflow.web.api.dependencies import MayDecide, MaySeeApplicants
from swapflow.web.api.idempotency import ApiRoute
from swapflow.web.api.models.announcements import (
    Announced,
    LetterDraft,
    LetterOut,
    LettersDraft,
    NewAnnouncement,
    NewLetters,
    TakenBack,
)
from swapflow.web.api.resources.cycles import CycleId
from swapflow.web.http.context import Product


router = APIRouter(prefix="/cycles/{cycle_id}", route_class=ApiRoute, tags=["letters"])


@router.get("/letters")
def read_letters(
    cycle_id: CycleId, principal: MaySeeApplicants, product: Product
) -> list[Announced]:
    """Read what applicants were told, and where each letter is."""
    del principal
    return [_announced(one) for one in product.announcements.list(cycle_id)]


@router.post("/letters/draft")
def draft_letters(
    cycle_id: CycleId, principal: MayDecide, product: Product, new: NewLetters
) -> LettersDraft:
    """Work out who would be told what; stores nothing."""
    del principal
    return _drafted(product.announcements.draft(cycle_id, _wording(new), waitlist=new.waitlist))


@router.post("/letters")
def write_letters(
    request: Request,
    cycle_id: CycleId,
    principal: MayDecide,
    product: Product,
    new: NewAnnouncement,
) -> LettersDraft:
    """Write the letters; they are held for a while, and can be taken back until they leave."""
    made = product.announcements.send(
        cycle_id,
        _wording(new),
        by=principal.name,
        waitlist=new.waitlist,
        hold=timedelta(minutes=new.hold_minutes),
        seen=new.digest or new.seen,
    )
    note(request, principal, "announced the decision", detail=f"{len(made.letters)} letters")
    return _drafted(made)


@router.post("/letters/take-back")
def take_letters_back(
    request: Request,
    cycle_id: CycleId,
    principal: MayDecide,
    product: Product,
    which: TakenBack | None = None,
) -> Announced:
    """Take back the letters that are held, and the offers that they tell of."""
    taken = product.announcements.take_back(
        cycle_id, by=principal.name, which=which.announcement if which else None
    )
    note(request, principal, "took letters back")
    return next(
        _announced(one) for one in product.announcements.list(cycle_id) if one.id == taken.id
    )


def _wording(new: NewLetters) -> dict[Group, Wording]:
    given = {
        Group.OFFERED: new.offered,
        Group.WAITLISTED: new.waitlisted,
        Group.NOT_SELECTED: new.not_selected,
    }
    wording = {
        group: Wording(subject=words.subject, text=words.text)
        for group, words in given.items()
        if words is not None
    }
    if not wording:
        raise InvalidInputError("wording_missing")
    return wording


def _drafted(draft: AnnouncementDraft) -> LettersDraft:
    return LettersDraft(
        version=draft.version,
        letters=list(map(_letter, draft.letters)),
        unreachable=list(map(_letter, draft.unreachable)),
        unoffered=list(draft.unoffered),
        digest=draft.digest,
    )


def _letter(to: Recipient) -> LetterDraft:
    return LetterDraft(
        applicant=to.application,
        group=to.group,
        to=to.address,
        subject=to.subject,
        paragraphs=list(to.parts),
    )


def _announced(announcement: Announcement) -> Announced:
    return Announced(
        id=announcement.id,
        version=announcement.version,
        by=announcement.by,
        at=announcement.at,
        leaves_at=announcement.leaves_at,
        taken_back_by=announcement.taken_back_by,
        letters=[
            LetterOut(
                applicant=letter.application,
                group=letter.group,
                state=letter.state,
                detail=letter.detail,
            )
            for letter in announcement.letters
        ],
    )
