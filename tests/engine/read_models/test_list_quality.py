"""How good a list is: the same numbers everywhere, computed once an event, never in a turn."""

import threading
from dataclasses import replace

import numpy as np
import pytest

from swapflow.bandit.estimation.list_quality import list_quality
from swapflow.bandit.situation import Situation
from swapflow.domain.objective import GroupQuota
from swapflow.domain.rules import RuleName, Rules
from swapflow.engine.read_models.dashboard_codec import decode_dashboard, encode_dashboard
from swapflow.engine.selection import list_quality as selection_list_quality
from swapflow.engine.selection.list_quality import QualityQuestion
from tests.engine.cycle_by_hand import CYCLE, World, applicant, rules


QUOTA = GroupQuota(attribute="region", value="North", minimum=1)


def judged_world(these: Rules, *, turns: int = 2) -> World:
    """A program of twelve applicants in two regions, some rounds of reviews in."""
    people = [
        applicant(f"A{n:03d}", selection={"region": "North" if n % 2 else "South"})
        for n in range(1, 13)
    ]
    world = World(rules=these, applications=people, roster=4)
    for _ in range(turns):
        world.turn()
        world.answer_all()
    world.turn()
    return world


CASES = {
    "budget": rules(budget=60),
    "certified": rules(budget=60, rule=RuleName.CERTIFIED, sigma=0.2),
    "paper": rules(budget=60, rule=RuleName.PAPER, sigma=0.2),
    "quotas": rules(budget=60, quotas=(QUOTA,)),
}


@pytest.mark.parametrize("name", CASES)
def test_dashboard_progress_proposal_and_explanation_have_the_same_numbers(name: str) -> None:
    """Whatever the rule and the limits, and in whatever order people ask."""
    world = judged_world(CASES[name])
    reports = world.product.reports

    world.forget_live_state()
    progress = reports.progress(CYCLE)
    dashboard, _ = reports.dashboard(CYCLE)
    proposal = world.product.cohort.propose(CYCLE)
    told = {
        place.application: reports.explain(CYCLE, place.external_id) for place in proposal.places
    }

    figures = progress.figures
    assert figures is not None
    assert dashboard.quality is not None
    assert dashboard.quality.belong == pytest.approx(figures.belong)
    assert dashboard.quality.expected_loss == pytest.approx(figures.expected_loss)
    sheet = proposal.sheet
    assert (sheet.belong, sheet.expected_loss) == (figures.belong, figures.expected_loss)
    assert sheet.expected_loss_range == figures.expected_loss_range
    close = {place.application for place in proposal.places if place.too_close}
    assert close == set(sheet.close or ()) == {n for n, one in told.items() if one.too_close}
    assert progress.too_close == len(close) == int(dashboard.too_close.sum())
    likely = dict(zip(dashboard.application.tolist(), dashboard.quality.likely, strict=True))
    for place in proposal.places:
        assert place.likely == told[place.application].likely
        assert place.likely == pytest.approx(likely[place.application], abs=1e-6)


@pytest.mark.parametrize("name", CASES)
def test_probabilities_sum_to_the_places_and_agree_with_how_many_belong(name: str) -> None:
    """Σ P = K, and H is the sum over the list."""
    proposal = judged_world(CASES[name]).product.cohort.propose(CYCLE)

    likely = {place.application: place.likely or 0.0 for place in proposal.places}
    assert sum(likely.values()) == pytest.approx(3, abs=0.01)
    belong = sum(likely[place.application] for place in proposal.cohort)
    assert belong == pytest.approx(proposal.sheet.belong)


def test_a_published_dashboard_keeps_the_numbers() -> None:
    """Encoded and decoded, with a quality and without one."""
    world = judged_world(CASES["budget"])
    dashboard, live = world.product.reports.dashboard(CYCLE)
    assert live
    assert dashboard.quality is not None

    again = decode_dashboard(encode_dashboard(dashboard))
    bare = decode_dashboard(encode_dashboard(replace(dashboard, quality=None)))

    assert again.quality is not None
    assert np.array_equal(again.quality.likely, dashboard.quality.likely)
    assert again.quality.loss_range == dashboard.quality.loss_range
    assert again.quality.belong_range == dashboard.quality.belong_range
    assert again.too_close.tolist() == dashboard.too_close.tolist()
    assert bare.quality is None
    assert bare.calculating


def test_under_certified_the_model_of_budget_judges_the_list_by_raw_means() -> None:
    """Fitted to the marks alone: the assumed spread, a bound, does not enter."""
    found = []
    for sigma in (0.2, 0.4):
        world = judged_world(replace(CASES["certified"], sigma=sigma), turns=1)
        with world.product.context.snapshots.at_head(CYCLE, ledger=world.ledger) as seen:
            question = seen.question(ledger=world.ledger)
        assert question is not None
        assert not question.quick
        answer = question.answer()
        assert answer.members.tolist() == question.look.cohort.tolist()
        found.append(answer.quality)

    assert found[0].expected_loss == pytest.approx(found[1].expected_loss)
    assert found[0].expected_loss > 0


def test_draws_are_the_same_in_every_process_and_others_at_the_next_event() -> None:
    """They depend on the seed and the event alone."""
    world = judged_world(CASES["quotas"])
    with world.product.context.snapshots.at_head(CYCLE, ledger=world.ledger) as seen:
        question = seen.question(ledger=world.ledger)
    assert question is not None
    later = replace(question, position=replace(question.position, seq=10_000))

    first, again, other = question.answer(), question.answer(), later.answer()

    assert np.array_equal(first.quality.likely, again.quality.likely)
    assert not np.array_equal(first.quality.likely, other.quality.likely)


def test_a_list_that_people_changed_is_judged_as_it_is_shown() -> None:
    """The worst three in place of the best three lose more, and fewer belong."""
    world = judged_world(CASES["quotas"])
    with world.product.context.snapshots.at_head(CYCLE, ledger=world.ledger) as seen:
        question = seen.question(ledger=world.ledger)
        order = seen.assessment(ledger=world.ledger).order
    assert question is not None

    own, other = question.answer(), question.answer(np.sort(order[-3:]))

    assert other.quality.expected_loss > own.quality.expected_loss
    assert other.quality.belong < own.quality.belong


class _Gate:
    """Holds a calculation until it is opened."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.open = threading.Event()
        self.begun = 0
        real = QualityQuestion.answer

        def answer(question: QualityQuestion, members: object = None) -> object:
            self.begun += 1
            assert self.open.wait(10)
            assert members is None
            return real(question)

        monkeypatch.setattr(QualityQuestion, "answer", answer)


def test_a_page_says_calculating_until_the_draws_are_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No page waits, one calculation runs however often it is asked for, and then all have it."""
    world = judged_world(CASES["quotas"])
    gate = _Gate(monkeypatch)
    reports = world.product.reports

    before = [reports.progress(CYCLE, seconds=0) for _ in range(3)]
    dashboard, _ = reports.dashboard(CYCLE)
    gate.open.set()
    after = reports.progress(CYCLE, seconds=10)

    assert [one.calculating for one in before] == [True] * 3
    assert [one.too_close for one in before] == [None] * 3
    assert dashboard.calculating
    assert not dashboard.too_close.any()
    assert after.figures is not None
    assert not after.calculating
    assert gate.begun == 1
    assert not reports.dashboard(CYCLE)[0].calculating


def test_no_turn_draws_or_fits_for_the_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """A coordinator's turn, its dashboard included, leaves them to those who read."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("drawn within a turn")

    monkeypatch.setattr(selection_list_quality, "joint_draws", refuse)
    monkeypatch.setattr(QualityQuestion, "answer", refuse)

    for these in CASES.values():
        world = judged_world(these)
        assert world.product.cycles.get(CYCLE).decisions > 1


def test_before_the_first_score_there_is_nothing_to_judge() -> None:
    """Nothing is shown, and nothing is being calculated either."""
    world = World(
        rules=CASES["quotas"],
        applications=[applicant(f"A{n}", selection={"region": "North"}) for n in range(8)],
    )
    world.turn()

    progress = world.product.reports.progress(CYCLE)

    assert (progress.figures, progress.too_close, progress.calculating) == (None, 0, False)


def test_every_decision_records_how_many_places_could_change() -> None:
    """The trend on the dashboard is read from the decisions, places that belong included."""
    world = judged_world(CASES["budget"])

    looks = [step.look for step in world.product.reports.steps(CYCLE) if "gap" in step.look]

    assert looks
    for look in looks:
        assert look["could_change"] + look["belong"] == pytest.approx(3)
        assert look["expected_loss_low"] <= look["expected_loss"] <= look["expected_loss_high"]


def test_a_fixed_list_keeps_who_was_too_close_and_how_good_it_was() -> None:
    """Read back from the ledger as it was signed."""
    world = judged_world(CASES["budget"])
    made = world.product.cohort.propose(CYCLE)
    world.product.cohort.finalize(CYCLE, by="dean", signed_by=("dean",))

    ((_, places, sheet),) = world.product.cohort.proposals(CYCLE)

    assert {p.application for p in places if p.too_close} == set(made.sheet.close or ())
    assert (sheet.belong, sheet.belong_range) == (made.sheet.belong, made.sheet.belong_range)
    assert sheet.expected_loss_range == made.sheet.expected_loss_range


def test_the_setting_decides_who_is_too_close() -> None:
    """At a smaller probability more applicants are; ties at the cut always are."""
    world = judged_world(CASES["budget"])
    with world.product.context.snapshots.at_head(CYCLE, ledger=world.ledger) as seen:
        question = seen.question(ledger=world.ledger)
    assert question is not None

    counts = [
        int(
            replace(question, rules=replace(question.rules, too_close=least))
            .answer()
            .too_close.sum()
        )
        for least in (0.01, 0.1, 0.49)
    ]

    assert counts == sorted(counts, reverse=True)
    assert counts[0] > counts[2]


def test_a_plain_list_is_answered_by_the_look_itself() -> None:
    """In closed form, from the look's own estimates and deviations."""
    world = judged_world(CASES["budget"])
    with world.product.context.snapshots.at_head(CYCLE, ledger=world.ledger) as seen:
        question = seen.question(ledger=world.ledger)
    assert question is not None
    assert question.quick
    assert isinstance(question.situation, Situation)

    look = question.look
    deviation = look.radius / look.parameters["radius_quantile"]
    assert question.answer().quality.expected_loss == pytest.approx(
        list_quality(look.estimate, deviation, look.cohort).expected_loss
    )
