"""The script that lets swapflow choose who reviews what in a pretalx event, beside a real one.

pretalx comes from the package index, so this test needs one, and stays out of the everyday suite.
"""

import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import pytest

from swapflow.bootstrap import assemble
from swapflow.domain.cycle import CycleStatus
from swapflow.domain.reviewing.assignment import OPEN_ASSIGNMENT, Assignment
from swapflow.domain.reviewing.score import Score
from swapflow.identity.api_keys import make_token
from swapflow.identity.permissions import Role, Scope
from tests.support.ports import free_port
from tests.support.process import Process
from tests.support.waiting import wait_until
from tests.system.beside_pretalx import ROOT, Event, Pair, event_of_pretalx, pause
from tests.system.rounds import unsound
from tests.system.stack import Stack, describe


pytestmark = [pytest.mark.system, pytest.mark.slow]

EXAMPLES = ROOT / "docs" / "examples"
CYCLE = "fall"
KILLS = 10
A_TURN = 20
"""Reviews that people write between two looks of the test."""

UNDER_WAY = frozenset({CycleStatus.DRAFT, CycleStatus.RUNNING})


class Beside:
    """The script between an event and a deployment, and the people who review meanwhile."""

    def __init__(self, event: Event, stack: Stack, script: Process) -> None:
        self.event, self.stack, self.script = event, stack, script
        self.random = random.Random(17)
        self.tally: Counter[str] = Counter()
        self.by_hand: set[Pair] = set()
        self.left_alone: set[Pair] = set()
        self.touched: set[Pair] = set()

    # People in pretalx

    def write_some(self) -> None:
        """Write reviews where people are assigned and have not answered."""
        written, names = self.event.reviews(), self.names()
        open_ = self.stack.product.context.ledger.assignments(CYCLE, statuses=OPEN_ASSIGNMENT)
        # Who deleted a review stays assigned, and is done unless swapflow asks them again.
        done = (self.left_alone | self.touched) - {names(one) for one in open_}
        waiting = [
            (code, who)
            for code, people in sorted(self.event.assigned().items())
            for who in people
            if (code, who) not in written and (code, who) not in done
        ]
        for pair in self.random.sample(waiting, min(A_TURN, len(waiting))):
            self.event.review(pair, self.random.choice([0, 1, 2]))
            self.tally["reviews"] += 1

    def change_some(self) -> None:
        """Edit one review that has come over, and delete another; each is changed once."""
        standing, written = self.counting(), self.event.reviews()
        settled = sorted(pair for pair in standing.keys() & written.keys() - self.touched)
        if len(settled) > 1:
            edited, deleted = self.random.sample(settled, 2)
            self.touched |= {edited, deleted}
            self.event.edit(edited, (int(float(written[edited]["score"])) + 1) % 3)
            self.event.delete(deleted)
            self.tally += Counter({"edited": 1, "deleted": 1})

    def write_one_again(self) -> None:
        """Delete a review, wait until its score is void, and write the same again."""
        written = self.event.reviews()
        pair = min(self.counting().keys() & written.keys() - self.touched)
        self.touched.add(pair)
        self.event.delete(pair)
        self.wait_for(lambda: pair not in self.counting(), what=f"a void for {pair}")
        self.event.review(pair, int(float(written[pair]["score"])))
        self.tally += Counter({"deleted": 1, "written again": 1})

    def take_one_back(self) -> None:
        """Take a request back in swapflow: the assignment in pretalx goes, if nobody made it."""
        product, names = self.stack.product, self.names()
        waiting = product.context.ledger.assignments(CYCLE, statuses=OPEN_ASSIGNMENT)
        written, assigned = self.event.reviews(), self.event.assigned()
        one = next(
            one
            for one in waiting
            if (pair := names(one)) not in written | dict.fromkeys(self.by_hand)
            and pair[1] in assigned[pair[0]]
        )
        pair = names(one)
        self.left_alone.add(pair)
        product.tasks.take_back(one.id, by="office", reason="is ill")
        gone = lambda: pair[1] not in self.event.assigned()[pair[0]]  # noqa: E731
        self.wait_for(gone, what=f"{pair} to be unassigned")
        self.tally["taken back"] += 1

    # What swapflow holds

    def names(self) -> Callable[[Assignment | Score], Pair]:
        """Return what names a request or a score by submission and reviewer."""
        product = self.stack.product
        applicants = {a.number: a.external_id for a in product.applicants.list(CYCLE)}
        reviewers = {r.number: r.external_id for r in product.reviewers.list(CYCLE)}
        return lambda one: (applicants[one.application], reviewers[one.reviewer])

    def standing(self) -> list[Score]:
        """Read the latest revision of every score."""
        scores = self.stack.product.scores.list(CYCLE)
        return list({score.assignment_id: score for score in scores}.values())

    def counting(self) -> dict[Pair, float]:
        """Read the scores that count; fails where a reviewer has two of one submission."""
        names = self.names()
        counting = [score for score in self.standing() if score.counts]
        found = {names(score): score.value / 10_000 for score in counting}
        assert len(found) == len(counting)
        return found

    def agrees(self) -> bool:
        """Whether each review in pretalx is a score here, with its mark, and no other is."""
        there = {pair: float(row["score"]) * 50 for pair, row in self.event.reviews().items()}
        return self.counting() == there

    def changes(self) -> Counter[str]:
        """Count what became of scores after they were given, by the record's revisions."""
        found: Counter[str] = Counter()
        revisions: dict[str, list[Score]] = {}
        for score in self.stack.product.scores.list(CYCLE):
            revisions.setdefault(score.assignment_id, []).append(score)
        for old, new in (pair for one in revisions.values() for pair in pairwise(one)):
            if old.counts and new.counts:
                found["corrections"] += 1
            elif old.counts:
                found["voids"] += 1
            else:
                found["restored" if old.reason == "voided" else "admitted"] += 1
        return found

    # The script

    def kill(self) -> None:
        """Kill the script by kill -9 somewhere in a look, and start it again."""
        pause(self.random.uniform(0.2, 4))
        assert self.script.code is None, self.script.tail()
        self.script.kill9()
        self.script.start()
        self.tally["kills"] += 1

    def wait_for(self, claim: Callable[[], bool], *, what: str) -> None:
        """Wait for a claim; a failure shows what the script printed."""
        try:
            wait_until(claim, what=what, watched=[self.script], cap=300)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.script.tail()}") from error

    def status(self) -> CycleStatus | None:
        """Where the program stands; None before it is there."""
        known = {cycle.id: cycle.status for cycle in self.stack.product.cycles.list()}
        return known.get(CYCLE)


@contextmanager
def beside(event: Event, port: int, folder: Path) -> Iterator[Beside]:
    """Start a deployment, and the script between it and the event."""
    with Stack() as stack:
        _, office = assemble(stack.settings)
        account = office.users.add("office@example.org")
        office.users.grant(account, Role.ADMINISTRATOR, Scope.OFFICE, "", by="test")
        key, _ = make_token(
            account,
            name="pretalx",
            scopes=("read", "write"),
            days=30,
            ledger=office.context.ledger,
        )
        options = {
            "pretalx": event.address,
            "organiser": "uni",
            "event": "fall",
            "swapflow": f"http://127.0.0.1:{port}",
            "cycle": CYCLE,
            "rules": str(EXAMPLES / "pretalx.toml"),
            "scale": "0:2",
            "state": str(folder / "assigned.json"),
            "seconds": "0.5",
        }
        words = [word for name, value in options.items() for word in (f"--{name}", value)]
        with Process(
            [sys.executable, "-I", str(EXAMPLES / "pretalx.py"), *words],
            env={"PRETALX_TOKEN": event.office, "SWAPFLOW_KEY": key},
        ) as script:
            yield Beside(event, stack, script)


def test_a_pretalx_event_is_run_to_a_list_though_the_script_is_killed_ten_times(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    port = free_port()
    monkeypatch.setenv("SWAPFLOW_WEB_PORT", str(port))
    with event_of_pretalx() as event, beside(event, port, tmp_path) as run:
        people = sorted(event.reviewers)
        for number, code in enumerate(event.submissions[:5]):
            run.by_hand.add((code, people[number]))
            event.assign_by_hand((code, people[number]))

        while run.status() in {None, *UNDER_WAY}:
            if run.status() is CycleStatus.RUNNING:
                run.write_some()
                run.change_some()
            for _ in range(min(2, KILLS - run.tally["kills"])):
                run.kill()
            if run.tally["kills"] == 6 and not run.tally["taken back"]:
                run.take_one_back()
                run.write_one_again()
                later = (event.submissions[9], people[6])
                run.by_hand.add(later)
                event.assign_by_hand(later)
            pause(0.5)
            print(run.status(), describe(run.tally), flush=True)
        run.wait_for(run.agrees, what="every review to be a score")

        product = run.stack.product
        assert run.tally["kills"] == KILLS
        assert all(who in event.assigned()[code] for code, who in run.by_hand)
        changes = run.changes()
        assert changes["corrections"] == run.tally["edited"]
        assert changes["voids"] == run.tally["deleted"]
        assert changes["restored"] == run.tally["written again"]
        product.cohort.finalize(CYCLE, by="Chair")
        run.wait_for(lambda: run.script.code == 0, what="the script to end with the list")
        assert unsound(product, CYCLE) == []

        requests = product.context.ledger.assignments(CYCLE)
        print(
            f"\n{len(event.submissions)} submissions, {len(people)} reviewers, "
            f"{len(event.reviews())} reviews at the end, {len(requests)} requests, "
            f"{len(run.by_hand)} assigned by hand; people: {describe(run.tally)}; "
            f"record: {describe(changes)}, program {product.cycles.get(CYCLE).status.value}"
        )
