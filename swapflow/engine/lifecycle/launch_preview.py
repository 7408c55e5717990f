"""A preview before the launch: cost of the rules, what the rest buys, and the longest duration."""

import math
from dataclasses import dataclass, replace
from itertools import combinations

from swapflow.domain.kind_overlap import most_drawn
from swapflow.domain.people.application import Application
from swapflow.domain.people.reviewer import Reviewer
from swapflow.domain.rules import DispatchMode, FloorFor, KindRules, Rules
from swapflow.engine.intake.value_spellings import report_values
from swapflow.engine.lifecycle.close_forecast import close_forecast, draw_forecast
from swapflow.engine.lifecycle.drawn_seed import seed_warnings
from swapflow.engine.lifecycle.launch import (
    LaunchProblem,
    cost_of_draw,
    launch_problems,
    settled_at_launch,
)
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.read_models.snapshot import SnapshotCache
from swapflow.engine.reviewing.blinding import view_of
from swapflow.engine.selection.assign import out_target
from swapflow.engine.selection.reviewer_overlap import possible_groups
from swapflow.messages import Message


SHOWN = 5
"""Most groups, and most people of each, that a warning lists."""

MANY_OUT = 100
"""Requests out at once from which their price is worth a line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KindPreview:
    """Cost and yield of one kind of request.

    Attributes:
        everyone: Requests by the floors for everybody; their cost is in `floor_cost`.
        chosen: Requests by the floors for the chosen.
        buys: Requests that the rest of the budget pays if all of it went to this kind, within
            the limits per applicant and in all.
        reviewers: People and programs on the roster who take the kind.
        room: Requests that they can take together, None without limit.
        each: Time per reviewer, in the unit, for the floors and for all that can be paid.
        days: Days until the floors are answered when everybody uses the whole window; None
            where the kind has no due date or nobody takes it.
    """

    name: str
    cost: int
    everyone: int
    chosen: int
    floor_cost: int
    buys: int
    reviewers: int
    room: int | None
    each: tuple[float, float]
    days: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """The consequences of launching a cycle in its present state.

    Attributes:
        for_draw: What is kept for those who will be drawn of the clearly out.
        rest: Budget less the floors, the draw and the reserve for staff; below 0 when they cost
            too much.
        warnings: Points for staff to consider; none prevents the launch.
        obstacles: Problems that prevent the launch.
        days: Days until the floors are answered when everybody uses the whole window.
    """

    applicants: int
    incomplete: int
    places: int
    reviewers: int
    unit: str
    budget: int
    reserve: int
    floors: int
    for_draw: int
    rest: int
    kinds: tuple[KindPreview, ...]
    days: float | None
    warnings: tuple[str, ...]
    obstacles: tuple[LaunchProblem, ...]

    def nameless(self) -> "Preview":
        """Return it without applicants' ids, for a person who reviews in the program."""
        return replace(self, obstacles=tuple(one.nameless() for one in self.obstacles))


def preview(
    cycle_id: str,
    *,
    ledger: Ledger,
    provider: bool = False,
    snapshots: SnapshotCache | None = None,
) -> Preview:
    """Compute the consequences of launching a cycle now; changes nothing."""
    rules = ledger.rules(cycle_id)
    cycle = ledger.cycle(cycle_id)
    applications = ledger.applications(cycle_id)
    roster = tuple(r for r in ledger.reviewers(cycle_id) if r.active)
    ready = sum(a.status.is_candidate for a in applications)
    reserve = int(rules.reserve * rules.budget)
    counts = _floor_counts(rules, ready)
    floors = sum(sum(count) * kind.cost for count, kind in zip(counts, rules.kinds, strict=True))
    for_draw = cost_of_draw(rules, ready)
    rest = rules.budget - reserve - floors - for_draw
    kinds = tuple(
        _kind(rules, kind, count, ready=ready, rest=rest, roster=roster)
        for kind, count in zip(rules.kinds, counts, strict=True)
    )
    asked = [kind.days for kind in kinds if kind.everyone + kind.chosen]
    return Preview(
        applicants=ready,
        incomplete=sum(a.status.value == "incomplete" for a in applications),
        places=rules.cohort_size,
        reviewers=len(roster),
        unit=next(r.unit for r in ledger.rounds() if r.id == cycle.round_id),
        budget=rules.budget,
        reserve=reserve,
        floors=floors,
        for_draw=for_draw,
        rest=rest,
        kinds=kinds,
        # One kind after the other, since a later one may require the earlier one's result.
        days=None if not asked or None in asked else sum(d for d in asked if d is not None),
        warnings=(
            *_warnings(rules, kinds, roster, applications),
            *_by_chance(rules, applications, rest),
            *close_forecast(rules, ready, rest),
            *draw_forecast(rules, ready, len(roster)),
            *seed_warnings(rules),
            *_at_once(cycle_id, rules, ledger=ledger, snapshots=snapshots),
            *report_values(cycle_id, ledger=ledger).messages,
            *_nothing_to_see(cycle_id, rules, applications, ledger=ledger),
            *_apart(cycle_id, roster, ledger=ledger, snapshots=snapshots),
        ),
        obstacles=launch_problems(cycle_id, ledger=ledger, provider=provider, snapshots=snapshots),
    )


def _nothing_to_see(
    cycle_id: str, rules: Rules, applications: tuple[Application, ...], *, ledger: Ledger
) -> list[str]:
    """Build a warning where reviewers of a blind program would see nothing of anybody."""
    if not rules.blind or any(kind.link for kind in rules.kinds) or not applications:
        return []
    view = view_of(ledger.cycle(cycle_id), rules, ledger=ledger)
    if any(view.fields_of(one) for one in applications) or ledger.with_files(cycle_id):
        return []
    return [Message("reviewers_see_nothing")]


def _apart(
    cycle_id: str, roster: tuple[Reviewer, ...], *, ledger: Ledger, snapshots: SnapshotCache | None
) -> list[str]:
    """Build a warning where some reviewers can never be compared with others."""
    with (snapshots or SnapshotCache()).at_head(cycle_id, ledger=ledger) as seen:
        groups = possible_groups(seen.projection)
    if len(groups) <= 1:
        return []
    names = {r.number: r.external_id for r in roster}
    shown = [_people([names.get(n, str(n)) for n in group]) for group in groups[:SHOWN]]
    if len(groups) > SHOWN:
        shown.append(Message("more_groups", count=len(groups) - SHOWN))
    warning = Message("groups_share_no_applicant", count=len(groups), groups=shown)
    return [warning]


def _at_once(
    cycle_id: str, rules: Rules, *, ledger: Ledger, snapshots: SnapshotCache | None
) -> list[str]:
    """Build a warning about what many requests out at once cost, and what the taper takes."""
    if rules.dispatch is DispatchMode.LOCKSTEP:
        return []
    with (snapshots or SnapshotCache()).at_head(cycle_id, ledger=ledger) as seen:
        out = out_target(seen.projection)
    if out < MANY_OUT:
        return []
    share = settled_at_launch(rules).taper
    if not share:
        return [Message("many_out_untapered", out=out)]
    return [Message("many_out_tapered", out=out, share=share)]


def _by_chance(rules: Rules, applications: tuple[Application, ...], rest: int) -> list[str]:
    """Build a warning about the most that drawn kinds can cost."""
    ties = [a.tie for a in applications if a.status.is_candidate]
    drawn = most_drawn(rules, ties, rules.floor_counts(FloorFor.ALL))
    cost = sum(n * kind.cost for n, kind in zip(drawn, rules.kinds, strict=True))
    if not cost:
        return []
    listed = ", ".join(
        f"{n} × {kind.name}" for n, kind in zip(drawn, rules.kinds, strict=True) if n
    )
    warning = Message("kinds_overlap_by_chance", kinds=listed, cost=cost, left=max(0, rest))
    return [warning]


def _people(names: list[str]) -> str:
    if len(names) <= SHOWN:
        return ", ".join(names)
    return Message("names_and_more", names=names[:SHOWN], more=len(names) - SHOWN)


def _floor_counts(rules: Rules, ready: int) -> list[tuple[int, int]]:
    """Return per kind how many requests the floors need: for everyone, for the chosen."""
    everyone, chosen = rules.floor_counts(FloorFor.ALL), rules.floor_counts(FloorFor.CHOSEN)
    places = min(rules.cohort_size, ready)
    return [(a * ready, c * places) for a, c in zip(everyone, chosen, strict=True)]


def _kind(
    rules: Rules,
    kind: KindRules,
    count: tuple[int, int],
    *,
    ready: int,
    rest: int,
    roster: tuple[Reviewer, ...],
) -> KindPreview:
    able = [r for r in roster if kind.name in r.capacity and not r.reserve]
    limits = [r.capacity[kind.name] for r in able]
    room = None if None in limits else sum(most or 0 for most in limits) // kind.seats
    floor = sum(count)
    most = kind.maximum * ready if kind.total is None else min(kind.total, kind.maximum * ready)
    buys = max(0, min(rest // kind.cost, most - floor))
    packets = sum(r.packet or rules.packet for r in able)
    turns = math.ceil(floor * kind.seats / packets) if packets else 0
    return KindPreview(
        name=kind.name,
        cost=kind.cost,
        everyone=count[0],
        chosen=count[1],
        floor_cost=floor * kind.cost,
        buys=buys,
        reviewers=len(able),
        room=room,
        # The cost of a request is that of all its seats together.
        each=(
            floor * kind.cost / len(able) if able else 0.0,
            (floor + buys) * kind.cost / len(able) if able else 0.0,
        ),
        days=turns * kind.window_days if able and kind.window_days else None,
    )


def _warnings(
    rules: Rules,
    kinds: tuple[KindPreview, ...],
    roster: tuple[Reviewer, ...],
    applications: tuple[Application, ...],
) -> list[str]:
    found: list[str] = []
    for kind in kinds:
        floor = kind.everyone + kind.chosen
        if kind.room is not None and kind.room < floor:
            found.append(
                Message("floors_above_capacity", floor=floor, kind=kind.name, room=kind.room)
            )
    for first, second in combinations(rules.kinds, 2):
        able = [
            {r.external_id for r in roster if kind.name in r.capacity} for kind in (first, second)
        ]
        both = able[0] & able[1]
        if both:
            found.append(
                Message(
                    "reviewers_take_both",
                    count=len(both),
                    reviewers=len(able[0] | able[1]),
                    first=first.name,
                    second=second.name,
                )
            )
    silent = sum(not r.email and not r.automatic for r in roster)
    if silent:
        found.append(Message("reviewers_without_mail", count=silent))
    waiting = sum(a.status.value == "incomplete" for a in applications)
    if waiting:
        found.append(Message("applicants_incomplete", count=waiting))
    if rules.deadline is None:
        found.append(Message("no_deadline"))
    return found
