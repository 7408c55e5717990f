"""Dozens of faults, one after another, on one deployment that runs rounds all the time.

`python -m tests.system.chaos --seed 1 --kills 30 --out var/chaos.json` kills each kind of process
that often by kill -9, at random moments, and between these empties Redis, freezes, loses and
doubles messages, restores the database, lets weeks pass, hands answers in fifty times at once.
Whatever happens, every round must end with the decisions, the stop and the cohort of an
undisturbed run in one process, and its record must verify. The seed fixes the order of the faults
and the lengths of the pauses; what a process is doing at that moment is up to the machine.
"""

import argparse
import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from shutil import rmtree

from swapflow.domain.cycle import CycleStatus
from swapflow.domain.event import EventType
from tests.support.process import Process
from tests.system.people import answer, delivered, launch_with_people
from tests.system.rounds import SmallRound, problems_of, small_round, unsound
from tests.system.stack import PATIENCE, Stack, describe
from tests.system.submitting import submit_at_once


KILLED = ("coordinator", "worker", "redis", "supervisor")
POINTS = {
    "coordinator": (
        "before_commit",
        "after_commit",
        "before_send",
        "after_send",
        "before_apply",
        "after_apply",
    ),
    "worker": ("before_commit", "after_commit"),
}
AT_ONCE = 2
"""Rounds that are under way at any time."""

SEEDS = 3
"""Different rounds, taken in turn."""

OTHERS = 3
"""How often each of the other faults happens for 30 kills of each kind."""


class Chaos:
    """One run.

    Attributes:
        tally: Faults by kind.
        problems: What should not have happened.
        ended: Rounds that ended and were compared.
    """

    def __init__(self, stack: Stack, rounds: list[SmallRound], seed: int) -> None:
        self.tally: Counter[str] = Counter()
        self.problems: list[str] = []
        self.ended = 0
        self._stack = stack
        self._rounds = rounds
        self._chance = random.Random(seed)
        self._compared: set[str] = set()
        self._others: dict[str, Callable[[], None]] = {
            "redis emptied": self._empty_redis,
            "redis full": self._fill_redis,
            "redis frozen": self._freeze_redis,
            "messages lost": self._lose_messages,
            "messages doubled": self._double_messages,
            "coordinator frozen beside another": self._freeze_coordinator,
            "worker frozen": self._freeze_worker,
            "weeks passed": self._let_weeks_pass,
            "submitted 50 times": self._submit_fifty_times,
            "submitted to a dying deployment": self._submit_and_kill,
            "database restored": self._restore,
        }

    def run(self, kills: int) -> None:
        """Go through the faults in their seeded order."""
        others = -(-kills * OTHERS // 30)
        plan = [f"{name} killed" for name in KILLED] * kills + list(self._others) * others
        self._chance.shuffle(plan)
        began = time.monotonic()
        for number, fault in enumerate(plan, start=1):
            self._keep_busy()
            self._wait_for_work()
            time.sleep(self._chance.uniform(0.0, 0.6))
            name = fault.removesuffix(" killed")
            if name in KILLED:
                self._kill(name)
            else:
                self._others[fault]()
            self.tally[fault] += 1
            print(
                f"[{number:3}/{len(plan)}] {fault:34} {self.ended} rounds as they should be, "
                f"{len(self.problems)} violations, {time.monotonic() - began:.0f} s",
                flush=True,
            )
        self._settle()
        self.tally["ended at a named point"] = self._stack.crashes()

    # Rounds

    def _keep_busy(self) -> None:
        """Compare rounds that have ended and launch others, so that faults always hit some."""
        under_way = self._compare_ended()
        for _ in range(AT_ONCE - under_way):
            number = len(self._stack.product.cycles())
            self._round_of(f"r{number}").launch(self._stack, f"r{number}")

    def _wait_for_work(self) -> None:
        """Wait until a round has moved: else most faults would only hit processes that start."""
        before = self._events()
        self._stack.wait_for(lambda: self._events() != before, what="an event of any round")

    def _events(self) -> int:
        return sum(cycle.position.seq for cycle in self._stack.product.cycles())

    def _compare_ended(self) -> int:
        """Compare what has ended and was not compared; gives how many are under way."""
        under_way = 0
        for cycle in self._stack.product.cycles():
            if not cycle.id.startswith("r") or cycle.id in self._compared:
                continue
            if cycle.status is CycleStatus.ENDED:
                self._compared.add(cycle.id)
                expected = self._round_of(cycle.id).undisturbed
                # The live state is compared in the end: just now it may be on its way.
                found = problems_of(self._stack.product, cycle.id, expected, live=False)
                self.problems += found
                self.ended += not found
            else:
                under_way += 1
        return under_way

    def _round_of(self, cycle_id: str) -> SmallRound:
        return self._rounds[int(cycle_id.removeprefix("r")) % len(self._rounds)]

    def _settle(self) -> None:
        """Let everything end and compare all of it, the live state included."""
        self._stack.wait_for(lambda: self._compare_ended() == 0, what="the end of every round")
        for cycle in self._stack.product.cycles():
            self.problems += unsound(self._stack.product, cycle.id)

    # Faults

    def _kill(self, name: str) -> None:
        if name == "supervisor":
            self._stack.kill_supervisor()
            self._stack.start()
            return
        if name in POINTS and self._chance.random() < 0.5:
            point = self._chance.choice(POINTS[name])
            self._stack.crash_next_lives(name, f"{point}:{self._chance.randint(1, 4)}")
        lives = self._stack.lives(name)
        self._stack.kill(name)
        if self._chance.random() < 0.7:
            self._stack.wait_for(
                lambda: self._stack.lives(name) > lives, what=f"another life of {name}"
            )

    def _empty_redis(self) -> None:
        with self._stack.redis() as client:
            client.flushall()

    def _fill_redis(self) -> None:
        with self._stack.redis() as client:
            client.config_set("maxmemory", 1)
            time.sleep(self._chance.uniform(0.5, 2.0))
            client.config_set("maxmemory", 0)

    def _freeze_redis(self) -> None:
        with self._stack.frozen("redis"):
            time.sleep(self._chance.uniform(0.5, 6.0))

    def _lose_messages(self) -> None:
        with self._stack.frozen("worker"):
            time.sleep(0.5)
            self._stack.lose_messages()

    def _double_messages(self) -> None:
        with self._stack.frozen("worker"):
            time.sleep(0.5)
            self._stack.double_and_shuffle_messages(self._chance.randrange(1000))

    def _freeze_coordinator(self) -> None:
        argv = [sys.executable, "-m", "tests.system.sleeper", "0"]
        with Process(argv, env=self._stack.environment) as other:
            with self._stack.frozen("coordinator"):
                other.wait_for(
                    lambda: "coordinator started" in other.output(),
                    seconds=PATIENCE,
                    what="the other coordinator",
                )
                time.sleep(self._stack.settings.lease_seconds + 1)
            time.sleep(self._chance.uniform(0, 1))
            if self._chance.random() < 0.5:
                other.terminate(seconds=PATIENCE)

    def _freeze_worker(self) -> None:
        with self._stack.frozen("worker"):
            time.sleep(self._chance.uniform(0.5, 4.0))

    def _let_weeks_pass(self) -> None:
        self._stack.let_pass(86_400 * self._chance.randint(7, 30))

    def _submit_fifty_times(self) -> None:
        stack = self._stack
        cycle_id = f"p{len(stack.product.cycles())}"
        launch_with_people(stack, cycle_id, applications=5)
        asked = delivered(stack, cycle_id)[0]
        receipts = submit_at_once(stack.product, answer(asked), threads=50, wait=lambda: None)
        counted = [e for e in stack.product.events(cycle_id) if e.type is EventType.SCORED]
        if len({r.seq for r in receipts}) != 1 or len(counted) != 1:
            self.problems.append(f"{cycle_id}: one answer counted {len(counted)} times")

    def _submit_and_kill(self) -> None:
        stack = self._stack
        cycle_id = f"p{len(stack.product.cycles())}"
        launch_with_people(stack, cycle_id, applications=5)
        asked = delivered(stack, cycle_id)[0]
        stack.kill("redis")
        receipt = stack.product.submit([answer(asked)])[0]
        stack.kill_supervisor()
        stack.start()
        scores = {s.assignment_id: s for s in stack.product.scores(cycle_id)}
        if not receipt.counts or asked.id not in scores:
            self.problems.append(f"{cycle_id}: an answer that was received is lost")

    def _restore(self) -> None:
        stack = self._stack
        copy = stack.folder / "older.db"
        copy.unlink(missing_ok=True)
        stack.ledger.backup(copy)
        time.sleep(self._chance.uniform(1, 3))
        stack.stop()
        stack.restore(copy)
        stack.let_pass(0.0)
        known = {c.id for c in stack.product.cycles() if c.status is CycleStatus.ENDED}
        self._compared &= known
        stack.start()


def run(seed: int, kills: int) -> dict[str, object]:
    """Run it all; gives what goes into the file."""
    began = time.monotonic()
    folder = Path(tempfile.mkdtemp(prefix="sf-chaos-"))
    rounds = [small_round(folder / "round", seed=number) for number in range(SEEDS)]
    problems: list[str] = []
    try:
        with Stack() as stack:
            chaos = Chaos(stack, rounds, seed)
            try:
                chaos.run(kills)
            except AssertionError as error:  # a wait that took too long, with what was printed
                problems.append(str(error))
        problems += chaos.problems
    except AssertionError as error:  # something outlived the deployment
        problems.append(str(error))
    finally:
        rmtree(folder, ignore_errors=True)
    return {
        "seed": seed,
        "kills": kills,
        "faults": sum(chaos.tally.values()),
        "violations": len(problems),
        "tally": dict(sorted(chaos.tally.items())),
        "rounds": chaos.ended,
        "problems": problems,
        "seconds": round(time.monotonic() - began, 1),
    }


def main() -> int:
    """Read the options, run, write the file; 1 if a promise was broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kills", type=int, default=30, help="of each kind of process")
    parser.add_argument("--out", type=Path, default=Path("var/chaos.json"))
    options = parser.parse_args()
    figures = run(options.seed, options.kills)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    print(describe(figures["tally"]))  # type: ignore[arg-type]  # a tally, made above
    for problem in figures["problems"]:  # type: ignore[attr-defined]  # a list, made above
        print(f"VIOLATION {problem}")
    print(
        f"seed {options.seed}: {figures['faults']} faults, {figures['rounds']} rounds compared, "
        f"{figures['violations']} violations in {figures['seconds']} s; see {options.out}"
    )
    return 1 if figures["violations"] else 0


if __name__ == "__main__":
    sys.exit(main())
