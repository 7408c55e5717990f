"""How a mail leaves: over SMTP, or as a file in an outbox folder."""

import smtplib
import ssl
from collections.abc import Callable
from email.message import EmailMessage
from email.utils import formatdate
from pathlib import Path
from typing import Protocol

from pydantic import SecretStr

from swapflow.engine.ports import Mail
from swapflow.errors import UnavailableError


Post = Callable[[Mail], None]


class SmtpSettings(Protocol):
    """What sending over SMTP needs to know."""

    @property
    def mail_from(self) -> str:
        """Sender of every mail."""
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
        """Name to sign in with."""
        ...

    @property
    def smtp_password(self) -> SecretStr | None:
        """Password to sign in with."""
        ...

    @property
    def smtp_timeout(self) -> float:
        """Seconds that the server may take for an answer."""
        ...


def compose(mail: Mail, sender: str) -> EmailMessage:
    """Write a mail: plain text, and HTML and a calendar part where it has them.

    The Message-ID hangs on the mail's own id: sent twice after a crash, it is the same mail.
    """
    message = EmailMessage()
    message["From"] = sender
    message["To"] = mail.to
    message["Subject"] = mail.subject
    message["Date"] = formatdate(usegmt=True)
    message["Message-ID"] = f"<{mail.id.replace(':', '.')}@swapflow>"
    message.set_content(mail.text)
    if mail.html:
        message.add_alternative(mail.html, subtype="html")
    if mail.calendar:
        message.add_attachment(mail.calendar, subtype="calendar", filename="invitation.ics")
    return message


def outbox_folder(folder: Path, sender: str = "swapflow@localhost") -> Post:
    """Write each mail to a file named after its id: what embedded mode does."""

    def post(mail: Mail) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        name = "".join(c if c.isalnum() or c in "-." else "_" for c in mail.id)
        (folder / f"{name}.eml").write_bytes(bytes(compose(mail, sender)))

    return post


def smtp(settings: SmtpSettings) -> Post:
    """Send each mail over SMTP."""

    def post(mail: Mail) -> None:
        try:
            _send(settings, compose(mail, settings.mail_from))
        except (OSError, smtplib.SMTPException) as error:
            raise UnavailableError(
                f"the mail server {settings.smtp_host}:{settings.smtp_port} did not take a mail; "
                "check SWAPFLOW_SMTP_*"
            ) from error

    return post


def _send(settings: SmtpSettings, message: EmailMessage) -> None:
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
        server.send_message(message)
