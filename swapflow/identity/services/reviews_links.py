"""The link in a reviewer's mail: it signs them in, once, until their reviews are due.

Opening it changes nothing; a button does. Nothing here tells a stranger whether an address is
known: who holds no token gets the same answer as for one that never was.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from swapflow.domain.personal_link import LeadsTo, PersonalLink, digest_of_token
from swapflow.domain.rules import SignInPolicy
from swapflow.errors import NotFoundError, NotSignedInError
from swapflow.identity.account import Method, Session
from swapflow.identity.ports.identity_store import IdentityStore
from swapflow.identity.services.context import IdentityContext
from swapflow.identity.services.one_time_links import INVITATION_DAYS, account_for, masked
from swapflow.identity.services.sign_in import SignInService
from swapflow.identity.services.tries import link_requests


INBOX = "/inbox"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewsLink:
    """What a page may show of a link before it is used.

    Attributes:
        email: Where its mail went.
        shown: The address, reduced to its first letter and its host.
        next: Path to go to afterwards.
        is_good: Whether it still signs in.
        needs_provider: Whether the program is opened through the identity provider alone.
    """

    mail_id: str
    email: str
    shown: str
    next: str
    is_good: bool
    needs_provider: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewsLinkService:
    """Reviewers come in by the link of a mail."""

    context: IdentityContext
    sign_in: SignInService

    def check(self, token: str) -> ReviewsLink:
        """Read a link without using it.

        Raises:
            NotFoundError: If it is unknown, or its reviewer is on the roster no more.
        """
        store = self.context.ledger
        found = store.personal_link(digest_of_token(token))
        if found is None or found.link.leads_to is not LeadsTo.REVIEWS:
            raise NotFoundError("link_unknown")
        link, email = found.link, found.to.strip().lower()
        # The roster may name another address by now: the old one was wrong, or another person's.
        if (link.cycle_id, link.reviewer) not in store.seats(email):
            raise NotFoundError("link_unknown")
        ends = [one for one in (link.good_until, self._end_for_staff(email, found.made_at)) if one]
        return ReviewsLink(
            mail_id=link.message_id,
            email=email,
            shown=masked(email),
            next=INBOX,
            is_good=link.used_at is None and all(store.now() < end for end in ends),
            needs_provider=_needs_provider(link, store),
        )

    def enter(self, token: str, *, agent: str, address: str) -> tuple[str, Session, str]:
        """Use a link, once; return the device's secret, its session, and where to go.

        Raises:
            NotFoundError: If it is unknown.
            NotSignedInError: If it was used, is past its day, or leads to the provider.
            ForbiddenError: If the account is closed.
        """
        link = self.check(token)
        if not link.is_good or link.needs_provider:
            raise NotSignedInError("link_used")
        account = account_for(link.email, ledger=self.context.ledger)
        if not self.context.ledger.use_personal_link(link.mail_id):
            raise NotSignedInError("link_used")
        # As with other links: an office of many people asks for many mails, and guesses nothing.
        self.context.give_back_try(link_requests(address))
        return *self.sign_in.start_session(account, method=Method.LINK, agent=agent), link.next

    def _end_for_staff(self, email: str, made_at: datetime) -> datetime | None:
        """Return the earlier end of a link that opens more than reviews; None for no such end."""
        store = self.context.ledger
        account = store.account_of(email)
        if account is None or not store.grants(account.id):
            return None
        # Who decides or administers has more to lose by a mail that lies about for weeks.
        return made_at + timedelta(days=INVITATION_DAYS)


def _needs_provider(link: PersonalLink, store: IdentityStore) -> bool:
    return any(
        one.cycle_id == link.cycle_id and one.sign_in is SignInPolicy.PROVIDER
        for one in store.sign_in_requirements()
    )
