"""Lists that come again: three states are compared, and what staff decided stays."""

from collections.abc import Mapping

import pytest

from swapflow.domain.event import EventType
from swapflow.domain.people.application import Application, ApplicationStatus, NewApplication
from swapflow.engine.intake.list_plan import Difference
from swapflow.errors import InvalidInputError, NotFoundError
from tests.engine.cycle_by_hand import CYCLE, World


@pytest.fixture
def world() -> World:
    return World(applications=0, roster=0, launch=False)


def row(
    external_id: str,
    name: str = "Ann Lee",
    email: str = "ann@example.org",
    *,
    ready: bool | None = None,
    fields: Mapping[str, str] | None = None,
    selection: Mapping[str, str] | None = None,
    monitor: Mapping[str, str] | None = None,
    documents: tuple[tuple[str, str, bool], ...] = (),
) -> NewApplication:
    return NewApplication(
        external_id=external_id,
        name=name,
        email=email,
        ready=ready,
        selection=dict(selection or {}),
        monitor=dict(monitor or {}),
        fields=dict(fields or {}),
        documents=documents,
    )


def known(world: World, number: int = 0) -> Application:
    return world.product.applicants.get(CYCLE, number)


def test_the_same_list_again_changes_nothing_at_all(world: World) -> None:
    rows = [
        row("A1", fields={"city": "Rome", "topic": "logic"}, ready=False, monitor={"sex": "f"}),
        row("A2", "Bo", "bo@example.org", documents=(("cv", "https://e.org/1", True),)),
    ]
    world.product.applicants.import_list(CYCLE, rows)
    before = (world.product.applicants.list(CYCLE), world.product.cycles.get(CYCLE).position)

    again = world.product.applicants.import_list(CYCLE, rows)

    assert (again.added, again.changed, again.unchanged, again.kept) == ((), 0, 2, 0)
    assert (
        world.product.applicants.list(CYCLE),
        world.product.cycles.get(CYCLE).position,
    ) == before


def test_new_changed_and_unchanged_are_told_apart_before_anything_is_written(
    world: World,
) -> None:
    world.product.applicants.import_list(CYCLE, [row("A1"), row("A2", "Bo", "bo@example.org")])

    plan = world.product.applicants.plan_list(
        CYCLE,
        [row(" a1 ", email="new@example.org"), row("A2", "Bo", "bo@example.org"), row("A3", "C")],
    )

    assert [one.external_id for one in plan.fresh] == ["A3"]
    assert [one.application.external_id for one in plan.changed] == ["A1"]
    assert plan.changed[0].differences == (
        Difference(what="email", before="ann@example.org", after="new@example.org", kept=False),
    )
    assert (plan.unchanged, plan.contrary) == (1, ())
    assert known(world).email == "ann@example.org"


def test_a_list_changes_what_only_it_changed_and_leaves_blank_what_it_does_not_say(
    world: World,
) -> None:
    world.product.applicants.import_list(CYCLE, [row("A1", fields={"city": "Rome", "gpa": "3.1"})])

    world.product.applicants.import_list(
        CYCLE, [row("A1", name="Ann Lee-Ito", email="", fields={"city": "Oslo", "phone": "1"})]
    )

    there = known(world)
    assert (there.name, there.email) == ("Ann Lee-Ito", "ann@example.org")
    assert there.fields == {"city": "Oslo", "gpa": "3.1", "phone": "1"}


def test_what_staff_corrected_stays_whatever_later_lists_say(world: World) -> None:
    product = world.product
    product.applicants.import_list(CYCLE, [row("A1", fields={"city": "Rome"})])
    product.applicants.correct(
        CYCLE, "A1", {"name": "Ann Li", "field:city": "Roma", "field:note": "x"}, by="olga",
        reason="she wrote",
    )  # fmt: skip

    first = product.applicants.import_list(CYCLE, [row("A1", fields={"city": "Rome"})])
    plan = product.applicants.plan_list(
        CYCLE, [row("A1", name="Anne Lee", fields={"city": "Rome"})]
    )
    second = product.applicants.import_list(
        CYCLE, [row("A1", name="Anne Lee", fields={"city": "Milan"})]
    )

    assert (first.changed, first.kept, second.changed, second.kept) == (0, 1, 0, 1)
    assert Difference(what="name", before="Ann Li", after="Anne Lee", kept=True) in (
        plan.kept[0].differences
    )
    assert known(world).name == "Ann Li"
    assert known(world).fields == {"city": "Roma", "note": "x"}


def test_a_value_that_staff_removed_does_not_come_back(world: World) -> None:
    world.product.applicants.import_list(CYCLE, [row("A1", fields={"city": "Rome"})])
    world.product.applicants.correct(CYCLE, "A1", {"field:city": ""}, by="olga", reason="")

    world.product.applicants.import_list(CYCLE, [row("A1", fields={"city": "Rome"})])

    assert known(world).fields == {}


def test_holds_and_withdrawals_stay_and_only_incomplete_becomes_complete(world: World) -> None:
    product = world.product
    rows = [row(f"A{n}", f"P{n}", f"p{n}@example.org", ready=False) for n in range(3)]
    product.applicants.import_list(CYCLE, rows)
    product.applicants.move(CYCLE, "A1", ApplicationStatus.HELD, by="olga")
    product.applicants.move(CYCLE, "A2", ApplicationStatus.WITHDRAWN, by="olga")

    product.applicants.import_list(
        CYCLE, [row(f"A{n}", f"P{n}", f"p{n}@example.org", ready=True) for n in range(3)]
    )
    product.applicants.import_list(CYCLE, rows)

    assert [a.status.value for a in product.applicants.list(CYCLE)] == [
        "ready",
        "held",
        "withdrawn",
    ]


def test_a_list_without_the_column_does_not_complete_anybody(world: World) -> None:
    world.product.applicants.import_list(CYCLE, [row("A1", ready=False)])

    world.product.applicants.import_list(CYCLE, [row("A1", email="x@example.org")])

    assert known(world).status is ApplicationStatus.INCOMPLETE


def test_an_id_with_the_name_and_address_of_somebody_else_stops_the_list(world: World) -> None:
    world.product.applicants.import_list(CYCLE, [row("A1")])

    with pytest.raises(InvalidInputError, match=r"another name and another mail address \(Ann L"):
        world.product.applicants.import_list(
            CYCLE, [row("A2", "N", ""), row("A1", "Bo", "bo@example.org")]
        )

    assert len(world.product.applicants.list(CYCLE)) == 1


@pytest.mark.parametrize("eaten", ["7113", "007113"])
def test_an_id_whose_zeros_were_eaten_is_no_new_applicant(world: World, eaten: str) -> None:
    world.product.applicants.import_list(CYCLE, [row("0007113")])

    plan = world.product.applicants.plan_list(CYCLE, [row(eaten, "Ann Lee", "ann@example.org")])

    assert (plan.fresh, [one.external_id for one in plan.contrary]) == ((), [eaten])
    assert "looks like '0007113' with other zeros before it" in plan.contrary[0].reason


def test_a_link_is_replaced_by_a_later_one_and_an_uploaded_file_is_not(world: World) -> None:
    from swapflow.domain.people.document import NewDocument  # noqa: PLC0415 - only here

    product = world.product
    first = (("cv", "https://e.org/1", False), ("letter", "https://e.org/2", False))
    product.applicants.import_list(CYCLE, [row("A1", documents=first)])
    product.context.ledger.add_files(
        CYCLE, [(0, NewDocument(name="letter", redacted=False, media="text/plain", body=b"x"))]
    )

    later = (("cv", "https://e.org/9", True), ("letter", "https://e.org/8", False))
    product.applicants.import_list(CYCLE, [row("A1", documents=later)])

    files = product.applicants.files(CYCLE, 0)
    assert [(f.name, f.link, f.redacted) for f in files] == [
        ("cv", "https://e.org/9", True),
        ("letter", "", False),
    ]


def test_a_topic_that_changes_is_an_event_and_known_to_decisions(world: World) -> None:
    product = world.product
    product.applicants.import_list(CYCLE, [row("A1", fields={"topic": "logic"})])

    product.applicants.import_list(CYCLE, [row("A1", fields={"topic": "algebra", "city": "Rome"})])

    events = list(product.reports.events(CYCLE))
    assert [event.type for event in events] == [
        EventType.APPLICATION_ADDED,
        EventType.APPLICATION_CHANGED,
    ]
    assert events[1].payload["a"] == 0
    assert events[1].payload["topics"] == [1]


def test_erasing_a_person_erases_what_lists_said_of_them(world: World) -> None:
    world.product.applicants.import_list(CYCLE, [row("A1", fields={"city": "Rome"})])

    world.product.applicants.erase(CYCLE, "A1", by="olga")

    assert world.product.context.ledger.imported_values(CYCLE) == {}


def test_a_correction_of_nothing_or_nobody_is_refused(world: World) -> None:
    world.product.applicants.import_list(CYCLE, [row("A1")])

    with pytest.raises(InvalidInputError, match="is known so already"):
        world.product.applicants.correct(CYCLE, "A1", {"name": "Ann Lee"}, by="olga", reason="")
    with pytest.raises(InvalidInputError, match="there is no 'status' to correct"):
        world.product.applicants.correct(CYCLE, "A1", {"status": "ready"}, by="olga", reason="")
    with pytest.raises(NotFoundError):
        world.product.applicants.correct(CYCLE, "A9", {"name": "X"}, by="olga", reason="")


def test_how_a_list_was_read_is_remembered_for_its_program_and_kind(world: World) -> None:
    world.product.applicants.keep_list_reading(
        CYCLE, "applicants", {"column:Who": "name"}, by="olga"
    )
    world.product.applicants.keep_list_reading(
        CYCLE, "applicants", {"column:Who": "email"}, by="olga"
    )

    assert world.product.applicants.list_reading(CYCLE, "applicants") == {"column:Who": "email"}
    assert world.product.applicants.list_reading(CYCLE, "reviewers") == {}
