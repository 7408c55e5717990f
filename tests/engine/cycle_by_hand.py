"""A cycle in this process, played by hand: staff, reviewers, coordinators and the clock."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import timedelta

from swapflow.bandit.ties import tie_key
from swapflow.domain.cycle import Cycle, CycleStatus
from swapflow.domain.event import Event, EventType
from swapflow.domain.people.application import NewApplication
from swapflow.domain.people.reviewer import NewReviewer
from swapflow.domain.reviewing.assignment import Assignment, AssignmentStatus, PullStatus
from swapflow.domain.reviewing.score import Answer, Receipt, Score
from swapflow.domain.rules import Floor, FloorFor, KindRules, Purpose, Rules, SeatLine
from swapflow.engine.coordination.coordinator import Coordinator
from swapflow.engine.lifecycle.launch import read_projection
from swapflow.engine.ports.dispatcher import QueueMessage, Topic
from swapflow.engine.ports.live_state import Arms, CycleState
from swapflow.engine.projection.live_totals import LiveTotals
from swapflow.engine.read_models.snapshot import SnapshotCache
from swapflow.engine.services import ServiceContext, compose
from swapflow.ledger.sql_ledger import SqlLedger
from swapflow.queues.inline import InlineDispatcher
from swapflow.state.memory import MemoryCycleState, MemoryDoorbell
from tests.engine.compared_projection import folded


CYCLE = "fall"
REVIEW = KindRules(name="review", cost=1, gain=1.0, maximum=4)
INTERVIEW = KindRules(name="interview", cost=3, gain=4.0, maximum=1)
RULES = Rules(
    version=1,
    purpose=Purpose.SIMULATION,
    lines=(SeatLine(name="all", places=3),),
    kinds=(REVIEW,),
    floors=(Floor(kind="review", count=1),),
    budget=24,
    reserve=0.0,
    blind=False,
    settled=0.0,
    seed=7,
)
LIVE = {AssignmentStatus.QUEUED, AssignmentStatus.DELIVERED, AssignmentStatus.OPENED}
WAITING = {PullStatus.OPEN, PullStatus.PROPOSED}

Marks = Callable[[str, str, int, str], float]
"""Mark by external id, kind, ordinal and reviewer."""


def rules(**changes: object) -> Rules:
    return replace(RULES, **changes)  # type: ignore[arg-type]  # tests name fields


def chosen_floor(kind: str, count: int = 1) -> Floor:
    return Floor(kind=kind, count=count, who=FloorFor.CHOSEN)


def applicants(count: int, *, first: int = 1) -> list[NewApplication]:
    return [applicant(f"A{number:03d}") for number in range(first, first + count)]


def applicant(external_id: str, **changes: object) -> NewApplication:
    values: dict[str, object] = {
        "external_id": external_id,
        "selection": {},
        "monitor": {},
        "fields": {},
    }
    return NewApplication(**(values | changes))  # type: ignore[arg-type]  # tests name fields


def reviewer(external_id: str, **changes: object) -> NewReviewer:
    values: dict[str, object] = {"external_id": external_id, "capacity": {"review": None}}
    return NewReviewer(**(values | changes))  # type: ignore[arg-type]  # tests name fields


def reviewers(count: int, **changes: object) -> list[NewReviewer]:
    return [reviewer(f"R{number}", **changes) for number in range(1, count + 1)]


def marks(external_id: str, kind: str, ordinal: int, by: str) -> float:
    """A mark around a truth that rises with the external id; the same question, the same mark."""
    truth = 0.2 + 0.6 * (tie_key(1, external_id) >> 11) / 2**53
    noise = 0.3 * ((tie_key(2, f"{external_id}/{kind}/{ordinal}/{by}") >> 11) / 2**53 - 0.5)
    return min(1.0, max(0.0, truth + noise))


_OPENED: list[SqlLedger] = []


def close_ledgers() -> None:
    """Close the connections of every world on PostgreSQL made since the last call."""
    while _OPENED:
        _OPENED.pop().dispose()


class World:
    """One product on one ledger, with one cycle and its people."""

    def __init__(
        self,
        *,
        url: str = "sqlite://",
        rules: Rules = RULES,
        applications: Sequence[NewApplication] | int = 8,
        roster: Sequence[NewReviewer] | int = 4,
        launch: bool = True,
        state: CycleState | None = None,
        there: bool = False,
    ) -> None:
        self.ledger = open_ledger(url)
        if url.startswith("postgresql"):
            _OPENED.append(self.ledger)
        self.state = state or MemoryCycleState()
        self._dispatcher = InlineDispatcher(self._deliver)
        self.sent: list[str] = []
        self.product = compose(
            ServiceContext(
                ledger=self.ledger,
                state=self.state,
                dispatcher=self._dispatcher,
                doorbell=MemoryDoorbell(),
                post=lambda _mail: None,
                lease_seconds=3600.0,
            )
        )
        self.coordinator = self.product.cycles.coordinator("one")
        self._offset = timedelta()
        if there:  # the ledger has the cycle already
            return
        self.product.cycles.new_round("round", name="Round")
        self.product.cycles.new(CYCLE, round_id="round", rules=rules, by="ops")
        self.admit(applications)
        self.hire(roster)
        if launch:
            self.product.cycles.launch(CYCLE, by="ops")

    # Staff

    def admit(self, new: Sequence[NewApplication] | int) -> None:
        rows = applicants(new) if isinstance(new, int) else new
        if rows:
            self.product.applicants.import_all(CYCLE, rows)

    def hire(self, new: Sequence[NewReviewer] | int) -> None:
        rows = reviewers(new) if isinstance(new, int) else new
        if rows:
            self.product.reviewers.import_all(CYCLE, rows)

    # Coordinators and time

    def turn(self, coordinator: Coordinator | None = None, *, at_most: int = 60) -> int:
        """Take turns until there is nothing to do; gives how many had something to do."""
        busy = coordinator or self.coordinator
        for turns in range(at_most):
            done = busy.turn() + self._dispatcher.run_pending()
            busy.raise_fault()
            if done == 0:
                return turns
        raise AssertionError(f"after {at_most} turns there is still something to do")

    def later(self, **time: float) -> None:
        self._offset += timedelta(**time)
        self.ledger.set_clock_offset(self._offset.total_seconds())

    def forget_live_state(self) -> None:
        self.state.forget(CYCLE)

    # Reviewers

    def waiting(self, external_id: str = "") -> tuple[Assignment, ...]:
        """What waits for one reviewer, or for all, in a fixed order."""
        if external_id:
            return self.product.tasks.inbox(CYCLE, external_id)
        return self.ledger.assignments(CYCLE, statuses=LIVE)

    def submit(self, assignment: Assignment | str, utility: float, **more: object) -> Receipt:
        name = assignment if isinstance(assignment, str) else assignment.id
        answer = Answer(assignment_id=name, utility=utility, **more)  # type: ignore[arg-type]
        return self.product.tasks.submit([answer])[0]

    def answer_all(self, mark: Marks = marks) -> int:
        """Everyone answers everything, one submit each."""
        names, people = self.names(), self.people()
        kinds = self.product.cycles.rules(CYCLE).kinds
        waiting = self.waiting()
        for a in waiting:
            if self.ledger.assignment(a.id).status.is_open:
                kind = kinds[a.kind].name
                self.submit(a, mark(names[a.application], kind, a.ordinal, people[a.reviewer]))
        return len(waiting)

    def run(self, mark: Marks = marks, *, at_most: int = 200) -> None:
        """Turn and answer until nothing moves."""
        for _ in range(at_most):
            self.turn()
            if not self.answer_all(mark):
                return
        raise AssertionError("the cycle does not come to an end")

    # What there is

    @property
    def cycle(self) -> Cycle:
        return self.product.cycles.get(CYCLE)

    def stands(self, status: CycleStatus) -> bool:
        return self.cycle.status is status

    def names(self) -> dict[int, str]:
        return {a.number: a.external_id for a in self.product.applicants.list(CYCLE)}

    def people(self) -> dict[int, str]:
        return {r.number: r.external_id for r in self.product.reviewers.list(CYCLE)}

    def number(self, external_id: str) -> int:
        return next(n for n, name in self.names().items() if name == external_id)

    def events(self, *types: EventType) -> list[Event]:
        return [e for e in self.product.reports.events(CYCLE) if not types or e.type in types]

    def cohort(self) -> list[str]:
        return sorted(place.external_id for place in self.product.cohort.propose(CYCLE).cohort)

    def asked(self) -> set[tuple[str, str]]:
        """(application, reviewer) pairs of everything ever asked."""
        names, people = self.names(), self.people()
        return {(names[a.application], people[a.reviewer]) for a in self.ledger.assignments(CYCLE)}

    def arms(self) -> Arms:
        """The live state, brought up to the ledger by nobody but the coordinator."""
        return self.state.arms(CYCLE)

    def tally(self) -> Arms:
        """The same numbers, added up from the ledger alone."""
        tally = LiveTotals()
        tally.add(self.product.reports.events(CYCLE))
        return tally.arms()

    def verify(self) -> None:
        """Replay everything; a difference that is not mere rounding fails."""
        verification = self.product.reports.verify(CYCLE)
        fatal = [finding.what for finding in verification.findings if finding.fatal]
        assert not fatal, fatal

    def check(self) -> None:
        """What holds at every moment, whatever happened."""
        cycle, pulls = self.cycle, self.ledger.pulls(CYCLE)
        budget = self.product.cycles.rules(CYCLE).budget
        spent = sum(p.cost for p in pulls if p.status is PullStatus.CLOSED)
        committed = sum(p.cost for p in pulls if p.status in WAITING)
        assert (cycle.spent, cycle.committed) == (spent, committed)
        assert spent + committed <= budget
        self._check_assignments()
        tally = self.tally()
        assert (tally.spent, tally.committed) == (spent, committed)
        assert tally.pending.sum() == sum(p.gain for p in pulls if p.status in WAITING)
        self._check_book()
        # Folded on since the check before, or from the first event: it must not matter.
        assert folded(self.product.context.snapshots, self.ledger) == folded(
            SnapshotCache(), self.ledger
        )
        live = self.arms()
        if live.position == tally.position:
            assert_same_numbers(live, tally)

    def _check_assignments(self) -> None:
        pulls = {p.id: p for p in self.ledger.pulls(CYCLE)}
        everything = self.ledger.assignments(CYCLE)
        live = [a for a in everything if a.status in LIVE]
        assert all(pulls[a.pull_id].status is PullStatus.OPEN for a in live)
        assert no_twins((a.pull_id, a.seat) for a in live)
        counting = [s for s in self.standing().values() if s.counts]
        assert no_twins((s.application, s.reviewer) for s in counting)
        assert no_twins((s.pull_id, s.seat) for s in counting)
        # Asked again at most after a request that ended without a review, never beside one.
        assert no_twins(
            [(a.application, a.reviewer) for a in live]
            + [(s.application, s.reviewer) for s in counting]
        )

    def _check_book(self) -> None:
        projection = read_projection(CYCLE, ledger=self.ledger)
        live = [a for a in self.ledger.assignments(CYCLE) if a.status in LIVE]
        out = [0] * len(projection.reviewers)
        for assignment in live:
            out[assignment.reviewer] += 1
        assert [facts.out for facts in projection.reviewers] == out
        assert {
            (*key, seat): live_seat
            for key, pull in projection.open.items()
            for seat, live_seat in pull.live.items()
        } == {(a.application, a.kind, a.ordinal, a.seat): (a.attempt, a.reviewer) for a in live}

    def standing(self) -> dict[str, Score]:
        """The revision of every score that stands, by assignment."""
        latest: dict[str, Score] = {}
        for score in self.ledger.scores(CYCLE):
            latest[score.assignment_id] = score
        return latest

    def _deliver(self, messages: Sequence[QueueMessage]) -> None:
        ids = [m.id for m in messages if m.topic is Topic.DELIVER]
        self.sent += ids
        self.product.tasks.deliver(ids)


COMPILED: dict[object, object] = {}


def open_ledger(url: str) -> SqlLedger:
    """Open a ledger whose statements are compiled once for all ledgers of this process."""
    ledger = SqlLedger(url)
    database = ledger._database
    if database.is_sqlite:
        database._reader = database._reader.execution_options(compiled_cache=COMPILED)
        database._writer = database._writer.execution_options(compiled_cache=COMPILED)
    return ledger


def no_twins(values: Iterable[object]) -> bool:
    listed = list(values)
    return len(set(listed)) == len(listed)


def assert_same_numbers(one: Arms, other: Arms) -> None:
    assert one.numerator.tolist() == other.numerator.tolist()
    assert one.information.tolist() == other.information.tolist()
    assert one.pending.tolist() == other.pending.tolist()
    assert (one.spent, one.committed) == (other.spent, other.committed)
