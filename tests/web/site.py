"""A site in this process: product, office and pages on a database file of their own."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

from fastapi import FastAPI
from starlette.routing import BaseRoute
from starlette.testclient import TestClient

from swapflow.bootstrap import programs_of_rosters
from swapflow.domain.people.reviewer import NewReviewer
from swapflow.domain.reviewing.assignment import Assignment
from swapflow.domain.rules import Criterion, Purpose, Rubric, Rules
from swapflow.engine.notifications.office_contact import contact_of
from swapflow.engine.ports.dispatcher import QueueMessage, Topic
from swapflow.engine.ports.live_state import Arms
from swapflow.engine.ports.records import Mail
from swapflow.engine.services import ServiceContext, compose
from swapflow.errors import NotFoundError
from swapflow.identity.account import Account, Method
from swapflow.identity.permissions import Role, Scope
from swapflow.identity.services import IdentityContext, compose_office
from swapflow.ledger.maintenance.backup_folder import BackupFolder
from swapflow.ledger.sql_ledger import SqlLedger
from swapflow.outbound.guarded_client import GuardedClient
from swapflow.outbound.webhooks import webhook_sender
from swapflow.queues.inline import InlineDispatcher
from swapflow.settings import Settings
from swapflow.state.memory import MemoryCycleState, MemoryDoorbell
from swapflow.state.rate_limits import MemoryLimiter, RedisLimiter
from swapflow.state.redis import RedisCycleState, RedisDoorbell
from swapflow.web.app import create_app
from swapflow.web.http.dependencies import cookie_name
from tests.engine.cycle_by_hand import RULES, applicant, reviewer
from tests.support.migrated import migrated
from tests.web.client import Browser


ADDRESS = "http://testserver"
SAME_ORIGIN = {"Sec-Fetch-Site": "same-origin"}
PASSWORD = "correct horse battery"
RUBRIC = Rubric(
    kind="review",
    version=1,
    criteria=(
        Criterion(
            name="Preparation",
            marks=((1.0, "weak"), (2.0, "passable"), (3.0, "good"), (4.0, "strong")),
            weight=2.0,
        ),
        Criterion(name="Promise", marks=((1.0, "low"), (2.0, "middling"), (3.0, "high"))),
    ),
)
"""What reviewers of the cycles that a site makes give marks for."""

SITE_RULES: Rules = replace(
    RULES, purpose=Purpose.REAL, rubrics=(RUBRIC,), budget=60, blind=True, packet=4, taper=0.5
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What a site held after it was filled.

    Attributes:
        database: The file.
        mails: Every mail that was sent.
        live: Id, state and board of every cycle.
    """

    database: bytes
    mails: tuple[Mail, ...]
    live: tuple[tuple[str, Arms, bytes | None], ...]


KEPT: dict[str, Kept] = {}
ROUTES: list[BaseRoute] = []


class Site:
    """One deployment's pages, and the people who open them.

    Attributes:
        mails: Every mail that was sent, oldest first; `turn` sends those that wait.
    """

    def __init__(
        self,
        database: Path | str,
        *,
        settings: Settings,
        redis: str = "",
        mail_leaves: bool = True,
        undo: timedelta = timedelta(),
        backups: bool = False,
    ) -> None:
        """Put a site together; given a Redis, its live state and counts lie there.

        Args:
            database: A SQLite file, or the address of another database.
            settings: The settings of its pages.
            redis: Address of a Redis; in memory when empty.
            mail_leaves: Whether there is a mail server.
            undo: How long acts can be undone; nothing is held when zero.
            backups: Whether it has a folder of backups.
        """
        self.settings = settings
        self._file = database if isinstance(database, Path) else None
        self.mails: list[Mail] = []
        url = f"sqlite:///{database}" if self._file else str(database)
        self.ledger = SqlLedger(url)
        self.backups = BackupFolder(url, settings.data_dir / "backups") if backups else None
        self._dispatcher = InlineDispatcher(self._work)
        client = GuardedClient(settings.reach)
        self.product = compose(
            ServiceContext(
                ledger=self.ledger,
                state=RedisCycleState(redis) if redis else MemoryCycleState(),
                dispatcher=self._dispatcher,
                doorbell=RedisDoorbell(redis) if redis else MemoryDoorbell(),
                post=self.mails.append,
                mail_leaves=mail_leaves,
                send_webhook=webhook_sender(client),
                automatic_reviewers=programs_of_rosters(settings),
                office=contact_of(settings.office_name, settings.mail_from),
                provider=True,
                backups=self.backups,
                lease_seconds=3600.0,
                undo=undo,
            )
        )
        limiter = RedisLimiter(redis) if redis else MemoryLimiter()
        self.office = compose_office(
            IdentityContext(
                ledger=self.ledger.office(),
                personal_data=self.ledger.personal_data(),
                limiter=limiter,
            )
        )
        self.app: FastAPI = _with_known_routes(create_app(self.product, self.office, settings))
        self.coordinator = self.product.cycles.coordinator("test")

    @property
    def file(self) -> Path:
        """The SQLite file of the site."""
        assert self._file is not None
        return self._file

    # Clients

    def anonymous(self) -> TestClient:
        """A browser in which nobody is signed in; redirects are not followed."""
        return Browser(
            self.app, base_url=ADDRESS, headers=dict(SAME_ORIGIN), follow_redirects=False
        )

    def signed_in(
        self,
        role: Role | None = None,
        *,
        email: str = "",
        scope: Scope = Scope.OFFICE,
        scope_id: str = "",
        cycle: str = "",
        method: Method = Method.PASSWORD,
    ) -> TestClient:
        """A browser in which a person is signed in.

        Args:
            role: What they are; None for nothing, as reviewers are.
            email: Their address; made from the role when empty. The account is made if needed.
            scope: Where the role reaches; a round or cycle is named by `scope_id`.
            scope_id: Id of that round or cycle.
            cycle: Short for the scope of this one cycle.
            method: How they signed in.
        """
        account = self.account(email or f"{role.value if role else 'nobody'}@example.org")
        if role is not None:
            reach = (Scope.CYCLE, cycle) if cycle else (scope, scope_id)
            self.office.users.grant(account, role, *reach, by="test")
        secret, _ = self.office.sign_in.start_session(account, method=method, agent="test")
        client = self.anonymous()
        client.cookies.set(cookie_name(secure=self.settings.secure), secret)
        return client

    def account(self, email: str, *, password: str = "") -> Account:
        """Find an account, or make it."""
        try:
            return self.office.users.get(email)
        except NotFoundError:
            return self.office.users.add(email, password=password)

    # Cycles

    def launched(
        self,
        cycle: str = "fall",
        *,
        rules: Rules = SITE_RULES,
        round_id: str = "round",
        applicants: int = 12,
        roster: Sequence[NewReviewer] | int = 4,
        launch: bool = True,
    ) -> str:
        """Make a cycle, by default running, with its first requests out; gives its id.

        Applicants are A001, A002 …, named and with addresses; reviewers R1, R2 … have the
        addresses r1@example.org, r2@example.org …
        """
        self.filled(
            f"{cycle} {rules} {round_id} {applicants} {roster} {launch}",
            lambda: self._make(cycle, rules, round_id, applicants, roster, launch=launch),
        )
        return cycle

    def filled(self, recipe: str, fill: Callable[[], object]) -> None:
        """Fill the site; one that held the same before is filled with what came of it then.

        Args:
            recipe: Names what `fill` does: the same recipe, the same result.
            fill: Fills the site through the product.
        """
        known = self._known(recipe)
        if known is None:
            fill()
        elif (kept := KEPT.get(known)) is not None:
            assert self.file is not None
            self.ledger.dispose()
            self.file.write_bytes(kept.database)
            self.mails += kept.mails
            for cycle, arms, board in kept.live:
                self.product.context.state.replace(cycle, arms)
                if board is not None:
                    self.product.context.state.publish(cycle, board)
        else:
            assert self.file is not None
            fill()
            self.ledger.dispose()
            state = self.product.context.state
            KEPT[known] = Kept(
                database=self.file.read_bytes(),
                mails=tuple(self.mails),
                live=tuple(
                    (c.id, state.arms(c.id), state.dashboard(c.id))
                    for c in self.product.cycles.list()
                ),
            )

    def _known(self, recipe: str) -> str | None:
        """Name what the site will hold; None unless it is an empty file as it was made."""
        self.ledger.dispose()
        live = isinstance(self.product.context.state, MemoryCycleState)
        if self._file is None or self.mails or not live or self._file.read_bytes() != migrated():
            return None
        deployment = self.settings.model_dump_json(exclude={"data_dir"})
        return f"{recipe} {deployment} {self.product.outbox.leaves}"

    def _make(
        self,
        cycle: str,
        rules: Rules,
        round_id: str,
        applicants: int,
        roster: Sequence[NewReviewer] | int,
        *,
        launch: bool,
    ) -> None:
        if round_id not in {known.id for known in self.product.cycles.rounds()}:
            self.product.cycles.new_round(round_id, name="Fall 2027")
        self.product.cycles.new(
            cycle, round_id=round_id, rules=rules, by="ops", name=f"MS {cycle}"
        )
        rows = [
            applicant(
                f"A{n:03d}",
                name=f"Applicant {n}",
                email=f"a{n}@example.com",
                fields={"statement": f"Why I want to study here, number {n}."},
            )
            for n in range(1, applicants + 1)
        ]
        if rows:
            self.product.applicants.import_all(cycle, rows)
        people = [named(n) for n in range(1, roster + 1)] if isinstance(roster, int) else roster
        if people:
            self.product.reviewers.import_all(cycle, people)
        if launch:
            self.product.cycles.launch(cycle, by="ops")
            self.turn()

    def turn(self, *, at_most: int = 60) -> None:
        """Take coordinators' and workers' turns until nothing is left to do."""
        for _ in range(at_most):
            done = self.coordinator.turn() + self._dispatcher.run_pending()
            self.coordinator.raise_fault()
            if done == 0:
                return
        raise AssertionError(f"after {at_most} turns there is still something to do")

    def assigned(self, cycle: str = "fall") -> tuple[TestClient, Assignment]:
        """A reviewer, signed in, and the first request that waits for them."""
        for known in self.product.reviewers.list(cycle):
            if known.email and (waiting := self.product.tasks.inbox(cycle, known.external_id)):
                return self.signed_in(email=known.email, method=Method.LINK), waiting[0]
        raise AssertionError("nothing waits for anybody")

    def later(self, seconds: float) -> None:
        """Set the database's clock some seconds ahead."""
        self.ledger.set_clock_offset(seconds)

    def _work(self, messages: Sequence[QueueMessage]) -> None:
        self.product.tasks.deliver([m.id for m in messages if m.topic is Topic.DELIVER])
        for message in messages:
            if message.topic in {Topic.MAIL, Topic.SIGN_IN}:
                self.product.outbox.send_mail(message.id)
            if message.topic is Topic.WEBHOOK:
                self.product.outbox.call_webhook(message.id)


def _with_known_routes(app: FastAPI) -> FastAPI:
    """Make all apps of this process share their routes: making them takes half a second."""
    if ROUTES:
        app.router.routes[:] = ROUTES
    else:
        ROUTES.extend(app.router.routes)
    return app


def named(number: int) -> NewReviewer:
    """A reviewer with a name and an address."""
    return reviewer(f"R{number}", name=f"Reviewer {number}", email=f"r{number}@example.org")
