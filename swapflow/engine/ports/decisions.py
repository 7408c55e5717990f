"""What a reader of decisions needs from the record."""

from collections.abc import Mapping
from datetime import datetime
from typing import Protocol

from swapflow.domain.cohort.announcement import Announcement, LetterFacts
from swapflow.domain.cohort.applicant_answer import ApplicantAnswer
from swapflow.domain.cohort.meeting import Endorsement, Meeting
from swapflow.domain.cohort.offer import Offer, YieldRate
from swapflow.domain.cohort.proposal import MethodSheet, Outcome, Place
from swapflow.domain.cohort.reconsideration import Reconsideration
from swapflow.domain.reviewing.score import Score
from swapflow.engine.ports.records import PreparedDecision


class DecisionReads(Protocol):
    """What was proposed, prepared, signed and decided."""

    def proposals(self, cycle_id: str) -> tuple[tuple[int, tuple[Place, ...], MethodSheet], ...]:
        """Read a cycle's proposals: version, places, method sheet."""
        ...

    def outcomes(self, cycle_id: str, version: int) -> tuple[Outcome, ...]:
        """Read what people decided, for one cohort version."""
        ...

    def signatures(self, cycle_id: str, version: int) -> tuple[tuple[str, str], ...]:
        """Read who signed a cohort version, and in which role, in order."""
        ...

    def offers(self, cycle_id: str) -> tuple[Offer, ...]:
        """Read every offer of a cycle with its answer, oldest first."""
        ...

    def applicant_answers(self, cycle_id: str) -> tuple[ApplicantAnswer, ...]:
        """Read what applicants answered by their links, oldest first."""
        ...

    def reconsiderations(self, cycle_id: str) -> tuple[Reconsideration, ...]:
        """Read every reconsideration of a cycle, oldest first."""
        ...

    def reconsidering(self) -> frozenset[str]:
        """Return the ids of cycles in which a reconsideration is open."""
        ...

    def list_final_at(self, cycle_id: str) -> datetime | None:
        """Return when the list was last made final, also if it is open again; None before.

        A reconsideration makes another version of a list that is final, and not a final list.
        """
        ...

    def yield_rate(self, cycle_id: str) -> YieldRate | None:
        """Read the acceptance rate in force; None when none was set."""
        ...

    def announcements(self, cycle_id: str) -> tuple[Announcement, ...]:
        """Read every announcement of a cycle with its letters, oldest first."""
        ...

    def letter_facts(self, mail_id: str) -> LetterFacts | None:
        """Read what is known of a letter to an applicant; None for any other mail."""
        ...

    def meeting(self, cycle_id: str, version: int) -> Meeting | None:
        """Read the meeting about a version of the list; None when none was opened."""
        ...

    def endorsements(self, cycle_id: str) -> tuple[Endorsement, ...]:
        """Read the endorsements of a cycle's applications, oldest first."""
        ...

    def conflicts(self, cycle_id: str) -> tuple[tuple[int, int], ...]:
        """Read the (application, reviewer) pairs that are in conflict, in order."""
        ...

    def opened_pairs(self, cycle_id: str) -> frozenset[tuple[int, int]]:
        """Read the (application, reviewer) pairs that reviewers opened in another role."""
        ...

    def lifted_bars(self, cycle_id: str) -> Mapping[tuple[int, int], datetime]:
        """Read when the bar of a voided review was lifted last, by (application, reviewer)."""
        ...

    def conflict_sources(self, cycle_id: str) -> Mapping[tuple[int, int], str]:
        """Read the source of each conflict, by (application, reviewer)."""
        ...

    def barred_scores(self, cycle_id: str, application: int | None = None) -> tuple[Score, ...]:
        """Read the scores that count of pairs in conflict, or outside the application's panel.

        Those of one application alone, if it is given.
        """
        ...

    def panels(self, cycle_id: str) -> tuple[tuple[int, int], ...]:
        """Read the (application, reviewer) pairs of all panels, in order."""
        ...

    def waived_conflicts(self, cycle_id: str) -> frozenset[tuple[int, int]]:
        """Read the (application, reviewer) pairs whose scores staff let count all the same."""
        ...

    def prepared(self, cycle_id: str) -> PreparedDecision | None:
        """Read the prepared decision of a cycle, with its signatures so far."""
        ...

    def cycles_to_sign(self) -> frozenset[str]:
        """Read which cycles have a prepared decision."""
        ...

    def prepare(self, cycle_id: str, new: PreparedDecision) -> None:
        """Store a decision for signature in place of the one before, whose signatures lapse."""
        ...

    def sign_prepared(self, cycle_id: str, digest: str, *, by: str) -> bool:
        """Add a signature to the decision with this digest; False when another is prepared now."""
        ...

    def drop_prepared(self, cycle_id: str) -> bool:
        """Withdraw the prepared decision; False when there was none."""
        ...
