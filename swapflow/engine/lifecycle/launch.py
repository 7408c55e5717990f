"""Step 2, launch: check that the round can be run as its rules say, then start it."""

import math
from dataclasses import dataclass, replace
from enum import StrEnum

from swapflow.domain.cycle import CycleStatus
from swapflow.domain.event import EventType, Json
from swapflow.domain.people.application import Application
from swapflow.domain.people.reviewer import Reviewer
from swapflow.domain.rules import (
    USUAL_TAPER,
    FloorFor,
    Purpose,
    ReviewerFigures,
    Rules,
    SignInPolicy,
)
from swapflow.domain.rules_versions import LATEST_ASKING, LATEST_AVERAGES, LATEST_FIT
from swapflow.domain.seal import Seal, seal
from swapflow.engine.confirmation import confirm
from swapflow.engine.lifecycle.drawn_seed import with_drawn_seed
from swapflow.engine.ports.coordination import EventReads
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.requests import RequestReads
from swapflow.engine.ports.writes.transaction import Transaction
from swapflow.engine.projection.cycle_projection import CycleProjection
from swapflow.engine.projection.ingest import BATCH, apply_new_events
from swapflow.engine.read_models.snapshot import SnapshotCache
from swapflow.engine.scoring.practice import launch_payload
from swapflow.engine.selection.list_objective import refuse_impossible
from swapflow.engine.selection.rule import rule_for
from swapflow.engine.selection.situation import candidates, eligible_counts
from swapflow.errors import InvalidInputError, NotReadyError
from swapflow.messages import Message


LAUNCH_REASON = "settled at the launch"
"""Reason on record for the version of the rules that a launch makes."""

SHOWN = 5
"""Ids listed in a message before "and N more"."""


class SetupStep(StrEnum):
    """The part of the set-up in which a problem is to be solved."""

    RULES = "rules"
    APPLICANTS = "applicants"
    REVIEWERS = "reviewers"


@dataclass(frozen=True, slots=True)
class LaunchProblem:
    """A reason that prevents a launch, with the remedy, and where to apply it."""

    step: SetupStep
    text: str

    def __str__(self) -> str:
        return self.text

    def nameless(self) -> "LaunchProblem":
        """Return it without applicants' ids, for a person who reviews in the program."""
        if not isinstance(self.text, Message) or "applicants" not in self.text.params:
            return self
        told = {**self.text.params, "applicants": "…"}
        return replace(self, text=Message(self.text.code, **told))


@dataclass(frozen=True, slots=True, kw_only=True)
class Launchable:
    """A program that can be launched, as the page shows it.

    Attributes:
        applications: Number and status of each application.
        reviewers: Numbers of the roster's entries.
    """

    rules_version: int
    applications: tuple[tuple[int, str], ...]
    reviewers: tuple[int, ...]

    @property
    def seal(self) -> Seal:
        """The digest of what a launch rests on."""
        return seal(
            rules=self.rules_version, applicants=self.applications, reviewers=self.reviewers
        )


def launchable(cycle_id: str, *, ledger: Ledger) -> Launchable:
    """Read what a launch rests on."""
    return Launchable(
        rules_version=ledger.cycle(cycle_id).rules_version,
        applications=tuple((a.number, a.status.value) for a in ledger.applications(cycle_id)),
        reviewers=tuple(r.number for r in ledger.reviewers(cycle_id)),
    )


def launch(
    cycle_id: str,
    *,
    by: str,
    shown: str = "",
    nameless: bool = False,
    ledger: Ledger,
    provider: bool = False,
) -> None:
    """Start a cycle; the coordinator then opens the floors' pulls for every ready application.

    Args:
        cycle_id: The cycle.
        by: Who starts it.
        shown: Digest of what the person was shown; "" if nothing was shown.
        nameless: Whether problems are told without applicants' ids.
        ledger: The durable record.
        provider: Whether an identity provider is connected, through which people may sign in.

    Raises:
        NotReadyError: If it was launched before.
        InvalidInputError: If it cannot be run: too few applications for its places, a budget
            that cannot pay the floors, a kind without reviewer, an application that no reviewer
            may judge, files that are not marked redacted in a blind cycle, a sign-in that nobody
            could use. All problems are listed together, and nothing is changed.
        ConflictError: If rules, applicants or reviewers are others than were shown.
    """

    def work() -> Launchable:
        cycle = ledger.cycle(cycle_id)
        if cycle.status is not CycleStatus.DRAFT:
            raise NotReadyError("cycle_launched_before", cycle=cycle_id, status=cycle.status)
        problems = launch_problems(cycle_id, ledger=ledger, provider=provider)
        if problems:
            told = [problem.nameless() if nameless else problem for problem in problems]
            listing = "\n".join(f"  - {problem}" for problem in told)
            raise InvalidInputError("cycle_cannot_launch", cycle=cycle_id, problems=listing)
        return launchable(cycle_id, ledger=ledger)

    def write(tx: Transaction, _: Launchable) -> None:
        rules = tx.rules()
        # Settled in the write itself: what was shown is the draft, and it is the same still.
        settled = with_drawn_seed(rules, settled_at_launch(rules))
        if settled != rules:
            tx.set_rules(settled, by=by, reason=LAUNCH_REASON)
        drawn: dict[str, Json] = {"drawn": 1} if settled.seed_drawn else {}
        tx.record(
            EventType.LAUNCHED,
            {"rules": settled.version, **drawn, **launch_payload(tx.practised())},
        )
        tx.set_status(CycleStatus.RUNNING)
        tx.note(subject=f"launch of {cycle_id}", by=by, text="launched")

    confirm(cycle_id, work, write, shown=shown, ledger=ledger)


def settled_at_launch(rules: Rules) -> Rules:
    """Return the rules that a program is launched under.

    Those of the draft, with today's versions, figures about reviewers by number where it names
    no other way, and, in a real program that names none, the usual taper.
    """
    settled = replace(
        rules,
        fit=LATEST_FIT,
        asking=LATEST_ASKING,
        averages=LATEST_AVERAGES,
        reviewer_figures=rules.reviewer_figures or ReviewerFigures.NUMBERED,
    )
    if rules.taper is None and rules.purpose is Purpose.REAL:
        settled = replace(settled, taper=USUAL_TAPER)
    return rules if settled == rules else replace(settled, version=rules.version + 1)


def launch_problems(
    cycle_id: str,
    *,
    ledger: Ledger,
    provider: bool = False,
    snapshots: SnapshotCache | None = None,
) -> tuple[LaunchProblem, ...]:
    """List everything that would prevent a launch now; changes nothing.

    Args:
        cycle_id: The cycle.
        ledger: The ledger.
        provider: Whether an identity provider is connected.
        snapshots: Cached snapshots; without them the whole cycle is read from its first event.
    """
    with (snapshots or SnapshotCache()).at_head(cycle_id, ledger=ledger) as seen:
        closed = without_sign_in(seen.projection.rules, provider=provider)
        ways = [LaunchProblem(SetupStep.RULES, closed)] if closed else []
        return (*_problems(cycle_id, seen.projection, ledger=ledger), *ways)


def without_sign_in(rules: Rules, *, provider: bool) -> str:
    """Return why nobody could open the pages of a cycle under these rules; "" if they could."""
    if rules.sign_in is not SignInPolicy.PROVIDER or provider:
        return ""
    return Message("sign_in_without_provider")


def read_projection(cycle_id: str, *, ledger: EventReads) -> CycleProjection:
    """Fold a cycle's projection from its events, up to the last."""
    projection = CycleProjection(ledger.rules(cycle_id))
    while events := ledger.events(cycle_id, after=projection.position, at_most=BATCH):
        apply_new_events(projection, events, ledger=ledger)
    return projection


def _problems(
    cycle_id: str, projection: CycleProjection, *, ledger: RequestReads
) -> list[LaunchProblem]:
    rules = projection.rules
    applications = ledger.applications(cycle_id)
    reviewers = ledger.reviewers(cycle_id)
    problems = [*_places(applications, rules), *_money(applications, rules)]
    problems += _people(projection, applications, reviewers)
    if rules.purpose is Purpose.REAL and rules.automatic is None:
        programs = [r.external_id for r in reviewers if r.automatic]
        if programs:
            problems.append(
                LaunchProblem(
                    SetupStep.REVIEWERS,
                    Message("launch_automatic_reviewers", programs=_some(programs)),
                )
            )
    if rules.blind:
        open_files = ledger.unredacted(cycle_id)
        if open_files:
            problems.append(
                LaunchProblem(
                    SetupStep.APPLICANTS,
                    Message(
                        "launch_files_not_redacted",
                        count=len(open_files),
                        applicants=_some(open_files),
                    ),
                )
            )
    # The rule is tried last: its own errors are of use only once places and people fit.
    if not problems:
        problems += _rule(projection)
    return problems


def _places(applications: tuple[Application, ...], rules: Rules) -> list[LaunchProblem]:
    ready = sum(a.status.is_candidate for a in applications)
    if ready == 0:
        return [LaunchProblem(SetupStep.APPLICANTS, Message("no_application_yet"))]
    if rules.cohort_size >= ready:
        return [
            LaunchProblem(
                SetupStep.APPLICANTS,
                Message("launch_decides_nothing", places=rules.cohort_size, applications=ready),
            )
        ]
    if rules.max_applicants is not None and rules.max_applicants < ready:
        return [
            LaunchProblem(
                SetupStep.RULES,
                Message(
                    "launch_too_many_applications", most=rules.max_applicants, applications=ready
                ),
            )
        ]
    return []


def _money(applications: tuple[Application, ...], rules: Rules) -> list[LaunchProblem]:
    ready = sum(a.status.is_candidate for a in applications)
    floors = sum(
        rules.kinds[rules.kind_index(floor.kind)].cost
        * floor.count
        * (ready if floor.who is FloorFor.ALL else rules.cohort_size)
        for floor in rules.floors
        if floor.who is not FloorFor.CLOSE  # nobody knows yet who will be
    )
    floors += cost_of_draw(rules, ready)
    staff = int(rules.reserve * rules.budget)
    if floors + staff > rules.budget:
        return [
            LaunchProblem(
                SetupStep.RULES,
                Message(
                    "launch_budget_below_floors",
                    budget=rules.budget,
                    floors=floors,
                    staff=staff,
                    least=_enough(floors, rules.reserve),
                ),
            )
        ]
    return []


def cost_of_draw(rules: Rules, ready: int) -> int:
    """Return what is kept for those who will be drawn of the clearly out, of this many ready."""
    if rules.drawn_check is None:
        return 0
    return rules.drawn_check.count(max(0, ready - rules.fewest_places)) * rules.kinds[0].cost


def _enough(floors: int, reserve: float) -> int:
    """Return the smallest budget that pays floors and reserve."""
    budget = math.ceil(floors / (1 - reserve))
    # The reserve is rounded down, so a little less may do.
    while floors + int(reserve * (budget - 1)) <= budget - 1:
        budget -= 1
    return budget


def _people(
    projection: CycleProjection,
    applications: tuple[Application, ...],
    reviewers: tuple[Reviewer, ...],
) -> list[LaunchProblem]:
    problems = []
    numbers = candidates(projection)
    names = {a.number: a.external_id for a in applications}
    needed = projection.rules.floor_counts(FloorFor.ALL)
    for index, kind in enumerate(projection.rules.kinds):
        if not any(r.active and not r.reserve and kind.name in r.capacity for r in reviewers):
            problems.append(
                LaunchProblem(
                    SetupStep.REVIEWERS,
                    Message("launch_kind_without_reviewer", kind=kind.name),
                )
            )
            continue
        need = max(needed[index], 1) * kind.seats
        short = numbers[eligible_counts(projection, numbers, index) < need]
        if short.size:
            problems.append(
                LaunchProblem(
                    SetupStep.REVIEWERS,
                    Message(
                        "launch_too_few_reviewers",
                        count=short.size,
                        needed=need,
                        kind=kind.name,
                        applicants=_some([names[int(a)] for a in short]),
                    ),
                )
            )
    return problems


def _rule(projection: CycleProjection) -> list[LaunchProblem]:
    """Return the bandit's objection to the rules (for instance: `certified` without a sigma).

    Limits that no list of the present applications keeps are refused here, and later only when a
    list is made final: in between, applications may leave, and others arrive.
    """
    try:
        refuse_impossible(projection, candidates(projection))
        rule_for(projection, candidates(projection), None)
    except InvalidInputError as error:
        return [LaunchProblem(SetupStep.RULES, error.message)]
    return []


def _some(names: "list[str] | tuple[str, ...]") -> str:
    if len(names) <= SHOWN:
        return ", ".join(names)
    return Message("names_and_more", names=names[:SHOWN], more=len(names) - SHOWN)
