"""How an office is named to people outside of it, and where they ask it."""

from dataclasses import dataclass
from email.utils import parseaddr


@dataclass(frozen=True, slots=True, kw_only=True)
class OfficeContact:
    """An office as reviewers and applicants meet it.

    Attributes:
        name: "" where nobody has named it.
        mail: Mail address for questions.
    """

    name: str = ""
    mail: str = ""


def contact_of(name: str, sender: str) -> OfficeContact:
    """Return how an office is named: by its own name, else by that of the sender of its mails."""
    sender_name, mail = parseaddr(sender)
    # The sender of an installation that nobody has set up yet reads no mail.
    return OfficeContact(
        name=name or sender_name, mail="" if mail.endswith("@localhost") else mail
    )
