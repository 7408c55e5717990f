"""Reviewers, and the interviews that they hold."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from swapflow.domain.people.interview import Diary
from swapflow.domain.people.reviewer import Absence, NewReviewer, Reviewer
from swapflow.engine.intake import lifted_bars
from swapflow.engine.intake.days_away import send_away
from swapflow.engine.intake.roster import (
    add_conflicts,
    come_back,
    leave,
    purge_reviewer,
    set_panel,
    waive_conflict,
)
from swapflow.engine.intake.roster_list import (
    ListedReviewers,
    RosterPlan,
    import_reviewers,
    plan_reviewers,
)
from swapflow.engine.intake.roster_programs import (
    check_programs,
    refused_programs,
    with_any_file,
)
from swapflow.engine.interviews import slots as interviews
from swapflow.engine.interviews.proposal import DateProposal, free_hours, propose_dates
from swapflow.engine.interviews.schedule import NOTICE
from swapflow.engine.notifications.reviewer_mail import nudge, nudge_late
from swapflow.engine.reviewing import seat_view as seat_views
from swapflow.engine.reviewing.seat_view import SeatView
from swapflow.engine.scoring.conflicting_scores import (
    ConflictingScore,
    conflicting_scores,
)
from swapflow.engine.services.context import ServiceContext


@dataclass(frozen=True, slots=True, kw_only=True)
class RosterActs:
    """What staff do about one reviewer: remind, send away, end the role, take back into it."""

    context: ServiceContext

    def nudge(self, cycle_id: str, external_id: str, *, by: str) -> None:
        """Ask a reviewer for waiting reviews by mail, at most once a day."""
        nudge(
            cycle_id, external_id, by=by, ledger=self.context.ledger, address=self.context.address
        )
        self.context.doorbell.ring(cycle_id)

    def nudge_late(self, cycle_id: str, *, by: str) -> int:
        """Ask every late reviewer by mail, at most once a day; return how many."""
        asked = nudge_late(
            cycle_id, by=by, ledger=self.context.ledger, address=self.context.address
        )
        return self.context.ring_after(cycle_id, asked)

    def leave(self, cycle_id: str, external_id: str, *, by: str, reason: str = "") -> int:
        """Take a reviewer off the roster; return how many requests go to others."""
        moved = leave(cycle_id, external_id, by=by, reason=reason, ledger=self.context.ledger)
        return self.context.ring_after(cycle_id, moved)

    def come_back(self, cycle_id: str, external_id: str, *, by: str, reason: str) -> None:
        """Put a reviewer who left on the roster again."""
        come_back(cycle_id, external_id, by=by, reason=reason, ledger=self.context.ledger)
        self.context.doorbell.ring(cycle_id)

    def send_away(
        self, cycle_id: str, number: int, days: Absence, *, give: bool, by: str, reason: str = ""
    ) -> int:
        """Note that a reviewer is away for some days; return how many reviews go to others.

        Args:
            cycle_id: The program.
            number: The reviewer.
            days: The days.
            give: Whether every open review goes to another reviewer at once, in the same act.
            by: Who sends them away, as recorded.
            reason: Why.
        """
        given = send_away(
            cycle_id,
            number,
            days,
            give=give,
            by=by,
            reason=reason,
            address=self.context.address,
            ledger=self.context.ledger,
        )
        for assignment in given:
            self.context.ledger.drop_draft(assignment)
        return self.context.ring_after(cycle_id, len(given))


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewerService(RosterActs):
    """Reviewers, and the interviews that they hold."""

    def erase(self, cycle_id: str, external_id: str, *, by: str) -> bool:
        """Erase one reviewer's data for good; return whether the account is erased too."""
        erased = purge_reviewer(
            cycle_id,
            external_id,
            by=by,
            ledger=self.context.ledger,
            keys=self.context.erasure_keys,
        )
        self.context.ledger.compact()
        return self.context.ring_after(cycle_id, erased)

    def import_all(
        self, cycle_id: str, new: Sequence[NewReviewer], *, at_command_line: bool = False
    ) -> tuple[Reviewer, ...]:
        """Add reviewers to the roster, or change known ones: all or none; return the new ones.

        Args and Raises as of `import_list`.
        """
        return self.import_list(cycle_id, new, at_command_line=at_command_line).added

    def plan_list(
        self, cycle_id: str, new: Sequence[NewReviewer], *, again: Collection[str] = ()
    ) -> RosterPlan:
        """Compute what a list of reviewers would do; nothing is written."""
        return plan_reviewers(
            cycle_id,
            new,
            again=again,
            ledger=self.context.ledger,
            keys=self.context.erasure_keys,
        )

    def import_list(
        self,
        cycle_id: str,
        new: Sequence[NewReviewer],
        *,
        at_command_line: bool = False,
        again: Collection[str] = (),
        by: str = "",
    ) -> ListedReviewers:
        """Add reviewers to the roster, and change known ones in what the list says: all or none.

        Args:
            cycle_id: The cycle.
            new: The roster.
            at_command_line: Whether a person at this machine's command line brings it: then its
                programs may read any file.
            again: Ids of rows of erased reviewers that are to come in all the same.
            by: Who brings the list.

        Raises:
            InvalidInputError: If it names a program that may not be asked, or cannot be used.
        """
        programs = self.context.automatic_reviewers
        if at_command_line:
            new = with_any_file(new, programs=programs)
        else:
            check_programs(new, programs=programs)
        listed = import_reviewers(
            cycle_id,
            new,
            again=again,
            by=by,
            ledger=self.context.ledger,
            keys=self.context.erasure_keys,
        )
        return self.context.ring_after(cycle_id, listed)

    def check_program(self, specification: str) -> None:
        """Check that a roster that comes over the network may name a program.

        Raises:
            InvalidInputError: If it may not; the message says why.
        """
        self.context.automatic_reviewers.check(specification)

    def refused_programs(self, cycle_id: str) -> dict[str, str]:
        """Return who of the roster is a program that may not be asked, each with the reason."""
        return refused_programs(
            cycle_id, ledger=self.context.ledger, programs=self.context.automatic_reviewers
        )

    def list(self, cycle_id: str) -> tuple[Reviewer, ...]:
        """List a cycle's roster."""
        return self.context.ledger.reviewers(cycle_id)

    def add_conflicts(
        self, cycle_id: str, pairs: Iterable[tuple[str, str]], *, source: str
    ) -> int:
        """Store conflicts of interest, as (application, reviewer) external ids.

        Return how many open requests were taken back.
        """
        taken_back = add_conflicts(
            cycle_id,
            pairs,
            source=source,
            address=self.context.address,
            ledger=self.context.ledger,
        )
        return self.context.ring_after(cycle_id, taken_back)

    def remove_conflict(
        self, cycle_id: str, application: str, reviewer: str, *, by: str, reason: str
    ) -> None:
        """Take a conflict of interest back; the reviewer may be asked again."""
        lifted_bars.remove_conflict(
            cycle_id, application, reviewer, by=by, reason=reason, ledger=self.context.ledger
        )
        self.context.doorbell.ring(cycle_id)

    def lift_bar(
        self, cycle_id: str, application: str, reviewer: str, *, by: str, reason: str
    ) -> bool:
        """Lift the bar that a void made; False if they may be already."""
        lifted = lifted_bars.lift_bar(
            cycle_id, application, reviewer, by=by, reason=reason, ledger=self.context.ledger
        )
        return self.context.ring_after(cycle_id, lifted)

    def lifted_bars(self, cycle_id: str) -> Mapping[tuple[int, int], datetime]:
        """Read when the bar of a voided review was lifted last, by (application, reviewer)."""
        return self.context.ledger.lifted_bars(cycle_id)

    def conflict_sources(self, cycle_id: str) -> Mapping[tuple[int, int], str]:
        """Read who said of each conflict, by (application, reviewer)."""
        return self.context.ledger.conflict_sources(cycle_id)

    def seat_view(self, cycle_id: str, reviewer: int) -> SeatView | None:
        """Read what a reviewer may see in another role; None once asking has ended."""
        return seat_views.seat_view(cycle_id, reviewer, ledger=self.context.ledger)

    def open_applicant(
        self, cycle_id: str, number: int, reviewer: int, *, by: str, reason: str
    ) -> bool:
        """Open an applicant to a reviewer in another role; False if they had opened it."""
        opened = seat_views.open_applicant(
            cycle_id,
            number,
            reviewer,
            by=by,
            reason=reason,
            address=self.context.address,
            ledger=self.context.ledger,
        )
        return self.context.ring_after(cycle_id, opened)

    def waive_conflict(
        self, cycle_id: str, application: str, reviewer: str, *, by: str, reason: str
    ) -> None:
        """Accept a reviewer's scores of an application although the two are barred."""
        waive_conflict(
            cycle_id, application, reviewer, by=by, reason=reason, ledger=self.context.ledger
        )
        self.context.doorbell.ring(cycle_id)

    def conflicting_scores(
        self, cycle_id: str, application: int | None = None
    ) -> tuple[ConflictingScore, ...]:
        """List scores that count although their reviewer is barred, until voided or waived."""
        return conflicting_scores(cycle_id, application=application, ledger=self.context.ledger)

    def panels(self, cycle_id: str) -> tuple[tuple[int, int], ...]:
        """Read the (application, reviewer) pairs of all panels, in order."""
        return self.context.ledger.panels(cycle_id)

    def set_panel(
        self, cycle_id: str, pairs: Iterable[tuple[str, str]], *, made_from: str = ""
    ) -> int:
        """Restrict applications to the reviewers named; return how many requests ended."""
        taken_back = set_panel(
            cycle_id,
            pairs,
            made_from=made_from,
            address=self.context.address,
            ledger=self.context.ledger,
        )
        return self.context.ring_after(cycle_id, taken_back)

    def interview_kinds(self, cycle_id: str) -> frozenset[int]:
        """Return which kinds of a program are interviews, by their place in the rules."""
        return interviews.interviews_of(cycle_id, ledger=self.context.ledger)

    def interview_requests(self, cycle_id: str) -> tuple[interviews.Requested, ...]:
        """List the requests for a meeting with an applicant, with their slots."""
        return interviews.requested(cycle_id, ledger=self.context.ledger)

    def diary(self, cycle_id: str) -> Diary:
        """Tell when a program's reviewers have interviews or are away, in all programs."""
        return self.context.ledger.diary(cycle_id)

    def propose_dates(self, cycle_id: str, *, notice: int = NOTICE) -> DateProposal:
        """Find dates that fit for every interview without one; nothing is set."""
        return propose_dates(cycle_id, notice=notice, ledger=self.context.ledger)

    def free_hours(
        self, cycle_id: str, days: Sequence[date]
    ) -> Mapping[str, tuple[datetime, ...]]:
        """Find the first hour of each day at which a request's panel is free, by request."""
        return free_hours(cycle_id, days, ledger=self.context.ledger)

    def set_slots(
        self,
        cycle_id: str,
        slots: Sequence[interviews.InterviewSlot],
        *,
        by: str,
        made_from: str = "",
        hold: timedelta = interviews.NO_HOLD,
    ) -> int:
        """Set when and where interviews take place, and invite; return how many changed."""
        changed = interviews.set_slots(
            cycle_id,
            slots,
            by=by,
            made_from=made_from,
            address=self.context.address,
            hold=hold,
            ledger=self.context.ledger,
        )
        return self.context.ring_after(cycle_id, changed)

    def cancel_slot(self, cycle_id: str, pull_id: str, *, by: str, made_from: str = "") -> None:
        """Cancel a slot and tell its people."""
        interviews.cancel_slot(
            cycle_id,
            pull_id,
            by=by,
            made_from=made_from,
            address=self.context.address,
            ledger=self.context.ledger,
        )
        self.context.doorbell.ring(cycle_id)
