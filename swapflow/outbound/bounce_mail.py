"""A mail of another server read: whether one of ours came back, which one, and why.

Servers say it by RFC 3464 (a part `message/delivery-status`), some in plain words. Anybody can
write to the address, so nothing is believed without the code of the mail that it tells of.
"""

import email
import hashlib
import re
from collections.abc import Iterator
from email.errors import MessageError
from email.header import decode_header
from email.message import Message
from email.policy import compat32
from email.utils import parseaddr
from itertools import islice

from swapflow.domain.returned_mail import (
    CODE_MARK,
    LONGEST_ANSWER,
    Bounce,
    BounceReading,
    kind_of,
    status_in,
)
from swapflow.engine.notifications.mail_text import one_line
from swapflow.untrusted.limits import MOST_BOUNCE_BYTES, MOST_BOUNCE_PARTS


# Servers change the case of what stands before an @, and quote it in ids with other marks.
_CODE = re.compile(rf"(?<![a-z0-9]){CODE_MARK}[a-z2-7]{{26}}(?![a-z0-9])", re.IGNORECASE)
_NESTS = re.compile(rb"boundary\s*=|message/rfc822", re.IGNORECASE)
_MBOX = re.compile(rb"(?:\A|(?<=\n\n)|(?<=\n\r\n))From [^\n]*\n")
_DAEMONS = frozenset({"mailer-daemon", "postmaster", "mail-daemon", "mailerdaemon"})
_AWAY = re.compile(
    r"^(?:automatic reply|automatische antwort|out of (?:the )?office|abwesen|auto[- ]?reply|"
    r"réponse automatique|respuesta automática)",
    re.IGNORECASE,
)
_LATE = re.compile(r"\bdelayed\b|\bverzögert|still being retried|will keep trying", re.IGNORECASE)
_FAILED = re.compile(
    r"undeliver|could not be delivered|not delivered|delivery (?:has )?failed|returned mail|"
    r"failure notice|permanent(?:ly)? (?:fatal )?(?:error|failed)|unzustellbar|"
    r"(?<!\d)5\d\d[ -]|(?<![\d.])5\.\d{1,3}\.\d{1,3}",
    re.IGNORECASE,
)
_DASHES = re.compile(r"^-{3,}", re.MULTILINE)
_ANSWER = re.compile(r"(?<!\d)5\d\d[ -]")
_HOST = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]{0,99}")
_LONGEST_TEXT = 64_000


def read_bounce(raw: bytes) -> Bounce:
    """Read a mail that came to the address of bounces; no mail makes it fail.

    Args:
        raw: The mail as it arrived. What is beyond `MOST_BOUNCE_BYTES` is not looked at: a report
            begins with what it has to say.
    """
    digest = hashlib.sha256(raw).hexdigest()
    raw = raw[:MOST_BOUNCE_BYTES]
    # Python reads a part inside a part by calling itself.
    if len(_NESTS.findall(raw)) > MOST_BOUNCE_PARTS:
        return Bounce(reading=BounceReading.OTHER, digest=digest)
    try:
        return _read(email.message_from_bytes(raw, policy=compat32), raw, digest)
    # What Python's reader of mails raises for mails that are none is not written down anywhere.
    except (MessageError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return Bounce(reading=BounceReading.OTHER, digest=digest)


def mails_in(content: bytes) -> Iterator[bytes]:
    """Yield the mails of a file: all of an mbox, else the one that it is."""
    if not content.startswith(b"From "):
        yield content
        return
    starts = [match.span() for match in _MBOX.finditer(content)]
    for (_, begin), end in zip(
        starts, [*(start for start, _ in starts[1:]), len(content)], strict=True
    ):
        yield content[begin:end]


def _read(mail: Message, raw: bytes, digest: str) -> Bounce:
    parts = list(islice(mail.walk(), MOST_BOUNCE_PARTS))
    code = _code(raw, parts)
    for part in parts:
        if part.get_content_type() == "message/delivery-status":
            return _by_status(part, code, digest)
    return _by_words(mail, parts, code, digest)


def _by_status(part: Message, code: str, digest: str) -> Bounce:
    """Read the fields of RFC 3464: those of the report, then a block for each recipient."""
    payload = part.get_payload()
    blocks = [one for one in payload if isinstance(one, Message)] if _is_list(payload) else []
    by_action = {_field(one, "Action").lower(): one for one in reversed(blocks)}
    about = next((_field(one, "Reporting-MTA") for one in blocks), "")
    failed = by_action.get("failed")
    if failed is None:
        late = "delayed" in by_action
        told = by_action.keys() & {"delivered", "relayed", "expanded"}
        reading = (
            BounceReading.DELAYED
            if late
            else BounceReading.RECEIPT
            if told
            else BounceReading.OTHER
        )
        return Bounce(reading=reading, digest=digest, code=code, reporter=_host(about))
    said = _after_type(_field(failed, "Diagnostic-Code"))
    status = status_in(_field(failed, "Status"))
    if not status or status.endswith(".0.0"):
        # Exim writes 5.0.0 for everything; the answer that it quotes says more.
        status = status_in(said, otherwise=status)
    return Bounce(
        reading=BounceReading.BOUNCE,
        digest=digest,
        code=code,
        kind=kind_of(status, said),
        status=status,
        said=_short(said),
        reporter=_host(_field(failed, "Remote-MTA")) or _host(about),
    )


def _by_words(mail: Message, parts: list[Message], code: str, digest: str) -> Bounce:
    """Read a report in plain words: only a server's own mail is one."""
    subject, text = _words(mail.get("Subject")), _text(parts)
    sender = parseaddr(_words(mail.get("From")))[1].partition("@")[0].lower()
    by_server = (
        mail.get("X-Failed-Recipients") is not None
        or sender in _DAEMONS
        or _field(mail, "Return-Path") == "<>"
    )
    is_away = bool(_AWAY.match(subject)) or any(
        mail.get(name) is not None for name in ("X-Autoreply", "X-Autorespond", "Vacation")
    )
    told = f"{subject}\n{text}"
    if by_server and not is_away and _LATE.search(subject):
        reading = BounceReading.DELAYED
    elif by_server and not is_away and _FAILED.search(told):
        reading = BounceReading.BOUNCE
    elif is_away or "auto-replied" in _field(mail, "Auto-Submitted").lower():
        reading = BounceReading.AUTO_REPLY
    else:
        reading = BounceReading.OTHER
    if reading is not BounceReading.BOUNCE:
        return Bounce(reading=reading, digest=digest, code=code)
    # Below a line of dashes is our own mail, which may speak of failures too.
    told = _DASHES.split(text)[0]
    lines = [*filter(None, map(str.strip, told.split("\n\n")))]
    answer = next((one for one in told.splitlines() if _ANSWER.search(one)), "")
    said = one_line(answer or (lines[-1] if lines else subject))
    status = status_in(said) or status_in(told)
    return Bounce(
        reading=reading,
        digest=digest,
        code=code,
        kind=kind_of(status, said),
        status=status,
        said=_short(said),
        reporter=_host(parseaddr(_words(mail.get("From")))[1].rpartition("@")[2]),
    )


def _code(raw: bytes, parts: list[Message]) -> str:
    """Find the code: as it arrived, and else in parts that were encoded on the way."""
    found = _CODE.search(raw.decode("ascii", "replace"))
    if found is None:
        found = _CODE.search(_text(parts))
    return found[0].lower() if found else ""


def _text(parts: list[Message]) -> str:
    """Return the plain words of a mail, and its HTML where it has no others."""
    for kind in ("text/plain", "text/html"):
        texts = [
            content.decode("utf-8", "replace")
            for part in parts
            if part.get_content_type() == kind
            and isinstance(content := part.get_payload(decode=True), bytes)
        ]
        if texts:
            return "\n".join(texts)[:_LONGEST_TEXT]
    return ""


def _field(part: Message, name: str) -> str:
    """Return a header on one line, "" where there is none."""
    return one_line(str(part.get(name, "")))[: 4 * LONGEST_ANSWER]


def _words(header: object) -> str:
    """Return a header as a person reads it."""
    pieces = decode_header(str(header or "")[: 4 * LONGEST_ANSWER])
    return one_line(
        "".join(
            piece if isinstance(piece, str) else piece.decode("utf-8", "replace")
            for piece, _ in pieces
        )
    )


def _after_type(text: str) -> str:
    """Return what comes after the type of a field: "smtp; 550 …" is "550 …"."""
    kind, found, rest = text.partition(";")
    return rest.strip() if found and kind.strip().isalnum() else text


def _host(text: str) -> str:
    found = _HOST.fullmatch(_after_type(text).strip().strip("[]").lower())
    return found[0] if found else ""


def _short(text: str) -> str:
    return one_line(text)[:LONGEST_ANSWER]


def _is_list(payload: object) -> bool:
    return isinstance(payload, list)
