"""Erased people who come back with a list: held and named, until a person confirms them."""

import pytest

from swapflow.domain.people.application import NewApplication
from swapflow.domain.people.reviewer import NewReviewer
from swapflow.engine.services.context import ErasureKeysInMemory
from swapflow.errors import InvalidInputError
from swapflow.ledger.schema import ERASED_PERSON
from tests.engine.cycle_by_hand import CYCLE, RULES, World, applicant, applicants, reviewer


PEOPLE = [
    applicant("A01", name="Ann", email="ann@example.org"),
    applicant("A02", name="Bo", email="bo@example.org"),
    applicant("0007", name="Cy", email="cy@example.org"),
]
ROSTER = [
    reviewer("R1", name="Rae", email="rae@example.org"),
    reviewer("R2", name="Sam", email="sam@example.org"),
]


@pytest.fixture
def world() -> World:
    return World(applications=PEOPLE, roster=ROSTER, launch=False)


def erased(*ids: str) -> World:
    world = World(applications=PEOPLE, roster=ROSTER, launch=False)
    for one in ids:
        world.product.applicants.erase(CYCLE, one, by="olga")
    return world


def ids(world: World) -> list[str]:
    return [a.external_id for a in world.product.applicants.list(CYCLE) if a.external_id]


def test_an_erased_applicant_is_held_and_named_while_the_others_come_in() -> None:
    world = erased("A02")

    plan = world.product.applicants.plan_list(CYCLE, [*PEOPLE, applicant("A04")])
    listed = world.product.applicants.import_list(CYCLE, [*PEOPLE, applicant("A04")])

    (held,) = plan.erased.held
    assert (held.external_id, held.name, held.same) == ("A02", "Bo", ("id", "mail address"))
    assert (held.program, held.day) == (CYCLE, world.ledger.now().date())
    assert plan.erased.unknown == 0
    assert listed.held == plan.erased.held
    assert ids(world) == ["A01", "0007", "A04"]


@pytest.mark.parametrize(
    ("row", "same"),
    [
        (applicant(" a02 ", email="other@example.org"), ("id",)),
        (applicant("\uff2102"), ("id",)),  # a full-width A
        (applicant("B99", email="BO@Example.org"), ("mail address",)),
        (applicant("7"), ("id",)),
        (applicant("7.0"), ("id",)),
        (applicant("00007", email="cy@example.org"), ("id", "mail address")),
    ],
)
def test_an_erased_applicant_is_known_in_every_spelling_that_an_import_takes_for_the_same(
    row: NewApplication, same: tuple[str, ...]
) -> None:
    world = erased("A02", "0007")

    listed = world.product.applicants.import_list(CYCLE, [row])

    assert [one.same for one in listed.held] == [same]
    assert ids(world) == ["A01"]


def test_a_person_of_the_program_who_takes_an_erased_address_is_held_and_stays_as_they_were() -> (
    None
):
    world = erased("A02")
    row = applicant("A01", name="Ann", email="bo@example.org")

    listed = world.product.applicants.import_list(CYCLE, [row])

    assert [one.same for one in listed.held] == [("mail address",)]
    assert world.product.applicants.get(CYCLE, 0).email == "ann@example.org"


def test_who_is_confirmed_comes_in_with_a_note_and_is_held_no_more() -> None:
    world = erased("A02")

    first = world.product.applicants.import_list(CYCLE, PEOPLE, again=["a02"], by="olga")
    again = world.product.applicants.import_list(CYCLE, PEOPLE, again=["A02"], by="olga")

    assert [a.external_id for a in first.added] == ["A02"]
    assert (first.held, again.held, again.added) == ((), (), ())
    (number,) = (a.number for a in first.added)
    with world.ledger._database.reading() as connection:
        rows = connection.exec_driver_sql("SELECT subject, by, text FROM note").all()
    assert (f"application:{number}", "olga", "confirmed: was erased before") in map(tuple, rows)


def test_a_person_who_came_back_and_is_erased_again_is_held_again() -> None:
    world = erased("A02")
    world.product.applicants.import_list(CYCLE, PEOPLE, again=["A02"], by="olga")

    world.product.applicants.erase(CYCLE, "A02", by="olga")
    listed = world.product.applicants.import_list(CYCLE, PEOPLE)

    assert [one.external_id for one in listed.held] == ["A02"]


def test_an_id_that_the_list_does_not_have_cannot_be_confirmed() -> None:
    world = erased("A02")

    with pytest.raises(InvalidInputError, match="'A05' is confirmed") as caught:
        world.product.applicants.import_list(CYCLE, PEOPLE, again=["A05"])

    assert caught.value.code == "erased_not_in_list"


def test_an_address_is_held_in_every_program_of_the_round_and_an_id_in_its_own() -> None:
    world = erased("A02")
    world.product.cycles.new("other", round_id="round", rules=RULES, by="ops")
    world.product.cycles.new_round("next", name="Next")
    world.product.cycles.new("later", round_id="next", rules=RULES, by="ops")
    rows = [
        applicant("A02", name="Another", email="another@example.org"),
        applicant("X1", name="Bo", email="bo@example.org"),
    ]

    other = world.product.applicants.import_list("other", rows)
    later = world.product.applicants.import_list("later", rows)

    assert [(one.external_id, one.program) for one in other.held] == [("X1", CYCLE)]
    assert later.held == ()


def test_who_is_confirmed_in_one_program_is_held_in_the_others_all_the_same() -> None:
    world = erased("A02")
    world.product.cycles.new("other", round_id="round", rules=RULES, by="ops")
    row = applicant("X1", name="Bo", email="bo@example.org")

    other = world.product.applicants.import_list("other", [row], again=["X1"], by="olga")
    first = world.product.applicants.import_list(CYCLE, PEOPLE)

    assert ([a.external_id for a in other.added], other.held) == (["X1"], ())
    assert [one.external_id for one in first.held] == ["A02"]


def test_who_came_back_and_has_another_address_by_now_is_not_held_for_the_old_one() -> None:
    world = erased("A02")
    world.product.applicants.import_list(CYCLE, PEOPLE, again=["A02"], by="olga")
    world.product.applicants.correct(
        CYCLE, "A02", {"email": "new@example.org"}, by="olga", reason="told us"
    )

    again = world.product.applicants.import_list(CYCLE, PEOPLE)

    assert (again.held, again.kept) == ((), 1)


def test_an_erased_reviewer_is_held_until_confirmed(world: World) -> None:
    world.product.reviewers.erase(CYCLE, "R2", by="olga")
    rows: list[NewReviewer] = [*ROSTER, reviewer("R9", email="SAM@example.org"), reviewer("R3")]

    plan = world.product.reviewers.plan_list(CYCLE, rows)
    listed = world.product.reviewers.import_list(CYCLE, rows)
    back = world.product.reviewers.import_list(CYCLE, ROSTER, again=["R2"], by="olga")

    assert [(one.external_id, one.same) for one in plan.erased.held] == [
        ("R2", ("id", "mail address")),
        ("R9", ("mail address",)),
    ]
    assert [r.external_id for r in listed.added] == ["R3"]
    assert [r.external_id for r in back.added] == ["R2"]


def test_an_erased_applicant_may_be_a_reviewer(world: World) -> None:
    world.product.applicants.erase(CYCLE, "A02", by="olga")

    listed = world.product.reviewers.import_list(CYCLE, [reviewer("A02", email="bo@example.org")])

    assert (len(listed.added), listed.held) == (1, ())


def test_nothing_but_digests_and_the_day_is_kept_and_other_keys_give_others() -> None:
    rows = []
    for world in (erased("A02"), erased("A02")):
        with world.ledger._database.reading() as connection:
            (row,) = connection.execute(ERASED_PERSON.select()).mappings().all()
        rows.append(dict(row))

    assert not [row for row in rows if "bo@" in str(row) or "A02" in str(row)]
    assert rows[0]["id_digest"] != rows[1]["id_digest"]
    assert rows[0]["address_digest"] != rows[1]["address_digest"]
    assert set(rows[0]) == {
        "id", "round_id", "cycle_id", "erased_as", "key_id", "id_digest", "address_digest", "day",
        "back",
    }  # fmt: skip


def test_erasures_from_before_or_under_another_key_are_counted_and_not_recognised() -> None:
    world = erased("A01", "A02")
    with world.ledger._database.writing() as connection:
        connection.exec_driver_sql(
            "DELETE FROM erased_person WHERE id = (SELECT min(id) FROM erased_person)"
        )

    one_known = world.product.applicants.plan_list(CYCLE, PEOPLE).erased
    keys = world.product.context.erasure_keys
    assert isinstance(keys, ErasureKeysInMemory)
    keys.forget("round")
    none_known = world.product.applicants.plan_list(CYCLE, PEOPLE).erased

    assert (len(one_known.held), one_known.unknown) == (1, 1)
    assert (len(none_known.held), none_known.unknown) == (0, 2)


def test_forgetting_a_rounds_erasures_deletes_key_and_digests(world: World) -> None:
    world.product.applicants.erase(CYCLE, "A02", by="olga")
    assert world.product.cycles.erasures("round") == 1

    assert world.product.cycles.forget_erasures("round") == 1
    listed = world.product.applicants.import_list(CYCLE, PEOPLE)

    assert world.product.cycles.erasures("round") == 0
    assert world.product.context.erasure_keys.find("round") is None
    assert [a.external_id for a in listed.added] == ["A02"]


def test_the_record_verifies_after_an_erased_person_came_back() -> None:
    world = World(applications=[*PEOPLE, *applicants(4)], roster=ROSTER)
    world.turn()
    world.product.applicants.erase(CYCLE, "A02", by="olga")
    world.product.applicants.import_list(CYCLE, PEOPLE, again=["A02"], by="olga")

    assert world.product.reports.verify(CYCLE).passed
