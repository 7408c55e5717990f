"""Faults from inside: the live state and the record changed by another hand, a list signed while
a score is corrected.

Each aims at one guard of the product, and comes only where that guard is there; named by `--only`
it comes without it too, and the campaign must then fail.
"""

import random
import signal
import struct
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from sqlalchemy import create_engine, text

from swapflow.domain.cycle import Cycle, CycleStatus
from swapflow.domain.reviewing.score import Answer
from swapflow.errors import (
    ConflictError,
    CycleFinalizedError,
    NotFoundError,
    NotReadyError,
)
from swapflow.identity.account import Method
from swapflow.identity.permissions import Role, Scope
from swapflow.state.keys import cycle_keys
from swapflow.web.http.dependencies import cookie_name
from tests.chaos import rounds
from tests.chaos.damage_names import CHANGED, DAMAGED, SIGNED, NoTargetError
from tests.chaos.deployment import Deployment
from tests.chaos.driver import WAITING, Browser, CutOffError, People
from tests.support.waiting import wait_until


CHAIR = "chair@example.org"
SPREAD = 0.05
"""Seconds by which a signature comes before a correction, or after it."""

TRIES = 4
"""Signatures of one fault: one that comes too late is refused, and the list prepared anew."""

PATIENCE = 45.0
"""Seconds that a fault waits for something to aim at."""

LIVES = 6
"""Lives of coordinators that end by themselves, at one damaged program, before another is served:
then none will be. A busy machine takes its time for each, so no time is set.
"""


T = TypeVar("T")


class Chair(Browser):
    """Signs in as the chair of a committee instead of as a reviewer."""

    def __init__(self, deployment: Deployment) -> None:
        super().__init__(deployment, 0)

    def _signed_in(self) -> str:
        if not self._cookie:
            office = self._deployment.office
            try:
                account = office.users.get(CHAIR)
            except NotFoundError:
                account = office.users.add(CHAIR)
                office.users.grant(account, Role.CHAIR, Scope.OFFICE, "", by="campaign")
            secret, _ = office.sign_in.start_session(account, method=Method.LINK, agent="campaign")
            self._cookie = f"{cookie_name(secure=False)}={secret}"
        return self._cookie


class Damage:
    """The hand that changes what swapflow holds.

    Attributes:
        findings: What was seen to go wrong meanwhile; each begins with the name of its check.
    """

    def __init__(self, deployment: Deployment, chance: random.Random) -> None:
        self.findings: list[str] = []
        self._on = deployment
        self._chance = chance
        self._chair = Chair(deployment)
        self._people: People | None = None

    def meet(self, people: People) -> None:
        """Know the people whose answers are corrected."""
        self._people = people

    def acts(self) -> dict[str, Callable[[], None]]:
        """Every fault of this kind, by its name."""
        return {
            CHANGED: self._change_integers,
            DAMAGED: self._damage_record,
            SIGNED: self._sign_while_corrected,
        }

    # The live state

    def _change_integers(self) -> None:
        """Add a whole score to one applicant's sum, and give a turn the time to see it."""
        with self._on.redis.client() as client:

            def counted() -> list[str]:
                running = self._cycles(CycleStatus.RUNNING)
                keys = [cycle_keys(cycle.id).numerator for cycle in running]
                return [key for key in keys if client.strlen(key)]

            key = self._chance.choice(self._found(counted))
            packed = client.get(key)
            if not packed:
                raise NoTargetError
            changed = bytearray(packed)
            place = 8 * self._chance.randrange(len(changed) // 8)
            (there,) = struct.unpack_from(">q", changed, place)
            struct.pack_into(">q", changed, place, there + 1_000_000_000)
            client.set(key, bytes(changed))
            with suppress(AssertionError):  # nothing may look at it; the checker does
                wait_until(
                    lambda: client.get(key) != bytes(changed),
                    cap=4 * self._on.lease,
                    what="a turn",
                )

    # The record

    def _damage_record(self) -> None:
        """Make one event of the oldest program unreadable, until others have been served."""
        # The oldest is served first: what it raises would stop all the others.
        damaged = self._found(lambda: self._cycles(CycleStatus.RUNNING)[:-1])[0]
        seq = self._chance.randint(1, damaged.position.seq)
        (body,) = self._sql(
            "SELECT body FROM event WHERE cycle_id = :c AND seq = :s", damaged, seq
        )
        self._sql("UPDATE event SET body = '{' WHERE cycle_id = :c AND seq = :s", damaged, seq)
        coordinators = [name for name in self._on.names if name.startswith("coordinator")]
        try:
            for name in coordinators:
                self._on.send(name, signal.SIGKILL)
            before = self._served_beside(damaged)
            failed = sum(map(self._on.failures, coordinators))
            wait_until(
                lambda: (
                    self._served_beside(damaged) > before
                    or sum(map(self._on.failures, coordinators)) >= failed + LIVES
                ),
                what="another program",
            )
            if self._served_beside(damaged) == before:
                self.findings.append(
                    f"others: no program was served in {LIVES} lives of coordinators while event "
                    f"{seq} of {damaged.id} could not be read"
                )
        except AssertionError as error:
            self.findings.append(
                f"others: while event {seq} of {damaged.id} could not be read: {error}"
            )
        finally:
            mended = "UPDATE event SET body = :b WHERE cycle_id = :c AND seq = :s"
            self._sql(mended, damaged, seq, b=body)
        # Staff who mend a record look whether it agrees again, and so tell the coordinators.
        self._on.product.reports.verify(damaged.id)

    def _served_beside(self, damaged: Cycle) -> int:
        """Count the decisions of all other programs: only a coordinator makes one."""
        return sum(c.decisions for c in self._on.product.cycles.list() if c.id != damaged.id)

    def _sql(self, statement: str, cycle: Cycle, seq: int, **more: object) -> tuple[Any, ...]:
        engine = create_engine(self._on.database_url)
        try:
            with engine.begin() as connection:
                done = connection.execute(text(statement), {"c": cycle.id, "s": seq, **more})
                return tuple(done.one()) if done.returns_rows else ()
        finally:
            engine.dispose()

    # A signature

    def _sign_while_corrected(self) -> None:
        """Sign the list of a program that has ended while a mark of its last member falls."""
        over = self._found(
            lambda: [c for c in self._cycles(CycleStatus.ENDED) if self._is_settled(c)]
        )
        cycle_id = self._chance.choice(over).id
        signed: tuple[list[str], int, int] | None = None
        for _ in range(TRIES):
            shown = self._on.product.cohort.propose(cycle_id)
            try:
                digest = self._on.product.cohort.prepare(
                    cycle_id, by="staff", waiver="a campaign has no more time"
                )
            except CycleFinalizedError:  # the signature before was cut off, and yet carried out
                break
            corrected = self._sign_and_correct(cycle_id, digest, shown.cohort[-1].application)
            names = [place.external_id for place in shown.cohort]
            signed = names, shown.sheet.position, corrected
            if self._on.product.cycles.get(cycle_id).status is CycleStatus.FINALIZED:
                break
        if signed and self._on.product.cycles.get(cycle_id).status is CycleStatus.FINALIZED:
            self._compare(cycle_id, *signed)

    def _sign_and_correct(self, cycle_id: str, digest: str, application: int) -> int:
        """Do both at about the same moment; return the correction's event, 0 without one."""
        offset = self._chance.uniform(-SPREAD, SPREAD)
        seqs: list[int] = []

        def correct() -> None:
            time.sleep(max(0.0, offset))
            with suppress(ConflictError, NotReadyError):
                seqs.append(self._correct(cycle_id, application))

        hand = threading.Thread(target=correct)
        hand.start()
        time.sleep(max(0.0, -offset))
        path = f"/api/v1/cycles/{cycle_id}/decision/signatures"
        with suppress(CutOffError):  # it may be done all the same, as the status tells
            status, said, _ = self._chair.ask(
                path, sent={"digest": digest}, web=self._chance.randrange(2)
            )
            if status not in {200, 409}:
                self.findings.append(f"shown: the signature of {cycle_id}: {status} {said[:200]}")
        hand.join()
        return seqs[0] if seqs else 0

    def _correct(self, cycle_id: str, application: int) -> int:
        """Return the lowest mark, or the highest where it is the lowest, for one answer."""
        assert self._people is not None
        memory = self._people.memory
        answers = [
            asked.id
            for asked in self._on.product.context.ledger.assignments(cycle_id)
            if asked.application == application and asked.id in memory.answers
        ]
        name = self._chance.choice(answers)
        now = memory.corrected.get(name, memory.answers[name].mark)
        mark = 0 if now else len(rounds.MARKS) - 1
        answer = Answer(assignment_id=name, marks={rounds.CRITERION: float(mark)})
        seq = self._on.product.scores.correct(answer, by="staff", reason="misread")
        memory.corrected[name] = mark
        return seq

    def _compare(self, cycle_id: str, shown: list[str], position: int, corrected: int) -> None:
        """Compare the list that was fixed with the one that was shown, and what it rests on."""
        _, places, sheet = self._on.product.cohort.proposals(cycle_id)[-1]
        fixed = [place.external_id for place in places if place.standing.value == "cohort"]
        if fixed != shown:
            self.findings.append(f"shown: {cycle_id} was signed as {shown}, fixed is {fixed}")
        if position <= sheet.position < corrected:
            self.findings.append(
                f"shown: {cycle_id} was fixed as of event {sheet.position}, although event "
                f"{corrected} had corrected a score before"
            )

    def _is_settled(self, cycle: Cycle) -> bool:
        """Whether everything asked about is answered, so that nobody is still at work there."""
        assert self._people is not None
        told = list(self._people.memory.answers.items())
        mine = [one for name, one in told if name.startswith(f"{cycle.id}:")]
        waiting = self._on.product.context.ledger.assignments(cycle.id, statuses=WAITING)
        return (
            cycle.id.startswith("r")
            and bool(mine)
            and all(one.receipts for one in mine)
            and not waiting
        )

    def _found(self, look: Callable[[], Sequence[T]]) -> Sequence[T]:
        """Wait until there is something to aim at."""
        seen: list[T] = []

        def anything() -> bool:
            seen[:] = look()
            return bool(seen)

        try:
            wait_until(anything, cap=PATIENCE, what="a target")
        except AssertionError as error:
            raise NoTargetError from error
        return seen

    def _cycles(self, status: CycleStatus) -> Sequence[Cycle]:
        return [cycle for cycle in self._on.product.cycles.list() if cycle.status is status]
