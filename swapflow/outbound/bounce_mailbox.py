"""The mailbox to which mails come back, read by IMAP (RFC 3501): no port is open for it."""

import imaplib
import re
import ssl
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Protocol, TypeVar

from pydantic import SecretStr

from swapflow.engine.notifications.mail_text import one_line
from swapflow.errors import InvalidInputError, UnavailableError
from swapflow.untrusted.limits import MOST_BOUNCE_BYTES


SECONDS = 20.0
"""Seconds that the server may take for an answer."""

MOST_AT_ONCE = 100
"""Mails that one look reads; the next goes on."""

FETCHED = f"(BODY.PEEK[]<0.{MOST_BOUNCE_BYTES}>)"
"""PEEK leaves the mail unread until it has been recorded."""

FOR_NOW = ("[UNAVAILABLE]", "[INUSE]", "[LIMIT]")
"""How a server begins the refusal of what it may grant a moment later (RFC 5530)."""

Answered = TypeVar("Answered")

_NUMBER = re.compile(rb"\d+")


class MailboxSettings(Protocol):
    """The settings of the mailbox."""

    @property
    def bounce_imap_host(self) -> str | None:
        """Server."""
        ...

    @property
    def bounce_imap_port(self) -> int:
        """Port."""
        ...

    @property
    def bounce_imap_security(self) -> str:
        """`tls`, `starttls` or `none`."""
        ...

    @property
    def bounce_imap_user(self) -> str:
        """User name."""
        ...

    @property
    def bounce_imap_password(self) -> SecretStr | None:
        """Password."""
        ...

    @property
    def bounce_imap_folder(self) -> str:
        """Folder."""
        ...


def read_mailbox(settings: MailboxSettings, take: Callable[[bytes], bool]) -> int:
    """Hand each unread mail over, and mark it as read once it was recorded.

    A process that dies between the two reads it again, and finds it known.

    Args:
        settings: The mailbox.
        take: Records a mail; False leaves a flag on it, so that a person finds it there.

    Returns:
        Mails that were handed over.

    Raises:
        InvalidInputError: If no mailbox is set, or the server refuses user, password or folder.
        UnavailableError: If the server does not answer, or says that it cannot now; what it handed
            over before is recorded.
    """
    host, port = settings.bounce_imap_host, settings.bounce_imap_port
    if not host:
        raise InvalidInputError("bounce_mailbox_missing")
    try:
        server = _connected(settings, host)
        try:
            return _read(server, settings, take)
        finally:
            # Said goodbye to or not, what was recorded is recorded.
            with suppress(OSError, imaplib.IMAP4.error):
                server.logout()
    except imaplib.IMAP4.abort as error:
        raise UnavailableError(
            "bounce_mailbox_away", host=host, port=port, problem=one_line(str(error))[:200]
        ) from error
    except imaplib.IMAP4.error as error:
        answer = _answer(error)
        if answer.upper().startswith(FOR_NOW):
            raise UnavailableError("bounce_mailbox_later", host=host, answer=answer) from error
        raise InvalidInputError("bounce_mailbox_refuses", host=host, answer=answer) from error
    except OSError as error:
        raise UnavailableError(
            "bounce_mailbox_away", host=host, port=port, problem=type(error).__name__
        ) from error


def _connected(settings: MailboxSettings, host: str) -> imaplib.IMAP4:
    port, context = settings.bounce_imap_port, ssl.create_default_context()
    if settings.bounce_imap_security == "tls":
        return imaplib.IMAP4_SSL(host, port, ssl_context=context, timeout=SECONDS)
    server = imaplib.IMAP4(host, port, timeout=SECONDS)
    if settings.bounce_imap_security == "starttls":
        server.starttls(context)
    return server


def _read(server: imaplib.IMAP4, settings: MailboxSettings, take: Callable[[bytes], bool]) -> int:
    secret = settings.bounce_imap_password
    server.login(settings.bounce_imap_user, secret.get_secret_value() if secret else "")
    _done(server.select(f'"{settings.bounce_imap_folder}"'))
    found = b" ".join(
        one for one in _done(server.uid("SEARCH", "UNSEEN")) if isinstance(one, bytes)
    )
    count = 0
    for number in _NUMBER.findall(found)[:MOST_AT_ONCE]:
        which = number.decode()
        for part in _done(server.uid("FETCH", which, FETCHED)):
            if isinstance(part, tuple):
                known = take(part[1])
                flags = r"(\Seen)" if known else r"(\Seen \Flagged)"
                _done(server.uid("STORE", which, "+FLAGS.SILENT", flags))
                count += 1
    return count


def _done(answer: tuple[str, Sequence[Answered]]) -> Sequence[Answered]:
    """Return what a server answered; raise where it said no."""
    kind, content = answer
    if kind != "OK":
        raise imaplib.IMAP4.error(content[0] if content else kind)
    return content


def _answer(error: imaplib.IMAP4.error) -> str:
    said = error.args[0] if error.args else ""
    return one_line(said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said))[
        :200
    ]
