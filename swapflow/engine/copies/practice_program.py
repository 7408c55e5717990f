"""A practice program: a copy of a real one for training, thrown away by one press.

Rules, forms and the roster come from the real program, applicants are invented. Nothing leaves it
(`services/way_out.py`), and it counts in no figure of the office.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from swapflow.bandit.ties import tie_key
from swapflow.domain.people.reviewer import NewReviewer, Reviewer
from swapflow.domain.reviewing.assignment import AssignmentStatus
from swapflow.domain.rules import AutomaticReview, Rules
from swapflow.engine.copies.invented_applicants import InventedApplicants, invent
from swapflow.engine.copies.later_rules import dates_later, first_version, years_until
from swapflow.engine.ports.automatic_reviewer import Question
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.live_state import CycleState
from swapflow.errors import ConflictError, InvalidInputError
from swapflow.i18n.languages import gettext


FEWEST, MOST = 2, 300
"""How many applicants can be invented: more would take a training longer than it may last."""

USUAL = 24
"""Applicants of a practice program where nobody says how many, if its places allow it."""

AHEAD = timedelta(days=7)
"""How far ahead the deadline of a practice program lies at least."""

INVENTED = "invented:"
"""How a roster names the automatic reviewer of practice programs, which asks nobody outside."""

LONGEST_BASE = 24
"""Characters of the real program's id within the id of its practice program."""

FILLED_AT_ONCE = 200
"""Most open reviews that automatic reviewers fill with one press."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PracticePlan:
    """What a practice program will be made of."""

    round_id: str
    name: str
    rules: Rules
    reviewers: tuple[NewReviewer, ...]
    applicants: InventedApplicants


@dataclass(frozen=True, slots=True, kw_only=True)
class PracticeContents:
    """What goes with a practice program when it is thrown away, as counts."""

    applicants: int
    reviewers: int
    reviews: int
    mails: int


def usual_count(places: int) -> int:
    """Return how many applicants are invented for a number of places, unless a person says."""
    return min(MOST, max(USUAL, 2 * places))


def practice_id(source: str, mark: str) -> str:
    """Return the id of a practice program; the mark, drawn anew each time, is never used again.

    Files that people download are named after it, so "practice" stands in every name.
    """
    return f"{source[:LONGEST_BASE]}-practice-{mark}"


def automatic_reviewer(cycle_id: str) -> str:
    """Return how the automatic reviewer of a practice program is named on its roster."""
    return f"{INVENTED}{tie_key(0, cycle_id) % 2**31}"


def plan_practice(
    source: str,
    cycle_id: str,
    *,
    count: int,
    seed: int,
    automatic: bool,
    by: str,
    ledger: Ledger,
) -> PracticePlan:
    """Plan a practice program of a real one, in the language that is in use.

    Args:
        source: The program to copy.
        cycle_id: The practice program's id.
        count: Applicants to invent; 0 for the usual number.
        seed: Decides who is invented.
        automatic: Whether automatic reviewers answer for everybody on the roster.
        by: Who makes it: named as the person who allowed automatic reviewers in it.
        ledger: The durable record.

    Raises:
        ConflictError: If that program is for practice itself.
        InvalidInputError: If the count is too low, too high, or no more than its places.
    """
    cycle = ledger.cycle(source)
    if cycle.is_practice:
        raise ConflictError("practice_of_practice", cycle=source)
    rules = ledger.rules(source)
    count = count or usual_count(rules.cohort_size)
    if not FEWEST <= count <= MOST:
        raise InvalidInputError("practice_count_out_of_range", fewest=FEWEST, most=MOST)
    if count <= rules.cohort_size:
        raise InvalidInputError(
            "practice_too_few_applicants", count=count, places=rules.cohort_size
        )
    roster = [one for one in ledger.reviewers(source) if one.active]
    topics = sorted({topic for one in roster for topic in one.topics})
    return PracticePlan(
        round_id=cycle.round_id,
        name=practice_name(cycle.name),
        rules=practice_rules(rules, count, by=by, now=ledger.now()),
        reviewers=tuple(
            # A program of the real one is replaced: it may be a service, which is asked nothing.
            copied(one, automatic_reviewer(cycle_id) if automatic or one.automatic else "")
            for one in roster
        ),
        applicants=invent(count, seed=seed, cycle_id=cycle_id, rules=rules, topics=topics),
    )


def practice_name(name: str) -> str:
    """Return the name of a practice program: its first word marks every page, letter and file."""
    # Translators: begins the name of a practice program, on every page, letter and file
    return f"{gettext('PRACTICE')} · {name}"


def practice_rules(rules: Rules, count: int, *, by: str, now: datetime) -> Rules:
    """Return the rules of a practice program: those of the real one, with dates that lie ahead."""
    copied = first_version(rules)
    if copied.deadline is not None:
        copied = dates_later(copied, years_until(copied.deadline, now + AHEAD))
    return replace(
        copied,
        # Closed applications would keep the invented ones out.
        applications_close=None,
        max_applicants=None
        if copied.max_applicants is None
        else max(count, copied.max_applicants),
        automatic=AutomaticReview(
            purpose=gettext("training in a practice program"),
            approver=by,
            date=now.date().isoformat(),
        ),
        # Applicants were told nothing about this program: there are none.
        notice="",
    )


def require_practice(cycle_id: str, *, ledger: Ledger) -> None:
    """Refuse an act that only a practice program allows.

    Raises:
        NotFoundError: If there is no such program.
        ConflictError: If it is a real one.
    """
    if not ledger.cycle(cycle_id).is_practice:
        raise ConflictError("program_is_real", cycle=cycle_id)


def contents_of(cycle_id: str, *, ledger: Ledger) -> PracticeContents:
    """Count what goes with a practice program."""
    return PracticeContents(
        applicants=len(ledger.applications(cycle_id)),
        reviewers=len(ledger.reviewers(cycle_id)),
        reviews=sum(load.done for load in ledger.counted_loads(cycle_id).values()),
        mails=sum(ledger.count_mails(cycle_id).values()),
    )


def throw_away(cycle_id: str, *, ledger: Ledger, state: CycleState) -> None:
    """Delete a practice program for good: rows, files, mails and its live state.

    A coordinator that is at work on it finds no such program at its next step, and drops what it
    knows. Messages in queues hold ids alone; a worker that takes one finds nothing to do.

    Raises:
        NotFoundError: If there is no such program, or it is gone already.
        ConflictError: If it is a real one; nothing is changed.
        UnavailableError: If Redis or the database does not answer; then it can be repeated.
    """
    require_practice(cycle_id, ledger=ledger)
    # Before the rows, so that a Redis that is away keeps all of it; and after them, since a
    # coordinator may have written in between.
    state.forget(cycle_id)
    ledger.throw_away(cycle_id)
    state.forget(cycle_id)
    state.end_quarantine(cycle_id)
    # Outside the transaction: a database cannot give up erased pages while one is open.
    ledger.compact()


def open_questions(cycle_id: str, *, ledger: Ledger) -> tuple[Question, ...]:
    """Return the open reviews of a practice program that no person has begun, as questions."""
    rules = ledger.rules(cycle_id)
    external = {one.number: one.external_id for one in ledger.applications(cycle_id)}
    roster = {one.number: one.external_id for one in ledger.reviewers(cycle_id)}
    open_now = ledger.unanswered(cycle_id, tuple(roster), at_most=FILLED_AT_ONCE)
    return tuple(
        Question(
            assignment_id=one.id,
            application=external[one.application],
            kind=rules.kinds[one.kind].name,
            tier=one.kind,
            ordinal=one.ordinal,
            gain=rules.kinds[one.kind].gain,
            reviewer=roster[one.reviewer],
        )
        for one in open_now
        # What a person has opened stays theirs.
        if one.status is not AssignmentStatus.OPENED
    )


def copied(one: Reviewer, automatic: str = "") -> NewReviewer:
    """Copy a roster entry."""
    return NewReviewer(
        external_id=one.external_id,
        name=one.name,
        email=one.email,
        group=one.group,
        capacity=dict(one.capacity),
        packet=one.packet,
        automatic=automatic,
        topics=one.topics,
        absences=one.absences,
        reserve=one.reserve,
    )
