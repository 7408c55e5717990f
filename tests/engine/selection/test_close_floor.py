"""Nobody who is too close to call is decided on fewer reviews than are promised."""

import json
import threading
from dataclasses import replace

import numpy as np
import pytest

from swapflow.bandit.situation import IntArray
from swapflow.domain.cohort.proposal import Standing, Waiver
from swapflow.domain.cycle import CycleStatus
from swapflow.domain.event import EventType
from swapflow.domain.objective import GroupQuota
from swapflow.domain.reviewing.assignment import PullReason
from swapflow.domain.rules import DispatchMode, Floor, FloorFor, RuleName, Rules, SeatLine
from swapflow.domain.rules_text import from_text, to_text
from swapflow.domain.rules_versions import FIRST_AVERAGES, LATEST_AVERAGES
from swapflow.engine.audit.finished_cycle import check, gather_finished_cycle
from swapflow.engine.coordination.background_judge import BackgroundJudge
from swapflow.engine.lifecycle.close_forecast import close_forecast, share_too_close
from swapflow.engine.lifecycle.launch import settled_at_launch
from swapflow.engine.lifecycle.rule_changes import kept
from swapflow.engine.selection.close_floor import payable
from swapflow.engine.selection.list_quality import JudgedList, QualityQuestion
from swapflow.errors import InvalidInputError
from swapflow.files.rules.rules_file import TEMPLATES, parse_rules, rules_text, template
from tests.engine.cycle_by_hand import CYCLE, World, chosen_floor, rules


CLOSE = Floor(kind="review", count=3, who=FloorFor.CLOSE)
ALL = Floor(kind="review", count=1)
PLAIN = rules(
    budget=200,
    # A stop that comes after the first look: only the floor sends more then.
    settled=0.5,
    lines=(SeatLine(name="all", places=6),),
    floors=(ALL,),
)
PROMISED = replace(PLAIN, floors=(ALL, CLOSE))
APPLICANTS = 24


def noisy(external_id: str, kind: str, ordinal: int, by: str) -> float:
    """Marks of which each says little: between applicants and between reviews alike."""
    number = int(external_id[1:])
    return 0.2 + 0.02 * number + 0.04 * ((number * 7 + ordinal * 13) % 5)


def ended(these: Rules) -> World:
    """Run a program until asking has ended."""
    world = World(rules=these, applications=APPLICANTS, roster=12)
    world.run(noisy)
    return world


def reviews_of_close(world: World) -> list[int]:
    proposal = world.product.cohort.propose(CYCLE)
    return [place.pulls["review"] for place in proposal.places if place.too_close]


def test_who_is_too_close_gets_the_promised_reviews_before_a_stop() -> None:
    """Without the floor they are decided on one or two; with it on three at least."""
    before, after = ended(PLAIN), ended(PROMISED)

    assert min(reviews_of_close(before)) < 3
    assert min(reviews_of_close(after)) >= 3
    assert after.cycle.status in {CycleStatus.PROPOSED, CycleStatus.ENDED}
    assert PullReason.FLOOR in {p.why for p in after.product.context.ledger.pulls(CYCLE)}
    assert not after.product.cohort.propose(CYCLE).close_checks
    after.verify()


@pytest.mark.parametrize(
    "changes",
    [
        {"rule": RuleName.CERTIFIED, "sigma": 0.1, "epsilon": 100.0},
        {"dispatch": DispatchMode.LOCKSTEP},
        {"floors": (ALL, CLOSE, chosen_floor("review", 2))},
    ],
    ids=["certified", "lockstep", "with a floor for the chosen"],
)
def test_the_promise_holds_under_every_rule_and_dispatch(changes: dict[str, object]) -> None:
    world = ended(replace(PROMISED, **changes))  # type: ignore[arg-type]  # tests name fields

    assert min(reviews_of_close(world), default=3) >= 3


def test_what_is_promised_is_kept_back_from_the_rule() -> None:
    """Of 5 that are left, 4 are owed: one may go to others, then only to whom it is owed."""
    owed = np.array([[0], [2], [2]])
    wanted = [(0, 0, 1), (0, 0, 2), (1, 0, 1), (0, 0, 3), (2, 0, 1)]

    assert payable(wanted, owed, left=5.0, rules=PROMISED) == (0, 2, 4)
    assert payable(wanted, owed, left=5.0, rules=PLAIN) == (0, 1, 2, 3, 4)


def test_what_the_budget_could_not_pay_is_named_before_signing() -> None:
    """Two more reviews are all that is left; a list with others below waits for a reason."""
    world = ended(replace(PROMISED, budget=APPLICANTS + 2, lines=PROMISED.lines))
    proposal = world.product.cohort.propose(CYCLE)

    assert proposal.close_checks
    assert "too close to call ha" in proposal.close_checks[0]
    assert "3 are promised" in proposal.close_checks[0]
    with pytest.raises(InvalidInputError, match="below a floor"):
        world.product.cohort.finalize(CYCLE, by="Dean")
    world.product.cohort.finalize(CYCLE, by="Dean", waiver=Waiver(by="Dean", reason="no money"))
    # What a floor lacks is computed again from the record.
    closed = gather_finished_cycle(CYCLE, ledger=world.product.context.ledger)
    assert check(closed).findings == ()


def test_who_is_out_above_the_cut_by_plain_average_is_named() -> None:
    """Of programs with this floor; the reason stands with each of them."""
    world = ended(PROMISED)
    proposal = world.product.cohort.propose(CYCLE)
    cut = min(place.estimate for place in proposal.cohort)
    out = replace(
        next(p for p in proposal.places if p.standing is Standing.WAITLIST),
        estimate=cut - 0.01,
        raw_mean=cut + 0.01,
    )
    changed = replace(
        proposal,
        places=tuple(out if p.application == out.application else p for p in proposal.places),
    )

    assert out in changed.out_above_cut
    assert out in changed.to_explain
    assert not replace(changed, promises_close=False).out_above_cut


def test_the_launch_forecasts_the_floor() -> None:
    [sentence] = close_forecast(PROMISED, 200, 500)
    [dear] = close_forecast(PROMISED, 200, 5)

    assert "3 × review" in sentence
    assert "raise the budget" in dear
    assert not close_forecast(PLAIN, 200, 500)
    # By simulation of normal applicants and marks with the same noise.
    rng = np.random.default_rng(5)
    truth = rng.standard_normal(200_000)
    mean = (truth + rng.normal(0, np.sqrt(1.5 / 2), truth.size)) / (1 + 1.5 / 2)
    deviation = np.sqrt(1 - 1 / (1 + 1.5 / 2))
    cut = np.quantile(truth, 0.85) * np.sqrt(1 - deviation**2)
    near = np.abs(mean - cut) < 1.2816 * deviation
    assert share_too_close(0.15, 2, 0.1) == pytest.approx(near.mean(), abs=0.005)


def test_the_floor_is_read_and_written_and_the_templates_have_it() -> None:
    assert from_text(to_text(PROMISED)).floors == PROMISED.floors
    assert parse_rules(rules_text(PROMISED)).floors == PROMISED.floors
    for name in TEMPLATES:
        floors = parse_rules(template(name)).floors
        assert [f.count for f in floors if f.who is FloorFor.CLOSE] == [3]


def test_a_list_with_limits_on_groups_keeps_the_promise_by_draws() -> None:
    """No closed form says who is too close there; the stop waits for draws."""
    quota = GroupQuota(attribute="region", value="North", maximum=6)
    world = ended(replace(PROMISED, quotas=(quota,)))

    proposal = world.product.cohort.propose(CYCLE)

    assert world.cycle.status in {CycleStatus.PROPOSED, CycleStatus.ENDED}
    # Another event is another draw, so that an applicant at the edge may differ.
    assert sum(n < 3 for n in reviews_of_close(world)) <= 2
    assert proposal.promises_close
    world.verify()


def test_the_draws_before_a_stop_are_made_outside_the_turns(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A coordinator serves other programs meanwhile, and the stop is the same."""
    quota = GroupQuota(attribute="region", value="North", maximum=6)
    limited = replace(PROMISED, quotas=(quota,))
    plain = ended(limited)
    threads: list[str] = []
    turns = threading.Semaphore(0)
    answer, ask = QualityQuestion.answer, BackgroundJudge.__call__

    def asked(judge: BackgroundJudge, question: QualityQuestion) -> JudgedList | None:
        turns.release()
        return ask(judge, question)

    def slowly(question: QualityQuestion, members: IntArray | None = None) -> JudgedList:
        """Answer only once another turn has asked."""
        threads.append(threading.current_thread().name)
        assert turns.acquire(timeout=20)
        assert turns.acquire(timeout=20)
        return answer(question, members)

    monkeypatch.setattr(BackgroundJudge, "__call__", asked)
    monkeypatch.setattr(QualityQuestion, "answer", slowly)
    world = ended(limited)

    assert threads
    assert all(name.startswith("judge") for name in threads)
    assert world.cycle.status is plain.cycle.status
    assert [e.type for e in world.events()] == [e.type for e in plain.events()]


def uneven(external_id: str, kind: str, ordinal: int, by: str) -> float:
    """Marks of which every fourth reviewer's are high: a plain average may lie above the cut."""
    number = int(external_id[1:])
    generous = 0.3 if int(by[1:]) % 4 == 0 else 0.0
    return min(1.0, 0.1 + 0.02 * number + generous + 0.05 * ((number * 7 + ordinal * 5) % 3))


def ended_uneven(averages: int) -> tuple[World, list[int]]:
    """Run a program; return it with the reviews of those out above the cut."""
    these = replace(PROMISED, averages=averages)
    world = World(rules=these, applications=APPLICANTS, roster=12, launch=False)
    with world.ledger.write(CYCLE) as tx:
        # As the release of that version launched it.
        tx.record(EventType.LAUNCHED, {"rules": 1})
        tx.set_status(CycleStatus.RUNNING)
    world.run(uneven)
    proposal = world.product.cohort.propose(CYCLE)
    return world, [place.pulls["review"] for place in proposal.out_above_cut]


def test_who_is_out_above_the_cut_gets_one_more_review_than_the_floor() -> None:
    """Before the stop, without a request by staff; programs launched before keep their promise."""
    _, before = ended_uneven(FIRST_AVERAGES)
    world, after = ended_uneven(LATEST_AVERAGES)

    assert min(before) <= 3
    assert min(after, default=4) >= 4
    assert world.cycle.status in {CycleStatus.PROPOSED, CycleStatus.ENDED}
    world.verify()


def test_a_launched_program_keeps_what_a_plain_average_brings() -> None:
    assert "averages" not in json.loads(to_text(replace(PROMISED, averages=FIRST_AVERAGES)))
    assert from_text(to_text(PROMISED)).averages == LATEST_AVERAGES
    old = replace(PROMISED, averages=FIRST_AVERAGES)

    assert kept(old, PROMISED, launched=True).averages == FIRST_AVERAGES
    assert settled_at_launch(old).averages == LATEST_AVERAGES


def test_the_checks_before_signing_name_who_they_are_about() -> None:
    """What the page shows, for programs that read."""
    world = ended(replace(PROMISED, budget=APPLICANTS + 2))
    proposal = world.product.cohort.propose(CYCLE)
    checks = {check.name: check for check in proposal.checks}

    assert list(checks) == ["floors", "limits", "close_floor", "out_above_cut"]
    assert checks["floors"].applicants
    assert not checks["close_floor"].met
    assert checks["limits"].met
    assert checks["out_above_cut"].met == (not proposal.out_above_cut)
    assert "close_floor" not in {c.name for c in replace(proposal, promises_close=False).checks}
