"""The pages: what a person is shown, the act that confirms it, and what was fixed in the end."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from swapflow.domain.cohort.proposal import Place, Proposal, Standing, Verdict
from swapflow.domain.cohort.reconsideration import Result
from swapflow.domain.cycle import START
from swapflow.domain.event import Event, EventType
from swapflow.domain.rules import Purpose
from swapflow.engine.cohort.finalize import Override
from swapflow.engine.offers.announcement_wording import usual_wording
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.services import Swapflow
from tests.engine.cycle_by_hand import CYCLE, World, applicant, reviewers, rules
from tests.engine.reconsideration.fixed_list import reopened
from tests.races.others import Disturbance


PEOPLE = [
    applicant(f"A{n:03d}", name=f"Applicant {n}", email=f"a{n}@example.org") for n in range(1, 13)
]
PLACES = 3
OWN = frozenset(
    {
        EventType.ENDED,
        EventType.PULLS_CANCELLED,
        EventType.FINALIZED,
        EventType.RECONSIDERATION_CLOSED,
        EventType.APPLICATION_MOVED,
    }
)
"""Events that fixing a list writes itself."""

WAIVER = "a late start"


@dataclass(frozen=True, kw_only=True)
class Look:
    """A page as a person looks at it.

    Attributes:
        confirm: The act; it returns whether it was done, or raises a refusal.
        disturbance: What others do at about the same time.
        unseen: Returns what was fixed and not shown, "" for nothing; to be asked afterwards.
    """

    confirm: Callable[[], bool]
    disturbance: Disturbance
    unseen: Callable[[Ledger, bool], str]


@dataclass(frozen=True, kw_only=True)
class Page:
    """A kind of page.

    Attributes:
        fill: Makes its program on an empty database.
        look: Takes the product that shows the page, the one that takes the confirmation, which may
            be another process, and the source of chance.
    """

    fill: Callable[[str], None]
    look: Callable[[Swapflow, Swapflow, random.Random], Look]


def _marks(external_id: str, _kind: str, ordinal: int, by: str) -> float:
    """A mark that rises with the id; the last reviewer is severe."""
    severity = 0.1 if by == "R3" else 0.0
    return max(0.0, int(external_id[1:]) / 14 + 0.01 * (ordinal % 2) - severity)


def _world(url: str) -> World:
    world = World(
        url=url,
        rules=rules(budget=30, purpose=Purpose.REAL),
        applications=PEOPLE,
        roster=[*reviewers(5)],
    )
    world.run(_marks)
    return world


def _decidable(url: str) -> None:
    world = _world(url)
    world.product.cycles.stop(CYCLE, by="ops", reason="enough")
    world.ledger.dispose()


def _final(url: str) -> World:
    world = _world(url)
    world.product.cycles.stop(CYCLE, by="ops", reason="enough")
    world.product.cohort.finalize(CYCLE, by="chair")
    return world


def _reconsidered(url: str) -> World:
    world = _final(url)
    names = [p.external_id for p in world.product.cohort.proposals(CYCLE)[-1][1]]
    reopened(world, names[6], reviews=1)
    for assignment in world.waiting():
        world.submit(assignment, 0.9)
    world.turn()
    return world


def _concludable(url: str) -> None:
    _reconsidered(url).ledger.dispose()


def _undoable(url: str) -> None:
    world = _reconsidered(url)
    (one,) = world.product.reconsiderations.list(CYCLE)
    world.product.reconsiderations.conclude(
        CYCLE,
        world.names()[one.application],
        names=("chair", "dean"),
        result=Result.ADDED,
        reason="an appeal",
        beyond=True,
    )
    world.ledger.dispose()


def _offered(url: str) -> None:
    world = _final(url)
    world.product.offers.make(CYCLE, by="ops", at_most=2)
    world.ledger.dispose()


def _writable(url: str) -> None:
    world = _final(url)
    world.product.offers.make(CYCLE, by="ops")
    world.ledger.dispose()


# What is looked at


def _sign(product: Swapflow, process: Swapflow, rng: random.Random) -> Look:
    proposal = product.cohort.propose(CYCLE)
    inside = [p.external_id for p in proposal.places if p.standing is Standing.COHORT]
    outside = [p.external_id for p in proposal.places if p.standing is not Standing.COHORT]
    changes = []
    if rng.random() < 0.3:
        changes = [
            Override(external_id=outside[0], verdict=Verdict.SELECTED, reason="a second look"),
            Override(external_id=inside[0], verdict=Verdict.WAITLISTED, reason="a second look"),
        ]
    # Now and then a score comes between the list that was read and the decision that is prepared.
    digest = product.cohort.prepare(CYCLE, by="chair", overrides=changes, waiver=WAIVER)
    whom: tuple[str, ...]
    what = rng.choice(
        [
            "correction",
            "correction of another applicant",
            "void",
            "override",
            "withdrawal",
            "decision dropped",
            "meeting",
        ]
    )
    if what == "correction":
        whom = (rng.choice([inside[-1], outside[0]]),)
    elif what == "correction of another applicant":
        whom = (rng.choice(outside[2:]),)
    elif what == "override":
        whom = (outside[1], inside[-1])
    else:
        whom = (rng.choice([*inside, *outside[:3]]),)
    return Look(
        confirm=lambda: process.cohort.sign(CYCLE, digest, by="chair"),
        disturbance=Disturbance(what=what, whom=whom, value=rng.random()),
        unseen=lambda ledger, done: _unseen_list(ledger, proposal, changes, done=done),
    )


def _unseen_list(
    ledger: Ledger, proposal: Proposal, changes: list[Override], *, done: bool
) -> str:
    version = ledger.cycle(CYCLE).cohort_version
    if not done or version != 1:
        return _named(
            (not done and version > 0, "a list is fixed although it was refused"),
            (done, "it was done, they were told, and no list is fixed"),
        )
    (_, places, sheet) = ledger.proposals(CYCLE)[0]
    otherwise = {change.external_id: (change.verdict, change.reason) for change in changes}
    chosen = {Standing.COHORT: Verdict.SELECTED, Standing.WAITLIST: Verdict.WAITLISTED}
    shown = {
        place.application: otherwise.get(
            place.external_id, (chosen[place.standing], "as proposed")
        )
        for place in proposal.places
    }
    fixed = {o.application: (o.verdict, o.reason) for o in ledger.outcomes(CYCLE, 1)}
    return _named(
        (_order(places) != _order(proposal.places), "another list is fixed than was shown"),
        (fixed != shown, "applicants are decided otherwise than was shown"),
        (
            sheet.rules_version != proposal.sheet.rules_version,
            "it is fixed under other rules than were shown",
        ),
        (
            [by for by, _ in ledger.signatures(CYCLE, 1)] != ["chair"],
            "others are named than signed",
        ),
    ) or (_foreign(ledger, sheet.position) or _meeting_missing(ledger))


def _named(*problems: tuple[bool, str]) -> str:
    """Return the first problem that there is."""
    return next((words for there, words in problems if there), "")


def _order(places: Sequence[Place]) -> list[tuple[int, Standing]]:
    return [(place.application, place.standing) for place in places]


def _foreign(ledger: Ledger, position: int) -> str:
    """Name what was recorded between the event that a list was made from, and the list."""
    events = [e for e in every_event(ledger) if e.position.seq > position]
    last = max(e.position.seq for e in events if e.type is EventType.FINALIZED)
    between = [e for e in events if e.position.seq < last and e.type not in OWN]
    return "" if not between else f"{between[0].type.value} was not in what the list is made from"


def every_event(ledger: Ledger) -> tuple[Event, ...]:
    """Read the whole record."""
    return ledger.events(CYCLE, after=START, at_most=100_000) or ()


def _meeting_missing(ledger: Ledger) -> str:
    """Name a meeting that was opened before the list was fixed, and not closed."""
    meeting = ledger.meeting(CYCLE, 1)
    if meeting is None or meeting.closed is not None:
        return ""
    return "the list is fixed while its meeting is open"


def _conclude(product: Swapflow, process: Swapflow, rng: random.Random) -> Look:
    ledger = product.context.ledger
    (one,) = (r for r in ledger.reconsiderations(CYCLE) if r.is_open)
    names = {a.number: a.external_id for a in product.applicants.list(CYCLE)}
    name = names[one.application]
    evidence = product.reconsiderations.evidence(CYCLE, name)
    result = rng.choice([None, Result.WAITLISTED])
    digest = product.reconsiderations.prepare(
        CYCLE, name, by="chair", result=result, reason="an appeal", beyond=True
    )
    before = {o.application: o.verdict for o in ledger.outcomes(CYCLE, 1)}
    order = [p.application for p in ledger.proposals(CYCLE)[0][1]]
    chosen = [names[a] for a, verdict in before.items() if verdict is Verdict.SELECTED]
    what = rng.choice(
        ["correction", "reconsideration ended", "offers", "rate", "decision dropped"]
    )
    whom = (name,) if what != "offers" else (rng.choice(chosen),)

    def unseen(ledger: Ledger, done: bool) -> str:
        closing = ledger.reconsiderations(CYCLE)[0].closing
        made = closing is not None and closing.result is not Result.WITHDRAWN
        if not (done and made) or closing is None:
            return _named(
                (made, "it was concluded although it was refused"), (done, "it was not concluded")
            )
        problem = _named(
            (
                closing.result is not (result or evidence.proposes),
                "another result is fixed than was shown",
            ),
            (
                closing.after != evidence.after.estimate or closing.received != evidence.received,
                "it is fixed upon other evidence than was shown",
            ),
        )
        if problem or not closing.version:
            return problem
        (_, places, sheet) = ledger.proposals(CYCLE)[-1]
        after = {o.application: o.verdict for o in ledger.outcomes(CYCLE, closing.version)}
        others = [a for a in order if a != one.application]
        return _named(
            (
                [p.application for p in places if p.application != one.application] != others,
                "others were moved",
            ),
            (any(after[a] is not before[a] for a in others), "others are decided otherwise"),
        ) or _foreign(ledger, sheet.position)

    return Look(
        confirm=lambda: process.cohort.sign(CYCLE, digest, by="dean"),
        disturbance=Disturbance(what=what, whom=whom, value=rng.random()),
        unseen=unseen,
    )


def _undo(product: Swapflow, process: Swapflow, rng: random.Random) -> Look:
    ledger = product.context.ledger
    (one,) = ledger.reconsiderations(CYCLE)
    names = {a.number: a.external_id for a in product.applicants.list(CYCLE)}
    name = names[one.application]
    digest = product.reconsiderations.prepare_undoing(CYCLE, name, by="chair", reason="a mix-up")
    before = [(p.application, p.standing) for p in ledger.proposals(CYCLE)[0][1]]
    verdicts = {o.application: o.verdict for o in ledger.outcomes(CYCLE, 1)}
    what = rng.choice(["offers", "rate", "decision dropped", "correction"])

    def unseen(ledger: Ledger, done: bool) -> str:
        undone = ledger.cycle(CYCLE).cohort_version == 3
        if undone is not done:
            return "it was undone although it was refused" if undone else "it was not undone"
        if not done:
            return ""
        (_, places, sheet) = ledger.proposals(CYCLE)[-1]
        if [(p.application, p.standing) for p in places] != before:
            return "another list is back than stood before"
        if {o.application: o.verdict for o in ledger.outcomes(CYCLE, 3)} != verdicts:
            return "other decisions are back than stood before"
        return _foreign(ledger, sheet.position)

    return Look(
        confirm=lambda: process.cohort.sign(CYCLE, digest, by="dean"),
        disturbance=Disturbance(what=what, whom=(name,), value=rng.random()),
        unseen=unseen,
    )


def _offer(product: Swapflow, process: Swapflow, rng: random.Random) -> Look:
    ledger = product.context.ledger
    wave = product.offers.next_wave(CYCLE)
    at_most = rng.choice([0, 0, 1])
    shown = wave.places[:at_most] if at_most else wave.places
    names = {a.number: a.external_id for a in product.applicants.list(CYCLE)}
    offered = [names[o.application] for o in ledger.offers(CYCLE)]
    what = rng.choice(["answer", "rate", "offers", "letters"])

    def unseen(ledger: Ledger, done: bool) -> str:
        made = [(o.application, o.line) for o in ledger.offers(CYCLE) if o.by == "chair"]
        return _compared(made, list(shown), done=done, what="offers")

    return Look(
        confirm=lambda: bool(
            process.offers.make(CYCLE, by="chair", at_most=at_most, shown=wave.seal.digest).places
        ),
        disturbance=Disturbance(what=what, whom=(rng.choice(offered),), value=rng.random()),
        unseen=unseen,
    )


def _letters(product: Swapflow, process: Swapflow, rng: random.Random) -> Look:
    words = usual_wording("en")
    draft = product.announcements.draft(CYCLE, words)
    # Without addresses: what waits follows one that is corrected afterwards, and its words do not.
    shown = sorted((a.subject, a.parts[0]) for a in draft.letters)
    what = rng.choice(["answer", "address", "address", "letters", "rate"])
    offered = [a.external_id for a in draft.letters if a.offer is not None]
    anybody = [a.external_id for a in draft.letters]
    whom = (rng.choice(offered if what == "answer" else anybody),)

    def unseen(ledger: Ledger, done: bool) -> str:
        written = [a for a in ledger.announcements(CYCLE) if a.by == "chair"]
        ids = {
            f"{CYCLE}:letter:{a.id}:{letter.application}" for a in written for letter in a.letters
        }
        mails = [m.mail for m in ledger.cycle_mails(CYCLE, at_most=1000) if m.mail.id in ids]
        found = sorted((m.subject, _first(m.text, shown)) for m in mails)
        return _compared(found, shown, done=done, what="letters")

    return Look(
        confirm=lambda: bool(
            process.announcements.send(
                CYCLE, words, by="chair", hold=timedelta(days=1), seen=draft.digest
            ).letters
        ),
        disturbance=Disturbance(what=what, whom=whom, value=rng.random()),
        unseen=unseen,
    )


def _first(text: str, shown: list[tuple[str, str]]) -> str:
    """Return the first paragraph of a mail, if it is one that was shown."""
    return next((part for _, part in shown if part in text), text)


def _compared(made: Sequence[object], shown: Sequence[object], *, done: bool, what: str) -> str:
    if not done:
        return f"{what} were made although they were refused" if made else ""
    if list(made) == list(shown):
        return ""
    more, less = [m for m in made if m not in shown], [s for s in shown if s not in made]
    return f"other {what} were made than were shown: {more} and not {less}"


PAGES: Mapping[str, Page] = {
    "sign": Page(fill=_decidable, look=_sign),
    "conclude": Page(fill=_concludable, look=_conclude),
    "undo": Page(fill=_undoable, look=_undo),
    "offer": Page(fill=_offered, look=_offer),
    "letters": Page(fill=_writable, look=_letters),
}
"""What is confirmed, by name."""
