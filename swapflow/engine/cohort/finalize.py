"""Step 8, finalize: the rule proposes, people decide, and both are on record."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

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
from swapflow.domain.seal import Seal
from swapflow.engine.ports.cycles import CycleReads
from swapflow.engine.ports.writes.transaction import Transaction
from swapflow.engine.selection.pulls import cancel_pulls
from swapflow.errors import (
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


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionAuthors:
    """Who made a decision what it is, beside those who sign it.

    Attributes:
        prepared_by: Who prepared it for signature, or decided without others.
        recorded: Who recorded an outcome at a meeting, by application.
    """

    prepared_by: str
    recorded: Mapping[int, str] = field(default_factory=dict)

    def of(self, application: int) -> str:
        """Return who recorded the outcome of an application."""
        return self.recorded.get(application, self.prepared_by)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkedOutDecision:
    """A decision that was worked out and can be fixed.

    Attributes:
        signers: Everybody who signs, in order.
        authors: Who prepared it, and who recorded outcomes.
        verdicts: Outcome and reason, by application.
        waiver: Accepts that some applications are below a floor.
    """

    proposal: Proposal
    signers: tuple[str, ...]
    verdicts: Mapping[int, tuple[Verdict, str]]
    authors: DecisionAuthors
    waiver: Waiver | None

    @property
    def seal(self) -> Seal:
        """The digest of the list that people were shown and decide about."""
        return self.proposal.seal


def work_out(
    cycle_id: str,
    proposal: Proposal,
    *,
    by: str,
    signed_by: Sequence[str] = (),
    authors: DecisionAuthors | None = None,
    overrides: Sequence[Override] = (),
    waiver: Waiver | None = None,
    ledger: CycleReads,
) -> WorkedOutDecision:
    """Work out a decision about a proposed list; writes nothing.

    Args:
        cycle_id: The cycle; its stop must be proposed, or it must have ended.
        proposal: The list as it was proposed.
        by: Who decides, and signs.
        authors: Who prepared the decision and recorded outcomes, where others did.
        signed_by: Further people who sign; with `by` at least as many as the rules require.
        overrides: Decisions that differ from the proposal. The cohort's size must stay.
        waiver: Accepts that some applications are below a floor, or drawn and unread.
        ledger: The ledger.

    Raises:
        CycleFinalizedError: If the list is final already.
        NotReadyError: If the cycle is still running, or too few people signed.
        InvalidInputError: If an application is below a floor, or the drawn check is incomplete,
            and there is no waiver, or the overrides do not fit; InfeasibleError if the list
            breaks a limit on a group.
    """
    cycle = ledger.cycle(cycle_id)
    _check_status(cycle)
    # A name that is given twice counts once.
    signers = tuple(dict.fromkeys((by, *signed_by)))
    rules = ledger.rules(cycle_id)
    if len(signers) < rules.signatures:
        raise NotReadyError(
            "signatures_missing", needed=rules.signatures, count=len(signers), signers=signers
        )
    return WorkedOutDecision(
        proposal=proposal,
        signers=signers,
        authors=authors or DecisionAuthors(prepared_by=by),
        verdicts=check_decision(cycle, proposal, overrides, waiver),
        waiver=waiver,
    )


def fix_list(tx: Transaction, decision: WorkedOutDecision) -> Proposal:
    """Make the list final: store proposal, outcomes, signatures and waivers.

    To be called by `confirm`, which sees to it that nothing has changed since it was worked out.

    Returns:
        The proposal as stored; outcomes differ from it by the overrides.
    """
    cycle, proposal = tx.cycle, decision.proposal
    if cycle.status is CycleStatus.PROPOSED:
        tx.record(EventType.ENDED, {"reason": cycle.stop_reason or "staff"})
    cancel_pulls(tx, tx.open_pulls(), why="finalized")
    version = cycle.cohort_version + 1
    # From here on a drawn seed may be known.
    tx.insert_proposal(proposal.places, replace(proposal.sheet, seed=tx.rules().seed))
    tx.insert_outcomes(
        version,
        [
            Outcome(
                application=a,
                verdict=verdict,
                by=decision.authors.of(a),
                reason=reason,
                at=tx.now,
                prepared_by=decision.authors.prepared_by,
            )
            for a, (verdict, reason) in sorted(decision.verdicts.items())
        ],
    )
    for signer in decision.signers:
        tx.insert_signature(version, by=signer, role="chair")
    if decision.waiver is not None:
        for place in proposal.to_explain:
            tx.insert_waiver(version, place.application, decision.waiver)
    tx.record(EventType.FINALIZED, {"version": version})
    tx.set_cohort_version(version)
    tx.set_status(CycleStatus.FINALIZED, stop_reason=cycle.stop_reason or "staff")
    # What else was prepared about this list can be signed no more.
    tx.drop_prepared()
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
    drawn = proposal.drawn
    if drawn is not None and not drawn.complete and waiver is None:
        raise InvalidInputError("draw_incomplete", what=drawn.sentence)
    verdicts = _verdicts(proposal, overrides)
    _check_limits(proposal, verdicts)
    return verdicts


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
