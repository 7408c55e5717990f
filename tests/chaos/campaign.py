"""A campaign: people work, a second hand breaks things, and then everything is compared.

`make chaos SEED=1 FAULTS=200 DATABASE=sqlite COORDINATORS=2` (or `postgresql`; 2 to 4): the seed
fixes which faults come in which order, and how long each lasts; what a process is doing at that
moment is up to the machine. Figures go to var/chaos.json. With `--break NAME` a
guard is taken away in the processes under test, and the campaign must fail.
"""

import argparse
import json
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.chaos.breaks import BREAKS
from tests.chaos.checker import Checker
from tests.chaos.damage_names import NoTargetError
from tests.chaos.deployment import FEW, NAMES, Deployment, with_coordinators
from tests.chaos.driver import People
from tests.chaos.faults import Fault, Faults
from tests.support.waiting import wait_until


OUT = Path("var/chaos.json")
SETTLE = 240.0
"""Seconds within which everything must have come to its end once nothing breaks any more."""

SETTLE_BROKEN = 45.0
"""The same where a guard is broken, and much may never come to its end."""

WORK, WORK_BROKEN = 8.0, 60.0
"""Seconds that a fault waits for people to get on with their work."""

RECEIPTS = 15
"""Fewest receipts of a campaign."""

EVERY = "every"
"""Means all guards, one after the other."""


@dataclass(kw_only=True)
class Result:
    """What a campaign came to.

    Attributes:
        coordinators: How many shared the programs.
        moves: How often another process took a program than the one that led it before.
        not_run: Faults that were left out, or did not come any more, and why.
    """

    seed: int
    database: str
    coordinators: int = 2
    moves: int = 0
    guard: str = ""
    tally: Counter[str] = field(default_factory=Counter)
    not_run: dict[str, str] = field(default_factory=dict)
    violations: list[str] = field(default_factory=list)
    programs: int = 0
    receipts: int = 0
    drafts: int = 0
    seen: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0

    def figures(self) -> dict[str, object]:
        return {
            "seed": self.seed,
            "database": self.database,
            "coordinators": self.coordinators,
            "moves": self.moves,
            "break": self.guard,
            "faults": sum(self.tally.values()),
            "violations": len(self.violations),
            "tally": dict(sorted(self.tally.items())),
            "not_run": self.not_run,
            "programs": self.programs,
            "receipts": self.receipts,
            "drafts": self.drafts,
            "people": self.seen,
            "problems": self.violations,
            "seconds": round(self.seconds, 1),
        }


def run(
    *,
    seed: int,
    faults: int,
    database: str,
    names: Sequence[str] = NAMES,
    guard: str = "",
    only: Sequence[str] = (),
    quiet: bool = False,
    settle: float = SETTLE,
    minutes: float = 60.0,
    receipts: int = 0,
) -> Result:
    """Run one campaign.

    Args:
        seed: Of the faults' order and length, and of what people do.
        faults: How many.
        database: "sqlite" or "postgresql".
        names: The processes of the system.
        guard: What is broken on purpose; "" for nothing.
        only: Names of the faults to choose from; every one if empty.
        quiet: Whether to leave out the line after each fault.
        settle: Seconds within which everything must come to its end afterwards.
        receipts: How many must have been given before it ends, so that there is something to lose.
        minutes: After how long no further fault comes, however many are left.
    """
    began = time.monotonic()
    coordinators = sum(name.startswith("coordinator") for name in names)
    result = Result(seed=seed, database=database, coordinators=coordinators, guard=guard)
    chance = random.Random(f"faults {seed}")
    with Deployment(database, names=names, guard=guard) as deployment:
        hand = Faults(deployment, chance)
        result.not_run = {} if only else hand.left_out()
        plan = plan_of(hand.all(only), faults, chance, only=only)
        people = People(deployment, seed)
        hand.meet(people)
        people.start()
        try:
            break_things(plan, chance, people, deployment, result, minutes=minutes, quiet=quiet)
            with suppress(AssertionError):  # what is broken may keep people from ever getting one
                wait_until(
                    lambda: people.memory.receipts >= receipts, cap=SETTLE / 2, what="receipts"
                )
            hand.heal()
            people.stop_launching()
            wait_until(
                lambda: not people.under_way() and people.memory.all_received,
                cap=settle,
                what="all programs end",
            )
            time.sleep(2 * deployment.lease)
        except AssertionError as error:
            result.violations.append(f"nothing_pending: {error}"[:3000])
            result.violations += [f"nothing_pending: {what}" for what in people.under_way()]
        finally:
            hand.heal()
            people.stop()
        result.violations += hand.findings
        checker = Checker(deployment, people.memory)
        result.violations += checker.violations()
        result.moves = checker.moves()
        result.programs = len(people.ended)
        result.receipts = people.memory.receipts
        result.drafts = len(people.memory.drafts)
        result.seen = dict(people.memory.seen)
    result.seconds = time.monotonic() - began
    return result


def break_things(
    plan: Sequence[Fault],
    chance: random.Random,
    people: People,
    deployment: Deployment,
    result: Result,
    *,
    minutes: float,
    quiet: bool,
) -> None:
    """Inject one fault after the other while people work."""
    began = time.monotonic()
    # Of a broken guard receipts must tell; else every event shows that something goes on.
    seen, patience = 0, WORK_BROKEN if result.guard else WORK

    def progress() -> int:
        if result.guard:
            return people.memory.receipts // 3
        return sum(cycle.position.seq for cycle in deployment.product.cycles.list())

    for number, fault in enumerate(plan, start=1):
        if time.monotonic() - began > 60 * minutes:
            left = Counter(one.name for one in plan[number - 1 :])
            result.not_run |= {
                name: f"{times} times: {minutes:g} minutes were over"
                for name, times in left.items()
            }
            return
        seen = wait_for_work(progress, seen, seconds=patience)
        time.sleep(chance.uniform(0.0, 0.8))
        try:
            fault.act()
        except NoTargetError:
            result.not_run[fault.name] = "at least once nothing was there to aim at"
            continue
        result.tally[fault.name] += 1
        if not quiet:
            print(
                f"[{number:3}/{len(plan)}] {fault.name:40} {len(people.ended)} programs "
                f"ended, {people.memory.receipts} receipts, "
                f"{len(people.memory.wrong)} wrong, {time.monotonic() - began:.0f} s",
                flush=True,
            )


def wait_for_work(progress: Callable[[], int], before: int, *, seconds: float) -> int:
    """Wait until something has happened since the fault before: else most would hit nothing.

    Returns:
        How far everything is.
    """
    with suppress(AssertionError):  # people may be waiting for what the last fault broke
        wait_until(lambda: progress() > before, cap=seconds, what="progress")
    return progress()


def plan_of(
    every: Sequence[Fault], count: int, chance: random.Random, *, only: Sequence[str] = ()
) -> list[Fault]:
    """Choose faults: each kind at least once when there is room, the others by weight."""
    known = [fault for fault in every if not only or fault.name in only]
    assert known, f"none of these faults is possible here: {', '.join(only)}"
    plan = chance.sample(known, min(count, len(known)))
    weights = [fault.weight for fault in known]
    plan += chance.choices(known, weights, k=count - len(plan))
    chance.shuffle(plan)
    return plan


def break_every(seed: int, faults: int, database: str) -> tuple[dict[str, object], bool]:
    """Break one guard after the other; every campaign must fail, by the check that is named.

    Returns:
        What caught each, and whether all were caught.
    """
    caught: dict[str, object] = {}
    for name, broken in BREAKS.items():
        result = run(
            seed=seed,
            faults=faults,
            database=database,
            names=FEW,
            guard=name,
            only=broken.faults,
            quiet=True,
            settle=SETTLE_BROKEN,
            receipts=RECEIPTS,
        )
        checks = Counter(violation.partition(":")[0] for violation in result.violations)
        caught[name] = {
            "line": broken.line,
            "faults": dict(result.tally),
            "caught_by": dict(checks),
            "first": result.violations[:1],
        }
        missed = "" if set(broken.caught) & set(checks) else "  NOT CAUGHT"
        print(f"{name:10} {dict(checks)} in {result.seconds:.0f} s{missed}", flush=True)
        if missed:
            caught[name] = {"line": broken.line, "missed": result.violations}
    missing = [name for name, what in caught.items() if "missed" in what]  # type: ignore[operator]
    return caught, not missing


def main(argv: Sequence[str] | None = None) -> int:
    """Read the options, run, write the file; 1 if a promise was broken, or a break not noticed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--faults", type=int, default=200)
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--break", dest="guard", choices=(EVERY, *sorted(BREAKS)), default="")
    parser.add_argument("--only", action="append", default=[], help="a fault's name; repeatable")
    parser.add_argument("--coordinators", type=int, choices=(2, 3, 4), default=2)
    parser.add_argument("--minutes", type=float, default=60.0, help="no further fault after these")
    parser.add_argument("--out", type=Path, default=OUT)
    chosen = parser.parse_args(argv)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that nothing is left running
    chosen.out.parent.mkdir(parents=True, exist_ok=True)
    if chosen.guard == EVERY:
        caught, all_caught = break_every(chosen.seed, chosen.faults, chosen.database)
        chosen.out.write_text(json.dumps(caught, indent=2) + "\n", encoding="utf-8")
        return 0 if all_caught else 1
    result = run(
        seed=chosen.seed,
        faults=chosen.faults,
        database=chosen.database,
        guard=chosen.guard,
        names=with_coordinators(FEW if chosen.guard else NAMES, chosen.coordinators),
        only=chosen.only or (BREAKS[chosen.guard].faults if chosen.guard else ()),
        settle=SETTLE_BROKEN if chosen.guard else SETTLE,
        receipts=RECEIPTS,
        minutes=chosen.minutes,
    )
    chosen.out.write_text(json.dumps(result.figures(), indent=2) + "\n", encoding="utf-8")
    for name, count in sorted(result.tally.items()):
        print(f"  {count:4}  {name}")
    for name, why in result.not_run.items():
        print(f"NOT RUN {name}: {why}")
    for violation in result.violations[:50]:
        print(f"VIOLATION {violation}")
    print(
        f"seed {result.seed} on {result.database}: {sum(result.tally.values())} faults, "
        f"{result.programs} programs, {result.receipts} receipts, {result.coordinators} "
        f"coordinators that took programs {result.moves} times from each other, "
        f"{len(result.violations)} violations in {result.seconds:.0f} s; see {chosen.out}"
    )
    return 1 if result.violations else 0


if __name__ == "__main__":
    sys.exit(main())
