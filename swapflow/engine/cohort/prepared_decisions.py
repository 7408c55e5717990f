"""Decisions prepared for signature, and what a signature covers."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from swapflow.domain.cohort.proposal import Proposal, Verdict, Waiver
from swapflow.domain.cohort.reconsideration import Closing
from swapflow.domain.cycle import CycleStatus
from swapflow.domain.event import Json
from swapflow.domain.rules import Rules
from swapflow.domain.seal import NOTHING, Seal, seal
from swapflow.engine.cohort.finalize import Override, check_decision
from swapflow.engine.cohort.recorded_outcomes import follow
from swapflow.engine.confirmation import Beside, check_shown, confirm
from swapflow.engine.ports.cycles import CycleReads
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.records import PreparedDecision
from swapflow.engine.ports.writes.transaction import Transaction
from swapflow.engine.read_models.final_list import final_list
from swapflow.engine.read_models.proposal import propose
from swapflow.engine.read_models.snapshot import SnapshotCache
from swapflow.engine.reconsideration.evidence import (
    ReconsiderationEvidence,
    WantedClosing,
    closing_of,
    gather_evidence,
)
from swapflow.engine.reconsideration.undo import check_undoing
from swapflow.engine.revisions import check_revision
from swapflow.errors import ConflictError, InvalidInputError, NotReadyError


DECISION = "decision"


REOPENING = "reopening"


RECONSIDERATION = "reconsideration"


UNDOING = "undoing"


COVERED = "covered"
"""Key of the stored body: the parts of the seal, to name what has changed."""


def needed_signatures(rules: Rules) -> int:
    """Return how many people must sign: at least one, since every decision needs a name."""
    return max(1, rules.signatures)


@dataclass(frozen=True, slots=True, kw_only=True)
class Preparation:
    """A decision that was worked out and can be put up for signature.

    Attributes:
        seal: The digest of what the person who prepares it was shown.
        signed: Who signs it at once.
    """

    decision: PreparedDecision
    seal: Seal
    signed: tuple[str, ...] = ()


def prepare(
    cycle_id: str,
    *,
    by: str,
    overrides: Sequence[Override] = (),
    waiver: str = "",
    shown: str = "",
    made_from: str = "",
    ledger: Ledger,
    snapshots: SnapshotCache | None = None,
) -> str:
    """Store a decision for signature, replacing an earlier one; return its digest.

    The same decision once more changes nothing: who has signed it has signed.

    Args:
        cycle_id: The cycle.
        by: Who prepares it.
        overrides: Decisions that differ from the proposal.
        waiver: Why it is accepted that some applications are below a floor.
        shown: Digest of the list that the person was shown; "" if nothing was shown.
        made_from: Digest of what was prepared when the form was made, `NOTHING` if nothing was;
            "" for no check.
        ledger: The ledger.
        snapshots: Cached snapshots.

    Raises:
        NotReadyError: If the cycle is still running, or finalized.
        InvalidInputError: If the overrides do not fit, or differ from a meeting's outcomes, or an
            application is below a floor and there is no waiver. Nothing is written.
        ConflictError: If the list is another than was shown.
        StaleRevisionError: If something else was prepared since the form was made.
    """
    given = Waiver(by=by, reason=waiver) if waiver.strip() else None
    snapshots = snapshots or SnapshotCache()

    def work() -> Preparation:
        proposal = propose(cycle_id, ledger=ledger, snapshots=snapshots)
        check_shown(proposal.seal, shown)
        changes = follow(proposal, overrides, ledger.meeting(cycle_id, proposal.version))
        verdicts = check_decision(ledger.cycle(cycle_id), proposal, changes, given)
        numbers = {place.external_id: place.application for place in proposal.places}
        body: dict[str, Json] = {
            "changes": [
                [numbers[o.external_id], o.verdict.value, o.reason.strip()] for o in changes
            ],
            "waiver": waiver.strip(),
        }
        covered = seal_of_decision(proposal, body, by, verdicts)
        body[COVERED] = dict(covered.parts)
        return Preparation(
            decision=PreparedDecision(what=DECISION, digest=covered.whole, body=body, by=by),
            seal=proposal.seal,
        )

    return confirm(cycle_id, work, partial(_put, made_from=made_from), shown=shown, ledger=ledger)


def prepare_reopening(
    cycle_id: str, *, by: str, reason: str, shown: str = "", ledger: Ledger
) -> str:
    """Propose to reopen a final list, which another person must agree to; return the digest.

    Raises:
        NotReadyError: If the cycle is not finalized.
        InvalidInputError: If there is no reason.
        ConflictError: If another list is final than was shown.
    """

    def work() -> Preparation:
        cycle = ledger.cycle(cycle_id)
        if cycle.status is not CycleStatus.FINALIZED:
            raise NotReadyError("no_list_to_reopen", status=cycle.status)
        if not reason.strip():
            raise InvalidInputError("reopening_reason_missing")
        there = final_list(cycle_id, ledger=ledger)
        body: dict[str, Json] = {
            "reason": reason.strip(),
            "version": there.version,
            "held": list(there.held),
        }
        return Preparation(
            decision=_prepared(REOPENING, cycle_id, body, by=by), seal=there.seal, signed=(by,)
        )

    return confirm(cycle_id, work, _put, shown=shown, beside={Beside.TOLD}, ledger=ledger)


def prepare_reconsideration(
    cycle_id: str,
    external_id: str,
    wanted: WantedClosing,
    *,
    by: str,
    shown: str = "",
    made_from: str = "",
    ledger: Ledger,
    snapshots: SnapshotCache | None = None,
) -> str:
    """Store a reconsideration's result for signature, and sign it; return its digest.

    The same result by the same person once more changes nothing.

    Raises:
        NotReadyError, InvalidInputError, NotFoundError: As `gather_evidence` and `closing_of` do.
        StaleRevisionError: If another result was prepared since the form was made.
        ConflictError: If something else waits for signatures, since only one thing can at a time;
            or if the evidence is another than was shown.
    """
    snapshots = snapshots or SnapshotCache()

    def work() -> Preparation:
        evidence = gather_evidence(cycle_id, external_id, ledger=ledger, snapshots=snapshots)
        check_shown(evidence.seal, shown)
        closing = closing_of(evidence, wanted.result, reason=wanted.reason, beyond=wanted.beyond)
        there = ledger.prepared(cycle_id)
        if there is not None and not is_about(there, evidence):
            raise ConflictError("something_waits")
        body: dict[str, Json] = {
            "id": evidence.which.id,
            "applicant": external_id,
            "result": closing.result.value,
            "reason": closing.reason,
            "beyond": wanted.beyond,
        }
        digest = digest_of_conclusion(cycle_id, evidence, closing, by)
        return Preparation(
            decision=PreparedDecision(what=RECONSIDERATION, digest=digest, body=body, by=by),
            seal=evidence.seal,
            signed=(by,),
        )

    return confirm(
        cycle_id,
        work,
        partial(_put, made_from=made_from),
        shown=shown,
        beside={Beside.PREPARED, Beside.TOLD},
        ledger=ledger,
    )


def prepare_undoing(
    cycle_id: str, external_id: str, *, by: str, reason: str, shown: str = "", ledger: Ledger
) -> str:
    """Propose to undo a reconsideration, and sign it; return the digest.

    Raises:
        NotFoundError, ConflictError, InvalidInputError: As `undo` does.
    """
    if not reason.strip():
        raise InvalidInputError("undoing_reason_missing")

    def work() -> Preparation:
        check_undoing(cycle_id, external_id, ledger=ledger)
        if ledger.prepared(cycle_id) is not None:
            raise ConflictError("something_waits")
        there = final_list(cycle_id, ledger=ledger)
        body: dict[str, Json] = {
            "applicant": external_id,
            "reason": reason.strip(),
            "version": there.version,
        }
        return Preparation(
            decision=_prepared(UNDOING, cycle_id, body, by=by), seal=there.seal, signed=(by,)
        )

    return confirm(
        cycle_id,
        work,
        _put,
        shown=shown,
        beside={Beside.PREPARED, Beside.TOLD},
        ledger=ledger,
    )


def drop(cycle_id: str, *, shown: str = "", ledger: CycleReads) -> bool:
    """Withdraw the prepared decision; False when there was none.

    Args:
        cycle_id: The cycle.
        shown: Digest of the decision that the person was shown; "" if nothing was shown.
        ledger: The ledger.

    Raises:
        ConflictError: If another is prepared than was shown.
    """
    with ledger.write(cycle_id) as tx:
        # Under the lock: another decision may be prepared in this moment.
        there = tx.prepared()
        if shown and (there is None or there.digest != shown):
            raise ConflictError("prepared_decision_changed")
        return tx.drop_prepared()


def _prepared(what: str, cycle_id: str, body: dict[str, Json], *, by: str) -> PreparedDecision:
    digest = _sha({"what": what, "cycle": cycle_id, "by": by, **body})
    return PreparedDecision(what=what, digest=digest, body=body, by=by)


def _put(tx: Transaction, new: Preparation, *, made_from: str = "") -> str:
    there = tx.prepared()
    # A digest covers who prepares, so it is the same person's; signatures under it stay.
    if there is not None and there.digest == new.decision.digest:
        return there.digest
    check_revision(made_from, prepared_revision(there), _told(there) if there else {})
    tx.put_prepared(new.decision, signed=new.signed)
    return new.decision.digest


def prepared_revision(there: PreparedDecision | None) -> str:
    """Return the revision that another decision is put up for signature from."""
    return there.digest if there else NOTHING


def _told(there: PreparedDecision) -> dict[str, object]:
    """Return what a prepared decision says, by the name of the field."""
    changes = there.body.get("changes")
    told = {
        "what": there.what,
        "by": there.by,
        "changes": len(changes) if isinstance(changes, list) else 0,
        **{name: there.body.get(name) for name in ("waiver", "result", "reason")},
    }
    return {name: said for name, said in told.items() if said}


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


def seal_of_decision(
    proposal: Proposal,
    body: Mapping[str, Json],
    by: str,
    verdicts: Mapping[int, tuple[Verdict, str]],
) -> Seal:
    """Seal everything that a signature covers.

    Args:
        proposal: The list.
        body: Changes with their reasons, and the waiver.
        by: Who prepared it.
        verdicts: Outcome and reason, by application.
    """
    return seal(
        what=[DECISION, proposal.cycle_id, by],
        version=proposal.version,
        rules=proposal.sheet.rules_version,
        list=[[p.application, p.standing.value] for p in proposal.places],
        missing=[[p.application, dict(p.floor_missing)] for p in proposal.places],
        outcomes=[[a, verdict.value] for a, (verdict, _) in sorted(verdicts.items())],
        changes={name: part for name, part in body.items() if name != COVERED},
    )


def digest_of_decision(proposal: Proposal, body: Mapping[str, Json], by: str) -> str:
    """Hash what a signature covers under a decision that was prepared before version 0.2.

    It leaves out who keeps an offered place.
    """
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
