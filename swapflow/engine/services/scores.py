"""Corrections and other changes of scores by staff, and offline sheets."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from swapflow.domain.ids import cycle_of
from swapflow.domain.reviewing.score import Answer, Origin, Score
from swapflow.engine.reviewing import review_page
from swapflow.engine.scoring import corrections, offline_sheets
from swapflow.engine.scoring.sheet_plan import ReturnedRow, SheetPlan
from swapflow.engine.scoring.volunteered import Volunteered, volunteer
from swapflow.engine.services.context import ServiceContext
from swapflow.errors import BadRow


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreService:
    """Corrections and other changes of scores by staff, and offline sheets."""

    context: ServiceContext

    def list(self, cycle_id: str, *, application: int | None = None) -> tuple[Score, ...]:
        """Read every revision of every score, of all applications or of one."""
        return self.context.ledger.scores(cycle_id, application=application)

    def remarks(self, cycle_id: str) -> tuple[tuple[str, str], ...]:
        """Read (assignment id, remark) of a cycle, for exports."""
        return self.context.ledger.remarks(cycle_id)

    def said(self, cycle_id: str) -> dict[str, str]:
        """Read what staff said when they last changed a score, by assignment id."""
        return self.context.ledger.said_of_scores(cycle_id)

    def correct(
        self,
        answer: Answer,
        *,
        by: str,
        reason: str,
        saw_others: bool = False,
        made_from: str = "",
    ) -> int:
        """Replace a score by another."""
        seq = corrections.correct(
            answer,
            by=by,
            reason=reason,
            saw_others=saw_others,
            made_from=made_from,
            ledger=self.context.ledger,
        )
        return self.context.ring_after(cycle_of(answer.assignment_id), seq)

    def void(
        self,
        assignment_ids: Collection[str],
        *,
        by: str,
        reason: str,
        made_from: Mapping[str, str] | None = None,
    ) -> int:
        """Void scores; return how many counted before."""
        voided = corrections.void(
            assignment_ids, by=by, reason=reason, made_from=made_from, ledger=self.context.ledger
        )
        for cycle_id in {cycle_of(name) for name in assignment_ids}:
            self.context.doorbell.ring(cycle_id)
        return voided

    def void_reviewer(self, cycle_id: str, external_id: str, *, by: str, reason: str) -> int:
        """Void every score of a reviewer; return how many counted before."""
        number = self.context.reviewer_number(cycle_id, external_id)
        voided = corrections.void_reviewer(
            cycle_id, number, by=by, reason=reason, ledger=self.context.ledger
        )
        return self.context.ring_after(cycle_id, voided)

    def restore(
        self,
        assignment_ids: Collection[str],
        *,
        by: str,
        reason: str,
        made_from: Mapping[str, str] | None = None,
    ) -> int:
        """Undo voids, so that the scores count again: all or none; return how many."""
        restored = corrections.restore(
            assignment_ids, by=by, reason=reason, made_from=made_from, ledger=self.context.ledger
        )
        for cycle_id in {cycle_of(name) for name in assignment_ids}:
            self.context.doorbell.ring(cycle_id)
        return restored

    def restore_reviewer(self, cycle_id: str, external_id: str, *, by: str, reason: str) -> int:
        """Undo the voids of all scores of a reviewer: all or none; return how many."""
        number = self.context.reviewer_number(cycle_id, external_id)
        restored = corrections.restore_reviewer(
            cycle_id, number, by=by, reason=reason, ledger=self.context.ledger
        )
        return self.context.ring_after(cycle_id, restored)

    def volunteer(
        self, cycle_id: str, scores: Sequence[Volunteered], *, imported: bool
    ) -> tuple[str, ...]:
        """Store scores that were not requested; they count only when staff admit them."""
        origin = Origin.IMPORTED if imported else Origin.VOLUNTEERED
        return volunteer(cycle_id, scores, origin=origin, ledger=self.context.ledger)

    def admit(self, assignment_id: str, *, by: str, reason: str) -> int:
        """Admit a volunteered score, so that it counts."""
        seq = corrections.admit(assignment_id, by=by, reason=reason, ledger=self.context.ledger)
        return self.context.ring_after(cycle_of(assignment_id), seq)

    def offline_sheet(self, cycle_id: str, reviewer: int) -> tuple[review_page.ReviewPage, ...]:
        """Read a reviewer's open tasks for their sheet, soonest due first."""
        return offline_sheets.outgoing(cycle_id, reviewer, ledger=self.context.ledger)

    def examine_offline_sheet(
        self,
        cycle_id: str,
        returned: Sequence[ReturnedRow],
        *,
        by: str,
        source: str,
        reviewer: int | None = None,
        bad: Sequence[BadRow] = (),
    ) -> SheetPlan:
        """Compute the effect of entering a returned sheet; changes nothing."""
        return offline_sheets.examine(
            cycle_id,
            returned,
            by=by,
            source=source,
            reviewer=reviewer,
            bad=bad,
            ledger=self.context.ledger,
        )

    def enter_offline_sheet(self, plan: SheetPlan, *, by: str) -> None:
        """Store the answers of a returned sheet: all or none."""
        offline_sheets.enter(plan, by=by, ledger=self.context.ledger)
        self.context.doorbell.ring(plan.cycle_id)
