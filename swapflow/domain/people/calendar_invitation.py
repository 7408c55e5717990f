"""Calendar invitations as text (RFC 5545 and 5546), for the calendars of reviewers.

Written by hand: they are only written, in UTC, in a layer without dependencies; a library would
bring time-zone data and a parser. The tests read each one back with such a library.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256

from swapflow.domain.people.interview import Interview


LONGEST_LINE = 75
"""Most octets of a line before it is folded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Guest:
    """The invited person."""

    name: str
    email: str


def uid_of(pull_id: str, reviewer: int) -> str:
    """Return the id of one reviewer's entry for one pull, the same for every change of the slot.

    The id is a digest, since the pull's own id discloses how often an applicant was asked about.
    """
    return sha256(f"{pull_id}/{reviewer}".encode()).hexdigest()[:24] + "@swapflow"


def invitation(
    interview: Interview,
    *,
    uid: str,
    title: str,
    guest: Guest,
    organiser: str,
    stamp: datetime,
    address: str = "",
) -> str:
    """Build the invitation to a slot, or its cancellation when the slot is not valid any more.

    Times are in UTC, so that no calendar has to know a zone's rules to show the right hour.

    Args:
        interview: The slot.
        uid: As from `uid_of`.
        title: One line; in a blind cycle it must not name the applicant.
        guest: The invited person.
        organiser: Mail address that invites; "" leaves the line out.
        stamp: When this text was built.
        address: Where the form is; "" for none.
    """
    off = not interview.stands
    where = " · ".join(part for part in (interview.place, interview.link) if part)
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//swapflow//interviews//EN",
        "CALSCALE:GREGORIAN",
        f"METHOD:{'CANCEL' if off else 'REQUEST'}",
        "BEGIN:VEVENT",
        f"UID:{uid}",
        f"SEQUENCE:{interview.sequence}",
        f"DTSTAMP:{_utc(stamp)}",
        f"DTSTART:{_utc(interview.starts_at)}",
        f"DTEND:{_utc(interview.ends_at)}",
        f"SUMMARY:{_escaped(title)}",
        f"STATUS:{'CANCELLED' if off else 'CONFIRMED'}",
    ]
    if where:
        lines.append(f"LOCATION:{_escaped(where)}")
    if address:
        lines.append(f"DESCRIPTION:{_escaped('The form for your review: ' + address)}")
    if organiser:
        lines.append(f"ORGANIZER:mailto:{_bare(organiser)}")
    if guest.email:
        name = _quoted(guest.name or guest.email)
        lines.append(f"ATTENDEE;CN={name};RSVP=FALSE:mailto:{_bare(guest.email)}")
    lines += ["END:VEVENT", "END:VCALENDAR"]
    return "".join(f"{_folded(line)}\r\n" for line in lines)


def _utc(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y%m%dT%H%M%SZ}"


def _escaped(text: str) -> str:
    """Escape the characters with a meaning of their own, and drop control characters."""
    for sign in ("\\", ";", ","):
        text = text.replace(sign, "\\" + sign)
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\n", "\\n")
    return "".join(sign for sign in text if sign.isprintable())


def _quoted(text: str) -> str:
    # RFC 5545 has no escape for a quotation mark inside a quoted parameter.
    return '"' + "".join(s for s in text.replace('"', "'") if s.isprintable()) + '"'


def _bare(address: str) -> str:
    # An address is not quoted, so these signs would begin another parameter or value.
    return "".join(sign for sign in address if sign.isprintable() and sign not in " ;,")


def _folded(line: str) -> str:
    """Break a line after at most 75 octets, never inside a character."""
    parts, part, size = [], "", 0
    for sign in line:
        octets = len(sign.encode())
        if size + octets > LONGEST_LINE:
            parts.append(part)
            part, size = " ", 1  # the space that begins a continuation counts too
        part += sign
        size += octets
    return "\r\n".join([*parts, part])
