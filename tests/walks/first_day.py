"""An installation in which there is nothing yet, and the office worker who begins there."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from playwright.sync_api import Browser, Locator, Page

from swapflow.domain.cycle import CycleStatus
from swapflow.domain.rules import SeatLine
from swapflow.identity.permissions import Role
from tests.browser.office import DESK, PHONE, Deployment
from tests.support.identity_provider import IdentityProvider
from tests.walks.hand import Hand
from tests.walks.mailed import Mailed, mailing
from tests.web.site import SITE_RULES


WORKER = "office@example.edu"
"""Who walks: the first account of the office."""

ENDED = "ended"
"""A program whose reviews are in."""

NO_SUCH = "550 5.1.1 no such user"
"""What a mail server says of an address that it does not know."""


@dataclass
class FirstDay:
    """An installation in which there is nothing yet, with what a university has around it.

    Attributes:
        wide: Pages that were wider than the screen on which they were seen.
    """

    mailed: Mailed
    provider: IdentityProvider
    folder: Path
    wide: list[str] = field(default_factory=list)

    @property
    def up(self) -> Deployment:
        return self.mailed.up

    @property
    def drops(self) -> Path:
        """The folder into which other systems write."""
        root = self.up.settings.drop_folder
        assert root is not None
        return root

    def walked(self, walk: Callable[["FirstDay", Hand], None]) -> dict[str, int]:
        """Have the office worker do a job from the first page, and count their acts."""
        with self.up.person(WORKER) as desk:
            page = desk.new_page()
            page.goto("/")
            hand = WatchedHand(page, self.wide)
            walk(self, hand)
        return {"acts": hand.acts, "fields": hand.fields}


class WatchedHand(Hand):
    """A hand that looks, before each press, whether the page fits a phone and a desk."""

    def __init__(
        self, page: Page, wide: list[str], *, widths: tuple[int, ...] = (PHONE, DESK)
    ) -> None:
        super().__init__(page)
        self.wide, self.widths = wide, widths

    def tap(self, place: Locator) -> None:
        """Press the first of what is found."""
        place.first.wait_for()
        for width in self.widths:
            self.page.set_viewport_size({"width": width, "height": 800})
            taken = self.page.evaluate("document.documentElement.scrollWidth")
            if taken > width:
                self.wide.append(f"{self.page.url} takes {taken} of {width}")
        super().tap(place)


@contextmanager
def first_day(folder: Path, browser: Browser) -> Iterator[FirstDay]:
    """Run an empty installation beside a mail server and an identity provider."""
    drops = folder / "drops"
    drops.mkdir()
    with IdentityProvider() as there:
        provided = {
            name.removeprefix("SWAPFLOW_").lower(): value for name, value in there.settings.items()
        }
        more = {**provided, "drop_folder": str(drops), "drop_quiet": "0"}
        with mailing(folder / "first-day", browser, **more) as mailed:
            mailed.up.staff(WORKER, Role.ADMINISTRATOR, Role.CHAIR)
            yield FirstDay(mailed=mailed, provider=there, folder=folder)


def ended(one: FirstDay) -> None:
    """Furnish a program of three weeks: reviews, an end, and a list that is signed."""
    up, product = one.up, one.up.product
    one.mailed.server.refuse["ended-r4@example.org"] = NO_SUCH
    lines = (SeatLine(name="all", places=3),)
    rules = replace(SITE_RULES, lines=lines, budget=40, explanation_days=30)
    up.cycle(ENDED, applicants=8, rules=rules)
    for known in product.reviewers.list(ENDED):
        for task in up.tasks(ENDED, known.external_id)[:2]:
            up.answer(task)
    product.cycles.stop(ENDED, by="ops", reason="enough for this year")
    product.cohort.prepare(ENDED, by="ops", waiver="a small round")
    pending = product.cohort.pending(ENDED)
    assert pending is not None
    product.cohort.sign(ENDED, pending.prepared.digest, by=WORKER)
    assert product.cycles.get(ENDED).status is CycleStatus.FINALIZED
