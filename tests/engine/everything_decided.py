"""A cycle in which people did all that they can do to a decision: nothing of it is left out."""

from datetime import date

from swapflow.domain.cohort.applicant_answer import ApplicantSaid
from swapflow.domain.cohort.meeting import Shown, Word, ZoneSide
from swapflow.domain.cohort.offer import OfferAnswer
from swapflow.domain.cohort.proposal import Verdict, Waiver
from swapflow.domain.event import EventType
from swapflow.domain.rules import Floor, KindRules, Purpose, RuleName
from swapflow.engine.cohort.finalize import Override
from swapflow.engine.lifecycle.pins import PinSide
from swapflow.engine.offers.announcement_wording import usual_wording
from swapflow.engine.reconsideration.open_reconsideration import ReconsiderationRequest
from tests.engine.cycle_by_hand import CYCLE, World, applicant, marks, reviewer, rules


APPROVED = KindRules(name="interview", cost=2, gain=2.0, maximum=1, approval=True)
PEOPLE = [
    applicant(
        f"A{n:03d}",
        name=f"Ada Number{n}",
        email=f"a{n}@example.org",
        selection={"region": "North" if n <= 4 else "South"},
    )
    for n in range(1, 9)
]
ROSTER = [
    *(
        reviewer(
            f"R{n}",
            name=f"Rex Number{n}",
            email=f"r{n}@example.org",
            capacity={"review": None, "interview": None},
            conflicts=("A005",) if n == 1 else (),
        )
        for n in range(1, 5)
    ),
    *(
        reviewer(f"S{n}", name=f"Sue Reserve{n}", email=f"s{n}@example.org", reserve=True)
        for n in range(1, 4)
    ),
]


def asked(url: str, **changes: object) -> World:
    """A cycle whose asking was ended by staff; nothing of it is signed yet.

    One applicant was pinned and one opened by a reviewer, a request struck and others approved,
    and A008 has no review.
    """
    settings: dict[str, object] = {
        "purpose": Purpose.REAL,
        "rule": RuleName.BUDGET,
        "kinds": (KindRules(name="review", cost=1, gain=1.0, maximum=3), APPROVED),
        "floors": (Floor(kind="review", count=1),),
        "budget": 30,
        "signatures": 2,
        **changes,
    }
    world = World(url=url, rules=rules(**settings), applications=PEOPLE, roster=ROSTER)
    world.turn()
    world.product.cohort.pin(CYCLE, "A002", PinSide.IN, by="Prof. Quill", reason="a legacy")
    world.product.reviewers.open_applicant(
        CYCLE, world.number("A005"), 0, by="Rex Number1", reason="the dean asked"
    )
    struck = False
    for _ in range(60):
        world.turn()
        proposed = [name for name, *_ in world.product.approvals.proposed(CYCLE)]
        if proposed and not struck:
            struck = True
            world.product.approvals.strike(
                CYCLE, proposed[:1], by="Prof. Quill", reason="we know enough"
            )
        elif proposed:
            world.product.approvals.approve(CYCLE, proposed, by="Dean Pell")
        elif not _answered(world):
            break
    world.product.cycles.stop(CYCLE, by="ops", reason="it is late")
    return world


def _answered(world: World) -> int:
    """Everybody answers, but nobody ever about A008; says how many answers came."""
    names, people = world.names(), world.people()
    open_ones = [one for one in world.waiting() if names[one.application] != "A008"]
    for one in open_ones:
        kind = "review" if one.kind == 0 else "interview"
        mark = marks(names[one.application], kind, one.ordinal, people[one.reviewer])
        world.submit(one, mark)
    return len(open_ones)


def signed(url: str, **changes: object) -> World:
    """The same with a meeting, an override and a list that two people signed."""
    world = asked(url, **changes)
    product = world.product
    product.meetings.open(CYCLE, by="Prof. Quill")
    agenda = product.meetings.agenda(CYCLE)
    out = next(p for p in reversed(agenda.places) if p.application in agenda.chosen)
    into = next(p for p in agenda.places if p.application not in agenda.chosen)
    for place in agenda.missing:
        if place not in (out, into):
            word = Word.IN if place.application in agenda.chosen else Word.WAITLIST
            _said(world, place.application, word, "as proposed by all")
    _said(world, out.application, Word.DISCUSS, "")
    _said(world, out.application, Word.WAITLIST, "comes next year")
    _said(world, into.application, Word.IN, "an unusual file")
    product.meetings.look(CYCLE, into.application, Shown.FILE, by="Prof. Quill", seat=None)
    product.meetings.look(CYCLE, out.application, Shown.ESTIMATE, by="Dean Pell", seat=None)
    for zone in ZoneSide:
        if product.meetings.agenda(CYCLE).unsaid(zone):
            product.meetings.confirm_zone(CYCLE, zone, by="Dean Pell")
    product.meetings.close(CYCLE, by="Prof. Quill")
    product.meetings.reopen(CYCLE, reason="one was forgotten", by="Dean Pell")
    product.meetings.close(CYCLE, by="Dean Pell")
    product.cohort.finalize(
        CYCLE,
        by="Prof. Quill",
        signed_by=["Dean Pell"],
        overrides=[
            Override(external_id=out.external_id, verdict=Verdict.WAITLISTED, reason="next year"),
            Override(external_id=into.external_id, verdict=Verdict.SELECTED, reason="unusual"),
        ],
        waiver=Waiver(by="Prof. Quill", reason="nobody was free"),
    )
    return world


def everything(url: str, **changes: object) -> World:
    """The same with offers and answers, letters, a reconsideration undone, and a second list."""
    world = signed(url, **changes)
    product = world.product
    product.offers.set_acceptance_rate(
        CYCLE, (40.0, 10.0), risk=0.05, source="the office", by="Dean Pell"
    )
    wave = product.offers.make(CYCLE, by="Prof. Quill")
    names = world.names()
    product.offers.answer(
        CYCLE, names[wave.places[0][0]], OfferAnswer.ACCEPTED, by="ops", reason="by mail"
    )
    with world.ledger.write(CYCLE) as tx:
        asking = tx.offers()[-1]
        tx.add_applicant_answer(asking.application, ApplicantSaid.MORE_TIME, offer_id=asking.id)
        tx.record(
            EventType.APPLICANT_ANSWERED,
            {"a": asking.application, "answer": ApplicantSaid.MORE_TIME.value},
        )
    product.announcements.send(CYCLE, usual_wording(), by="ops")
    product.announcements.take_back(CYCLE, by="Dean Pell")
    _reconsidered(world)
    product.cohort.reopen(CYCLE, names=["Prof. Quill", "Dean Pell"], reason="one more look")
    product.cohort.finalize(
        CYCLE,
        by="Prof. Quill",
        signed_by=["Dean Pell"],
        waiver=Waiver(by="Dean Pell", reason="nobody was free"),
    )
    product.offers.make(CYCLE, by="Prof. Quill")
    return world


def _reconsidered(world: World) -> None:
    """One application is looked at again, the list changes by it, and that is undone."""
    waiting = [
        world.names()[o.application]
        for o in world.product.cohort.outcomes(CYCLE, world.cycle.cohort_version)
        if o.verdict is Verdict.WAITLISTED
    ]
    again = world.product.reconsiderations
    for who in waiting[:2]:
        wanted = ReconsiderationRequest(
            reason="a wrong file", asked_by="the applicant", asked_on=date(2027, 5, 4)
        )
        again.open(CYCLE, who, wanted, by="ops")
        world.turn()
        while opened := world.waiting():
            for assignment in opened:
                world.submit(assignment, 1.0)
            world.turn()
    names = ["Prof. Quill", "Dean Pell"]
    again.conclude(CYCLE, waiting[0], names=names, reason="the new reviews say so", beyond=True)
    again.take_back(CYCLE, waiting[1], by="ops", reason="they asked us to")
    again.undo(CYCLE, waiting[0], names=names, reason="they have moved away")


def _said(world: World, application: int, word: Word, reason: str) -> None:
    world.product.meetings.record(
        CYCLE, application, word, reason=reason, by="Prof. Quill", seat=None
    )
