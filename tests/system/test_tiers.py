"""A round in three tiers, from its rules file to the signed list, on real processes."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

from swapflow.cli.main import main
from swapflow.domain.cycle import CycleStatus
from swapflow.domain.event import EventType
from swapflow.domain.people.application import NewApplication
from swapflow.domain.people.reviewer import NewReviewer
from swapflow.domain.reviewing.assignment import PullStatus
from swapflow.domain.reviewing.score import Answer
from swapflow.domain.rules import Rules
from swapflow.engine.services import Swapflow
from swapflow.files.rules.rules_file import parse_rules
from tests.system.rounds import unsound
from tests.system.stack import Stack


pytestmark = pytest.mark.system

APPLICANTS, NORTH, BUDGET, PLACES = 14, 5, 130, 3
SCREEN, REVIEW, PANEL = range(3)
Done = Counter[tuple[int, int]]
"""How many are closed, by application and kind."""

RULES = f"""
budget = {BUDGET}
reserve = 0.0
blind = false
signatures = 2

[[places]]
name = "place"
number = {PLACES}

[[kinds]]
name = "screen"
cost = 1
gain = 1
maximum = 1
window_days = 7

[[kinds]]
name = "review"
cost = 2
gain = 4
requires = "screen"
maximum = 2
window_days = 7

[[kinds]]
name = "panel"
cost = 10
gain = 15
requires = "review"
requires_count = 2
maximum = 1
total = 8
seats = 2
approval = true
window_days = 7

[[floors]]
kind = "screen"
count = 1
for = "all"

[[floors]]
kind = "panel"
count = 1
for = "chosen"

[[quotas]]
attribute = "region"
value = "North"
minimum = 1

[advanced]
settled = 0.002
"""


def region(number: int) -> str:
    return "North" if number < NORTH else "South"


@pytest.fixture(scope="module")
def deployment() -> Iterator[Stack]:
    with Stack() as running:
        yield running


def launch(product: Swapflow, cycle_id: str, rules: Rules) -> None:
    product.cycles.new_round("tiers", name="Tiers")
    product.cycles.new(cycle_id, round_id="tiers", rules=rules, by="ops")
    product.applicants.import_all(
        cycle_id,
        [
            NewApplication(
                external_id=f"A{n:02}", selection={"region": region(n)}, monitor={}, fields={}
            )
            for n in range(APPLICANTS)
        ],
    )
    everything: dict[str, int | None] = {kind.name: None for kind in rules.kinds}
    product.reviewers.import_all(
        cycle_id, [NewReviewer(external_id=f"R{n}", capacity=everything) for n in range(8)]
    )
    product.cycles.launch(cycle_id, by="ops")


def mark(application: int, kind: int, reviewer: int) -> float:
    """A function of the question; the dearer the kind, the nearer to the applicant's truth."""
    noise = hashlib.sha256(f"{application}/{kind}/{reviewer}".encode()).digest()[0] / 255 - 0.5
    return min(1.0, max(0.0, 0.2 + 0.045 * application + (0.4, 0.2, 0.1)[kind] * noise))


def work_off(stack: Stack, cycle_id: str) -> None:
    """Stand in for everybody: answer what lies in inboxes, approve what waits for a person."""
    product = stack.product

    def done() -> bool:
        product.approvals.approve(
            cycle_id, [one[0] for one in product.approvals.proposed(cycle_id)], by="ops"
        )
        for reviewer in product.reviewers.list(cycle_id):
            for asked in product.tasks.inbox(cycle_id, reviewer.external_id):
                value = mark(asked.application, asked.kind, asked.reviewer)
                product.tasks.submit([Answer(assignment_id=asked.id, utility=value)])
        return product.cycles.get(cycle_id).status is CycleStatus.PROPOSED

    stack.wait_for(done, what=f"a list for {cycle_id}")


def opened_after(product: Swapflow, cycle_id: str) -> Iterator[tuple[int, int, Done]]:
    """Go through the record: each request opened, and how many of each kind were closed then."""
    closed: Done = Counter()
    for event in product.reports.events(cycle_id):
        body = event.payload
        if event.type is EventType.PULLS_OPENED:
            pulls = cast("list[list[int]]", body["pulls"])
            yield from ((application, kind, closed.copy()) for application, kind, *_ in pulls)
        elif event.type is EventType.SCORED and body["closes"]:
            closed[cast("int", body["a"]), cast("int", body["k"])] += 1


def test_three_tiers_run_in_order_to_a_signed_list(deployment: Stack, cycle_id: str) -> None:
    product = deployment.product
    launch(product, cycle_id, parse_rules(RULES))

    work_off(deployment, cycle_id)

    opened = list(opened_after(product, cycle_id))
    counts = Counter(kind for _, kind, _ in opened)
    assert counts[SCREEN] == APPLICANTS
    assert counts[REVIEW] >= 2 * PLACES
    assert PLACES <= counts[PANEL] <= 8
    for application, kind, closed in opened:
        assert kind != REVIEW or closed[application, SCREEN] == 1
        assert kind != PANEL or closed[application, REVIEW] == 2
    pulls = product.context.ledger.pulls(cycle_id)
    cycle = product.cycles.get(cycle_id)
    assert cycle.spent == sum(p.cost for p in pulls if p.status is PullStatus.CLOSED) <= BUDGET
    assert cycle.committed == 0

    chosen = product.cohort.propose(cycle_id).cohort
    met = {p.application for p in pulls if p.kind == PANEL and p.status is PullStatus.CLOSED}
    assert len(chosen) == PLACES
    assert {place.application for place in chosen} <= met
    assert any(place.application < NORTH for place in chosen)

    assert not unsound(product, cycle_id)
    digest = product.cohort.prepare(cycle_id, by="chair")
    assert not product.cohort.sign(cycle_id, digest, by="chair")
    assert product.cohort.sign(cycle_id, digest, by="dean")
    assert product.cycles.get(cycle_id).status is CycleStatus.FINALIZED
    assert product.reports.verify(cycle_id, live=False).passed


def test_the_plan_of_the_same_rules_keeps_the_same_order_and_limits(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cycle, people = tmp_path / "tiers.toml", tmp_path / "people.csv"
    cycle.write_text(RULES, encoding="utf-8")
    rows = [f"A{n:02},{region(n)}" for n in range(APPLICANTS)]
    people.write_text("\n".join(["id,region", *rows]) + "\n", encoding="utf-8")

    code = main(
        [
            *("plan", str(cycle), "--applicants", str(people), "--reviewers", "8", "--quick"),
            *("--runs", "4", "--processes", "1", "--report", str(tmp_path / "p.html"), "--json"),
        ]
    )

    said = capsys.readouterr()
    assert code == 0, said.err
    planned = json.loads(said.out)
    screens, reviews, panels = planned["forecast"]["asked"]
    assert screens == APPLICANTS
    assert reviews >= 2 * panels
    assert PLACES <= panels <= 8
    assert planned["forecast"]["cost"]["high"] <= BUDGET + 1e-6
