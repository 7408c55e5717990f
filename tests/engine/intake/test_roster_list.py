"""A list of reviewers imported again: what it says is stored, what it does not say stays."""

from dataclasses import replace

import pytest

from swapflow.domain.event import EventType
from swapflow.domain.people.reviewer import NewReviewer, Reviewer
from swapflow.engine.ports.records import Mail
from swapflow.errors import CycleFinalizedError, InvalidInputError
from tests.engine.cycle_by_hand import CYCLE, World, reviewer


def of(world: World, external_id: str) -> Reviewer:
    return next(r for r in world.product.reviewers.list(CYCLE) if r.external_id == external_id)


def listed(external_id: str, **said: object) -> NewReviewer:
    names = frozenset(said) | {"external_id"}
    return replace(reviewer(external_id, **({"capacity": {}} | said)), said=names)


def _mail(mail_id: str) -> Mail:
    return Mail(
        id=mail_id, to="Ann@x.org", subject="s", text="t", html="", calendar="", state="queued"
    )


def test_a_new_name_and_address_are_stored_and_told(url: str) -> None:
    world = World(url=url, roster=[reviewer("R1", name="Ann", email="ann@x.org")], launch=False)

    done = world.product.reviewers.import_list(
        CYCLE, [listed("r1 ", name="Ann Roe", email="roe@x.org")]
    )

    assert (of(world, "R1").name, of(world, "R1").email) == ("Ann Roe", "roe@x.org")
    assert [(d.what, d.before, d.after) for d in done.changed[0].differences] == [
        ("name", "Ann", "Ann Roe"),
        ("email", "ann@x.org", "roe@x.org"),
    ]
    assert done.added == ()
    world.ledger.dispose()


def test_mail_that_waits_or_was_refused_goes_to_the_new_address_and_letters_stay(url: str) -> None:
    world = World(url=url, roster=[reviewer("R1", email="ann@x.org")], launch=False)
    ids = [f"{CYCLE}:nudge:0:2026-01-01", f"{CYCLE}:remind-1:0:2026-01-01", f"{CYCLE}:letter:1:0"]
    with world.ledger.write(CYCLE) as tx:
        tx.queue_mail([_mail(one) for one in ids])
    assert world.ledger.claim_mail(ids[1]) is not None
    world.ledger.mark_mail(ids[1], "failed", detail="no such mailbox")

    world.product.reviewers.import_list(CYCLE, [listed("R1", email="roe@x.org")])

    assert {one: world.ledger.cycle_mail(CYCLE, one).mail.to for one in ids} == {
        ids[0]: "roe@x.org",
        ids[1]: "roe@x.org",
        ids[2]: "Ann@x.org",
    }
    world.ledger.dispose()


def test_the_old_address_no_longer_lets_in_and_the_new_one_does(url: str) -> None:
    world = World(url=url, roster=[reviewer("R1", email="ann@x.org")], launch=False)

    world.product.reviewers.import_list(CYCLE, [listed("R1", email="roe@x.org")])

    office = world.ledger.office()
    assert office.seats("ann@x.org") == ()
    assert office.seats("roe@x.org") == ((CYCLE, 0),)
    world.ledger.dispose()


def test_what_a_list_has_no_column_for_stays() -> None:
    world = World(
        roster=[reviewer("R1", capacity={"review": 3}, packet=2, topics=("law",), reserve=True)],
        launch=False,
    )
    before = of(world, "R1")

    done = world.product.reviewers.import_list(CYCLE, [listed("R1", email="roe@x.org")])

    assert of(world, "R1") == replace(before, email="roe@x.org")
    assert [d.what for d in done.changed[0].differences] == ["email"]


def test_the_same_list_again_changes_nothing_and_records_no_event() -> None:
    world = World(roster=2, launch=False)
    rows = [listed("R1", name="Ann", email="ann@x.org"), listed("R2", name="Ben")]
    world.product.reviewers.import_list(CYCLE, rows)
    events = len(world.events(EventType.REVIEWER_CHANGED))

    done = world.product.reviewers.import_list(CYCLE, rows)

    assert (done.added, done.changed, done.unchanged) == ((), (), 2)
    assert len(world.events(EventType.REVIEWER_CHANGED)) == events


@pytest.mark.parametrize("twin", ["r1 ", "R1", "\uff32\uff11"])
def test_an_id_in_another_spelling_is_the_same_reviewer(twin: str) -> None:
    world = World(roster=[reviewer("R1")], launch=False)

    world.product.reviewers.import_list(CYCLE, [reviewer(twin, name="Ann")])

    assert [(r.external_id, r.name) for r in world.product.reviewers.list(CYCLE)] == [
        ("R1", "Ann")
    ]


def test_one_id_in_two_spellings_in_one_list_is_refused() -> None:
    world = World(roster=[reviewer("R9")], launch=False)

    with pytest.raises(InvalidInputError, match="'R2' and 'r2 ' are one id; keep one row"):
        world.product.reviewers.import_list(CYCLE, [reviewer("R2"), reviewer("r2 ")])
    assert len(world.product.reviewers.list(CYCLE)) == 1


@pytest.mark.parametrize("there", [True, False])
def test_an_address_under_two_ids_is_refused(there: bool) -> None:
    ben = reviewer("R1", email="ben@x.org")
    world = World(roster=[ben if there else reviewer("R1")], launch=False)
    rows = (
        [reviewer("R2", email="Ben@X.org")] if there else [ben, reviewer("R2", email="Ben@X.org")]
    )

    with pytest.raises(InvalidInputError, match="one person is one reviewer"):
        world.product.reviewers.import_list(CYCLE, rows)
    assert [r.external_id for r in world.product.reviewers.list(CYCLE)] == ["R1"]


def test_two_reviewers_may_swap_their_addresses() -> None:
    world = World(
        roster=[reviewer("R1", email="a@x.org"), reviewer("R2", email="b@x.org")], launch=False
    )

    world.product.reviewers.import_list(
        CYCLE, [listed("R1", email="b@x.org"), listed("R2", email="a@x.org")]
    )

    assert [r.email for r in world.product.reviewers.list(CYCLE)] == ["b@x.org", "a@x.org"]


def test_once_the_list_is_final_names_and_addresses_can_still_be_corrected() -> None:
    world = World(roster=3)
    world.run()
    world.product.cohort.finalize(CYCLE, by="chair")

    world.product.reviewers.import_list(CYCLE, [listed("R1", name="Ann", email="ann@x.org")])

    assert of(world, "R1").name == "Ann"
    with pytest.raises(CycleFinalizedError):
        world.product.reviewers.import_list(CYCLE, [listed("R1", packet=3)])
