"""Decisions prepared for signature, and what a signature covers."""

import hashlib
import json
from collections.abc import Mapping, Sequence

from swapflow.domain.cohort.proposal import Proposal, Waiver
from swapflow.domain.cohort.reconsideration import Closing, Result
from swapflow.domain.cycle import CycleStatus
from swapflow.domain.event import Json
from swapflow.domain.rules import Rules
from swapflow.engine.cohort.finalize import Override, check_decision
from swapflow.engine.cohort.meeting import follow
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.records import PreparedDecision
from swapflow.engine.read_models.proposal import propose
from swapflow.engine.read_models.snapshot import SnapshotCache
from swapflow.engine.reconsideration.evidence import (
    ReconsiderationEvidence,
    closing_of,
    gather_evidence,
)
from swapflow.engine.reconsideration.undo import check_undoing
from swapflow.errors import ConflictError, InvalidInputError, NotReadyError


DECISION = "decision"


REOPENING = "reopening"


RECONSIDERATION = "reconsideration"


UNDOING = "undoing"


def needed_signatures(rules: Rules) -> int:
    """Return how many people must sign: at least one, since every decision needs a name."""
    return max(1, rules.signatures)


def prepare(
    cycle_id: str,
    *,
    by: str,
    overrides: Sequence[Override] = (),
    waiver: str = "",
    ledger: Ledger,
    snapshots: SnapshotCache | None = None,
) -> str:
    """Store a decision for signature, replacing an earlier one; return its digest.

    Raises:
        NotReadyError: If the cycle is still running, or finalized.
        InvalidInputError: If the overrides do not fit, or differ from a meeting's outcomes, or an
            application is below a floor and there is no waiver. Nothing is written.
    """
    given = Waiver(by=by, reason=waiver) if waiver.strip() else None
    proposal = propose(cycle_id, ledger=ledger, snapshots=snapshots)
    overrides = follow(proposal, overrides, ledger.meeting(cycle_id, proposal.version))
    check_decision(ledger.cycle(cycle_id), proposal, overrides, given)
    numbers = {place.external_id: place.application for place in proposal.places}
    body: dict[str, Json] = {
        "changes": [
            [numbers[o.external_id], o.verdict.value, o.reason.strip()] for o in overrides
        ],
        "waiver": waiver.strip(),
    }
    digest = digest_of_decision(proposal, body, by)
    ledger.prepare(cycle_id, PreparedDecision(what=DECISION, digest=digest, body=body, by=by))
    return digest


def prepare_reopening(cycle_id: str, *, by: str, reason: str, ledger: Ledger) -> str:
    """Propose to reopen a final list, which another person must agree to; return the digest.

    Raises:
        NotReadyError: If the cycle is not finalized.
        InvalidInputError: If there is no reason.
    """
    cycle = ledger.cycle(cycle_id)
    if cycle.status is not CycleStatus.FINALIZED:
        raise NotReadyError("no_list_to_reopen", status=cycle.status)
    if not reason.strip():
        raise InvalidInputError("reopening_reason_missing")
    body: dict[str, Json] = {"reason": reason.strip(), "version": cycle.cohort_version}
    digest = _sha({"what": REOPENING, "cycle": cycle_id, "by": by, **body})
    ledger.prepare(cycle_id, PreparedDecision(what=REOPENING, digest=digest, body=body, by=by))
    ledger.sign_prepared(cycle_id, digest, by=by)
    return digest


def prepare_reconsideration(
    cycle_id: str,
    external_id: str,
    *,
    by: str,
    result: Result | None = None,
    reason: str = "",
    beyond: bool = False,
    ledger: Ledger,
    snapshots: SnapshotCache | None = None,
) -> str:
    """Store a reconsideration's result for signature, and sign it; return its digest.

    Raises:
        NotReadyError, InvalidInputError, NotFoundError: As `gather_evidence` and `closing_of` do.
        ConflictError: If something else waits for signatures: only one thing can at a time.
    """
    evidence = gather_evidence(cycle_id, external_id, ledger=ledger, snapshots=snapshots)
    closing = closing_of(evidence, result, reason=reason, beyond=beyond)
    there = ledger.prepared(cycle_id)
    if there is not None and not is_about(there, evidence):
        raise ConflictError("something_waits")
    body: dict[str, Json] = {
        "id": evidence.which.id,
        "applicant": external_id,
        "result": closing.result.value,
        "reason": closing.reason,
        "beyond": beyond,
    }
    digest = digest_of_conclusion(cycle_id, evidence, closing, by)
    ledger.prepare(
        cycle_id, PreparedDecision(what=RECONSIDERATION, digest=digest, body=body, by=by)
    )
    ledger.sign_prepared(cycle_id, digest, by=by)
    return digest


def prepare_undoing(
    cycle_id: str, external_id: str, *, by: str, reason: str, ledger: Ledger
) -> str:
    """Propose to undo a reconsideration, and sign it; return the digest.

    Raises:
        NotFoundError, ConflictError, InvalidInputError: As `undo` does.
    """
    if not reason.strip():
        raise InvalidInputError("undoing_reason_missing")
    check_undoing(cycle_id, external_id, ledger=ledger)
    if ledger.prepared(cycle_id) is not None:
        raise ConflictError("something_waits")
    version = ledger.cycle(cycle_id).cohort_version
    body: dict[str, Json] = {
        "applicant": external_id,
        "reason": reason.strip(),
        "version": version,
    }
    digest = _sha({"what": UNDOING, "cycle": cycle_id, "by": by, **body})
    ledger.prepare(cycle_id, PreparedDecision(what=UNDOING, digest=digest, body=body, by=by))
    ledger.sign_prepared(cycle_id, digest, by=by)
    return digest


def is_about(prepared: PreparedDecision, evidence: ReconsiderationEvidence) -> bool:
    """Whether a prepared decision is about this reconsideration."""
    return prepared.what == RECONSIDERATION and prepared.body["id"] == evidence.which.id


def digest_of_conclusion(
    cycle_id: str, evidence: ReconsiderationEvidence, closing: Closing, by: str
) -> str:
    """Hash everything that a signature under a reconsideration covers."""
    return _sha(
        {
            "what": RECONSIDERATION,
            "cycle": cycle_id,
            "id": evidence.which.id,
            "application": evidence.which.application,
            # Nine digits: a replay on another processor may differ in the last bits of an
            # estimate.
            "after": f"{evidence.after.estimate:.9f}",
            "received": evidence.received,
            "result": closing.result.value,
            "place": closing.place,
            "beyond": closing.beyond,
            "exceptions": list(closing.exceptions),
            "reason": closing.reason,
            "by": by,
        }
    )


def digest_of_decision(proposal: Proposal, body: Mapping[str, Json], by: str) -> str:
    """Hash everything that a signature covers."""
    return _sha(
        {
            "what": DECISION,
            "cycle": proposal.cycle_id,
            "version": proposal.version,
            "rules": proposal.sheet.rules_version,
            "list": [[p.application, p.standing.value] for p in proposal.places],
            "below": [
                [p.application, dict(p.floor_missing)] for p in proposal.places if p.floor_missing
            ],
            "body": dict(body),
            "by": by,
        }
    )


def _sha(content: Mapping[str, object]) -> str:
    text = json.dumps(content, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()
