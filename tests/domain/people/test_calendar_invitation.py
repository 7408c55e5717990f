"""Invitations say to another reader of calendars what was put into them."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from icalendar import Calendar

from swapflow.domain.people.calendar_invitation import (
    LONGEST_LINE,
    Guest,
    invitation,
    uid_of,
)
from swapflow.domain.people.interview import Interview


STARTS = datetime(2027, 3, 28, 0, 30, tzinfo=UTC)
STAMP = datetime(2027, 1, 4, 9, 15, 30, tzinfo=UTC)


SLOT = Interview(
    pull_id="fall:3:interview:1",
    starts_at=STARTS,
    minutes=45,
    zone="Europe/Zurich",
    place="Room 1",
)


@pytest.mark.parametrize(
    "text",
    [
        "Interview",
        "Interview; room 1, second floor",
        "a back\\slash and a \\n that is none",
        "two\nlines",
        "Gespräch über " + "Bäume und Wälder, " * 12,
        "面接 " * 40,
        "مقابلة",
    ],
)
def test_a_title_and_a_place_are_read_back_as_they_were_written(text: str) -> None:
    written = invitation(
        replace(SLOT, place=text),
        uid=uid_of("fall:3:interview:1", 2),
        title=text,
        guest=Guest(name="Ada", email="ada@example.org"),
        organiser="office@example.org",
        stamp=STAMP,
    )

    event = Calendar.from_ical(written).walk("VEVENT")[0]
    assert str(event["SUMMARY"]) == text
    assert str(event["LOCATION"]) == text
    # RFC 5545, 3.1: octets, without the line break, and the blank of a continuation counts.
    assert max(len(line.encode()) for line in written.split("\r\n")) <= LONGEST_LINE


def test_an_invitation_is_read_back_with_its_time_guest_and_form() -> None:
    written = invitation(
        replace(SLOT, sequence=2, link="https://meet.example.org/1"),
        uid=uid_of("fall:3:interview:1", 2),
        title="Interview",
        guest=Guest(name='Ada "the first", Countess', email="ada@example.org"),
        organiser="office@example.org",
        stamp=STAMP,
        address="https://swapflow.example.org/tasks/x",
    )

    calendar = Calendar.from_ical(written)
    (event,) = calendar.walk("VEVENT")
    assert str(calendar["METHOD"]) == "REQUEST"
    assert str(event["STATUS"]) == "CONFIRMED"
    assert event.decoded("DTSTART") == STARTS
    assert event.decoded("DTEND") == STARTS + timedelta(minutes=45)
    assert event.decoded("DTSTAMP") == STAMP
    assert event.decoded("SEQUENCE") == 2
    assert str(event["UID"]) == uid_of("fall:3:interview:1", 2)
    assert str(event["ATTENDEE"]) == "mailto:ada@example.org"
    assert event["ATTENDEE"].params["CN"] == "Ada 'the first', Countess"
    assert str(event["ORGANIZER"]) == "mailto:office@example.org"
    assert "https://meet.example.org/1" in str(event["LOCATION"])
    assert "https://swapflow.example.org/tasks/x" in str(event["DESCRIPTION"])


def test_a_slot_that_no_longer_stands_is_read_back_as_a_cancellation() -> None:
    written = invitation(
        replace(SLOT, cancelled=True, sequence=3),
        uid="one@swapflow",
        title="Interview",
        guest=Guest(name="", email="ada@example.org"),
        organiser="",
        stamp=STAMP,
    )

    calendar = Calendar.from_ical(written)
    (event,) = calendar.walk("VEVENT")
    assert str(calendar["METHOD"]) == "CANCEL"
    assert str(event["STATUS"]) == "CANCELLED"
    assert event.decoded("SEQUENCE") == 3
