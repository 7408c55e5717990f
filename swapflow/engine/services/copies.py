"""Programs made from others: practice programs for training, and next year's."""

import secrets
from dataclasses import dataclass

from swapflow.domain.cycle import Cycle
from swapflow.domain.ids import CYCLE_ID, is_practice_id
from swapflow.domain.people.shown_columns import ShownColumns
from swapflow.domain.reviewing.score import Answer, Origin
from swapflow.engine.copies import practice_program
from swapflow.engine.copies.next_year import Taken, plan_next_year
from swapflow.engine.copies.practice_program import PracticeContents, plan_practice
from swapflow.engine.intake.list_import import import_list
from swapflow.engine.intake.roster_list import import_reviewers
from swapflow.engine.offers.kept_wording import LETTERS
from swapflow.engine.ports.records import SHOWN
from swapflow.engine.reviewing.documents import attach
from swapflow.engine.services.context import ServiceContext
from swapflow.engine.services.tasks import TaskService
from swapflow.errors import InvalidInputError, NotFoundError
from swapflow.i18n.languages import writing_in


MARK_BYTES = 3
"""Random bytes in the id of a practice program: it is never the id of an earlier one."""

SEED_BITS = 31


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyService:
    """Programs made from others: practice programs for training, and next year's."""

    context: ServiceContext
    tasks: TaskService

    def practise(
        self, source: str, *, by: str, applicants: int = 0, automatic: bool = False, seed: int = 0
    ) -> Cycle:
        """Make a practice program of a program in any state; it waits for its launch.

        Args:
            source: The program to copy; it is only read.
            by: Who makes it.
            applicants: How many to invent; 0 for the usual number.
            automatic: Whether automatic reviewers answer for everybody on the roster.
            seed: Decides who is invented; 0 draws one.

        Raises:
            NotFoundError: If there is no such program.
            ConflictError: If it is for practice itself.
            InvalidInputError: If the count is too low, too high, or no more than its places.
        """
        ledger = self.context.ledger
        cycle_id = practice_program.practice_id(source, secrets.token_hex(MARK_BYTES))
        with writing_in(ledger.rules(source).language):
            plan = plan_practice(
                source,
                cycle_id,
                count=applicants,
                seed=seed or 1 + secrets.randbits(SEED_BITS - 1),
                automatic=automatic,
                by=by,
                ledger=ledger,
            )
        ledger.create_cycle(
            cycle_id,
            round_id=plan.round_id,
            name=plan.name,
            rules=plan.rules,
            by=by,
            practice_of=source,
            rights_of=source,
        )
        keys = self.context.erasure_keys
        import_reviewers(cycle_id, plan.reviewers, by=by, ledger=ledger, keys=keys)
        import_list(cycle_id, plan.applicants.people, by=by, ledger=ledger, keys=keys)
        # All of it may be seen: there is no person behind it.
        attach(cycle_id, plan.applicants.files, redacted=True, ledger=ledger)
        self._show_columns(cycle_id, plan.applicants.columns, by=by)
        return ledger.cycle(cycle_id)

    def contents(self, cycle_id: str) -> PracticeContents:
        """Count what goes with a practice program when it is thrown away."""
        return practice_program.contents_of(cycle_id, ledger=self.context.ledger)

    def practice_of(self, source: str) -> tuple[Cycle, ...]:
        """List the practice programs of a program, oldest first."""
        return tuple(one for one in self.context.ledger.cycles() if one.practice_of == source)

    def throw_away(self, cycle_id: str) -> None:
        """Delete a practice program for good, with everything in it.

        Raises:
            NotFoundError: If there is no such program, or it is gone already.
            ConflictError: If it is a real one; nothing is changed.
            UnavailableError: If Redis or the database does not answer; then it can be repeated.
        """
        practice_program.throw_away(cycle_id, ledger=self.context.ledger, state=self.context.state)
        self.context.doorbell.ring("")

    def fill(self, cycle_id: str) -> int:
        """Have automatic reviewers answer the open reviews of a practice program; return how many.

        Reviews that a person has opened are left to that person. What the rule asks for next
        waits for people, or for the next press.

        Raises:
            NotFoundError: If there is no such program.
            ConflictError: If it is a real one.
        """
        ledger = self.context.ledger
        practice_program.require_practice(cycle_id, ledger=ledger)
        questions = practice_program.open_questions(cycle_id, ledger=ledger)
        if not questions:
            return 0
        reviewer = self.context.way_out.reviewer(
            cycle_id, practice_program.automatic_reviewer(cycle_id)
        )
        marks = reviewer.answer(questions)
        receipts = self.tasks.submit(
            [
                Answer(assignment_id=one.assignment_id, utility=mark, origin=Origin.AUTOMATIC)
                for one, mark in zip(questions, marks, strict=True)
            ]
        )
        return len(receipts)

    def next_year(
        self,
        source: str,
        cycle_id: str,
        *,
        round_id: str,
        name: str,
        by: str,
        taken: Taken | None = None,
    ) -> Cycle:
        """Make next year's program from this year's, in draft; it starts at its questions.

        Args:
            source: This year's program; it is only read.
            cycle_id: The new program.
            round_id: Its round.
            name: Its name.
            by: Who makes it.
            taken: What it takes over; the usual where None.

        Raises:
            NotFoundError: If there is no such program or round.
            ConflictError: If that program is for practice.
            InvalidInputError: If the id cannot be used or is in use.
        """
        ledger, taken = self.context.ledger, taken or Taken()
        if not CYCLE_ID.fullmatch(cycle_id) or is_practice_id(cycle_id):
            raise InvalidInputError("name_not_allowed", name=cycle_id, noun="cycle")
        plan = plan_next_year(source, taken, ledger=ledger)
        if round_id not in {known.id for known in ledger.rounds()}:
            raise NotFoundError("round_not_found_make_it", round=round_id)
        ledger.create_cycle(
            cycle_id,
            round_id=round_id,
            name=name or cycle_id,
            rules=plan.rules,
            by=by,
            rights_of=source if taken.rights else "",
        )
        if plan.reviewers:
            import_reviewers(
                cycle_id, plan.reviewers, by=by, ledger=ledger, keys=self.context.erasure_keys
            )
        with ledger.write(cycle_id) as tx:
            if plan.columns:
                tx.keep_list_reading(SHOWN, plan.columns, by=by)
            if plan.letters:
                tx.keep_list_reading(LETTERS, plan.letters, by=by)
        return ledger.cycle(cycle_id)

    def _show_columns(self, cycle_id: str, columns: tuple[str, ...], *, by: str) -> None:
        """Show reviewers what invented applicants wrote."""
        stored = self.context.ledger.list_reading(cycle_id, SHOWN)
        chosen = ShownColumns.of_settings(stored).choosing(dict.fromkeys(columns, True))
        with self.context.ledger.write(cycle_id) as tx:
            tx.keep_list_reading(SHOWN, chosen.settings(), by=by)
