"""Why an applicant was asked about: each pull with the decision that chose it."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from swapflow.domain.reviewing.assignment import Assignment, PullReason
from swapflow.domain.reviewing.score import Score
from swapflow.domain.rules import FloorFor, Rules
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.overview import OverviewReads
from swapflow.engine.ports.records import ApplicantName, DecisionRecord
from swapflow.engine.read_models.estimate_way import EstimateWay, way_of
from swapflow.engine.read_models.people.known_decisions import KnownDecisions
from swapflow.engine.read_models.snapshot import Snapshot, SnapshotCache
from swapflow.errors import NotFoundError


@dataclass(frozen=True, slots=True, kw_only=True)
class PullExplanation:
    """Why one review of an application was requested, and its result.

    Attributes:
        why: Its reason as on record (`PullReason`).
        origin: The same, and for a floor the rule that promised it (`origin_of`).
        reviewer: The reviewer's id; `reviewer_number` is their number in the cycle.
        due_at: None where the kind has no due date.
        answered_at: When the score that is in force came; None before.
    """

    request: str
    kind: str
    why: str
    origin: str
    decision: int
    priority: float | None
    contested_then: bool
    in_list_then: bool
    status: str
    reviewer: str
    score: float | None
    counts: bool
    reason: str
    reviewer_number: int
    asked_at: datetime
    due_at: datetime | None
    answered_at: datetime | None

    @property
    def floor(self) -> FloorFor | None:
        """Whom the rules promise such a review; None where no floor did, or it is not known."""
        return next((who for who, origin in FLOOR_ORIGINS.items() if origin == self.origin), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Everything about one application that answers "why?".

    Attributes:
        too_close: Whether it is too close to call.
        likely: Probability, by the model, of being among the best; None without a rank.
        places: Places of the program: how many the best are.
        way: The way from the mean of the marks to the estimate; None where that is the mean.
    """

    external_id: str
    name: str
    status: str
    rank: int | None
    in_list: bool
    estimate: float | None
    margin: float | None
    evidence: float
    too_close: bool
    likely: float | None
    places: int
    way: EstimateWay | None
    asked: tuple[PullExplanation, ...]


def explain(
    cycle_id: str,
    external_id: str,
    *,
    ledger: Ledger,
    snapshots: SnapshotCache | None = None,
    decisions: KnownDecisions | None = None,
) -> Explanation:
    """Explain why an application was asked about, and its place; `snapshots` as for `propose`.

    Of decisions those alone are read that are not among `decisions`.

    Raises:
        NotFoundError: If the cycle has no such application.
    """
    with (snapshots or SnapshotCache()).at_head(cycle_id, ledger=ledger) as seen:
        application = _called(cycle_id, external_id, ledger=ledger)
        number = application.number
        standing = _standing(seen, number, ledger=ledger)
        places = seen.projection.rules.cohort_size
        way = way_of(seen, number, ledger=ledger)
    return Explanation(
        external_id=external_id,
        name=application.name,
        status=application.status.value,
        rank=standing[0],
        in_list=standing[1],
        estimate=standing[2],
        margin=standing[3],
        evidence=standing[4],
        too_close=standing[5],
        likely=standing[6],
        places=places,
        way=way,
        asked=asked_about(cycle_id, number, ledger=ledger, decisions=decisions),
    )


def asked_about(
    cycle_id: str, number: int, *, ledger: Ledger, decisions: KnownDecisions | None = None
) -> tuple[PullExplanation, ...]:
    """Explain why each review of an application was requested, and its result.

    Only rows of that application are read, however long the cycle is; of decisions those alone
    that are not among the `decisions` read before.
    """
    with ledger.one_moment():
        rules = ledger.rules(cycle_id)
        reviewers = {r.number: r.external_id for r in ledger.reviewers(cycle_id)}
        pulls = {pull.id: pull for pull in ledger.pulls(cycle_id, application=number)}
        made = (decisions or KnownDecisions()).numbered(
            cycle_id, {p.decision for p in pulls.values()}, ledger=ledger
        )
        latest: dict[str, Score] = {}
        for score in ledger.scores(cycle_id, application=number):
            latest[score.assignment_id] = score
        return tuple(
            _asked(
                assignment,
                kind=rules.kinds[assignment.kind].name,
                why=pulls[assignment.pull_id].why.value,
                record=made.get(pulls[assignment.pull_id].decision),
                rules=rules,
                reviewer=reviewers[assignment.reviewer],
                score=latest.get(assignment.id),
            )
            for assignment in ledger.assignments(cycle_id, application=number)
        )


def _called(cycle_id: str, external_id: str, *, ledger: OverviewReads) -> ApplicantName:
    found = ledger.named(cycle_id, external_id=external_id) if external_id else ()
    if found:
        return found[0]
    raise NotFoundError("application_not_in_cycle", cycle=cycle_id, applicant=external_id)


def _asked(
    assignment: Assignment,
    *,
    kind: str,
    why: str,
    record: DecisionRecord | None,
    rules: Rules,
    reviewer: str,
    score: Score | None,
) -> PullExplanation:
    key = (assignment.application, assignment.kind, assignment.ordinal)
    pick = next((p for p in record.picks if p[:3] == key), None) if record else None
    return PullExplanation(
        request=assignment.id,
        kind=kind,
        why=why,
        origin=origin_of(why, record, assignment.application, assignment.kind, rules),
        decision=record.number if record else 0,
        # A decision records priorities in billionths: integers are equal or not in a replay.
        priority=pick[3] / 1e9 if pick else None,
        contested_then=record is not None and assignment.application in record.contested,
        in_list_then=record is not None and assignment.application in record.cohort,
        status=assignment.status.value,
        reviewer=reviewer,
        score=score.value / 1e6 if score else None,
        counts=bool(score and score.counts),
        reason=score.reason if score else "",
        reviewer_number=assignment.reviewer,
        asked_at=assignment.created_at,
        due_at=assignment.due_at,
        answered_at=score.submitted_at if score else None,
    )


def _standing(
    seen: Snapshot, number: int, *, ledger: Ledger
) -> tuple[int | None, bool, float | None, float | None, float, bool, float | None]:
    if not seen.projection.statuses[number].is_candidate or not seen.arms.information.any():
        return None, False, None, None, 0.0, False, None
    assessment = seen.assessment(ledger=ledger)
    situation, look = assessment.situation, assessment.look
    arm = int((situation.application == number).argmax())
    rank = int((assessment.order == arm).argmax()) + 1
    judged = seen.judged(ledger=ledger)
    assert judged is not None, "there is a score"
    return (
        rank,
        arm in look.cohort,
        float(look.estimate[arm]),
        float(look.radius[arm]),
        float(situation.situation.information[arm]),
        bool(judged.too_close[arm]),
        float(judged.quality.likely[arm]),
    )


# What a request comes from


FLOOR_ORIGINS = {who: f"{PullReason.FLOOR.value} {who.value}" for who in FloorFor}
"""The origins of requests that a floor promises, by whom the floor protects."""


def origin_of(
    why: str, record: DecisionRecord | None, application: int, kind: int, rules: Rules
) -> str:
    """Return why a request was made; for a floor, which of the rules promised it.

    Args:
        why: The reason on record (`PullReason`).
        record: The decision that made it; None for none.
        application: Whom it is about.
        kind: The kind's index.
        rules: The rules.

    Returns:
        The reason, or one of `FLOOR_ORIGINS`; "floor" alone where no decision is on record.
    """
    if why != PullReason.FLOOR.value or record is None:
        return why
    # What everybody gets is asked for before there is a list. Decisions about the others know
    # who was on the list then, and the rest was too close to call.
    if not record.cohort:
        return FLOOR_ORIGINS[FloorFor.ALL]
    is_chosen = application in record.cohort and rules.floor_counts(FloorFor.CHOSEN)[kind] > 0
    return FLOOR_ORIGINS[FloorFor.CHOSEN if is_chosen else FloorFor.CLOSE]


def origins_of(record: DecisionRecord, rules: Rules) -> Iterable[str]:
    """Return the origins of a decision's requests, each once."""
    return dict.fromkeys(
        origin_of(record.why, record, application, kind, rules)
        for application, kind, *_ in record.picks
    )
