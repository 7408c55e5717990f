"""How a mail looks when it leaves, and what is made of a server's answers."""

from dataclasses import replace
from email import message_from_bytes, message_from_string, policy
from email.message import EmailMessage
from pathlib import Path

import pytest

from swapflow.engine.ports.records import Mail
from swapflow.errors import MailRefusedError, UnavailableError
from swapflow.outbound.mail import compose, outbox_folder, smtp
from swapflow.settings import Settings, SmtpSecurity, load_settings
from tests.support.ports import free_port
from tests.support.smtp_server import SmtpServer


MAIL = Mail(
    id="fall:waiting:3:2026-11-28",
    to="r3@example.org",
    subject="2 reviews wait for you: MS fall",
    text="Two.\n",
    html="<p>Two.</p>",
    calendar="",
    state="sending",
)
CANCEL = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nMETHOD:CANCEL\r\nEND:VCALENDAR\r\n"
SENDER = "Admissions <office@example.edu>"


def settings(port: int) -> Settings:
    return load_settings(
        smtp_host="127.0.0.1",
        smtp_port=port,
        smtp_security=SmtpSecurity.NONE,
        smtp_timeout=5,
        mail_from=SENDER,
    )


def parsed(message: EmailMessage) -> EmailMessage:
    return message_from_bytes(bytes(message), policy=policy.default)


def test_a_mail_has_a_plain_and_an_html_form_and_headers_for_machines() -> None:
    message = parsed(compose(MAIL, SENDER))

    assert [p.get_content_type() for p in message.walk()] == [
        "multipart/alternative",
        "text/plain",
        "text/html",
    ]
    assert message["Auto-Submitted"] == "auto-generated"
    assert message["List-Id"] == "<fall.swapflow.example.edu>"
    assert message["To"] == "r3@example.org"


def test_a_mail_that_is_sent_twice_is_the_same_mail() -> None:
    first, again = (compose(MAIL, SENDER)["Message-ID"] for _ in range(2))

    assert first == again == "<fall.waiting.3.2026-11-28@example.edu>"


def test_an_invitation_is_shown_in_the_mail_and_goes_along_as_a_file() -> None:
    message = parsed(compose(replace(MAIL, calendar=CANCEL), SENDER))

    shown = next(p for p in message.walk() if p.get_content_type() == "text/calendar")
    (file,) = message.iter_attachments()
    assert shown["Content-Type"].params["method"] == "CANCEL"
    assert "METHOD:CANCEL" in shown.get_content()
    assert file.get_filename() == "invite.ics"
    assert file.get_content() == CANCEL.encode()


@pytest.mark.parametrize(
    "to",
    ["", "nobody", "a@", "a b@example.org", "a@example.org\r\nBcc: x@example.org", "a@x, b@x"],
)
def test_an_address_that_is_none_is_refused_for_good(to: str) -> None:
    with pytest.raises(MailRefusedError):
        compose(replace(MAIL, to=to), SENDER)


def test_a_subject_cannot_start_a_header() -> None:
    message = parsed(compose(replace(MAIL, subject="Hi\r\nBcc: x@example.org\x00"), SENDER))

    assert message["Bcc"] is None
    assert message["Subject"] == "Hi Bcc: x@example.org"


def test_a_domain_in_other_letters_can_be_written_to() -> None:
    assert compose(replace(MAIL, to="a@bücher.example"), SENDER)["To"] == "a@xn--bcher-kva.example"


def test_the_outbox_folder_keeps_one_file_a_mail(tmp_path: Path) -> None:
    post = outbox_folder(tmp_path / "outbox")
    post(MAIL)
    post(MAIL)

    (file,) = (tmp_path / "outbox").iterdir()
    assert b"2 reviews wait" in file.read_bytes()


def test_an_outbox_that_cannot_be_written_is_tried_again(tmp_path: Path) -> None:
    (tmp_path / "outbox").write_text("a file")

    with pytest.raises(UnavailableError):
        outbox_folder(tmp_path / "outbox")(MAIL)


def test_a_mail_arrives_over_smtp() -> None:
    with SmtpServer() as server:
        smtp(settings(server.port))(MAIL)

    (mail,) = server.mails
    assert message_from_string(mail, policy=policy.default)["Subject"] == MAIL.subject


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        ({"r3@example.org": "550 no such user"}, MailRefusedError),
        ({"r3@example.org": "450 greylisted, come back"}, UnavailableError),
        ({"DATA": "500 no such command"}, MailRefusedError),
        ({"DATA": "554 looks like spam"}, MailRefusedError),
        ({"DATA": "452 disk full"}, UnavailableError),
    ],
)
def test_what_is_refused_for_good_is_told_from_what_may_be_taken_later(
    answer: dict[str, str], error: type[Exception]
) -> None:
    code = next(iter(answer.values()))[:3]
    with SmtpServer(answer) as server, pytest.raises(error, match=code):
        smtp(settings(server.port))(MAIL)


def test_a_server_that_is_away_is_tried_again() -> None:
    with pytest.raises(UnavailableError, match="SWAPFLOW_SMTP"):
        smtp(settings(free_port()))(MAIL)
