"""Step 8, finalize: the rule proposes, people decide, and the record says which was which."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from swapflow.bandit.oracles.oracle import Oracle
from swapflow.bandit.situation import FloatArray, IntArray, Look
from swapflow.bandit.ties import rounded
from swapflow.domain.cohort.proposal import (
    GroupLimit,
    MethodSheet,
    Outcome,
    Place,
    Proposal,
    Standing,
    Verdict,
    Waiver,
)
from swapflow.domain.cycle import Cycle, CycleStatus, Position
from swapflow.domain.event import EventType
from swapflow.domain.rules import Estimates, FloorFor, RuleName, Rules
from swapflow.engine.coordination.coordinator import last_fit
from swapflow.engine.coordination.dispatch import cancel_pulls
from swapflow.engine.offers.announcements import withdraw
from swapflow.engine.offers.offers import promised
from swapflow.engine.ports import Ledger
from swapflow.engine.read_models.sensitivity import one_score_away
from swapflow.engine.read_models.snapshot import Belief, Folds, Snapshot
from swapflow.engine.selection.decide import look_now, versions
from swapflow.engine.selection.list_objective import choice, members_of
from swapflow.engine.selection.ranking import ranking
from swapflow.errors import (
    ConflictError,
    CycleFinalizedError,
    InfeasibleError,
    InvalidInputError,
    NotReadyError,
)


STOP_SENTENCES = {
    "certified": (
        "The marks received so far separate the list from every alternative, within the stated "
        "tolerance and under the stated assumptions."
    ),
    "settled": "Further reviews were no longer expected to change the list by a stated amount.",
    "budget": "The budget was used up.",
    "deadline": "The deadline had come.",
    "exhausted": "Nobody was left who could be asked about those still too close to call.",
    "staff": "Staff ended the round.",
}

ANOTHER_LIST = (
    "The marks as they were given separated a list of their own from every alternative; this list "
    "is by adjusted estimates, and that promise is not about it."
)

ASSUMPTIONS = (
    "Under the stated assumptions (independent marks, spread {sigma}, comparable reviewers) the "
    "proposed list's score is within {loss} of the highest obtainable, with probability "
    "{confidence}. This is about marks, not merit."
)

NO_PROMISE = (
    "The rule `budget` promises no bound on its own; the number above is the most that the list "
    "could still gain under the stated assumptions. This is about marks, not merit."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Override:
    """A person's decision against the proposal, with the reason."""

    external_id: str
    verdict: Verdict
    reason: str


def stop_sentence(rules: Rules, reason: str) -> str:
    """Say why no more was asked for, in one sentence."""
    if reason == "certified" and rules.estimates is Estimates.ADJUSTED:
        return ANOTHER_LIST
    return STOP_SENTENCES.get(reason, "The round is still running.")


def propose(cycle_id: str, *, ledger: Ledger, folds: Folds | None = None) -> Proposal:
    """Make the list that the rule proposes at this moment; writes nothing.

    Args:
        cycle_id: The cycle.
        ledger: The ledger.
        folds: What was folded before; without it the whole cycle is read from its first event.

    Raises:
        NotReadyError: If the cycle was not launched.
    """
    with (folds or Folds()).at_head(cycle_id, ledger=ledger) as seen:
        seen.require_launched()
        belief = seen.belief(ledger=ledger)
        names = {n.number: (n.external_id, n.name) for n in ledger.named(cycle_id)}
        unit = next(r.unit for r in ledger.rounds() if r.id == seen.cycle.round_id)
        made = choice(seen.book, belief.sight.application)
        limits = _limits(seen, belief)
        rules = seen.book.rules
        return Proposal(
            cycle_id=cycle_id,
            version=seen.cycle.cohort_version + 1,
            places=_places(seen, belief, names, _tied(rules, belief.look, made.oracle)),
            sheet=replace(
                _sheet(seen, belief, unit),
                limits=_said(limits, belief),
                given_way=made.given_way,
            ),
            limits=limits,
            fewest=rules.fewest_places if rules.fewest_places < rules.cohort_size else None,
            promised=promised(ledger.offers(cycle_id)) | _added(cycle_id, seen, ledger=ledger),
            near=one_score_away(rules, belief, made.oracle),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Among:
    """Where the rule puts certain applications, and up to which event it looked."""

    places: tuple[Place, ...]
    limits: tuple[GroupLimit, ...]
    position: Position


def places_among(
    cycle_id: str, numbers: Collection[int], *, ledger: Ledger, folds: Folds | None = None
) -> Among:
    """Say where the rule puts applications now, were exactly these the candidates.

    So a list can be made again as if nobody had left since, and with scores that came later.
    """
    with (folds or Folds()).at_head(cycle_id, ledger=ledger) as seen:
        names = {n.number: (n.external_id, n.name) for n in ledger.named(cycle_id)}
        with seen.book.with_candidates(numbers):
            fitted = last_fit(ledger, cycle_id)
            sight, look, _ = look_now(seen.book, seen.arms, fitted=fitted)
            belief = Belief(sight=sight, look=look, order=ranking(seen.book, sight, look))
            oracle = choice(seen.book, sight.application).oracle
            return Among(
                places=_places(seen, belief, names, _tied(seen.book.rules, look, oracle)),
                limits=_limits(seen, belief),
                position=seen.arms.position,
            )


def finalize(
    cycle_id: str,
    *,
    by: str,
    signed_by: Sequence[str] = (),
    overrides: Sequence[Override] = (),
    waiver: Waiver | None = None,
    ledger: Ledger,
) -> Proposal:
    """Fix the cohort: store proposal, outcomes by people, signatures and waivers in one piece.

    Args:
        cycle_id: The cycle; its stop must be proposed, or it must have ended.
        by: Who decides.
        signed_by: Further people who sign; with `by` at least as many as the rules ask for.
        overrides: Where people decide otherwise than proposed. The cohort's size must stay.
        waiver: Accepts that those below a floor stay there.
        ledger: The ledger.

    Returns:
        The proposal as stored; outcomes differ from it where overrides say so.

    Raises:
        CycleFinalizedError: If the cohort is fixed already.
        NotReadyError: If the cycle is still running, or too few people signed.
        InvalidInputError: If somebody is below a floor and there is no waiver, or the overrides do
            not fit; InfeasibleError if the list breaks a limit on a group. Nothing is written.
    """
    _check_status(ledger.cycle(cycle_id))
    proposal = propose(cycle_id, ledger=ledger)
    signers = tuple(dict.fromkeys((by, *signed_by)))
    rules = ledger.rules(cycle_id)
    if len(signers) < rules.signatures:
        raise NotReadyError(
            f"the rules ask for {rules.signatures} signatures, {len(signers)} given "
            f"({', '.join(signers)}): name the others with --signed-by"
        )
    below = [place for place in proposal.places if place.floor_missing]
    verdicts = check_decision(ledger.cycle(cycle_id), proposal, overrides, waiver)
    with ledger.write(cycle_id) as tx:
        cycle = tx.cycle
        _check_status(cycle)
        if cycle.position.seq != proposal.sheet.position:
            raise NotReadyError("a score came in while the list was made; finalize again")
        if cycle.status is CycleStatus.PROPOSED:
            tx.record(EventType.ENDED, {"reason": cycle.stop_reason or "staff"})
        cancel_pulls(tx, tx.open_pulls(), why="finalized")
        version = cycle.cohort_version + 1
        tx.insert_proposal(proposal.places, proposal.sheet)
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
    """Give what people decide about each application, and why; writes nothing.

    Raises:
        CycleFinalizedError, NotReadyError, InvalidInputError: As `finalize` does.
    """
    _check_status(cycle)
    below = [place for place in proposal.places if place.floor_missing]
    if below and waiver is None:
        raise InvalidInputError(_below_floor(below))
    verdicts = _verdicts(proposal, overrides)
    _check_limits(proposal, verdicts)
    return verdicts


def reopen(cycle_id: str, *, names: Collection[str], reason: str, ledger: Ledger) -> int:
    """Start another version of a fixed cohort; the old one stays on record.

    Letters to applicants that are still held are taken back, with the offers they tell of.

    Args:
        cycle_id: The cycle.
        names: Two different people.
        reason: Why; must be given.
        ledger: The ledger.

    Returns:
        The number of the version that the next finalize will store.
    """
    if len(set(names)) < 2 or not reason.strip():  # noqa: PLR2004 - two pairs of eyes
        raise InvalidInputError(
            "reopening a cohort needs two different names and a reason: --by A --by B --reason …"
        )
    with ledger.write(cycle_id) as tx:
        cycle = tx.cycle
        if cycle.status is not CycleStatus.FINALIZED:
            raise NotReadyError(f"cycle {cycle_id!r} is {cycle.status.value}, not finalized")
        if waiting := sum(one.is_open for one in tx.reconsiderations()):
            raise ConflictError(
                f"open reconsiderations in {cycle_id!r}: {waiting}; conclude them or take them "
                "back, then reopen the whole list"
            )
        for announcement in tx.announcements():
            if announcement.held:
                withdraw(tx, announcement, by=" and ".join(sorted(names)))
        tx.record(EventType.REOPENED, {"version": cycle.cohort_version + 1})
        tx.set_status(CycleStatus.ENDED, stop_reason=cycle.stop_reason or "staff")
        tx.note(subject=f"reopening of {cycle_id}", by=" and ".join(sorted(names)), text=reason)
        return cycle.cohort_version + 1


def _check_status(cycle: Cycle) -> None:
    if cycle.status is CycleStatus.FINALIZED:
        raise CycleFinalizedError(
            f"cycle {cycle.id!r} is finalized (version {cycle.cohort_version}); "
            "`swapflow cycle reopen` starts another version"
        )
    if cycle.status not in {CycleStatus.PROPOSED, CycleStatus.ENDED}:
        raise NotReadyError(
            f"cycle {cycle.id!r} is {cycle.status.value}; `swapflow cycle stop {cycle.id}` "
            "ends it first"
        )


def _added(cycle_id: str, seen: Snapshot, *, ledger: Ledger) -> frozenset[int]:
    """Give whom a reconsideration put on the list, as far as they still want the place."""
    answers = {offer.application: offer for offer in ledger.offers(cycle_id)}
    return frozenset(
        one.application
        for one in ledger.reconsiderations(cycle_id)
        if one.closing is not None
        and one.adds
        and seen.book.statuses[one.application].is_candidate
        and (
            (last := answers.get(one.application)) is None
            or last.answer.stands
            or last.version < one.closing.version
        )
    )


def _below_floor(below: Sequence[Place]) -> str:
    listing = "\n".join(
        f"  {place.external_id}: lacks "
        + ", ".join(f"{count} of kind {kind!r}" for kind, count in place.floor_missing.items())
        for place in below[:20]
    )
    more = "" if len(below) <= 20 else f"\n  and {len(below) - 20} more"  # noqa: PLR2004
    return (
        f"{len(below)} applications are below a floor; waive it with --waive REASON, or let the "
        f"reviews come in:\n{listing}{more}"
    )


def _verdicts(proposal: Proposal, overrides: Sequence[Override]) -> dict[int, tuple[Verdict, str]]:
    """What people decide: as proposed, except where they say otherwise."""
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
            raise InvalidInputError(f"{override.external_id!r} is not a candidate of this cycle")
        if not override.reason.strip():
            raise InvalidInputError(f"deciding {override.external_id!r} otherwise needs a reason")
        if numbers[override.external_id] in proposal.promised:
            raise InvalidInputError(
                f"{override.external_id!r} was offered a place, and nobody is told otherwise"
            )
        verdicts[numbers[override.external_id]] = (override.verdict, override.reason)
    selected_now = sum(v is Verdict.SELECTED for v, _ in verdicts.values())
    # Those who were told stay, beside whoever is proposed instead of them.
    most = size + len(proposal.promised - {place.application for place in proposal.cohort})
    if proposal.fewest is not None:
        most += proposal.sheet.cohort_size - size
        if not proposal.fewest <= selected_now <= most:
            raise InvalidInputError(
                f"{selected_now} would be selected, and the rules want {proposal.fewest} to "
                f"{proposal.sheet.cohort_size}"
            )
    elif not size <= selected_now <= most:
        raise InvalidInputError(
            f"{selected_now} would be selected for {size} places: for everyone put in, "
            "leave somebody out"
        )
    return verdicts


def _check_limits(proposal: Proposal, verdicts: Mapping[int, tuple[Verdict, str]]) -> None:
    """Refuse a decision that breaks a limit of the rules; those can be changed, with reason."""
    chosen = [number for number, (verdict, _) in verdicts.items() if verdict is Verdict.SELECTED]
    broken = [limit.said_of(chosen) for limit in proposal.limits if limit.broken_by(chosen)]
    if not broken:
        return
    cure = "choose others, or change the limits in the rules"
    if proposal.sheet.given_way:
        cure = "no list keeps to all of them; in the rules, " + "; ".join(proposal.sheet.given_way)
    raise InfeasibleError(f"the list breaks limits of the rules ({'; '.join(broken)}): {cure}")


def _limits(seen: Snapshot, belief: Belief) -> tuple[GroupLimit, ...]:
    application = belief.sight.application
    return tuple(
        GroupLimit(
            title=quota.title,
            applications=frozenset(
                application[
                    members_of(seen.book, quota.attribute, quota.value)[application]
                ].tolist()
            ),
            minimum=quota.minimum,
            maximum=quota.maximum,
            minimum_share=quota.minimum_share,
            maximum_share=quota.maximum_share,
        )
        for quota in seen.book.rules.quotas
    )


def _said(limits: Sequence[GroupLimit], belief: Belief) -> tuple[str, ...]:
    chosen = belief.sight.application[belief.look.cohort].tolist()
    return tuple(limit.said_of(chosen) for limit in limits)


def _places(
    seen: Snapshot, belief: Belief, names: dict[int, tuple[str, str]], tied: set[int]
) -> tuple[Place, ...]:
    rules, sight, look = seen.book.rules, belief.sight, belief.look
    inside = set(look.cohort.tolist())
    contested = set(look.contested.tolist())
    scores = seen.book.scores()
    counts = np.zeros((seen.book.applications, len(rules.kinds)), dtype=np.int64)
    np.add.at(counts, (scores.application, scores.kind), 1)
    closed = seen.book.closed()
    floors = [
        np.array(rules.floor_counts(FloorFor.ALL)),
        np.maximum(rules.floor_counts(FloorFor.ALL), rules.floor_counts(FloorFor.CHOSEN)),
    ]
    places = []
    for rank, arm in enumerate(belief.order.tolist(), start=1):
        number = int(sight.application[arm])
        external_id, name = names[number]
        information = float(sight.situation.information[arm])
        places.append(
            Place(
                application=number,
                external_id=external_id,
                name=name,
                rank=rank,
                standing=Standing.COHORT if arm in inside else Standing.WAITLIST,
                estimate=float(look.estimate[arm]),
                raw_mean=float(sight.situation.mean[arm]) if information else None,
                margin=float(look.radius[arm]),
                evidence=information,
                contested=arm in contested,
                tied=arm in tied,
                pulls={
                    kind.name: int(counts[number, index]) for index, kind in enumerate(rules.kinds)
                },
                floor_missing=_floor_missing(rules, floors[arm in inside] - closed[number]),
            )
        )
    return tuple(places)


def _floor_missing(rules: Rules, lack: IntArray) -> dict[str, int]:
    return {rules.kinds[index].name: int(lack[index]) for index in np.flatnonzero(lack > 0)}


def _tied(rules: Rules, look: Look, oracle: Oracle) -> set[int]:
    """Arms that somebody on the other side of the cut could stand for without any loss."""
    estimate: FloatArray = rounded(look.estimate)
    if not rules.plain:
        losses = oracle.single_exchange_losses(estimate)
        return set(np.flatnonzero(rounded(losses) == 0).tolist())
    last = estimate[look.cohort].min()
    equal = set(np.flatnonzero(estimate == last).tolist())
    return equal if equal - set(look.cohort.tolist()) else set()


def _sheet(seen: Snapshot, belief: Belief, unit: str) -> MethodSheet:
    rules, book, sight, look = seen.book.rules, seen.book, belief.sight, belief.look
    sigma = look.parameters.get("noise_variance", (rules.sigma or 0.0) ** 2) ** 0.5
    reason = seen.cycle.stop_reason or ""
    closed = book.closed().sum(axis=0)
    return MethodSheet(
        cycle_id=seen.cycle.id,
        position=seen.arms.position.seq,
        head_hash=seen.arms.position.hash,
        rules_version=book.rules_version,
        rule=rules.rule.value,
        objective=rules.objective.name,
        cohort_size=rules.cohort_size,
        candidates=sight.application.size,
        seed=rules.seed,
        parameters=look.parameters,
        stop_reason=reason,
        stop_sentence=stop_sentence(rules, reason),
        certified_loss=look.certified_loss,
        expected_loss=None if np.isnan(look.expected_loss) else look.expected_loss,
        certificate=_certificate(rules, look, sigma),
        promises=NO_PROMISE if rules.rule is RuleName.BUDGET else "",
        spent=seen.arms.spent,
        committed=seen.arms.committed,
        budget=rules.budget,
        unit=unit,
        pulls={kind.name: int(closed[i]) for i, kind in enumerate(rules.kinds)},
        decisions=book.decisions,
        versions=versions(),
        estimates=rules.estimates.value,
    )


def _certificate(rules: Rules, look: Look, sigma: float) -> str:
    sentence = ASSUMPTIONS.format(
        sigma=f"{sigma:.3f}" + ("" if rules.sigma is not None else ", estimated from this round"),
        loss=f"{look.certified_loss:.3f}",
        confidence=f"{1 - rules.delta:.2f}",
    )
    if rules.objective.name == "diverse":
        sentence += " For this objective the stop is a heuristic and proves nothing."
    if rules.estimates is Estimates.ADJUSTED and rules.rule is not RuleName.BUDGET:
        sentence += " It is about marks as they were given; the list is by adjusted estimates."
    return sentence
