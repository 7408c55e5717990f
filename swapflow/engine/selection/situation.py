"""What a rule sees, from projection and live state: candidates' arrays in canonical order.

Arms are handed to the rule in the order of their tie keys, so sums, ties and decisions do not
depend on the order in which applications arrived or a file was sorted.
"""

import hashlib
from dataclasses import dataclass, replace

import numpy as np

from swapflow.bandit.estimation.posterior import NO_REVIEWER
from swapflow.bandit.situation import UNSCORED_MEAN, PullKind, Scores, Situation, no_scores
from swapflow.domain.fixed_point import GAIN_SCALE, VALUE_SCALE
from swapflow.domain.rules import FloorFor
from swapflow.engine.ports.live_state import Arms
from swapflow.engine.projection.cycle_projection import CycleProjection
from swapflow.engine.projection.people_events import PAIR
from swapflow.engine.projection.score_table import NO_ONE, Integers


@dataclass(frozen=True, slots=True, kw_only=True)
class CycleSituation:
    """A situation, and the way back from its indices to applications.

    Attributes:
        situation: What may be asked for over the whole rest of the cycle.
        application: Application number of each arm of the situation, shape (n,).
        floors_missing: Floor pulls that candidates still lack, shape (n, kinds).
        reserved: Cost kept back for those floors, for the chosen, for a draw and for staff.
        for_chosen: What of it is for the chosen; for_staff: what of it is for staff; for_draw:
            what of it is for those who are drawn.
        spent: Cost spent; committed: cost reserved for open pulls.
        digest: SHA-256 over the integers that all this was made from.
    """

    situation: Situation
    application: Integers
    floors_missing: Integers
    reserved: int
    for_chosen: int
    for_staff: int
    for_draw: int
    spent: int
    committed: int
    digest: str


def candidates(projection: CycleProjection) -> Integers:
    """Return the numbers of the candidates, in the order that decides ties."""
    numbers = projection.candidates()
    ties = np.array(projection.ties, dtype=np.int64)
    return numbers[np.lexsort((numbers, ties[numbers]))]


def situation_of(projection: CycleProjection, arms: Arms) -> CycleSituation:
    """Build the situation of a cycle; `arms` and projection must be at the same position."""
    rules = projection.rules
    application = candidates(projection)
    numerator, information, pending = (
        _padded(column, projection.applications)[application]
        for column in (arms.numerator, arms.information, arms.pending)
    )
    given = projection.given()[application]
    closed = projection.closed()[application]
    kinds = tuple(PullKind(cost=kind.cost, gain=kind.gain) for kind in rules.kinds)
    ready = projection.ready()[application]
    floors_missing = _floors_missing(projection, given, ready)
    for_floors = cost_of(projection, floors_missing)
    for_chosen, for_staff = _for_chosen(projection, given), _for_staff(projection)
    for_draw = _for_draw(projection, application.size)
    reserved = for_floors + for_chosen + for_staff + for_draw
    settled_numerator, settled_information = _settled(projection)
    # The settled mean leaves out scores dispatched after one that is still open: quick answers
    # differ from slow ones, and the paper's rule must not stop on the quick ones.
    situation = Situation(
        mean=_mean(numerator, information),
        information=information / GAIN_SCALE,
        pending=pending / GAIN_SCALE,
        settled_mean=_mean(settled_numerator[application], settled_information[application]),
        settled_information=settled_information[application] / GAIN_SCALE,
        kinds=kinds,
        allowed=_allowed(projection, application, given, closed, ready),
        kind_left=_kind_left(projection),
        budget_left=float(rules.budget - arms.spent - arms.committed - reserved),
        cost=(arms.spent + arms.committed) / rules.kinds[0].cost,
        scores=_scores(projection, application),
        practice=_practice(projection, application.size),
        lowest=0.0,
        highest=1.0,
    )
    digest = hashlib.sha256()
    # Little-endian 64-bit integers on every machine, so that a replay elsewhere finds the same
    # hash.
    for column in (numerator, information, pending, given, closed, projection.out()[application]):
        digest.update(np.ascontiguousarray(column, dtype="<i8").tobytes())
    digest.update(
        f"{arms.spent} {arms.committed} {projection.rules_version} {rules.seed}".encode()
    )
    return CycleSituation(
        situation=situation,
        application=application,
        floors_missing=floors_missing,
        reserved=reserved,
        for_chosen=for_chosen,
        for_staff=for_staff,
        for_draw=for_draw,
        spent=arms.spent,
        committed=arms.committed,
        digest=digest.hexdigest(),
    )


def eligible_counts(projection: CycleProjection, application: Integers, kind: int) -> Integers:
    """Count, per application, the reviewers who may still be asked for one pull of a kind.

    Counted are active reviewers with capacity left for the kind who are neither in conflict nor
    were asked before; of an application with a panel, its members alone, if any serves the kind.
    """
    room = np.array([facts.room(kind) > 0 for facts in projection.reviewers], dtype=bool)
    if not room.any():
        return np.zeros(application.size, dtype=np.int64)
    counts = np.full(projection.applications, int(room.sum()), dtype=np.int64)
    barred_application, barred_reviewer = projection.barred_pairs()
    barred = room[barred_reviewer]
    counts -= np.bincount(barred_application[barred], minlength=projection.applications)
    if projection.panels:
        _restrict_to_panels(projection, counts, kind, room)
    return counts[application]


def _restrict_to_panels(
    projection: CycleProjection, counts: Integers, kind: int, room: np.ndarray
) -> None:
    """Count only panel members for applications whose panel serves the kind."""
    panel_application, panel_reviewer = projection.panel_pairs()
    serves = np.array([kind in facts.capacity for facts in projection.reviewers], dtype=bool)
    restricted = np.unique(panel_application[serves[panel_reviewer]])
    barred_application, barred_reviewer = projection.barred_pairs()
    free = room[panel_reviewer] & ~np.isin(
        panel_application * PAIR + panel_reviewer, barred_application * PAIR + barred_reviewer
    )
    members = np.bincount(panel_application[free], minlength=projection.applications)
    counts[restricted] = members[restricted]


def _padded(column: Integers, size: int) -> Integers:
    """Extend a column of the live state to one entry per application; those never asked have 0."""
    padded = np.zeros(size, dtype=np.int64)
    padded[: column.size] = column
    return padded


def _mean(numerator: Integers, information: Integers) -> np.ndarray:
    """Compute information-weighted means in [0, 1]; `UNSCORED_MEAN` where there is no score."""
    mean = np.full(numerator.size, UNSCORED_MEAN)
    scored = information > 0
    mean[scored] = numerator[scored] / (information[scored] * VALUE_SCALE)
    return mean


def _settled(projection: CycleProjection) -> tuple[Integers, Integers]:
    """Sum each application's scores up to the first one still open, in dispatch order."""
    table = projection.scores()
    early = table.rank < projection.first_out()[table.application]
    application, n = table.application[early], projection.applications
    numerator, information = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    np.add.at(numerator, application, table.numerator[early])
    np.add.at(information, application, table.information[early])
    return numerator, information


def _scores(projection: CycleProjection, application: Integers) -> Scores:
    """Return the candidates' scores, in the order of the situation's arms."""
    table = projection.scores()
    arm_of = np.full(projection.applications, -1, dtype=np.int64)
    arm_of[application] = np.arange(application.size)
    arm = arm_of[table.application]
    order = np.argsort(arm, kind="stable")
    order = order[arm[order] >= 0]
    mark = table.numerator / (table.information * VALUE_SCALE)
    return Scores(
        arm=arm[order],
        reviewer=_severity_of(projection)[table.reviewer[order]],
        kind=table.kind[order],
        mark=mark[order],
    )


def _severity_of(projection: CycleProjection) -> Integers:
    """Map each reviewer to the one whose severity is taken out of their marks."""
    # A mark without one reviewer has no severity to take out.
    named = [NO_REVIEWER if facts.unnamed else i for i, facts in enumerate(projection.reviewers)]
    assert NO_ONE == -1, "the last entry serves panels"
    return np.array([*named, NO_REVIEWER], dtype=np.int64)


def _practice(projection: CycleProjection, candidates: int) -> Scores:
    """Return the marks of practice files as those of arms behind the candidates, if they count."""
    if not (projection.rules.practice_marks and projection.practice):
        return no_scores()
    file, reviewer, value = np.array(projection.practice, dtype=np.int64).T
    # Practice files are read as the first kind is, which is the measure of all others.
    return Scores(
        arm=candidates + file,
        reviewer=_severity_of(projection)[reviewer],
        kind=np.zeros(file.size, dtype=np.int64),
        mark=value / VALUE_SCALE,
    )


def _floors_missing(projection: CycleProjection, given: Integers, ready: np.ndarray) -> Integers:
    """Count the floor pulls for everyone that ready applications still lack."""
    floors = np.array(projection.rules.floor_counts(FloorFor.ALL), dtype=np.int64)
    missing: Integers = np.maximum(floors[None, :] - given, 0)
    missing[~ready] = 0
    return missing


def cost_of(projection: CycleProjection, pulls: Integers) -> int:
    """Sum the cost of these pulls per application and kind, shape (n, kinds)."""
    costs = np.array([kind.cost for kind in projection.rules.kinds], dtype=np.int64)
    return int((pulls.sum(axis=0) * costs).sum())


def chosen_lack(projection: CycleProjection, chosen: Integers) -> Integers:
    """Count the pulls that these applications lack if they are the chosen ones, (m, kinds)."""
    floors = np.array(projection.rules.floor_counts(FloorFor.CHOSEN), dtype=np.int64)
    lack: Integers = np.maximum(floors[None, :] - projection.given()[chosen], 0)
    return lack


def keeping_for(
    cohort: Integers, projection: CycleProjection, arms: Arms, situation: CycleSituation
) -> CycleSituation:
    """Reserve what the best cohort still lacks, now that a look has named it."""
    lacking = cost_of(projection, chosen_lack(projection, situation.application[cohort]))
    reserved = situation.reserved - situation.for_chosen + lacking
    left = float(projection.rules.budget - arms.spent - arms.committed - reserved)
    return replace(
        situation,
        situation=replace(situation.situation, budget_left=left),
        reserved=reserved,
        for_chosen=lacking,
    )


def _for_chosen(projection: CycleProjection, given: Integers) -> int:
    """Sum the cost reserved for the floors of the chosen, before it is known who they are."""
    rules, cost = projection.rules, 0
    for kind, count in enumerate(rules.floor_counts(FloorFor.CHOSEN)):
        if count:
            served = int(np.minimum(given[:, kind], count).sum())
            cost += max(0, rules.cohort_size * count - served) * rules.kinds[kind].cost
    return cost


def to_draw(projection: CycleProjection, candidates: int | None = None) -> int:
    """Count the reviews that a drawn check is still to ask for.

    Until the draw is made it is not known how many are clearly out: it is taken to be all for
    whom there is no place, so that rather too much is kept.

    Args:
        projection: The cycle's structure.
        candidates: How many can be in the cohort, where that is known already.
    """
    rules, drawn = projection.rules, projection.drawn
    if rules.drawn_check is None:
        return 0
    if not drawn.took_place:
        there = projection.candidates().size if candidates is None else candidates
        return rules.drawn_check.count(max(0, there - rules.fewest_places))
    served = drawn.read(projection.open) | drawn.out_now(projection.open)
    return sum(number not in served for number in drawn.now)


def _for_draw(projection: CycleProjection, candidates: int) -> int:
    """Return the cost reserved for those who are drawn and were not asked about."""
    return to_draw(projection, candidates) * projection.rules.kinds[0].cost


def _for_staff(projection: CycleProjection) -> int:
    """Return the cost reserved for what staff may still request."""
    return max(0, int(projection.rules.reserve * projection.rules.budget) - projection.staff_cost)


def _allowed(
    projection: CycleProjection,
    application: Integers,
    given: Integers,
    closed: Integers,
    ready: np.ndarray,
) -> Integers:
    """Return how many more pulls of each kind each arm may get, reviewers permitting."""
    rules = projection.rules
    allowed = np.zeros_like(given)
    for kind, limits in enumerate(rules.kinds):
        reviewers = eligible_counts(projection, application, kind) // limits.seats
        left = np.minimum(np.maximum(limits.maximum - given[:, kind], 0), reviewers)
        if limits.requires:
            done = closed[:, rules.kind_index(limits.requires)] >= limits.requires_count
            left = np.where(done, left, 0)
        allowed[:, kind] = np.where(ready, left, 0)
    if projection.struck:
        refused = np.array(sorted(projection.struck), dtype=np.int64)
        everyone = np.zeros((projection.applications, len(rules.kinds)), dtype=bool)
        everyone[refused[:, 0], refused[:, 1]] = True
        allowed[everyone[application]] = 0
    return allowed


def _kind_left(projection: CycleProjection) -> Integers:
    """Return how many more pulls of each kind the whole cycle may open."""
    given = projection.given().sum(axis=0)
    unlimited = np.iinfo(np.int64).max
    return np.array(
        [
            unlimited if kind.total is None else max(0, kind.total - int(given[i]))
            for i, kind in enumerate(projection.rules.kinds)
        ],
        dtype=np.int64,
    )
