"""What the ledger promises on every database."""

import traceback
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import Connection
from sqlalchemy.exc import StatementError

from swapflow.domain.cohort.proposal import Outcome, Verdict, Waiver
from swapflow.domain.cycle import START, CycleStatus, Position, Round
from swapflow.domain.event import EventType
from swapflow.domain.fixed_point import Delta
from swapflow.domain.people.application import ApplicationStatus
from swapflow.domain.people.reviewer import Absence
from swapflow.domain.reviewing.assignment import AssignmentStatus, PullStatus
from swapflow.engine.ports.writes.transaction import Transaction
from swapflow.errors import InvalidInputError, LeaseLostError, NotFoundError
from swapflow.ledger.core.database import RefusedStatementError
from swapflow.ledger.core.statements import insert_all
from swapflow.ledger.schema import DRAFT, MESSAGE
from swapflow.ledger.sql_ledger import SqlLedger
from swapflow.ledger.transaction import SqlTransaction
from tests.ledger.examples import (
    NOON,
    RULES,
    applicant,
    decision,
    mail,
    people,
    place,
    pull,
    reviewer,
    score,
    seat,
    sheet,
)


OPEN = (AssignmentStatus.QUEUED, AssignmentStatus.DELIVERED, AssignmentStatus.OPENED)


def _enter(ledger: SqlLedger, cycle_id: str) -> None:
    with ledger.write(cycle_id):
        pass


def _launch_with_twins(ledger: SqlLedger) -> None:
    with ledger.write("fall") as tx:
        tx.record(EventType.LAUNCHED, {"rules": 1}, spent=5)
        tx.set_status(CycleStatus.RUNNING)
        tx.add_applications([applicant("a")], [1], wave=1)
        tx.add_applications([applicant("a")], [1], wave=1)


# Rounds, cycles, rules


def test_a_round_is_read_as_it_was_created(ledger: SqlLedger) -> None:
    assert ledger.rounds() == (
        Round(id="2027", name="Season 2027", unit="minutes", zone="Europe/Paris"),
    )


def test_an_existing_round_or_cycle_is_refused_and_nothing_changes(ledger: SqlLedger) -> None:
    before = ledger.cycles()

    with pytest.raises(InvalidInputError, match="round '2027' already"):
        ledger.create_round(Round(id="2027", name="Other", unit="h", zone="UTC"))
    with pytest.raises(InvalidInputError, match="cycle 'fall' already"):
        ledger.create_cycle("fall", round_id="2027", name="x", rules=RULES, by="ops")

    assert ledger.cycles() == before
    assert ledger.rounds()[0].name == "Season 2027"


def test_a_cycle_needs_a_round_that_exists(ledger: SqlLedger) -> None:
    with pytest.raises(NotFoundError, match="no round '1999'"):
        ledger.create_cycle("spring", round_id="1999", name="x", rules=RULES, by="ops")


def test_a_new_cycle_is_a_draft_at_the_start(ledger: SqlLedger) -> None:
    cycle = ledger.cycle("fall")

    assert (cycle.status, cycle.position, cycle.rules_version) == (CycleStatus.DRAFT, START, 1)
    assert (cycle.spent, cycle.committed, cycle.decisions, cycle.epoch) == (0, 0, 0, 0)
    assert abs(cycle.created_at - ledger.now()) < timedelta(minutes=1)


def test_every_read_of_an_unknown_cycle_says_so(ledger: SqlLedger) -> None:
    reads: list[Callable[[], object]] = [
        lambda: ledger.cycle("none"),
        lambda: ledger.rules("none"),
        lambda: ledger.events("none", after=START, at_most=1),
        lambda: ledger.applications("none"),
        lambda: ledger.reviewers("none"),
        lambda: ledger.pulls("none"),
        lambda: ledger.assignments("none"),
        lambda: ledger.scores("none"),
        lambda: ledger.decisions("none"),
        lambda: ledger.proposals("none"),
        lambda: ledger.wishes("none"),
        lambda: ledger.counts("none"),
        lambda: ledger.unanswered("none", [0], at_most=1),
        lambda: ledger.due_work("none"),
        lambda: ledger.take_lease("none", holder="x", seconds=1),
        lambda: ledger.check_chain("none"),
        lambda: _enter(ledger, "none"),
    ]

    for read in reads:
        with pytest.raises(NotFoundError, match="no cycle 'none'"):
            read()


def test_rules_are_kept_by_version_and_never_replaced(ledger: SqlLedger) -> None:
    second = replace(RULES, version=2, budget=20_000)
    with ledger.write("fall") as tx:
        tx.set_rules(second, by="ops", reason="more money")
        assert tx.rules() == second

    with pytest.raises(InvalidInputError, match="version 2 already"), ledger.write("fall") as tx:
        tx.set_rules(replace(second, budget=1), by="ops", reason="")

    assert (ledger.rules("fall"), ledger.rules("fall", 1)) == (second, RULES)
    with pytest.raises(NotFoundError, match="no rules version 3"):
        ledger.rules("fall", 3)


def test_a_rubric_version_once_stored_cannot_get_other_criteria(ledger: SqlLedger) -> None:
    criterion = replace(RULES.rubrics[0].criteria[0], weight=2.0)
    changed = replace(RULES.rubrics[0], criteria=(criterion,))

    with (
        pytest.raises(InvalidInputError, match="rubric of review, version 1"),
        ledger.write("fall") as tx,
    ):
        tx.set_rules(replace(RULES, version=2, rubrics=(changed,)), by="ops", reason="")

    assert ledger.cycle("fall").rules_version == 1


# Events and the chain


def test_events_come_back_in_order_with_everything_they_carried(ledger: SqlLedger) -> None:
    with ledger.write("fall") as tx:
        first = tx.record(EventType.LAUNCHED, {"rules": 1})
        second = tx.record(
            EventType.PULLS_OPENED,
            {"pulls": [[0, 0, 1, False]], "why": "floor"},
            deltas=[Delta(application=0, pending=1000)],
            committed=30,
        )
        inside = tx.cycle

    events = ledger.events("fall", after=START, at_most=10)
    assert events is not None
    assert (first, second) == (1, 2)
    assert [e.position.seq for e in events] == [1, 2]
    assert (events[1].type, events[1].payload, events[1].deltas, events[1].committed) == (
        EventType.PULLS_OPENED,
        {"pulls": [[0, 0, 1, False]], "why": "floor"},
        (Delta(application=0, pending=1000),),
        30,
    )
    assert ledger.cycle("fall") == inside
    assert inside.position == events[1].position
    assert inside.committed == 30
    assert ledger.check_chain("fall") is None


def test_reading_goes_on_where_it_ended_and_stops_at_the_limit(ledger: SqlLedger) -> None:
    with ledger.write("fall") as tx:
        for number in range(5):
            tx.record(EventType.REVIEWER_LEFT, {"r": number})

    first = ledger.events("fall", after=START, at_most=2)
    assert first is not None
    rest = ledger.events("fall", after=first[-1].position, at_most=10)
    assert rest is not None
    none = ledger.events("fall", after=rest[-1].position, at_most=10)

    assert [e.payload["r"] for e in (*first, *rest)] == [0, 1, 2, 3, 4]
    assert none == ()


def test_a_position_that_the_ledger_never_had_is_told_apart(ledger: SqlLedger) -> None:
    with ledger.write("fall") as tx:
        tx.record(EventType.LAUNCHED, {"rules": 1})
    head = ledger.cycle("fall").position

    assert ledger.events("fall", after=Position(1, "0" * 64), at_most=5) is None
    assert ledger.events("fall", after=Position(2, head.hash), at_most=5) is None
    assert ledger.events("fall", after=head, at_most=5) == ()


def test_an_error_inside_a_transaction_leaves_nothing_behind(ledger: SqlLedger) -> None:
    before = ledger.cycle("fall")

    with pytest.raises(InvalidInputError, match="twice: a"):
        _launch_with_twins(ledger)

    assert ledger.cycle("fall") == before
    assert ledger.applications("fall") == ()
    assert ledger.events("fall", after=START, at_most=5) == ()


def test_event_types_after_a_number_leave_out_what_is_not_committed(ledger: SqlLedger) -> None:
    with ledger.write("fall") as tx:
        tx.record(EventType.LAUNCHED, {"rules": 1})
        tx.record(EventType.PAUSED, {})
        tx.record(EventType.PAUSED, {})
    with ledger.write("fall") as tx:
        tx.record(EventType.RESUMED, {"shift": 0})

        assert tx.event_types_after(1) == {EventType.PAUSED}
        assert tx.event_types_after(3) == frozenset()


def test_status_pause_and_stop_reason_follow_the_cycle(ledger: SqlLedger) -> None:
    with ledger.write("fall") as tx:
        tx.set_status(CycleStatus.PAUSED, paused_at=NOON)
    paused = ledger.cycle("fall")
    with ledger.write("fall") as tx:
        tx.set_status(CycleStatus.PROPOSED, stop_reason="budget")
    with ledger.write("fall") as tx:
        tx.set_status(CycleStatus.ENDED)
    ended = ledger.cycle("fall")
    with ledger.write("fall") as tx:
        tx.set_status(CycleStatus.RUNNING)
    running = ledger.cycle("fall")

    assert (paused.status, paused.paused_at) == (CycleStatus.PAUSED, NOON)
    assert (ended.status, ended.paused_at, ended.stop_reason) == (
        CycleStatus.ENDED,
        None,
        "budget",
    )
    assert (running.status, running.stop_reason) == (CycleStatus.RUNNING, None)


# Leases


def test_a_lease_keeps_others_out_until_it_is_released(ledger: SqlLedger) -> None:
    first = ledger.take_lease("fall", holder="one", seconds=60)
    assert first is not None
    renewed = ledger.take_lease("fall", holder="one", seconds=120)
    assert renewed is not None
    other = ledger.take_lease("fall", holder="two", seconds=60)
    ledger.release_lease(renewed)
    after = ledger.take_lease("fall", holder="two", seconds=60)
    assert after is not None

    assert (first.epoch, renewed.epoch, other, after.epoch) == (1, 1, None, 2)
    assert renewed.until > first.until


def test_a_lease_that_ran_out_gets_a_new_epoch_even_for_its_holder(ledger: SqlLedger) -> None:
    ledger.take_lease("fall", holder="one", seconds=-1)
    again = ledger.take_lease("fall", holder="one", seconds=60)

    assert again is not None
    assert again.epoch == 2


def test_a_lease_of_a_clock_that_was_set_back_keeps_nobody_out(ledger: SqlLedger) -> None:
    ledger.take_lease("fall", holder="one", seconds=6 * 3600)  # 15 seconds, six hours ahead

    after = ledger.take_lease("fall", holder="two", seconds=15)

    assert after is not None
    assert after.epoch == 2


def test_a_lost_lease_can_neither_write_nor_release(ledger: SqlLedger) -> None:
    old = ledger.take_lease("fall", holder="one", seconds=-1)
    new = ledger.take_lease("fall", holder="two", seconds=60)
    assert old is not None
    assert new is not None

    with pytest.raises(LeaseLostError), ledger.write("fall", epoch=old.epoch) as tx:
        tx.record(EventType.LAUNCHED, {"rules": 1})
    ledger.release_lease(old)

    assert ledger.take_lease("fall", holder="three", seconds=60) is None
    assert ledger.cycle("fall").position == START
    with ledger.write("fall", epoch=new.epoch) as tx:
        tx.record(EventType.LAUNCHED, {"rules": 1})
    assert ledger.cycle("fall").position.seq == 1


def test_the_test_offset_moves_now_but_not_leases(ledger: SqlLedger) -> None:
    ledger.take_lease("fall", holder="one", seconds=60)
    real = ledger.now()

    ledger.set_clock_offset(86_400)

    assert timedelta(hours=23) < ledger.now() - real < timedelta(hours=25)
    with ledger.write("fall") as tx:
        assert abs(tx.now - ledger.now()) < timedelta(seconds=10)
    assert ledger.take_lease("fall", holder="two", seconds=60) is None


# People


def test_applications_are_numbered_as_they_come_and_read_as_they_were_given(
    ledger: SqlLedger,
) -> None:
    with ledger.write("fall") as tx:
        first = tx.add_applications(
            [applicant("z"), applicant("a", ready=False, selection={"field": "x", "b": "y"})],
            [0, 2**64 - 1],
            wave=1,
        )
    with ledger.write("fall") as tx:
        late = tx.add_applications([applicant("m", email="")], [5], wave=2)

    found = ledger.applications("fall")
    assert found == (*first, *late)
    assert [(a.number, a.external_id, a.wave, a.tie) for a in found] == [
        (0, "z", 1, 0),
        (1, "a", 1, 2**64 - 1),
        (2, "m", 2, 5),
    ]
    assert found[1].status is ApplicationStatus.INCOMPLETE
    assert found[1].attributes == {"field": "x", "b": "y"}
    assert found[0].fields == {"essay": "Essay by z"}
    with ledger.write("fall") as tx:
        assert tx.applications([2, 0]) == (found[0], found[2])


def test_an_external_id_used_twice_is_refused_by_name(ledger: SqlLedger) -> None:
    people(ledger)

    with pytest.raises(InvalidInputError, match="twice: a1"), ledger.write("fall") as tx:
        tx.add_applications([applicant("new"), applicant("a1")], [1, 2], wave=2)
    with pytest.raises(InvalidInputError, match="twice: b"), ledger.write("fall") as tx:
        tx.add_applications([applicant("b"), applicant("b")], [1, 2], wave=2)

    assert len(ledger.applications("fall")) == 3


def test_no_method_gives_monitoring_attributes(ledger: SqlLedger) -> None:
    people(ledger)

    seen = f"{ledger.applications('fall')}{ledger.reviewers('fall')}"

    assert "sex" not in seen
    assert "biology" in seen


def test_a_moved_application_is_read_so_and_an_unknown_one_is_refused(ledger: SqlLedger) -> None:
    people(ledger)
    with ledger.write("fall") as tx:
        tx.move_application(1, ApplicationStatus.WITHDRAWN, by="ops", reason="moved abroad")

    assert ledger.applications("fall")[1].status is ApplicationStatus.WITHDRAWN
    with pytest.raises(NotFoundError, match="no application 9"), ledger.write("fall") as tx:
        tx.move_application(9, ApplicationStatus.READY, by="ops", reason="")


def test_the_roster_is_read_as_it_was_given_and_as_it_was_changed(ledger: SqlLedger) -> None:
    people(ledger, reviewers=2)
    before = ledger.reviewers("fall")
    extra = Absence(first=NOON.date() + timedelta(days=9), last=NOON.date() + timedelta(days=9))
    changed = replace(
        before[1],
        active=False,
        capacity={"review": 1},
        topics=("topology", "genetics"),
        packet=3,
        absences=(),
    )
    with ledger.write("fall") as tx:
        tx.change_reviewer(changed)
        tx.add_absence(0, extra)
        tx.add_absence(0, extra)

    assert before[0].topics == ("genetics", "algebra")
    assert before[0].capacity == {"review": 5, "panel": None}
    after = ledger.reviewers("fall")
    assert after[1] == changed
    assert after[0].absences == (*before[0].absences, extra)
    assert ledger.due_work("fall").absences


def test_numbers_of_topics_and_groups_stay_what_they_are(ledger: SqlLedger) -> None:
    with ledger.write("fall") as tx:
        first = [tx.topic_number("algebra"), tx.topic_number("logic"), tx.topic_number("algebra")]
        groups = [tx.group_number("field", "x"), tx.group_number("sex", "f")]
    with ledger.write("fall") as tx:
        second = [tx.topic_number("logic"), tx.topic_number("new")]
        groups.append(tx.group_number("field", "y"))

    assert (first, second, groups) == ([0, 1, 0], [1, 2], [0, 0, 1])


def test_conflicts_known_already_are_not_counted_again(ledger: SqlLedger) -> None:
    people(ledger)
    with ledger.write("fall") as tx:
        assert tx.add_conflicts([(0, 0), (0, 1)], source="import") == 2
        assert tx.add_conflicts([(0, 1), (2, 1), (2, 1)], source="decline") == 1
        assert tx.add_conflicts([], source="import") == 0
        tx.set_panel([(0, 1), (0, 1)])
        tx.set_panel([(0, 0)])


# Pulls, assignments, scores


def test_pulls_and_assignments_inserted_twice_are_there_once_and_unchanged(
    ledger: SqlLedger,
) -> None:
    people(ledger)
    one, panel = pull(0), pull(1, kind=1)
    seats = [seat(panel, 1, number=2), seat(panel, 0), seat(one, due_at=NOON)]
    with ledger.write("fall") as tx:
        tx.insert_pulls([panel, one])
        tx.insert_assignments(seats)
    with ledger.write("fall") as tx:
        tx.insert_pulls([replace(one, status=PullStatus.CLOSED), pull(2)])
        tx.insert_assignments([replace(seats[2], packet=9)])

    assert ledger.pulls("fall") == (one, panel, pull(2))
    assert ledger.assignments("fall") == (seats[2], seats[1], seats[0])
    assert ledger.assignment(seats[0].id) == seats[0]
    with pytest.raises(NotFoundError):
        ledger.assignment("fall:9:review:1:1.1")


def test_filters_choose_and_no_filter_takes_all(ledger: SqlLedger) -> None:
    people(ledger)
    pulls = [pull(0), pull(0, 2), pull(1)]
    seats = [seat(pulls[0], 0), seat(pulls[1], 1), seat(pulls[2], 1)]
    with ledger.write("fall") as tx:
        tx.insert_pulls(pulls)
        tx.insert_assignments(seats)
        tx.move_pulls([pulls[1].id], PullStatus.CLOSED, allowed=[PullStatus.OPEN])
        assert [p.id for p in tx.open_pulls()] == [pulls[0].id, pulls[2].id]
        assert [p.id for p in tx.open_pulls_of(0)] == [pulls[0].id]
        assert tx.next_ordinal(0, 0) == 3
        assert tx.next_ordinal(0, 1) == 1
        assert list(tx.pulls([pulls[2].id, "nothing"])) == [pulls[2].id]
        assert tx.assignments([seats[0].id, "nothing"]) == {seats[0].id: seats[0]}
        assert tx.assignments_of([pulls[2].id, pulls[0].id]) == (seats[0], seats[2])
        assert tx.assignments_of_reviewer(1, OPEN) == (seats[1], seats[2])
        assert tx.assignments_of_reviewer(1, [AssignmentStatus.SCORED]) == ()

    assert len(ledger.pulls("fall", application=0)) == 2
    assert ledger.pulls("fall", statuses=[PullStatus.OPEN]) == (pulls[0], pulls[2])
    assert ledger.assignments("fall", reviewer=1, application=1) == (seats[2],)
    assert ledger.assignments("fall", statuses=[AssignmentStatus.SCORED]) == ()
    assert ledger.counts("fall") == {(0, "queued"): 3}


def test_only_what_stands_in_an_allowed_status_is_moved_and_counted(ledger: SqlLedger) -> None:
    people(ledger)
    pulls = [pull(i) for i in range(3)]
    seats = [seat(p) for p in pulls]
    ids = [s.id for s in seats]
    with ledger.write("fall") as tx:
        tx.insert_pulls(pulls)
        tx.insert_assignments(seats)
        assert tx.move_assignments(ids[:1], AssignmentStatus.SCORED, allowed=OPEN) == 1
        assert tx.move_assignments(ids, AssignmentStatus.DECLINED, allowed=OPEN) == 2
        assert tx.move_assignments(ids, AssignmentStatus.EXPIRED, allowed=OPEN) == 0
        assert tx.move_assignments([], AssignmentStatus.EXPIRED, allowed=OPEN) == 0
        closing = tx.move_pulls([pulls[0].id], PullStatus.CLOSED, allowed=[PullStatus.PROPOSED])
        assert closing == 0

    assert [a.status for a in ledger.assignments("fall")] == [
        AssignmentStatus.SCORED,
        AssignmentStatus.DECLINED,
        AssignmentStatus.DECLINED,
    ]


def test_the_next_ordinal_counts_what_was_inserted_before_however_often_it_is_asked(
    ledger: SqlLedger,
) -> None:
    people(ledger)
    with ledger.write("fall") as tx:
        tx.insert_pulls([pull(0), pull(0, 2), pull(1, kind=1)])
        asked = [tx.next_ordinal(0, 0) for _ in range(30)]
        tx.insert_pulls([pull(0, 3)])
        again = [tx.next_ordinal(0, 0), tx.next_ordinal(1, 1), tx.next_ordinal(2, 0)]

    assert asked == [3] * 30
    assert again == [4, 2, 1]


def test_long_lists_of_ids_are_handled_whole(ledger: SqlLedger) -> None:
    with ledger.write("fall") as tx:
        tx.add_applications([applicant(f"a{i}") for i in range(2000)], [1] * 2000, wave=1)
        tx.add_reviewers([reviewer("r")])
        pulls = [pull(i) for i in range(2000)]
        tx.insert_pulls(pulls)
        tx.insert_assignments([seat(p) for p in pulls])
        ids = [seat(p).id for p in pulls]
        assert tx.move_assignments(ids, AssignmentStatus.EXPIRED, allowed=OPEN) == 2000
        assert len(tx.pulls([p.id for p in pulls])) == 2000
        assert len(tx.applications(range(2000))) == 2000


def test_a_leaving_reviewer_loses_open_assignments_only(ledger: SqlLedger) -> None:
    people(ledger)
    pulls = [pull(i) for i in range(3)]
    seats = [seat(pulls[0], 0), seat(pulls[1], 0), seat(pulls[2], 1)]
    with ledger.write("fall") as tx:
        tx.insert_pulls(pulls)
        tx.insert_assignments(seats)
        tx.move_assignments([seats[0].id], AssignmentStatus.SCORED, allowed=OPEN)
    with ledger.write("fall") as tx:
        ended = tx.end_assignments_of(0)

    assert [(a.id, a.status) for a in ended] == [(seats[1].id, AssignmentStatus.EXPIRED)]
    assert [a.status.value for a in ledger.assignments("fall")] == ["scored", "expired", "queued"]


def test_overdue_assignments_come_oldest_first_and_move_with_a_pause(ledger: SqlLedger) -> None:
    people(ledger)
    now = ledger.now()
    pulls = [pull(i) for i in range(3)] + [pull(0, 2)]
    hours = [-1, -2, 1]
    seats = [
        seat(p, due_at=now + timedelta(hours=h)) for p, h in zip(pulls[:3], hours, strict=True)
    ]
    with ledger.write("fall") as tx:
        tx.insert_pulls(pulls)
        tx.insert_assignments([*seats, seat(pulls[3])])
        assert [a.application for a in tx.overdue(at_most=9)] == [1, 0]
        assert [a.application for a in tx.overdue(at_most=1)] == [1]
    assert ledger.due_work("fall").overdue

    with ledger.write("fall") as tx:
        tx.shift_due_times(timedelta(hours=1, minutes=30))
        assert [a.application for a in tx.overdue(at_most=9)] == [1]
        tx.move_assignments([seats[1].id], AssignmentStatus.EXPIRED, allowed=OPEN)

    assert not ledger.due_work("fall").overdue
    ledger.set_clock_offset(7200)
    assert ledger.due_work("fall").overdue
    assert ledger.assignment(seats[0].id).due_at == now + timedelta(minutes=30)


def test_the_highest_revision_of_a_score_stands_and_all_are_kept(ledger: SqlLedger) -> None:
    people(ledger)
    pulls = [pull(0), pull(1)]
    seats = [seat(pulls[0], 0), seat(pulls[1], 1)]
    first, second = score(seats[0], 500_000), score(seats[1], 1_000_000)
    corrected = score(seats[0], 0, revision=2)
    with ledger.write("fall") as tx:
        tx.insert_pulls(pulls)
        tx.insert_assignments(seats)
        tx.insert_scores([second], marks=[{"craft": 5.0, "care": None}], remarks=[""])
        tx.insert_scores([first], marks=[{"craft": 3.0}], remarks=["solid"])
    with ledger.write("fall") as tx:
        tx.insert_scores([corrected], marks=[{}], remarks=["solid, but late"])
        assert tx.standing_scores([p.id for p in pulls]) == (corrected, second)
        assert tx.scores_of_assignments([seats[0].id, "none"]) == (corrected,)
        assert tx.scores_of_reviewer(0) == (corrected,)

    assert ledger.scores("fall") == (second, first, corrected)
    assert ledger.scores("fall", application=1) == (second,)
    assert ledger.remarks("fall") == ((seats[0].id, "solid, but late"),)


# Decisions and what people make of them


def test_decisions_come_back_whole_and_the_last_fit_is_found(ledger: SqlLedger) -> None:
    nan = float("nan")
    fitted = decision(1, {"prior_variance": 0.1 + 0.2, "gap": float("inf")})
    with ledger.write("fall") as tx:
        tx.insert_decision(fitted)
        tx.insert_decision(decision(2, {"expected_loss": nan}))

    found = ledger.decisions("fall")
    assert found[0] == fitted
    assert found[1].look["expected_loss"] != found[1].look["expected_loss"]
    assert ledger.cycle("fall").decisions == 2
    assert ledger.last_look("fall") == fitted.look


def test_proposals_get_versions_and_take_names_from_the_applications(ledger: SqlLedger) -> None:
    people(ledger)
    places = [
        place(2, 1, external_id="a2", name="Name of a2"),
        place(0, 2, external_id="a0", name="Name of a0"),
    ]
    with ledger.write("fall") as tx:
        assert tx.insert_proposal(places, sheet()) == 1
        assert tx.insert_proposal(places[:1], sheet(0.5)) == 2

    assert ledger.proposals("fall") == (
        (1, tuple(places), sheet()),
        (2, tuple(places[:1]), sheet(0.5)),
    )


def test_the_last_word_on_an_application_is_its_outcome(ledger: SqlLedger) -> None:
    people(ledger)
    outcomes = [
        Outcome(application=1, verdict=Verdict.SELECTED, by="chair", reason="", at=NOON),
        Outcome(application=0, verdict=Verdict.NOT_SELECTED, by="chair", reason="", at=NOON),
        Outcome(application=1, verdict=Verdict.WAITLISTED, by="chair", reason="full", at=NOON),
    ]
    with ledger.write("fall") as tx:
        tx.insert_outcomes(1, outcomes)
        tx.insert_signature(1, by="Ada", role="chair")
        tx.insert_signature(1, by="Ada", role="chair")
        tx.insert_waiver(1, 0, Waiver(by="Ada", reason="ill"))
        tx.set_cohort_version(1)

    assert ledger.outcomes("fall", 1) == (outcomes[1], outcomes[2])
    assert ledger.outcomes("fall", 2) == ()
    assert ledger.signatures("fall", 1) == (("Ada", "chair"),)
    assert ledger.cycle("fall").cohort_version == 1


def test_wishes_are_open_until_they_are_closed(ledger: SqlLedger) -> None:
    people(ledger)
    with ledger.write("fall") as tx:
        one = tx.add_staff_request(what="pull", application=0, kind=0, by="ops", reason="unsure")
        two = tx.add_staff_request(what="pull", application=1, kind=1, by="ops", reason="")
    assert [w.id for w in ledger.wishes("fall")] == [one, two]
    with ledger.write("fall") as tx:
        tx.close_staff_request(one, "decision 4")

    assert [(w.id, w.application, w.kind) for w in ledger.wishes("fall")] == [(two, 1, 1)]


# Outbox


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


# Documents and purge


def test_documents_that_nobody_marked_redacted_are_named(ledger: SqlLedger) -> None:
    with ledger.write("fall") as tx:
        tx.add_applications(
            [
                applicant("open"),
                applicant("safe", documents=(("cv", "/x", True),)),
                applicant("none", documents=()),
            ],
            [1, 2, 3],
            wave=1,
        )

    assert ledger.unredacted("fall") == ("open",)
    assert ledger.documents("fall", application=1) == (("cv", "/x", True),)


def test_a_purged_person_leaves_numbers_only_and_the_chain_stands(ledger: SqlLedger) -> None:
    people(ledger)
    pulls = [pull(0), pull(1)]
    seats = [seat(pulls[0]), seat(pulls[1])]
    with ledger.write("fall") as tx:
        tx.insert_pulls(pulls)
        tx.insert_assignments(seats)
        tx.insert_scores(
            [score(s) for s in seats], marks=[{"craft": 1.0}] * 2, remarks=["bad", "good"]
        )
        tx.insert_proposal([place(0, 1, external_id="a0", name="Name of a0")], sheet())
        tx.note(subject="application:0", by="ops", text="they called")
        tx.add_staff_request(what="pull", application=0, kind=0, by="ops", reason="they wrote")
        tx.queue_mail([mail("m", text="Please read Name of a0 (a0@applicants.example).")])
        tx.record(EventType.SCORED, {"a": 0, "v": 750_000})
    scores = ledger.scores("fall")

    with ledger.write("fall") as tx:
        tx.erase_application(0)
        tx.record(EventType.PURGED, {"a": 0})

    erased, kept = ledger.applications("fall")[:2]
    assert (erased.external_id, erased.name, erased.email) == ("", "", "")
    assert (erased.fields, erased.attributes) == ({}, {})
    assert kept.name == "Name of a1"
    assert ledger.scores("fall") == scores
    assert ledger.remarks("fall") == ((seats[1].id, "good"),)
    assert ledger.proposals("fall")[0][1][0].name == ""
    assert ledger.documents("fall", application=0) == ()
    assert ledger.wishes("fall")[0].reason == ""
    assert ledger.mails(at_most=1)[0].text == "Please read [erased] ([erased])."
    assert ledger.check_chain("fall") is None


def test_two_purged_people_do_not_collide(ledger: SqlLedger) -> None:
    people(ledger)
    with ledger.write("fall") as tx:
        tx.erase_application(0)
        tx.erase_application(1)
        tx.erase_application(1)

    assert [a.external_id for a in ledger.applications("fall")] == ["", "", "a2"]
    with pytest.raises(NotFoundError), ledger.write("fall") as tx:
        tx.erase_application(7)


def test_a_person_known_elsewhere_outlives_one_purge(ledger: SqlLedger) -> None:
    ledger.create_cycle("spring", round_id="2027", name="Spring", rules=RULES, by="ops")
    for cycle in ("fall", "spring"):
        with ledger.write(cycle) as tx:
            tx.add_applications([applicant("same")], [1], wave=1)

    with ledger.write("fall") as tx:
        tx.erase_application(0)

    assert ledger.applications("fall")[0].name == ""
    assert ledger.applications("spring")[0].name == "Name of same"


def test_a_note_gives_a_digest_that_its_text_alone_does_not_prove(ledger: SqlLedger) -> None:
    with ledger.write("fall") as tx:
        one = tx.note(subject="launch of fall", by="ops", text="go")
        two = tx.note(subject="launch of fall", by="ops", text="go")

    assert len(one) == 64
    assert one != two


def connection_of(tx: Transaction) -> Connection:
    assert isinstance(tx, SqlTransaction)
    return tx._connection


@pytest.mark.parametrize("body", [{"remark": "Jane Roe"}, {"Jane Roe": object()}])
def test_what_the_database_refuses_is_named_without_what_was_to_be_stored(
    ledger: SqlLedger, body: dict[str, object]
) -> None:
    """One is refused by the database (there is no such assignment), one on its way there."""
    draft = {"assignment_id": "of Jane Roe", "version": 1, "body": body, "at": ledger.now()}

    with (
        pytest.raises((RefusedStatementError, StatementError)) as caught,
        ledger.write("fall") as tx,
    ):
        insert_all(connection_of(tx), DRAFT, [draft])

    said = "".join(traceback.format_exception(caught.value))
    assert "in insert_all" in said
    assert "Jane" not in said


def test_a_cost_below_zero_is_refused_by_the_database_itself(ledger: SqlLedger) -> None:
    with pytest.raises(RefusedStatementError), ledger.write("fall") as tx:
        tx.record(EventType.PULLS_CANCELLED, {"pulls": [], "why": "x"}, committed=-1)

    assert ledger.cycle("fall").position == START
