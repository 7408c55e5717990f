"""What reviewers are told by mail, when, and that nobody is named."""

from dataclasses import replace
from datetime import timedelta

import pytest

from swapflow.domain.people.reviewer import DeclineKind
from swapflow.domain.personal_link import MASK
from swapflow.domain.reviewing.assignment import OPEN_ASSIGNMENT
from swapflow.domain.rules import Purpose, Rules, SeatLine
from swapflow.domain.rules_text import from_text, to_text
from swapflow.engine.notifications.mail_text import sign_in_mail
from swapflow.engine.notifications.mail_text import waiting_mail as waiting_letter
from swapflow.engine.notifications.review_reminders import STEPS, remind
from swapflow.engine.ports.records import MailRecord
from swapflow.engine.services import compose
from swapflow.errors import (
    ConflictError,
    InvalidInputError,
    MailRefusedError,
    NotFoundError,
    NotReadyError,
    UnavailableError,
)
from swapflow.i18n.languages import use_language
from tests.engine.cycle_by_hand import CYCLE, REVIEW, World, applicant, reviewer, rules


DAY, HOUR = 24.0, 1.0
REAL: Rules = rules(
    purpose=Purpose.REAL,
    packet=10,
    lines=(SeatLine(name="all", places=1),),
    kinds=(replace(REVIEW, window_days=14.0),),
)


def mailed(world: World) -> list[MailRecord]:
    return sorted(world.ledger.cycle_mails(CYCLE, at_most=1000), key=lambda m: m.mail.id)


def ids(world: World, what: str) -> list[str]:
    return [m.mail.id for m in mailed(world) if f":{what}" in m.mail.id]


def one_reviewer(applications: int = 10, **changes: object) -> World:
    world = World(
        rules=replace(REAL, budget=applications, **changes),  # type: ignore[arg-type]  # by name
        applications=applications,
        roster=[reviewer("R1", email="r1@example.org")],
    )
    world.turn()
    return world


def pass_time(world: World, hours: float) -> None:
    world.later(hours=hours)
    world.turn()


# The digest


def test_ten_assignments_make_one_mail_that_says_how_many_and_until_when() -> None:
    world = one_reviewer()

    assert len(world.waiting("R1")) == 10
    (record,) = mailed(world)
    assert record.mail.to == "r1@example.org"
    assert record.mail.subject.startswith("10 reviews wait for you")
    assert "The next one is due by" in record.mail.text
    assert f"/sign-in/reviews/{MASK}" in record.mail.text
    assert f"/sign-in/reviews/{MASK}" in record.mail.html
    assert "They take about 10 min." in record.mail.text


def test_a_delivery_that_is_repeated_mails_once_a_day() -> None:
    world = one_reviewer()
    everything = [a.id for a in world.waiting("R1")]

    world.product.tasks.deliver(everything)
    assert len(ids(world, "waiting")) == 1

    world.later(days=1)
    world.product.tasks.deliver(everything[:1])
    world.product.tasks.deliver(everything)
    assert len(ids(world, "waiting")) == 2


def test_who_has_no_address_gets_no_mail() -> None:
    world = World(rules=REAL, applications=4, roster=[reviewer("R1")])
    world.turn()

    assert world.waiting("R1")
    assert mailed(world) == []


# Reminders


def test_three_reminders_come_before_the_due_time_each_once() -> None:
    world = one_reviewer(applications=3)
    seen = []
    for _ in range(14 * 24 - 1):
        pass_time(world, HOUR)
        seen.append(len(ids(world, "remind")))

    assert [m.split(":")[1] for m in ids(world, "remind")] == ["remind-1", "remind-2", "remind-3"]
    hours_before = [14 * 24 - (seen.index(n) + 1) for n in (1, 2, 3)]
    assert hours_before == [72, 24, 4]
    assert all("3 reviews are due" in m.mail.text for m in mailed(world) if "remind" in m.mail.id)


def test_in_a_short_time_the_reminders_keep_their_distance() -> None:
    world = one_reviewer(applications=2, kinds=(replace(REVIEW, window_days=1.0),))

    pass_time(world, 15)
    assert ids(world, "remind") == []
    pass_time(world, 2)
    assert len(ids(world, "remind-1")) == 1


def test_nobody_with_nothing_due_is_reminded() -> None:
    world = one_reviewer(applications=2)
    for assignment in world.waiting("R1"):
        world.submit(assignment, 0.5)

    pass_time(world, 13.9 * DAY)

    assert ids(world, "remind") == []


def test_a_late_look_sends_the_latest_step_alone() -> None:
    world = one_reviewer(applications=2)

    pass_time(world, 13.5 * DAY)

    assert [m.split(":")[1] for m in ids(world, "remind")] == ["remind-2"]


def test_a_paused_cycle_reminds_nobody_and_goes_on_by_the_new_dates() -> None:
    world = one_reviewer(applications=2)
    world.product.cycles.pause(CYCLE, by="ops")
    pass_time(world, 13 * DAY)
    assert remind(CYCLE, ledger=world.ledger, address="") == 0

    world.product.cycles.resume(CYCLE, by="ops")
    world.turn()
    assert ids(world, "remind") == []
    pass_time(world, 12 * DAY)
    assert len(ids(world, "remind")) == 1


def test_two_coordinators_remind_once() -> None:
    world = one_reviewer(applications=2)
    world.later(days=12)

    first = remind(CYCLE, ledger=world.ledger, address="")
    again = remind(CYCLE, ledger=world.ledger, address="")

    assert (first, again) == (1, 0)


def test_the_coordinator_looks_once_an_hour() -> None:
    world = one_reviewer(applications=2)
    pass_time(world, 10.9 * DAY)
    world.later(hours=0.5)
    before = world.ledger.now()
    world.turn()
    due = world.waiting("R1")[0].due_at
    assert due is not None
    assert ids(world, "remind") == []

    world.later(hours=(due - before - timedelta(days=3)).total_seconds() / 3600 + 1)
    world.turn()
    assert len(ids(world, "remind-1")) == 1


def test_every_step_comes_before_the_due_time() -> None:
    assert [step.number for step in STEPS] == [1, 2, 3]
    assert all(step.before > timedelta() and 0 < step.share < 1 for step in STEPS)


# Language


@pytest.mark.parametrize("tag", ["de", "", "gone"])
def test_reviewers_are_written_to_in_the_language_of_their_program(tag: str) -> None:
    world = one_reviewer(language=tag)
    with use_language("en"):  # the language of the person who presses the button
        world.product.reviewers.nudge(CYCLE, "R1", by="Ada of the office")
    pass_time(world, 13 * DAY)

    mails = [m.mail for m in mailed(world)]
    said = {"Gutachten" in mail.text for mail in mails}
    kinds = {mail.id.split(":")[1].partition("-")[0] for mail in mails}
    assert kinds == {"waiting", "nudge", "remind"}
    assert said == {tag == "de"}


def test_a_language_that_says_nothing_is_not_stored_so_that_older_processes_read_rules() -> None:
    assert "language" not in to_text(REAL)
    assert from_text(to_text(replace(REAL, language="de"))).language == "de"


# Nudges


def test_staff_may_ask_a_reviewer_once_a_day() -> None:
    world = one_reviewer()

    world.product.reviewers.nudge(CYCLE, "R1", by="Ada of the office")
    with pytest.raises(ConflictError, match="today"):
        world.product.reviewers.nudge(CYCLE, "R1", by="Ada of the office")
    world.later(days=1)
    world.product.reviewers.nudge(CYCLE, "R1", by="Ada of the office")

    nudges = [m.mail for m in mailed(world) if ":nudge:" in m.mail.id]
    assert len(nudges) == 2
    assert "Ada of the office asks you" in nudges[0].text


def test_a_nudge_that_makes_no_sense_is_refused() -> None:
    world = one_reviewer(applications=2)
    world.hire([reviewer("R2")])

    with pytest.raises(NotFoundError):
        world.product.reviewers.nudge(CYCLE, "R9", by="ops")
    with pytest.raises(InvalidInputError, match="no mail address"):
        world.product.reviewers.nudge(CYCLE, "R2", by="ops")
    for assignment in world.waiting("R1"):
        world.submit(assignment, 0.5)
    with pytest.raises(NotReadyError, match="nothing waits"):
        world.product.reviewers.nudge(CYCLE, "R1", by="ops")


# Nobody is named


def test_no_mail_names_an_applicant() -> None:
    people = [
        applicant(f"A{n}", name=f"Zebedee Quux{n}", email=f"quux{n}@example.com")
        for n in range(1, 4)
    ]
    world = World(
        rules=replace(REAL, blind=True),
        applications=people,
        roster=[reviewer(f"R{n}", email=f"r{n}@example.org") for n in (1, 2)],
    )
    world.turn()
    for known in ("R1", "R2"):
        if world.waiting(known):
            world.product.reviewers.nudge(CYCLE, known, by="ops")
    for hours in (11.5 * DAY, 2 * DAY, 10 * HOUR):
        pass_time(world, hours)
    declined = next(a for r in ("R1", "R2") for a in world.waiting(r))
    world.product.tasks.decline(declined.id, DeclineKind.UNQUALIFIED, by="r")
    pass_time(world, DAY)

    records = mailed(world)
    kinds = {m.mail.id.split(":")[1] for m in records}
    assert kinds == {"waiting", "nudge", "remind-1", "remind-2", "remind-3"}
    for record in records:
        everything = f"{record.mail!r}"
        for person in people:
            assert person.name not in everything
            assert person.email not in everything
            assert f"'{person.external_id}" not in everything
            assert person.external_id not in record.mail.subject


# The letters


def test_values_are_escaped_in_html_and_cannot_start_a_header() -> None:
    letter = waiting_letter(
        "R&D <script>alert(1)</script>\r\nBcc: x@example.org",
        count=1,
        due="",
        link='https://example.org/"><script>',
    )
    mail = letter.to("r@example.org", mail_id="fall:waiting:0:2026-01-01")

    assert "<script>" not in mail.html
    assert "\n" not in mail.subject
    assert "\r" not in mail.subject
    assert "One review waits for you in" in mail.text


def test_the_way_in_is_in_both_forms() -> None:
    letter = sign_in_mail("https://example.org/sign-in/abc", "K7P2-9Q", 15)

    for words in (letter.text, letter.html):
        assert "https://example.org/sign-in/abc" in words
        assert "K7P2-9Q" in words
        assert "15 minutes" in words


# What becomes of a mail that is not taken


class Server:
    """A mail server that answers as it is told to, and counts."""

    def __init__(self, *errors: Exception | None) -> None:
        self.errors = list(errors)
        self.tries = 0

    def post(self, _mail: object) -> None:
        self.tries += 1
        error = self.errors.pop(0) if self.errors else None
        if error is not None:
            raise error


def waiting_mail(world: World) -> MailRecord:
    (record,) = mailed(world)
    return record


def test_a_mail_that_is_refused_for_good_has_failed_and_says_why() -> None:
    world = one_reviewer(applications=2)
    server = Server(MailRefusedError("mx says 550 no such user"))
    product = compose(replace(world.product.context, post=server.post))
    mail_id = waiting_mail(world).mail.id

    assert product.outbox.send_mail(mail_id) is False
    assert product.outbox.send_mail(mail_id) is False

    record = waiting_mail(world)
    assert (record.mail.state, record.detail) == ("failed", "mx says 550 no such user")
    assert server.tries == 1


def test_a_mail_that_is_not_taken_now_is_tried_again_and_given_up_at_last() -> None:
    world = one_reviewer(applications=2)
    server = Server(*[UnavailableError("busy")] * 20)
    product = compose(replace(world.product.context, post=server.post))
    mail_id = waiting_mail(world).mail.id

    for _ in range(20):
        product.outbox.send_mail(mail_id)

    record = waiting_mail(world)
    assert (record.mail.state, record.detail, record.attempts) == ("failed", "busy", 8)
    assert server.tries == 8
    assert world.product.outbox.queue_again(CYCLE, mail_id)
    assert compose(replace(world.product.context, post=Server().post)).outbox.send_mail(mail_id)
    assert waiting_mail(world).mail.state == "sent"


def test_a_mail_that_is_taken_at_the_second_try_is_sent() -> None:
    world = one_reviewer(applications=2)
    product = compose(
        replace(world.product.context, post=Server(UnavailableError("busy"), None).post)
    )
    mail_id = waiting_mail(world).mail.id

    assert [product.outbox.send_mail(mail_id) for _ in range(3)] == [False, True, False]
    assert world.ledger.assignments(CYCLE, statuses=OPEN_ASSIGNMENT)
