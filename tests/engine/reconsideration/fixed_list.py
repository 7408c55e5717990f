"""A fixed list in which applicants are reconsidered, and what tests do to it."""

from datetime import date

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from swapflow.domain.cohort.reconsideration import Result
from swapflow.domain.people.application import ApplicationStatus
from swapflow.domain.rules import Purpose
from swapflow.engine.audit import finished_cycle
from swapflow.engine.reconsideration.open_reconsideration import ReconsiderationRequest
from swapflow.files.bundles.bundle import bundle
from swapflow.files.bundles.check import check_bundle
from swapflow.files.bundles.signing_keys import Signer
from tests.engine.cycle_by_hand import CYCLE, World, applicant, reviewer, rules


PEOPLE = [
    applicant(
        f"A{n:03d}",
        name=f"Applicant {n}",
        email=f"a{n}@example.org",
        selection={"region": "North" if n <= 4 else "South"},
    )
    for n in range(1, 9)
]
NAMES = ("chair", "dean")
SIGNER = Signer(Ed25519PrivateKey.generate())
RESERVE = [reviewer("S1", reserve=True), reviewer("S2", reserve=True)]
ORDINARY = [reviewer(f"R{n}") for n in range(1, 5)]


def rising(external_id: str, *_: object) -> float:
    return int(external_id[1:]) / 10


def fixed(
    url: str = "sqlite://", *, roster: object = None, withdrawn: str = "", **changes: object
) -> World:
    """A fixed list: A008, A007, A006, then the waitlist from A005 down; S1 and S2 in reserve."""
    settings: dict[str, object] = {"budget": 8, "purpose": Purpose.REAL, **changes}
    people = [*ORDINARY, *RESERVE] if roster is None else roster
    world = World(
        url=url,
        rules=rules(**settings),
        applications=PEOPLE,
        roster=people,  # type: ignore[arg-type]  # tests name reviewers
    )
    if withdrawn:
        world.product.applicants.move(CYCLE, withdrawn, ApplicationStatus.WITHDRAWN, by="ops")
    world.run(rising)
    world.product.cohort.finalize(CYCLE, by="chair")
    return world


def reopened(world: World, external_id: str, **more: object) -> int:
    settings: dict[str, object] = {
        "reason": "a reviewer had the wrong file",
        "asked_by": "the applicant",
        "asked_on": date(2027, 5, 4),
    }
    wanted = ReconsiderationRequest(**(settings | more))  # type: ignore[arg-type]  # by name
    opened = world.product.reconsiderations.open(CYCLE, external_id, wanted, by="ops")
    world.turn()
    return opened


def answered(world: World, value: float) -> list[str]:
    """Everyone who is asked gives the same score; says who they were."""
    people, who = world.people(), []
    while waiting := world.waiting():
        for assignment in waiting:
            who.append(people[assignment.reviewer])
            world.submit(assignment, value)
        world.turn()
    return sorted(who)


def verdicts(world: World, version: int = 0) -> dict[str, str]:
    version = version or world.cycle.cohort_version
    outcomes = world.product.cohort.outcomes(CYCLE, version)
    return {world.names()[o.application]: o.verdict.value for o in outcomes}


def order(world: World) -> list[str]:
    _, places, _ = world.product.cohort.proposals(CYCLE)[-1]
    return [place.external_id for place in places]


def selected(world: World) -> set[str]:
    return {name for name, verdict in verdicts(world).items() if verdict == "selected"}


def concluded(world: World, external_id: str, **more: object) -> Result:
    closing = world.product.reconsiderations.conclude(
        CYCLE,
        external_id,
        **({"names": NAMES} | more),  # type: ignore[arg-type]  # by name
    )
    return closing.result


def stands(world: World) -> None:
    """Replay, chain, rows, live state and the signed bundle all agree."""
    world.verify()
    assert not world.tally().pending.any()
    made = bundle(finished_cycle.gather_finished_cycle(CYCLE, ledger=world.ledger), SIGNER)
    checked = check_bundle(made)
    assert not checked.problems, checked.problems
    assert checked.replayed is not None
    assert checked.replayed.passed, checked.replayed.findings
