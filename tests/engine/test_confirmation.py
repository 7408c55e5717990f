"""What was shown is what is confirmed, whatever is recorded between the page and the write."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta

import pytest

from swapflow.domain.cohort.meeting import Word
from swapflow.domain.cohort.offer import OfferAnswer
from swapflow.domain.cohort.proposal import Verdict
from swapflow.domain.cycle import CycleStatus, Position
from swapflow.domain.event import Json
from swapflow.domain.people.application import ApplicationStatus
from swapflow.domain.reviewing.score import Answer
from swapflow.domain.rules import Purpose
from swapflow.domain.seal import seal
from swapflow.engine import confirmation
from swapflow.engine.cohort.finalize import Override
from swapflow.engine.cohort.prepared_decisions import digest_of_decision
from swapflow.engine.offers.announcement_wording import usual_wording
from swapflow.engine.ports.records import PreparedDecision
from swapflow.engine.ports.writes.transaction import Write
from swapflow.errors import ConflictError, NotReadyError, SwapflowError
from tests.engine.cycle_by_hand import CYCLE, World, rules
from tests.engine.reconsideration.fixed_list import answered, concluded, fixed, order, reopened


Act = Callable[[], object]


def rising(external_id: str, *_: object) -> float:
    return int(external_id[1:]) / 10


def proposed() -> World:
    """A cycle whose stop is proposed: A006 to A008 are ahead."""
    world = World(rules=rules(budget=8, purpose=Purpose.REAL))
    world.run(rising)
    return world


def meanwhile(world: World, act: Act, *, times: int = 1) -> None:
    """Do something at the last moment before the next write, and the next ones after it."""
    left = times
    busy = False

    def around(_cycle: str, write: Write) -> Write:
        nonlocal left, busy
        if left and not busy:
            left, busy = left - 1, True
            act()
            busy = False
        return write

    world.ledger.around_write = around


def correct(world: World, external_id: str, mark: float) -> Act:
    """Correct the one mark of an applicant."""
    number = next(n for n, name in world.names().items() if name == external_id)
    score = next(s for s in world.ledger.scores(CYCLE) if s.application == number)
    answer = Answer(assignment_id=score.assignment_id, utility=mark)
    return lambda: world.product.scores.correct(answer, by="ops", reason="a slip")


def void(world: World, external_id: str) -> Act:
    """Void the one mark of an applicant."""
    number = next(n for n, name in world.names().items() if name == external_id)
    score = next(s for s in world.ledger.scores(CYCLE) if s.application == number)
    return lambda: world.product.scores.void([score.assignment_id], by="ops", reason="a slip")


def address(world: World, external_id: str) -> Act:
    """Change an address as a list that comes again does; no event tells of it."""

    def act() -> None:
        with world.ledger.write(CYCLE) as tx:
            found = next(a for a in tx.applications() if a.external_id == external_id)
            tx.change_application(replace(found, email="else@example.org"))

    return act


def rate(world: World, accepting: float, risk: float = 0.0) -> Act:
    return lambda: world.product.offers.set_acceptance_rate(
        CYCLE, (accepting, 1.0), risk=risk, source="last year", by="ops"
    )


def withdraw(world: World, external_id: str) -> Act:
    return lambda: world.product.applicants.move(
        CYCLE, external_id, ApplicationStatus.WITHDRAWN, by="ops"
    )


def change(into: str, out: str) -> list[Override]:
    return [
        Override(external_id=into, verdict=Verdict.SELECTED, reason="a second opinion"),
        Override(external_id=out, verdict=Verdict.WAITLISTED, reason="a second opinion"),
    ]


@dataclass
class Page:
    """What a person looks at: the act that it leads to, and what others may do to it."""

    world: World
    confirm: Act
    disturbances: dict[str, Act]
    harmless: Act


def signing() -> Page:
    world = proposed()
    digest = world.product.cohort.prepare(CYCLE, by="chair")
    return Page(
        world,
        lambda: world.product.cohort.sign(CYCLE, digest, by="chair"),
        {
            "a correction": correct(world, "A005", 1.0),
            "a void": void(world, "A008"),
            "a withdrawal": withdraw(world, "A008"),
            "another decision": lambda: world.product.cohort.prepare(
                CYCLE, by="dean", overrides=change("A001", "A008")
            ),
            "a decision that is dropped": lambda: world.product.cohort.take_back(CYCLE),
            "a meeting": lambda: world.product.meetings.open(CYCLE, by="dean"),
        },
        correct(world, "A001", 0.12),
    )


def finalizing() -> Page:
    world = proposed()
    shown = world.product.cohort.propose(CYCLE).seal.digest
    return Page(
        world,
        lambda: world.product.cohort.finalize(CYCLE, by="chair", shown=shown),
        {
            "a correction": correct(world, "A005", 1.0),
            "a withdrawal": withdraw(world, "A008"),
            "a meeting": lambda: world.product.meetings.open(CYCLE, by="dean"),
        },
        correct(world, "A001", 0.12),
    )


def preparing() -> Page:
    world = proposed()
    shown = world.product.cohort.propose(CYCLE).seal.digest
    return Page(
        world,
        lambda: world.product.cohort.prepare(CYCLE, by="chair", shown=shown),
        {"a correction": correct(world, "A005", 1.0), "a withdrawal": withdraw(world, "A008")},
        correct(world, "A001", 0.12),
    )


def concluding() -> Page:
    world = fixed()
    reopened(world, "A003", reviews=1)
    answered(world, 1.0)
    shown = world.product.reconsiderations.evidence(CYCLE, "A003").seal.digest
    return Page(
        world,
        lambda: concluded(world, "A003", beyond=True, shown=shown),
        {
            "an offer that is declined": lambda: (
                world.product.offers.make(CYCLE, by="ops"),
                world.product.offers.answer(CYCLE, "A008", OfferAnswer.DECLINED, by="ops"),
            ),
        },
        rate(world, 3.0),
    )


def signing_a_conclusion() -> Page:
    page = concluding()
    digest = page.world.product.reconsiderations.prepare(CYCLE, "A003", by="chair", beyond=True)
    return replace(
        page,
        confirm=lambda: page.world.product.cohort.sign(CYCLE, digest, by="dean"),
        disturbances={
            "a decision that is dropped": lambda: page.world.product.cohort.take_back(CYCLE),
            "taken back": lambda: page.world.product.reconsiderations.take_back(
                CYCLE, "A003", by="ops", reason="asked us to"
            ),
        },
    )


def undoing() -> Page:
    world = fixed()
    reopened(world, "A003", reviews=1)
    answered(world, 1.0)
    concluded(world, "A003", beyond=True)
    shown = world.product.cohort.final_list(CYCLE).seal.digest
    return Page(
        world,
        lambda: world.product.reconsiderations.undo(
            CYCLE, "A003", names=("chair", "dean"), reason="a mix-up", shown=shown
        ),
        {
            "an offer to the person": lambda: world.product.offers.make(CYCLE, by="ops"),
            "another version": lambda: (
                reopened(world, "A005", reviews=1),
                answered(world, 1.0),
                concluded(world, "A005", beyond=True),
            ),
        },
        rate(world, 3.0),
    )


def reopening() -> Page:
    world = fixed()
    shown = world.product.cohort.final_list(CYCLE).seal.digest
    return Page(
        world,
        lambda: world.product.cohort.reopen(
            CYCLE, names=("chair", "dean"), reason="an appeal", shown=shown
        ),
        {
            "letters": lambda: (
                world.product.offers.make(CYCLE, by="ops"),
                world.product.announcements.send(CYCLE, usual_wording("en"), by="ops"),
            ),
            "a reconsideration": lambda: reopened(world, "A003", reviews=1),
        },
        lambda: world.product.offers.make(CYCLE, by="ops"),
    )


def offering() -> Page:
    world = fixed()
    shown = world.product.offers.next_wave(CYCLE).seal.digest
    return Page(
        world,
        lambda: world.product.offers.make(CYCLE, by="ops", shown=shown),
        {
            "another rate": rate(world, 0.2, 0.4),
            "the same offers": lambda: world.product.offers.make(CYCLE, by="dean"),
        },
        rate(world, 3.0),
    )


def writing_letters() -> Page:
    world = fixed()
    world.product.offers.make(CYCLE, by="ops")
    words = usual_wording("en")
    shown = world.product.announcements.draft(CYCLE, words).digest
    gone = {"A006": OfferAnswer.DECLINED}
    return Page(
        world,
        lambda: world.product.announcements.send(CYCLE, words, by="ops", seen=shown),
        {
            "an answer": lambda: [
                world.product.offers.answer(CYCLE, name, said, by="ops")
                for name, said in gone.items()
            ],
            "another address": address(world, "A008"),
            "the same letters": lambda: world.product.announcements.send(CYCLE, words, by="dean"),
        },
        rate(world, 3.0),
    )


PAGES = {
    "sign a decision": signing,
    "finalize": finalizing,
    "prepare a decision": preparing,
    "conclude": concluding,
    "sign a conclusion": signing_a_conclusion,
    "undo": undoing,
    "reopen": reopening,
    "offer": offering,
    "write letters": writing_letters,
}
CASES = [(page, name) for page, made in PAGES.items() for name in made().disturbances]


def decided(world: World) -> object:
    """Everything that these acts fix or put up for signature."""
    ledger, cycle = world.ledger, world.cycle
    return (
        cycle.cohort_version,
        cycle.status,
        ledger.proposals(CYCLE),
        ledger.offers(CYCLE),
        ledger.prepared(CYCLE),
        ledger.signatures(CYCLE, max(cycle.cohort_version, 1)),
        [(a.id, a.by) for a in ledger.announcements(CYCLE)],
        [r.closing for r in ledger.reconsiderations(CYCLE)],
    )


@pytest.mark.parametrize(("act", "disturbance"), CASES)
def test_an_act_whose_ground_moves_in_the_last_moment_is_refused_and_writes_nothing(
    act: str, disturbance: str
) -> None:
    page = PAGES[act]()
    after: list[object] = []

    def disturb() -> None:
        page.disturbances[disturbance]()
        after.append(decided(page.world))

    meanwhile(page.world, disturb)

    with pytest.raises(SwapflowError) as refused:
        page.confirm()

    assert after == [decided(page.world)], "only what the other person did is written"
    assert isinstance(refused.value, (ConflictError, NotReadyError)), refused.value


@pytest.mark.parametrize("act", PAGES)
def test_an_event_that_changes_nothing_of_what_was_shown_refuses_nobody(act: str) -> None:
    page = PAGES[act]()
    meanwhile(page.world, page.harmless)

    page.confirm()

    page.world.verify()


@pytest.mark.parametrize("act", PAGES)
def test_an_act_gives_up_after_five_tries_and_writes_nothing(act: str) -> None:
    page = PAGES[act]()
    harmless = iter(range(1, 100))

    def record() -> None:
        n = next(harmless)
        if page.world.cycle.status is CycleStatus.FINALIZED:
            rate(page.world, 3.0 + n)()
        else:
            correct(page.world, "A001", 0.1 + n / 1000)()

    before = decided(page.world)
    meanwhile(page.world, record, times=50)

    with pytest.raises(ConflictError, match="again and again"):
        page.confirm()

    assert decided(page.world) == before
    assert next(harmless) == confirmation.TRIES + 1


def test_the_refusal_names_what_has_changed_and_the_signatures_are_void() -> None:
    page = signing()
    correct(page.world, "A005", 1.0)()

    with pytest.raises(ConflictError, match="who is on the list, or the order"):
        page.confirm()

    assert page.world.stands(CycleStatus.PROPOSED)


def test_a_fixed_list_says_the_event_that_it_was_made_from() -> None:
    page = signing()
    seen: list[Position] = []

    def disturb() -> None:
        page.harmless()
        seen.append(page.world.cycle.position)

    meanwhile(page.world, disturb)
    assert page.confirm()

    (_, _, sheet), *_ = page.world.ledger.proposals(CYCLE)
    assert [Position(sheet.position, sheet.head_hash)] == seen


def test_who_keeps_an_offered_place_is_part_of_what_is_signed() -> None:
    world = fixed()
    world.product.offers.make(CYCLE, by="ops")
    world.product.cohort.reopen(CYCLE, names=("chair", "dean"), reason="an appeal")
    withdrawn = correct(world, "A005", 1.0)
    withdrawn()
    digest = world.product.cohort.prepare(CYCLE, by="chair")
    world.ledger.around_write = lambda _cycle, write: write

    with world.ledger.write(CYCLE) as tx:
        (offer,) = (o for o in tx.offers() if world.names()[o.application] == "A006")
        tx.answer_offer(offer.id, OfferAnswer.DECLINED)

    with pytest.raises(ConflictError, match="decided about applicants"):
        world.product.cohort.sign(CYCLE, digest, by="chair")


def test_a_decision_that_an_earlier_version_prepared_is_signed_by_its_own_digest() -> None:
    world = proposed()
    proposal = world.product.cohort.propose(CYCLE)
    body: dict[str, Json] = {"changes": [], "waiver": ""}
    old = digest_of_decision(proposal, body, "chair")
    world.ledger.prepare(
        CYCLE,
        PreparedDecision(what="decision", digest=old, body=body, by="chair"),
    )

    assert world.product.cohort.sign(CYCLE, old, by="chair")

    assert world.product.cohort.pending(CYCLE) is None


def test_only_the_prepared_decision_that_was_shown_is_dropped() -> None:
    world = proposed()
    shown = world.product.cohort.prepare(CYCLE, by="chair")
    world.product.cohort.prepare(CYCLE, by="dean", overrides=change("A001", "A008"))

    with pytest.raises(ConflictError, match="changed or withdrawn"):
        world.product.cohort.take_back(CYCLE, shown=shown)

    left = world.product.cohort.pending(CYCLE)
    assert left is not None
    assert left.prepared.by == "dean"
    assert world.product.cohort.take_back(CYCLE, shown=left.prepared.digest)


def test_a_list_that_is_fixed_otherwise_leaves_nothing_waiting_for_signatures() -> None:
    world = proposed()
    world.product.cohort.prepare(CYCLE, by="dean", overrides=change("A001", "A008"))

    world.product.cohort.finalize(CYCLE, by="chair")

    assert world.product.cohort.pending(CYCLE) is None


def test_only_the_letters_and_the_reconsideration_that_were_shown_are_taken_back() -> None:
    world = fixed()
    world.product.offers.make(CYCLE, by="ops")
    words = usual_wording("en")
    world.product.announcements.send(CYCLE, words, by="ops", hold=timedelta(days=1))
    held = world.ledger.announcements(CYCLE)[-1]
    with pytest.raises(ConflictError, match="which letters are waiting"):
        world.product.announcements.take_back(CYCLE, by="ops", which=held.id + 1)
    world.product.announcements.take_back(CYCLE, by="ops", which=held.id)

    opened = reopened(world, "A003", reviews=1)
    with pytest.raises(ConflictError, match="which reconsideration is open"):
        world.product.reconsiderations.take_back(
            CYCLE, "A003", by="ops", reason="x", which=opened + 1
        )
    world.product.reconsiderations.take_back(CYCLE, "A003", by="ops", reason="x", which=opened)


def test_without_the_guard_what_was_not_shown_is_fixed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confirmation, "unchanged", lambda *_: True)
    page = signing()
    meanwhile(page.world, page.disturbances["a withdrawal"])

    page.confirm()

    assert "A008" in order(page.world), "a list with somebody who has left: the guard tells"


def test_a_meeting_that_records_something_else_in_the_last_moment_is_followed() -> None:
    world = proposed()
    world.product.meetings.open(CYCLE, by="dean")
    for place in world.product.meetings.agenda(CYCLE).missing:
        word = Word.IN if place.standing.value == "cohort" else Word.WAITLIST
        world.product.meetings.record(
            CYCLE, place.application, word, reason="as proposed", by="dean", seat=None
        )
    world.product.meetings.close(CYCLE, by="dean")
    digest = world.product.cohort.prepare(CYCLE, by="chair")
    number = next(n for n, name in world.names().items() if name == "A008")

    def disturb() -> None:
        world.product.meetings.reopen(CYCLE, reason="more to say", by="dean")
        world.product.meetings.record(
            CYCLE, number, Word.OUT, reason="withdrew", by="dean", seat=None
        )
        world.product.meetings.close(CYCLE, by="dean")

    meanwhile(world, disturb)

    with pytest.raises(SwapflowError, match="meeting"):
        world.product.cohort.sign(CYCLE, digest, by="chair")

    assert world.stands(CycleStatus.PROPOSED)


def test_a_seal_tells_which_parts_differ_by_its_digest_alone() -> None:
    shown = seal(version=1, list=[[1, "cohort"]], estimate=0.5)
    again = seal(version=1, list=[[1, "cohort"]], estimate=0.5 + 1e-12)
    other = seal(version=2, list=[[1, "cohort"]], estimate=0.5)

    assert again.agrees(shown.digest)
    assert not other.agrees(shown.digest)
    assert other.differing(shown.digest) == ("version",)
    assert other.differing(shown.whole) == ()
