"""Letters owed to those without a place, by the day that the rules of a program set."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from swapflow.domain.cohort.announcement import LetterState, told
from swapflow.domain.cohort.proposal import Verdict
from swapflow.domain.cycle import Cycle, CycleStatus
from swapflow.engine.ports.ledger import Ledger


@dataclass(frozen=True, slots=True, kw_only=True)
class OwedExplanations:
    """Applicants without a place to whom no letter has gone yet.

    Attributes:
        until: When the last of them must have gone.
    """

    count: int
    until: datetime


def owed_explanations(cycle: Cycle, *, ledger: Ledger) -> OwedExplanations | None:
    """Return to how many without a place a letter is owed; None where the rules ask for none.

    The days begin when the list was made final, last if it was opened again. A letter counts once
    it has left; one that came back is still owed.
    """
    days = ledger.rules(cycle.id).explanation_days
    if not days or cycle.status is not CycleStatus.FINALIZED:
        return None  # most programs: To do asks this of each, and reads nothing more
    final_at = ledger.list_final_at(cycle.id)
    if final_at is None:
        return None
    sent = {
        number
        for number, (_, letter) in told(ledger.announcements(cycle.id)).items()
        if letter.state in {LetterState.SENT, LetterState.SETTLED}
    }
    people = {one.number: one for one in ledger.applications(cycle.id)}
    owed = sum(
        outcome.verdict is not Verdict.SELECTED
        and outcome.application not in sent
        # Without an address there is no letter; the page of letters names those applicants.
        and bool(people[outcome.application].email)
        and people[outcome.application].status.is_candidate
        for outcome in ledger.outcomes(cycle.id, cycle.cohort_version)
    )
    return OwedExplanations(count=owed, until=final_at + timedelta(days=days)) if owed else None
