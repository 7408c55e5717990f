"""Step 8, finalize: the rule proposes, people decide, and both are on record."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from swapflow.domain.cohort.proposal import (
    Outcome,
    Place,
    Proposal,
    Standing,
    Verdict,
    Waiver,
)
from swapflow.domain.cycle import Cycle, CycleStatus
from swapflow.domain.event import EventType
from swapflow.engine.offers.announcements import withdraw
from swapflow.engine.ports.cycles import CycleReads
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.read_models.proposal import propose
from swapflow.engine.selection.pulls import cancel_pulls
from swapflow.errors import (
    ConflictError,
    CycleFinalizedError,
    InfeasibleError,
    InvalidInputError,
    NotReadyError,
)
from swapflow.messages import Message


SHOWN_BELOW = 20
"""Applications below a floor that a refusal names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Override:
    """A person's decision against the proposal, with the reason."""

    external_id: str
    verdict: Verdict
    reason: str


def finalize(
    cycle_id: str,
    *,
    by: str,
    signed_by: Sequence[str] = (),
    overrides: Sequence[Override] = (),
    waiver: Waiver | None = None,
    ledger: Ledger,
) -> Proposal:
    """Make the list final: store proposal, outcomes, signatures and waivers in one transaction.

    Args:
        cycle_id: The cycle; its stop must be proposed, or it must have ended.
        by: Who decides.
        signed_by: Further people who sign; with `by` at least as many as the rules require.
        overrides: Decisions that differ from the proposal. The cohort's size must stay.
        waiver: Accepts that some applications are below a floor.
        ledger: The ledger.

    Returns:
        The proposal as stored; outcomes differ from it by the overrides.

    Raises:
        CycleFinalizedError: If the list is final already.
        NotReadyError: If the cycle is still running, or too few people signed.
        InvalidInputError: If an application is below a floor and there is no waiver, or the
            overrides do not fit; InfeasibleError if the list breaks a limit on a group. Nothing is
            written.
    """
    _check_status(ledger.cycle(cycle_id))
    proposal = propose(cycle_id, ledger=ledger)
    # A name that is given twice counts once.
    signers = tuple(dict.fromkeys((by, *signed_by)))
    rules = ledger.rules(cycle_id)
    if len(signers) < rules.signatures:
        raise NotReadyError(
            "signatures_missing", needed=rules.signatures, count=len(signers), signers=signers
        )
    below = proposal.to_explain
    verdicts = check_decision(ledger.cycle(cycle_id), proposal, overrides, waiver)
    with ledger.write(cycle_id) as tx:
        cycle = tx.cycle
        _check_status(cycle)
        # The proposal was made before the lock; one more score may have changed who is on it.
        if cycle.position.seq != proposal.sheet.position:
            raise NotReadyError("score_came_meanwhile")
        if cycle.status is CycleStatus.PROPOSED:
            tx.record(EventType.ENDED, {"reason": cycle.stop_reason or "staff"})
        cancel_pulls(tx, tx.open_pulls(), why="finalized")
        version = cycle.cohort_version + 1
        # From here on a drawn seed may be known.
        tx.insert_proposal(proposal.places, replace(proposal.sheet, seed=tx.rules().seed))
        tx.insert_outcomes(
            version,
            [
                Outcome(application=a, verdict=verdict, by=by, reason=reason, at=tx.now)
                for a, (verdict, reason) in sorted(verdicts.items())
            ],
        )
        for signer in signers:
            tx.insert_signature(version, by=signer, role="chair")
        if waiver is not None:
            for place in below:
                tx.insert_waiver(version, place.application, waiver)
        tx.record(EventType.FINALIZED, {"version": version})
        tx.set_cohort_version(version)
        tx.set_status(CycleStatus.FINALIZED, stop_reason=cycle.stop_reason or "staff")
    return proposal


def check_decision(
    cycle: Cycle, proposal: Proposal, overrides: Sequence[Override], waiver: Waiver | None
) -> dict[int, tuple[Verdict, str]]:
    """Return the outcome of each application, and why; writes nothing.

    Raises:
        CycleFinalizedError, NotReadyError, InvalidInputError: As `finalize` does.
    """
    _check_status(cycle)
    below = [place for place in proposal.places if place.floor_missing]
    if below and waiver is None:
        raise InvalidInputError(_below_floor(below))
    # A decision other than the proposed one has a reason of its own.
    decided = {override.external_id for override in overrides}
    above = [p.external_id for p in proposal.out_above_cut if p.external_id not in decided]
    if above and waiver is None:
        raise InvalidInputError("out_above_cut", count=len(above), applicants=above[:SHOWN_BELOW])
    verdicts = _verdicts(proposal, overrides)
    _check_limits(proposal, verdicts)
    return verdicts


def reopen(cycle_id: str, *, names: Collection[str], reason: str, ledger: CycleReads) -> int:
    """Reopen a final list for another version; the old one stays on record.

    Held letters to applicants are withdrawn, with the offers that they announce.

    Args:
        cycle_id: The cycle.
        names: Two different people.
        reason: Why; must be given.
        ledger: The ledger.

    Returns:
        The number of the version that the next finalize will store.
    """
    if len(set(names)) < 2 or not reason.strip():  # noqa: PLR2004 - two pairs of eyes
        raise InvalidInputError("reopening_names_missing")
    with ledger.write(cycle_id) as tx:
        cycle = tx.cycle
        if cycle.status is not CycleStatus.FINALIZED:
            raise NotReadyError("cycle_not_finalized", cycle=cycle_id, status=cycle.status)
        if waiting := sum(one.is_open for one in tx.reconsiderations()):
            raise ConflictError("reconsiderations_open", cycle=cycle_id, applicants=waiting)
        for announcement in tx.announcements():
            # A letter that still waits would announce a list that is open again.
            if announcement.held:
                withdraw(tx, announcement, by=" and ".join(sorted(names)))
        tx.record(EventType.REOPENED, {"version": cycle.cohort_version + 1})
        tx.set_status(CycleStatus.ENDED, stop_reason=cycle.stop_reason or "staff")
        tx.note(subject=f"reopening of {cycle_id}", by=" and ".join(sorted(names)), text=reason)
        return cycle.cohort_version + 1


def _check_status(cycle: Cycle) -> None:
    if cycle.status is CycleStatus.FINALIZED:
        raise CycleFinalizedError(
            "cycle_finalized_version", cycle=cycle.id, version=cycle.cohort_version
        )
    if cycle.status not in {CycleStatus.PROPOSED, CycleStatus.ENDED}:
        raise NotReadyError("cycle_not_ended", cycle=cycle.id, status=cycle.status)


def _below_floor(below: Sequence[Place]) -> Message:
    lacking = [
        Message(
            "lacks_reviews",
            applicant=place.external_id,
            kinds=[
                Message("lacks_of_kind", count=count, kind=kind)
                for kind, count in place.floor_missing.items()
            ],
        )
        for place in below
    ]
    if len(below) <= SHOWN_BELOW:
        return Message("below_floor", count=len(below), applicants=lacking)
    return Message(
        "below_floor_more",
        count=len(below),
        applicants=lacking[:SHOWN_BELOW],
        more=len(below) - SHOWN_BELOW,
    )


def _verdicts(proposal: Proposal, overrides: Sequence[Override]) -> dict[int, tuple[Verdict, str]]:
    """Return the outcomes: as proposed, except for the overrides."""
    size = len(proposal.cohort)
    numbers = {place.external_id: place.application for place in proposal.places}
    verdicts: dict[int, tuple[Verdict, str]] = {}
    for place in proposal.places:
        selected = place.standing is Standing.COHORT
        kept = place.application in proposal.promised
        verdicts[place.application] = (
            Verdict.SELECTED if selected or kept else Verdict.WAITLISTED,
            "was promised a place before" if kept and not selected else "as proposed",
        )
    for override in overrides:
        if override.external_id not in numbers:
            raise InvalidInputError("not_a_candidate", applicant=override.external_id)
        if not override.reason.strip():
            raise InvalidInputError("override_reason_missing", applicant=override.external_id)
        if numbers[override.external_id] in proposal.promised:
            raise InvalidInputError("was_offered_a_place", applicant=override.external_id)
        verdicts[numbers[override.external_id]] = (override.verdict, override.reason)
    selected_now = sum(v is Verdict.SELECTED for v, _ in verdicts.values())
    # Applicants with an offer stay, in addition to those proposed in their place.
    most = size + len(proposal.promised - {place.application for place in proposal.cohort})
    if proposal.fewest is not None:
        most += proposal.sheet.cohort_size - size
        if not proposal.fewest <= selected_now <= most:
            raise InvalidInputError(
                "selected_outside_range",
                selected=selected_now,
                fewest=proposal.fewest,
                most=proposal.sheet.cohort_size,
            )
    elif not size <= selected_now <= most:
        raise InvalidInputError("selected_more_than_places", selected=selected_now, places=size)
    return verdicts


def _check_limits(proposal: Proposal, verdicts: Mapping[int, tuple[Verdict, str]]) -> None:
    """Raise if the decision breaks a limit of the rules, which can be changed with a reason."""
    chosen = [number for number, (verdict, _) in verdicts.items() if verdict is Verdict.SELECTED]
    broken = [limit.said_of(chosen) for limit in proposal.limits if limit.broken_by(chosen)]
    if not broken:
        return
    cure = Message("limits_broken_cure")
    if proposal.sheet.given_way:
        cure = Message("limits_given_way", changes=proposal.sheet.given_way)
    raise InfeasibleError("limits_broken", limits=broken, cure=cure)
