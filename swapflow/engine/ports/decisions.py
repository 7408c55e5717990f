"""What a reader of decisions needs from the record."""

from typing import Protocol

from swapflow.domain.cohort.announcement import Announcement, LetterFacts
from swapflow.domain.cohort.meeting import Endorsement, Meeting
from swapflow.domain.cohort.offer import Offer, YieldRate
from swapflow.domain.cohort.proposal import MethodSheet, Outcome, Place
from swapflow.domain.cohort.reconsideration import Reconsideration
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
        """Read every offer of a cycle with its answer, the first first."""
        ...

    def reconsiderations(self, cycle_id: str) -> tuple[Reconsideration, ...]:
        """Read every reconsideration of a cycle, the first first."""
        ...

    def reconsidering(self) -> frozenset[str]:
        """Name the cycles in which a reconsideration is open."""
        ...

    def yield_rate(self, cycle_id: str) -> YieldRate | None:
        """Read the yield rate in force; None when none was given."""
        ...

    def announcements(self, cycle_id: str) -> tuple[Announcement, ...]:
        """Read every announcement of a cycle with its letters, the first first."""
        ...

    def letter_facts(self, mail_id: str) -> LetterFacts | None:
        """Read what is so about a letter to an applicant; None when a mail is none."""
        ...

    def meeting(self, cycle_id: str, version: int) -> Meeting | None:
        """Read the meeting about a version of the list; None when none was opened."""
        ...

    def endorsements(self, cycle_id: str) -> tuple[Endorsement, ...]:
        """Read the words in favour of a cycle's applications, the first first."""
        ...

    def conflicts(self, cycle_id: str) -> tuple[tuple[int, int], ...]:
        """Read the (application, reviewer) pairs that are in conflict, in order."""
        ...

    def prepared(self, cycle_id: str) -> PreparedDecision | None:
        """Read what is prepared in a cycle, and who has signed it so far."""
        ...

    def prepare(self, cycle_id: str, new: PreparedDecision) -> None:
        """Put something up for signature, in the place of what was; its signatures are void."""
        ...

    def sign_prepared(self, cycle_id: str, digest: str, *, by: str) -> bool:
        """Add a signature to what has this digest; False when something else is prepared now."""
        ...

    def drop_prepared(self, cycle_id: str) -> bool:
        """Take back what is prepared; False when nothing was."""
        ...
