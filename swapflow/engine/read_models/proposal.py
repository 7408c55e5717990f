"""The list that the rule proposes at one event, with what must be known before it is signed."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from swapflow.bandit.situation import IntArray, Look
from swapflow.domain.cohort.offer import promised
from swapflow.domain.cohort.proposal import (
    DrawnSample,
    GroupLimit,
    MethodSheet,
    Place,
    Proposal,
    Standing,
)
from swapflow.domain.cycle import Cycle, Position
from swapflow.domain.rules import Estimates, FloorFor, RuleName, Rules
from swapflow.engine.ports.decisions import DecisionReads
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.projection.cycle_projection import CycleProjection
from swapflow.engine.read_models.sensitivity import within_one_score
from swapflow.engine.read_models.snapshot import Assessment, Snapshot, SnapshotCache
from swapflow.engine.selection.decide import look_now
from swapflow.engine.selection.list_objective import list_objective, members_of
from swapflow.engine.selection.list_quality import JudgedList, tied_at_cut
from swapflow.engine.selection.ranking import ranking
from swapflow.engine.selection.recorded_look import versions
from swapflow.engine.selection.rule import last_fit
from swapflow.messages import Message


STOP_SENTENCES = {
    "certified": (
        "The marks received so far separate the list from every alternative, within the stated "
        "tolerance and under the stated assumptions."
    ),
    "settled": "Further reviews were no longer expected to change the list by a stated amount.",
    "budget": (
        "What is left of the reviewer time is kept for requests of staff, or is too little for "
        "another review."
    ),
    "deadline": "The deadline had come.",
    "exhausted": "Nobody was left who could be asked about those still too close to call.",
    "staff": "Staff ended the round.",
}


USED_UP = "The budget was used up."
"""A stop for want of budget when nothing of it is left."""

ANOTHER_LIST = (
    "The marks as they were given separated a list of their own from every alternative; this list "
    "is by adjusted estimates, and that promise is not about it."
)


NO_PROMISE = Message("rule_promises_no_bound", rule="`budget`")


def stop_sentence(rules: Rules, cycle: Cycle) -> str:
    """Return in one sentence why no more reviews were requested."""
    reason = cycle.stop_reason or ""
    if reason == "certified" and rules.estimates is Estimates.ADJUSTED:
        return ANOTHER_LIST
    return stop_sentence_now(rules, cycle, owes=False) or "The round is still running."


def stop_sentence_now(rules: Rules, cycle: Cycle, *, owes: bool) -> str:
    """Return why asking ends, as things are now; "" without a reason.

    Args:
        rules: The rules in force, with the budget.
        cycle: The cycle, with the reason on record and what was paid.
        owes: Whether promised reviews are missing that the free budget cannot pay. Then it is not
            for want of people that nobody else is asked about.
    """
    reason = cycle.stop_reason or ""
    if owes and reason == "exhausted":
        reason = "budget"
    if reason == "budget" and cycle.spent + cycle.committed > rules.budget - 1e-9:
        return USED_UP
    return STOP_SENTENCES.get(reason, "")


def propose(
    cycle_id: str,
    *,
    ledger: Ledger,
    snapshots: SnapshotCache | None = None,
    judging: bool = True,
) -> Proposal:
    """Build the list that the rule proposes at this moment; writes nothing.

    Args:
        cycle_id: The cycle.
        ledger: The ledger.
        snapshots: Cached snapshots; without them the whole cycle is read from its first event.
        judging: Whether to compute how good the list is by the model, which may take draws.

    Raises:
        NotReadyError: If the cycle was not launched.
    """
    with (snapshots or SnapshotCache()).at_head(cycle_id, ledger=ledger) as seen:
        seen.require_launched()
        assessment = seen.assessment(ledger=ledger)
        unit = next(r.unit for r in ledger.rounds() if r.id == seen.cycle.round_id)
        made = list_objective(seen.projection, assessment.situation.application)
        limits = _limits(seen, assessment)
        rules = seen.projection.rules
        # Who is too close decides about a floor and a draw: a list with these is always judged.
        promises = rules.promises_close or rules.drawn_check is not None
        judged = seen.judged(ledger=ledger) if judging or promises else None
        tied = tied_at_cut(rules, assessment.look, made.oracle)
        # Names change without an event that a snapshot folds, so their digest belongs to the key.
        key = (ledger.names_digest(cycle_id), judged)
        places = seen.places(
            key, lambda: _places(seen, assessment, _named(cycle_id, ledger), tied, judged)
        )
        drawn = drawn_sample(seen.projection, places)
        return Proposal(
            cycle_id=cycle_id,
            version=seen.cycle.cohort_version + 1,
            places=places,
            sheet=replace(
                _sheet(seen, assessment, unit, judged),
                limits=_said(limits, assessment),
                given_way=made.given_way,
                drawn=drawn.sentence if drawn else "",
            ),
            limits=limits,
            fewest=rules.fewest_places if rules.fewest_places < rules.cohort_size else None,
            # Both keep their places, whatever the rule proposes now.
            promised=promised(ledger.offers(cycle_id)) | _added(cycle_id, seen, ledger=ledger),
            near=within_one_score(rules, assessment, made.oracle),
            promises_close=rules.promises_close,
            close_checks=tuple(_close_checks(seen, judged)),
            drawn=drawn,
        )


def drawn_sample(projection: CycleProjection, places: Sequence[Place]) -> DrawnSample | None:
    """Return what became of those drawn from the clearly out; None where the rules draw none.

    Where no draw was made, it is about those whom the seed would draw from this list.
    """
    check, made = projection.rules.drawn_check, projection.drawn
    if check is None and not made.took_place:
        return None
    numbers, read = made.now, made.read(projection.open)
    if check is not None and not made.took_place:
        ready = projection.ready()
        out = [
            (p.application, projection.ties[p.application])
            for p in places
            if p.standing is not Standing.COHORT and not p.too_close and ready[p.application]
        ]
        out = [one for one in out if one[0] not in projection.pins]
        numbers = check.draw(projection.rules.seed, out).drawn
    sample = DrawnSample(took_place=made.took_place, numbers=numbers, read=read, places=())
    return sample.on(places)


@dataclass(frozen=True, slots=True, kw_only=True)
class Among:
    """The places of certain applications by the rule, and the event that they include."""

    places: tuple[Place, ...]
    limits: tuple[GroupLimit, ...]
    position: Position


def places_among(
    cycle_id: str,
    numbers: Collection[int],
    *,
    ledger: Ledger,
    snapshots: SnapshotCache | None = None,
) -> Among:
    """Return the places of applications by the rule, if exactly these were the candidates.

    So a list can be built again as if no applicant had left since, and with later scores.
    """
    with (snapshots or SnapshotCache()).at_head(cycle_id, ledger=ledger) as seen:
        names = _named(cycle_id, ledger)
        # People who left since count again: the comparison is with the list as it was made.
        with seen.projection.with_candidates(numbers):
            fitted = last_fit(ledger, cycle_id)
            situation, look, _ = look_now(seen.projection, seen.arms, fitted=fitted)
            assessment = Assessment(
                situation=situation, look=look, order=ranking(seen.projection, situation, look)
            )
            oracle = list_objective(seen.projection, situation.application).oracle
            return Among(
                places=_places(
                    seen, assessment, names, tied_at_cut(seen.projection.rules, look, oracle), None
                ),
                limits=_limits(seen, assessment),
                position=seen.arms.position,
            )


def _added(cycle_id: str, seen: Snapshot, *, ledger: DecisionReads) -> frozenset[int]:
    """Return the applications that a reconsideration added and that still want the place."""
    answers = {offer.application: offer for offer in ledger.offers(cycle_id)}
    return frozenset(
        one.application
        for one in ledger.reconsiderations(cycle_id)
        if one.closing is not None
        and one.adds
        and seen.projection.statuses[one.application].is_candidate
        and (
            (last := answers.get(one.application)) is None
            or last.answer.stands
            # An answer to an offer made before the reconsideration is not about this place.
            or last.version < one.closing.version
        )
    )


def _limits(seen: Snapshot, assessment: Assessment) -> tuple[GroupLimit, ...]:
    application = assessment.situation.application
    return tuple(
        GroupLimit(
            title=quota.title,
            applications=frozenset(
                application[
                    members_of(seen.projection, quota.attribute, quota.value)[application]
                ].tolist()
            ),
            minimum=quota.minimum,
            maximum=quota.maximum,
            minimum_share=quota.minimum_share,
            maximum_share=quota.maximum_share,
        )
        for quota in seen.projection.rules.quotas
    )


def _said(limits: Sequence[GroupLimit], assessment: Assessment) -> tuple[str, ...]:
    chosen = assessment.situation.application[assessment.look.cohort].tolist()
    return tuple(limit.said_of(chosen) for limit in limits)


def _named(cycle_id: str, ledger: Ledger) -> dict[int, tuple[str, str]]:
    return {n.number: (n.external_id, n.name) for n in ledger.named(cycle_id)}


def _places(
    seen: Snapshot,
    assessment: Assessment,
    names: dict[int, tuple[str, str]],
    tied: set[int],
    judged: JudgedList | None,
) -> tuple[Place, ...]:
    rules, situation, look = seen.projection.rules, assessment.situation, assessment.look
    inside = set(look.cohort.tolist())
    contested = set(look.contested.tolist())
    scores = seen.projection.scores()
    counts = np.zeros((seen.projection.applications, len(rules.kinds)), dtype=np.int64)
    # Not `+=`, which counts an application with two scores of a kind once.
    np.add.at(counts, (scores.application, scores.kind), 1)
    closed = seen.projection.closed()
    floors = [
        np.array(rules.floor_counts(FloorFor.ALL)),
        np.maximum(rules.floor_counts(FloorFor.ALL), rules.floor_counts(FloorFor.CHOSEN)),
    ]
    for_close = np.array(rules.floor_counts(FloorFor.CLOSE))
    # Most have what is promised to any: what they lack is not worked out one by one.
    is_short = (closed < np.maximum(floors[1], for_close)).any(axis=1)
    places = []
    for rank, arm in enumerate(assessment.order.tolist(), start=1):
        number = int(situation.application[arm])
        external_id, name = names[number]
        information = float(situation.situation.information[arm])
        floor = floors[arm in inside]
        if judged is not None and judged.too_close[arm]:
            floor = np.maximum(floor, for_close)
        places.append(
            Place(
                application=number,
                external_id=external_id,
                name=name,
                rank=rank,
                standing=Standing.COHORT if arm in inside else Standing.WAITLIST,
                estimate=float(look.estimate[arm]),
                raw_mean=float(situation.situation.mean[arm]) if information else None,
                margin=float(look.radius[arm]),
                evidence=information,
                contested=arm in contested,
                tied=arm in tied,
                pulls={
                    kind.name: int(counts[number, index]) for index, kind in enumerate(rules.kinds)
                },
                floor_missing=_floor_missing(rules, floor - closed[number])
                if is_short[number]
                else {},
                likely=None if judged is None else float(judged.quality.likely[arm]),
                close=None if judged is None else bool(judged.too_close[arm]),
            )
        )
    return tuple(places)


def _close_checks(seen: Snapshot, judged: JudgedList | None) -> Iterator[Message]:
    """List what those too close to call have where more is promised, by kind and number."""
    if judged is None:
        return
    rules = seen.projection.rules
    closed = seen.projection.closed()[judged.application[judged.too_close]]
    for kind, floor in enumerate(rules.floor_counts(FloorFor.CLOSE)):
        have = closed[:, kind][closed[:, kind] < floor]
        for number, count in zip(*np.unique(have, return_counts=True), strict=True):
            yield Message(
                "close_below_floor",
                count=int(count),
                have=int(number),
                kind=rules.kinds[kind].name,
                promised=floor,
            )


def _floor_missing(rules: Rules, lack: IntArray) -> dict[str, int]:
    return {rules.kinds[index].name: int(lack[index]) for index in np.flatnonzero(lack > 0)}


def _sheet(
    seen: Snapshot, assessment: Assessment, unit: str, judged: JudgedList | None
) -> MethodSheet:
    rules, projection, situation, look = (
        seen.projection.rules,
        seen.projection,
        assessment.situation,
        assessment.look,
    )
    # `budget` fits the spread of marks; the other rules state it.
    sigma = look.parameters.get("noise_variance", (rules.sigma or 0.0) ** 2) ** 0.5
    reason = seen.cycle.stop_reason or ""
    closed = projection.closed().sum(axis=0)
    quality = None if judged is None else judged.quality
    return MethodSheet(
        cycle_id=seen.cycle.id,
        position=seen.arms.position.seq,
        head_hash=seen.arms.position.hash,
        rules_version=projection.rules_version,
        rule=rules.rule.value,
        objective=rules.objective.name,
        cohort_size=rules.cohort_size,
        candidates=situation.application.size,
        seed=rules.shown_seed,
        seed_digest=rules.seed_digest,
        parameters=look.parameters,
        stop_reason=reason,
        stop_sentence=stop_sentence(rules, seen.cycle),
        certified_loss=look.certified_loss,
        expected_loss=None if quality is None else quality.expected_loss,
        expected_loss_range=None if quality is None else quality.loss_range,
        belong=None if quality is None else quality.belong,
        belong_range=None if quality is None else quality.belong_range,
        contested=int(look.contested.size),
        close=None
        if judged is None
        else tuple(sorted(judged.application[judged.too_close].tolist())),
        certificate=_certificate(rules, look, sigma),
        promises=NO_PROMISE if rules.rule is RuleName.BUDGET else "",
        spent=seen.arms.spent,
        committed=seen.arms.committed,
        budget=rules.budget,
        unit=unit,
        pulls={kind.name: int(closed[i]) for i, kind in enumerate(rules.kinds)},
        decisions=projection.decisions,
        versions=dict(versions()),
        estimates=rules.estimates.value,
    )


def _certificate(rules: Rules, look: Look, sigma: float) -> str:
    code = "sigma_estimated" if rules.sigma is None else "sigma_stated"
    sentences = [
        Message(
            "assumptions",
            sigma=Message(code, sigma=sigma),
            loss=look.certified_loss,
            confidence=1 - rules.delta,
        )
    ]
    if rules.objective.name == "diverse":
        sentences.append(Message("heuristic_stop"))
    if rules.estimates is Estimates.ADJUSTED and rules.rule is not RuleName.BUDGET:
        sentences.append(Message("about_raw_marks"))
    return Message("sentences", sentences=sentences)
