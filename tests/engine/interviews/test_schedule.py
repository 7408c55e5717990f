"""What is known about interviewers' time, the dates proposed by it, and double bookings."""

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from itertools import combinations
from zoneinfo import ZoneInfo

import pytest

from swapflow.domain.free_days import WEEKENDS_ALONE, FreeDays
from swapflow.domain.people.interview import Diary
from swapflow.domain.people.reviewer import Absence, NewReviewer
from swapflow.domain.rules import KindRules, SeatLine
from swapflow.engine.interviews.proposal import DateProposal
from swapflow.engine.interviews.schedule import (
    DoubleBookingError,
    InterviewerTime,
    first_day,
    hours_of,
)
from swapflow.engine.interviews.slots import InterviewSlot
from swapflow.errors import InvalidInputError, StaleRevisionError
from tests.engine.cycle_by_hand import CYCLE, RULES, World, applicants, reviewers


BERLIN = "Europe/Berlin"
PANEL = KindRules(name="interview", cost=1, gain=1.0, maximum=1, seats=2, quorum=2)
PANELS = replace(
    RULES,
    kinds=(PANEL,),
    lines=(SeatLine(name="all", places=1),),
    floors=(replace(RULES.floors[0], kind="interview"),),
    zone=BERLIN,
    budget=200,
)
TEN = datetime(2031, 3, 10, 9, 0, tzinfo=UTC)  # ten o'clock in Berlin, a Monday


def people(count: int = 4) -> list[NewReviewer]:
    return [
        replace(one, name=f"Reviewer {n}", email=f"r{n}@example.org", capacity={"interview": None})
        for n, one in enumerate(reviewers(count), start=1)
    ]


def world(*, count: int = 6, roster: int = 4, url: str = "sqlite://", **changes: object) -> World:
    found = World(
        url=url,
        rules=replace(PANELS, **changes),  # type: ignore[arg-type]  # tests name fields
        applications=count,
        roster=people(roster),
    )
    found.turn()
    return found


def propose(asked: World, **how: int) -> DateProposal:
    return asked.product.reviewers.propose_dates(CYCLE, **how)


def slots_of(proposal: DateProposal) -> list[InterviewSlot]:
    return [
        InterviewSlot(
            pull_id=one.requested.pull.id,
            starts_at=one.starts_at,
            minutes=one.requested.minutes,
        )
        for one in proposal.dates
    ]


def another_program(asked: World, *, count: int = 2) -> list[str]:
    """Launch a second program with the same people; gives its requests."""
    product = asked.product
    product.cycles.new("spring", round_id="round", rules=PANELS, by="ops")
    product.applicants.import_all("spring", applicants(count))
    product.reviewers.import_all("spring", people())
    product.cycles.launch("spring", by="ops")
    coordinator = product.cycles.coordinator("two")
    for _ in range(20):
        coordinator.turn()
    return [one.pull.id for one in product.reviewers.interview_requests("spring")]


def test_twelve_interviews_get_dates_that_keep_notice_hours_and_every_person(url: str) -> None:
    asked = world(count=12, url=url)

    proposal = propose(asked)

    assert (len(proposal.dates), proposal.left) == (12, ())
    assert proposal == propose(asked)
    for one in proposal.dates:
        local = one.starts_at.astimezone(ZoneInfo(BERLIN))
        assert WEEKENDS_ALONE.is_working_day(local.date())
        assert local.date() >= proposal.first
        assert one.starts_at in hours_of(local.date(), 30, BERLIN)
    half = timedelta(minutes=30)
    for one, other in combinations(proposal.dates, 2):
        shared = {r.number for r in one.requested.reviewers} & {
            r.number for r in other.requested.reviewers
        }
        assert not shared or abs(one.starts_at - other.starts_at) >= half
    # What is proposed can be set as it is, by the rule that refuses double bookings.
    slots = slots_of(proposal)
    assert asked.product.reviewers.set_slots(CYCLE, slots, by="ops") == 12
    assert asked.product.reviewers.set_slots(CYCLE, slots, by="ops") == 0
    assert propose(asked).dates == ()
    asked.ledger.dispose()


def test_days_away_and_interviews_of_another_program_are_known(url: str) -> None:
    asked = world(count=2, roster=2, url=url)
    elsewhere = another_program(asked)
    before = propose(asked)
    first = before.dates[0].starts_at
    (busy,) = [
        one
        for one in asked.product.reviewers.interview_requests("spring")
        if one.pull.id == elsewhere[0]
    ]
    numbers = {r.external_id: r.number for r in asked.product.reviewers.list(CYCLE)}
    shared = [r.external_id for r in busy.reviewers if r.external_id in numbers]

    asked.product.reviewers.set_slots(
        "spring", [InterviewSlot(pull_id=busy.pull.id, starts_at=first, minutes=60)], by="ops"
    )
    diary = asked.product.reviewers.diary(CYCLE)
    assert {(b.reviewer, b.pull_id) for b in diary.bookings} == {
        (numbers[name], busy.pull.id) for name in shared
    }
    assert all(
        one.starts_at >= first + timedelta(minutes=60) or one.starts_at < first
        for one in propose(asked).dates
    )

    away = Absence(first=before.first, last=before.first + timedelta(days=4))
    asked.product.tasks.add_absence("spring", 0, away)
    later = propose(asked).dates
    assert len(later) == 2
    assert all(one.starts_at.date() > away.last for one in later)
    asked.ledger.dispose()


def test_a_double_booking_is_refused_with_person_time_and_free_hours() -> None:
    asked = world(count=2, roster=2)
    one, other = (r.pull.id for r in asked.product.reviewers.interview_requests(CYCLE))
    change = asked.product.reviewers.set_slots
    change(CYCLE, [InterviewSlot(pull_id=one, starts_at=TEN, minutes=45)], by="ops")

    with pytest.raises(DoubleBookingError) as refused:
        change(
            CYCLE,
            [InterviewSlot(pull_id=other, starts_at=TEN + timedelta(minutes=30), minutes=30)],
            by="ops",
        )

    assert refused.value.code == "interviewer_booked"
    assert "Reviewer 1 has another interview on Mon 10 Mar 2031, 10:00 (45 min)" in str(
        refused.value
    )
    assert not any(name in str(refused.value) for name in asked.names().values())
    assert [f"{at:%H:%M}" for at in refused.value.free] == ["09:00", "09:30", "11:00"]
    assert other not in asked.ledger.interviews([other])
    # One may begin when the other ends, the same may come again, and two may change places.
    after = InterviewSlot(pull_id=other, starts_at=TEN + timedelta(minutes=45), minutes=45)
    assert change(CYCLE, [after], by="ops") == 1
    assert change(CYCLE, [after], by="ops") == 0
    swapped = [replace(after, pull_id=one), replace(after, pull_id=other, starts_at=TEN)]
    assert change(CYCLE, swapped, by="ops") == 2


def test_two_dates_of_one_act_at_the_same_time_are_refused_and_none_is_set() -> None:
    asked = world(count=2, roster=2)
    pulls = [r.pull.id for r in asked.product.reviewers.interview_requests(CYCLE)]
    slots = [InterviewSlot(pull_id=pull, starts_at=TEN, minutes=30) for pull in pulls]

    with pytest.raises(DoubleBookingError):
        asked.product.reviewers.set_slots(CYCLE, slots, by="ops")

    assert asked.ledger.interviews(pulls) == {}


def test_each_date_of_a_form_is_held_against_the_revision_that_it_was_made_from() -> None:
    asked = world(count=2)
    pulls = [r.pull.id for r in asked.product.reviewers.interview_requests(CYCLE)]
    slot = InterviewSlot(pull_id=pulls[0], starts_at=TEN, minutes=30)
    asked.product.reviewers.set_slots(CYCLE, [slot], by="ops")
    later = replace(slot, starts_at=TEN + timedelta(hours=3), made_from="0")

    with pytest.raises(StaleRevisionError):
        asked.product.reviewers.set_slots(CYCLE, [later], by="ops")


def test_another_room_for_a_date_is_taken_whatever_else_is_at_its_hour() -> None:
    asked = world(count=2, roster=2)
    one, other = (r.pull.id for r in asked.product.reviewers.interview_requests(CYCLE))
    slot = InterviewSlot(pull_id=one, starts_at=TEN, minutes=30)
    asked.product.reviewers.set_slots(CYCLE, [slot], by="ops")
    # As a release before this rule has left it.
    there = asked.ledger.interviews([one])[one]
    with asked.ledger.write(CYCLE) as tx:
        tx.set_interview(replace(there, pull_id=other))

    moved = replace(slot, place="Room 7")

    assert asked.product.reviewers.set_slots(CYCLE, [moved], by="ops") == 1


def test_requests_without_an_hour_are_named_with_the_reason() -> None:
    asked = world(count=2, roster=2)
    now = datetime.now(UTC).date()
    away = Absence(first=now, last=now + timedelta(days=300))
    asked.product.tasks.add_absence(CYCLE, 0, away)

    left, _ = propose(asked).left

    assert left.reason.code == "interview_panel_never_free"
    assert "Reviewer 1, Reviewer 2 are never free" in left.reason


def test_dates_are_proposed_before_the_deadline_and_the_rest_is_named() -> None:
    # The program's day: near midnight it is not that of UTC.
    soon = datetime.now(ZoneInfo(BERLIN)).date() + timedelta(days=1)
    while not WEEKENDS_ALONE.is_working_day(soon):
        soon += timedelta(days=1)
    asked = world(count=6, roster=2, deadline=datetime.combine(soon, time(16), tzinfo=UTC))

    proposal = propose(asked, notice=1)

    assert [len(proposal.dates), len(proposal.left)] == [4, 2]
    assert {one.reason.code for one in proposal.left} == {"interview_no_hour_left"}


@pytest.mark.parametrize("notice", [-1, 41])
def test_a_notice_that_no_one_means_is_refused(notice: int) -> None:
    with pytest.raises(InvalidInputError, match="working days"):
        propose(world(count=2), notice=notice)


def test_the_length_is_that_of_the_kinds_other_interviews() -> None:
    asked = world(count=3)
    assert {one.requested.minutes for one in propose(asked).dates} == {30}
    first = propose(asked).dates[0].requested.pull.id

    asked.product.reviewers.set_slots(
        CYCLE, [InterviewSlot(pull_id=first, starts_at=TEN, minutes=45)], by="ops"
    )

    assert {one.requested.minutes for one in propose(asked).dates} == {45}


@pytest.mark.parametrize(
    ("today", "notice", "first"),
    [
        ("2031-03-11", 3, "2031-03-14"),
        ("2031-03-13", 3, "2031-03-18"),
        ("2031-03-15", 1, "2031-03-17"),
        ("2031-03-11", 0, "2031-03-11"),
    ],
)
def test_notice_is_counted_in_working_days(today: str, notice: int, first: str) -> None:
    noon = datetime.fromisoformat(f"{today}T12:00:00+01:00")

    assert first_day(noon, BERLIN, notice, WEEKENDS_ALONE) == date.fromisoformat(first)


def test_hours_of_a_day_follow_each_other_around_noon_and_the_zone() -> None:
    hours = [f"{at:%H:%M}" for at in hours_of(date(2031, 7, 1), 90, BERLIN)]

    assert hours == ["07:00", "08:30", "11:00", "12:30"]
    assert [f"{at:%H:%M}" for at in hours_of(date(2031, 3, 10), 240, "UTC")] == ["09:00", "13:00"]
    assert hours_of(date(2031, 3, 10), 600, "UTC") == []


def test_notice_and_dates_pass_over_public_holidays_and_closed_days() -> None:
    christmas = FreeDays(region="DE-BW", closed=("2026-12-24 to 2026-12-31",))
    noon = datetime.fromisoformat("2026-12-22T12:00:00+01:00")

    # Wednesday is the first working day; the next after New Year and a Sunday is 4 January,
    # and 6 January is Epiphany in Baden-Württemberg.
    days = [first_day(noon, BERLIN, notice, christmas).isoformat() for notice in (1, 2, 3, 4)]

    assert days == ["2026-12-23", "2027-01-04", "2027-01-05", "2027-01-07"]


def test_no_hour_of_a_public_holiday_is_offered_in_place_of_one_that_is_taken() -> None:
    easter = InterviewerTime(
        diary=Diary(),
        zone=BERLIN,
        now=datetime.fromisoformat("2027-03-25T18:00:00+01:00"),
        free_days=FreeDays(region="DE"),
    )

    offered = easter.next_free([0], 30, easter.now)

    # Thursday evening: Good Friday and Easter Monday have no hour.
    assert {at.date().isoformat() for at in offered} == {"2027-03-30"}
    assert list(easter.free([0], date(2027, 3, 29), 30)) == []


def test_a_proposal_names_the_days_that_it_passed_over(url: str) -> None:
    today = datetime.now(ZoneInfo(BERLIN)).date()
    closed = f"{today} to {today + timedelta(days=30)}"
    asked = world(count=2, url=url, free_days=FreeDays(closed=(closed,)))

    proposal = propose(asked)

    assert proposal.first > today + timedelta(days=30)
    assert len(proposal.dates) == 2
    assert [(one.first, one.name) for one in proposal.passed_over()] == [(today, "")]


def test_an_office_that_is_closed_for_years_still_gets_an_answer() -> None:
    today = datetime.now(ZoneInfo(BERLIN)).date()
    years = tuple(
        f"{today + timedelta(days=366 * n)} to {today + timedelta(days=366 * n + 365)}"
        for n in range(4)
    )

    left = propose(world(count=2, free_days=FreeDays(closed=years))).left

    assert {one.reason.code for one in left} <= {"interview_panel_never_free"}
    assert len(left) == 2
