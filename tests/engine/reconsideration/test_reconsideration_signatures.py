"""Two people sign a reconsideration, and a death in between does nothing twice."""

from pathlib import Path

import pytest

from swapflow.domain.event import EventType
from swapflow.domain.reviewing.score import Answer
from swapflow.errors import (
    ConflictError,
    InvalidInputError,
)
from swapflow.ledger.maintenance.upgrade import upgrade
from tests.engine.cycle_by_hand import CYCLE
from tests.engine.reconsideration.fixed_list import (
    NAMES,
    answered,
    fixed,
    reopened,
    selected,
    stands,
)


def test_two_people_sign_each_at_a_screen_of_their_own() -> None:
    world = fixed()
    reopened(world, "A003")
    answered(world, 1.0)

    digest = world.product.reconsiderations.prepare(CYCLE, "A003", by="chair", beyond=True)
    waiting = world.product.cohort.pending(CYCLE)
    assert waiting is not None
    assert (waiting.missing, waiting.current) == (1, True)
    with pytest.raises(InvalidInputError, match="a second signatory"):
        world.product.cohort.sign(CYCLE, digest, by="chair")
    assert world.product.cohort.sign(CYCLE, digest, by="dean")

    assert "A003" in selected(world)
    assert world.product.cohort.pending(CYCLE) is None
    stands(world)


def test_a_score_corrected_meanwhile_voids_the_signatures() -> None:
    world = fixed()
    reopened(world, "A003", reviews=1)
    (assignment,) = world.waiting()
    world.submit(assignment, 1.0)
    world.turn()
    digest = world.product.reconsiderations.prepare(CYCLE, "A003", by="chair", beyond=True)
    world.product.scores.correct(
        Answer(assignment_id=assignment.id, utility=0.9), by="S1", reason="a slip"
    )

    with pytest.raises(ConflictError, match="signatures are void"):
        world.product.cohort.sign(CYCLE, digest, by="dean")

    assert world.cycle.cohort_version == 1


def test_one_thing_at_a_time_waits_for_signatures() -> None:
    world = fixed()
    for name in ("A003", "A004"):
        reopened(world, name, reviews=1)
    answered(world, 1.0)
    world.product.reconsiderations.prepare(CYCLE, "A003", by="chair", beyond=True)

    with pytest.raises(ConflictError, match="something else waits"):
        world.product.reconsiderations.prepare(CYCLE, "A004", by="chair", beyond=True)


def test_a_death_between_signature_and_list_is_made_good_by_signing_again(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'ledger.db'}"
    upgrade(url)
    world = fixed(url)
    reopened(world, "A003")
    answered(world, 1.0)
    digest = world.product.reconsiderations.prepare(CYCLE, "A003", by="chair", beyond=True)
    assert world.ledger.sign_prepared(CYCLE, digest, by="dean")  # and the process died

    assert world.cycle.cohort_version == 1
    assert world.product.cohort.sign(CYCLE, digest, by="dean")

    assert world.cycle.cohort_version == 2
    assert len(world.events(EventType.RECONSIDERATION_CLOSED)) == 1
    stands(world)
    world.ledger.dispose()


def test_a_death_between_list_and_clean_up_does_nothing_twice() -> None:
    world = fixed()
    reopened(world, "A003")
    answered(world, 1.0)
    digest = world.product.reconsiderations.prepare(CYCLE, "A003", by="chair", beyond=True)
    world.product.reconsiderations.conclude(
        CYCLE, "A003", names=NAMES, beyond=True
    )  # and the process died

    with pytest.raises(ConflictError, match="void"):
        world.product.cohort.sign(CYCLE, digest, by="dean")

    assert world.cycle.cohort_version == 2
    assert len(world.events(EventType.RECONSIDERATION_CLOSED)) == 1
    stands(world)
