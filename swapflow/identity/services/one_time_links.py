"""Sign-in without a password: a mailed link, a typed code, an identity provider.

Nothing here discloses whether an address is known: every request for a link gets the same answer,
and a wrong code for a known address fails like any code for an unknown one.
"""

import secrets
from dataclasses import dataclass
from datetime import timedelta
from hmac import compare_digest
from uuid import uuid4

from swapflow.domain.personal_link import (
    CODE_MASK,
    MASK,
    SIGN_IN_MAIL,
    SIGN_IN_PATH,
    digest_of_code,
    digest_of_token,
)
from swapflow.engine.notifications.mail_text import invitation_mail, sign_in_mail
from swapflow.errors import ForbiddenError, InvalidInputError, NotFoundError, NotSignedInError
from swapflow.i18n.languages import use_language
from swapflow.identity.account import Account, SignIn
from swapflow.identity.ports.identity_store import IdentityStore


LINK_MINUTES = 60
INVITATION_DAYS = 7
MOST_WRONG_CODES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class MailedLink:
    """The facts about a mailed link that a page may show before it is used.

    Attributes:
        shown: The address, reduced to its first letter and its host.
        next: Path to go to afterwards.
        is_good: Whether it is still valid.
    """

    email: str
    shown: str
    next: str
    is_good: bool


def is_known(email: str, *, ledger: IdentityStore) -> bool:
    """Whether an address may sign in: an active account, or a seat on a roster."""
    account = ledger.account_of(email)
    return account.active if account is not None else bool(ledger.seats(email))


def mail_link(email: str, path: str, *, site: str, ledger: IdentityStore) -> bool:
    """Queue a mail with a link and a code; return False, without effect, for an unknown address.

    Both are made when the mail leaves: what is stored shows masks.
    """
    if not is_known(email, ledger=ledger):
        return False
    made = _asked(email, path, timedelta(minutes=LINK_MINUTES), ledger=ledger)
    letter = sign_in_mail(_address(site, MASK), CODE_MASK, LINK_MINUTES)
    ledger.add_sign_in(made, letter.to(made.email, mail_id=_mail_id(made)))
    return True


def mail_invitation(account: Account, *, by: str, site: str, ledger: IdentityStore) -> None:
    """Mail a first sign-in link, which is valid for longer and has no code."""
    made = _asked(account.email, "/", timedelta(days=INVITATION_DAYS), ledger=ledger)
    with use_language():  # not the language of the administrator
        letter = invitation_mail(
            by, link=_address(site, MASK), days=INVITATION_DAYS, again=f"{site}/sign-in"
        )
    ledger.add_sign_in(made, letter.to(made.email, mail_id=_mail_id(made)))


def make_link(account: Account, *, site: str, ledger: IdentityStore) -> str:
    """Make a sign-in link that works once and goes by no mail; return its address.

    A person hands it over where no mail can leave.
    """
    token = secrets.token_urlsafe(32)
    good = timedelta(days=INVITATION_DAYS)
    ledger.add_sign_in(_sign_in(account.email, "/", token, good, ledger=ledger), None)
    return _address(site, token)


def check_link(token: str, *, ledger: IdentityStore) -> MailedLink | None:
    """Read a mailed link without using it; None for an unknown one."""
    found = ledger.sign_in(digest_of_token(token))
    if found is None:
        return None
    return MailedLink(
        email=found.email,
        shown=masked(found.email),
        next=found.next,
        is_good=found.used_at is None and found.expires_at > ledger.now(),
    )


def spend_link(token: str, *, ledger: IdentityStore) -> tuple[Account, str]:
    """Use a mailed link, once; return the account and where to go.

    Raises:
        NotSignedInError: If the link was used, is out of date, or is unknown.
        ForbiddenError: If the address may not sign in any more.
    """
    digest = digest_of_token(token)
    found = ledger.sign_in(digest)
    if found is None or not ledger.use_sign_in(digest):
        raise NotSignedInError("link_used")
    return account_for(found.email, ledger=ledger), found.next


def spend_code(email: str, code: str, *, ledger: IdentityStore) -> tuple[Account, str]:
    """Use the newest code mailed to an address; five wrong ones disable it.

    Raises:
        NotSignedInError: If it is wrong, was used, is out of date, or is unknown.
        ForbiddenError: If the address may not sign in any more.
    """
    found = ledger.latest_sign_in(email)
    # Every try is counted before it is checked, so that parallel tries cannot pass the limit.
    if found is None or ledger.count_wrong_code(found.digest) > MOST_WRONG_CODES:
        raise NotSignedInError("code_wrong")
    # Mail programs and people insert spaces into codes.
    typed = digest_of_code(found.digest, "".join(code.split()))
    if not compare_digest(typed, found.code) or not ledger.use_sign_in(found.digest):
        raise NotSignedInError("code_wrong")
    return account_for(found.email, ledger=ledger), found.next


def match_provider(
    subject: str,
    email: str,
    name: str,
    *,
    verified: bool,
    ledger: IdentityStore,
    invited: bool = False,
) -> Account:
    """Find the account of an identity provider's user; create that of a person who belongs here.

    Args:
        subject: `issuer#subject`, which stays the same when the address changes.
        email: The address that the provider states.
        name: The name that it states, used for a new account.
        verified: Whether it says that the address has been checked.
        ledger: The office's record.
        invited: Whether an account is created for who is on no roster: a group gives a role.

    Raises:
        ForbiddenError: If no account matches, or it is closed.
    """
    account = ledger.account_with_subject(subject)
    if account is None:
        if not verified or not email:
            raise ForbiddenError("provider_address_not_verified")
        account = account_for(email, name=name, ledger=ledger, invited=invited)
        # By the store, not by a query beforehand: two first sign-ins may link at the same moment.
        if not ledger.link_subject(account.id, subject):
            raise ForbiddenError("provider_address_of_another")
    if not account.active:
        raise ForbiddenError("account_closed")
    return account


def account_for(
    email: str, *, ledger: IdentityStore, name: str = "", invited: bool = False
) -> Account:
    """Find the account of a proven address, or create it for a person on a roster.

    Raises:
        ForbiddenError: If the account is closed, or the address is on no roster and not invited.
    """
    account = ledger.account_of(email)
    if account is None:
        if not invited and not ledger.seats(email):
            raise ForbiddenError("nobody_at_provider_address")
        account = _made(email, name, ledger=ledger)
    if not account.active:
        raise ForbiddenError("account_closed")
    return account


def masked(email: str) -> str:
    """Return just enough of an address for its owner to recognise it."""
    return f"{email[:1]}…@{email.rpartition('@')[2]}"


def _made(email: str, name: str, *, ledger: IdentityStore) -> Account:
    account = Account(
        id=uuid4().hex,
        email=email.strip().lower(),
        name=name.strip(),
        password="",
        subject="",
        active=True,
        created_at=ledger.now(),
        last_seen_at=None,
    )
    try:
        ledger.add_account(account)
    except InvalidInputError as error:  # created a moment ago, by a second click
        found = ledger.account_of(email)
        if found is None:
            raise NotFoundError("account_not_found_masked", email=masked(email)) from error
        return found
    return account


def _asked(email: str, path: str, good: timedelta, *, ledger: IdentityStore) -> SignIn:
    """Return a request for a link: its own token is forgotten at once and opens nothing."""
    return _sign_in(email, path, secrets.token_urlsafe(32), good, ledger=ledger)


def _sign_in(
    email: str, path: str, token: str, good: timedelta, *, ledger: IdentityStore
) -> SignIn:
    now = ledger.now()
    return SignIn(
        digest=digest_of_token(token),
        email=email.strip().lower(),
        code="",
        next=path,
        created_at=now,
        expires_at=now + good,
        used_at=None,
        tries=0,
    )


def _address(site: str, token: str) -> str:
    return f"{site}{SIGN_IN_PATH}{token}"


def _mail_id(made: SignIn) -> str:
    # The whole digest: by it the sender finds the request for which it makes token and code.
    return f"{SIGN_IN_MAIL}{made.digest}"
