"""Reports on the progress of a cycle, and whether its record is intact."""

# ruff: noqa: PLC0415 - what replays a record or defends a decision is loaded when asked for

from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from swapflow.domain.cycle import START, CycleStatus, Position
from swapflow.domain.event import Event
from swapflow.domain.people.application import ApplicationStatus
from swapflow.domain.reviewing.assignment import OPEN_ASSIGNMENT, Assignment, AssignmentStatus
from swapflow.domain.rules import Estimates
from swapflow.engine.audit import reviewer_figures as figures
from swapflow.engine.notifications.reviewer_mail import waiting_for
from swapflow.engine.ports.live_state import QuarantineNote
from swapflow.engine.ports.records import (
    ApplicantName,
    DecisionRecord,
    DecisionStep,
    Load,
    Pin,
    ProcessHealth,
    Waiting,
)
from swapflow.engine.projection.ingest import rebuild
from swapflow.engine.read_models.calibration import Calibration, Judge, latest_calibration
from swapflow.engine.read_models.dashboard import Dashboard
from swapflow.engine.read_models.estimate_way import EstimateWay, estimate_way
from swapflow.engine.read_models.explanation import (
    Explanation,
    PullExplanation,
    asked_about,
    explain,
)
from swapflow.engine.read_models.people.applicant_table import ApplicantTable, applicant_table
from swapflow.engine.read_models.progress import Progress, current_dashboard, progress
from swapflow.engine.services.context import ServiceContext
from swapflow.errors import UnavailableError


if TYPE_CHECKING:
    from swapflow.engine.audit.decision_card import Card
    from swapflow.engine.audit.defended_decision import ApplicantDefence, Defence
    from swapflow.engine.audit.finished_record import FinishedCycle
    from swapflow.engine.audit.verification import Verification


A_MOMENT = 0.25
"""Seconds that a page waits for the quality of a list; a short list is judged by then."""

Statuses = Collection[ApplicationStatus]

AT_ONCE = 0.1
"""Seconds that a page about one applicant waits for the way to the estimate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationReports:
    """Reports on how reviewers and kinds mark, and on figures about reviewers."""

    context: ServiceContext

    def calibration(self, cycle_id: str) -> Calibration:
        """Compute how reviewers and kinds mark, and what adjusting changes; cached until an event.

        People read `told_calibration`.

        Raises:
            NotReadyError: If the cycle was not launched.
        """
        return latest_calibration(
            cycle_id,
            ledger=self.context.ledger,
            snapshots=self.context.snapshots,
            cache=self.context.calibrations,
        )

    def told_calibration(self, cycle_id: str) -> Calibration:
        """Return a cycle's calibration, without severities where the rules keep those apart.

        Raises:
            NotReadyError: If the cycle was not launched.
        """
        seen = self.calibration(cycle_id)
        apart = self.context.ledger.rules(cycle_id).keeps_figures_apart
        return figures.without_severities(seen) if apart else seen

    def figure_terms(self, cycle_id: str) -> figures.FigureTerms:
        """Read how figures about reviewers are told, and until when."""
        return figures.figure_terms(cycle_id, ledger=self.context.ledger)

    def require_figures(self, cycle_id: str) -> None:
        """Check that there are figures about reviewers to be looked at.

        Raises:
            NotFoundError: If the rules have none told, or they are gone.
        """
        figures.told_terms(cycle_id, ledger=self.context.ledger)

    def reviewer_figures(self, cycle_id: str) -> tuple[figures.ReviewerFigure, ...]:
        """Compute how quick and how late reviewers are; who looks is written down before.

        Raises:
            NotFoundError: If the rules have none told, or they are gone.
        """
        return figures.reviewer_figures(cycle_id, ledger=self.context.ledger)

    def severities(self, cycle_id: str) -> tuple[Judge, ...]:
        """Compute how severe reviewers are; who looks is written down before.

        Raises:
            NotFoundError: If the rules have none told, or they are gone.
            NotReadyError: If the cycle was not launched.
        """
        self.require_figures(cycle_id)
        return figures.severities(cycle_id, self.calibration(cycle_id), ledger=self.context.ledger)

    def _calibrated(self, cycle_id: str) -> Calibration | None:
        """Return raw and adjusted estimates, where people asked for either."""
        rules = self.context.ledger.rules(cycle_id)
        # Raw and adjusted together would tell how severe the reviewers are whose remarks a card
        # quotes.
        asked = rules.estimates is not Estimates.RULE and not rules.keeps_figures_apart
        started = self.context.ledger.cycle(cycle_id).status is not CycleStatus.DRAFT
        return self.calibration(cycle_id) if asked and started else None


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionReports(CalibrationReports):
    """Why it was decided so: of one applicant, and of the whole list."""

    def decision_card(
        self, cycle_id: str, external_id: str, *, name_reviewers: bool = False
    ) -> "Card":
        """Build one applicant's decision card."""
        from swapflow.engine.audit.decision_card import card

        return card(
            cycle_id,
            external_id,
            calibrated=self._calibrated(cycle_id),
            ledger=self.context.ledger,
            snapshots=self.context.snapshots,
            name_reviewers=name_reviewers,
        )

    def defence(self, cycle_id: str) -> "Defence":
        """Build the defence file of the latest final list; its record is replayed for it.

        Raises:
            NotReadyError: If no list was made final.
        """
        from swapflow.engine.audit.defence import defence

        return defence(cycle_id, ledger=self.context.ledger)

    def applicant_defence(
        self, cycle_id: str, external_id: str, *, name_reviewers: bool = False
    ) -> "ApplicantDefence":
        """Build the defence file of the decision about one applicant; as `defence`.

        Raises:
            NotFoundError: If the program has no such applicant.
            NotReadyError: If no list was made final.
        """
        from swapflow.engine.audit.defence import applicant_defence

        return applicant_defence(
            cycle_id,
            external_id,
            calibrated=self._calibrated(cycle_id),
            ledger=self.context.ledger,
            snapshots=self.context.snapshots,
            name_reviewers=name_reviewers,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportService(DecisionReports):
    """Reports on the progress of a cycle, and whether its record is intact."""

    def progress(self, cycle_id: str, *, seconds: float | None = None) -> Progress:
        """Return the progress of a cycle.

        Args:
            cycle_id: The cycle.
            seconds: How long to wait for the quality of its list; None as long as it takes.
        """
        return progress(
            cycle_id,
            ledger=self.context.ledger,
            snapshots=self.context.snapshots,
            qualities=self.context.qualities,
            seconds=seconds,
        )

    def dashboard(self, cycle_id: str) -> tuple[Dashboard, bool]:
        """Read the dashboard, and whether the live state had it; else build it from the ledger.

        Where the quality of the list takes draws or a fit of its own, it is that of the latest
        event for which it was computed; a page does not wait for a newer one.
        """
        dashboard, live = current_dashboard(
            cycle_id,
            ledger=self.context.ledger,
            state=self.context.state,
            snapshots=self.context.snapshots,
            cache=self.context.dashboards,
        )
        if not dashboard.calculating:
            return dashboard, live
        judged = self.context.qualities.latest(
            cycle_id,
            ledger=self.context.ledger,
            snapshots=self.context.snapshots,
            seconds=A_MOMENT,
        )
        return (dashboard if judged is None else dashboard.with_quality(judged)), live

    def applicant_table(self, cycle_id: str) -> ApplicantTable:
        """Return the table of all applicants as of the last event; built once for an event."""
        dashboard, _ = self.dashboard(cycle_id)
        return applicant_table(
            cycle_id, dashboard, ledger=self.context.ledger, cache=self.context.tables
        )

    def state_answers(self) -> bool:
        """Whether the live state's server answers."""
        try:
            self.context.state.position("")
        except UnavailableError:
            return False
        return True

    def named(
        self, cycle_id: str, numbers: Collection[int] | None = None, *, statuses: Statuses = ()
    ) -> tuple[ApplicantName, ...]:
        """Read who a cycle's applications are, all or some: by number, by status."""
        return self.context.ledger.named(cycle_id, numbers, statuses=statuses)

    def waiting(self, cycle_id: str) -> tuple[Waiting, ...]:
        """Count open assignments, and those overdue, by kind and reviewer."""
        return self.context.ledger.waiting(cycle_id)

    def loads(self, cycle_id: str) -> dict[int, Load]:
        """Read how busy each reviewer is; how quick and how late, unless that is kept apart."""
        if not self.context.ledger.rules(cycle_id).keeps_figures_apart:
            return self.context.ledger.loads(cycle_id)
        # Durations are not computed where nobody is told them: they take long to order.
        counted = self.context.ledger.counted_loads(cycle_id)
        return {reviewer: figures.without_figures(load) for reviewer, load in counted.items()}

    def counts(self, cycle_id: str) -> dict[tuple[int, str], int]:
        """Count review requests by (kind, status)."""
        return self.context.ledger.counts(cycle_id)

    def process_health(self, cycle_id: str) -> ProcessHealth:
        """Read whether the processes behind a cycle are alive."""
        return self.context.ledger.process_health(cycle_id)

    def steps(self, cycle_id: str, *, at_most: int = 500) -> tuple[DecisionStep, ...]:
        """Read the last decisions in numbers, oldest first."""
        return self.context.ledger.steps(cycle_id, at_most=at_most)

    def decisions_before(
        self, cycle_id: str, number: int = 0, *, at_most: int = 25
    ) -> tuple[tuple[DecisionRecord, datetime], ...]:
        """Read decisions below a number, newest first; 0: the newest."""
        own = self.context
        return own.decisions.before(cycle_id, number, at_most=at_most, ledger=own.ledger)

    def pins(self, cycle_id: str) -> tuple[Pin, ...]:
        """Read the pins: applications that people want in or out, whatever the marks say."""
        return self.context.ledger.pins(cycle_id)

    def waiting_for(self, cycle_id: str, reviewer: int) -> tuple[Assignment, ...]:
        """Read a reviewer's open assignments, by number."""
        return waiting_for(cycle_id, reviewer, ledger=self.context.ledger)

    def requests(self, cycle_id: str) -> tuple[Assignment, ...]:
        """Read every assignment of a cycle, whatever became of it."""
        return self.context.ledger.assignments(cycle_id)

    def overdue(self, cycle_id: str) -> tuple[Assignment, ...]:
        """Read the open assignments whose time has passed, the longest first."""
        now = self.context.ledger.now()
        found = self.context.ledger.assignments(cycle_id, statuses=OPEN_ASSIGNMENT)
        late = [(a.due_at, a.id, a) for a in found if a.due_at is not None and a.due_at < now]
        return tuple(assignment for _, _, assignment in sorted(late))

    def reviews_by(self, cycle_id: str, reviewer: int) -> tuple[Assignment, ...]:
        """Read what a reviewer has answered, by number, newest request first."""
        found = self.context.ledger.assignments(
            cycle_id, reviewer=reviewer, statuses={AssignmentStatus.SCORED}
        )
        return tuple(sorted(found, key=lambda a: (a.created_at, a.id), reverse=True))

    def asked_about(self, cycle_id: str, number: int) -> tuple[PullExplanation, ...]:
        """Explain why each review of an application was requested, and its result."""
        return asked_about(
            cycle_id, number, ledger=self.context.ledger, decisions=self.context.decisions
        )

    def asked_for(self, cycle_id: str, number: int) -> tuple[Assignment, ...]:
        """Read the assignments about an application that are open."""
        return self.context.ledger.assignments(
            cycle_id, application=number, statuses=OPEN_ASSIGNMENT
        )

    def estimate_way(self, cycle_id: str, number: int) -> EstimateWay | None:
        """Return the way from an application's mean mark to its estimate, if there is one."""
        return estimate_way(
            cycle_id, number, ledger=self.context.ledger, snapshots=self.context.snapshots
        )

    def estimate_way_soon(self, cycle_id: str, number: int) -> tuple[EstimateWay | None, bool]:
        """Return the same as `estimate_way`, and whether it was known within a moment."""
        return self.context.ways.soon(
            cycle_id,
            number,
            ledger=self.context.ledger,
            snapshots=self.context.snapshots,
            seconds=AT_ONCE,
        )

    def explain(self, cycle_id: str, external_id: str) -> Explanation:
        """Explain why an application was asked about, and its place."""
        own, seen = self.context, self.context.snapshots
        known = own.decisions
        return explain(cycle_id, external_id, ledger=own.ledger, snapshots=seen, decisions=known)

    def verify(self, cycle_id: str, *, live: bool = True) -> "Verification":
        """Replay a cycle and compare it with the record, and with the live state if asked.

        A cycle that stands still because of damage is looked at again once all agrees.
        """
        from swapflow.engine.audit.verify import verify

        found = verify(
            cycle_id, ledger=self.context.ledger, state=self.context.state if live else None
        )
        if found.passed:
            self._end_quarantine(cycle_id)
        return found

    def quarantined(self) -> Mapping[str, QuarantineNote]:
        """Read which cycles stand still because something of theirs cannot be read, and why.

        Empty while Redis is away: the coordinator stands still then as well, and says so.
        """
        try:
            return self.context.state.quarantined()
        except UnavailableError:
            return {}

    def _end_quarantine(self, cycle_id: str) -> None:
        """Ask coordinators to look again at a cycle that was set aside."""
        if cycle_id in self.quarantined():
            with suppress(UnavailableError):
                self.context.state.end_quarantine(cycle_id)
            self.context.doorbell.ring(cycle_id)

    def finished(self, cycle_id: str) -> "FinishedCycle":
        """Read a finished cycle as plain values, for a bundle."""
        from swapflow.engine.audit.finished_cycle import gather_finished_cycle

        return gather_finished_cycle(cycle_id, ledger=self.context.ledger)

    def rebuild(self, cycle_id: str) -> None:
        """Build the live state again from the ledger."""
        head = self.context.ledger.cycle(cycle_id).position
        rebuild(cycle_id, ledger=self.context.ledger, state=self.context.state, upto=head)

    def events(self, cycle_id: str) -> Iterable[Event]:
        """Read every event of a cycle, in order."""
        position = START
        while batch := self.context.ledger.events(cycle_id, after=position, at_most=1000):
            yield from batch
            position = batch[-1].position

    def decisions(self, cycle_id: str) -> tuple[DecisionRecord, ...]:
        """Read every decision of a cycle, in order."""
        return self.context.ledger.decisions(cycle_id)

    def timeline(
        self, cycle_id: str, *, after: Position, at_most: int
    ) -> tuple[Event, ...] | None:
        """Read events after a position, at least one if any; None if it was never there."""
        return self.context.ledger.events(cycle_id, after=after, at_most=at_most)
