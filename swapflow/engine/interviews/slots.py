"""Interviews: staff set a slot, its people are invited, and a participant may cancel."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from swapflow.domain.cohort.applicant_answer import ApplicantAnswer, last_about_date
from swapflow.domain.event import EventType
from swapflow.domain.ids import cycle_of
from swapflow.domain.people.interview import UNTOLD, Interview
from swapflow.domain.people.reviewer import Reviewer
from swapflow.domain.reviewing.assignment import (
    OPEN_ASSIGNMENT,
    Assignment,
    AssignmentStatus,
    Pull,
    PullStatus,
    seat_items,
)
from swapflow.domain.reviewing.interview_kinds import interview_kinds
from swapflow.domain.seal import NOTHING
from swapflow.engine.interviews.invitations import invitation_of, send_invitations
from swapflow.engine.interviews.schedule import LENGTH, refuse_double_bookings, usual_length
from swapflow.engine.interviews.told_dates import date_of, known_of, tell_of_date
from swapflow.engine.notifications.applicant_mail import invite_applicant
from swapflow.engine.notifications.mail_text import MailText
from swapflow.engine.ports.cycles import CycleReads
from swapflow.engine.ports.held_acts import HeldKind, HeldState
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.records import Mail
from swapflow.engine.ports.writes.transaction import Transaction
from swapflow.engine.revisions import check_revision
from swapflow.errors import AssignmentClosedError, InvalidInputError, NotFoundError
from swapflow.i18n.formatting import moment
from swapflow.i18n.languages import gettext, writing_in


LONGEST_PLACE = 200
LONGEST_LINK = 1000
LONGEST_MEETING = 24 * 60
NO_HOLD = timedelta()


@dataclass(frozen=True, slots=True, kw_only=True)
class InterviewSlot:
    """When and where, as staff enter it for one pull.

    Attributes:
        made_from: The revision of the date that it takes the place of, where a form of several
            carries one for each; "" for none.
    """

    pull_id: str
    starts_at: datetime
    minutes: int
    place: str = ""
    link: str = ""
    made_from: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Requested:
    """A request for a meeting with an applicant, with its slot, if any.

    Attributes:
        answer: What its applicant answered about the slot that is there, or was there last.
        minutes: How long it is, or is to be: as others of its kind mostly are.
    """

    pull: Pull
    external_id: str
    name: str
    kind: str
    reviewers: tuple[Reviewer, ...]
    interview: Interview | None
    answer: ApplicantAnswer | None = None
    minutes: int = LENGTH


def interviews_of(cycle_id: str, *, ledger: Ledger) -> frozenset[int]:
    """Return which kinds of a program are interviews; one that ever had a date is one."""
    return interview_kinds(ledger.rules(cycle_id).kinds, dated=ledger.dated_kinds(cycle_id))


def requested(cycle_id: str, *, ledger: Ledger) -> tuple[Requested, ...]:
    """List the open requests of every kind that is an interview, in the order of applications."""
    rules, among = ledger.rules(cycle_id), interviews_of(cycle_id, ledger=ledger)
    opened = ledger.pulls(cycle_id, statuses={PullStatus.OPEN}) if among else ()
    pulls = [pull for pull in opened if pull.kind in among]
    slots = ledger.interviews([pull.id for pull in pulls])
    answers = ledger.applicant_answers(cycle_id)
    people = {r.number: r for r in ledger.reviewers(cycle_id)}
    seated: dict[str, list[Reviewer]] = {}
    for assignment in ledger.assignments(cycle_id, statuses=OPEN_ASSIGNMENT):
        seated.setdefault(assignment.pull_id, []).append(people[assignment.reviewer])
    applications = {
        a.number: a for a in ledger.applications_numbered(cycle_id, {p.application for p in pulls})
    }
    usual = {
        kind: usual_length([slots[p.id] for p in pulls if p.kind == kind and p.id in slots])
        for kind in {p.kind for p in pulls}
    }
    return tuple(
        Requested(
            pull=pull,
            external_id=applications[pull.application].external_id,
            name=applications[pull.application].name,
            kind=rules.kinds[pull.kind].name,
            reviewers=tuple(seated.get(pull.id, ())),
            interview=slots.get(pull.id),
            answer=_answer(answers, slots.get(pull.id)),
            minutes=slots[pull.id].minutes if pull.id in slots else usual[pull.kind],
        )
        for pull in pulls
    )


def _answer(
    answers: tuple[ApplicantAnswer, ...], slot: Interview | None
) -> ApplicantAnswer | None:
    """Return what an applicant answered about a slot; an answer about an earlier date is over."""
    last = last_about_date(answers, slot.pull_id) if slot else None
    if slot is None or last is None:
        return None
    # An answer that gives the date back ends it, which is a change of its own.
    return last if last.sequence + last.answer.gives_date_back == slot.told_as else None


def set_slots(
    cycle_id: str,
    slots: Sequence[InterviewSlot],
    *,
    by: str,
    made_from: str = "",
    address: str = "",
    hold: timedelta = NO_HOLD,
    ledger: Ledger,
) -> int:
    """Set slots, all or none, and invite the seated reviewers; return how many changed.

    The mails wait for `hold`, until when all of it can be undone.

    A request with a slot counts as begun, so it is not reassigned any more. Unchanged slots are
    skipped, so the same file may be imported again.

    Raises:
        InvalidInputError: If a length, place or link cannot be used.
        NotFoundError: If a request is not open, or of another cycle.
        DoubleBookingError: If an interviewer of a date that changes has another interview then,
            in any program or among these dates.
    """
    for slot in slots:
        _check(slot)
    opened: list[Assignment] = []
    waiting = ledger.held_acts(cycle_id, state=HeldState.HELD)
    with ledger.write(cycle_id) as tx:
        rules = tx.rules()
        pulls = tx.pulls([slot.pull_id for slot in slots])
        moves: list[tuple[Pull, Interview | None, Interview]] = []
        told: list[dict[str, Any]] = []
        # Of two rows about one request the later one is meant.
        for slot in {slot.pull_id: slot for slot in slots}.values():
            pull = pulls.get(slot.pull_id)
            if pull is None or pull.cycle_id != cycle_id or pull.status is not PullStatus.OPEN:
                raise NotFoundError("interview_request_closed")
            old = tx.interview(slot.pull_id)
            new = _interview(slot, old, zone=rules.zone, by=by)
            if old is not None and old.stands and _same(old, new):
                continue
            # A slot that stays as it is may come from any form; only changes overwrite.
            stored = old.revision if old else NOTHING
            check_revision(slot.made_from or made_from, stored, _told(old))
            moves.append((pull, old, new))
        # Another room for a date needs no other hour, whatever is on record at that hour.
        refuse_double_bookings(tx, [(pull, new) for pull, old, new in moves if _moves(old, new)])
        for pull, old, new in moves:
            tx.set_interview(new)
            opened += [a for a in tx.assignments_of([pull.id]) if a.status.is_open]
            known, untold = known_of(tx, old, waiting)
            mails = tell_of_date(
                tx, pull, new, moved=known > UNTOLD, address=address, held=hold > NO_HOLD
            )
            before = None if old is None else _as_stored(old)
            told.append(
                {
                    "pull_id": pull.id,
                    "sequence": new.sequence,
                    "old": before,
                    "mails": mails,
                    "told": known,
                    "untold": untold,
                }
            )
        if told and hold > NO_HOLD:
            ids = [mail for one in told for mail in one["mails"]]
            tx.hold_act(HeldKind.DATES, ids, before=told, count=len(told), by=by, hold=hold)
    # Outside the transaction: opening takes its own lock, and repeating it does no harm.
    for assignment in opened:
        rubric = rules.rubric(rules.kinds[assignment.kind].name)
        ledger.mark_opened(assignment.id, rubric_version=rubric.version if rubric else 0)
    return len(told)


def cancel_slot(
    cycle_id: str,
    pull_id: str,
    *,
    by: str,
    made_from: str = "",
    address: str = "",
    ledger: Ledger,
) -> None:
    """Cancel a slot and tell its people; the request itself stays open.

    Where its invitations have not left yet, they do not leave, and no one is told of anything.

    Raises:
        NotFoundError: If the request has no valid slot.
    """
    waiting = ledger.held_acts(cycle_id, state=HeldState.HELD)
    with ledger.write(cycle_id) as tx:
        old = tx.interview(pull_id)
        pull = tx.pulls([pull_id]).get(pull_id)
        if old is None or not old.stands or pull is None or pull.cycle_id != cycle_id:
            raise NotFoundError("no_interview_date")
        check_revision(made_from, old.revision, _told(old))
        known, _ = known_of(tx, old, waiting)
        if known == UNTOLD:
            over = replace(old, cancelled=True, sequence=old.sequence + 1, by=by, told=UNTOLD)
            tx.set_interview(over)
            return
        new = take_date_back(tx, pull, old, by=by, address=address)
        invite_applicant(tx, date_of(tx, pull, new), address=address)


def take_date_back(
    tx: Transaction, pull: Pull, slot: Interview, *, by: str, address: str
) -> Interview:
    """Cancel a slot within a write and tell its reviewers; return it as it is then."""
    # An answer that gives a date back belongs to the date before this change.
    told = None if slot.told is None else slot.told + 1
    new = replace(slot, cancelled=True, sequence=slot.sequence + 1, by=by, told=told)
    tx.set_interview(new)
    seated = [a for a in tx.assignments_of([pull.id]) if a.status.is_open]
    send_invitations(tx, new, seated, kind=tx.rules().kinds[pull.kind].name, address=address)
    return new


def mark_no_show(assignment_id: str, *, by: str, note: str = "", ledger: CycleReads) -> None:
    """Record that an applicant did not come: every seat goes to others, for another date.

    It does not count against the reviewers who waited. Staff see the request among those without a
    date.

    Raises:
        AssignmentClosedError: If the assignment is not open any more.
    """
    with ledger.write(cycle_of(assignment_id)) as tx:
        found = tx.assignments([assignment_id]).get(assignment_id)
        if found is None:
            raise NotFoundError("assignment_not_found", assignment=assignment_id)
        if not found.status.is_open:
            raise AssignmentClosedError(assignment_id, found.status)
        seats = [a for a in tx.assignments_of([found.pull_id]) if a.status.is_open]
        # Not cancelled: the pull stays open, and its seats are filled again.
        tx.move_assignments(
            [seat.id for seat in seats], AssignmentStatus.NO_SHOW, allowed=OPEN_ASSIGNMENT
        )
        tx.record(EventType.NO_SHOW, {"items": seat_items(seats)})
        slot = tx.interview(found.pull_id)
        if slot is not None:
            tx.set_interview(replace(slot, missed=True, sequence=slot.sequence + 1))
        tx.note(
            subject=assignment_id,
            by=by,
            text=note or "the applicant did not come",
        )


def excuse(tx: Transaction, left: Assignment, *, address: str = "") -> None:
    """Cancel the calendar date of a reviewer who has declined, and tell the others.

    The date stays for the others; the next reviewer of the seat finds it with the request. A
    request without a valid date needs nothing.
    """
    slot = tx.interview(left.pull_id)
    if slot is None or not slot.stands:
        return
    with writing_in(tx.rules().language):  # not the language of the reviewer who declines
        tx.queue_mail(_excuses(tx, left, slot, address=address))


def _excuses(tx: Transaction, left: Assignment, slot: Interview, *, address: str) -> list[Mail]:
    """Write to a reviewer who has declined, and to the others of their date."""
    people = {r.number: r for r in tx.reviewers()}
    kind = tx.rules().kinds[left.kind].name
    cycle = tx.cycle
    about = {"kind": kind, "when": moment(slot.starts_at, slot.zone), "program": cycle.name}
    mails = []
    guest = people[left.reviewer]
    # Reviewers of a blind program do not learn who else was asked.
    named = "" if tx.rules().blind else guest.name
    missing = about | {"Kind": kind.capitalize(), "who": named or gettext("An interviewer")}
    if guest.email:
        # Calendars follow the highest sequence, so the cancellation needs one of its own.
        over = replace(slot, cancelled=True, sequence=slot.sequence + 1)
        letter = MailText(
            subject=gettext("You are excused: %(kind)s on %(when)s") % about,
            parts=(
                gettext('You do not take part in the %(kind)s in "%(program)s" on %(when)s.')
                % about,
            ),
            calendar=invitation_of(
                over, left, guest=guest, cycle=cycle, kind=kind, stamp=tx.now, address=address
            ),
        )
        mails.append(letter.to(guest.email, mail_id=f"{cycle.task_code(left.id)}:slot:excused"))
    for other in tx.assignments_of([left.pull_id]):
        told = people[other.reviewer]
        if other.id == left.id or not other.status.is_open or not told.email:
            continue
        letter = MailText(
            subject=gettext("%(Kind)s on %(when)s: %(who)s cannot come") % missing,
            parts=(
                gettext('%(who)s cannot join you in "%(program)s" on %(when)s.') % missing,
                gettext("The date stays; another reviewer is asked."),
            ),
        )
        code = cycle.task_code(other.id)
        mails.append(
            letter.to(told.email, mail_id=f"{code}:slot:without:{left.seat}.{left.attempt}")
        )
    return mails


def _check(slot: InterviewSlot) -> None:
    if not 1 <= slot.minutes <= LONGEST_MEETING:
        raise InvalidInputError("interview_length_out_of_range", most=LONGEST_MEETING)
    if slot.starts_at.tzinfo is None:
        raise InvalidInputError("interview_without_time_zone")
    for what, text, most in (
        ("a place", slot.place, LONGEST_PLACE),
        ("a link", slot.link, LONGEST_LINK),
    ):
        if len(text) > most or not text.isprintable():
            raise InvalidInputError("line_too_long", what=what, most=most)
    if slot.link and (not slot.link.startswith(("https://", "http://")) or " " in slot.link):
        raise InvalidInputError("link_not_https")


def _interview(slot: InterviewSlot, old: Interview | None, *, zone: str, by: str) -> Interview:
    return Interview(
        pull_id=slot.pull_id,
        starts_at=slot.starts_at,
        minutes=slot.minutes,
        zone=zone,
        place=slot.place,
        link=slot.link,
        sequence=0 if old is None else old.sequence + 1,
        by=by,
    )


def _same(old: Interview, new: Interview) -> bool:
    return replace(old, sequence=new.sequence, by=new.by, told=new.told) == new


def _moves(old: Interview | None, new: Interview) -> bool:
    """Whether a date takes other time than before."""
    if old is None or not old.stands:
        return True
    return (old.starts_at, old.minutes) != (new.starts_at, new.minutes)


def _as_stored(date: Interview) -> dict[str, object]:
    return {**asdict(date), "starts_at": date.starts_at.isoformat()}


def _told(slot: Interview | None) -> dict[str, object]:
    """Return what a stored slot says, by the name of the field."""
    if slot is None:
        return {}
    starts = slot.starts_at.astimezone(ZoneInfo(slot.zone))
    content = {"starts": f"{starts:%Y-%m-%d %H:%M}", "minutes": slot.minutes, "place": slot.place}
    return content if slot.stands else {**content, "cancelled": True}
