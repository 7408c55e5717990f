"""What waits in one cycle, gathered from what the record and the live state say now."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np

from swapflow.domain.cohort.offer import OfferAnswer
from swapflow.domain.cycle import Cycle, CycleStatus
from swapflow.domain.returned_mail import CAME_BACK
from swapflow.domain.rules import Rules
from swapflow.engine.cohort.prepared_decisions import DECISION
from swapflow.engine.interviews.slots import Requested, requested
from swapflow.engine.lifecycle.approvals import pending_approvals
from swapflow.engine.lifecycle.held_acts import held_pulls
from swapflow.engine.notifications.reviewer_mail import remindable
from swapflow.engine.pending.explanations import owed_explanations
from swapflow.engine.pending.returned_mails import returned_in
from swapflow.engine.pending.things import PendingCode, PendingThing
from swapflow.engine.ports.held_acts import HeldKind, HeldState
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.records import NOT_SENT, PreparedDecision, ProcessHealth
from swapflow.engine.read_models.dashboard import Dashboard
from swapflow.engine.reviewing.blinding import view_of
from swapflow.engine.scoring.conflicting_scores import conflicting_scores
from swapflow.engine.scoring.practice import still_to_practise
from swapflow.engine.selection.assign import NoReviewer
from swapflow.i18n.formatting import day


ALTERED_SHOWN = timedelta(days=7)
"""How long it is told that the live state was altered."""

_LIVE = frozenset({CycleStatus.RUNNING, CycleStatus.PAUSED})
_TO_DECIDE = frozenset({CycleStatus.PROPOSED, CycleStatus.ENDED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What is known beside the ledger.

    Attributes:
        dashboard: The cycle's dashboard.
        mail_leaves: Whether there is a mail server.
        live: Whether the live state's server answers.
        set_aside: Whether the cycle stands still because of damage.
    """

    dashboard: Dashboard
    mail_leaves: bool
    live: bool
    set_aside: bool


def pending_things(
    cycle_id: str, around: Surroundings, *, ledger: Ledger
) -> tuple[PendingThing, ...]:
    """List what waits in a cycle, in the order shown; before the launch, practice and files."""
    cycle = ledger.cycle(cycle_id)
    if cycle.status is CycleStatus.DRAFT:
        return (*_practice(cycle, ledger=ledger), *_intake(cycle, ledger=ledger))
    found = [
        *_decisions(cycle, around, ledger=ledger),
        *_requests(cycle, around, ledger=ledger),
        *_offers(cycle, ledger=ledger),
        *_explanations(cycle, ledger=ledger),
        *_set_up(cycle, around, ledger=ledger),
        *_intake(cycle, ledger=ledger),
        *_mails(cycle, around, ledger=ledger),
        *_health(cycle, around, ledger=ledger),
    ]
    order = {code: place for place, code in enumerate(PendingCode)}
    return tuple(sorted(found, key=lambda thing: order[thing.code]))


def budget_end(cycle: Cycle, rules: Rules, pulse: ProcessHealth, now: datetime) -> datetime | None:
    """Return when the budget will be used up at the pace so far; None before there is a pace."""
    if pulse.begun_at is None or cycle.spent <= 0 or cycle.status is not CycleStatus.RUNNING:
        return None
    took = now - pulse.begun_at
    left = max(0, rules.budget - cycle.spent)
    if took < timedelta(hours=1) or left / cycle.spent > 10_000:  # noqa: PLR2004 - no pace yet
        return None
    return now + took * (left / cycle.spent)


def is_held_up(cycle: Cycle, pulse: ProcessHealth, *, live: bool) -> bool:
    """Whether a cycle waits for one of the processes or servers that it runs on."""
    led = is_led(pulse)
    return not live or bool(pulse.stuck) or (cycle.status is CycleStatus.RUNNING and not led)


def is_led(pulse: ProcessHealth) -> bool:
    """Whether a coordinator holds the lease; it ends by real time, not by the offset of tests."""
    return pulse.led_until is not None and pulse.led_until > datetime.now(pulse.led_until.tzinfo)


def _thing(
    cycle: Cycle,
    code: PendingCode,
    path: str,
    *,
    key: str = "",
    done_by: frozenset[str] = frozenset(),
    **params: int | str,
) -> PendingThing:
    return PendingThing(
        code=code,
        cycle_id=cycle.id,
        round_id=cycle.round_id,
        program=cycle.name,
        params=params,
        path=path,
        key=key,
        done_by=done_by,
    )


def _decisions(cycle: Cycle, around: Surroundings, *, ledger: Ledger) -> Iterator[PendingThing]:
    """What people decide: signatures, a list, scores that conflicts question."""
    prepared = ledger.prepared(cycle.id)
    if prepared is not None:
        yield signature(cycle, prepared)
    elif cycle.status in _TO_DECIDE:
        yield _thing(
            cycle,
            PendingCode.DECIDE,
            f"/decide/{cycle.id}",
            key=cycle.status.value,
            count=around.dashboard.places,
        )
    if scores := conflicting_scores(cycle.id, ledger=ledger):
        yield _thing(cycle, PendingCode.CONFLICTING_SCORES, _waiting(cycle), count=len(scores))


def signature(cycle: Cycle, prepared: PreparedDecision) -> PendingThing:
    """Return what waits for signatures as a thing of those who have not signed it."""
    return _thing(
        cycle,
        PendingCode.SIGN,
        _place_of(cycle, prepared),
        key=prepared.digest,
        done_by=_done_by(prepared),
        by=prepared.by,
    )


def _place_of(cycle: Cycle, prepared: PreparedDecision) -> str:
    decision = f"/decide/{cycle.id}"
    return decision if prepared.what in {DECISION, "reopening"} else f"{decision}/reconsiderations"


def _done_by(prepared: PreparedDecision) -> frozenset[str]:
    """Return who has signed; who asked for anything but a decision has signed by asking."""
    asked = () if prepared.what == DECISION else (prepared.by,)
    return frozenset((*prepared.signed, *asked))


def _requests(cycle: Cycle, around: Surroundings, *, ledger: Ledger) -> Iterator[PendingThing]:
    """What holds requests up: approvals, dates, reviewers who are missing or late."""
    held = ledger.held_acts(cycle.id, state=HeldState.HELD)
    if waiting := {one.pull.id for one in pending_approvals(cycle.id, ledger=ledger)}:
        waiting -= held_pulls(held).keys()
    if waiting:
        yield _thing(cycle, PendingCode.APPROVE, _waiting(cycle), count=len(waiting))
    asked = requested(cycle.id, ledger=ledger)
    missed = [one for one in asked if one.interview is not None and one.interview.missed]
    undated = [one for one in asked if not _is_dated(one) and one not in missed]
    for code, ones in ((PendingCode.NO_SHOWS, missed), (PendingCode.UNDATED_INTERVIEWS, undated)):
        if ones:
            yield _thing(cycle, code, f"/applicants/{cycle.id}/slots", count=len(ones))
    board, rules = around.dashboard, ledger.rules(cycle.id)
    blocked = [one for one in board.blocked if one.obstacle is not NoReviewer.BUSY]
    if blocked:
        yield _thing(cycle, PendingCode.BLOCKED, f"/reviewers/{cycle.id}", count=len(blocked))
    if not any(act.kind is HeldKind.REMIND for act in held):
        yield from _late(cycle, ledger=ledger)
    unseen = int(np.isnan(board.estimate).sum()) if cycle.status in _TO_DECIDE else 0
    if unseen:
        yield _thing(cycle, PendingCode.UNSEEN_APPLICANTS, f"/applicants/{cycle.id}", count=unseen)
    finish = budget_end(cycle, rules, ledger.process_health(cycle.id), ledger.now())
    if finish is not None and rules.deadline is not None and finish > rules.deadline:
        yield _thing(cycle, PendingCode.DEADLINE_AT_RISK, f"/setup/{cycle.id}/rules")


def _late(cycle: Cycle, *, ledger: Ledger) -> Iterator[PendingThing]:
    """Reviewers who are late and were not reminded today."""
    late = {one.reviewer: one.overdue for one in ledger.waiting(cycle.id) if one.overdue}
    if not late:
        return
    # Who has no address cannot be reminded, and still needs a look.
    unread = {r.number for r in ledger.reviewers(cycle.id) if not r.email}
    unread |= {r.number for r in remindable(cycle.id, ledger=ledger)}
    shown = [count for number, count in late.items() if number in unread]
    if shown:
        yield _thing(
            cycle,
            PendingCode.OVERDUE,
            _waiting(cycle),
            count=len(shown),
            reviews=sum(shown),
        )


def _waiting(cycle: Cycle) -> str:
    """Return the page on which what waits in a program is shown with names and reasons."""
    return f"/today/{cycle.id}/waiting"


def _is_dated(one: Requested) -> bool:
    return one.interview is not None and one.interview.stands


def _offers(cycle: Cycle, *, ledger: Ledger) -> Iterator[PendingThing]:
    """Offers whose day has passed without an answer."""
    if cycle.status is not CycleStatus.FINALIZED:
        return
    now = ledger.now()
    late = sum(
        offer.answer is OfferAnswer.WAITING and offer.until is not None and offer.until < now
        for offer in ledger.offers(cycle.id)
    )
    if late:
        yield _thing(cycle, PendingCode.LATE_ANSWERS, f"/decide/{cycle.id}/offers", count=late)


def _explanations(cycle: Cycle, *, ledger: Ledger) -> Iterator[PendingThing]:
    """Letters that a law asks for within days of the final list."""
    owed = owed_explanations(cycle, ledger=ledger)
    if owed is not None:
        yield _thing(
            cycle,
            PendingCode.EXPLANATIONS,
            f"/decide/{cycle.id}/letters",
            # Another day is another thing: the list was made final anew.
            key=f"{owed.until:%Y-%m-%d}",
            count=owed.count,
            until=day(owed.until, ledger.rules(cycle.id).zone),
        )


def _set_up(cycle: Cycle, around: Surroundings, *, ledger: Ledger) -> Iterator[PendingThing]:
    """What a choice of staff would cure."""
    if around.dashboard.apart:
        yield _thing(
            cycle,
            PendingCode.REVIEWERS_APART,
            f"/decide/{cycle.id}/calibration",
            count=len(around.dashboard.apart),
        )
    rules = ledger.rules(cycle.id)
    if rules.blind and not view_of(cycle, rules, ledger=ledger).shown.by_choice:
        yield _thing(cycle, PendingCode.CHOOSE_COLUMNS, f"/applicants/{cycle.id}/columns")


def _practice(cycle: Cycle, *, ledger: Ledger) -> Iterator[PendingThing]:
    """Practice files that reviewers have not marked; they can until the launch."""
    practice = ledger.practice(cycle.id)
    if missing := still_to_practise(cycle.id, practice, ledger=ledger):
        path = f"/setup/{cycle.id}/practice"
        yield _thing(cycle, PendingCode.PRACTICE, path, count=len(missing))


def _intake(cycle: Cycle, *, ledger: Ledger) -> Iterator[PendingThing]:
    """What the latest file of another system left to people, of each kind."""
    # A later list of the same kind says anew what is wrong, so only the latest is a thing to do.
    seen = set()
    for one in ledger.exchanged(cycle.id):
        if one.what not in seen and one.for_people:
            yield _thing(
                cycle,
                PendingCode.INTAKE,
                f"/setup/{cycle.id}/exchange",
                key=str(one.number),
                count=one.for_people,
                file=one.name,
            )
        seen.add(one.what)


def _mails(cycle: Cycle, around: Surroundings, *, ledger: Ledger) -> Iterator[PendingThing]:
    """Mails that came back or did not leave; having no mail server is one thing of the office."""
    counts, place = ledger.count_mails(cycle.id), f"/today/{cycle.id}/mail?state="
    if counts.get(CAME_BACK):
        back = returned_in(cycle.id, ledger=ledger)
        for code, path, count in (
            (PendingCode.REVIEWER_MAIL_BACK, f"/reviewers/{cycle.id}", back.of_roster),
            (PendingCode.APPLICANT_MAIL_BACK, f"/applicants/{cycle.id}", len(back.applicants)),
        ):
            if count:
                yield _thing(cycle, code, path, count=count)
    failed = sum(n for state, n in counts.items() if state.startswith("failed"))
    if failed:
        yield _thing(cycle, PendingCode.MAIL_FAILED, f"{place}failed", count=failed)
    kept = counts.get(NOT_SENT, 0)
    if kept and around.mail_leaves:
        yield _thing(cycle, PendingCode.MAIL_NOT_SENT, f"{place}not%20sent", count=kept)


def _health(cycle: Cycle, around: Surroundings, *, ledger: Ledger) -> Iterator[PendingThing]:
    """What the cycle runs on, where something is wrong."""
    pulse, place = ledger.process_health(cycle.id), "/setup/system"
    if around.set_aside:
        yield _thing(cycle, PendingCode.SET_ASIDE, place)
    elif is_held_up(cycle, pulse, live=around.live) and cycle.status in _LIVE:
        yield _thing(cycle, PendingCode.HELD_UP, place)
    if pulse.altered_at is not None and ledger.now() - pulse.altered_at < ALTERED_SHOWN:
        yield _thing(cycle, PendingCode.STATE_ALTERED, place)
