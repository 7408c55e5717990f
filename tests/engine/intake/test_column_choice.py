"""Staff choose what reviewers of a blind program see; their choices are remembered."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from swapflow.domain.people.application import NewApplication
from swapflow.domain.people.column_kinds import ColumnKind
from swapflow.domain.people.shown_columns import ShownColumns
from swapflow.engine.intake.column_choice import ReviewerColumns
from swapflow.errors import InvalidInputError, StaleRevisionError
from swapflow.files.imports.applicant_list import preview_applicant_list, take_applicants
from swapflow.files.imports.import_settings import Reading
from swapflow.files.tables.table import read_table
from swapflow.ledger.privacy.personal_data import SqlPersonalData
from tests.engine.cycle_by_hand import CYCLE, RULES, World, applicant


BLIND = replace(RULES, blind=True)
WIDE = "id,name,statement,Phone number,score,Lieblingsfarbe,Sexo\nK1,Zoe,text,030,9,blau,M\n"
SLATE = "Person Reference ID,Name,Bin,Round,Notes\nK1,Zoe,Awaiting,2027,x\n"


@pytest.fixture
def world() -> World:
    return World(applications=0, roster=0, launch=False, rules=BLIND)


def person(fields: Mapping[str, str]) -> NewApplication:
    return applicant("A1", name="Zoë Weiß", fields=dict(fields))


def imported(
    world: World,
    text: str,
    *,
    show: tuple[str, ...] = (),
    proposed: bool = False,
    cycle: str = CYCLE,
) -> ReviewerColumns:
    """Import a list as the command does, and return what was planned for its columns."""
    table = read_table(text.encode(), name="list.csv")
    looked = preview_applicant_list(table, Reading(), product=world.product, cycle_id=cycle)
    choices = looked.choices(show, proposed=proposed) if show or proposed else None
    take_applicants(looked, product=world.product, cycle_id=cycle, by="olga", choices=choices)
    return looked.columns


def seen(world: World, cycle: str = CYCLE) -> dict[str, str]:
    (one,) = world.product.applicants.list(cycle)
    return world.product.applicants.reviewer_view(cycle).fields_of(one)


def another(world: World, cycle: str = "spring") -> str:
    world.product.cycles.new(cycle, round_id="round", rules=BLIND, by="ops")
    return cycle


def test_nothing_of_a_list_is_shown_until_somebody_chooses(world: World) -> None:
    found = imported(world, WIDE)

    assert seen(world) == {}
    assert {one.name: (one.kind, one.seen) for one in found.columns} == {
        "statement": (ColumnKind.WORK, "no"),
        "Phone number": (ColumnKind.IDENTITY, "no"),
        "score": (ColumnKind.JUDGEMENT, "no"),
        "Lieblingsfarbe": (ColumnKind.UNKNOWN, "no"),
    }
    assert (found.shown, found.hidden, found.undecided) == (0, 2, 2)


def test_what_is_proposed_is_the_applicants_own_work_alone(world: World) -> None:
    imported(world, WIDE, proposed=True)

    assert seen(world) == {"statement": "text"}


def test_any_column_may_be_chosen_by_its_header(world: World) -> None:
    imported(world, WIDE, show=("Lieblingsfarbe",))

    assert seen(world) == {"Lieblingsfarbe": "blau"}
    with pytest.raises(InvalidInputError, match="there is no column 'Lieblingszahl'"):
        imported(world, WIDE, show=("Lieblingszahl",))
    with pytest.raises(InvalidInputError, match="there is no column 'name'"):
        imported(world, WIDE, show=("name",))


def test_the_next_list_and_the_next_program_begin_with_the_same_choice(world: World) -> None:
    imported(world, WIDE, show=("statement",))
    again = imported(world, WIDE.replace("score", "motto"))
    spring = another(world)
    later = imported(world, WIDE, cycle=spring)

    assert (again.shown, again.undecided) == (1, 2)
    assert later.remembered == {"statement"}
    assert later.told() == (
        "columns for reviewers, same as last time: 1 shown, 2 hidden, 1 new to decide"
    )
    assert seen(world, spring) == {"statement": "text"}


def test_a_choice_for_a_system_counts_for_its_lists_before_any_other(world: World) -> None:
    slate = imported(world, SLATE, show=("Notes",))
    assert slate.source == "Slate"
    world.product.applicants.choose_columns(another(world), {"Notes": False}, by="olga")

    names = {"Notes": "Notes"}
    plan = world.product.applicants.plan_columns
    third = another(world, "third")

    assert plan(third, names, [], source="Slate").columns[0].choice is True
    assert plan(third, names, []).columns[0].choice is False
    assert plan(third, names, [], source="Slate", as_last_time=False).columns[0].choice is None


def test_a_column_in_which_something_is_masked_says_so(world: World) -> None:
    world.admit([person({"essay": "I, Zoe", "plan": "to read", "motto": "hm"})])
    world.product.applicants.choose_columns(CYCLE, {"essay": True, "plan": True}, by="olga")

    found = world.product.applicants.columns(CYCLE)

    assert {one.name: one.seen for one in found.columns} == {
        "essay": "masked",
        "plan": "yes",
        "motto": "no",
    }


def test_a_stale_choice_names_what_differs_and_an_equal_one_is_no_act(world: World) -> None:
    world.admit([person({"essay": "x", "plan": "y"})])
    choose, read = world.product.applicants.choose_columns, world.product.applicants.columns
    opened = read(CYCLE).revision
    choose(CYCLE, {"essay": True, "plan": False}, by="olga", made_from=opened)
    stored = read(CYCLE)

    choose(CYCLE, {"essay": True, "plan": False}, by="ben", made_from=opened)
    with pytest.raises(StaleRevisionError) as stale:
        choose(CYCLE, {"essay": False, "plan": False}, by="ben", made_from=opened)

    assert stale.value.stored == {"essay": "yes"}
    assert read(CYCLE) == stored
    # The test needs the database of an office whose ledger is in memory.
    acts = SqlPersonalData(world.ledger._database).acts(CYCLE)
    assert [act.by for act in acts if act.about == f"columns of {CYCLE}"] == ["olga"]


def test_who_chose_what_stands_in_the_record(world: World) -> None:
    world.admit([person({"essay": "x", "plan": "y"})])
    world.product.applicants.choose_columns(CYCLE, {"essay": True, "plan": False}, by="olga")

    # The test needs the database of an office whose ledger is in memory.
    acts = SqlPersonalData(world.ledger._database).acts(CYCLE)

    chosen = [(act.by, act.reason) for act in acts if act.about == f"columns of {CYCLE}"]
    assert chosen == [("olga", "shown: essay; hidden: plan")]


def test_a_program_made_before_keeps_its_list_through_imports_until_staff_choose(
    world: World,
) -> None:
    imported(world, WIDE, show=("statement",), cycle=another(world))
    with world.ledger.write(CYCLE) as tx:
        tx.keep_list_reading("shown", {}, by="before")

    imported(world, WIDE)
    before = seen(world)
    imported(world, WIDE, show=("statement",))

    assert before == {
        "statement": "text",
        "Phone number": "030",
        "score": "9",
        "Lieblingsfarbe": "blau",
    }
    assert seen(world) == {"statement": "text"}


def test_a_choice_is_stored_and_read_as_it_was_made() -> None:
    shown = ShownColumns(choices={"a": True, "column:b": False}, by_choice=True, numbered=False)

    assert ShownColumns.of_settings(shown.settings()) == shown


def test_a_launch_names_a_blind_program_whose_reviewers_would_see_nothing(world: World) -> None:
    world.admit([person({"essay": "x"})])
    blank = world.product.cycles.preview(CYCLE).warnings
    world.product.applicants.choose_columns(CYCLE, {"essay": True}, by="olga")
    chosen = world.product.cycles.preview(CYCLE).warnings

    assert [text for text in blank if "reviewers see no column" in text]
    assert not [text for text in chosen if "reviewers see no column" in text]
