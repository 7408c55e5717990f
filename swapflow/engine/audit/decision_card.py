"""A decision card: everything about one applicant that answers "why?", in one place."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime

from swapflow.domain.cohort.proposal import MethodSheet, Outcome, Place, Standing
from swapflow.domain.reviewing.score import ScoreDetails
from swapflow.domain.rules import Estimates, Rubric, RuleName, Rules
from swapflow.engine.audit.withheld import withheld_of
from swapflow.engine.ports.decisions import DecisionReads
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.reviewer_tasks import ReviewerTasks
from swapflow.engine.read_models.calibration import Calibration
from swapflow.engine.read_models.estimate_way import EstimateWay, estimate_way
from swapflow.engine.read_models.explanation import Explanation, PullExplanation, explain
from swapflow.engine.read_models.proposal import propose
from swapflow.engine.read_models.snapshot import SnapshotCache


SAME = 1e-8
"""Estimates this close are the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardMark:
    """A mark on one criterion, with its meaning in the rubric; None is "not applicable"."""

    criterion: str
    mark: float | None
    most: float | None
    meaning: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CardReview:
    """One requested review, with its reason and result.

    Attributes:
        reviewer: A number on this card, from 1, unless reviewers are to be named.
        why: floor, rule, staff, appeal or late, as on record.
        origin: The same, and for a floor whom the rules promise it: all, chosen or close.
        close_then: Whether the applicant was too close to call at the request.
        score: In [0, 1], None while there is none.
        counts: Whether the score enters the estimate; `reason` says why it does not.
    """

    kind: str
    reviewer: str
    why: str
    origin: str
    decision: int
    close_then: bool
    in_list_then: bool
    status: str
    answered_at: datetime | None
    score: float | None
    counts: bool
    reason: str
    marks: tuple[CardMark, ...]
    remark: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CardStanding:
    """The applicant's place on a list, and by how much.

    Attributes:
        rank: From 1, of `candidates`; the list has `places`.
        estimate: In [0, 1]; the list was made by it.
        margin: Added to it and subtracted from it for the interval.
        evidence: Reviews it rests on, in units of one review of the first kind.
        mean: Mean of the marks as given, weighted by information; None without one.
        estimates: The chosen estimates: "rule", "raw" or "adjusted".
        raw: Estimate with nothing taken out, and adjusted: with severity and generosity taken
            out; both None unless one of them was chosen.
        cut: The estimate next to the applicant's on the other side of the cut; None without one.
        way: The steps from the mean of the marks to the estimate; None where they are not known,
            as of a list that was made before further marks came.
    """

    rank: int
    candidates: int
    places: int
    proposed: bool
    estimate: float
    margin: float
    evidence: float
    cut: float | None
    too_close: bool
    tied: bool
    mean: float | None = None
    estimates: str = "rule"
    raw: float | None = None
    adjusted: float | None = None
    way: EstimateWay | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CardDecision:
    """The decision of people.

    Attributes:
        by: As stored: who recorded it; in lists of earlier releases the last who signed.
        recorded_by: Who recorded it, in a meeting or where the list was prepared; "" where that is
            not on record.
        prepared_by: Who prepared the list; "" where that is not on record.
    """

    verdict: str
    by: str
    recorded_by: str
    prepared_by: str
    reason: str
    at: datetime
    signed_by: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CardReconsideration:
    """One reconsideration of the application.

    Attributes:
        result: added, waitlisted, stays, withdrawn or undone; "" while it is open.
        fresh: Fresh reviews received, of `reviews` requested.
        before: The estimate before; None for an applicant who was no candidate then. Both in [0,
            1].
    """

    asked_on: date
    reason: str
    reviews: int
    fresh: int
    result: str
    before: float | None
    after: float | None
    at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A decision card.

    Attributes:
        version: Version of the final list; 0 while there is none.
        standing: None before the first score, and for those who are no candidates.
        decided: None until people have decided.
        stop: Why no more reviews were requested, in one sentence.
        promise: What the rule promises about the whole list, in its own words; "" for nothing.
        withheld: Names of confidential documents and fields that the card says it leaves out.
    """

    cycle: str
    cycle_name: str
    applicant: str
    name: str
    status: str
    version: int
    standing: CardStanding | None
    decided: CardDecision | None
    reviews: tuple[CardReview, ...]
    rule: str
    objective: str
    stop: str
    promise: str
    at: datetime
    reconsidered: tuple[CardReconsideration, ...] = ()
    withheld: tuple[str, ...] = ()


def card(
    cycle_id: str,
    external_id: str,
    *,
    ledger: Ledger,
    snapshots: SnapshotCache | None = None,
    name_reviewers: bool = False,
    calibrated: Calibration | None = None,
) -> Card:
    """Build the decision card of one applicant, for the final list or the present one.

    Args:
        cycle_id: The cycle.
        external_id: The applicant.
        ledger: The ledger.
        snapshots: Cached snapshots.
        calibrated: Raw and adjusted estimates, where one of them was chosen.
        name_reviewers: Whether to name reviewers by id; else they are numbers on the card.

    Raises:
        NotFoundError: If the cycle has no such applicant.
    """
    found = explain(cycle_id, external_id, ledger=ledger, snapshots=snapshots)
    number = next(n.number for n in ledger.named(cycle_id) if n.external_id == external_id)
    rules, cycle = ledger.rules(cycle_id), ledger.cycle(cycle_id)
    places, sheet = _list(cycle_id, found, ledger=ledger, snapshots=snapshots)
    fixed = cycle.cohort_version
    standing = _compared(_standing(places, number), number, sheet, calibrated)
    if standing is not None and found.rank is not None:
        way = estimate_way(cycle_id, number, ledger=ledger, snapshots=snapshots)
        standing = _explained(standing, way)
    return Card(
        cycle=cycle_id,
        cycle_name=cycle.name,
        applicant=external_id,
        name=found.name,
        status=found.status,
        version=fixed,
        standing=standing,
        decided=_decided(cycle_id, number, fixed, ledger=ledger) if fixed else None,
        reviews=tuple(_reviews(found.asked, rules, ledger=ledger, named=name_reviewers)),
        rule=rules.rule.value,
        objective=rules.objective.name,
        stop=sheet.stop_sentence if sheet else "",
        promise=sheet.certificate if sheet and rules.rule is not RuleName.BUDGET else "",
        at=ledger.now(),
        reconsidered=tuple(_reconsidered(cycle_id, number, ledger=ledger)),
        withheld=withheld_of(cycle_id, number, rules, ledger=ledger),
    )


def _reconsidered(
    cycle_id: str, number: int, *, ledger: DecisionReads
) -> Iterable[CardReconsideration]:
    for one in ledger.reconsiderations(cycle_id):
        if one.application == number:
            closing = one.closing
            yield CardReconsideration(
                asked_on=one.new.asked_on,
                reason=one.new.reason,
                reviews=one.new.reviews,
                fresh=closing.received if closing else 0,
                result=closing.result.value if closing else "",
                before=closing.before if closing else None,
                after=closing.after if closing else None,
                at=one.closed_at,
            )


def _list(
    cycle_id: str, found: Explanation, *, ledger: Ledger, snapshots: SnapshotCache | None
) -> tuple[Sequence[Place], MethodSheet | None]:
    """Return the latest final list, or the present proposal."""
    stored = ledger.proposals(cycle_id)
    if stored:
        _, places, sheet = stored[-1]
        return places, sheet
    if found.rank is None:
        return (), None
    proposal = propose(cycle_id, ledger=ledger, snapshots=snapshots)
    return proposal.places, proposal.sheet


def _standing(places: Sequence[Place], number: int) -> CardStanding | None:
    place = next((p for p in places if p.application == number), None)
    if place is None:
        return None
    inside = [p for p in places if p.standing is Standing.COHORT]
    outside = [p for p in places if p.standing is not Standing.COHORT]
    proposed = place.standing is Standing.COHORT
    other = max((p.estimate for p in outside), default=None)
    if not proposed:
        other = min((p.estimate for p in inside), default=None)
    return CardStanding(
        rank=place.rank,
        candidates=len(places),
        places=len(inside),
        proposed=proposed,
        estimate=place.estimate,
        margin=place.margin,
        evidence=place.evidence,
        cut=other,
        too_close=place.too_close,
        tied=place.tied,
        mean=place.raw_mean,
    )


def _compared(
    standing: CardStanding | None,
    number: int,
    sheet: MethodSheet | None,
    calibrated: Calibration | None,
) -> CardStanding | None:
    """Add raw and adjusted estimates beside the one that the list was made by."""
    if standing is None or sheet is None:
        return standing
    standing = replace(standing, estimates=sheet.estimates)
    row = (
        next((r for r in calibrated.rows if r.application == number), None) if calibrated else None
    )
    if row is None or sheet.estimates == Estimates.RULE:
        return standing
    own = row.raw if sheet.estimates == Estimates.RAW else row.adjusted
    # For a list made before further scores came, only its own estimate is on record.
    if abs(own - standing.estimate) > SAME:
        return standing
    return replace(standing, raw=row.raw, adjusted=row.adjusted)


def _explained(standing: CardStanding, way: EstimateWay | None) -> CardStanding:
    """Add the steps to the estimate, unless they lead to another than the list was made by."""
    if way is None or abs(way.estimate - standing.estimate) > SAME:
        return standing
    return replace(standing, way=way)


def _decided(
    cycle_id: str, number: int, version: int, *, ledger: DecisionReads
) -> CardDecision | None:
    outcomes: dict[int, Outcome] = {
        outcome.application: outcome for outcome in ledger.outcomes(cycle_id, version)
    }
    outcome = outcomes.get(number)
    if outcome is None:
        return None
    return CardDecision(
        verdict=outcome.verdict.value,
        by=outcome.by,
        recorded_by=_recorder(cycle_id, outcome, version, ledger=ledger),
        prepared_by=outcome.prepared_by or "",
        reason=outcome.reason,
        at=outcome.at,
        signed_by=tuple(by for by, _ in ledger.signatures(cycle_id, version)),
    )


def _recorder(cycle_id: str, outcome: Outcome, version: int, *, ledger: DecisionReads) -> str:
    if outcome.prepared_by is not None:
        return outcome.by
    # Earlier releases stored the last signer; a meeting's minutes know who recorded it.
    meeting = ledger.meeting(cycle_id, version)
    said = meeting.words.get(outcome.application) if meeting else None
    return said.by if said and said.word.verdict is not None else ""


def _reviews(
    asked: Iterable[PullExplanation], rules: Rules, *, ledger: ReviewerTasks, named: bool
) -> Iterable[CardReview]:
    numbers: dict[str, int] = {}
    for one in asked:
        given = ledger.given(one.request) if one.score is not None else None
        number = numbers.setdefault(one.reviewer, len(numbers) + 1)
        yield CardReview(
            kind=one.kind,
            reviewer=one.reviewer if named else str(number),
            why=one.why,
            origin=one.origin,
            decision=one.decision,
            close_then=one.contested_then,
            in_list_then=one.in_list_then,
            status=one.status,
            answered_at=given.score.submitted_at if given else None,
            score=one.score,
            counts=one.counts,
            reason=one.reason,
            marks=_marks(given, rules) if given else (),
            remark=given.remark if given else "",
        )


def _marks(given: ScoreDetails, rules: Rules) -> tuple[CardMark, ...]:
    """Return marks with their meaning, by the rubric in force when the review was opened."""
    kind = rules.kinds[given.score.kind].name
    version = given.score.rubric_version
    rubric = next((r for r in rules.rubrics if (r.kind, r.version) == (kind, version)), None)
    return tuple(
        CardMark(
            criterion=criterion,
            mark=mark,
            most=_most(rubric, criterion),
            meaning=_meaning(rubric, criterion, mark),
        )
        for criterion, mark in given.marks.items()
    )


def _scale(rubric: Rubric | None, criterion: str) -> tuple[tuple[float, str], ...]:
    criteria = rubric.criteria if rubric else ()
    return next((c.marks for c in criteria if c.name == criterion), ())


def _most(rubric: Rubric | None, criterion: str) -> float | None:
    return max((mark for mark, _ in _scale(rubric, criterion)), default=None)


def _meaning(rubric: Rubric | None, criterion: str, mark: float | None) -> str:
    return next((text for value, text in _scale(rubric, criterion) if value == mark), "")
