"""Codes that were mailed: how many wrong ones a right one survives."""

from collections.abc import Iterator

import pytest

from swapflow.domain.personal_link import SIGN_IN_MAIL, digest_of_code, digest_of_token
from swapflow.errors import NotSignedInError
from swapflow.identity.ports.identity_store import IdentityStore
from swapflow.identity.services import IdentityContext, compose_office, one_time_links
from swapflow.ledger.sql_ledger import SqlLedger
from swapflow.state.rate_limits import MemoryLimiter


EMAIL = "boss@example.org"


@pytest.fixture
def store() -> Iterator[IdentityStore]:
    """An office with one account, to whose address the code 012345 was mailed."""
    ledger = SqlLedger("sqlite://")
    office = compose_office(
        IdentityContext(
            ledger=ledger.office(), personal_data=ledger.personal_data(), limiter=MemoryLimiter()
        )
    )
    office.users.add(EMAIL)
    assert one_time_links.mail_link(EMAIL, "/today", site="https://x", ledger=ledger.office())
    # Link and code are made when the mail leaves.
    (mail,) = ledger.mails(at_most=2)
    digest = digest_of_token("a token")
    request = mail.id.removeprefix(SIGN_IN_MAIL)
    assert ledger.add_sign_in_token(request, digest, digest_of_code(digest, "012345"))
    yield ledger.office()
    ledger.dispose()


@pytest.mark.parametrize("wrong", [0, 4])
def test_the_fifth_try_may_still_be_the_right_one(store: IdentityStore, wrong: int) -> None:
    for _ in range(wrong):
        with pytest.raises(NotSignedInError):
            one_time_links.spend_code(EMAIL, "999999", ledger=store)

    account, path = one_time_links.spend_code(EMAIL, "012 345", ledger=store)

    assert (account.email, path) == (EMAIL, "/today")
    with pytest.raises(NotSignedInError):
        one_time_links.spend_code(EMAIL, "012345", ledger=store)


def test_after_five_wrong_ones_the_right_one_is_refused(store: IdentityStore) -> None:
    for _ in range(5):
        with pytest.raises(NotSignedInError):
            one_time_links.spend_code(EMAIL, "999999", ledger=store)

    with pytest.raises(NotSignedInError):
        one_time_links.spend_code(EMAIL, "012345", ledger=store)
