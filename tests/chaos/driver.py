"""People: reviewers at their browsers and staff at theirs, and an honest memory of what they saw.

A receipt counts as given only when the page says so. Whatever is cut off in between is handed in
again, word for word, at the other web process, until there is an answer.
"""

import http.client
import json
import random
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from urllib.parse import urlencode, urlsplit

from swapflow.domain.cycle import Cycle, CycleStatus
from swapflow.domain.people.reviewer import DeclineKind
from swapflow.domain.reviewing.assignment import Assignment, AssignmentStatus
from swapflow.domain.reviewing.score import Answer
from swapflow.errors import (
    AssignmentClosedError,
    ConflictError,
    NotFoundError,
    NotReadyError,
    SwapflowError,
    UnavailableError,
)
from swapflow.identity.account import Method
from swapflow.web.http.dependencies import cookie_name
from tests.chaos import rounds
from tests.chaos.deployment import Deployment


LATE, DECLINED, TWICE, BY_COMMAND, DRAFTED = 0.12, 0.08, 0.25, 0.2, 0.4
"""How often a request of a rolling program is answered late or declined; and of any program,
handed in twice, handed in by command instead of on the page, drafted before."""

PAUSED = 0.01
"""How often a look of staff at a rolling program ends in a pause."""

WAITING = frozenset({AssignmentStatus.DELIVERED, AssignmentStatus.OPENED})
OVER = frozenset({CycleStatus.ENDED, CycleStatus.FINALIZED})
DAY = 86_400.0
VERSION = re.compile(r'data-version="(\d+)"')


@dataclass(kw_only=True)
class Told:
    """What one answer came to, as its reviewer saw it.

    Attributes:
        mark: What was handed in.
        seqs: Event numbers of the receipts seen by command; pages show none.
        receipts: Receipts seen, pages and commands.
        asked_again: Whether it was asked for again after a receipt.
    """

    mark: int
    seqs: list[int] = field(default_factory=list)
    receipts: int = 0
    asked_again: bool = False


@dataclass(kw_only=True)
class Memory:
    """Everything that people were told.

    Attributes:
        answers: By assignment; those without a receipt were tried and may or may not be stored.
        drafts: The last draft that the server said it had stored, with its version.
        declined: Assignments whose decline was confirmed.
        corrected: The mark that staff put in the place of a reviewer's, by assignment.
        wrong: Answers that nobody should get, whatever is broken.
    """

    answers: dict[str, Told] = field(default_factory=dict)
    drafts: dict[str, tuple[int, dict[str, str]]] = field(default_factory=dict)
    declined: set[str] = field(default_factory=set)
    corrected: dict[str, int] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    seen: Counter[str] = field(default_factory=Counter)

    @property
    def all_received(self) -> bool:
        return all(told.receipts for told in list(self.answers.values()))

    @property
    def receipts(self) -> int:
        return sum(told.receipts > 0 for told in list(self.answers.values()))


class CutOffError(Exception):
    """No answer came, or one that says to try again later: nobody knows what happened.

    Attributes:
        status: The answer's status, 0 if there was none.
    """

    def __init__(self, message: str, *, status: int = 0) -> None:
        super().__init__(message)
        self.status = status


class Browser:
    """One signed-in reviewer at either web process.

    Unless it is strict, a page that says that something does not work is an answer as well.
    """

    def __init__(self, deployment: Deployment, reviewer: int, *, strict: bool = True) -> None:
        self._deployment = deployment
        self._reviewer = reviewer
        self._strict = strict
        self._cookie = ""

    def ask(
        self, path: str, *, form: dict[str, str] | None = None, sent: object = None, web: int = 0
    ) -> tuple[int, str, str]:
        """Send one request; gives status, text and where it leads to.

        Raises:
            CutOffError: If nothing came back, or a 5xx.
        """
        status, text, where = self._once(path, form=form, sent=sent, web=web)
        if status in {302, 303, 401} and "/sign-in" in where:
            self._cookie = ""
            status, text, where = self._once(path, form=form, sent=sent, web=web)
        return status, text, where

    def _once(
        self, path: str, *, form: dict[str, str] | None, sent: object, web: int
    ) -> tuple[int, str, str]:
        addresses = self._deployment.addresses
        address = urlsplit(addresses[web % len(addresses)]).netloc
        headers = {"Cookie": self._signed_in(), "Sec-Fetch-Site": "same-origin"}
        body: bytes | None = None
        if form is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
            body = urlencode(form).encode()
        elif sent is not None:
            headers["Content-Type"] = "application/json"
            body = json.dumps(sent).encode()
        connection = http.client.HTTPConnection(address, timeout=10 if self._strict else 60)
        try:
            connection.request("GET" if body is None else "POST", path, body, headers)
            answer = connection.getresponse()
            text = answer.read().decode()
        except (OSError, http.client.HTTPException) as error:
            raise CutOffError(f"{path}: {type(error).__name__}") from error
        finally:
            connection.close()
        if answer.status >= 500 and self._strict:
            raise CutOffError(
                f"{path}: {answer.status} {'' if answer.status == 503 else text[:300]}",
                status=answer.status,
            )
        return answer.status, text, answer.getheader("Location", "")

    def _signed_in(self) -> str:
        if not self._cookie:
            office = self._deployment.office
            email = rounds.address(self._reviewer)
            try:
                account = office.users.get(email)
            except NotFoundError:
                account = office.users.add(email)
            secret, _ = office.sign_in.start_session(account, method=Method.LINK, agent="campaign")
            self._cookie = f"{cookie_name(secure=False)}={secret}"
        return self._cookie


class People:
    """Everybody who uses the system, in threads of their own, until `stop`."""

    def __init__(self, deployment: Deployment, seed: int, *, at_once: int = 2) -> None:
        self.memory = Memory()
        self.ended: set[str] = set()
        self._deployment = deployment
        self._product = deployment.product
        self._chance = random.Random(f"people {seed}")
        self._at_once = at_once
        self._browsers = [Browser(deployment, n) for n in range(rounds.REVIEWERS)]
        self._held: dict[str, float] = {}
        self._names: dict[str, dict[int, str]] = {}
        self._made = 0
        self._launching = True
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._threads = [
            threading.Thread(target=self._live, args=(act,), daemon=True)
            for act in (self._staff, self._reviewers)
        ]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop_launching(self) -> None:
        """Begin no further program; those under way are brought to their end."""
        self._launching = False

    def stop(self) -> None:
        """Go home."""
        self._stopping.set()
        for thread in self._threads:
            thread.join()

    def under_way(self) -> list[str]:
        return [
            f"{c.id} {c.status.value} at event {c.position.seq} after {c.decisions} decisions"
            for c in self._product.cycles.list()
            if c.status not in OVER
        ]

    def _live(self, act: Callable[[], None]) -> None:
        while not self._stopping.is_set():
            try:
                act()
            except UnavailableError:
                self._say("cut off")
            except CutOffError as error:
                self._say("cut off")
                if error.status not in {0, 503}:
                    self.memory.wrong.append(str(error))
            except SwapflowError as error:
                self.memory.wrong.append(f"{act.__name__}: {error}")
            except Exception as error:  # noqa: BLE001 - whatever it is, it is a finding
                self.memory.wrong.append(f"{act.__name__}: {type(error).__name__} {error}")
            self._stopping.wait(0.15)

    def _say(self, what: str) -> None:
        self.memory.seen[what] += 1

    # Staff

    def _staff(self) -> None:
        """Launch programs, pause some, end those whose stop is proposed."""
        cycles = self._product.cycles.list()
        for cycle in cycles:
            with self._unless_moved_on(cycle):
                self._look_after(cycle)
        under_way = sum(cycle.status not in OVER for cycle in cycles)
        if self._launching and under_way < self._at_once:
            self._made = max(self._made, len(cycles))
            kind = "l" if self._made % 2 == 0 else "r"
            rounds.make(self._product, f"{kind}{self._made}")
            self._made += 1
        self.ended = {cycle.id for cycle in cycles if cycle.status in OVER}

    def _look_after(self, cycle: Cycle) -> None:
        rolling = cycle.id.startswith("r")
        match cycle.status:
            case CycleStatus.DRAFT:
                rounds.make(self._product, cycle.id)
            case CycleStatus.PROPOSED if rolling:
                self._product.cycles.stop(cycle.id, by="staff", reason="as proposed")
            case CycleStatus.PAUSED:
                self._product.cycles.resume(cycle.id, by="staff")
            case CycleStatus.RUNNING if rolling and self._chance.random() < PAUSED:
                self._product.cycles.pause(cycle.id, by="staff", reason="a look")
            case _:
                pass

    @contextmanager
    def _unless_moved_on(self, cycle: Cycle) -> Iterator[None]:
        """Pass over a refusal where the program is no longer what the look saw it to be.

        It may come to its end, or to a stop that is proposed, between a look and an act: then to
        refuse the act is right. A program that stands as it was seen refuses for no reason.
        """
        try:
            yield
        except (ConflictError, NotReadyError):
            if self._product.cycles.get(cycle.id).status is cycle.status:
                raise
            self._say("moved on meanwhile")

    # Reviewers

    def _reviewers(self) -> None:
        """Answer, decline or hold back whatever lies in inboxes."""
        for cycle in self._product.cycles.list():
            if cycle.status not in {CycleStatus.RUNNING, CycleStatus.PROPOSED}:
                continue
            waiting = self._product.context.ledger.assignments(cycle.id, statuses=WAITING)
            for asked in waiting:
                if self._stopping.is_set():
                    return
                told = self.memory.answers.get(asked.id)
                if told is None or not told.receipts:
                    self._act(cycle.id, asked)
                elif not told.asked_again:
                    told.asked_again = True
                    self.memory.wrong.append(f"{asked.id} was received and is asked for again")
            self._answer_late(cycle.id)
        self._ask_for_receipts()

    def _ask_for_receipts(self) -> None:
        """Hand in again what may have been stored while the answer was lost on its way."""
        for name in [name for name, told in self.memory.answers.items() if not told.receipts]:
            asked = self._product.context.ledger.assignment(name)
            if asked.status not in WAITING:
                self._answer(asked.cycle_id, asked)

    def _act(self, cycle_id: str, asked: Assignment) -> None:
        rolling = cycle_id.startswith("r")
        if rolling and asked.id not in self.memory.answers and asked.id not in self._held:
            fate = random.Random(asked.id).random()
            if fate < LATE and asked.attempt == 1:
                self._held[asked.id] = time.monotonic() + 8.0
            elif fate < LATE + DECLINED and asked.attempt < 3:
                self._decline(asked)
                return
        if asked.id in self._held and time.monotonic() < self._held[asked.id]:
            return
        self._answer(cycle_id, asked)

    def _answer_late(self, cycle_id: str) -> None:
        """Hand in what was held back and has expired meanwhile."""
        due = [name for name, at in self._held.items() if at < time.monotonic()]
        mine = [name for name in due if name.startswith(f"{cycle_id}:")]
        if not mine:
            return
        for asked in self._product.context.ledger.assignments(cycle_id):
            if asked.id in mine:
                if asked.status in {AssignmentStatus.EXPIRED, *WAITING}:
                    self._answer(cycle_id, asked)
                self._held.pop(asked.id, None)

    def _answer(self, cycle_id: str, asked: Assignment) -> None:
        names = self._names_of(cycle_id)
        reviewer = f"R{asked.reviewer}"
        seed = rounds.rules_of(cycle_id).seed
        mark = rounds.mark_of(seed, names[asked.application], asked.ordinal, reviewer)
        told = self.memory.answers.setdefault(asked.id, Told(mark=mark))
        if self._chance.random() < BY_COMMAND:
            self._by_command(asked, told)
        else:
            self._by_page(asked, told)
        if self._chance.random() < TWICE:
            self._say("handed in twice")
            self._by_command(asked, told)

    def _by_command(self, asked: Assignment, told: Told) -> None:
        """Hand in as `swapflow inbox submit` does."""
        answer = Answer(assignment_id=asked.id, marks={rounds.CRITERION: float(told.mark)})
        try:
            receipt = self._product.tasks.submit([answer])[0]
        except AssignmentClosedError as error:
            if told.receipts or "declined" not in str(error):
                self.memory.wrong.append(f"{asked.id}: {error}")
            return
        told.receipts += 1
        told.seqs.append(receipt.seq)

    def _by_page(self, asked: Assignment, told: Told) -> None:
        browser = self._browsers[asked.reviewer]
        web = self._chance.randrange(2)
        path = f"/tasks/{self._product.tasks.code(asked.id)}"
        status, text, where = browser.ask(path, web=web)
        if status == 303 and where.endswith("/receipt"):
            told.receipts += 1  # an earlier try went through after all
            return
        if status != 200:
            self.memory.wrong.append(f"GET {path}: {status} {where} {text[:200]}")
            return
        remark = f"mark {told.mark}"
        if self._chance.random() < DRAFTED:
            self._draft(browser, asked, path, text, {"c0": str(told.mark), "remark": remark})
        form = {"c0": str(told.mark), "remark": remark}
        self._send(browser, path, form, told)
        if self._chance.random() < TWICE:
            self._say("pressed twice")
            self._send(browser, path, form, told)

    def _send(self, browser: Browser, path: str, form: dict[str, str], told: Told) -> None:
        """Press the button."""
        web = self._chance.randrange(2)
        status, text, where = browser.ask(path, form=form, web=web)
        if status == 303 and (where.endswith("/receipt") or "?after=" in where):
            told.receipts += 1
        elif status == 409 and not told.receipts:
            self._say("closed meanwhile")
        else:
            self.memory.wrong.append(f"POST {path}: {status} {where} {text[:200]}")

    def _draft(
        self, browser: Browser, asked: Assignment, path: str, page: str, body: dict[str, str]
    ) -> None:
        """Type, and be saved; the last draft that was acknowledged must be there later."""
        found = VERSION.search(page)
        if found is None:
            return
        version = int(found.group(1))
        status, text, _ = browser.ask(f"{path}/draft", sent={"version": version, "body": body})
        if status == 200:
            self._say("draft saved")
            self.memory.drafts[asked.id] = (json.loads(text)["version"], body)
            browser.ask(f"{path}/open", form={})
            if self._chance.random() < 0.4:
                raise CutOffError("typed, saved, and went for lunch")
        elif status != 409:
            self.memory.wrong.append(f"draft {path}: {status} {text[:200]}")

    def _decline(self, asked: Assignment) -> None:
        with suppress(AssignmentClosedError):
            self._product.tasks.decline(asked.id, DeclineKind.UNQUALIFIED, by="reviewer")
            self.memory.declined.add(asked.id)
            self._say("declined")

    def _names_of(self, cycle_id: str) -> dict[int, str]:
        if cycle_id not in self._names:
            found = {a.number: a.external_id for a in self._product.applicants.list(cycle_id)}
            self._names[cycle_id] = found
        return self._names[cycle_id]
