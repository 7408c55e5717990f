"""A few of those clearly out are drawn by the seed and read by a reviewer new to them."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from sqlalchemy import text

from swapflow.domain.cohort.meeting import ZoneSide
from swapflow.domain.cohort.proposal import Standing, Waiver
from swapflow.domain.cycle import CycleStatus
from swapflow.domain.drawn_check import DrawnCheck, draw_order
from swapflow.domain.event import EventType, chain_hash
from swapflow.domain.people.application import ApplicationStatus
from swapflow.domain.people.reviewer import DeclineKind
from swapflow.domain.reviewing.assignment import PullReason
from swapflow.domain.rules import (
    DispatchMode,
    Floor,
    FloorFor,
    Purpose,
    RuleName,
    Rules,
    SeatLine,
)
from swapflow.domain.rules_text import from_text, to_text
from swapflow.engine.audit.finished_cycle import check, gather_finished_cycle
from swapflow.engine.lifecycle.close_forecast import draw_forecast
from swapflow.engine.lifecycle.launch import read_projection
from swapflow.engine.lifecycle.rule_changes import kept
from swapflow.engine.projection.score_table import int_column
from swapflow.errors import InvalidInputError
from swapflow.files.exports.method_sheet import method_text
from swapflow.files.exports.minutes import minutes_content, minutes_document
from swapflow.files.rules.rules_file import TEMPLATES, parse_rules, rules_text, template
from tests.engine.cycle_by_hand import CYCLE, World, rules


ALL = Floor(kind="review", count=1)
CLOSE = Floor(kind="review", count=2, who=FloorFor.CLOSE)
PLAIN = rules(
    budget=200,
    settled=0.5,
    lines=(SeatLine(name="all", places=6),),
    floors=(ALL, CLOSE),
)
DRAWN = replace(PLAIN, drawn_check=DrawnCheck())
APPLICANTS = 36


def plain(external_id: str, kind: str, ordinal: int, by: str) -> float:
    """Marks that rise with the applicant's number: who is out is clear after a few."""
    return 0.1 + 0.02 * int(external_id[1:]) + 0.01 * (ordinal % 2)


def ended(these: Rules, *, applications: int = APPLICANTS, roster: int = 12) -> World:
    world = World(rules=these, applications=applications, roster=roster)
    world.run(plain)
    return world


def drawn_in(world: World) -> list[int]:
    events = world.events(EventType.OUT_DRAWN)
    return [number for event in events for number in int_column(event.payload["drawn"])]


def pulls_of_draw(world: World) -> list[tuple[int, str]]:
    """(application, reviewer) of what was asked for the draw."""
    people = world.people()
    asked = {p.id: p for p in world.ledger.pulls(CYCLE) if p.why is PullReason.DRAWN}
    return [
        (a.application, people[a.reviewer])
        for a in world.ledger.assignments(CYCLE)
        if a.pull_id in asked
    ]


@pytest.mark.parametrize(
    ("out", "drawn"), [(0, 0), (3, 3), (8, 5), (37, 5), (100, 5), (101, 6), (140, 7), (2000, 100)]
)
def test_five_percent_are_drawn_and_five_at_least(out: int, drawn: int) -> None:
    assert DrawnCheck().count(out) == drawn


def test_the_order_of_the_draw_follows_from_seed_and_applicants_alone() -> None:
    ties = [(number, 1000 + number) for number in range(40)]

    order = draw_order(7, ties)

    assert sorted(order) == list(range(40))
    assert draw_order(7, reversed(ties)) == order
    assert draw_order(8, ties) != order
    # Who joins later changes nothing in the order of the others.
    assert [n for n in draw_order(7, [*ties, (40, 5)]) if n != 40] == order


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"dispatch": DispatchMode.LOCKSTEP},
        {"rule": RuleName.CERTIFIED, "sigma": 0.1, "epsilon": 100.0},
        {"floors": (ALL,)},
        {"floors": (ALL, CLOSE, Floor(kind="review", count=3, who=FloorFor.CHOSEN))},
    ],
    ids=["rolling", "lockstep", "certified", "no close floor", "a floor for the chosen"],
)
def test_those_drawn_are_read_before_the_stop(changes: dict[str, object]) -> None:
    world = ended(replace(DRAWN, **changes))  # type: ignore[arg-type]  # tests name fields
    [event] = world.events(EventType.OUT_DRAWN)

    drawn = drawn_in(world)

    assert world.cycle.status in {CycleStatus.PROPOSED, CycleStatus.ENDED}
    assert len(drawn) == 5
    assert {application for application, _ in pulls_of_draw(world)} == set(drawn)
    closed = read_projection(CYCLE, ledger=world.ledger)
    assert closed.drawn.read(closed.open) == set(drawn)
    assert event.position.seq < world.events(EventType.STOP_PROPOSED)[-1].position.seq
    world.check()
    world.verify()


def test_the_same_seed_draws_the_same_and_another_others() -> None:
    first, again, other = (ended(replace(DRAWN, seed=seed)) for seed in (7, 7, 8))

    assert drawn_in(first) == drawn_in(again)
    assert drawn_in(first) != drawn_in(other)


def test_no_reviewer_who_read_them_reads_them_again() -> None:
    """Nor one who was only asked: they may have opened the file."""
    world = World(rules=DRAWN, applications=APPLICANTS, roster=12)
    world.turn()
    # Who is busy could be asked again about the same applicant; not for the draw.
    world.product.tasks.decline(world.waiting()[0].id, DeclineKind.BUSY, by="ops")
    world.run(plain)
    before: dict[int, set[str]] = {}
    people = world.people()
    of_draw = {p.id for p in world.ledger.pulls(CYCLE) if p.why is PullReason.DRAWN}
    for assignment in world.ledger.assignments(CYCLE):
        if assignment.pull_id not in of_draw:
            before.setdefault(assignment.application, set()).add(people[assignment.reviewer])

    assert pulls_of_draw(world)
    assert all(who not in before[application] for application, who in pulls_of_draw(world))


def test_the_draw_is_paid_from_the_budget_and_kept_for_from_the_start() -> None:
    """A budget that the rule would spend to the end still pays for five."""
    tight = replace(DRAWN, budget=APPLICANTS + 25, settled=0.0)
    world = ended(tight)

    assert len(pulls_of_draw(world)) == 5
    assert world.cycle.spent <= tight.budget
    # What everybody is promised, what the rule chose, and last the draw.
    whys = [p.why for p in sorted(world.ledger.pulls(CYCLE), key=lambda p: p.decision)]
    assert whys[-5:] == [PullReason.DRAWN] * 5
    world.check()
    world.verify()


def drawn_out(world: World, mark: Callable[[str, str, int, str], float]) -> list[int]:
    """Run until the drawn ones are asked about, and no further."""
    for _ in range(100):
        world.turn()
        if world.events(EventType.OUT_DRAWN):
            return drawn_in(world)
        world.answer_all(mark)
    raise AssertionError("nobody was drawn")


def test_a_drawn_applicant_who_turns_out_good_is_out_no_longer() -> None:
    world = World(rules=DRAWN, applications=APPLICANTS, roster=12)
    drawn = drawn_out(world, plain)
    good = world.names()[max(drawn)]

    def surprised(external_id: str, kind: str, ordinal: int, by: str) -> float:
        if external_id == good:
            return 1.0
        return plain(external_id, kind, ordinal, by)

    world.run(surprised)
    place = next(p for p in world.product.cohort.propose(CYCLE).places if p.external_id == good)

    assert place.too_close or place.standing is Standing.COHORT
    # Marks moved, and the rule asked on: the draw stays what it was.
    assert drawn_in(world) == drawn
    world.verify()


def test_who_withdraws_unread_is_replaced_by_the_next_of_the_order() -> None:
    world = World(rules=DRAWN, applications=APPLICANTS, roster=12)
    drawn = drawn_out(world, plain)
    gone = world.names()[drawn[2]]
    world.product.applicants.move(CYCLE, gone, ApplicationStatus.WITHDRAWN, by="ops")
    world.run(plain)
    first, second = world.events(EventType.OUT_DRAWN)

    assert second.payload["instead"] == [drawn[2]]
    projection = read_projection(CYCLE, ledger=world.ledger)
    left = [number for number in drawn if number != drawn[2]]
    assert projection.drawn.now[:4] == tuple(left)
    assert set(projection.drawn.now) == projection.drawn.read(projection.open)
    assert first.payload["out"] == second.payload["out"]
    world.verify()


def test_where_no_reviewer_is_new_to_them_asking_stops_all_the_same() -> None:
    """One reviewer, who has read everybody: nothing waits for a second."""
    world = ended(replace(DRAWN, floors=(ALL,)), roster=1)

    assert world.cycle.status in {CycleStatus.PROPOSED, CycleStatus.ENDED}
    assert len(drawn_in(world)) == 5
    assert pulls_of_draw(world) == []
    world.verify()


def test_a_program_smaller_than_the_draw_reads_all_who_are_out() -> None:
    world = ended(replace(DRAWN, lines=(SeatLine(name="all", places=2),)), applications=7)

    out = world.events(EventType.OUT_DRAWN)[0].payload["out"]

    assert len(drawn_in(world)) == out
    assert len(drawn_in(world)) <= 5
    world.verify()


def test_programs_without_the_draw_decide_as_before() -> None:
    world = ended(PLAIN)

    assert not world.events(EventType.OUT_DRAWN)
    assert "drawn_check" not in json.loads(to_text(PLAIN))
    assert from_text(to_text(PLAIN)).drawn_check is None
    assert parse_rules(rules_text(PLAIN)).drawn_check is None


def test_a_changed_draw_is_found() -> None:
    """Even where the chain is made anew, so that no byte gives it away."""
    world = ended(DRAWN)
    [event] = world.events(EventType.OUT_DRAWN)
    drawn = drawn_in(world)
    other = next(n for n in range(APPLICANTS) if n not in drawn)
    chained_anew(world, event.position.seq, drawn=[other, *drawn[1:]])

    found = [f.what for f in world.product.reports.verify(CYCLE, live=False).findings]

    assert world.ledger.check_chain(CYCLE) is None
    assert f"event {event.position.seq} drew others than the seed" in found


def chained_anew(world: World, at: int, **changed: object) -> None:
    """Change the payload of an event, and chain all that follows anew."""
    connection = world.ledger._database._writer
    with connection.begin() as work:
        stored = work.execute(text("SELECT seq, type, body FROM event ORDER BY seq")).all()
        head = ""
        for seq, kind, content in stored:
            new = content
            if seq == at:
                read = json.loads(content)
                read["payload"] |= changed
                new = json.dumps(read, sort_keys=True, separators=(",", ":"))
            head = chain_hash(head, cycle_id=CYCLE, seq=seq, kind=kind, text=new)
            work.execute(
                text("UPDATE event SET body = :b, hash = :h WHERE seq = :s"),
                {"b": new, "h": head, "s": seq},
            )
        work.execute(text("UPDATE cycle SET head_hash = :h"), {"h": head})


def test_the_setting_is_read_written_and_in_the_templates() -> None:
    assert from_text(to_text(DRAWN)).drawn_check == DRAWN.drawn_check
    assert parse_rules(rules_text(DRAWN)).drawn_check == DRAWN.drawn_check
    for name in TEMPLATES:
        assert parse_rules(template(name)).drawn_check == DrawnCheck()


def test_a_launched_program_keeps_how_it_draws() -> None:
    old = replace(DRAWN, drawn_check=DrawnCheck(version=0))

    assert kept(old, DRAWN, launched=True).drawn_check == DrawnCheck(version=0)
    assert kept(PLAIN, PLAIN, launched=True).drawn_check is None


def test_signing_names_the_draw_and_wants_a_reason_where_it_is_incomplete() -> None:
    alone = replace(DRAWN, floors=(ALL,))
    whole, cut_short = ended(alone), World(rules=alone, applications=APPLICANTS, roster=12)
    drawn_out(cut_short, plain)
    cut_short.product.cycles.stop(CYCLE, by="ops", reason="no time")

    done, open_still = (
        {check.name: check for check in world.product.cohort.propose(CYCLE).checks}["drawn_check"]
        for world in (whole, cut_short)
    )

    assert done.met
    assert [str(sentence) for sentence in done.sentences] == ["of 5 drawn, 5 stayed out"]
    assert not open_still.met
    assert len(open_still.applicants) == 5
    assert "of 5 drawn, 0 were read" in str(open_still.sentences[0])
    whole.product.cohort.finalize(CYCLE, by="dean")
    with pytest.raises(InvalidInputError, match="of 5 drawn, 0 were read"):
        cut_short.product.cohort.finalize(CYCLE, by="dean")
    cut_short.product.cohort.finalize(CYCLE, by="dean", waiver=Waiver(by="dean", reason="late"))
    for world in (whole, cut_short):
        assert check(gather_finished_cycle(CYCLE, ledger=world.ledger)).findings == ()


def test_before_a_draw_no_page_tells_who_would_be_drawn() -> None:
    world = World(rules=DRAWN, applications=APPLICANTS, roster=12)
    world.turn()
    world.answer_all(plain)
    world.product.cycles.stop(CYCLE, by="ops", reason="no time")
    proposal = world.product.cohort.propose(CYCLE)

    drawn = {check.name: check for check in proposal.checks}["drawn_check"]

    assert not drawn.met
    assert drawn.applicants == ()
    assert "none of those clearly out was drawn" in str(drawn.sentences[0])
    world.product.cohort.finalize(CYCLE, by="dean", waiver=Waiver(by="dean", reason="no time"))


def test_the_minutes_and_the_method_sheet_say_what_became_of_the_draw() -> None:
    world = ended(replace(DRAWN, purpose=Purpose.REAL))
    world.product.meetings.open(CYCLE, by="chair")
    world.product.meetings.confirm_zone(CYCLE, ZoneSide.OUT, by="chair")
    agenda = world.product.meetings.agenda(CYCLE)
    minutes = minutes_document(agenda, members={}, zone="UTC", at=datetime.now(UTC))
    [confirmed] = world.events(EventType.ZONE_CONFIRMED)

    assert "Of 5 drawn, 5 stayed out." in minutes.lead
    told = minutes_content(agenda)["drawn_check"]
    assert isinstance(told, dict)
    assert (len(told["drawn"]), len(told["stayed_out"])) == (5, 5)
    assert (confirmed.payload["drawn"], confirmed.payload["stayed"]) == (5, 5)
    sheet = world.product.cohort.propose(CYCLE).sheet
    assert "Drawn check of those clearly out: of 5 drawn, 5 stayed out." in method_text(sheet)


def test_the_launch_forecasts_the_draw_and_names_where_it_means_little() -> None:
    [usual] = draw_forecast(DRAWN, 200, 12)
    small = draw_forecast(DRAWN, 12, 1)

    assert "read once more by a reviewer new to them" in usual
    assert any("are most of the" in said for said in small)
    assert any("with 1 reviewers" in said for said in small)
    assert draw_forecast(PLAIN, 200, 12) == []


def test_a_plan_draws_as_a_live_program_does() -> None:
    """The same function, on the same people: who is drawn does not hang on the way."""
    world = ended(DRAWN)
    [event] = world.events(EventType.OUT_DRAWN)
    projection = read_projection(CYCLE, ledger=world.ledger)
    everyone = [(number, projection.ties[number]) for number in range(APPLICANTS)]
    first = [n for n in draw_order(DRAWN.seed, everyone) if n in drawn_in(world)]

    assert list(int_column(event.payload["drawn"])) == first
    out = [(n, tie) for n, tie in everyone if n in first]
    assert list(DrawnCheck().draw(DRAWN.seed, out).drawn) == first
