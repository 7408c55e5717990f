"""Reconsideration: one person looked at again by fresh people, and nobody else moved."""

from datetime import date

import pytest

from swapflow.domain.cohort.offer import OfferAnswer
from swapflow.domain.cohort.reconsideration import Result
from swapflow.domain.objective import GroupQuota
from swapflow.domain.people.application import ApplicationStatus
from swapflow.domain.people.reviewer import Absence, DeclineKind
from swapflow.domain.reviewing.assignment import Assignment, PullReason
from swapflow.domain.reviewing.score import Answer
from swapflow.domain.rules import Purpose
from swapflow.engine.reconsideration.open_reconsideration import ReconsiderationRequest
from swapflow.errors import (
    ConflictError,
    CycleFinalizedError,
    InvalidInputError,
    NotFoundError,
    NotReadyError,
)
from tests.engine.cycle_by_hand import CYCLE, World, reviewer, rules
from tests.engine.reconsideration.fixed_list import (
    NAMES,
    ORDINARY,
    PEOPLE,
    RESERVE,
    answered,
    concluded,
    fixed,
    order,
    reopened,
    rising,
    selected,
    stands,
    verdicts,
)


# What it may change


def test_nobody_who_was_told_is_removed_and_only_that_person_changes(url: str) -> None:
    world = fixed(url)
    offered = world.product.offers.make(CYCLE, by="ops").places
    before, first = verdicts(world), order(world)

    reopened(world, "A003")
    answered(world, 1.0)
    assert world.product.reconsiderations.evidence(CYCLE, "A003").proposes is Result.ADDED
    assert concluded(world, "A003", beyond=True) is Result.ADDED

    after = verdicts(world)
    assert {n for n in after if after[n] != before[n]} == {"A003"}
    assert selected(world) == {"A008", "A007", "A006", "A003"}
    assert [n for n in order(world) if n != "A003"] == [n for n in first if n != "A003"]
    assert order(world)[:4] == ["A008", "A007", "A006", "A003"]
    assert verdicts(world, 1) == before
    assert {o.application for o in world.product.offers.standing(CYCLE).offers} == {
        n for n, _ in offered
    }
    assert world.ledger.signatures(CYCLE, 2) == (("chair", "chair"), ("dean", "chair"))
    stands(world)
    world.ledger.dispose()


def test_better_scores_move_a_person_up_the_waitlist_and_nobody_else(url: str) -> None:
    world = fixed(url)
    reopened(world, "A001")
    answered(world, 0.5)

    evidence = world.product.reconsiderations.evidence(CYCLE, "A001")
    assert (evidence.stands, evidence.place, evidence.proposes) == (5, 3, Result.WAITLISTED)
    assert evidence.before is not None
    assert evidence.before < evidence.after.estimate < 0.5
    assert concluded(world, "A001") is Result.WAITLISTED

    assert order(world) == ["A008", "A007", "A006", "A005", "A004", "A001", "A003", "A002"]
    assert verdicts(world) == verdicts(world, 1)
    stands(world)
    world.ledger.dispose()


def test_worse_scores_leave_everything_as_it_was(url: str) -> None:
    world = fixed(url)
    reopened(world, "A005")
    answered(world, 0.0)

    assert concluded(world, "A005") is Result.STAYS
    with pytest.raises(NotFoundError, match="no reconsideration of 'A005' is open"):
        world.product.reconsiderations.evidence(CYCLE, "A005")

    assert world.cycle.cohort_version == 1
    assert order(world)[3] == "A005"
    (ended,) = world.product.reconsiderations.list(CYCLE)
    assert ended.closing is not None
    assert (ended.closing.received, ended.closed_by) == (2, NAMES)
    stands(world)
    world.ledger.dispose()


def test_who_stands_further_down_cannot_be_written_down_instead() -> None:
    world = fixed()
    reopened(world, "A005")
    answered(world, 0.0)

    with pytest.raises(InvalidInputError, match="moves no one down"):
        concluded(world, "A005", result=Result.WAITLISTED, reason="lower")


def test_deciding_otherwise_than_proposed_needs_a_reason() -> None:
    world = fixed()
    reopened(world, "A002")
    answered(world, 0.3)

    with pytest.raises(InvalidInputError, match="needs a reason"):
        concluded(world, "A002", result=Result.ADDED, beyond=True)
    concluded(world, "A002", result=Result.ADDED, beyond=True, reason="a judgment of the court")

    assert "A002" in selected(world)
    stands(world)


# Who is asked


def test_fresh_reviewers_alone_are_asked_and_the_reserve_first(url: str) -> None:
    world = fixed(url)
    before = world.asked()
    assert not {who for _, who in before} & {"S1", "S2"}

    reopened(world, "A001", reviews=3)
    who = answered(world, 0.1)

    assert {"S1", "S2"} < set(who)
    assert not {who for name, who in before if name == "A001"} & set(who)
    pulls = [p for p in world.ledger.pulls(CYCLE) if p.why is PullReason.RECONSIDERATION]
    assert len(pulls) == 3
    world.verify()
    world.ledger.dispose()


def test_more_fresh_reviews_than_there_are_fresh_people_are_refused() -> None:
    world = fixed()

    with pytest.raises(InvalidInputError, match="by 9 who never had 'A001'; 5 are left"):
        reopened(world, "A001", reviews=9)

    assert not world.product.reconsiderations.list(CYCLE)


def test_a_declined_request_goes_to_another_fresh_reviewer(url: str) -> None:
    world = fixed(url)
    reopened(world, "A001", reviews=1)
    (first,) = world.waiting()
    world.product.tasks.decline(first.id, DeclineKind.CONFLICT, by="S1")
    world.turn()

    (second,) = world.waiting()
    assert {world.people()[a.reviewer] for a in (first, second)} == {"S1", "S2"}
    answered(world, 0.9)
    assert world.product.reconsiderations.evidence(CYCLE, "A001").received == 1
    concluded(world, "A001")
    stands(world)
    world.ledger.dispose()


def test_an_expired_request_goes_to_another_fresh_reviewer() -> None:
    world = fixed()
    reopened(world, "A001", reviews=1)
    (first,) = world.waiting()
    assert first.due_at is not None
    world.later(days=40)
    world.turn()

    (second,) = world.waiting()
    assert second.reviewer != first.reviewer
    receipt = world.submit(first, 0.9)
    assert receipt.counts, "nobody else has begun, so the late one closes the request"
    world.turn()
    assert world.product.reconsiderations.evidence(CYCLE, "A001").ready
    world.verify()


def test_when_nobody_is_left_what_came_is_weighed_and_nothing_waits() -> None:
    world = fixed(roster=[*ORDINARY, RESERVE[0]])
    asked = {who for name, who in world.asked() if name == "A001"}
    reopened(world, "A001", reviews=1)
    seen: list[Assignment] = []
    while waiting := world.waiting():
        seen += waiting
        world.product.tasks.decline(waiting[0].id, DeclineKind.CONFLICT, by="x")
        world.turn()

    evidence = world.product.reconsiderations.evidence(CYCLE, "A001")
    assert (evidence.ready, evidence.received, evidence.proposes) == (True, 0, Result.STAYS)
    assert not {world.people()[a.reviewer] for a in seen} & asked
    concluded(world, "A001")
    stands(world)


def test_a_reviewer_in_the_reserve_who_is_away_is_waited_for() -> None:
    away = reviewer(
        "S1", reserve=True, absences=(Absence(first=date(2020, 1, 1), last=date(2090, 1, 1)),)
    )
    world = fixed(roster=[reviewer("R1"), away])
    reopened(world, "A001", reviews=1)

    assert world.waiting() == ()
    assert not world.product.reconsiderations.evidence(CYCLE, "A001").ready


def test_an_ordinary_request_is_never_given_to_the_reserve() -> None:
    world = World(
        rules=rules(budget=24, purpose=Purpose.REAL),
        applications=PEOPLE,
        roster=[*ORDINARY, *RESERVE],
    )
    world.run(rising)

    assert {who for _, who in world.asked()} == {"R1", "R2", "R3", "R4"}
    world.verify()


# Opening and ending


def test_a_second_reconsideration_of_the_same_person_is_refused_while_one_is_open() -> None:
    world = fixed()
    reopened(world, "A001")

    with pytest.raises(ConflictError, match="'A001' is open already"):
        reopened(world, "A001")
    reopened(world, "A002")

    assert len(world.product.reconsiderations.list(CYCLE)) == 2


@pytest.mark.parametrize(
    ("changed", "match"),
    [
        ({"reason": " "}, "needs a reason"),
        ({"asked_by": ""}, "who asked for it"),
        ({"reviews": 0}, "ask for 1 to 10"),
        ({"reviews": 11}, "ask for 1 to 10"),
        ({"kind": "interview"}, "no review 'interview'"),
    ],
)
def test_what_cannot_be_opened_is_refused_and_nothing_is_written(
    changed: dict[str, object], match: str
) -> None:
    world = fixed()
    before = world.cycle.position

    with pytest.raises(InvalidInputError, match=match):
        reopened(world, "A001", **changed)

    assert world.cycle.position == before


def test_before_the_list_is_fixed_there_is_nothing_to_reconsider() -> None:
    world = World(roster=[*ORDINARY, *RESERVE])
    world.turn()

    with pytest.raises(NotReadyError, match="ask for more reviews"):
        world.product.reconsiderations.open(
            CYCLE, "A001", ReconsiderationRequest(reason="x", asked_by="y"), by="ops"
        )


def test_who_stands_on_the_list_has_nothing_to_have_reconsidered() -> None:
    with pytest.raises(InvalidInputError, match="is on the list"):
        reopened(fixed(), "A008")


def test_it_is_concluded_only_when_every_fresh_review_has_come() -> None:
    world = fixed()
    reopened(world, "A001")
    world.submit(world.waiting()[0], 1.0)

    with pytest.raises(NotReadyError, match="1 of 2 new reviews are not in yet"):
        concluded(world, "A001")


def test_one_name_alone_concludes_nothing() -> None:
    world = fixed()
    reopened(world, "A001")
    answered(world, 1.0)

    with pytest.raises(NotReadyError, match="signed by 2 people, 1 given"):
        concluded(world, "A001", names=["chair", "chair"], beyond=True)
    assert world.cycle.cohort_version == 1


def test_taking_it_back_cancels_what_is_out_and_changes_nothing(url: str) -> None:
    world = fixed(url)
    reopened(world, "A001")
    (first, second) = world.waiting()
    world.submit(first, 1.0)

    with pytest.raises(InvalidInputError, match="write why"):
        world.product.reconsiderations.take_back(CYCLE, "A001", by="ops", reason="")
    world.product.reconsiderations.take_back(CYCLE, "A001", by="ops", reason="asked us to")

    assert world.waiting() == ()
    receipt = world.submit(second, 1.0)
    assert not receipt.counts
    assert world.cycle.cohort_version == 1
    reopened(world, "A001", reviews=1)
    assert world.product.reconsiderations.evidence(CYCLE, "A001").received == 0
    answered(world, 0.2)
    assert world.product.reconsiderations.evidence(CYCLE, "A001").received == 1
    concluded(world, "A001", result=Result.STAYS, reason="as it was")
    stands(world)
    world.ledger.dispose()


def test_a_whole_list_is_not_reopened_while_somebody_is_reconsidered() -> None:
    world = fixed()
    reopened(world, "A001")

    with pytest.raises(ConflictError, match="open reconsiderations in 'fall': 1"):
        world.product.cohort.reopen(CYCLE, names=NAMES, reason="all of it")


def test_erasing_the_person_ends_it_and_its_words() -> None:
    world = fixed()
    reopened(world, "A001")
    world.product.applicants.erase(CYCLE, "A001", by="ops")
    world.turn()

    (ended,) = world.product.reconsiderations.list(CYCLE)
    assert ended.closing is not None
    assert ended.closing.result is Result.WITHDRAWN
    assert (ended.new.reason, ended.new.asked_by, ended.closing.reason) == ("", "", "")
    assert world.waiting() == ()
    world.verify()


def test_a_fresh_score_is_corrected_until_it_is_concluded_and_not_after() -> None:
    world = fixed()
    reopened(world, "A001", reviews=1)
    (assignment,) = world.waiting()
    world.submit(assignment, 0.1)
    answer = Answer(assignment_id=assignment.id, utility=0.95)
    world.product.scores.correct(answer, by="S1", reason="a slip")
    world.turn()
    assert world.product.reconsiderations.evidence(CYCLE, "A001").after.estimate > 0.3
    concluded(world, "A001")

    with pytest.raises(CycleFinalizedError):
        world.product.scores.correct(answer, by="S1", reason="another slip")
    stands(world)


# Places, limits and offers


def test_beyond_the_places_it_must_be_said_and_the_place_is_offered_to_that_person_alone(
    url: str,
) -> None:
    world = fixed(url)
    world.product.offers.make(CYCLE, by="ops")
    reopened(world, "A003")
    answered(world, 1.0)

    with pytest.raises(InvalidInputError, match=r"3 of 3 places are taken.*number 4.*--beyond"):
        concluded(world, "A003")
    concluded(world, "A003", beyond=True)

    names = world.names()
    wave = world.product.offers.make(CYCLE, by="ops")
    assert [names[n] for n, _ in wave.places] == ["A003"]
    world.product.offers.answer(CYCLE, "A003", OfferAnswer.DECLINED, by="ops")
    assert world.product.offers.make(CYCLE, by="ops").places == ()
    world.product.offers.answer(CYCLE, "A008", OfferAnswer.DECLINED, by="ops")
    wave = world.product.offers.make(CYCLE, by="ops")
    assert [names[n] for n, _ in wave.places] == ["A005"]
    stands(world)
    world.ledger.dispose()


def test_a_place_that_is_free_is_no_place_beyond() -> None:
    world = fixed()
    world.product.offers.make(CYCLE, by="ops")
    world.product.offers.answer(CYCLE, "A007", OfferAnswer.DECLINED, by="ops")
    reopened(world, "A002")
    answered(world, 1.0)

    evidence = world.product.reconsiderations.evidence(CYCLE, "A002")
    assert (evidence.taken, evidence.places, evidence.beyond) == (2, 3, False)
    concluded(world, "A002")

    wave = world.product.offers.make(CYCLE, by="ops")
    assert [world.names()[n] for n, _ in wave.places] == ["A002"]
    stands(world)


def test_who_declined_is_restored_and_can_be_offered_a_place_again(url: str) -> None:
    world = fixed(url)
    world.product.offers.make(CYCLE, by="ops")
    world.product.offers.answer(CYCLE, "A007", OfferAnswer.DECLINED, by="ops")

    reopened(world, "A007", reviews=0)
    evidence = world.product.reconsiderations.evidence(CYCLE, "A007")
    assert evidence.after.estimate == evidence.before
    assert concluded(world, "A007") is Result.ADDED

    wave = world.product.offers.make(CYCLE, by="ops")
    assert [world.names()[n] for n, _ in wave.places] == ["A007"]
    answer = world.product.offers.answer(CYCLE, "A007", OfferAnswer.ACCEPTED, by="ops")
    assert answer.answer is OfferAnswer.ACCEPTED
    stands(world)
    world.ledger.dispose()


def test_who_withdrew_before_the_list_was_fixed_is_put_on_the_waitlist_by_the_estimate(
    url: str,
) -> None:
    world = fixed(url, withdrawn="A005")
    assert "A005" not in order(world)
    reopened(world, "A005", reviews=2)
    answered(world, 0.35)

    evidence = world.product.reconsiderations.evidence(CYCLE, "A005")
    assert (evidence.before, evidence.stands, evidence.place) == (None, 0, 2)
    assert concluded(world, "A005") is Result.WAITLISTED

    assert order(world) == ["A008", "A007", "A006", "A004", "A005", "A003", "A002", "A001"]
    assert verdicts(world)["A005"] == "waitlisted"
    application = next(a for a in world.product.applicants.list(CYCLE) if a.external_id == "A005")
    assert application.status is ApplicationStatus.READY
    stands(world)
    world.ledger.dispose()


def test_a_limit_that_adding_breaks_is_said_and_needs_a_reason() -> None:
    south = GroupQuota(attribute="region", value="South", maximum=3)
    north = GroupQuota(attribute="region", value="North", maximum=0)
    world = fixed(quotas=(south, north))
    reopened(world, "A003")
    answered(world, 1.0)

    evidence = world.product.reconsiderations.evidence(CYCLE, "A003")
    assert evidence.exceptions == ("region = North: 1 chosen, at most 0 wanted",)
    with pytest.raises(InvalidInputError, match="otherwise needs a reason"):
        concluded(world, "A003", result=Result.ADDED, beyond=True)
    concluded(world, "A003", result=Result.ADDED, beyond=True, reason="the marks were swapped")

    (ended,) = world.product.reconsiderations.list(CYCLE)
    assert ended.closing is not None
    assert ended.closing.exceptions == evidence.exceptions
    stands(world)


def test_who_was_added_keeps_the_place_when_the_whole_list_is_reopened() -> None:
    world = fixed()
    reopened(world, "A001", reviews=1)
    answered(world, 0.2)
    concluded(world, "A001", result=Result.ADDED, beyond=True, reason="the marks were swapped")

    world.product.cohort.reopen(CYCLE, names=NAMES, reason="the rest too")
    world.product.cohort.finalize(CYCLE, by="chair")

    assert selected(world) == {"A008", "A007", "A006", "A001"}
    stands(world)
