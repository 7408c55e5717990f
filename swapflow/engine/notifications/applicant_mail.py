"""Mails to applicants about their interview: invitation, move, cancellation, copy of an answer."""

from dataclasses import dataclass, replace
from datetime import datetime

from swapflow.domain.cohort.applicant_answer import ApplicantAnswer, ApplicantSaid
from swapflow.domain.ids import applicant_mail_id
from swapflow.domain.people.application import Application
from swapflow.domain.people.calendar_invitation import Guest, invitation, uid_of
from swapflow.domain.people.interview import Interview
from swapflow.domain.personal_link import LeadsTo, PersonalLink
from swapflow.engine.notifications.mail_text import Link, MailPart, MailText, one_line
from swapflow.engine.ports.writes.transaction import Transaction
from swapflow.i18n.formatting import counted, moment
from swapflow.i18n.languages import gettext, writing_in


APPLICANT = -1
"""Number of the applicant among the guests of an interview, whose others are reviewers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InterviewOf:
    """An interview's date and whose it is."""

    interview: Interview
    applicant: Application
    kind: str

    @property
    def can_be_mailed(self) -> bool:
        """Whether its applicant is still considered, and has an address."""
        return bool(self.applicant.email) and self.applicant.status.is_candidate

    @property
    def request(self) -> str:
        """A name of the request: a digest, for its id says how often an applicant is looked at."""
        return uid_of(self.interview.pull_id, APPLICANT).partition("@")[0][:12]

    def mail_id(self, what: str) -> str:
        """Return the id of a mail about it."""
        return applicant_mail_id(self.applicant.cycle_id, self.applicant.number, what)


def invite_applicant(
    tx: Transaction, date: InterviewOf, *, address: str, moved: bool = False, held: bool = False
) -> list[str]:
    """Queue the applicant's invitation to a date with a link to answer, or its cancellation.

    The mail has no link to join: that comes with the confirmation, to those who confirmed. A
    held mail waits until a person's minutes to undo have passed. The mails' ids are returned.
    """
    if not date.can_be_mailed:
        return []
    mail_id = date.mail_id(f"slot:{date.request}:{date.interview.sequence}")
    link = PersonalLink(
        message_id=mail_id,
        cycle_id=date.applicant.cycle_id,
        leads_to=LeadsTo.INTERVIEW,
        application=date.applicant.number,
        pull_id=date.interview.pull_id,
        sequence=date.interview.sequence,
        good_until=date.interview.starts_at,
    )
    with writing_in(tx.rules().language):  # not the language of the staff member
        letter = _invitation(tx, date, link.address(address), moved=moved)
    tx.queue_mail([letter.to(date.applicant.email, mail_id=mail_id)], held=held)
    if date.interview.stands:
        tx.add_personal_links([link])
    return [mail_id]


def tell_applicant(tx: Transaction, date: InterviewOf, said: ApplicantAnswer) -> None:
    """Queue the copy of an applicant's answer: with the link to join where they come."""
    if not date.can_be_mailed:
        return
    comes = said.answer is ApplicantSaid.COMING
    with writing_in(tx.rules().language):
        about = _about(tx, date)
        parts: list[MailPart] = [
            gettext('You said that you will come: %(kind)s for "%(program)s", %(when)s.') % about
            if comes
            else gettext(
                'You said that you cannot come then: %(kind)s for "%(program)s", %(when)s. The '
                "office offers you another date."
            )
            % about
        ]
        if comes:
            parts += _where(date.interview, with_link=True)
        letter = MailText(
            subject=gettext("Your answer: %(kind)s on %(when)s") % about,
            parts=tuple(parts),
            calendar=_calendar(tx, date, with_link=comes),
        )
    mail_id = date.mail_id(f"answer:{said.id}")
    tx.queue_mail([letter.to(date.applicant.email, mail_id=mail_id)])


def applicants_calendar(date: InterviewOf, *, program: str, stamp: datetime, joins: bool) -> str:
    """Build the applicant's calendar entry.

    Args:
        date: The date.
        program: The program's name.
        stamp: When this text was built.
        joins: Whether it holds the link to join, as after a confirmation.
    """
    slot = date.interview if joins else replace(date.interview, link="")
    return invitation(
        slot,
        uid=uid_of(slot.pull_id, APPLICANT),
        title=f"{date.kind.capitalize()} · {program}",
        guest=Guest(name=date.applicant.name, email=date.applicant.email),
        organiser="",
        stamp=stamp,
    )


def _invitation(tx: Transaction, date: InterviewOf, address: str, *, moved: bool) -> MailText:
    about, interview = _about(tx, date), date.interview
    if not interview.stands:
        return MailText(
            subject=gettext("%(Kind)s on %(when)s does not take place") % about,
            parts=(
                gettext('The %(kind)s for "%(program)s" on %(when)s does not take place then.')
                % about,
            ),
            calendar=_calendar(tx, date, with_link=False),
        )
    parts: list[MailPart] = [
        counted(
            interview.minutes,
            'We invite you: %(kind)s for "%(program)s", %(when)s, %(count)s minute.',
            'We invite you: %(kind)s for "%(program)s", %(when)s, %(count)s minutes.',
            **about,
        ),
        *_where(interview, with_link=False),
        Link(address, gettext("Answer the invitation")),
        gettext(
            "Opening the link answers nothing: you choose on its page, with your applicant "
            "number. If you cannot come, the office offers you another date."
        ),
    ]
    return MailText(
        subject=(
            gettext("New date: %(kind)s on %(when)s")
            if moved
            else gettext("Invitation: %(kind)s on %(when)s")
        )
        % about,
        parts=tuple(parts),
        calendar=_calendar(tx, date, with_link=False),
    )


def _where(interview: Interview, *, with_link: bool) -> list[MailPart]:
    parts: list[MailPart] = []
    if interview.place:
        parts.append(gettext("Place: %(place)s") % {"place": interview.place})
    if interview.link:
        parts.append(
            Link(interview.link, gettext("Join"))
            if with_link
            else gettext("It takes place online; the link to join comes once you confirm.")
        )
    return parts


def _calendar(tx: Transaction, date: InterviewOf, *, with_link: bool) -> str:
    return applicants_calendar(date, program=tx.cycle.name, stamp=tx.now, joins=with_link)


def _about(tx: Transaction, date: InterviewOf) -> dict[str, str]:
    return {
        "kind": date.kind,
        "Kind": date.kind.capitalize(),
        "when": moment(date.interview.starts_at, date.interview.zone),
        "program": one_line(tx.cycle.name),
    }
