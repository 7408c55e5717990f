"""Sending of mails: by SMTP, or as a file in an outbox folder."""

import re
import smtplib
import ssl
from collections.abc import Callable
from email.errors import HeaderParseError
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import formatdate, parseaddr
from pathlib import Path
from typing import Protocol

from pydantic import SecretStr

from swapflow.domain.ids import CYCLE_ID
from swapflow.domain.people.mail_address import can_be_mailed
from swapflow.engine.notifications.mail_text import one_line
from swapflow.engine.ports.records import Mail
from swapflow.errors import MailRefusedError, RecipientRefusedError, UnavailableError
from swapflow.messages import Message


SendMail = Callable[[Mail], None]

_METHOD = re.compile(r"^METHOD:([A-Z]+)\s*$", re.MULTILINE)
_NOT_IN_IDS = re.compile(r"[^A-Za-z0-9.=-]")
_PERMANENT = 500
_LONGEST = 400


class SmtpSettings(Protocol):
    """The settings for sending by SMTP."""

    @property
    def mail_from(self) -> str:
        """Sender of every mail."""
        ...

    @property
    def bounce_address(self) -> str | None:
        """Where mails come back to; the sender when not set."""
        ...

    @property
    def smtp_host(self) -> str | None:
        """Server."""
        ...

    @property
    def smtp_port(self) -> int:
        """Port."""
        ...

    @property
    def smtp_security(self) -> str:
        """`starttls`, `tls` or `none`."""
        ...

    @property
    def smtp_user(self) -> str | None:
        """User name for the sign-in."""
        ...

    @property
    def smtp_password(self) -> SecretStr | None:
        """Password to sign in with."""
        ...

    @property
    def smtp_timeout(self) -> float:
        """Seconds that the server may take for an answer."""
        ...


class MailSettings(SmtpSettings, Protocol):
    """Those, and the folder that mails wait in without a server."""

    @property
    def data_dir(self) -> Path:
        """Folder of this deployment."""
        ...


def compose(mail: Mail, sender: str) -> EmailMessage:
    """Build a mail: plain text, HTML, and an invitation both inline and as a file.

    The Message-ID follows from the mail's own id and its code: sent twice after a crash, it is the
    same mail. Other servers quote it when the mail comes back, and nobody else can write it.

    Raises:
        MailRefusedError: If the recipient's address is invalid.
    """
    host = parseaddr(sender)[1].rpartition("@")[2] or "localhost"
    message = EmailMessage()
    message["From"] = sender
    message["To"] = _recipient(mail.to)
    message["Subject"] = one_line(mail.subject)
    message["Date"] = formatdate(usegmt=True)
    known_by = ".".join(part for part in (_NOT_IN_IDS.sub(".", mail.id), mail.code) if part)
    message["Message-ID"] = f"<{known_by}@{host}>"
    # Out-of-office replies to a machine are useless.
    message["Auto-Submitted"] = "auto-generated"
    message["X-Auto-Response-Suppress"] = "OOF, AutoReply"
    message["List-Id"] = f"<{_list_of(mail)}.swapflow.{host}>"
    message.set_content(mail.text)
    if mail.html:
        message.add_alternative(mail.html, subtype="html")
    if mail.calendar:
        method = _METHOD.search(mail.calendar)
        named = {"method": method[1] if method else "REQUEST"}
        message.add_alternative(mail.calendar, subtype="calendar", params=named)
        message.add_attachment(
            mail.calendar.encode(), maintype="application", subtype="ics", filename="invite.ics"
        )
    return message


def outbox_folder(folder: Path, sender: str = "swapflow@localhost") -> SendMail:
    """Build a sender that writes each mail to a file named after its id, as in embedded mode."""

    def post(mail: Mail) -> None:
        message = bytes(compose(mail, sender))
        name = "".join(c if c.isalnum() or c in "-." else "_" for c in mail.id)
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            (folder / f"{name}.eml").write_bytes(message)
        except OSError as error:
            raise UnavailableError(
                "mail_file_unwritable", folder=folder, problem=error.strerror
            ) from error

    return post


def sender_of(settings: MailSettings) -> SendMail:
    """Build what mails of a deployment leave by: its mail server, or files without one."""
    return smtp(settings) if settings.smtp_host else outbox_folder(settings.data_dir / "outbox")


def smtp(settings: SmtpSettings) -> SendMail:
    """Build a sender by SMTP."""

    def post(mail: Mail) -> None:
        message = compose(mail, settings.mail_from)
        try:
            _send(settings, message, sender=_envelope_sender(settings, mail))
        except smtplib.SMTPRecipientsRefused as error:
            code, said = next(iter(error.recipients.values()))
            raise _failure(settings, code, said, of_recipient=True) from error
        except smtplib.SMTPDataError as error:
            raise _failure(settings, error.smtp_code, error.smtp_error) from error
        except (OSError, smtplib.SMTPException) as error:
            if isinstance(error, smtplib.SMTPNotSupportedError) and not mail.to.isascii():
                # Tried again it would fail again: the server lacks SMTPUTF8 (RFC 6531).
                raise MailRefusedError(
                    "mail_server_lacks_utf8", host=settings.smtp_host, text=one_line(mail.to)
                ) from error
            raise UnavailableError(
                "mail_server_away", host=settings.smtp_host, port=settings.smtp_port
            ) from error

    return post


def _failure(
    settings: SmtpSettings, code: int, said: bytes | str, *, of_recipient: bool = False
) -> MailRefusedError | UnavailableError:
    """Build the error for a permanent refusal (5xx, RFC 5321), or for a temporary one."""
    words = said.decode(errors="replace") if isinstance(said, bytes) else said
    answered = one_line(f"{code} {words}")[:_LONGEST]
    answer = Message("mail_server_says", host=settings.smtp_host, answer=answered)
    if code >= _PERMANENT and of_recipient:
        return RecipientRefusedError(answer, said=answered)
    return MailRefusedError(answer) if code >= _PERMANENT else UnavailableError(answer)


def _recipient(text: str) -> Address:
    local, _, domain = text.rpartition("@")
    if not can_be_mailed(text):
        raise MailRefusedError("mail_address_malformed", text=one_line(text))
    try:
        address = Address(addr_spec=f"{local}@{domain.encode('idna').decode()}")
    except (ValueError, IndexError, HeaderParseError) as error:
        raise MailRefusedError("mail_address_malformed", text=one_line(text)) from error
    return address


def _list_of(mail: Mail) -> str:
    """Return the List-Id of a mail, for people who sort theirs: a cycle, or the office."""
    cycle = mail.id.partition(":")[0]
    return cycle if CYCLE_ID.fullmatch(cycle) else "office"


def _envelope_sender(settings: SmtpSettings, mail: Mail) -> str | None:
    """Return where other servers send a mail back to; None for the sender in its head."""
    if not settings.bounce_address or not mail.code:
        return settings.bounce_address
    local, _, domain = settings.bounce_address.rpartition("@")
    return f"{local}+{mail.code}@{domain}"


def _send(settings: SmtpSettings, message: EmailMessage, *, sender: str | None) -> None:
    host, port = settings.smtp_host or "", settings.smtp_port
    context = ssl.create_default_context()
    if settings.smtp_security == "tls":
        server: smtplib.SMTP = smtplib.SMTP_SSL(
            host, port, timeout=settings.smtp_timeout, context=context
        )
    else:
        server = smtplib.SMTP(host, port, timeout=settings.smtp_timeout)
    with server:
        if settings.smtp_security == "starttls":
            server.starttls(context=context)
        if settings.smtp_user and settings.smtp_password:
            server.login(settings.smtp_user, settings.smtp_password.get_secret_value())
        server.send_message(message, from_addr=sender)
