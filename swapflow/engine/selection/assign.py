"""Step 3, assign: which reviewer takes each pull.

An assignment problem: every seat goes to a reviewer who may take it (capacity, packet, conflicts,
panel, nobody twice on one application), experts on the topic first, then the least loaded, then,
where the rules ask for it, reviewers who link groups that share no applicant so far. Solved
exactly for a few hundred seats at a time (Jonker-Volgenant, `scipy.optimize`); each seat left over
when slots run short is listed with the reason.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from swapflow.engine.projection.cycle_projection import CycleProjection
from swapflow.engine.projection.pull_events import PullKey
from swapflow.engine.projection.roster_facts import RosterEntry
from swapflow.engine.selection.reviewer_overlap import ReviewerOverlap


Floats = NDArray[np.float64]

CHUNK = 200
"""Seats placed at a time: small enough to be fast, large enough to be near the optimum."""

FORBIDDEN = 1e9
WRONG_TOPIC = 1e4
ASKED_BEFORE = 5e4
"""Price of a reviewer whose earlier request ended without a review: others come first."""

NOT_IN_RESERVE = 1e5
"""Price of a reviewer outside the reserve in a reconsideration."""

SECOND_PULL = 10.0
"""Price of one more open assignment of a reviewer, against a tie-break of less than 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seat:
    """One seat to fill: (application, kind, ordinal) and the seat's number, from 1."""

    application: int
    kind: int
    ordinal: int
    seat: int = 1


class NoReviewer(StrEnum):
    """Why no reviewer can take a seat, each with its remedy."""

    NO_REVIEWER = "no reviewer takes this kind; import one, or change the rules"
    CONFLICTS = "every reviewer of this kind is in conflict or was asked before; add a reviewer"
    CAPACITY = "reviewers without conflict have no capacity left; raise it or add a reviewer"
    AWAY = "reviewers without conflict are away; wait, or change their absences"
    BUSY = "reviewers without conflict have a full packet; wait for their answers"

    @property
    def passes(self) -> bool:
        """Whether it goes away by itself."""
        return self in {NoReviewer.AWAY, NoReviewer.BUSY}


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """The reviewer of each seat, and why some seats are left over."""

    taken: dict[Seat, int]
    left: dict[Seat, NoReviewer]


def place(seats: Sequence[Seat], projection: CycleProjection, *, new: bool = False) -> Placement:
    """Assign reviewers to as many seats as slots allow; earlier seats first when slots are short.

    Args:
        seats: In the order of their importance.
        projection: The cycle; unchanged.
        new: Whether all of these are for a draw: only reviewers who were never asked about an
            application may read it. Of open requests the projection knows it.

    Returns:
        The reviewer's number for each seat that could be filled. The same projection and seats
        give the same reviewers, in whatever order applications and reviewers were imported.
    """
    asked = _asked(seats, projection, new=new)
    matching = _Matching(projection, asked)
    taken: dict[Seat, int] = {}
    # Later kinds have fewer reviewers, so they go first. A pass holds an application only once:
    # all of its seats, in one pull or several, need different reviewers.
    passes: dict[tuple[bool, int, int, int], list[Seat]] = {}
    turns: Counter[tuple[int, int, int]] = Counter()
    for seat in seats:
        own = (seat.application, seat.kind, seat.seat)
        reconsideration = projection.is_appeal(_pull_of(seat))
        passes.setdefault((reconsideration, -seat.kind, seat.seat, turns[own]), []).append(seat)
        turns[own] += 1
    for _, same in sorted(passes.items(), key=itemgetter(0)):
        for start in range(0, len(same), CHUNK):
            taken |= matching.fill(same[start : start + CHUNK])
    left = {
        seat: obstacle(seat, projection, asked=asked.get(seat, ()))
        for seat in seats
        if seat not in taken
    }
    return Placement(taken=taken, left=left)


def slots_now(projection: CycleProjection, kind: int) -> int:
    """Count the seats of a kind that could be assigned now."""
    return sum(_slots(facts, kind, projection.rules.packet) for facts in projection.reviewers)


def out_target(projection: CycleProjection) -> int:
    """Return how many pulls rolling dispatch keeps open (W): the rules' number, or the packets."""
    rules = projection.rules
    if rules.out is not None:
        return rules.out
    present = [
        facts
        for facts in projection.reviewers
        if facts.active and not facts.away and not facts.reserve
    ]
    packets = sum(
        rules.packet if facts.packet is None else facts.packet
        for facts in present
        if facts.packet is not None or not facts.automatic
    )
    unpaced = any(facts.automatic and facts.packet is None for facts in present)
    return packets + (rules.batch if unpaced else 0)


def obstacle(
    seat: Seat, projection: CycleProjection, *, asked: Collection[int] = ()
) -> NoReviewer:
    """Return why no reviewer can take a seat now; `asked` may not, since they know the file."""
    reconsideration = projection.is_appeal(_pull_of(seat))
    serving = [
        (number, facts)
        for number, facts in enumerate(projection.reviewers)
        if facts.serves(seat.kind, reconsideration=reconsideration)
    ]
    if not serving:
        return NoReviewer.NO_REVIEWER
    panel = _panel(projection, seat.application, seat.kind)
    neutral = [
        facts
        for number, facts in serving
        if not projection.is_barred(seat.application, number)
        and number not in asked
        and _sits(projection, panel, number, reconsideration=reconsideration)
    ]
    if not neutral:
        return NoReviewer.CONFLICTS
    with_room = [
        facts for facts in neutral if facts.room(seat.kind, reconsideration=reconsideration) > 0
    ]
    if not with_room:
        return NoReviewer.CAPACITY
    if all(facts.away for facts in with_room):
        return NoReviewer.AWAY
    return NoReviewer.BUSY


def may_ask(
    projection: CycleProjection,
    application: int,
    kind: int,
    reviewer: int,
    *,
    reconsideration: bool = False,
    new: bool = False,
) -> bool:
    """Whether a reviewer may get a pull of a kind of an application, packets apart.

    With `new` only one who was never asked about the application.
    """
    if new and reviewer in projection.asked_ever([application])[application]:
        return False
    panel = _panel(projection, application, kind)
    return (
        projection.reviewers[reviewer].room(kind, reconsideration=reconsideration) > 0
        and not projection.is_barred(application, reviewer)
        and _sits(projection, panel, reviewer, reconsideration=reconsideration)
    )


class _Matching:
    """Reviewers' slots while one batch is assigned."""

    def __init__(self, projection: CycleProjection, asked: Mapping[Seat, Collection[int]]) -> None:
        self._book = projection
        self._asked = asked
        self._used: dict[int, set[int]] = {}
        ties = [(facts.tie, number) for number, facts in enumerate(projection.reviewers)]
        self._order = [number for _, number in sorted(ties)]
        self._given = [0] * len(projection.reviewers)
        self._given_kind: dict[tuple[int, int], int] = {}
        self._joining = ReviewerOverlap(projection) if projection.rules.join_reviewers else None

    def fill(self, seats: Sequence[Seat]) -> dict[Seat, int]:
        """Place seats of one kind: with few slots per reviewer if that suffices, else with all."""
        reconsideration = self._book.is_appeal(_pull_of(seats[0]))
        free = self._free(seats[0].kind, reconsideration=reconsideration)
        reviewers = [number for number in self._order if free[number]]
        if not reviewers:
            return {}
        price = self._price(seats, reviewers, reconsideration=reconsideration)
        possible = np.flatnonzero((price < FORBIDDEN).any(axis=1)).tolist()
        if not possible:
            return {}
        price, seats = price[possible], [seats[row] for row in possible]
        # Few slots make a small problem, and the solver's time grows with the cube of its size.
        few = 2 + 2 * len(seats) // len(reviewers)
        taken: dict[Seat, int] = {}
        for most in (few, len(seats)):
            slots = [min(free[number], most) for number in reviewers]
            taken = _solve(seats, reviewers, price, slots)
            if len(taken) == len(seats) or most >= max(free):
                break
        self._note(taken)
        return taken

    def _free(self, kind: int, *, reconsideration: bool) -> list[int]:
        projection = self._book
        free = []
        for number, facts in enumerate(projection.reviewers):
            slots = _slots(facts, kind, projection.rules.packet, reconsideration=reconsideration)
            in_packet = slots - self._given[number]
            room = facts.room(kind, reconsideration=reconsideration)
            in_cycle = room - self._given_kind.get((number, kind), 0)
            free.append(max(0, min(in_packet, in_cycle)))
        return free

    def _price(
        self, seats: Sequence[Seat], reviewers: Sequence[int], *, reconsideration: bool
    ) -> Floats:
        """Return the price of each reviewer's next slot per seat, shape (seats, reviewers)."""
        projection = self._book
        column = {number: index for index, number in enumerate(reviewers)}
        roster = [projection.reviewers[number] for number in reviewers]
        load = [
            sum(facts.load.values()) + self._given[number]
            for facts, number in zip(roster, reviewers, strict=True)
        ]
        price = SECOND_PULL * np.array(load)[None, :] + _chances(projection, seats, roster)
        if reconsideration:
            price += [0.0 if facts.reserve else NOT_IN_RESERVE for facts in roster]
        for row, seat in enumerate(seats):
            topics = projection.topics.get(seat.application)
            if topics:
                price[row] += [0.0 if topics & facts.topics else WRONG_TOPIC for facts in roster]
            panel = _panel(projection, seat.application, seat.kind)
            if panel is not None:
                price[row] += [
                    0.0
                    if _sits(projection, panel, number, reconsideration=reconsideration)
                    else FORBIDDEN
                    for number in reviewers
                ]
            before = projection.asked_before.get(seat.application)
            if before:
                price[row] += [ASKED_BEFORE if number in before else 0.0 for number in reviewers]
            if self._joining is not None:
                price[row] -= self._joining.joins(seat.application, reviewers)
            # The price of a conflict is set last: nothing added above may make a barred pair
            # cheaper.
            used = self._used.get(seat.application, set()).union(self._asked.get(seat, ()))
            barred = [column[r] for r in projection.barred(seat.application) | used if r in column]
            price[row, barred] = FORBIDDEN
        return price

    def _note(self, placed: dict[Seat, int]) -> None:
        for seat, number in placed.items():
            self._used.setdefault(seat.application, set()).add(number)
            if self._joining is not None:
                self._joining.note(seat.application, number)
            self._given[number] += 1
            key = (number, seat.kind)
            self._given_kind[key] = self._given_kind.get(key, 0) + 1


def _solve(
    seats: Sequence[Seat], reviewers: Sequence[int], price: Floats, slots: Sequence[int]
) -> dict[Seat, int]:
    """Place as many seats as the slots allow, at the least price."""
    # Imported here: scipy is half of what a process loads, and only the coordinator needs it.
    from scipy.optimize import linear_sum_assignment  # noqa: PLC0415 - see above

    owner = np.repeat(np.arange(len(reviewers)), slots)
    step = np.concatenate([np.arange(count) for count in slots])
    cost = price[:, owner] + SECOND_PULL * step
    rows, columns = linear_sum_assignment(_importance_first(cost))
    allowed = cost[rows, columns] < FORBIDDEN
    return {
        seats[int(row)]: reviewers[int(owner[column])]
        for row, column in zip(rows[allowed], columns[allowed], strict=True)
    }


def _importance_first(cost: Floats) -> Floats:
    """Keep the earliest seats when there are more seats than slots."""
    seats, slots = cost.shape
    if seats <= slots:
        return cost
    # A seat left out costs nothing in a rectangular problem, so late seats get a high price.
    dear: Floats = cost + np.arange(seats)[:, None] * 1e6
    return dear


def _asked(
    seats: Sequence[Seat], projection: CycleProjection, *, new: bool
) -> Mapping[Seat, Collection[int]]:
    """Return who was asked before, by the seats that only a new reviewer may take."""
    drawn = [seat for seat in seats if new or projection.drawn.asks(_pull_of(seat))]
    if not drawn:
        return {}
    asked = projection.asked_ever({seat.application for seat in drawn})
    return {seat: asked[seat.application] for seat in drawn}


def _pull_of(seat: Seat) -> PullKey:
    return seat.application, seat.kind, seat.ordinal


def _slots(facts: RosterEntry, kind: int, packet: int, *, reconsideration: bool = False) -> int:
    """Count the seats of a kind that a reviewer could be given now."""
    if facts.away:
        return 0
    room = facts.room(kind, reconsideration=reconsideration)
    if facts.packet is None and facts.automatic:
        return room
    return min(room, max(0, (packet if facts.packet is None else facts.packet) - facts.out))


def _panel(projection: CycleProjection, application: int, kind: int) -> set[int] | None:
    """Return the only reviewers who may judge an application; None when anyone may."""
    panel = projection.panels.get(application)
    # A panel that cannot serve the kind at all does not restrict it; otherwise nobody could be
    # asked.
    if panel is None or not any(kind in projection.reviewers[r].capacity for r in panel):
        return None
    return panel


def _sits(
    projection: CycleProjection, panel: set[int] | None, reviewer: int, *, reconsideration: bool
) -> bool:
    """Whether a panel admits a reviewer; in reconsiderations the reserve judges across panels."""
    return (
        panel is None
        or reviewer in panel
        or (reconsideration and projection.reviewers[reviewer].reserve)
    )


def _chances(
    projection: CycleProjection, seats: Sequence[Seat], roster: Sequence[RosterEntry]
) -> Floats:
    """Return numbers in [0, 1) from seed, application, kind, ordinal and reviewer alone."""
    seat_keys = np.array(
        [(projection.ties[s.application], s.kind, s.ordinal, s.seat) for s in seats],
        dtype=np.uint64,
    )
    mixed = np.full(len(seats), projection.rules.seed & (2**64 - 1), dtype=np.uint64)
    for part in seat_keys.T:
        mixed = _mix(mixed ^ part)
    ties = np.array([facts.tie for facts in roster], dtype=np.uint64)
    # The upper 53 bits are all that a float in [0, 1) can hold exactly.
    words = _mix(mixed[:, None] ^ ties[None, :]) >> np.uint64(11)
    return words.astype(np.float64) * 2.0**-53


def _mix(word: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Scramble 64-bit words (splitmix64, Steele et al. 2014); overflow is meant."""
    word = word + np.uint64(0x9E3779B97F4A7C15)
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


def seats_of(pulls: Iterable[tuple[int, int, int]], projection: CycleProjection) -> list[Seat]:
    """List every seat of new pulls, the first seat of all before the second of any."""
    pulls = list(pulls)
    most = max((projection.rules.kinds[kind].seats for _, kind, _ in pulls), default=0)
    return [
        Seat(application=application, kind=kind, ordinal=ordinal, seat=seat)
        for seat in range(1, most + 1)
        for application, kind, ordinal in pulls
        if seat <= projection.rules.kinds[kind].seats
    ]
