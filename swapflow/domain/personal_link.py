"""Links in mails that are for one person alone: to their reviews, their interview, their offer.

A mail is stored with a mask where the token belongs. The token is made when the mail leaves, and
only its digest is kept: log, files, copies of the database and errors show a link that opens
nothing.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from hashlib import sha256


MASK = "••••••••"
"""Where a token belongs in a stored mail."""

CODE_MASK = "•• •• ••"
"""Where a code to be typed belongs in a stored mail."""

SIGN_IN_PATH = "/sign-in/link/"
"""The path before the token of a sign-in link."""

SIGN_IN_MAIL = "sign-in:"
"""What the id of a mail with a sign-in link begins with; the digest of its request follows."""


class LeadsTo(StrEnum):
    """The subject of a personal link."""

    REVIEWS = "reviews"
    INTERVIEW = "interview"
    OFFER = "offer"

    @property
    def path(self) -> str:
        """The path before the token."""
        # Under /sign-in, where browsers send the cookie of a device that signed in before.
        return "/sign-in/reviews/" if self is LeadsTo.REVIEWS else "/answer/"


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonalLink:
    """The link of one mail.

    Attributes:
        message_id: The mail's id.
        reviewer: The reviewer's number; None in a link for an applicant.
        application: The application's number; None in a link for a reviewer.
        offer_id: The offer that it answers.
        pull_id: The request whose interview it answers, "" for none.
        sequence: The interview's: a date that moved has other links.
        good_until: Until when it opens something; None for as long as its subject lasts.
        used_at: When it signed its reviewer in.
    """

    message_id: str
    cycle_id: str
    leads_to: LeadsTo
    reviewer: int | None = None
    application: int | None = None
    offer_id: int | None = None
    pull_id: str = ""
    sequence: int = 0
    good_until: datetime | None = None
    used_at: datetime | None = None

    def address(self, site: str) -> str:
        """Return the address as a stored mail has it, without the token."""
        return f"{site}{self.leads_to.path}{MASK}"

    def fill(self, text: str, token: str) -> str:
        """Put the token where the mask is; other text stays as it is."""
        return text.replace(f"{self.leads_to.path}{MASK}", f"{self.leads_to.path}{token}")


def lacks_sign_in(text: str) -> bool:
    """Whether a stored mail has a mask for a sign-in link; mails of earlier releases have none."""
    return f"{SIGN_IN_PATH}{MASK}" in text


def fill_sign_in(text: str, token: str, code: str) -> str:
    """Put token and code where their masks are in a sign-in mail."""
    return text.replace(f"{SIGN_IN_PATH}{MASK}", f"{SIGN_IN_PATH}{token}").replace(CODE_MASK, code)


def digest_of_code(digest: str, code: str) -> str:
    """Return what is stored of a typed code."""
    # With the digest of its link: equal codes of two mails are stored differently.
    return sha256(f"{digest}{code}".encode()).hexdigest()


def digest_of_token(token: str) -> str:
    """Return what is stored of a token, which is random and long and so needs no salt."""
    return sha256(token.encode()).hexdigest()
