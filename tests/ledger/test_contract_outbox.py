"""What the ledger promises of messages and mails that go out, on every database."""

from datetime import timedelta

from swapflow.domain.cycle import START, CycleStatus
from swapflow.domain.reviewing.assignment import AssignmentStatus
from swapflow.ledger.schema import MESSAGE
from swapflow.ledger.sql_ledger import SqlLedger
from tests.ledger.examples import (
    mail,
    people,
    pull,
    seat,
)


OPEN = (AssignmentStatus.QUEUED, AssignmentStatus.DELIVERED, AssignmentStatus.OPENED)


def running(ledger: SqlLedger) -> list[str]:
    people(ledger)
    pulls = [pull(i) for i in range(3)]
    with ledger.write("fall") as tx:
        tx.insert_pulls(pulls)
        tx.insert_assignments(
            [seat(p, created_at=tx.now + timedelta(seconds=-p.application)) for p in pulls]
        )
        tx.set_status(CycleStatus.RUNNING)
    return [seat(p).id for p in pulls]


def test_what_was_sent_without_effect_is_sent_again_after_ever_longer_waits(
    ledger: SqlLedger,
) -> None:
    ids = running(ledger)
    assert [a.id for a in ledger.unsent(again_after=60, at_most=9)] == ids[::-1]

    ledger.mark_sent(ids)
    assert ledger.unsent(again_after=60, at_most=9) == ()
    ledger.set_clock_offset(61)
    assert len(ledger.unsent(again_after=60, at_most=2)) == 2
    ledger.mark_sent(ids[:1])
    ledger.set_clock_offset(61 + 61)
    assert {a.id for a in ledger.unsent(again_after=60, at_most=9)} == set(ids[1:])
    ledger.set_clock_offset(61 + 121)
    assert {a.id for a in ledger.unsent(again_after=60, at_most=9)} == set(ids)
    assert ledger.assignment(ids[0]).sends == 2


def test_what_was_sent_under_a_clock_that_was_set_back_since_is_sent_again_at_once(
    ledger: SqlLedger,
) -> None:
    ids = running(ledger)
    ledger.set_clock_offset(6 * 3600)
    ledger.mark_sent(ids)
    assert ledger.unsent(again_after=60, at_most=9) == ()

    ledger.set_clock_offset(0)

    assert {a.id for a in ledger.unsent(again_after=60, at_most=9)} == set(ids)


def test_a_mail_claimed_under_a_clock_that_was_set_back_since_is_claimed_again(
    ledger: SqlLedger,
) -> None:
    with ledger.write("fall") as tx:
        tx.queue_mail([mail("m1")])
    ledger.claim_mail("m1")
    ledger.mark_relayed(["m1"])
    assert ledger.mails(at_most=9, again_after=60.0) == ()
    ahead = ledger.now() + timedelta(hours=6)
    with ledger._database.writing() as connection:
        connection.execute(MESSAGE.update().values(claimed_at=ahead, relayed_at=ahead))

    assert [m.id for m in ledger.mails(at_most=9, again_after=60.0)] == ["m1"]
    assert ledger.claim_mail("m1") is not None


def test_a_cycle_that_does_not_dispatch_sends_nothing(ledger: SqlLedger) -> None:
    running(ledger)
    with ledger.write("fall") as tx:
        tx.set_status(CycleStatus.PAUSED, paused_at=tx.now)

    assert ledger.unsent(again_after=60, at_most=9) == ()


def test_a_delivery_counts_once_and_writes_no_event(ledger: SqlLedger) -> None:
    ids = running(ledger)

    assert ledger.mark_delivered(ids[:2]) == 2
    assert ledger.mark_delivered(ids) == 1
    assert ledger.mark_delivered(ids) == 0
    assert ledger.mark_delivered([]) == 0
    assert ledger.unsent(again_after=0, at_most=9) == ()
    assert ledger.cycle("fall").position == START


def test_opening_pins_the_rubric_once(ledger: SqlLedger) -> None:
    ids = running(ledger)
    ledger.mark_delivered(ids[:1])

    assert ledger.mark_opened(ids[0], rubric_version=3) is True
    assert ledger.mark_opened(ids[0], rubric_version=4) is False
    assert ledger.mark_opened(ids[1], rubric_version=1) is True

    opened = ledger.assignment(ids[0])
    assert (opened.status, opened.rubric_version) == (AssignmentStatus.OPENED, 3)
    assert opened.opened_at is not None
    with ledger.write("fall") as tx:
        assert [a.id for a in tx.begun_assignments()] == ids[:2]


def test_automatic_reviewers_find_their_open_assignments(ledger: SqlLedger) -> None:
    ids = running(ledger)
    with ledger.write("fall") as tx:
        tx.move_assignments([ids[1]], AssignmentStatus.SCORED, allowed=OPEN)

    assert [a.id for a in ledger.unanswered("fall", [0], at_most=9)] == [ids[2], ids[0]]
    assert [a.id for a in ledger.unanswered("fall", [0], at_most=1)] == [ids[2]]
    assert ledger.unanswered("fall", [1], at_most=9) == ()
    assert ledger.unanswered("fall", [], at_most=9) == ()


def test_a_mail_is_claimed_by_one_and_never_sent_after_it_was_sent(ledger: SqlLedger) -> None:
    with ledger.write("fall") as tx:
        tx.queue_mail([mail("m1"), mail("m2")])
        tx.queue_mail([mail("m1", text="other")])

    claimed = ledger.claim_mail("m1")
    assert claimed is not None
    assert (claimed.state, claimed.text) == ("sending", "You have two reviews.")
    assert ledger.claim_mail("m1") is None
    assert [m.id for m in ledger.mails(at_most=9)] == ["m2"]
    ledger.mark_mail("m1", "sent")
    ledger.claim_mail("m2")
    ledger.mark_mail("m2", "failed", detail="mailbox full")

    assert ledger.claim_mail("m1") is None
    assert ledger.mails(at_most=9) == ()


def test_a_mail_of_a_process_that_died_while_sending_is_sent_by_another_after_ten_minutes(
    ledger: SqlLedger,
) -> None:
    with ledger.write("fall") as tx:
        tx.queue_mail([mail("m1")])

    for minutes, stuck in ((0, False), (9, False), (11, True)):
        ledger.claim_mail("m1")
        claimed = ledger.now() - timedelta(minutes=minutes)
        with ledger._database.writing() as connection:
            connection.execute(MESSAGE.update().values(claimed_at=claimed))

        assert [m.id for m in ledger.mails(at_most=9)] == (["m1"] if stuck else [])
        assert (ledger.claim_mail("m1") is not None) is stuck


def test_a_mail_of_the_office_goes_before_those_of_programs_that_wait_for_longer(
    ledger: SqlLedger,
) -> None:
    with ledger.write("fall") as tx:
        tx.queue_mail([mail("m1"), mail("m2")])
    ledger.office().queue_mail(mail("sign-in:1"))

    assert [m.id for m in ledger.mails(at_most=2)] == ["sign-in:1", "m1"]


def test_a_mail_that_was_not_taken_waits_longer_each_time_and_fails_at_last(
    ledger: SqlLedger,
) -> None:
    with ledger.write("fall") as tx:
        tx.queue_mail([mail("m1")])
    ledger.mark_relayed(["m1"])

    assert ledger.known_mails(["m1", "m2"]) == {"m1"}
    assert ledger.mails(at_most=9, again_after=0.0) != ()
    for _ in range(3):
        assert ledger.claim_mail("m1") is not None
        assert ledger.put_mail_off("m1", "busy", at_most=4)
    assert ledger.mails(at_most=9, again_after=100.0) == ()
    ledger.claim_mail("m1")
    assert not ledger.put_mail_off("m1", "busy", at_most=4)
    assert ledger.mails(at_most=9) == ()
    assert ledger.cycle_mail("fall", "m1").detail == "busy"
