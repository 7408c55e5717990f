"""A letter as a mail: what staff wrote, and below an offer the link by which it is answered."""

from collections.abc import Sequence

from swapflow.domain.personal_link import LeadsTo, PersonalLink
from swapflow.engine.notifications.mail_text import Link, MailText
from swapflow.i18n.languages import gettext


def letter_link(
    cycle_id: str, announcement: int, application: int, offer: int | None
) -> PersonalLink:
    """Return the link of a letter; only one that announces an offer has something to answer."""
    return PersonalLink(
        message_id=f"{cycle_id}:letter:{announcement}:{application}",
        cycle_id=cycle_id,
        leads_to=LeadsTo.OFFER,
        application=application,
        offer_id=offer,
    )


def letter_mail(subject: str, parts: Sequence[str], link: PersonalLink, address: str) -> MailText:
    """Write a letter in the current language."""
    if link.offer_id is None:
        return MailText(subject=subject, parts=tuple(parts))
    return MailText(
        subject=subject,
        parts=(
            *parts,
            Link(link.address(address), gettext("Answer the offer")),
            gettext(
                "Opening the link answers nothing: you choose on its page, with your applicant "
                "number."
            ),
        ),
    )
