"""A mail that comes back is read from a real mailbox and becomes one line of its program."""

from collections import Counter
from collections.abc import Iterator

import pytest

from swapflow.bootstrap import read_returned_mails
from swapflow.domain.returned_mail import TakenIn
from swapflow.engine.ports.records import Mail
from swapflow.engine.services import Swapflow
from swapflow.errors import InvalidInputError, UnavailableError
from swapflow.settings import Settings, load_settings
from tests.engine.cycle_by_hand import CYCLE, World, reviewer
from tests.outbound import bounces
from tests.support.imap_server import PASSWORD, USER, ImapServer
from tests.support.ports import free_port


@pytest.fixture(scope="module")
def server() -> Iterator[ImapServer]:
    with ImapServer() as started:
        yield started


def settings(port: int, *, password: str = PASSWORD) -> Settings:
    return load_settings(
        bounce_imap_host="127.0.0.1",
        bounce_imap_port=port,
        bounce_imap_security="none",
        bounce_imap_user=USER,
        bounce_imap_password=password,
    )


def one_mail() -> Swapflow:
    """A program with one reviewer, to whom one mail waits."""
    world = World(roster=[reviewer("R1", email="r3@example.org")], launch=False)
    mail = Mail(
        id=f"{CYCLE}:waiting:0:1", to="r3@example.org", subject="2 wait", text="t", html="",
        calendar="", state="queued",
    )  # fmt: skip
    with world.ledger.write(CYCLE) as tx:
        tx.queue_mail([mail])
    return world.product


def sent(product: Swapflow) -> bytes:
    """Send the mail that waits; a report that it came back."""
    (record,) = product.outbox.mails(CYCLE)
    assert product.outbox.send_mail(record.mail.id)
    code = product.outbox.mail(CYCLE, record.mail.id).mail.code
    assert code is not None
    return bounces.POSTFIX.replace(bounces.CODE.encode(), code.encode())


def test_a_mailbox_is_read_once_and_what_fits_no_mail_keeps_a_flag(server: ImapServer) -> None:
    product = one_mail()
    for mail in (sent(product), bounces.OUT_OF_OFFICE, bounces.FULL):
        server.deliver(mail)

    first = read_returned_mails(product.returned_mails, settings(server.port))
    again = read_returned_mails(product.returned_mails, settings(server.port))

    assert first == Counter({TakenIn.NEW: 1, TakenIn.PASSED_OVER: 1, TakenIn.STRAY: 1})
    assert again == Counter()
    assert server.flags() == ["S", "S", "FS"]
    (lines,) = product.returned_mails.of_program(CYCLE).reviewers.values()
    assert [line.said for line in lines] == [bounces.POSTFIX_SAID]
    assert product.returned_mails.strays().count == 1


def test_a_mailbox_that_refuses_or_is_away_says_which_setting(server: ImapServer) -> None:
    product = one_mail()

    with pytest.raises(InvalidInputError, match="SWAPFLOW_BOUNCE_IMAP"):
        read_returned_mails(product.returned_mails, settings(server.port, password="other"))
    with pytest.raises(UnavailableError, match="SWAPFLOW_BOUNCE_IMAP"):
        read_returned_mails(product.returned_mails, settings(free_port()))


def test_a_server_that_cannot_now_is_tried_again_and_no_setting_is_blamed(
    server: ImapServer,
) -> None:
    product = one_mail()

    with server.without_passwords(), pytest.raises(UnavailableError, match="cannot be read now"):
        read_returned_mails(product.returned_mails, settings(server.port))
    assert read_returned_mails(product.returned_mails, settings(server.port)) == Counter()
