"""Cohorts that are fixed, with people to whom places are offered."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

from swapflow.domain.cohort.announcement import LetterState
from swapflow.domain.objective import GroupQuota
from swapflow.domain.people.application import NewApplication
from swapflow.domain.rules import Purpose
from swapflow.engine.offers.announcement_wording import usual_wording
from swapflow.engine.ports.records import Mail
from swapflow.engine.services import Swapflow, compose
from tests.engine.cycle_by_hand import CYCLE, World, applicant, rules


PEOPLE = [
    applicant(f"A{n:03d}", selection={"region": "North" if n <= 4 else "South"})
    for n in range(1, 9)
]

NORTH = GroupQuota(attribute="region", value="North", minimum=1)


def rising(external_id: str, *_: object) -> float:
    return int(external_id[1:]) / 10


def fixed(url: str = "sqlite://", **changes: object) -> World:
    """A fixed list: A008, A007, A006, then the waitlist from A005 down."""
    settings: dict[str, object] = {"budget": 8, "purpose": Purpose.REAL, **changes}
    world = World(url=url, rules=rules(**settings), applications=PEOPLE)
    world.run(rising)
    world.product.cohort.finalize(CYCLE, by="chair")
    return world


NAMED = [
    applicant(f"A{n:03d}", name=f"Person {n}", email="" if n == 1 else f"a{n}@example.org")
    for n in range(1, 9)
]


class Office:
    """A world whose list is fixed (A008, A007, A006, waitlist from A005 down), and its post."""

    def __init__(self, people: Sequence[NewApplication] = NAMED, *, language: str = "") -> None:
        real = rules(budget=8, purpose=Purpose.REAL, language=language)
        self.world = World(rules=real, applications=people)
        self.world.run(rising)
        self.world.product.cohort.finalize(CYCLE, by="chair")
        self.posted: list[Mail] = []
        self.product: Swapflow = compose(
            replace(self.world.product.context, post=self.posted.append)
        )

    def offer(self) -> None:
        until = self.world.ledger.now() + timedelta(days=30)
        self.product.offers.make(CYCLE, by="ops", until=until)

    def announce(self, **more: object) -> dict[str, str]:
        """Announce; gives what each is told, by external id."""
        wording = more.pop("wording", usual_wording())
        made = self.product.announcements.send(CYCLE, wording, by="ops", **more)  # type: ignore[arg-type]
        return {letter.external_id: letter.group.value for letter in made.letters}

    def send(self) -> dict[str, str]:
        """Send everything that may go; return subject and text by address."""
        before = len(self.posted)
        self.world.coordinator.relay()
        for mail in self.world.ledger.mails(at_most=100):
            self.product.outbox.send_mail(mail.id)
        return {mail.to: f"{mail.subject}\n{mail.text}" for mail in self.posted[before:]}

    def states(self) -> Mapping[str, LetterState]:
        names = self.world.names()
        return {
            names[letter.application]: letter.state
            for announcement in self.product.announcements.list(CYCLE)
            for letter in announcement.letters
        }
