"""Anything that people, clocks and failing parts do, in any order: what must hold all the same."""

from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import TypeVar

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from swapflow.domain.cycle import CycleStatus
from swapflow.domain.people.application import ApplicationStatus
from swapflow.domain.people.reviewer import Absence, DeclineKind
from swapflow.domain.reviewing.assignment import Assignment, AssignmentStatus, PullStatus
from swapflow.domain.reviewing.score import Answer
from swapflow.domain.rules import DispatchMode, Floor, KindRules, Purpose, Rules
from swapflow.engine.scoring.volunteered import Volunteered
from swapflow.errors import AssignmentClosedError, InvalidInputError
from tests.engine.cycle_by_hand import (
    CYCLE,
    REVIEW,
    World,
    applicants,
    chosen_floor,
    reviewer,
    rules,
)
from tests.support.tiers import cases


T = TypeVar("T")

NUMBERS = st.integers(0, 1_000)
UTILITIES = st.integers(0, 20).map(lambda twentieths: twentieths / 20)
MOVES = st.sampled_from(
    [
        ApplicationStatus.HELD,
        ApplicationStatus.READY,
        ApplicationStatus.WITHDRAWN,
        ApplicationStatus.INELIGIBLE,
    ]
)
ENDS = {CycleStatus.ENDED, CycleStatus.FINALIZED}

REVIEWS = rules(
    purpose=Purpose.REAL,
    kinds=(replace(REVIEW, maximum=3, window_days=7),),
    budget=24,
    reserve=0.1,
    packet=3,
)
PANELS = rules(
    purpose=Purpose.REAL,
    kinds=(
        replace(REVIEW, maximum=2, window_days=7),
        KindRules(name="panel", cost=4, gain=5.0, maximum=1, seats=3, quorum=2, requires="review"),
    ),
    floors=(Floor(kind="review", count=1), chosen_floor("panel")),
    budget=40,
    packet=4,
)
APPROVALS = rules(
    purpose=Purpose.REAL,
    kinds=(
        replace(REVIEW, maximum=2, window_days=7),
        KindRules(name="interview", cost=3, gain=4.0, maximum=1, total=4, approval=True),
    ),
    budget=30,
    dispatch=DispatchMode.ROLLING,
    out=5,
    severity=False,
)


class Anything(RuleBasedStateMachine):
    """Each rule is something that can happen; whatever is refused must change nothing."""

    @initialize(chosen=st.sampled_from([REVIEWS, PANELS, APPROVALS]))
    def begin(self, chosen: Rules) -> None:
        everything = {kind.name: None for kind in chosen.kinds}
        self.world = World(
            rules=chosen,
            applications=7,
            roster=[reviewer(f"R{n}", capacity=everything) for n in range(5)],
        )
        self.other = self.world.product.cycles.coordinator("two")
        self.admitted, self.hired, self.capacity = 7, 5, everything

    # Helpers

    def pick(self, things: tuple[T, ...] | list[T], number: int) -> T | None:
        return things[number % len(things)] if things else None

    def some_assignment(self, number: int, *statuses: AssignmentStatus) -> Assignment | None:
        found = self.world.ledger.assignments(CYCLE, statuses=set(statuses))
        return self.pick(found, number)

    @property
    def status(self) -> CycleStatus:
        return self.world.cycle.status

    # Reviewers

    @rule(number=NUMBERS, utility=UTILITIES)
    def submit(self, number: int, utility: float) -> None:
        assignment = self.pick(self.world.waiting(), number)
        if assignment is not None:
            self.world.submit(assignment, utility)

    @rule(utility=UTILITIES)
    def everyone_submits(self, utility: float) -> None:
        self.world.answer_all(lambda name, _kind, _ordinal, _by: (utility + len(name) / 9) % 1)

    @rule(number=NUMBERS, first=UTILITIES, second=UTILITIES)
    def submit_two_together(self, number: int, first: float, second: float) -> None:
        found = self.world.ledger.assignments(CYCLE)
        one, two = self.pick(found, number), self.pick(found, number + 1)
        if one is not None and two is not None:
            answers = [
                Answer(assignment_id=one.id, utility=first),
                Answer(assignment_id=two.id, utility=second),
            ]
            with suppress(AssignmentClosedError):
                self.world.product.tasks.submit(answers)

    @rule(number=NUMBERS, utility=UTILITIES)
    def submit_again(self, number: int, utility: float) -> None:
        assignment = self.some_assignment(number, AssignmentStatus.SCORED)
        if assignment is not None:
            before = self.world.cycle.position
            stored = self.world.standing()
            with suppress(AssignmentClosedError):
                assert self.world.submit(assignment, utility).repeated
            assert self.world.cycle.position == before
            assert self.world.standing() == stored

    @rule(number=NUMBERS, utility=UTILITIES)
    def submit_late(self, number: int, utility: float) -> None:
        gone = (AssignmentStatus.EXPIRED, AssignmentStatus.CANCELLED)
        assignment = self.some_assignment(number, *gone)
        if assignment is not None:
            self.world.submit(assignment, utility)

    @rule(number=NUMBERS, kind=st.sampled_from(list(DeclineKind)), days=st.integers(0, 9))
    def decline(self, number: int, kind: DeclineKind, days: int) -> None:
        assignment = self.pick(self.world.waiting(), number)
        if assignment is None:
            return
        today = self.world.ledger.now().date()
        busy = Absence(first=today, last=today + timedelta(days=days))
        self.world.product.tasks.decline(assignment.id, kind, by="themselves", busy=busy)

    @rule(number=NUMBERS)
    def open(self, number: int) -> None:
        assignment = self.pick(self.world.waiting(), number)
        if assignment is not None:
            self.world.product.tasks.open(assignment.id)

    @rule(number=NUMBERS, who=NUMBERS, utility=UTILITIES)
    def volunteer(self, number: int, who: int, utility: float) -> None:
        if self.status is CycleStatus.FINALIZED:
            return
        score = Volunteered(
            application=number % self.admitted,
            kind=0,
            reviewer=who % self.hired,
            utility=utility,
            typed_by="ops",
        )
        self.world.product.scores.volunteer(CYCLE, [score], imported=False)

    # Staff

    @rule(number=NUMBERS)
    def admit(self, number: int) -> None:
        score = self.pick(list(self.world.standing().values()), number)
        if score is not None:
            with suppress(InvalidInputError):
                self.world.product.scores.admit(score.assignment_id, by="ops", reason="read it")

    @rule(number=NUMBERS, utility=UTILITIES, saw_others=st.booleans())
    def correct(self, number: int, utility: float, saw_others: bool) -> None:
        score = self.pick(list(self.world.standing().values()), number)
        if score is not None:
            answer = Answer(assignment_id=score.assignment_id, utility=utility)
            self.world.product.scores.correct(
                answer, by="ops", reason="typo", saw_others=saw_others
            )

    @rule(number=NUMBERS)
    def void(self, number: int) -> None:
        score = self.pick(list(self.world.standing().values()), number)
        if score is not None:
            self.world.product.scores.void([score.assignment_id], by="ops", reason="wrong person")

    @rule(number=NUMBERS)
    def void_reviewer(self, number: int) -> None:
        who = self.world.people()[number % self.hired]
        self.world.product.scores.void_reviewer(CYCLE, who, by="ops", reason="undeclared conflict")

    @precondition(lambda self: self.status not in ENDS and self.admitted < 12)
    @rule(count=st.integers(1, 2))
    def applications_arrive(self, count: int) -> None:
        self.world.admit(applicants(count, first=self.admitted + 1))
        self.admitted += count

    @rule(number=NUMBERS, status=MOVES)
    def application_moves(self, number: int, status: ApplicationStatus) -> None:
        name = self.world.names()[number % self.admitted]
        with suppress(InvalidInputError):
            self.world.product.applicants.move(CYCLE, name, status, by="ops")

    @precondition(lambda self: self.hired < 9)
    @rule(packet=st.sampled_from([None, 1, 2]))
    def reviewer_joins(self, packet: int | None) -> None:
        new = reviewer(f"R{self.hired}", capacity=self.capacity, packet=packet)
        self.world.hire([new])
        self.hired += 1

    @rule(number=NUMBERS)
    def reviewer_leaves(self, number: int) -> None:
        with suppress(InvalidInputError):
            self.world.product.reviewers.leave(
                CYCLE, self.world.people()[number % self.hired], by="ops"
            )

    @rule(number=NUMBERS, who=NUMBERS)
    def conflict_is_found(self, number: int, who: int) -> None:
        pair = (self.world.names()[number % self.admitted], self.world.people()[who % self.hired])
        self.world.product.reviewers.add_conflicts(CYCLE, [pair], source="staff")

    @rule(number=NUMBERS, kind=NUMBERS)
    def extra_pull_is_wished(self, number: int, kind: int) -> None:
        kinds = self.world.product.cycles.rules(CYCLE).kinds
        name = self.world.names()[number % self.admitted]
        self.world.product.applicants.ask(
            CYCLE, name, kinds[kind % len(kinds)].name, by="chair", reason="appeal"
        )

    @precondition(lambda self: self.status is CycleStatus.RUNNING)
    @rule()
    def pause(self) -> None:
        self.world.product.cycles.pause(CYCLE, by="ops")

    @precondition(lambda self: self.status in {CycleStatus.PAUSED, CycleStatus.PROPOSED})
    @rule()
    def resume(self) -> None:
        self.world.product.cycles.resume(CYCLE, by="ops")

    @rule(number=NUMBERS, strike=st.booleans())
    def proposal_is_decided(self, number: int, strike: bool) -> None:
        waiting = self.world.ledger.pulls(CYCLE, statuses={PullStatus.PROPOSED})
        pull = self.pick(waiting, number)
        if pull is None:
            return
        if strike:
            self.world.product.approvals.strike(CYCLE, [pull.id], by="chair", reason="no")
        else:
            self.world.product.approvals.approve(CYCLE, [pull.id], by="chair")

    @rule(budget=st.integers(8, 60))
    def budget_changes(self, budget: int) -> None:
        changed = replace(self.world.product.cycles.rules(CYCLE), budget=budget)
        with suppress(InvalidInputError):
            self.world.product.cycles.change_rules(CYCLE, changed, by="ops", reason="the board")

    @precondition(lambda self: self.world.product.cycles.rules(CYCLE).kind_index("call") < 0)
    @rule()
    def kind_is_appended(self) -> None:
        now = self.world.product.cycles.rules(CYCLE)
        more = (*now.kinds, KindRules(name="call", cost=2, gain=2.0, maximum=1))
        changed = replace(now, kinds=more)
        self.world.product.cycles.change_rules(CYCLE, changed, by="ops", reason="a phone call")

    # Coordinators, time and what fails

    @rule()
    def coordinator_turn(self) -> None:
        self.world.turn()

    @rule()
    def second_coordinator_turn(self) -> None:
        self.world.turn(self.other)

    @rule()
    def lease_moves(self) -> None:
        self.world.coordinator.stop()
        self.world.coordinator, self.other = self.other, self.world.coordinator

    @rule(days=st.integers(1, 8))
    def time_passes(self, days: int) -> None:
        self.world.later(days=days)

    @rule()
    def live_state_is_lost(self) -> None:
        self.world.forget_live_state()

    @rule()
    def coordinator_dies(self) -> None:
        self.world.coordinator.stop()
        self.world.coordinator = self.world.product.cycles.coordinator("three")

    # What holds

    @invariant()
    def everything_adds_up(self) -> None:
        if hasattr(self, "world"):
            self.world.check()

    def teardown(self) -> None:
        if hasattr(self, "world"):
            self.world.turn()
            self.world.check()
            self.world.verify()
            self.world.product.reports.progress(CYCLE)
            self.world.ledger.dispose()


TestAnything = Anything.TestCase
TestAnything.settings = settings(cases(10, quiet=HealthCheck), stateful_step_count=40)
