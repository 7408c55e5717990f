"""Kinds that overlap by chance: who is drawn, what it costs, and the offset that it measures."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from scipy.stats import binom

from swapflow.bandit.ties import tie_key
from swapflow.domain.kind_overlap import drawn_for
from swapflow.domain.people.reviewer import NewReviewer
from swapflow.domain.reviewing.assignment import PullReason
from swapflow.domain.rules import Floor, KindRules, Rules, SeatLine
from swapflow.domain.rules_text import to_text
from swapflow.files.bundles.bundle import bundle
from swapflow.files.bundles.check import check_bundle
from swapflow.files.bundles.signing_keys import Signer
from tests.engine.cycle_by_hand import CYCLE, REVIEW, World, reviewer, reviewers, rules


SIGNER = Signer(Ed25519PrivateKey.from_private_bytes(bytes(range(32))))
PEOPLE = [*reviewers(6), *(reviewer(f"I{n}", capacity={"interview": None}) for n in range(3))]
INTERVIEW = KindRules(name="interview", cost=3, gain=1.0, maximum=1, requires="review")
OFFSET = 0.12
"""Planted: how much more generous interviews are."""
TWO = rules(
    lines=(SeatLine(name="all", places=40),),
    kinds=(REVIEW, INTERVIEW),
    floors=(Floor(kind="review", count=1),),
    budget=360,
    kind_overlap=0.2,
)


def level(*words: str) -> float:
    """A draw that only the words decide, about standard normal."""
    return sum((tie_key(5, "/".join((*words, str(i)))) >> 11) / 2**53 for i in range(12)) - 6


def generous(external_id: str, kind: str, ordinal: int, by: str) -> float:
    """Truth, noise, and a kind that gives more."""
    noise = 0.06 * level("noise", external_id, kind, str(ordinal), by)
    more = OFFSET if kind == "interview" else 0.0
    return float(np.clip(0.45 + 0.1 * level("truth", external_id) + noise + more, 0, 1))


def played(
    wanted: Rules = TWO, *, applications: int = 120, roster: Sequence[NewReviewer] = PEOPLE
) -> World:
    fitting = replace(wanted, lines=(SeatLine(name="all", places=applications // 3),))
    world = World(rules=fitting, applications=applications, roster=roster)
    world.run(generous)
    return world


def by_chance(world: World) -> list[tuple[int, int]]:
    return [
        (p.application, p.kind) for p in world.ledger.pulls(CYCLE) if p.why is PullReason.CHANCE
    ]


@pytest.fixture(scope="module")
def world() -> World:
    return played()


def test_off_it_is_not_stored_and_nobody_is_drawn() -> None:
    off = replace(TWO, kind_overlap=0.0)

    assert "kind_overlap" not in to_text(off)
    assert by_chance(played(off, applications=40)) == []


def test_with_one_kind_it_changes_no_decision() -> None:
    one = replace(TWO, kinds=(REVIEW,), budget=90)
    worlds = [
        played(replace(one, kind_overlap=share), applications=40, roster=reviewers(6))
        for share in (0.0, 0.2)
    ]

    first, second = ([d.picks for d in w.product.reports.decisions(CYCLE)] for w in worlds)

    assert first == second


def test_the_share_that_is_drawn_is_the_one_that_was_asked_for() -> None:
    low, high = binom.interval(0.9999, 20_000, TWO.kind_overlap)

    for kind in (0, 1):
        drawn = sum(drawn_for(TWO, tie, kind) for tie in range(20_000))
        assert low <= drawn <= high


def test_drawn_are_applicants_near_the_cut_who_lack_the_kind(world: World) -> None:
    found = by_chance(world)
    ties = {a.number: a.tie for a in world.product.applicants.list(CYCLE)}
    decisions = [d for d in world.ledger.decisions(CYCLE) if d.why == "chance"]

    assert len(found) == len(set(found)) >= 10
    assert all(drawn_for(TWO, ties[application], kind) for application, kind in found)
    for decision in decisions:
        assert {pick[0] for pick in decision.picks} <= set(decision.contested)
    most = int(binom.ppf(0.9999, 120, TWO.kind_overlap))
    assert len({application for application, _ in found}) <= most


def test_nobody_gets_more_than_the_rules_allow() -> None:
    tight = replace(TWO, budget=135, kinds=(REVIEW, replace(INTERVIEW, total=4)))
    world = played(tight)
    world.check()

    interviews = [p for p in world.ledger.pulls(CYCLE) if p.kind == 1]

    assert 1 <= len(by_chance(world)) <= len(interviews) <= 4
    assert world.cycle.spent <= tight.budget


def test_the_offset_is_recovered_and_called_measured(world: World) -> None:
    (offset,) = world.product.reports.calibration(CYCLE).measured.offsets

    assert not offset.assumed
    assert 10 <= offset.by_chance <= offset.both
    assert offset.offset is not None
    assert offset.offset.value == pytest.approx(OFFSET, abs=0.04)
    assert offset.offset.low < OFFSET < offset.offset.high


def test_verify_and_the_bundle_replay_the_draw(world: World) -> None:
    assert by_chance(world)
    world.product.cohort.finalize(CYCLE, by="chair")

    assert world.product.reports.verify(CYCLE, live=False).findings == ()
    checked = check_bundle(bundle(world.product.reports.finished(CYCLE), SIGNER))

    assert checked.passed
    assert checked.replayed is not None
    assert checked.replayed.findings == ()


def test_a_decision_by_chance_that_was_recorded_as_the_rules_own_is_found_out() -> None:
    world = played(applications=60)
    with world.ledger._database.writing() as connection:
        connection.exec_driver_sql("UPDATE decision SET why = 'rule' WHERE why = 'chance'")

    found = [f.what for f in world.product.reports.verify(CYCLE, live=False).findings if f.fatal]

    assert any("was made for 'rule', the replay differs" in what for what in found)


def test_the_check_before_the_launch_counts_what_may_be_drawn() -> None:
    world = World(rules=TWO, applications=120, roster=PEOPLE, launch=False)
    ties = [a.tie for a in world.product.applicants.list(CYCLE)]
    most = sum(drawn_for(TWO, tie, 1) for tie in ties)

    told = [str(w) for w in world.product.cycles.preview(CYCLE).warnings if "by chance" in w]

    assert most > 0
    (only,) = told
    assert only == (
        f"reviews and interviews are compared by chance: at most {most} × interview "
        "go to applicants near the cut, for "
        f"{3 * most} of the 240 that the floors and the reserve leave"
    )
