"""The copy of an applicant's answer to an offer."""

from swapflow.domain.cohort.applicant_answer import (
    TAKE_BACK_WITHIN,
    ApplicantAnswer,
    ApplicantSaid,
)
from swapflow.domain.ids import applicant_mail_id
from swapflow.domain.people.application import Application
from swapflow.engine.notifications.mail_text import MailText, one_line
from swapflow.engine.ports.records import Mail
from swapflow.engine.ports.writes.transaction import Transaction
from swapflow.i18n.formatting import moment
from swapflow.i18n.languages import gettext, writing_in


def offer_copy(
    tx: Transaction, applicant: Application, said: ApplicantAnswer, *, confirms: bool
) -> Mail:
    """Write to an applicant what they answered; it holds no link.

    Args:
        tx: The write that stores the answer.
        applicant: Who answered; has a mail address.
        said: The answer.
        confirms: Whether staff are still to confirm it.
    """
    rules = tx.rules()
    with writing_in(rules.language):
        about = {
            "program": one_line(tx.cycle.name),
            "when": moment(said.at + TAKE_BACK_WITHIN, rules.zone),
        }
        parts = [_said(said.answer) % about]
        if confirms and said.answer in {ApplicantSaid.ACCEPTED, ApplicantSaid.DECLINED}:
            parts.append(gettext("The office confirms it and writes to you."))
        elif said.answer is ApplicantSaid.DECLINED:
            parts.append(
                gettext(
                    "Until %(when)s you can take this back with the link in our letter. After "
                    "that the place goes to another applicant."
                )
                % about
            )
        letter = MailText(subject=gettext("Your answer: %(program)s") % about, parts=tuple(parts))
    mail_id = applicant_mail_id(tx.cycle.id, applicant.number, f"answer:{said.id}")
    return letter.to(applicant.email, mail_id=mail_id)


def _said(answer: ApplicantSaid) -> str:
    """Return the sentence for an answer to an offer."""
    match answer:
        case ApplicantSaid.ACCEPTED:
            return gettext('You accepted the place in "%(program)s".')
        case ApplicantSaid.DECLINED:
            return gettext('You declined the place in "%(program)s".')
        case ApplicantSaid.TAKEN_BACK:
            return gettext(
                'You took your decline back. The place in "%(program)s" is still open to you; '
                "please answer the offer by its day."
            )
        case _:
            return gettext(
                'You asked for more time to answer the offer of a place in "%(program)s". The '
                "office answers you; until then the day in our letter counts."
            )
