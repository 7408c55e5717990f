"""The campaign: confirm what a page shows while others change its ground in the same moment.

`make races TRIES=500 SEED=1 DATABASE=sqlite` (or `postgresql`, or `both`): each try has a copy of
a program of its own, two processes with connections of their own, and two random offsets of 0 to
50 ms, at which the one confirms and the other disturbs. What was fixed is then compared with what
was shown. Figures go to var/races.json. With `--break NAME` a guard is taken away, and the
campaign must report what was fixed unseen.
"""

import argparse
import json
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import patch

from swapflow.domain.seal import Seal
from swapflow.engine import confirmation
from swapflow.engine.cohort.prepared_decisions import DECISION
from swapflow.engine.cohort.signing import PendingSignatures
from swapflow.engine.offers import announcements, offers
from swapflow.errors import SwapflowError
from tests.races.databases import Templates, templates_on
from tests.races.others import Others, close, product_on, wait_for
from tests.races.pages import PAGES


OUT = Path("var/races.json")
LONGEST = 0.05
"""Seconds within which both act."""

AHEAD = 0.01
"""Seconds between telling the other process and the first moment."""


@dataclass(kw_only=True)
class Result:
    """What the tries on one database came to."""

    tries: int = 0
    unseen: list[str] = field(default_factory=list)
    tally: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0

    def figures(self) -> dict[str, object]:
        return {
            "tries": self.tries,
            "unseen": len(self.unseen),
            "tally": dict(sorted(self.tally.items())),
            "found": self.unseen[:20],
            "seconds": round(self.seconds, 1),
        }


def run(*, tries: int, seed: int, database: str, told: Callable[[str], None] = print) -> Result:
    """Race on one database.

    Args:
        tries: How many, over all kinds of pages in turn.
        seed: Fixes what is shown, who does what, and the offsets; the rest is up to the machine.
        database: "sqlite" or "postgresql".
        told: Called with a line of progress.
    """
    result, begun = Result(), time.monotonic()
    rng = random.Random(f"{seed} {database}")
    with templates_on(database) as templates, closing(Others()) as others:
        for name, page in PAGES.items():
            templates.make(name, page.fill)
        for number in range(tries):
            name = list(PAGES)[number % len(PAGES)]
            said = _try(name, templates, others, rng)
            result.tries += 1
            result.tally[said.split(":")[0]] += 1
            if said.startswith("unseen"):
                result.unseen.append(f"try {number}, {name}: {said}")
                told(result.unseen[-1])
    result.seconds = time.monotonic() - begun
    return result


def _try(name: str, templates: Templates, others: Others, rng: random.Random) -> str:
    """Confirm once; return "unseen: …" if something was fixed that was not shown."""
    url = templates.copy(name)
    product = process = product_on(url)
    try:
        # The confirmation may reach another process than showed the page: that reads all anew.
        if rng.random() < 0.5:
            process = product_on(url)
        look = PAGES[name].look(product, process, rng)
        others.prepare(url, look.disturbance)
        start = time.monotonic() + AHEAD
        others.act_at(start + LONGEST * rng.random())
        wait_for(start + LONGEST * rng.random())
        try:
            done = look.confirm()
        except SwapflowError as error:
            done = False
            answer = f"refused {error.code}"
        else:
            answer = "done" if done else "nothing to do"
        disturbed = others.outcome()
        problem = look.unseen(product.context.ledger, done)
    finally:
        close(product)
        close(process)
        templates.drop(url)
    how = look.disturbance.what
    if problem:
        return f"unseen: {problem} ({answer}, against {how}, {disturbed})"
    return f"{name}, {answer}, {how} {disturbed.split(':')[0]}"


SLOW = 0.03
"""Seconds between comparing and locking where a guard is taken away, as on a big program."""


@contextmanager
def _unguarded() -> Iterator[None]:
    compare = confirmation.check_shown

    def slowly(now: Seal, shown: str) -> None:
        compare(now, shown)
        time.sleep(SLOW)

    with (
        patch.object(confirmation, "unchanged", lambda *_: True),
        patch.object(confirmation, "check_shown", slowly),
    ):
        yield


@contextmanager
def _uncompared() -> Iterator[None]:
    def agree(*_: object, **__: object) -> None: ...

    # A conclusion or an undoing without its ground is refused for other reasons.
    current = property(lambda self: self.prepared.what == DECISION or not self.changed)
    with (
        patch.object(confirmation, "check_shown", agree),
        patch.object(offers, "check_shown", agree),
        patch.object(announcements, "check_shown", agree),
        patch.object(PendingSignatures, "current", current),
    ):
        yield


BREAKS = {"guard": _unguarded, "comparison": _uncompared}
"""Guards that can be taken away, here alone: the product has no switch for them."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the campaign from a command line; return 1 if anything was fixed unseen."""
    parser = argparse.ArgumentParser(prog="python -m tests.races", description=__doc__)
    parser.add_argument("--tries", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--database", choices=("sqlite", "postgresql", "both"), default="both")
    parser.add_argument("--break", dest="guard", choices=tuple(BREAKS), default="")
    parser.add_argument("--out", type=Path, default=OUT)
    given = parser.parse_args(arguments)
    chosen = ("sqlite", "postgresql") if given.database == "both" else (given.database,)
    figures: dict[str, object] = {"seed": given.seed}
    found = 0
    for database in chosen:
        if given.guard:
            with BREAKS[given.guard]():
                result = run(tries=given.tries, seed=given.seed, database=database)
        else:
            result = run(tries=given.tries, seed=given.seed, database=database)
        found += len(result.unseen)
        figures[database] = result.figures()
        for what, count in sorted(result.tally.items()):
            print(f"{database:10} {count:5}  {what}")
        print(f"{database:10} {result.tries:5}  tries, {len(result.unseen)} fixed unseen")
    if not given.guard:
        given.out.parent.mkdir(parents=True, exist_ok=True)
        given.out.write_text(json.dumps(figures, indent=2) + "\n", "utf-8")
    return 1 if found else 0
