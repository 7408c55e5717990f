"""Units: who may change them, give roles in them and move programs, and what a move means."""

from collections.abc import Iterator

import pytest

from swapflow.domain.cycle import Cycle, Round
from swapflow.errors import ConflictError, ForbiddenError, InvalidInputError, NotFoundError
from swapflow.identity.account import Account
from swapflow.identity.permissions import RIGHTS, Grant, Right, Role, Scope, rights_in
from swapflow.identity.principal import Principal
from swapflow.identity.services import IdentityContext, Office, compose_office
from swapflow.identity.unit_rights import givable
from swapflow.ledger.sql_ledger import SqlLedger
from swapflow.state.rate_limits import MemoryLimiter
from tests.ledger.examples import RULES


@pytest.fixture
def ledger() -> Iterator[SqlLedger]:
    """Two rounds; in the first Science with Physics and Chemistry, and Arts, a program in each."""
    made = SqlLedger("sqlite://")
    for name in ("2027", "2028"):
        made.create_round(Round(id=name, name=f"Season {name}", unit="minutes", zone="UTC"))
    yield made
    made.dispose()


@pytest.fixture
def office(ledger: SqlLedger) -> Office:
    office = compose_office(
        IdentityContext(
            ledger=ledger.office(), personal_data=ledger.personal_data(), limiter=MemoryLimiter()
        )
    )
    for name, above in (("Science", None), ("Arts", None), ("Physics", "science")):
        office.units.add(name, round_id="2027", parent_id=above, by="ops")
    office.units.add("Chemistry", round_id="2027", parent_id="science", by="ops")
    for name in ("physics", "chemistry", "arts", ""):
        cycle = f"ms-{name}" if name else "free"
        ledger.create_cycle(cycle, round_id="2027", name=cycle, rules=RULES, by="ops", unit=name)
    return office


def account(office: Office, name: str = "ana") -> Account:
    return office.users.add(f"{name}@example.org")


def principal(
    office: Office, role: Role, scope: Scope, place: str = "", *, name: str = "ana"
) -> Principal:
    try:
        who = account(office, name)
    except InvalidInputError:
        who = office.users.get(f"{name}@example.org")
    office.users.grant(who, role, scope, place, by="ops")
    return office.context.principal_of(who)


def cycle(ledger: SqlLedger, name: str) -> Cycle:
    return ledger.cycle(name)


@pytest.mark.parametrize("role", Role)
def test_a_role_in_a_unit_holds_in_it_in_those_within_it_and_their_programs_alone(
    office: Office, role: Role
) -> None:
    who = principal(office, role, Scope.UNIT, "science")

    def held(**at: str | None) -> frozenset[Right]:
        return who.rights(**at)

    for place in ("science", "physics", "chemistry"):
        assert held(round_id="2027", unit_id=place) == RIGHTS[role]
    for program in ("ms-physics", "ms-chemistry"):
        assert held(round_id="2027", cycle_id=program) == RIGHTS[role]
    for program in ("ms-arts", "free", "nowhere"):
        assert held(round_id="2027", cycle_id=program) == frozenset()
    assert held(round_id="2027", unit_id="arts") == frozenset()
    assert held(round_id="2027") == frozenset()
    assert held() == frozenset()
    assert who.rights_anywhere == RIGHTS[role]


def test_a_role_in_a_department_does_not_reach_the_faculty_above(office: Office) -> None:
    who = principal(office, Role.ADMINISTRATOR, Scope.UNIT, "physics")

    assert who.rights(round_id="2027", cycle_id="ms-physics") == RIGHTS[Role.ADMINISTRATOR]
    assert who.rights(round_id="2027", cycle_id="ms-chemistry") == frozenset()
    assert who.rights(round_id="2027", unit_id="science") == frozenset()


def test_a_key_of_such_an_account_keeps_to_its_scopes_there(office: Office) -> None:
    who = principal(office, Role.CHAIR, Scope.UNIT, "science").account

    key = office.context.principal_of(who, scopes=frozenset({"read"}))

    assert Right.SIGN not in key.rights(round_id="2027", cycle_id="ms-physics")
    assert Right.SEE_APPLICANTS in key.rights(round_id="2027", cycle_id="ms-physics")
    assert key.rights(round_id="2027", cycle_id="ms-arts") == frozenset()


def test_a_units_administrator_gives_roles_up_to_their_own_and_no_further(
    office: Office,
) -> None:
    head = principal(office, Role.ADMINISTRATOR, Scope.UNIT, "science", name="head")
    ana = account(office)

    office.units.give(ana, Role.COORDINATOR, Scope.UNIT, "physics", unit_id="science", by=head)
    office.units.give(ana, Role.OBSERVER, Scope.CYCLE, "ms-chemistry", unit_id="science", by=head)

    assert [(g.role, g.scope_id) for g in office.users.grants(ana.id)] == [
        (Role.OBSERVER, "ms-chemistry"),
        (Role.COORDINATOR, "physics"),
    ]
    for role in (Role.CHAIR, Role.COMPLIANCE, Role.CALIBRATION):
        with pytest.raises(ForbiddenError, match="do not have"):
            office.units.give(ana, role, Scope.UNIT, "physics", unit_id="science", by=head)
    for scope, place in (
        (Scope.UNIT, "arts"),
        (Scope.CYCLE, "ms-arts"),
        (Scope.CYCLE, "free"),
        (Scope.ROUND, "2027"),
        (Scope.OFFICE, ""),
    ):
        with pytest.raises(NotFoundError, match="not within"):
            office.units.give(ana, Role.OBSERVER, scope, place, unit_id="science", by=head)
    with pytest.raises(ForbiddenError):
        office.units.give(ana, Role.OBSERVER, Scope.UNIT, "arts", unit_id="arts", by=head)


def test_only_a_role_that_could_be_given_is_taken_away(office: Office) -> None:
    head = principal(office, Role.ADMINISTRATOR, Scope.UNIT, "science", name="head")
    signer = principal(office, Role.CHAIR, Scope.UNIT, "physics", name="signer").account

    with pytest.raises(ForbiddenError, match="do not have"):
        office.units.take(signer, Role.CHAIR, Scope.UNIT, "physics", unit_id="physics", by=head)
    office.users.grant(head.account, Role.CHAIR, Scope.UNIT, "science", by="ops")
    chair_too = office.context.principal_of(head.account)
    office.units.take(signer, Role.CHAIR, Scope.UNIT, "physics", unit_id="physics", by=chair_too)

    assert office.users.grants(signer.id) == ()


@pytest.mark.parametrize("role", [role for role in Role if role is not Role.ADMINISTRATOR])
def test_who_does_not_manage_people_changes_nothing(office: Office, role: Role) -> None:
    who = principal(office, role, Scope.UNIT, "science", name="who")
    ana = account(office)

    assert givable(who, round_id="2027", unit_id="science") == ()
    for act in (
        lambda: office.units.add("New", round_id="2027", parent_id="science", by=who),
        lambda: office.units.add("New", round_id="2027", parent_id=None, by=who),
        lambda: office.units.rename("physics", "New", by=who),
        lambda: office.units.remove("chemistry", by=who),
        lambda: office.units.give(
            ana, Role.OBSERVER, Scope.UNIT, "science", unit_id="science", by=who
        ),
    ):
        with pytest.raises(ForbiddenError):
            act()


def test_a_neighbour_units_administrator_does_not_learn_that_a_unit_is_there(
    office: Office,
) -> None:
    who = principal(office, Role.ADMINISTRATOR, Scope.UNIT, "arts", name="who")

    told = []
    for unit in ("science", "physics"):
        for act in (
            lambda at=unit: office.units.rename(at, "New", by=who),
            lambda at=unit: office.units.remove(at, by=who),
            lambda at=unit: office.units.add("New", round_id="2027", parent_id=at, by=who),
        ):
            with pytest.raises(NotFoundError) as refused:
                act()
            told.append(refused.value.message)

    assert set(told) == {
        "there is no unit “science” that you may see",
        "there is no unit “physics” that you may see",
    }


def test_a_units_administrator_makes_units_in_it_and_none_beside_it(office: Office) -> None:
    head = principal(office, Role.ADMINISTRATOR, Scope.UNIT, "science", name="head")

    made = office.units.add("Optics", round_id="2027", parent_id="physics", by=head)

    assert office.units.all().name(made.id) == "Science, Physics, Optics"
    with pytest.raises(ForbiddenError):
        office.units.add("Law", round_id="2027", parent_id=None, by=head)
    with pytest.raises(NotFoundError):
        office.units.add("Law", round_id="2028", parent_id="physics", by="ops")


@pytest.mark.parametrize("name", ["", "   ", "x" * 121, "a\u200bb\x07"])
def test_a_name_that_cannot_be_shown_makes_no_unit(office: Office, name: str) -> None:
    with pytest.raises(InvalidInputError):
        office.units.add(name, round_id="2027", parent_id=None, by="ops")


def test_units_are_four_levels_deep_at_most(office: Office) -> None:
    office.units.add("Optics", round_id="2027", parent_id="physics", by="ops")
    office.units.add("Laser", round_id="2027", parent_id="optics", by="ops")

    with pytest.raises(InvalidInputError, match="4 others"):
        office.units.add("Beam", round_id="2027", parent_id="laser", by="ops")


def test_what_a_move_means_is_said_before_it_is_made(office: Office, ledger: SqlLedger) -> None:
    for name, role, place in (
        ("dean", Role.CHAIR, "science"),
        ("physicist", Role.COORDINATOR, "physics"),
        ("artist", Role.OBSERVER, "arts"),
    ):
        principal(office, role, Scope.UNIT, place, name=name)
    both = principal(office, Role.COMMITTEE, Scope.UNIT, "physics", name="both").account
    office.users.grant(both, Role.COMMITTEE, Scope.CYCLE, "ms-physics", by="ops")
    gone = principal(office, Role.CHAIR, Scope.UNIT, "arts", name="gone").account
    office.users.deactivate(gone, by="ops")

    move = office.units.move(cycle(ledger, "ms-physics"), "arts")

    assert [(one.email, one.gained, one.lost) for one in move.changed] == [
        ("artist@example.org", RIGHTS[Role.OBSERVER], frozenset()),
        ("dean@example.org", frozenset(), RIGHTS[Role.CHAIR]),
        ("physicist@example.org", frozenset(), RIGHTS[Role.COORDINATOR]),
    ]
    office.units.place(move, by="ops")
    for one in move.changed:
        who = office.users.get(one.email)
        held = rights_in(office.users.grants(who.id), cycle_id="ms-physics", round_id="2027")
        assert one.gained <= held
        assert not one.lost & held


@pytest.mark.parametrize("role", Role)
def test_rights_after_a_move_are_those_that_were_said(
    office: Office, ledger: SqlLedger, role: Role
) -> None:
    who = principal(office, role, Scope.UNIT, "science", name="who")

    within = office.units.move(cycle(ledger, "ms-physics"), "chemistry")
    away = office.units.move(cycle(ledger, "ms-physics"), None)
    office.units.place(away, by="ops")

    assert within.changed == ()
    assert [one.lost for one in away.changed] == [RIGHTS[role]]
    assert (
        office.context.principal_of(who.account).rights(cycle_id="ms-physics", round_id="2027")
        == frozenset()
    )


def test_who_moves_a_program_manages_people_on_both_sides(
    office: Office, ledger: SqlLedger
) -> None:
    head = principal(office, Role.ADMINISTRATOR, Scope.UNIT, "science", name="head")
    program = principal(office, Role.ADMINISTRATOR, Scope.CYCLE, "ms-physics", name="program")
    season = principal(office, Role.ADMINISTRATOR, Scope.ROUND, "2027", name="season")

    def move(who: Principal, name: str, to: str | None) -> None:
        office.units.place(office.units.move(cycle(ledger, name), to), by=who)

    for who, name, to in (
        (head, "ms-physics", "arts"),
        (head, "ms-arts", "physics"),
        (head, "free", "physics"),
        (head, "ms-physics", None),
        (program, "ms-physics", "chemistry"),
    ):
        with pytest.raises(ForbiddenError, match="not moved"):
            move(who, name, to)
    move(head, "ms-physics", "chemistry")
    move(season, "ms-arts", "physics")
    move(season, "free", "arts")

    assert office.units.all().places == {
        "ms-physics": "chemistry",
        "ms-chemistry": "chemistry",
        "ms-arts": "physics",
        "free": "arts",
    }


def test_no_one_gains_rights_by_a_move_of_their_own(office: Office, ledger: SqlLedger) -> None:
    season = principal(office, Role.ADMINISTRATOR, Scope.ROUND, "2027", name="season")
    office.users.grant(season.account, Role.CHAIR, Scope.UNIT, "arts", by="ops")
    season = office.context.principal_of(season.account)
    move = office.units.move(cycle(ledger, "ms-physics"), "arts")

    with pytest.raises(ForbiddenError, match="you would gain"):
        office.units.place(move, by=season)
    boss = principal(office, Role.ADMINISTRATOR, Scope.OFFICE, name="boss")
    office.units.place(move, by=boss)

    assert office.units.all().places["ms-physics"] == "arts"


def test_a_move_that_was_shown_and_is_outdated_is_not_made(
    office: Office, ledger: SqlLedger
) -> None:
    shown = office.units.move(cycle(ledger, "ms-physics"), "arts")
    office.units.place(office.units.move(cycle(ledger, "ms-physics"), "chemistry"), by="ops")

    with pytest.raises(ConflictError, match="look again"):
        office.units.place(shown, by="ops")


def test_every_change_is_on_record(office: Office, ledger: SqlLedger) -> None:
    ana = account(office)
    office.units.give(ana, Role.CHAIR, Scope.UNIT, "physics", unit_id="physics", by="ops")
    office.units.rename("physics", "Physics and optics", by="ops")
    office.units.place(office.units.move(cycle(ledger, "ms-physics"), None), by="ops")
    office.units.take(ana, Role.CHAIR, Scope.UNIT, "physics", unit_id="physics", by="ops")
    office.units.remove("physics", by="ops")

    told = [
        (e.who, e.what, e.cycle_id, e.about, e.detail)
        for _, e in reversed(office.context.ledger.audit())
    ]

    assert told[-6:] == [
        ("ops", "made a unit", None, "chemistry", "Chemistry, in Science"),
        ("ops", "gave a role", None, "ana@example.org", "chair, unit physics"),
        ("ops", "renamed a unit", None, "physics", "from Physics to Physics and optics"),
        (
            "ops",
            "moved the program",
            "ms-physics",
            "ms-physics",
            "from Science, Physics and optics to no unit; people whose rights change: 1",
        ),
        ("ops", "took a role away", None, "ana@example.org", "chair, unit physics"),
        ("ops", "removed a unit", None, "physics", "Physics and optics"),
    ]


def test_two_units_of_one_name_have_ids_of_their_own(office: Office) -> None:
    again = office.units.add("Physics", round_id="2028", parent_id=None, by="ops")
    other = office.units.add("物理", round_id="2028", parent_id=None, by="ops")

    assert (again.id, other.id) == ("physics-2", "unit")
    assert [(depth, unit.id) for depth, unit in office.units.all().tree("2027")] == [
        (0, "arts"),
        (0, "science"),
        (1, "chemistry"),
        (1, "physics"),
    ]


def test_grants_are_the_same_whatever_they_cover() -> None:
    bare = Grant(account="a", role=Role.CHAIR, scope=Scope.UNIT, scope_id="arts")
    read = Grant(
        account="a",
        role=Role.CHAIR,
        scope=Scope.UNIT,
        scope_id="arts",
        units=frozenset({"arts"}),
        cycles=frozenset({"ms-arts"}),
    )

    assert bare == read
    assert hash(bare) == hash(read)
