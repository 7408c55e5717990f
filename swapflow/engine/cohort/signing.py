"""Signing: one person prepares a decision and others sign it, each at their own screen.

A signature is for a digest over everything that is signed: list, changes with their reasons,
waiver, rules. When any of these changes, the digest changes, and the signatures are void.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from swapflow.domain.cohort.proposal import Proposal, Verdict, Waiver
from swapflow.domain.cohort.reconsideration import Closing, Result
from swapflow.domain.event import Json
from swapflow.domain.seal import Seal
from swapflow.engine.cohort.finalize import (
    DecisionAuthors,
    Override,
    check_decision,
    fix_list,
    work_out,
)
from swapflow.engine.cohort.prepared_decisions import (
    COVERED,
    DECISION,
    RECONSIDERATION,
    REOPENING,
    UNDOING,
    digest_of_conclusion,
    digest_of_decision,
    is_about,
    needed_signatures,
    seal_of_decision,
)
from swapflow.engine.cohort.recorded_outcomes import check_recorded, follow, recorders
from swapflow.engine.cohort.reopen import reopen_in
from swapflow.engine.confirmation import Beside, confirm, named
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.records import PreparedDecision
from swapflow.engine.ports.writes.transaction import Transaction
from swapflow.engine.read_models.final_list import final_list
from swapflow.engine.read_models.proposal import propose
from swapflow.engine.read_models.snapshot import SnapshotCache
from swapflow.engine.reconsideration.evidence import (
    ReconsiderationEvidence,
    closing_of,
    gather_evidence,
)
from swapflow.engine.reconsideration.reconsider import conclude_in, needed_names, plan_conclusion
from swapflow.engine.reconsideration.undo import plan_undoing, undo_in
from swapflow.errors import ConflictError, InvalidInputError, NotFoundError, NotReadyError


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingSignatures:
    """The decision that waits for signatures, in full.

    Attributes:
        overrides: Decisions that differ from the proposal.
        waiver: Reason for accepting applications below a floor, "" without.
        reason: Why the list is to be reopened, for a reopening.
        needed: Number of signatures needed in all.
        changed: Parts of the prepared decision that would not be decided so now, by name.
        proposal: The list as it is proposed now, for a decision about it.
        evidence: Evidence of a reconsideration; None for anything else, or once it is concluded.
        closing: Its result.
    """

    prepared: PreparedDecision
    needed: int
    changed: tuple[str, ...] = ()
    overrides: tuple[Override, ...] = ()
    waiver: str = ""
    reason: str = ""
    evidence: ReconsiderationEvidence | None = None
    closing: Closing | None = None
    proposal: Proposal | None = None

    @property
    def current(self) -> bool:
        """Whether the prepared decision would still be made now."""
        return not self.changed

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
        return PendingSignatures(
            prepared=found,
            reason=str(found.body["reason"]),
            needed=2,
            changed=_reopening_changed(cycle_id, found, ledger=ledger),
        )
    if found.what == UNDOING:
        version = ledger.cycle(cycle_id).cohort_version
        return PendingSignatures(
            prepared=found,
            reason=str(found.body["reason"]),
            needed=needed_names(ledger.rules(cycle_id)),
            changed=() if version == found.body["version"] else ("version",),
        )
    if found.what == RECONSIDERATION:
        return _pending_reconsideration(cycle_id, found, ledger=ledger, snapshots=snapshots)
    proposal = proposal or propose(cycle_id, ledger=ledger, snapshots=snapshots)
    overrides = _overrides(found.body, proposal)
    return PendingSignatures(
        prepared=found,
        overrides=overrides,
        waiver=str(found.body["waiver"]),
        needed=needed_signatures(ledger.rules(cycle_id)),
        changed=_decision_changed(cycle_id, found, proposal, overrides, ledger=ledger),
        proposal=proposal,
    )


def _reopening_changed(
    cycle_id: str, found: PreparedDecision, *, ledger: Ledger
) -> tuple[str, ...]:
    """Return what of a list to be reopened is not what was shown when it was proposed."""
    try:
        there = final_list(cycle_id, ledger=ledger)
    except NotReadyError:
        return ("version",)
    now = {"version": there.version, "held": list(there.held)}
    # An earlier version stored no held letters.
    return tuple(name for name, value in now.items() if found.body.get(name, value) != value)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Signing:
    """A signature that was worked out.

    Attributes:
        carry_out: Carries the decision out within a transaction; None while signatures are
            missing after this one.
    """

    waiting: PendingSignatures
    carry_out: Callable[[Transaction], object] | None

    @property
    def seal(self) -> Seal:
        return Seal(self.waiting.prepared.digest, {})


def sign(
    cycle_id: str, digest: str, *, by: str, ledger: Ledger, snapshots: SnapshotCache | None = None
) -> bool:
    """Sign the prepared decision; the last signature carries it out. Return whether it did.

    Signature and result are one transaction: what was signed is carried out, or nothing is
    written and one can try again.

    Raises:
        ConflictError: If something else is prepared by now, or what would be carried out has
            changed since: the signatures are void then, and it must be prepared again.
        InvalidInputError: If the person who proposed a reopening also signs it, or a meeting
            recorded another outcome since.
        NotReadyError: If a meeting has no outcome for an applicant too close to call.
    """
    snapshots = snapshots or SnapshotCache()

    def work() -> _Signing:
        waiting = pending(cycle_id, ledger=ledger, snapshots=snapshots)
        if waiting is None or waiting.prepared.digest != digest:
            raise ConflictError("prepared_decision_changed")
        if not waiting.current:
            raise ConflictError(
                "list_changed_since_prepared", changed=named(waiting.changed or ("list",))
            )
        what, signed = waiting.prepared.what, waiting.prepared.signed
        # Two names are two people: preparing these has signed them already.
        if what in {RECONSIDERATION, UNDOING} and by == waiting.prepared.by:
            raise InvalidInputError("signed_already")
        if what == REOPENING and by == waiting.prepared.by:
            raise InvalidInputError("reopening_by_one_person")
        if what == DECISION:
            _check_meeting(cycle_id, waiting, ledger=ledger)
        # In the order of signing; a person who signs twice counts once.
        names = tuple(dict.fromkeys((*signed, by)))
        done = len(names) >= waiting.needed
        return _Signing(
            waiting=waiting,
            carry_out=_act(cycle_id, waiting, names, ledger=ledger) if done else None,
        )

    def write(tx: Transaction, signing: _Signing) -> bool:
        if not tx.sign_prepared(digest, by=by):
            raise ConflictError("prepared_decision_just_changed")
        if signing.carry_out is None:
            return False
        signing.carry_out(tx)
        # In the same write: signatures never outlive what they were for.
        tx.drop_prepared()
        return True

    return confirm(
        cycle_id,
        work,
        write,
        shown=digest,
        beside={Beside.PREPARED, Beside.TOLD},
        ledger=ledger,
    )


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
        changed=() if current else ("evidence",),
        evidence=evidence,
        closing=closing,
    )


def _check_meeting(cycle_id: str, waiting: PendingSignatures, *, ledger: Ledger) -> None:
    """Raise for a signature that differs from the meeting's outcomes, or comes before them."""
    proposal = waiting.proposal
    assert proposal is not None, "a decision is about a list"
    meeting = ledger.meeting(cycle_id, proposal.version)
    check_recorded(proposal, meeting)
    if set(follow(proposal, waiting.overrides, meeting)) != set(waiting.overrides):
        raise InvalidInputError("meeting_changed_since_prepared")


def _act(
    cycle_id: str, waiting: PendingSignatures, signed: tuple[str, ...], *, ledger: Ledger
) -> Callable[[Transaction], object]:
    """Work out what the last signature does; writes nothing."""
    body = waiting.prepared.body
    if waiting.prepared.what == REOPENING:
        return lambda tx: reopen_in(tx, names=signed, reason=waiting.reason)
    if waiting.prepared.what == UNDOING:
        undoing = plan_undoing(
            cycle_id,
            str(body["applicant"]),
            names=signed,
            reason=waiting.reason,
            ledger=ledger,
        )
        return lambda tx: undo_in(tx, undoing)
    if waiting.evidence is not None and waiting.closing is not None:
        conclusion = plan_conclusion(
            cycle_id, waiting.evidence, waiting.closing, names=signed, ledger=ledger
        )
        return lambda tx: conclude_in(tx, conclusion)
    assert waiting.proposal is not None, "a decision is about a list"
    decision = work_out(
        cycle_id,
        waiting.proposal,
        by=signed[0],
        signed_by=signed,
        authors=DecisionAuthors(
            prepared_by=waiting.prepared.by,
            recorded=recorders(
                waiting.proposal,
                waiting.overrides,
                ledger.meeting(cycle_id, waiting.proposal.version),
            ),
        ),
        overrides=waiting.overrides,
        waiver=_waiver(waiting.prepared),
        ledger=ledger,
    )
    return lambda tx: fix_list(tx, decision)


def _waiver(prepared: PreparedDecision) -> Waiver | None:
    reason = str(prepared.body["waiver"])
    return Waiver(by=prepared.by, reason=reason) if reason else None


def _decision_changed(
    cycle_id: str,
    found: PreparedDecision,
    proposal: Proposal,
    overrides: Sequence[Override],
    *,
    ledger: Ledger,
) -> tuple[str, ...]:
    """Return which parts of a prepared decision are not what was prepared any more."""
    covered = found.body.get(COVERED)
    if not isinstance(covered, Mapping):  # prepared by an earlier version
        same = digest_of_decision(proposal, found.body, found.by) == found.digest
        return () if same else ("list",)
    try:
        verdicts = check_decision(ledger.cycle(cycle_id), proposal, overrides, _waiver(found))
    except InvalidInputError:  # it could not even be prepared now
        verdicts = {}
    now = seal_of_decision(proposal, found.body, found.by, verdicts)
    return () if now.whole == found.digest else now.differing_parts(covered)


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
