"""The next offers: to whom, and how many at once."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from swapflow.bandit.oracles.feasibility import feasible
from swapflow.bandit.oracles.limits import Terms
from swapflow.domain.cohort.offer import Offer, OfferAnswer, YieldRate, promised
from swapflow.domain.cohort.proposal import Verdict
from swapflow.domain.cycle import CycleStatus, Position
from swapflow.domain.people.application import Application
from swapflow.domain.rules import Rules
from swapflow.domain.seal import Seal, seal
from swapflow.engine.offers.acceptance_odds import Odds, most_offers
from swapflow.engine.offers.open_places import beyond_places, out_of_waiting, restored
from swapflow.engine.ports.decisions import DecisionReads
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.projection.cycle_projection import CycleProjection
from swapflow.engine.read_models.snapshot import SnapshotCache
from swapflow.engine.selection.list_objective import terms_of
from swapflow.errors import NotReadyError


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferRound:
    """The state of a cycle's offers.

    Attributes:
        offers: Every offer, oldest first.
        waitlist: Numbers of applications that may still get an offer, in order; the chosen first.
        places: Places in all.
        rate: The acceptance rate in force, if any.
        risk: Probability that more accept than there are places, at present; 0 without a
            rate, since no more than the places are offered then.
        spent: The part of the stated risk that the waves so far have used.
        broken: Limits on groups that no further offer can keep, in words.
        beyond: Numbers of applications with a place beyond these, from a reconsideration.
    """

    cycle_id: str
    version: int
    offers: tuple[Offer, ...]
    waitlist: tuple[int, ...]
    places: int
    rate: YieldRate | None
    risk: float
    spent: float
    broken: tuple[str, ...]
    beyond: frozenset[int] = frozenset()

    def count(self, answer: OfferAnswer) -> int:
        """Count the offers with this answer."""
        return sum(offer.answer is answer for offer in self.offers)


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferWave:
    """The next offers that go out together.

    Attributes:
        read: The position that it follows from.
        places: (application, line) of each, in order.
        lapsed: Offers whose date passed without an answer, which release their places.
        risk: The increase of the probability that more accept than there are places.
    """

    version: int
    read: Position
    places: tuple[tuple[int, str], ...]
    lapsed: tuple[Offer, ...]
    risk: float

    @property
    def seal(self) -> Seal:
        """The digest of who is offered a place, and whose offer is passed on."""
        return seal(
            version=self.version,
            next=self.places,
            lapsed=[[offer.id, offer.application] for offer in self.lapsed],
        )


def offer_round(
    cycle_id: str, *, ledger: Ledger, snapshots: SnapshotCache | None = None
) -> OfferRound:
    """Return the state of a cycle's offers; changes nothing.

    Raises:
        NotReadyError: If no list was made final yet.
    """
    return _OfferPlan(cycle_id, ledger=ledger, snapshots=snapshots).round()


def plan(
    cycle_id: str, *, ledger: Ledger, snapshots: SnapshotCache | None = None, at_most: int = 0
) -> OfferWave:
    """Compute the offers that would go out now; changes nothing."""
    return _OfferPlan(cycle_id, ledger=ledger, snapshots=snapshots).wave(at_most)


class _OfferPlan:
    """All records about a cycle's offers, read at one moment."""

    def __init__(self, cycle_id: str, *, ledger: Ledger, snapshots: SnapshotCache | None) -> None:
        with (snapshots or SnapshotCache()).at_head(cycle_id, ledger=ledger) as seen:
            cycle = seen.cycle
            if cycle.status is not CycleStatus.FINALIZED:
                raise NotReadyError("list_not_final_for_offers", cycle=cycle_id)
            self._cycle_id = cycle_id
            self._version = cycle.cohort_version
            self._position = seen.arms.position
            self._rules: Rules = seen.projection.rules
            self._offers = ledger.offers(cycle_id)
            again = ledger.reconsiderations(cycle_id)
            self._since, self._beyond = restored(again), beyond_places(again)
            self._rate = ledger.yield_rate(cycle_id)
            self._now = ledger.now()
            # A place whose applicant may take the decline back waits like one not yet answered.
            self._held = tuple(
                replace(offer, answer=OfferAnswer.WAITING, until=None)
                if offer.is_held(self._now)
                else offer
                for offer in self._offers
            )
            self._verdicts: Mapping[int, Verdict] = {
                outcome.application: outcome.verdict
                for outcome in ledger.outcomes(cycle_id, self._version)
            }
            applications = {a.number: a for a in ledger.applications(cycle_id)}
            self._announcements = ledger.announcements(cycle_id)
            meeting = ledger.meeting(cycle_id, self._version)
            self._named = {
                number: said.line
                for number, said in (meeting.words if meeting else {}).items()
                if said.line
            }
            self._ranked = self._order(applications, ledger=ledger)
            self._numbers = np.array(sorted(self._verdicts), dtype=np.int64)
            self._terms = self._terms_of(seen.projection)

    def round(self) -> OfferRound:
        """Return the state of the offers."""
        odds = self._odds(())
        _, broken = self._next_terms(promised(self._held), ())
        return OfferRound(
            cycle_id=self._cycle_id,
            version=self._version,
            offers=self._offers,
            waitlist=tuple(self._ranked),
            places=self._rules.cohort_size,
            rate=self._rate,
            risk=odds.exceeded() if self._rate else 0.0,
            spent=sum(offer.risk for offer in self._offers),
            broken=broken,
            beyond=frozenset(self._beyond),
        )

    def wave(self, at_most: int) -> OfferWave:
        """Compute the next wave."""
        lapsed = tuple(
            offer
            for offer in self._held
            if offer.answer is OfferAnswer.WAITING
            and offer.until is not None
            and offer.until < self._now
        )
        odds = self._odds(lapsed)
        extra = [number for number in self._ranked if number in self._beyond]
        extra = extra[:at_most] if at_most else extra
        # People added beyond the places take none of the free ones.
        count = self._free(odds)
        if at_most:
            count = min(count, at_most - len(extra))
        stands = promised(self._held) - {offer.application for offer in lapsed}
        chosen = self._who(stands.union(extra), count)
        # What this wave adds,
        # so that the waves' risks sum to the one that was stated for the round.
        risk = odds.exceeded(len(chosen)) - odds.exceeded() if self._rate and chosen else 0.0
        lines = [
            *self._lines(stands, chosen),
            *[self._rules.lines[-1].name] * len(extra),
        ]
        return OfferWave(
            version=self._version,
            read=self._position,
            places=tuple(zip([*chosen, *extra], lines, strict=True)),
            lapsed=lapsed,
            risk=max(risk, 0.0),
        )

    def _order(
        self, applications: Mapping[int, Application], *, ledger: DecisionReads
    ) -> list[int]:
        """Return who may get an offer: the chosen first, then the waitlist, by rank."""
        rank = {
            place.application: place.rank
            for version, places, _ in ledger.proposals(self._cycle_id)
            if version == self._version
            for place in places
        }
        asked = out_of_waiting(self._offers, self._announcements, since=self._since)
        waiting = [
            number
            for number, verdict in self._verdicts.items()
            if verdict is not Verdict.NOT_SELECTED
            and number not in asked
            and applications[number].status.is_candidate
        ]
        last = len(rank) + 1
        return sorted(
            waiting,
            # Finally by number,
            # so that people without a place in the proposal have a fixed order too.
            key=lambda n: (self._verdicts[n] is not Verdict.SELECTED, rank.get(n, last), n),
        )

    def _odds(self, lapsed: Sequence[Offer]) -> Odds:
        answers = Counter(offer.answer for offer in self._held if not self._is_extra(offer))
        ended = sum(not self._is_extra(offer) for offer in lapsed)
        rate = self._rate
        return Odds(
            places=self._rules.cohort_size,
            accepted=answers[OfferAnswer.ACCEPTED],
            waiting=answers[OfferAnswer.WAITING] - ended,
            refused=answers[OfferAnswer.DECLINED] + answers[OfferAnswer.NO_ANSWER] + ended,
            a=rate.accepting if rate else 1.0,
            b=rate.declining if rate else 1.0,
        )

    def _is_extra(self, offer: Offer) -> bool:
        """Whether an offer is for a place beyond the regular ones."""
        since = self._beyond.get(offer.application)
        return since is not None and offer.version >= since

    def _free(self, odds: Odds) -> int:
        """Return how many offers may go out now."""
        if self._rate is None:
            return max(0, odds.places - odds.accepted - odds.waiting)
        spent = sum(offer.risk for offer in self._offers)
        return most_offers(odds, unspent=self._rate.risk - spent)

    def _who(self, stands: frozenset[int], count: int) -> list[int]:
        """Choose the next applicants, each so that the limits on groups can still be kept."""
        chosen: list[int] = []
        waiting = [number for number in self._ranked if number not in self._beyond]
        while waiting and len(chosen) < count:
            terms, _ = self._next_terms(stands, chosen)
            for number in waiting:
                tried = self._pinned(terms, stands, [*chosen, number])
                if not tried.limits or not feasible(tried)[1]:
                    break
            # No candidate keeps every limit: the first in line goes ahead, and `round` reports
            # what is broken.
            else:
                number = waiting[0]
            waiting.remove(number)
            chosen.append(number)
        return chosen

    def _next_terms(
        self, stands: frozenset[int], chosen: Sequence[int]
    ) -> tuple[Terms, tuple[str, ...]]:
        """Return the limits for applications with an offer, relaxed as far as necessary."""
        if not self._terms.limits:
            return self._terms, ()
        return feasible(self._pinned(self._terms, stands, chosen))

    def _pinned(self, terms: Terms, stands: frozenset[int], chosen: Sequence[int]) -> Terms:
        """Pin applications with an offer in, and those that cannot get one out."""
        inside = stands.union(chosen)
        open_to = set(self._ranked) - inside
        pinned = [1 if n in inside else 0 if n in open_to else -1 for n in self._numbers.tolist()]
        size = max(self._rules.cohort_size + len(inside & self._beyond.keys()), len(inside))
        size = min(size, len(inside) + len(open_to))
        return replace(
            terms,
            size=max(size, 1),
            least=max(size, 1),
            pinned=np.array(pinned, dtype=np.int64),
        )

    def _terms_of(self, projection: CycleProjection) -> Terms:
        """Read the limits, without targets, range and earlier pins."""
        return replace(terms_of(projection, self._numbers), targets=(), bar=0.0, least=None)

    def _lines(self, stands: frozenset[int], chosen: Sequence[int]) -> list[str]:
        """Assign each new offer to the line that the meeting named, or to the first with a place.

        Named lines come first, so that no other offer takes a place that was named.
        """
        held = Counter(
            offer.line
            for offer in self._offers
            if offer.application in stands and not self._is_extra(offer)
        )
        places = {line.name: line.places for line in self._rules.lines}
        lines: dict[int, str] = {}
        for number in sorted(chosen, key=lambda one: one not in self._named):
            name = self._named.get(number, "")
            if held[name] >= places.get(name, 0):
                free = [line for line, most in places.items() if held[line] < most]
                name = free[0] if free else self._rules.lines[-1].name
            held[name] += 1
            lines[number] = name
        return [lines[number] for number in chosen]
