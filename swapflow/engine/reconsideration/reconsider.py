"""Reconsiderations: reviewers new to an application look at it again after the final list.

A reconsideration can put one person on the list, back on it, or onto the waitlist. Nobody else is
removed or overtaken on the list, and the list stays final meanwhile: offers and answers go on. The
proposal follows from the scores; two people sign the result.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from swapflow.domain.cohort.proposal import MethodSheet, Outcome, Place, Verdict
from swapflow.domain.cohort.reconsideration import (
    CHANGES,
    Closing,
    Reconsideration,
    Result,
)
from swapflow.domain.event import EventType
from swapflow.domain.people.application import ApplicationStatus
from swapflow.domain.rules import Rules
from swapflow.domain.seal import Seal
from swapflow.engine.confirmation import named
from swapflow.engine.ports.cycles import CycleReads
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.writes.transaction import Transaction
from swapflow.engine.preconditions import find
from swapflow.engine.reconsideration.evidence import (
    ReconsiderationEvidence,
    listed,
    moved,
    open_of,
    queue_of,
)
from swapflow.engine.selection.pulls import closed, withdraw_reconsideration
from swapflow.errors import ConflictError, InvalidInputError, NotReadyError


AFTERWARDS = (
    " Afterwards one application was reconsidered; everybody else stands where the list put them."
)

PAIR_OF_EYES = 2


def take_back(
    cycle_id: str,
    external_id: str,
    *,
    by: str,
    reason: str,
    which: int | None = None,
    ledger: CycleReads,
) -> Reconsideration:
    """Withdraw a reconsideration before it is decided; its open requests are cancelled.

    Args:
        cycle_id: The cycle.
        external_id: The application.
        by: Who withdraws it.
        reason: Why; must be given.
        which: Id of the reconsideration that the person was shown; None if none was shown.
        ledger: The ledger.

    Raises:
        NotFoundError: If the person has no open reconsideration.
        ConflictError: If another reconsideration is open than was shown.
        InvalidInputError: If there is no reason.
    """
    if not reason.strip():
        raise InvalidInputError("withdrawal_reason_missing")
    with ledger.write(cycle_id) as tx:
        application = find(tx.applications(), external_id, cycle_id)
        there = open_of(tx.reconsiderations(), application)
        if which is not None and there.id != which:
            raise ConflictError("changed_since_shown", changed=named(["reconsideration"]))
        withdraw_reconsideration(tx, there, by=by, reason=reason.strip(), why="taken back")
        return there


def needed_names(rules: Rules) -> int:
    """Return how many people sign: as many as the rules require, and at least two."""
    return max(PAIR_OF_EYES, rules.signatures)


@dataclass(frozen=True, slots=True, kw_only=True)
class Conclusion:
    """The end of a reconsideration, worked out.

    Attributes:
        signers: Who signed, in order.
        version: The version of the list in force; `places`, `sheet` and `outcomes` are its.
        behind: The present waitlist.
    """

    evidence: ReconsiderationEvidence
    closing: Closing
    signers: tuple[str, ...]
    version: int
    places: tuple[Place, ...]
    sheet: MethodSheet
    outcomes: tuple[Outcome, ...]
    behind: tuple[Place, ...]

    @property
    def seal(self) -> Seal:
        """The digest of the evidence that people were shown."""
        return self.evidence.seal


def plan_conclusion(
    cycle_id: str,
    evidence: ReconsiderationEvidence,
    closing: Closing,
    *,
    names: Collection[str],
    ledger: Ledger,
) -> Conclusion:
    """Work out the end of a reconsideration; writes nothing.

    Args:
        cycle_id: The cycle.
        evidence: The evidence that they saw.
        closing: Their decision.
        names: Who signed, in order.
        ledger: The ledger.

    Raises:
        NotReadyError: If too few people signed.
    """
    # A name that is given twice counts once.
    signers = tuple(dict.fromkeys(names))
    needed = needed_names(ledger.rules(cycle_id))
    if len(signers) < needed:
        raise NotReadyError(
            "reconsideration_signatures_missing", needed=needed, count=len(signers)
        )
    version = ledger.cycle(cycle_id).cohort_version
    places, sheet = listed(cycle_id, version, ledger=ledger)
    return Conclusion(
        evidence=evidence,
        closing=closing,
        signers=signers,
        version=version,
        places=places,
        sheet=sheet,
        outcomes=ledger.outcomes(cycle_id, version),
        behind=queue_of(cycle_id, version, places, ledger=ledger),
    )


def conclude_in(tx: Transaction, conclusion: Conclusion) -> Closing:
    """Carry out the decision: at most a new version of the list with one person moved.

    To be called by `confirm`, which sees to it that nothing has changed since it was worked out.

    Returns:
        The stored closing, with its version of the list.

    Raises:
        ConflictError: If it was concluded already.
    """
    evidence, closing, signers = conclusion.evidence, conclusion.closing, conclusion.signers
    which = next((r for r in tx.reconsiderations() if r.id == evidence.which.id), None)
    if which is None or not which.is_open:
        raise ConflictError("reconsideration_just_concluded")
    changes = closing.result in CHANGES
    stored = replace(closing, version=conclusion.version + 1 if changes else 0)
    if changes:
        _restore(tx, which.application, by=" and ".join(signers), reason=closing.reason)
    tx.record(EventType.RECONSIDERATION_CLOSED, closed(which, stored))
    tx.close_reconsideration(which.id, stored, by=signers)
    tx.note(
        subject=f"application:{which.application}",
        by=" and ".join(signers),
        text=closing.reason or f"reconsidered: {closing.result.value}",
    )
    if changes:
        own = _outcome(stored, which.application, by=signers[0], tx=tx)
        others = [o for o in conclusion.outcomes if o.application != which.application]
        sheet = conclusion.sheet
        store_version(
            tx,
            moved(conclusion.places, evidence.after, stored, conclusion.behind),
            replace(
                sheet,
                position=evidence.read.seq,
                head_hash=evidence.read.hash,
                # Once: a second reconsideration copies a sheet that has the sentence already.
                stop_sentence=_once(sheet.stop_sentence, AFTERWARDS),
            ),
            [*others, own],
            signers=signers,
            about={"reconsidered": which.application},
        )
    return stored


def _restore(tx: Transaction, number: int, *, by: str, reason: str) -> None:
    """Make an application that left a candidate again."""
    application = tx.application(number)
    if application.status.is_candidate:
        return
    ready = ApplicationStatus.READY
    tx.move_application(number, ready, by=by, reason=reason)
    tx.record(EventType.APPLICATION_MOVED, {"a": number, "status": ready.value})


def _outcome(closing: Closing, number: int, *, by: str, tx: Transaction) -> Outcome:
    adds = closing.result is Result.ADDED
    return Outcome(
        application=number,
        verdict=Verdict.SELECTED if adds else Verdict.WAITLISTED,
        by=by,
        reason=closing.reason or "reconsidered",
        at=tx.now,
        prepared_by=by,
    )


def store_version(
    tx: Transaction,
    places: Sequence[Place],
    sheet: MethodSheet,
    outcomes: Sequence[Outcome],
    *,
    signers: Sequence[str],
    about: dict[str, int],
) -> int:
    """Store a version of the list; everything but the one application is copied unchanged."""
    version = tx.cycle.cohort_version + 1
    # The list was final before, so a drawn seed may be known.
    tx.insert_proposal(places, replace(sheet, seed=tx.rules().seed))
    tx.insert_outcomes(version, sorted(outcomes, key=lambda outcome: outcome.application))
    for signer in signers:
        tx.insert_signature(version, by=signer, role="chair")
    tx.record(EventType.FINALIZED, {"version": version, **about})
    tx.set_cohort_version(version)
    return version


def _once(text: str, more: str) -> str:
    return text if text.endswith(more) else text + more
