"""Offers: places are offered, answered, and passed on down the waitlist.

The next offers follow from the record, so they are computed before the lock is taken and written
only if nothing was recorded meanwhile; two people who pass on places at the same moment never pass
on the same one twice.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from swapflow.domain.cohort.offer import Offer, OfferAnswer, YieldRate
from swapflow.domain.event import EventType
from swapflow.domain.seal import NOTHING
from swapflow.engine.confirmation import Beside, check_shown, confirm, named
from swapflow.engine.offers.offer_plan import OfferWave, plan
from swapflow.engine.ports.cycles import CycleReads
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.writes.transaction import Transaction
from swapflow.engine.preconditions import find
from swapflow.engine.read_models.snapshot import SnapshotCache
from swapflow.engine.revisions import check_revision
from swapflow.errors import ConflictError, InvalidInputError


THOUSANDTHS, MILLIONTHS = 1_000, 1_000_000


def offer(
    cycle_id: str,
    *,
    by: str,
    until: datetime | None = None,
    at_most: int = 0,
    seen: Sequence[int] | None = None,
    shown: str = "",
    ledger: Ledger,
    snapshots: SnapshotCache | None = None,
) -> OfferWave:
    """Offer the free places: to the chosen first, then down the waitlist.

    Offers whose date has passed are recorded as not answered. The next offers keep the limits on
    groups as far as possible.

    Args:
        cycle_id: The cycle; its list must be final.
        by: Who offers.
        until: Up to when an answer counts.
        at_most: Most offers; 0 for no limit.
        seen: Numbers of the applications shown as next, in order; no other gets an offer. None
            skips this check.
        shown: Digest of the wave that was shown, the whole or that of `at_most`; "" if nothing
            was shown.
        ledger: The ledger.
        snapshots: Cached snapshots.

    Returns:
        The wave that went out; without places when none was free.

    Raises:
        NotReadyError: If no list is final.
        InvalidInputError: If the date is past.
        ConflictError: If others keep recording at the same time, or the next offers are not those
            shown.
    """
    snapshots = snapshots or SnapshotCache()

    def work() -> OfferWave:
        wave = plan(cycle_id, ledger=ledger, snapshots=snapshots, at_most=at_most)
        if shown and at_most and not wave.seal.agrees(shown):
            whole = plan(cycle_id, ledger=ledger, snapshots=snapshots)
            check_shown(whole.seal, shown, code="offers_out_of_date")
            # The limits on groups can lead fewer offers past an applicant that was shown.
            if wave.places != whole.places[:at_most]:
                raise ConflictError("offers_out_of_date", changed=named(["next"]))
        else:
            check_shown(wave.seal, shown, code="offers_out_of_date")
        _check_seen(wave, seen, at_most)
        return wave

    def write(tx: Transaction, wave: OfferWave) -> OfferWave:
        if not wave.places and not wave.lapsed:
            return wave
        if until is not None and until <= tx.now:
            raise InvalidInputError("offer_until_past", until=until)
        for lapsed in wave.lapsed:
            tx.answer_offer(lapsed.id, OfferAnswer.NO_ANSWER)
            tx.record(
                EventType.OFFER_ANSWERED,
                {"a": lapsed.application, "answer": OfferAnswer.NO_ANSWER.value},
            )
        if wave.places:
            lines = [line.name for line in tx.rules().lines]
            tx.insert_offers(wave.version, wave.places, until=until, risk=wave.risk, by=by)
            tx.record(
                EventType.OFFERED,
                {
                    "version": wave.version,
                    "items": [[number, lines.index(line)] for number, line in wave.places],
                    "risk": round(wave.risk * MILLIONTHS),
                },
            )
        return wave

    return confirm(cycle_id, work, write, beside={Beside.TOLD}, ledger=ledger)


def answer(
    cycle_id: str,
    external_id: str,
    said: OfferAnswer,
    *,
    by: str,
    reason: str = "",
    made_from: str = "",
    ledger: CycleReads,
) -> Offer:
    """Record an applicant's answer; after accepting, they may still decline later.

    Raises:
        NotFoundError: If the cycle has no such applicant.
        InvalidInputError: If no offer to them is open, or they answered so already.
    """
    if said not in {OfferAnswer.ACCEPTED, OfferAnswer.DECLINED}:
        raise InvalidInputError("answer_unknown")
    with ledger.write(cycle_id) as tx:
        application = find(tx.applications(), external_id, cycle_id)
        theirs = [o for o in tx.offers() if o.application == application.number]
        if not theirs:
            raise InvalidInputError("no_offer_made", applicant=external_id)
        last = theirs[-1]
        check_revision(made_from, last.revision, {"answer": last.answer.value})
        if last.answer is said:
            raise InvalidInputError("offer_answered_already", applicant=external_id, answer=said)
        changes_mind = last.answer is OfferAnswer.ACCEPTED and said is OfferAnswer.DECLINED
        if last.answer is not OfferAnswer.WAITING and not changes_mind:
            raise InvalidInputError("offer_closed", applicant=external_id, answer=last.answer)
        tx.answer_offer(last.id, said)
        tx.record(EventType.OFFER_ANSWERED, {"a": application.number, "answer": said.value})
        tx.note(subject=f"application:{application.number}", by=by, text=reason)
        return replace(last, answer=said)


def set_acceptance_rate(
    cycle_id: str,
    rate: tuple[float, float],
    *,
    risk: float,
    source: str,
    by: str,
    made_from: str = "",
    ledger: Ledger,
) -> YieldRate:
    """Store how many accept, and the allowed probability that too many do.

    Args:
        cycle_id: The cycle.
        rate: Parameters of the rate, as `acceptance_odds` computes them.
        risk: Most probability, over the whole round, of more accepting than there are places.
        source: Where the rate comes from.
        by: Who states it.
        made_from: The revision of the rate that the form was made from; "" for no check.
        ledger: The ledger.

    Raises:
        InvalidInputError: If the risk is no probability below one half.
    """
    if not 0 <= risk < 0.5:  # noqa: PLR2004 - more would not be a risk but the rule
        raise InvalidInputError("risk_out_of_range", risk=risk)
    with ledger.write(cycle_id) as tx:
        stated = YieldRate(
            accepting=rate[0], declining=rate[1], risk=risk, source=source, by=by, at=tx.now
        )
        there = ledger.yield_rate(cycle_id)
        # Stated again, the same rate is no event and keeps the name under which it came first.
        if there is not None and replace(there, by=by, at=tx.now) == stated:
            return there
        check_revision(made_from, there.revision if there else NOTHING, _told(there))
        tx.insert_yield(stated)
        tx.record(
            EventType.YIELD_SET,
            {
                "accepting": round(rate[0] * THOUSANDTHS),
                "declining": round(rate[1] * THOUSANDTHS),
                "risk": round(risk * MILLIONTHS),
            },
        )
        return stated


def _told(rate: YieldRate | None) -> dict[str, object]:
    """Return what a stored rate says, by the name of the field."""
    if rate is None:
        return {}
    return {"source": rate.source, "risk": rate.risk, "by": rate.by}


def _check_seen(wave: OfferWave, seen: Sequence[int] | None, at_most: int) -> None:
    """Raise if the wave differs from the applications that were shown as next."""
    if seen is None:
        return
    shown = tuple(seen[:at_most] if at_most else seen)
    if tuple(number for number, _ in wave.places) != shown:
        raise ConflictError("offers_out_of_date", changed=named(["next"]))
