"""Mails of other servers are understood: one of ours came back, or not yet, or not at all."""

import random

import pytest

from swapflow.domain.returned_mail import LONGEST_ANSWER, BounceKind, BounceReading, kind_of
from swapflow.outbound.bounce_mail import mails_in, read_bounce
from swapflow.untrusted.limits import MOST_BOUNCE_BYTES
from tests.outbound import bounces


@pytest.mark.parametrize(
    ("mail", "kind"),
    [
        (bounces.POSTFIX, BounceKind.ADDRESS),
        (bounces.EXIM, BounceKind.ADDRESS),
        (bounces.SENDMAIL, BounceKind.ADDRESS),
        (bounces.EXCHANGE, BounceKind.ADDRESS),
        (bounces.GMAIL, BounceKind.ADDRESS),
        (bounces.BY_ADDRESS, BounceKind.ADDRESS),
        (bounces.PLAIN_EXIM, BounceKind.ADDRESS),
        (bounces.PLAIN_QMAIL, BounceKind.ADDRESS),
        (bounces.FULL, BounceKind.FULL),
        (bounces.REFUSED, BounceKind.REFUSED),
        (bounces.EXPIRED, BounceKind.UNREACHED),
    ],
)
def test_each_server_s_report_names_our_mail_and_why_it_came_back(
    mail: bytes, kind: BounceKind
) -> None:
    found = read_bounce(mail)

    assert (found.reading, found.code, found.kind) == (BounceReading.BOUNCE, bounces.CODE, kind)


@pytest.mark.parametrize(
    ("mail", "reading"),
    [
        (bounces.DELAYED, BounceReading.DELAYED),
        (bounces.PLAIN_DELAYED, BounceReading.DELAYED),
        (bounces.OUT_OF_OFFICE, BounceReading.AUTO_REPLY),
        (bounces.RECEIPT, BounceReading.RECEIPT),
        (bounces.ANSWER, BounceReading.OTHER),
        (b"", BounceReading.OTHER),
    ],
)
def test_what_is_no_bounce_is_told_from_one(mail: bytes, reading: BounceReading) -> None:
    assert read_bounce(mail).reading is reading


def test_what_the_other_server_said_is_kept_on_one_line() -> None:
    found = read_bounce(bounces.POSTFIX)

    assert found.said == bounces.POSTFIX_SAID
    assert (found.status, found.reporter) == ("5.1.1", "mx.example.org")


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("550 5.7.1 relaying denied", BounceKind.REFUSED),
        ("554 relay access denied: user unknown", BounceKind.REFUSED),
        ("550 no such user", BounceKind.ADDRESS),
        ("550 mailbox unavailable", BounceKind.ADDRESS),
        ("552 mailbox full", BounceKind.FULL),
        ("550 go away", BounceKind.OTHER),
    ],
)
def test_only_words_about_the_address_condemn_it(said: str, kind: BounceKind) -> None:
    """A server of our own that passes nothing on must not stop the mails to every reviewer."""
    assert kind_of("5.7.1" if "5.7.1" in said else "", said) is kind


def test_no_mail_from_outside_makes_reading_fail() -> None:
    nested = b"Content-Type: multipart/mixed; boundary=a\n\n--a\n" * 5_000
    big = bounces.POSTFIX + b"x" * (3 * MOST_BOUNCE_BYTES)
    long = bounces.report("5.1.1", "550 " + "user unknown " * 5_000)
    draw = random.Random(18)
    broken = []
    for _ in range(300):
        mail = bytearray(draw.choice([bounces.POSTFIX, bounces.GMAIL, bounces.PLAIN_EXIM]))
        for _ in range(draw.randrange(1, 30)):
            mail[draw.randrange(len(mail))] = draw.randrange(256)
        broken.append(bytes(mail))

    assert read_bounce(nested).reading is BounceReading.OTHER
    assert read_bounce(big).code == bounces.CODE
    assert len(read_bounce(long).said) == LONGEST_ANSWER
    assert all(len(read_bounce(one).said) <= LONGEST_ANSWER for one in broken)


def test_a_file_of_mails_is_read_mail_by_mail() -> None:
    mbox = b"".join(b"From MAILER-DAEMON Mon Nov 30\n" + one + b"\n" for one in (
        bounces.POSTFIX, bounces.FULL,
    ))  # fmt: skip

    assert [read_bounce(one).kind for one in mails_in(mbox)] == [
        BounceKind.ADDRESS,
        BounceKind.FULL,
    ]
    assert list(mails_in(bounces.POSTFIX)) == [bounces.POSTFIX]
