"""A program like the demo's, decided at a meeting: some applicants read twice, some five times."""

from swapflow.bandit.ties import tie_key
from swapflow.domain.cohort.meeting import Shown, Word, ZoneSide
from swapflow.domain.cohort.proposal import Standing, Verdict
from swapflow.domain.reviewing.assignment import Assignment
from swapflow.domain.reviewing.score import Answer
from swapflow.domain.rules import Criterion, Floor, KindRules, Purpose, Rubric, SeatLine
from swapflow.engine.cohort.finalize import Override
from tests.engine.cycle_by_hand import CYCLE, World, applicant, reviewers, rules


NOTICE = "On example.edu/apply since 1 September: people read every file, and people decide."
SCALE = ((1.0, "weak"), (2.0, "fair"), (3.0, "good"), (4.0, "very good"), (5.0, "outstanding"))
CRITERIA = ("Preparation", "Promise", "Statement")
CHAIR, PUT_IN, LEFT_OUT = "chair@example.edu", "A00", "A30"
LETTER, CV = "reference letter", "curriculum vitae"
NAMES = (
    "Amara Okafor", "Jonas Weber", "Mei Lin", "Sofia Rossi", "Karim Haddad", "Ingrid Dahl",
    "Tomás Vega", "Priya Nair", "Luca Brandt", "Hana Sato", "Olu Adeyemi", "Eva Novak",
)  # fmt: skip

RULES = rules(
    purpose=Purpose.REAL,
    lines=(SeatLine(name="all", places=11),),
    kinds=(KindRules(name="review", cost=1, gain=1.0, maximum=5),),
    rubrics=(
        Rubric(
            kind="review",
            version=1,
            criteria=tuple(
                Criterion(name=name, marks=SCALE, weight=2.0 if name == "Promise" else 1.0)
                for name in CRITERIA
            ),
        ),
    ),
    floors=(Floor(kind="review", count=2),),
    budget=100,
    blind=True,
    packet=8,
    notice=NOTICE,
    confidential=("reference",),
)


def marks(world: World, task: Assignment) -> dict[str, float | None]:
    """Marks from 1 to 5 around a truth of the applicant; the same task, the same marks."""
    truth = 1.5 + 3 * (tie_key(1, str(task.application)) >> 11) / 2**53
    given: dict[str, float | None] = {}
    for name in CRITERIA:
        luck = (tie_key(2, f"{task.application}/{task.reviewer}/{name}") >> 11) / 2**53 - 0.5
        given[name] = float(min(5, max(1, round(truth + 2.4 * luck))))
    return given


def asked(url: str = "sqlite://") -> World:
    """A program whose asking has ended, with 36 applicants and three places in ten."""
    people = [
        applicant(
            f"A{number:02d}",
            name=f"{NAMES[number % 12]} {number // 12 + 1}",
            email=f"a{number:02d}@example.org",
            fields={"degree": "BSc", "Reference remarks": f"of a referee, file {number}"},
            documents=((LETTER, f"https://files.example.org/{number}/letter", True),
                       (CV, f"https://files.example.org/{number}/cv", True)),
        )
        for number in range(36)
    ]  # fmt: skip
    world = World(url=url, rules=RULES, applications=people, roster=reviewers(8))
    for _ in range(200):
        world.turn()
        if not (waiting := world.waiting()):
            break
        for task in waiting:
            if world.ledger.assignment(task.id).status.is_open:
                world.product.tasks.open(task.id)
                world.product.tasks.submit(
                    [Answer(assignment_id=task.id, marks=marks(world, task), remark="a remark")]
                )
    if world.cycle.status.value != "ended":
        world.product.cycles.stop(CYCLE, by="office@example.edu", reason="the reviews are in")
    return world


def decided(world: World) -> None:
    """Decide at a meeting: two files are opened, and their applicants change places."""
    meetings, proposal = world.product.meetings, world.product.cohort.propose(CYCLE)
    meetings.open(CYCLE, by=CHAIR)
    for number in (PUT_IN, LEFT_OUT):
        meetings.look(CYCLE, world.number(number), Shown.FILE, by=CHAIR, seat=None)
    for place in proposal.places:
        if not place.too_close:
            continue
        word = Word.IN if place.standing is Standing.COHORT else Word.WAITLIST
        reason = "as the reviewers say"
        if place.external_id == PUT_IN:
            word, reason = Word.IN, "the only one with work on sea ice, which the group needs"
        elif place.external_id == LEFT_OUT:
            word, reason = Word.WAITLIST, "no supervisor for the topic this year"
        meetings.record(CYCLE, place.application, word, reason=reason, by=CHAIR, seat=None)
    for zone in ZoneSide:
        meetings.confirm_zone(CYCLE, zone, by="dean@example.edu")
    meetings.close(CYCLE, by=CHAIR)
    changes = (
        Override(
            external_id=PUT_IN,
            verdict=Verdict.SELECTED,
            reason="the only one with work on sea ice, which the group needs",
        ),
        Override(
            external_id=LEFT_OUT,
            verdict=Verdict.WAITLISTED,
            reason="no supervisor for the topic this year",
        ),
    )
    world.product.cohort.finalize(
        CYCLE, by=CHAIR, signed_by=("dean@example.edu",), overrides=changes
    )
