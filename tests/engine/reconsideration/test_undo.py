"""A reconsideration is undone until its person was told, and then no more."""

from datetime import timedelta

import pytest

from swapflow.domain.cohort.announcement import Group
from swapflow.domain.people.application import ApplicationStatus
from swapflow.engine.offers.announcement_wording import usual_wording
from swapflow.errors import (
    ConflictError,
    InvalidInputError,
)
from tests.engine.cycle_by_hand import CYCLE
from tests.engine.reconsideration.fixed_list import (
    NAMES,
    answered,
    concluded,
    fixed,
    order,
    reopened,
    selected,
    stands,
    verdicts,
)


def test_it_is_undone_until_the_person_was_told(url: str) -> None:
    world = fixed(url, withdrawn="A005")
    before, first = verdicts(world), order(world)
    reopened(world, "A005", reviews=2)
    answered(world, 1.0)
    concluded(world, "A005", beyond=True)
    with pytest.raises(InvalidInputError, match="2 different names and a reason"):
        world.product.reconsiderations.undo(CYCLE, "A005", names=["chair"], reason="x")

    assert world.product.reconsiderations.undo(CYCLE, "A005", names=NAMES, reason="a mix-up") == 3

    assert (verdicts(world), order(world)) == (before, first)
    application = next(a for a in world.product.applicants.list(CYCLE) if a.external_id == "A005")
    assert application.status is ApplicationStatus.WITHDRAWN
    stands(world)
    world.ledger.dispose()


def test_undoing_too_is_asked_for_by_one_and_signed_by_another() -> None:
    world = fixed()
    before = verdicts(world)
    reopened(world, "A003")
    answered(world, 1.0)
    concluded(world, "A003", beyond=True)

    digest = world.product.reconsiderations.prepare_undoing(
        CYCLE, "A003", by="chair", reason="a mix-up"
    )
    with pytest.raises(InvalidInputError, match="a second signatory"):
        world.product.cohort.sign(CYCLE, digest, by="chair")
    assert world.product.cohort.sign(CYCLE, digest, by="dean")

    assert verdicts(world) == before
    assert world.cycle.cohort_version == 3
    stands(world)


def test_who_was_offered_the_place_keeps_it() -> None:
    world = fixed()
    reopened(world, "A003")
    answered(world, 1.0)
    concluded(world, "A003", beyond=True)
    world.product.offers.make(CYCLE, by="ops")

    with pytest.raises(ConflictError, match="an offer is not taken back"):
        world.product.reconsiderations.undo(CYCLE, "A003", names=NAMES, reason="a mix-up")


def test_who_was_told_no_hears_of_the_place_and_nobody_else_hears_anything_new() -> None:
    world = fixed()
    words = usual_wording()
    world.product.offers.make(CYCLE, by="ops")
    world.product.announcements.send(CYCLE, words, by="ops", waitlist=1, hold=timedelta())
    reopened(world, "A003")
    answered(world, 1.0)
    concluded(world, "A003", beyond=True)
    world.product.offers.make(CYCLE, by="ops")

    made = world.product.announcements.draft(CYCLE, words, waitlist=1)
    assert [(one.external_id, one.group) for one in made.letters] == [("A003", Group.OFFERED)]
    world.product.announcements.send(CYCLE, words, by="ops", waitlist=1)
    with pytest.raises(ConflictError, match="a letter to 'A003' was written since"):
        world.product.reconsiderations.undo(CYCLE, "A003", names=NAMES, reason="a mix-up")

    world.product.announcements.take_back(CYCLE, by="ops")  # and with it the offer it told of
    world.product.reconsiderations.undo(CYCLE, "A003", names=NAMES, reason="a mix-up")
    assert selected(world) == {"A008", "A007", "A006"}
    stands(world)
