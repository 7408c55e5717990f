"""Decisions that are prepared by one person and signed by others, each at a screen of their own.

A signature is for a digest over everything that is signed: list, changes with their reasons,
waiver, rules. When anything of that changes, the digest does, and the signatures are void.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from swapflow.domain.cohort.proposal import Proposal, Verdict, Waiver
from swapflow.domain.cohort.reconsideration import Closing, Result
from swapflow.domain.cycle import CycleStatus
from swapflow.domain.event import Json
from swapflow.domain.rules import Rules
from swapflow.engine.cohort.finalize import Override, check_decision, finalize, propose, reopen
from swapflow.engine.cohort.meeting import check_recorded, follow
from swapflow.engine.ports import Ledger, Prepared
from swapflow.engine.read_models.snapshot import Folds
from swapflow.engine.reconsideration.evidence import Weighed, closing_of, weigh
from swapflow.engine.reconsideration.reconsider import check_undoing, conclude, needed_names, undo
from swapflow.errors import ConflictError, InvalidInputError, NotFoundError, NotReadyError


DECISION = "decision"
REOPENING = "reopening"
RECONSIDERATION = "reconsideration"
UNDOING = "undoing"


SOMETHING_WAITS = (
    "something else waits for signatures in this program; have it signed or take it back first"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """What waits for signatures, spelled out.

    Attributes:
        overrides: Where people decide otherwise than proposed.
        waiver: Reason for accepting those below a floor, "" without.
        reason: Why the cohort is to be reopened, for a reopening.
        needed: Signatures that are needed in all.
        current: Whether what was prepared is still what would be decided now.
        weighed: Where a reconsideration stands; None for anything else, or once it is concluded.
        closing: What it is to come to.
    """

    prepared: Prepared
    needed: int
    current: bool
    overrides: tuple[Override, ...] = ()
    waiver: str = ""
    reason: str = ""
    weighed: Weighed | None = None
    closing: Closing | None = None

    @property
    def missing(self) -> int:
        """How many signatures are still to come."""
        return max(0, self.needed - len(self.prepared.signed))


def needed_signatures(rules: Rules) -> int:
    """Give how many people must sign: at least one, for nothing is decided by nobody."""
    return max(1, rules.signatures)


def prepare(
    cycle_id: str,
    *,
    by: str,
    overrides: Sequence[Override] = (),
    waiver: str = "",
    ledger: Ledger,
    folds: Folds | None = None,
) -> str:
    """Put a decision up for signature; what was up before is taken back. Gives its digest.

    Raises:
        NotReadyError: If the cycle is still running, or finalized.
        InvalidInputError: If the overrides do not fit, or differ from what a meeting recorded, or
            somebody is below a floor and there is no waiver. Nothing is written.
    """
    given = Waiver(by=by, reason=waiver) if waiver.strip() else None
    proposal = propose(cycle_id, ledger=ledger, folds=folds)
    overrides = follow(proposal, overrides, ledger.meeting(cycle_id, proposal.version))
    check_decision(ledger.cycle(cycle_id), proposal, overrides, given)
    numbers = {place.external_id: place.application for place in proposal.places}
    body: dict[str, Json] = {
        "changes": [
            [numbers[o.external_id], o.verdict.value, o.reason.strip()] for o in overrides
        ],
        "waiver": waiver.strip(),
    }
    digest = _digest(proposal, body, by)
    ledger.prepare(cycle_id, Prepared(what=DECISION, digest=digest, body=body, by=by))
    return digest


def prepare_reopening(cycle_id: str, *, by: str, reason: str, ledger: Ledger) -> str:
    """Ask that a fixed cohort be reopened; somebody else must agree. Gives the digest.

    Raises:
        NotReadyError: If the cycle is not finalized.
        InvalidInputError: If there is no reason.
    """
    cycle = ledger.cycle(cycle_id)
    if cycle.status is not CycleStatus.FINALIZED:
        raise NotReadyError(f"the program is {cycle.status.value}, so there is no list to reopen")
    if not reason.strip():
        raise InvalidInputError("a reopening needs a reason")
    body: dict[str, Json] = {"reason": reason.strip(), "version": cycle.cohort_version}
    digest = _sha({"what": REOPENING, "cycle": cycle_id, "by": by, **body})
    ledger.prepare(cycle_id, Prepared(what=REOPENING, digest=digest, body=body, by=by))
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
    folds: Folds | None = None,
) -> str:
    """Put up for signature what a reconsideration comes to, and sign it. Gives its digest.

    Raises:
        NotReadyError, InvalidInputError, NotFoundError: As `weigh` and `closing_of` do.
        ConflictError: If something else waits for signatures: one thing does at a time.
    """
    weighed = weigh(cycle_id, external_id, ledger=ledger, folds=folds)
    closing = closing_of(weighed, result, reason=reason, beyond=beyond)
    there = ledger.prepared(cycle_id)
    if there is not None and not _is_about(there, weighed):
        raise ConflictError(SOMETHING_WAITS)
    body: dict[str, Json] = {
        "id": weighed.which.id,
        "applicant": external_id,
        "result": closing.result.value,
        "reason": closing.reason,
        "beyond": beyond,
    }
    digest = _digest_of(cycle_id, weighed, closing, by)
    ledger.prepare(cycle_id, Prepared(what=RECONSIDERATION, digest=digest, body=body, by=by))
    ledger.sign_prepared(cycle_id, digest, by=by)
    return digest


def prepare_undoing(
    cycle_id: str, external_id: str, *, by: str, reason: str, ledger: Ledger
) -> str:
    """Ask that a reconsideration be undone, and sign it. Gives the digest.

    Raises:
        NotFoundError, ConflictError, InvalidInputError: As `undo` does.
    """
    if not reason.strip():
        raise InvalidInputError("write why it is undone; it stands in the record")
    check_undoing(cycle_id, external_id, ledger=ledger)
    if ledger.prepared(cycle_id) is not None:
        raise ConflictError(SOMETHING_WAITS)
    version = ledger.cycle(cycle_id).cohort_version
    body: dict[str, Json] = {
        "applicant": external_id,
        "reason": reason.strip(),
        "version": version,
    }
    digest = _sha({"what": UNDOING, "cycle": cycle_id, "by": by, **body})
    ledger.prepare(cycle_id, Prepared(what=UNDOING, digest=digest, body=body, by=by))
    ledger.sign_prepared(cycle_id, digest, by=by)
    return digest


def pending(
    cycle_id: str,
    *,
    ledger: Ledger,
    proposal: Proposal | None = None,
    folds: Folds | None = None,
) -> Pending | None:
    """Read what waits for signatures; None when nothing does.

    Args:
        cycle_id: The cycle.
        ledger: The ledger.
        proposal: The list as it is proposed now, where the caller has made it already.
        folds: As for `propose`, where the caller has not.
    """
    found = ledger.prepared(cycle_id)
    if found is None:
        return None
    if found.what == REOPENING:
        cycle = ledger.cycle(cycle_id)
        return Pending(
            prepared=found,
            reason=str(found.body["reason"]),
            needed=2,
            current=cycle.status is CycleStatus.FINALIZED
            and cycle.cohort_version == found.body["version"],
        )
    if found.what == UNDOING:
        version = ledger.cycle(cycle_id).cohort_version
        return Pending(
            prepared=found,
            reason=str(found.body["reason"]),
            needed=needed_names(ledger.rules(cycle_id)),
            current=version == found.body["version"],
        )
    if found.what == RECONSIDERATION:
        return _pending_reconsideration(cycle_id, found, ledger=ledger, folds=folds)
    proposal = proposal or propose(cycle_id, ledger=ledger, folds=folds)
    return Pending(
        prepared=found,
        overrides=_overrides(found.body, proposal),
        waiver=str(found.body["waiver"]),
        needed=needed_signatures(ledger.rules(cycle_id)),
        current=_digest(proposal, found.body, found.by) == found.digest,
    )


def sign(
    cycle_id: str, digest: str, *, by: str, ledger: Ledger, folds: Folds | None = None
) -> bool:
    """Sign what is prepared; with the last signature it is carried out. Says whether it was.

    Raises:
        ConflictError: If something else is prepared by now, or the list has changed since: the
            signatures are void then, and it must be prepared again.
        InvalidInputError: If whoever asked for a reopening also wants to agree to it, or a meeting
            recorded otherwise since.
        NotReadyError: If a meeting was opened and has no outcome for somebody too close to call.
    """
    waiting = pending(cycle_id, ledger=ledger, folds=folds)
    if waiting is None or waiting.prepared.digest != digest:
        raise ConflictError(
            "what you were about to sign was changed or taken back; look at it again"
        )
    if not waiting.current:
        ledger.drop_prepared(cycle_id)
        raise ConflictError(
            "the list has changed since this was prepared, so its signatures are void; "
            "prepare it again"
        )
    if waiting.prepared.what in {RECONSIDERATION, UNDOING} and by == waiting.prepared.by:
        raise InvalidInputError("you have signed this; somebody else signs it too")
    if waiting.prepared.what == REOPENING and by == waiting.prepared.by:
        raise InvalidInputError("a reopening is asked for by one person and agreed to by another")
    if waiting.prepared.what == DECISION:
        _check_meeting(cycle_id, waiting, ledger=ledger, folds=folds)
    if not ledger.sign_prepared(cycle_id, digest, by=by):
        raise ConflictError("what you were about to sign was changed a moment ago; look again")
    signed = ledger.prepared(cycle_id)
    if signed is None or len(signed.signed) < waiting.needed:
        return False
    _carry_out(cycle_id, waiting, signed.signed, by=by, ledger=ledger)
    ledger.drop_prepared(cycle_id)
    return True


def _pending_reconsideration(
    cycle_id: str, found: Prepared, *, ledger: Ledger, folds: Folds | None
) -> Pending:
    """Say what a prepared reconsideration comes to now; it is void once it could not be signed."""
    weighed = closing = None
    try:
        weighed = weigh(cycle_id, str(found.body["applicant"]), ledger=ledger, folds=folds)
        closing = closing_of(
            weighed,
            Result(str(found.body["result"])),
            reason=str(found.body["reason"]),
            beyond=bool(found.body["beyond"]),
        )
    except (InvalidInputError, NotFoundError):
        closing = None
    current = (
        weighed is not None
        and closing is not None
        and _is_about(found, weighed)
        and _digest_of(cycle_id, weighed, closing, found.by) == found.digest
    )
    return Pending(
        prepared=found,
        reason=str(found.body["reason"]),
        needed=needed_names(ledger.rules(cycle_id)),
        current=current,
        weighed=weighed,
        closing=closing,
    )


def _is_about(prepared: Prepared, weighed: Weighed) -> bool:
    return prepared.what == RECONSIDERATION and prepared.body["id"] == weighed.which.id


def _digest_of(cycle_id: str, weighed: Weighed, closing: Closing, by: str) -> str:
    """Hash everything that a signature under a reconsideration stands for."""
    return _sha(
        {
            "what": RECONSIDERATION,
            "cycle": cycle_id,
            "id": weighed.which.id,
            "application": weighed.which.application,
            "after": f"{weighed.after.estimate:.9f}",
            "received": weighed.received,
            "result": closing.result.value,
            "place": closing.place,
            "beyond": closing.beyond,
            "exceptions": list(closing.exceptions),
            "reason": closing.reason,
            "by": by,
        }
    )


def _check_meeting(
    cycle_id: str, waiting: Pending, *, ledger: Ledger, folds: Folds | None
) -> None:
    """Refuse a signature under what a meeting has not recorded, or recorded otherwise."""
    proposal = propose(cycle_id, ledger=ledger, folds=folds)
    meeting = ledger.meeting(cycle_id, proposal.version)
    check_recorded(proposal, meeting)
    if set(follow(proposal, waiting.overrides, meeting)) != set(waiting.overrides):
        raise InvalidInputError(
            "the meeting recorded something else since this was prepared; take it back and "
            "prepare it again"
        )


def _carry_out(
    cycle_id: str, waiting: Pending, signed: tuple[str, ...], *, by: str, ledger: Ledger
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
    if waiting.weighed is not None and waiting.closing is not None:
        conclude(cycle_id, waiting.weighed, waiting.closing, names=signed, ledger=ledger)
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
    """Spell the stored changes; whoever is no candidate any more is left out."""
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


def _digest(proposal: Proposal, body: Mapping[str, Json], by: str) -> str:
    """Hash everything that a signature stands for."""
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
