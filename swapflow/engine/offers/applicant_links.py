"""What an applicant finds behind the link in their mail, and what answering it does.

Nothing here says a score, a rank, a waitlist or a name: a mail may be forwarded. Opening a link
changes nothing; an answer needs the application number, and a link that is over is not told from
one that never was.
"""

from dataclasses import dataclass
from datetime import datetime

from swapflow.domain.cohort.applicant_answer import (
    ABOUT_DATES,
    ABOUT_OFFERS,
    ApplicantAnswer,
    ApplicantSaid,
    last_about_offer,
)
from swapflow.domain.cohort.offer import Offer, OfferAnswer
from swapflow.domain.cycle import Cycle, CycleStatus
from swapflow.domain.event import EventType
from swapflow.domain.ids import same_id
from swapflow.domain.people.application import Application
from swapflow.domain.people.interview import Interview
from swapflow.domain.personal_link import LeadsTo, PersonalLink, digest_of_token
from swapflow.domain.rules import Rules
from swapflow.engine.interviews.slots import take_date_back
from swapflow.engine.interviews.told_dates import date_of
from swapflow.engine.notifications.applicant_mail import (
    InterviewOf,
    applicants_calendar,
    tell_applicant,
)
from swapflow.engine.offers.answer_mail import offer_copy
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.writes.transaction import Transaction
from swapflow.errors import InvalidInputError, NotFoundError


BY = "the applicant"
"""Who answered, in the record."""

_EFFECTS = {
    ApplicantSaid.ACCEPTED: OfferAnswer.ACCEPTED,
    ApplicantSaid.DECLINED: OfferAnswer.DECLINED,
    ApplicantSaid.TAKEN_BACK: OfferAnswer.WAITING,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerPage:
    """What the page behind a link may show.

    Attributes:
        program: The program's name.
        zone: Whose time its dates are told in.
        kind: Name of the kind of interview, "" for an offer.
        interview: The date that it asks about; None for an offer.
        people: How many interviewers there are.
        line: The line of places of the offer, "" where the program has one line.
        funded: Whether the place is funded; None for an interview.
        until: Up to when an offer may be answered; None for no date.
        said: The last answer, if there is one.
        choices: What may be answered now, the usual one first.
        take_back_until: Until when a decline may be taken back.
        confirms: Whether staff confirm what is answered.
    """

    leads_to: LeadsTo
    cycle_id: str
    program: str
    zone: str
    application: Application
    kind: str = ""
    interview: Interview | None = None
    people: int = 0
    line: str = ""
    funded: bool | None = None
    until: datetime | None = None
    said: ApplicantAnswer | None = None
    choices: tuple[ApplicantSaid, ...] = ()
    take_back_until: datetime | None = None
    confirms: bool = False


def open_link(token: str, *, ledger: Ledger) -> AnswerPage:
    """Read what a link asks its applicant; changes nothing.

    Raises:
        NotFoundError: If it is unknown, or over: its date is past or replaced, the offer taken
            back, the application withdrawn or erased.
    """
    link = _link(token, ledger=ledger)
    # Under the lock, as the answer is: the two halves of a change are never seen apart.
    with ledger.write(link.cycle_id) as tx:
        return _page(tx, link)


def calendar_of(token: str, *, ledger: Ledger) -> str:
    """Return the date behind a link as a calendar entry; the link to join is in it once they come.

    Raises:
        NotFoundError: If the link is over, or is about an offer or a date that was given back.
    """
    page = open_link(token, ledger=ledger)
    if page.interview is None or not page.interview.stands:
        raise NotFoundError("answer_link_over")
    date = InterviewOf(interview=page.interview, applicant=page.application, kind=page.kind)
    comes = _of(page.said) is ApplicantSaid.COMING
    return applicants_calendar(date, program=page.program, stamp=ledger.now(), joins=comes)


def answer_link(
    token: str, number: str, said: ApplicantSaid, *, address: str, ledger: Ledger
) -> AnswerPage:
    """Take an applicant's answer; the same one again changes nothing.

    Args:
        token: The link's.
        number: The application number that was typed.
        said: The answer.
        address: Where the pages are.
        ledger: The ledger.

    Raises:
        NotFoundError: If the link is unknown or over.
        InvalidInputError: If the number is another one, or this cannot be answered now.
    """
    link = _link(token, ledger=ledger)
    with ledger.write(link.cycle_id) as tx:
        page = _page(tx, link)
        if not number.strip() or same_id(number) != same_id(page.application.external_id):
            raise InvalidInputError("application_number_differs")
        if page.said is not None and page.said.answer is said:
            return page
        if said not in page.choices:
            raise InvalidInputError("answer_not_open")
        if link.leads_to is LeadsTo.INTERVIEW:
            _answer_date(tx, link, page, said, address=address)
        else:
            _answer_offer(tx, link, page, said)
        return _page(tx, link)


def _link(token: str, *, ledger: Ledger) -> PersonalLink:
    found = ledger.personal_link(digest_of_token(token))
    if found is None or found.link.leads_to is LeadsTo.REVIEWS:
        raise NotFoundError("answer_link_over")
    return found.link


def _page(tx: Transaction, link: PersonalLink) -> AnswerPage:
    """Read a link's page, or raise where it is over."""
    cycle, rules = tx.cycle, tx.rules()
    assert link.application is not None  # such links are made for an application
    application = tx.application(link.application)
    if not application.status.is_candidate or not application.external_id:
        raise NotFoundError("answer_link_over")
    if link.leads_to is LeadsTo.INTERVIEW:
        return _date_page(tx, link, cycle, application)
    return _offer_page(tx, link, cycle, rules, application)


def _date_page(
    tx: Transaction, link: PersonalLink, cycle: Cycle, application: Application
) -> AnswerPage:
    slot = tx.interview(link.pull_id)
    mine = [
        one
        for one in tx.applicant_answers()
        if one.pull_id == link.pull_id and one.sequence == link.sequence
    ]
    said = mine[-1] if mine else None
    gave_back = said is not None and said.answer.gives_date_back
    if slot is None or slot.starts_at <= tx.now or slot.missed:
        raise NotFoundError("answer_link_over")
    # The date that was given back is one change further on; any other change replaced it.
    if slot.told_as != link.sequence + gave_back or slot.cancelled is not gave_back:
        raise NotFoundError("answer_link_over")
    choices = () if gave_back else tuple(one for one in ABOUT_DATES if one is not _of(said))
    seated, pull = tx.assignments_of([link.pull_id]), tx.pulls([link.pull_id])[link.pull_id]
    return AnswerPage(
        leads_to=link.leads_to,
        cycle_id=cycle.id,
        program=cycle.name,
        zone=slot.zone,
        application=application,
        kind=tx.rules().kinds[pull.kind].name,
        interview=slot,
        people=sum(one.status.is_open for one in seated),
        said=said,
        choices=choices,
    )


def _offer_page(
    tx: Transaction, link: PersonalLink, cycle: Cycle, rules: Rules, application: Application
) -> AnswerPage:
    theirs = [one for one in tx.offers() if one.application == application.number]
    # A later offer replaces this one, and a reopened list takes it from everybody's sight.
    if cycle.status is not CycleStatus.FINALIZED or not theirs or theirs[-1].id != link.offer_id:
        raise NotFoundError("answer_link_over")
    offer = theirs[-1]
    is_late = offer.until is not None and offer.until <= tx.now
    if offer.answer in {OfferAnswer.NO_ANSWER, OfferAnswer.TAKEN_BACK} or (
        offer.answer is OfferAnswer.WAITING and is_late
    ):
        raise NotFoundError("answer_link_over")
    said = last_about_offer(tx.applicant_answers(), offer.id)
    line = next((line for line in rules.lines if line.name == offer.line), rules.lines[-1])
    return AnswerPage(
        leads_to=link.leads_to,
        cycle_id=cycle.id,
        program=cycle.name,
        zone=rules.zone,
        application=application,
        line=offer.line if len(rules.lines) > 1 else "",
        funded=line.funded if len(rules.lines) > 1 else None,
        until=offer.until,
        said=said,
        choices=_open_answers(offer, said, tx.now, confirms=rules.confirm_answers),
        take_back_until=offer.held_until if offer.is_held(tx.now) else None,
        confirms=rules.confirm_answers,
    )


def _open_answers(
    offer: Offer, said: ApplicantAnswer | None, now: datetime, *, confirms: bool
) -> tuple[ApplicantSaid, ...]:
    """Return what may be answered to an offer now."""
    if offer.is_held(now):
        return (ApplicantSaid.TAKEN_BACK,)
    if offer.answer is not OfferAnswer.WAITING:
        return ()
    # What staff are still to confirm is with them: another answer would cross theirs.
    if confirms and _of(said) in {ApplicantSaid.ACCEPTED, ApplicantSaid.DECLINED}:
        return ()
    return tuple(one for one in ABOUT_OFFERS if one is not _of(said))


def _of(said: ApplicantAnswer | None) -> ApplicantSaid | None:
    return said.answer if said else None


def _answer_date(
    tx: Transaction, link: PersonalLink, page: AnswerPage, said: ApplicantSaid, *, address: str
) -> None:
    """Store an answer about a date; one that cannot be kept is given back."""
    slot, pull = page.interview, tx.pulls([link.pull_id]).get(link.pull_id)
    if slot is None or pull is None:
        raise NotFoundError("answer_link_over")
    stored = tx.add_applicant_answer(
        page.application.number, said, pull_id=link.pull_id, sequence=link.sequence
    )
    _record(tx, page.application.number, said)
    if said.gives_date_back:
        slot = take_date_back(tx, pull, slot, by=BY, address=address)
    tell_applicant(tx, date_of(tx, pull, slot), stored)


def _answer_offer(
    tx: Transaction, link: PersonalLink, page: AnswerPage, said: ApplicantSaid
) -> None:
    """Store an answer about an offer; it takes effect at once unless staff confirm it."""
    assert link.offer_id is not None  # a link to an offer names it
    number = page.application.number
    stored = tx.add_applicant_answer(number, said, offer_id=link.offer_id)
    _record(tx, number, said)
    effect = _EFFECTS.get(said)
    if effect is not None and not page.confirms:
        tx.answer_offer(link.offer_id, effect)
        tx.record(EventType.OFFER_ANSWERED, {"a": number, "answer": effect.value})
    if page.application.email:
        copy = offer_copy(tx, page.application, stored, confirms=page.confirms)
        tx.queue_mail([copy])


def _record(tx: Transaction, number: int, said: ApplicantSaid) -> None:
    tx.record(EventType.APPLICANT_ANSWERED, {"a": number, "answer": said.value})
