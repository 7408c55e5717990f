"""What the record of units promises, and what a grant on one covers, on every database."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier

import pytest

from swapflow.domain.cycle import Round
from swapflow.errors import ConflictError, InvalidInputError, NotFoundError, SwapflowError
from swapflow.identity.account import Account
from swapflow.identity.permissions import Grant, Role, Scope
from swapflow.identity.units import Unit
from swapflow.ledger.maintenance.upgrade import downgrade, upgrade
from swapflow.ledger.sql_ledger import SqlLedger
from tests.ledger.examples import RULES


Opened = Callable[[str], SqlLedger]

SCIENCE = Unit(id="science", round_id="2027", parent_id=None, name="Science")
PHYSICS = Unit(id="physics", round_id="2027", parent_id="science", name="Physics")
ARTS = Unit(id="arts", round_id="2027", parent_id=None, name="Arts")


def account(ledger: SqlLedger, name: str = "ana") -> Account:
    made = Account(
        id=name,
        email=f"{name}@example.org",
        name="",
        password="",
        subject="",
        active=True,
        created_at=ledger.now(),
        last_seen_at=None,
    )
    ledger.office().add_account(made)
    return made


def with_round(ledger: SqlLedger) -> None:
    ledger.create_round(Round(id="2027", name="Season 2027", unit="minutes", zone="UTC"))
    ledger.create_cycle("fall", round_id="2027", name="Fall", rules=RULES, by="ops")


def faculty(ledger: SqlLedger) -> None:
    """Science with Physics in it, Arts beside; `fall` is in Physics, `spring` in Arts."""
    for unit in (SCIENCE, PHYSICS, ARTS):
        ledger.office().add_unit(unit)
    ledger.create_cycle("spring", round_id="2027", name="Spring", rules=RULES, by="ops")
    ledger.office().place_program("fall", "physics", before=None)
    ledger.office().place_program("spring", "arts", before=None)


def covered(ledger: SqlLedger, who: Account) -> list[tuple[str, frozenset[str], frozenset[str]]]:
    grants, _ = ledger.office().access(who)
    return [(grant.scope_id, grant.units, grant.cycles) for grant in grants]


def test_a_grant_covers_its_unit_all_within_it_and_their_programs(ledger: SqlLedger) -> None:
    faculty(ledger)
    ana = account(ledger)
    for scope, place in ((Scope.UNIT, "science"), (Scope.CYCLE, "spring"), (Scope.OFFICE, "")):
        given = Grant(account="ana", role=Role.CHAIR, scope=scope, scope_id=place)
        ledger.office().add_grant(given, by="ops")

    assert covered(ledger, ana) == [
        ("spring", frozenset(), frozenset()),
        ("", frozenset(), frozenset()),
        ("science", frozenset({"science", "physics"}), frozenset({"fall"})),
    ]


def test_grants_of_all_and_of_one_and_access_say_the_same(ledger: SqlLedger) -> None:
    faculty(ledger)
    for name, place in (("ana", "science"), ("bo", "science"), ("cy", "arts")):
        account(ledger, name)
        given = Grant(account=name, role=Role.CHAIR, scope=Scope.UNIT, scope_id=place)
        ledger.office().add_grant(given, by="ops")
    office = ledger.office()

    together = [(g.account, g.units, g.cycles) for g in office.grants()]

    science = (frozenset({"science", "physics"}), frozenset({"fall"}))
    assert together == [
        ("ana", *science),
        ("bo", *science),
        ("cy", frozenset({"arts"}), frozenset({"spring"})),
    ]
    for name in ("ana", "bo", "cy"):
        known = office.account(name)
        assert known is not None
        access, _ = office.access(known)
        one = office.grants(name)
        assert [(g, g.units, g.cycles) for g in access] == [(g, g.units, g.cycles) for g in one]


def test_a_move_changes_what_a_grant_covers_at_once(ledger: SqlLedger) -> None:
    faculty(ledger)
    ana = account(ledger)
    given = Grant(account="ana", role=Role.CHAIR, scope=Scope.UNIT, scope_id="arts")
    ledger.office().add_grant(given, by="ops")

    ledger.office().place_program("fall", "arts", before="physics")
    moved = covered(ledger, ana)
    ledger.office().place_program("spring", None, before="arts")

    assert moved == [("arts", frozenset({"arts"}), frozenset({"fall", "spring"}))]
    assert covered(ledger, ana) == [("arts", frozenset({"arts"}), frozenset({"fall"}))]


def test_a_move_from_where_the_program_is_no_more_is_refused(ledger: SqlLedger) -> None:
    faculty(ledger)

    for before in (None, "arts"):
        with pytest.raises(ConflictError, match="another unit by now"):
            ledger.office().place_program("fall", "science", before=before)
    assert ledger.office().units().places == {"fall": "physics", "spring": "arts"}


def test_of_two_moves_at_one_moment_one_is_refused(opened: Opened, shared_url: str) -> None:
    ledger = opened(shared_url)
    with_round(ledger)
    faculty(ledger)
    office, together = ledger.office(), Barrier(2)

    def move(to: str) -> str:
        together.wait()
        try:
            office.place_program("fall", to, before="physics")
        except ConflictError as error:
            return error.code
        return to

    with ThreadPoolExecutor(2) as pool:
        told = set(pool.map(move, ["science", "arts"]))

    assert "program_moved_meanwhile" in told
    assert told == {"program_moved_meanwhile", office.units().places["fall"]}


def test_no_program_belongs_to_a_unit_of_another_round(ledger: SqlLedger) -> None:
    faculty(ledger)
    ledger.create_round(Round(id="2028", name="Next", unit="minutes", zone="UTC"))
    ledger.office().add_unit(replace(ARTS, id="arts-2", round_id="2028"))

    with pytest.raises(NotFoundError, match="no unit"):
        ledger.office().place_program("fall", "arts-2", before="physics")
    with pytest.raises(NotFoundError, match="no unit"):
        ledger.create_cycle(
            "late", round_id="2028", name="Late", rules=RULES, by="ops", unit="arts"
        )
    with pytest.raises(NotFoundError, match="no unit"):
        ledger.office().add_unit(replace(PHYSICS, id="x", round_id="2028"))
    assert [cycle.id for cycle in ledger.cycles()] == ["fall", "spring"]
    assert ledger.office().units().places["fall"] == "physics"


def test_a_program_may_be_made_in_a_unit_at_once(ledger: SqlLedger) -> None:
    faculty(ledger)

    ledger.create_cycle("new", round_id="2027", name="New", rules=RULES, by="ops", unit="physics")

    assert ledger.office().units().places["new"] == "physics"


def test_a_unit_is_made_once_renamed_and_removed_when_nothing_is_in_it(ledger: SqlLedger) -> None:
    faculty(ledger)
    office = ledger.office()
    account(ledger)
    given = Grant(account="ana", role=Role.CHAIR, scope=Scope.UNIT, scope_id="arts")
    office.add_grant(given, by="ops")

    with pytest.raises(InvalidInputError, match="already"):
        office.add_unit(ARTS)
    for unit in ("science", "physics", "arts"):
        with pytest.raises(ConflictError, match="not removed"):
            office.remove_unit(unit)
    office.place_program("spring", None, before="arts")
    with pytest.raises(ConflictError, match="not removed"):
        office.remove_unit("arts")
    office.remove_grant(given)
    office.rename_unit("arts", "Arts and letters", before="Arts")
    with pytest.raises(ConflictError, match="another name by now"):
        office.rename_unit("arts", "Art", before="Arts")
    renamed = office.units().name("arts")
    office.remove_unit("arts")

    assert renamed == "Arts and letters"
    assert set(office.units().units) == {"science", "physics"}
    with pytest.raises(NotFoundError):
        office.remove_unit("arts")
    with pytest.raises(NotFoundError):
        office.rename_unit("arts", "x", before="Arts and letters")


def test_no_role_is_left_on_a_unit_that_is_removed_at_the_same_moment(
    opened: Opened, shared_url: str
) -> None:
    ledger = opened(shared_url)
    with_round(ledger)
    account(ledger)
    office = ledger.office()
    given = Grant(account="ana", role=Role.CHAIR, scope=Scope.UNIT, scope_id="arts")

    for _ in range(10):
        office.add_unit(ARTS)
        together = Barrier(2)

        def give(at: Barrier = together) -> bool:
            at.wait()
            try:
                office.add_grant(given, by="ops")
            except SwapflowError:
                return False
            return True

        def remove(at: Barrier = together) -> bool:
            at.wait()
            try:
                office.remove_unit("arts")
            except SwapflowError:
                return False
            return True

        with ThreadPoolExecutor(2) as pool:
            gave, removed = pool.submit(give), pool.submit(remove)
        assert gave.result() != removed.result()
        if not removed.result():
            office.remove_grant(given)
            office.remove_unit("arts")
        assert office.grants("ana") == ()


def test_a_downgrade_leaves_no_role_that_an_earlier_release_does_not_know(
    opened: Opened, shared_url: str
) -> None:
    ledger = opened(shared_url)
    with_round(ledger)
    account(ledger)
    ledger.office().add_unit(ARTS)
    for scope, place in ((Scope.UNIT, "arts"), (Scope.ROUND, "2027")):
        given = Grant(account="ana", role=Role.CHAIR, scope=scope, scope_id=place)
        ledger.office().add_grant(given, by="ops")

    ledger.dispose()
    downgrade(shared_url, "0013")
    upgrade(shared_url)

    left = opened(shared_url).office().grants("ana")
    assert [(grant.scope, grant.scope_id) for grant in left] == [(Scope.ROUND, "2027")]
