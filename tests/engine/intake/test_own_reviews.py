"""Reviewers who are applicants of the same program, by their mail address."""

from swapflow.engine.intake.own_reviews import SAME_ADDRESS
from tests.engine.cycle_by_hand import CYCLE, World, applicant, reviewer


ADA = applicant("A01", name="Ada", email="Ada@x.example.org")
OTHERS = [applicant(f"A0{n}", email=f"a{n}@x.example.org") for n in (2, 3, 4)]
ROSTER = [reviewer("r1", email="ada@X.example.org"), reviewer("r2", email="ben@x.example.org")]


def sources(world: World) -> dict[tuple[str, str], str]:
    names, people = world.names(), world.people()
    found = world.ledger.conflict_sources(CYCLE)
    return {(names[a], people[r]): source for (a, r), source in found.items()}


def test_whoever_is_on_both_lists_is_never_asked_about_themself() -> None:
    world = World(applications=[ADA, *OTHERS], roster=ROSTER)

    world.run()

    assert sources(world) == {("A01", "r1"): SAME_ADDRESS}
    assert ("A01", "r1") not in world.asked()
    assert ("A01", "r2") in world.asked()
    world.check()
    world.verify()


def test_an_applicant_who_comes_after_the_roster_is_found_and_told() -> None:
    world = World(applications=OTHERS, roster=ROSTER, launch=False)

    listed = world.product.applicants.import_list(CYCLE, [ADA])
    again = world.product.applicants.import_list(CYCLE, [ADA])

    assert listed.own == (("A01", "r1"),)
    assert again.own == ()
    assert sources(world) == {("A01", "r1"): SAME_ADDRESS}


def test_a_corrected_address_takes_back_what_its_owner_has_out_about_themself() -> None:
    world = World(applications=[applicant("A01", email="old@x.example.org"), *OTHERS])
    world.turn()
    mine = next(a for a in world.waiting() if a.application == world.number("A01"))
    whom = world.people()[mine.reviewer]

    world.product.reviewers.import_list(CYCLE, [reviewer(whom, email="new@x.example.org")])
    world.product.applicants.correct(
        CYCLE, "A01", {"email": "NEW@x.example.org"}, by="ops", reason="a new address"
    )

    assert sources(world) == {("A01", whom): SAME_ADDRESS}
    assert not world.ledger.assignment(mine.id).status.is_open
    world.turn()
    world.check()
    world.verify()


def test_a_reviewer_whose_new_address_is_an_applicants_is_barred_from_them() -> None:
    world = World(applications=[ADA, *OTHERS], roster=[reviewer("r9", email="x@x.example.org")])

    listed = world.product.reviewers.import_list(
        CYCLE, [reviewer("r9", email="ada@x.example.org")]
    )

    assert listed.own == (("A01", "r9"),)
    assert sources(world) == {("A01", "r9"): SAME_ADDRESS}
