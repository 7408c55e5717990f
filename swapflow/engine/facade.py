"""What the interfaces call: one method for each thing that a person or a worker does.

A command, a page and a task each parse, call one method here, and report.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar

from swapflow.domain.applicant import Application, ApplicationStatus, NewApplication
from swapflow.domain.assignment import Assignment, AssignmentStatus
from swapflow.domain.cohort import MethodSheet, Outcome, Place, Proposal, Waiver
from swapflow.domain.cycle import START, Cycle, Round
from swapflow.domain.document import Document
from swapflow.domain.event import Event
from swapflow.domain.ids import CYCLE_ID, cycle_of
from swapflow.domain.reviewer import Absence, DeclineKind, NewReviewer, Reviewer
from swapflow.domain.rules import Rubric, Rules
from swapflow.domain.score import Answer, Draft, Given, Origin, Receipt, Score
from swapflow.engine import (
    approvals,
    corrections,
    desk,
    documents,
    inbox,
    intake,
    interviews,
    sheets,
    signing,
    staff,
)
from swapflow.engine.board import Board, unpack_board
from swapflow.engine.coordinator import Coordinator
from swapflow.engine.finalize import Override, finalize, propose, reopen
from swapflow.engine.hooks import HookCall
from swapflow.engine.ingest import rebuild
from swapflow.engine.launch import Obstacle, launch, obstacles
from swapflow.engine.notify import notify, nudge, nudge_late, waiting_for
from swapflow.engine.ports import (
    CycleState,
    DecisionRecord,
    Dispatcher,
    Doorbell,
    Ledger,
    Load,
    Mail,
    MailRecord,
    Named,
    Pin,
    Pulse,
    RulesVersion,
    Step,
    Waiting,
)
from swapflow.engine.preview import Preview, preview
from swapflow.engine.progress import (
    Asked,
    Explanation,
    Progress,
    asked_about,
    board_from_ledger,
    explain,
    progress,
    proposed_requests,
)
from swapflow.engine.rubrics import RubricEffect, effect
from swapflow.engine.verify import Verification, verify
from swapflow.errors import (
    BadRow,
    InvalidInputError,
    MailRefusedError,
    NotFoundError,
    UnavailableError,
)


T = TypeVar("T")

Post = Callable[[Mail], None]
"""Hands one mail to SMTP or to the outbox folder; raises UnavailableError or MailRefusedError."""

MAIL_TRIES = 8
"""How often a mail is tried when the server does not take it: nearly a day of growing waits."""


Knock = Callable[[HookCall], str]
"""Makes one call of a webhook and says what was answered; raises UnavailableError."""


def nowhere(call: HookCall) -> str:
    """Make no call: what a product without a way out does."""
    raise UnavailableError(f"nothing here sends the call {call.id}; a worker does")


@dataclass(frozen=True, slots=True, kw_only=True)
class Swapflow:
    """The product, put together from its parts.

    Attributes:
        address: Where people reach the pages; links in mails start with it.
        boards: The last board of each cycle that had to be made from the ledger.
        provider: Whether an identity provider is connected: rules may want it only then.
    """

    ledger: Ledger
    state: CycleState
    dispatcher: Dispatcher
    doorbell: Doorbell
    post: Post
    knock: Knock = nowhere
    address: str = ""
    provider: bool = False
    lease_seconds: float = 15.0
    resend_seconds: float = 600.0
    boards: dict[str, Board] = field(default_factory=dict)

    def coordinator(self, holder: str = "") -> Coordinator:
        """Make a coordinator; several may run at once."""
        return Coordinator(
            ledger=self.ledger,
            state=self.state,
            dispatcher=self.dispatcher,
            doorbell=self.doorbell,
            lease_seconds=self.lease_seconds,
            resend_seconds=self.resend_seconds,
            address=self.address,
            holder=holder,
        )

    # Rounds and cycles

    def new_round(
        self, round_id: str, *, name: str, unit: str = "minutes", zone: str = "UTC"
    ) -> None:
        """Make a round."""
        _check_id(round_id, "round")
        self.ledger.create_round(Round(id=round_id, name=name or round_id, unit=unit, zone=zone))

    def rounds(self) -> tuple[Round, ...]:
        """List the rounds."""
        return self.ledger.rounds()

    def new_cycle(
        self, cycle_id: str, *, round_id: str, rules: Rules, by: str, name: str = ""
    ) -> None:
        """Make a cycle in draft, under rules that were checked when they were read."""
        _check_id(cycle_id, "cycle")
        if round_id not in {known.id for known in self.ledger.rounds()}:
            raise NotFoundError(
                f"there is no round {round_id!r}; `swapflow round new {round_id}` makes one"
            )
        self.ledger.create_cycle(
            cycle_id, round_id=round_id, name=name or cycle_id, rules=rules, by=by
        )

    def cycles(self) -> tuple[Cycle, ...]:
        """List the cycles."""
        return self.ledger.cycles()

    def cycle(self, cycle_id: str) -> Cycle:
        """Read one cycle's row."""
        return self.ledger.cycle(cycle_id)

    def rules(self, cycle_id: str) -> Rules:
        """Read the rules in force."""
        return self.ledger.rules(cycle_id)

    def change_rules(self, cycle_id: str, rules: Rules, *, by: str, reason: str) -> Rules:
        """Put a new version of the rules in force."""
        changed = staff.change_rules(
            cycle_id, rules, by=by, reason=reason, ledger=self.ledger, provider=self.provider
        )
        return self._rung(cycle_id, changed)

    def check_rules(self, cycle_id: str, rules: Rules) -> None:
        """Say whether a cycle's rules could be changed to these; writes nothing."""
        staff.check_rules(cycle_id, rules, ledger=self.ledger)

    def launch(self, cycle_id: str, *, by: str) -> None:
        """Start a cycle."""
        launch(cycle_id, by=by, ledger=self.ledger, provider=self.provider)
        self.doorbell.ring(cycle_id)

    def obstacles(self, cycle_id: str) -> tuple[Obstacle, ...]:
        """Name everything that would refuse a launch now."""
        return obstacles(cycle_id, ledger=self.ledger, provider=self.provider)

    def preview(self, cycle_id: str) -> Preview:
        """Say what launching a cycle now would mean."""
        return preview(cycle_id, ledger=self.ledger, provider=self.provider)

    def rules_history(self, cycle_id: str) -> tuple[RulesVersion, ...]:
        """Read every version of a cycle's rules, newest first."""
        return self.ledger.rules_history(cycle_id)

    def rubric_effect(self, cycle_id: str, rubric: Rubric) -> RubricEffect:
        """Say what putting a rubric in force would change."""
        return effect(cycle_id, rubric, ledger=self.ledger)

    def pause(self, cycle_id: str, *, by: str, reason: str = "") -> None:
        """Stop sending and expiring for a while."""
        staff.pause(cycle_id, by=by, reason=reason, ledger=self.ledger)
        self.doorbell.ring(cycle_id)

    def resume(self, cycle_id: str, *, by: str, reason: str = "") -> None:
        """Go on after a pause or against a proposed stop."""
        staff.resume(cycle_id, by=by, reason=reason, ledger=self.ledger)
        self.doorbell.ring(cycle_id)

    def stop(self, cycle_id: str, *, by: str, reason: str = "") -> int:
        """End the asking; says how many requests were cancelled."""
        cancelled = staff.stop(cycle_id, by=by, reason=reason, ledger=self.ledger)
        return self._rung(cycle_id, cancelled)

    def progress(self, cycle_id: str) -> Progress:
        """Say how a cycle stands."""
        return progress(cycle_id, ledger=self.ledger)

    def board(self, cycle_id: str) -> tuple[Board, bool]:
        """Read how a cycle stands, and whether the live state had it; else from the ledger."""
        try:
            packed = self.state.board(cycle_id)
            if packed is not None:
                board = unpack_board(packed)
                # A board that is ahead belongs to a ledger that was put back from a copy.
                if board.position.seq <= self.ledger.cycle(cycle_id).position.seq:
                    return board, True
        except (UnavailableError, InvalidInputError):
            pass
        # Made anew only when something has happened: many may look at a program without one.
        known, head = self.boards.get(cycle_id), self.ledger.cycle(cycle_id).position
        if known is None or known.position != head:
            known = board_from_ledger(cycle_id, ledger=self.ledger)
            self.boards[cycle_id] = known
        return known, False

    def state_answers(self) -> bool:
        """Say whether the live state's server answers."""
        try:
            self.state.position("")
        except UnavailableError:
            return False
        return True

    def named(self, cycle_id: str, number: int | None = None) -> tuple[Named, ...]:
        """Read who a cycle's applications are, all or one."""
        return self.ledger.named(cycle_id, number)

    def waiting(self, cycle_id: str) -> tuple[Waiting, ...]:
        """Count what waits, and what of it is overdue, by kind and reviewer."""
        return self.ledger.waiting(cycle_id)

    def loads(self, cycle_id: str) -> dict[int, Load]:
        """Read how busy each reviewer is."""
        return self.ledger.loads(cycle_id)

    def counts(self, cycle_id: str) -> dict[tuple[int, str], int]:
        """Count review requests by (kind, status)."""
        return self.ledger.counts(cycle_id)

    def pulse(self, cycle_id: str) -> Pulse:
        """Read whether the processes behind a cycle live."""
        return self.ledger.pulse(cycle_id)

    def steps(self, cycle_id: str, *, at_most: int = 500) -> tuple[Step, ...]:
        """Read the last decisions in numbers, oldest first."""
        return self.ledger.steps(cycle_id, at_most=at_most)

    def decisions_before(
        self, cycle_id: str, number: int = 0, *, at_most: int = 25
    ) -> tuple[tuple[DecisionRecord, datetime], ...]:
        """Read decisions below a number, newest first; 0: the newest."""
        return self.ledger.decisions_before(cycle_id, number, at_most=at_most)

    def pins(self, cycle_id: str) -> tuple[Pin, ...]:
        """Read whom people want in or out, whatever the marks say."""
        return self.ledger.pins(cycle_id)

    def pin(self, cycle_id: str, application: int, verdict: str, *, by: str, reason: str) -> None:
        """Want an application "in" or "out" at the decision; "" takes that back.

        Raises:
            InvalidInputError: If there is no reason, or the verdict is another word.
        """
        if verdict not in {"in", "out", ""}:
            raise InvalidInputError("say whether the applicant is to be in or out")
        if not reason.strip():
            raise InvalidInputError("write why; it stands in the record of the decision")
        self.ledger.application(cycle_id, application)
        self.ledger.set_pin(cycle_id, application, verdict=verdict, by=by, reason=reason)

    def waiting_for(self, cycle_id: str, reviewer: int) -> tuple[Assignment, ...]:
        """Read what waits for a reviewer, by number."""
        return waiting_for(cycle_id, reviewer, ledger=self.ledger)

    def reviews_by(self, cycle_id: str, reviewer: int) -> tuple[Assignment, ...]:
        """Read what a reviewer has answered, by number, newest request first."""
        found = self.ledger.assignments(
            cycle_id, reviewer=reviewer, statuses={AssignmentStatus.SCORED}
        )
        return tuple(sorted(found, key=lambda a: (a.created_at, a.id), reverse=True))

    def asked_about(self, cycle_id: str, number: int) -> tuple[Asked, ...]:
        """Say why each review of an application was asked for, and what came of it."""
        return asked_about(cycle_id, number, ledger=self.ledger)

    def explain(self, cycle_id: str, external_id: str) -> Explanation:
        """Say why an application was asked about, and where it stands."""
        return explain(cycle_id, external_id, ledger=self.ledger)

    def propose(self, cycle_id: str) -> Proposal:
        """Make the list that the rule proposes now."""
        return propose(cycle_id, ledger=self.ledger)

    def finalize(
        self,
        cycle_id: str,
        *,
        by: str,
        signed_by: Sequence[str] = (),
        overrides: Sequence[Override] = (),
        waiver: Waiver | None = None,
    ) -> Proposal:
        """Fix the cohort."""
        return finalize(
            cycle_id,
            by=by,
            signed_by=signed_by,
            overrides=overrides,
            waiver=waiver,
            ledger=self.ledger,
        )

    def reopen(self, cycle_id: str, *, names: Collection[str], reason: str) -> int:
        """Start another version of a fixed cohort."""
        return reopen(cycle_id, names=names, reason=reason, ledger=self.ledger)

    def prepare_decision(
        self, cycle_id: str, *, by: str, overrides: Sequence[Override] = (), waiver: str = ""
    ) -> str:
        """Put a decision up for signature; gives its digest."""
        return signing.prepare(
            cycle_id, by=by, overrides=overrides, waiver=waiver, ledger=self.ledger
        )

    def prepare_reopening(self, cycle_id: str, *, by: str, reason: str) -> str:
        """Ask that a fixed cohort be reopened; gives what is to be signed."""
        return signing.prepare_reopening(cycle_id, by=by, reason=reason, ledger=self.ledger)

    def pending(
        self, cycle_id: str, *, proposal: Proposal | None = None
    ) -> signing.Pending | None:
        """Read what waits for signatures; None when nothing does."""
        return signing.pending(cycle_id, proposal=proposal, ledger=self.ledger)

    def sign(self, cycle_id: str, digest: str, *, by: str) -> bool:
        """Sign what is prepared; says whether that was the last signature, and it is done."""
        return signing.sign(cycle_id, digest, by=by, ledger=self.ledger)

    def take_back(self, cycle_id: str) -> bool:
        """Take back what was put up for signature; False when nothing was."""
        return self.ledger.drop_prepared(cycle_id)

    def signatures(self, cycle_id: str, version: int) -> tuple[tuple[str, str], ...]:
        """Read who signed a version of the cohort, and in which role."""
        return self.ledger.signatures(cycle_id, version)

    def verify(self, cycle_id: str, *, live: bool = True) -> Verification:
        """Replay a cycle and compare with the record, and with the live state if asked."""
        return verify(cycle_id, ledger=self.ledger, state=self.state if live else None)

    def rebuild(self, cycle_id: str) -> None:
        """Make the live state anew from the ledger."""
        head = self.ledger.cycle(cycle_id).position
        rebuild(cycle_id, ledger=self.ledger, state=self.state, upto=head)

    def events(self, cycle_id: str) -> Iterable[Event]:
        """Read every event of a cycle, in order."""
        position = START
        while batch := self.ledger.events(cycle_id, after=position, at_most=1000):
            yield from batch
            position = batch[-1].position

    def decisions(self, cycle_id: str) -> tuple[DecisionRecord, ...]:
        """Read every decision of a cycle, in order."""
        return self.ledger.decisions(cycle_id)

    def proposals(self, cycle_id: str) -> tuple[tuple[int, tuple[Place, ...], MethodSheet], ...]:
        """Read the stored proposals: version, places, method sheet."""
        return self.ledger.proposals(cycle_id)

    def outcomes(self, cycle_id: str, version: int) -> tuple[Outcome, ...]:
        """Read what people decided for one version of the cohort."""
        return self.ledger.outcomes(cycle_id, version)

    # Applications

    def import_applications(
        self, cycle_id: str, new: Sequence[NewApplication], *, wave: int = 0
    ) -> tuple[Application, ...]:
        """Add applications: all, or none."""
        added = intake.import_applications(cycle_id, new, wave=wave, ledger=self.ledger)
        return self._rung(cycle_id, added)

    def applications(self, cycle_id: str) -> tuple[Application, ...]:
        """List a cycle's applications."""
        return self.ledger.applications(cycle_id)

    def application(self, cycle_id: str, number: int) -> Application:
        """Read one application by its number."""
        return self.ledger.application(cycle_id, number)

    def last_moves(
        self, cycle_id: str, applications: Collection[int]
    ) -> dict[int, tuple[datetime, bool]]:
        """Say when each was last asked about or answered, and whether it was an answer."""
        return self.ledger.last_moves(cycle_id, applications)

    def files_of(self, cycle_id: str, application: int) -> tuple[Document, ...]:
        """List the documents of an application, without their bytes."""
        return self.ledger.files(cycle_id, application)

    def now(self) -> datetime:
        """Say what time it is for the product: the database's time, aware UTC."""
        return self.ledger.now()

    def move_application(
        self,
        cycle_id: str,
        external_id: str,
        status: ApplicationStatus,
        *,
        by: str,
        reason: str = "",
    ) -> None:
        """Hold, release, withdraw, reinstate … an application."""
        intake.move_application(
            cycle_id, external_id, status, by=by, reason=reason, ledger=self.ledger
        )
        self.doorbell.ring(cycle_id)

    def purge(self, cycle_id: str, external_id: str, *, by: str) -> None:
        """Erase one person's data for good."""
        intake.purge(cycle_id, external_id, by=by, ledger=self.ledger)
        self.ledger.compact()
        self.doorbell.ring(cycle_id)

    def ask(self, cycle_id: str, external_id: str, kind: str, *, by: str, reason: str) -> int:
        """Wish for an extra review of an application."""
        wish = staff.ask(cycle_id, external_id, kind, by=by, reason=reason, ledger=self.ledger)
        return self._rung(cycle_id, wish)

    # Reviewers

    def import_reviewers(self, cycle_id: str, new: Sequence[NewReviewer]) -> tuple[Reviewer, ...]:
        """Add reviewers to the roster, or change those that are there: all, or none."""
        added = intake.import_reviewers(cycle_id, new, ledger=self.ledger)
        return self._rung(cycle_id, added)

    def reviewers(self, cycle_id: str) -> tuple[Reviewer, ...]:
        """List a cycle's roster."""
        return self.ledger.reviewers(cycle_id)

    def nudge(self, cycle_id: str, external_id: str, *, by: str) -> None:
        """Ask a reviewer for what waits, by mail, at most once a day."""
        nudge(cycle_id, external_id, by=by, ledger=self.ledger, address=self.address)
        self.doorbell.ring(cycle_id)

    def nudge_late(self, cycle_id: str, *, by: str) -> int:
        """Ask everybody who is late, by mail, at most once a day; counts them."""
        asked = nudge_late(cycle_id, by=by, ledger=self.ledger, address=self.address)
        return self._rung(cycle_id, asked)

    def leave(self, cycle_id: str, external_id: str, *, by: str, reason: str = "") -> int:
        """Take a reviewer off the roster; says how many requests go to others."""
        moved = intake.leave(cycle_id, external_id, by=by, reason=reason, ledger=self.ledger)
        return self._rung(cycle_id, moved)

    def add_conflicts(
        self, cycle_id: str, pairs: Iterable[tuple[str, str]], *, source: str
    ) -> None:
        """Record conflicts of interest, as (application, reviewer) external ids."""
        intake.add_conflicts(cycle_id, pairs, source=source, ledger=self.ledger)
        self.doorbell.ring(cycle_id)

    def set_panel(self, cycle_id: str, pairs: Iterable[tuple[str, str]]) -> None:
        """Restrict applications to the reviewers named."""
        intake.set_panel(cycle_id, pairs, ledger=self.ledger)
        self.doorbell.ring(cycle_id)

    # The reviewer's side

    def inbox(self, cycle_id: str, external_id: str) -> tuple[Assignment, ...]:
        """List what waits for a reviewer, soonest due first."""
        number = self._reviewer(cycle_id, external_id)
        waiting = self.ledger.assignments(
            cycle_id,
            reviewer=number,
            statuses={
                AssignmentStatus.QUEUED,
                AssignmentStatus.DELIVERED,
                AssignmentStatus.OPENED,
            },
        )
        return tuple(sorted(waiting, key=lambda a: (a.due_at is None, a.due_at, a.id)))

    def open(self, assignment_id: str) -> Assignment:
        """Note that a reviewer has opened an assignment, and read it."""
        assignment = self.ledger.assignment(assignment_id)
        rules = self.ledger.rules(assignment.cycle_id)
        rubric = rules.rubric(rules.kinds[assignment.kind].name)
        self.ledger.mark_opened(
            assignment_id, rubric_version=rubric.version if rubric is not None else 0
        )
        return self.ledger.assignment(assignment_id)

    def deliver(self, assignment_ids: Sequence[str]) -> int:
        """Put assignments into their reviewers' inboxes; says how many were new there.

        Their reviewers get one mail a day and cycle, whose row is written first: after a crash in
        between the delivery is repeated, and the row is there already.
        """
        notify(assignment_ids, ledger=self.ledger, address=self.address)
        return self.ledger.mark_delivered(assignment_ids)

    def submit(self, answers: Sequence[Answer]) -> tuple[Receipt, ...]:
        """Store answers of one cycle: committed when this returns, whatever else is down."""
        receipts = inbox.submit(answers, ledger=self.ledger)
        for cycle_id in {cycle_of(answer.assignment_id) for answer in answers}:
            self.doorbell.ring(cycle_id)
        return receipts

    def decline(
        self,
        assignment_id: str,
        kind: DeclineKind,
        *,
        by: str,
        reason: str = "",
        busy: Absence | None = None,
    ) -> None:
        """Say no to an assignment; its request goes to another reviewer."""
        inbox.decline(
            assignment_id,
            kind,
            by=by,
            reason=reason,
            busy_until=busy,
            address=self.address,
            ledger=self.ledger,
        )
        self.ledger.drop_draft(assignment_id)
        self.doorbell.ring(cycle_of(assignment_id))

    def desk_of(self, seats: Collection[tuple[str, int]]) -> desk.Desk:
        """Read everything that waits for somebody, in every cycle where they sit."""
        return desk.read_desk(seats, ledger=self.ledger)

    def task(self, task: str, *, reviewer: int) -> Assignment:
        """Find a reviewer's own assignment by its code; somebody else's is not there at all."""
        return desk.find_task(task, reviewer=reviewer, ledger=self.ledger)

    def task_code(self, assignment_id: str) -> str:
        """Give the code by which a reviewer names an assignment."""
        return self.ledger.cycle(cycle_of(assignment_id)).task_code(assignment_id)

    def sheet(self, assignment: Assignment) -> desk.Sheet:
        """Read what a reviewer sees of an assignment: the file, the form, the own answer."""
        return desk.read_sheet(assignment, ledger=self.ledger)

    def document(self, assignment: Assignment, number: int) -> tuple[desk.Paper, bytes]:
        """Read an uploaded document that a reviewer may see, by its number on the sheet."""
        return desk.read_document(assignment, number, ledger=self.ledger)

    def begin(self, assignment: Assignment) -> Assignment:
        """Note that work on an assignment has begun, if it is open and had not; read it."""
        if assignment.status.is_open and assignment.opened_at is None:
            return self.open(assignment.id)
        return assignment

    def save_draft(
        self, assignment: Assignment, body: Mapping[str, str], *, version: int
    ) -> Draft:
        """Keep what was typed so far; raises StaleDraftError when another tab was faster."""
        self.begin(assignment)
        return self.ledger.save_draft(assignment.id, desk.clean(body), expected=version)

    def skip(self, assignment: Assignment) -> None:
        """Put a task at the end of its reviewer's list."""
        self.ledger.skip(assignment.id)

    def given(self, assignment_id: str) -> Given | None:
        """Read the standing score of an assignment and what was written with it."""
        return self.ledger.given(assignment_id)

    def add_absence(self, cycle_id: str, reviewer: int, absence: Absence) -> None:
        """Keep new requests away from a reviewer for some days."""
        intake.change_availability(cycle_id, reviewer, add=absence, ledger=self.ledger)
        self.doorbell.ring(cycle_id)

    def remove_absence(self, cycle_id: str, reviewer: int, absence: Absence) -> None:
        """Let new requests come again on some days."""
        intake.change_availability(cycle_id, reviewer, remove=absence, ledger=self.ledger)
        self.doorbell.ring(cycle_id)

    def set_packet(self, cycle_id: str, reviewer: int, packet: int) -> None:
        """Change how many requests a reviewer has at the same time."""
        intake.change_availability(cycle_id, reviewer, packet=packet, ledger=self.ledger)
        self.doorbell.ring(cycle_id)

    # Documents and interviews

    def attach_documents(
        self, cycle_id: str, uploads: Sequence[documents.Upload], *, redacted: bool
    ) -> documents.Attached:
        """Store uploaded files with the applicants whose ids begin their names."""
        return documents.attach(cycle_id, uploads, redacted=redacted, ledger=self.ledger)

    def interview_requests(self, cycle_id: str) -> tuple[interviews.Requested, ...]:
        """List the requests that people are to meet applicants for, with their slots."""
        return interviews.requested(cycle_id, ledger=self.ledger)

    def set_slots(self, cycle_id: str, slots: Sequence[interviews.Slot], *, by: str) -> int:
        """Set when and where interviews take place, and invite; counts what changed."""
        changed = interviews.set_slots(
            cycle_id, slots, by=by, address=self.address, ledger=self.ledger
        )
        return self._rung(cycle_id, changed)

    def cancel_slot(self, cycle_id: str, pull_id: str, *, by: str) -> None:
        """Take a slot back and tell its people."""
        interviews.cancel_slot(cycle_id, pull_id, by=by, address=self.address, ledger=self.ledger)
        self.doorbell.ring(cycle_id)

    def did_not_come(self, assignment_id: str, *, by: str, note: str = "") -> None:
        """Note that an applicant did not come; the request goes to others."""
        interviews.did_not_come(assignment_id, by=by, note=note, ledger=self.ledger)
        self.doorbell.ring(cycle_of(assignment_id))

    def calendar(self, sheet: desk.Sheet) -> str:
        """Spell the calendar entry of a task that has a slot."""
        return desk.calendar_of(sheet, address=self.address, ledger=self.ledger)

    # Scores

    def scores(self, cycle_id: str) -> tuple[Score, ...]:
        """Read every revision of every score."""
        return self.ledger.scores(cycle_id)

    def correct(self, answer: Answer, *, by: str, reason: str, saw_others: bool = False) -> int:
        """Replace a score by another."""
        seq = corrections.correct(
            answer, by=by, reason=reason, saw_others=saw_others, ledger=self.ledger
        )
        return self._rung(cycle_of(answer.assignment_id), seq)

    def void(self, assignment_ids: Collection[str], *, by: str, reason: str) -> int:
        """Make scores count no more; says how many did before."""
        voided = corrections.void(assignment_ids, by=by, reason=reason, ledger=self.ledger)
        for cycle_id in {cycle_of(name) for name in assignment_ids}:
            self.doorbell.ring(cycle_id)
        return voided

    def void_reviewer(self, cycle_id: str, external_id: str, *, by: str, reason: str) -> int:
        """Make every score of a reviewer count no more; says how many did before."""
        number = self._reviewer(cycle_id, external_id)
        voided = corrections.void_reviewer(
            cycle_id, number, by=by, reason=reason, ledger=self.ledger
        )
        return self._rung(cycle_id, voided)

    def volunteer(
        self, cycle_id: str, scores: Sequence[corrections.Volunteered], *, imported: bool
    ) -> tuple[str, ...]:
        """Keep scores that nobody asked for; they count only when staff admit them."""
        origin = Origin.IMPORTED if imported else Origin.VOLUNTEERED
        return corrections.volunteer(cycle_id, scores, origin=origin, ledger=self.ledger)

    def admit(self, assignment_id: str, *, by: str, reason: str) -> int:
        """Let a volunteered score count."""
        seq = corrections.admit(assignment_id, by=by, reason=reason, ledger=self.ledger)
        return self._rung(cycle_of(assignment_id), seq)

    # Sheets for reviewers who do not sign in

    def reviewer_sheet(self, cycle_id: str, reviewer: int) -> tuple[desk.Sheet, ...]:
        """Read what goes onto a reviewer's sheet: what waits for them, soonest due first."""
        return sheets.outgoing(cycle_id, reviewer, ledger=self.ledger)

    def examine_sheet(
        self,
        cycle_id: str,
        returned: Sequence[sheets.Returned],
        *,
        by: str,
        source: str,
        reviewer: int | None = None,
        bad: Sequence[BadRow] = (),
    ) -> sheets.Plan:
        """Say what entering a sheet that came back would do; changes nothing."""
        return sheets.examine(
            cycle_id,
            returned,
            by=by,
            source=source,
            reviewer=reviewer,
            bad=bad,
            ledger=self.ledger,
        )

    def enter_sheet(self, plan: sheets.Plan, *, by: str) -> None:
        """Store what came back on a sheet: all of it, or nothing."""
        sheets.enter(plan, by=by, ledger=self.ledger)
        self.doorbell.ring(plan.cycle_id)

    # Approvals

    def proposed_requests(self, cycle_id: str) -> tuple[tuple[str, str, str, int], ...]:
        """List requests that wait for approval: id, external id, kind, decision."""
        return proposed_requests(cycle_id, ledger=self.ledger)

    def awaited(self, cycle_id: str) -> tuple[approvals.Awaited, ...]:
        """List requests that wait for approval, with the reasons for each."""
        return approvals.awaited(cycle_id, ledger=self.ledger)

    def swap_choices(self, cycle_id: str, pull: str) -> approvals.Choices:
        """Say who may stand in the place of whom in a request that waits for approval."""
        return approvals.choices(cycle_id, pull, ledger=self.ledger)

    def swap(
        self,
        cycle_id: str,
        pull: str,
        *,
        application: int | None,
        reviewer: int | None,
        by: str,
        reason: str,
    ) -> None:
        """Approve a request with another applicant, a chosen reviewer, or both."""
        approvals.swap(
            cycle_id,
            pull,
            application=application,
            reviewer=reviewer,
            by=by,
            reason=reason,
            ledger=self.ledger,
        )
        self.doorbell.ring(cycle_id)

    def approve(self, cycle_id: str, pulls: Collection[str], *, by: str) -> int:
        """Let proposed requests go out."""
        approved = staff.approve(cycle_id, pulls, by=by, ledger=self.ledger)
        return self._rung(cycle_id, approved)

    def strike(self, cycle_id: str, pulls: Collection[str], *, by: str, reason: str) -> int:
        """Refuse proposed requests."""
        struck = staff.strike(cycle_id, pulls, by=by, reason=reason, ledger=self.ledger)
        return self._rung(cycle_id, struck)

    # Mail

    def cycle_mails(
        self,
        cycle_id: str,
        *,
        state: str = "",
        skip: int = 0,
        after: tuple[datetime, str] | None = None,
        at_most: int = 50,
    ) -> tuple[MailRecord, ...]:
        """List a cycle's mails, newest first; `after` is moment and id of the last one seen."""
        return self.ledger.cycle_mails(
            cycle_id, state=state, skip=skip, after=after, at_most=at_most
        )

    def cycle_mail(self, cycle_id: str, mail_id: str) -> MailRecord:
        """Read one mail of a cycle."""
        return self.ledger.cycle_mail(cycle_id, mail_id)

    def count_mails(self, cycle_id: str) -> dict[str, int]:
        """Count a cycle's mails by state."""
        return self.ledger.count_mails(cycle_id)

    def queue_again(self, cycle_id: str, mail_id: str) -> bool:
        """Send a mail again that failed; False when it did not fail."""
        queued = self.ledger.queue_again(cycle_id, mail_id)
        return self._rung(cycle_id, queued)

    def send_mail(self, mail_id: str) -> bool:
        """Send one mail, at least once; False when it was sent before, or is not sent now.

        A mail that the server does not take is tried again later, with growing waits; one that it
        refuses for good has failed, and staff see it.
        """
        mail = self.ledger.claim_mail(mail_id)
        if mail is None:
            return False
        try:
            self.post(mail)
        except MailRefusedError as error:
            self.ledger.mark_mail(mail_id, f"failed: {error}")
        except UnavailableError as error:
            self.ledger.put_mail_off(mail_id, str(error), at_most=MAIL_TRIES)
        else:
            self.ledger.mark_mail(mail_id, "sent")
            return True
        return False

    def call_webhook(self, call_id: str) -> bool:
        """Make one call that is due, at least once; False when there was nothing to do.

        A call that is not taken is made again later, with growing waits, and given up at last.
        """
        call = self.ledger.claim_call(call_id)
        if call is None:
            return False
        try:
            answer, done = self.knock(call), True
        except UnavailableError as error:
            answer, done = str(error), False
        self.ledger.close_call(call, done=done, detail=answer)
        return True

    def _reviewer(self, cycle_id: str, external_id: str) -> int:
        for reviewer in self.ledger.reviewers(cycle_id):
            if reviewer.external_id == external_id:
                return reviewer.number
        raise NotFoundError(f"cycle {cycle_id!r} has no reviewer {external_id!r}")

    def _rung(self, cycle_id: str, result: T) -> T:
        """Ring for the coordinator after a write, and hand the write's result on."""
        self.doorbell.ring(cycle_id)
        return result


def _check_id(name: str, noun: str) -> None:
    if not CYCLE_ID.fullmatch(name):
        raise InvalidInputError(
            f"{name!r} cannot name a {noun}: use up to 40 small letters, digits and hyphens, "
            "beginning with a letter or digit"
        )
