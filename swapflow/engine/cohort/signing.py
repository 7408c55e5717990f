"""Signing: one person prepares a decision and others sign it, each at their own screen.

A signature is for a digest over everything that is signed: list, changes with their reasons,
waiver, rules. When any of these changes, the digest changes, and the signatures are void.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from swapflow.domain.cohort.proposal import Proposal, Verdict, Waiver
from swapflow.domain.cohort.reconsideration import Closing, Result
from swapflow.domain.cycle import CycleStatus
from swapflow.domain.event import Json
from swapflow.engine.cohort.finalize import Override, finalize, reopen
from swapflow.engine.cohort.meeting import check_recorded, follow
from swapflow.engine.cohort.prepared_decisions import (
    DECISION,
    RECONSIDERATION,
    REOPENING,
    UNDOING,
    digest_of_conclusion,
    digest_of_decision,
    is_about,
    needed_signatures,
)
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.records import PreparedDecision
from swapflow.engine.read_models.proposal import propose
from swapflow.engine.read_models.snapshot import SnapshotCache
from swapflow.engine.reconsideration.evidence import (
    ReconsiderationEvidence,
    closing_of,
    gather_evidence,
)
from swapflow.engine.reconsideration.reconsider import conclude, needed_names
from swapflow.engine.reconsideration.undo import undo
from swapflow.errors import ConflictError, InvalidInputError, NotFoundError


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingSignatures:
    """The decision that waits for signatures, in full.

    Attributes:
        overrides: Decisions that differ from the proposal.
        waiver: Reason for accepting applications below a floor, "" without.
        reason: Why the list is to be reopened, for a reopening.
        needed: Number of signatures needed in all.
        current: Whether the prepared decision would still be made now.
        evidence: Evidence of a reconsideration; None for anything else, or once it is concluded.
        closing: Its result.
    """

    prepared: PreparedDecision
    needed: int
    current: bool
    overrides: tuple[Override, ...] = ()
    waiver: str = ""
    reason: str = ""
    evidence: ReconsiderationEvidence | None = None
    closing: Closing | None = None

    @property
    def missing(self) -> int:
        """Number of signatures that are still missing."""
        return max(0, self.needed - len(self.prepared.signed))


def pending(
    cycle_id: str,
    *,
    ledger: Ledger,
    proposal: Proposal | None = None,
    snapshots: SnapshotCache | None = None,
) -> PendingSignatures | None:
    """Read the decision that waits for signatures; None when there is none.

    Args:
        cycle_id: The cycle.
        ledger: The ledger.
        proposal: The current proposal, where the caller has it already.
        snapshots: As for `propose`, where the caller has not.
    """
    found = ledger.prepared(cycle_id)
    if found is None:
        return None
    if found.what == REOPENING:
        cycle = ledger.cycle(cycle_id)
        return PendingSignatures(
            prepared=found,
            reason=str(found.body["reason"]),
            needed=2,
            current=cycle.status is CycleStatus.FINALIZED
            and cycle.cohort_version == found.body["version"],
        )
    if found.what == UNDOING:
        version = ledger.cycle(cycle_id).cohort_version
        return PendingSignatures(
            prepared=found,
            reason=str(found.body["reason"]),
            needed=needed_names(ledger.rules(cycle_id)),
            current=version == found.body["version"],
        )
    if found.what == RECONSIDERATION:
        return _pending_reconsideration(cycle_id, found, ledger=ledger, snapshots=snapshots)
    proposal = proposal or propose(cycle_id, ledger=ledger, snapshots=snapshots)
    return PendingSignatures(
        prepared=found,
        overrides=_overrides(found.body, proposal),
        waiver=str(found.body["waiver"]),
        needed=needed_signatures(ledger.rules(cycle_id)),
        current=digest_of_decision(proposal, found.body, found.by) == found.digest,
    )


def sign(
    cycle_id: str, digest: str, *, by: str, ledger: Ledger, snapshots: SnapshotCache | None = None
) -> bool:
    """Sign the prepared decision; the last signature carries it out. Return whether it did.

    Raises:
        ConflictError: If something else is prepared by now, or the list has changed since: the
            signatures are void then, and it must be prepared again.
        InvalidInputError: If the person who proposed a reopening also signs it, or a meeting
            recorded another outcome since.
        NotReadyError: If a meeting has no outcome for an applicant too close to call.
    """
    waiting = pending(cycle_id, ledger=ledger, snapshots=snapshots)
    if waiting is None or waiting.prepared.digest != digest:
        raise ConflictError("prepared_decision_changed")
    if not waiting.current:
        ledger.drop_prepared(cycle_id)
        raise ConflictError("list_changed_since_prepared")
    if waiting.prepared.what in {RECONSIDERATION, UNDOING} and by == waiting.prepared.by:
        raise InvalidInputError("signed_already")
    if waiting.prepared.what == REOPENING and by == waiting.prepared.by:
        raise InvalidInputError("reopening_by_one_person")
    if waiting.prepared.what == DECISION:
        _check_meeting(cycle_id, waiting, ledger=ledger, snapshots=snapshots)
    # The row is conditional on the digest: what was prepared meanwhile by another is never signed.
    if not ledger.sign_prepared(cycle_id, digest, by=by):
        raise ConflictError("prepared_decision_just_changed")
    signed = ledger.prepared(cycle_id)
    if signed is None or len(signed.signed) < waiting.needed:
        return False
    # Dropped only afterwards: when carrying out fails, the signatures stay and one can try again.
    _carry_out(cycle_id, waiting, signed.signed, by=by, ledger=ledger)
    ledger.drop_prepared(cycle_id)
    return True


def _pending_reconsideration(
    cycle_id: str, found: PreparedDecision, *, ledger: Ledger, snapshots: SnapshotCache | None
) -> PendingSignatures:
    """Return a prepared reconsideration's present state; it is void if it could not be signed."""
    evidence = closing = None
    try:
        evidence = gather_evidence(
            cycle_id, str(found.body["applicant"]), ledger=ledger, snapshots=snapshots
        )
        closing = closing_of(
            evidence,
            Result(str(found.body["result"])),
            reason=str(found.body["reason"]),
            beyond=bool(found.body["beyond"]),
        )
    except (InvalidInputError, NotFoundError):
        closing = None
    current = (
        evidence is not None
        and closing is not None
        and is_about(found, evidence)
        and digest_of_conclusion(cycle_id, evidence, closing, found.by) == found.digest
    )
    return PendingSignatures(
        prepared=found,
        reason=str(found.body["reason"]),
        needed=needed_names(ledger.rules(cycle_id)),
        current=current,
        evidence=evidence,
        closing=closing,
    )


def _check_meeting(
    cycle_id: str, waiting: PendingSignatures, *, ledger: Ledger, snapshots: SnapshotCache | None
) -> None:
    """Raise for a signature that differs from the meeting's outcomes, or comes before them."""
    proposal = propose(cycle_id, ledger=ledger, snapshots=snapshots)
    meeting = ledger.meeting(cycle_id, proposal.version)
    check_recorded(proposal, meeting)
    if set(follow(proposal, waiting.overrides, meeting)) != set(waiting.overrides):
        raise InvalidInputError("meeting_changed_since_prepared")


def _carry_out(
    cycle_id: str, waiting: PendingSignatures, signed: tuple[str, ...], *, by: str, ledger: Ledger
) -> None:
    if waiting.prepared.what == REOPENING:
        reopen(cycle_id, names=signed, reason=waiting.reason, ledger=ledger)
        return
    if waiting.prepared.what == UNDOING:
        undo(
            cycle_id,
            str(waiting.prepared.body["applicant"]),
            names=signed,
            reason=waiting.reason,
            ledger=ledger,
        )
        return
    if waiting.evidence is not None and waiting.closing is not None:
        conclude(cycle_id, waiting.evidence, waiting.closing, names=signed, ledger=ledger)
        return
    waiver = Waiver(by=waiting.prepared.by, reason=waiting.waiver) if waiting.waiver else None
    finalize(
        cycle_id,
        by=by,
        signed_by=signed,
        overrides=waiting.overrides,
        waiver=waiver,
        ledger=ledger,
    )


def _overrides(body: Mapping[str, Json], proposal: Proposal) -> tuple[Override, ...]:
    """Read the stored changes; applicants who are no candidates any more are left out."""
    names = {place.application: place.external_id for place in proposal.places}
    changes = body["changes"]
    assert isinstance(changes, Sequence)
    found = []
    for change in changes:
        assert isinstance(change, Sequence)
        number, verdict, reason = change
        if number in names:
            found.append(
                Override(
                    external_id=names[int(str(number))],
                    verdict=Verdict(str(verdict)),
                    reason=str(reason),
                )
            )
    return tuple(found)
