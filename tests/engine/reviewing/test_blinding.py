"""In a blind cycle a reviewer sees nothing that names a person."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from swapflow.domain.cycle import START, Cycle, CycleStatus
from swapflow.domain.people.application import Application, ApplicationStatus
from swapflow.domain.people.identity_mask import HIDDEN
from swapflow.domain.people.shown_columns import NEW_PROGRAM, ShownColumns
from swapflow.engine.reviewing.blinding import ReviewerView


BEFORE = ShownColumns.of_settings({})
"""A program made before columns were chosen."""


def applicant(
    fields: Mapping[str, str] | None = None, *, external_id: str = "A01", number: int = 0
) -> Application:
    return Application(
        cycle_id="fall",
        number=number,
        external_id=external_id,
        name="Zoë Ångström-Lee",
        email="zoe@example.org",
        status=ApplicationStatus.READY,
        wave=1,
        tie=1,
        attributes={},
        fields=dict(fields or {}),
    )


def view(*shown: str, blind: bool = True, columns: ShownColumns | None = None) -> ReviewerView:
    cycle = Cycle(
        id="fall",
        round_id="2027",
        name="Fall",
        status=CycleStatus.RUNNING,
        position=START,
        rules_version=1,
        spent=0,
        committed=0,
        decisions=0,
        epoch=0,
        cohort_version=0,
        created_at=datetime(2027, 1, 1, tzinfo=UTC),
        paused_at=None,
        stop_reason=None,
        task_key="ab" * 32,
    )
    chosen = NEW_PROGRAM.choosing(dict.fromkeys(shown, True)) if columns is None else columns
    return ReviewerView(cycle=cycle, blind=blind, shown=chosen)


def test_a_column_is_hidden_until_staff_choose_it() -> None:
    one = applicant({"essay": "glaciers", "Lieblingsfarbe": "blue"})

    assert view().fields_of(one) == {}
    assert view("essay").fields_of(one) == {"essay": "glaciers"}


def test_links_addresses_and_the_own_name_are_masked_in_a_column_that_is_shown() -> None:
    one = applicant({"essay": "ZOE ANGSTROM, see linkedin.com/in/zoe or @zoe or zoe@x.org"})

    assert view("essay").fields_of(one) == {
        "essay": f"{HIDDEN}, see {HIDDEN} or {HIDDEN} or {HIDDEN}"
    }


def test_the_own_address_and_id_are_masked_where_they_are_used_as_a_handle() -> None:
    one = replace(
        applicant({"essay": "I am zw1999 on the forum, and K20271 there"}, external_id="K20271"),
        email="zw1999@example.org",
    )

    assert view("essay").fields_of(one) == {
        "essay": f"I am {HIDDEN} on the forum, and {HIDDEN} there"
    }


def test_an_open_cycle_shows_every_field_as_it_was_imported() -> None:
    fields = {"essay": "see https://zoe.example.org", "First Name": "Zoë"}

    assert view(blind=False).fields_of(applicant(fields)) == fields
    assert view(blind=False).name_of(applicant()) == "Zoë Ångström-Lee"


def test_reviewers_know_an_applicant_by_a_number_that_tells_neither_order_nor_id() -> None:
    numbers = [view().name_of(applicant(number=n, external_id=f"A{n}")) for n in range(50)]

    assert len(set(numbers)) == 50
    assert numbers != sorted(numbers)
    assert all(len(name) == len("Applicant 123456") for name in numbers)
    assert numbers[7] == view("essay").name_of(applicant(number=7, external_id="other"))


def test_a_link_that_would_tell_the_name_by_the_id_is_left_out() -> None:
    link = "https://files.example.org/{external_id}.pdf"

    assert view().link_of(link, applicant()) == "https://files.example.org/A01.pdf"
    assert view().link_of(link, applicant(external_id="zoe@example.org")) == ""
    assert view().link_of("https://files.example.org", applicant(external_id="z@x.org"))


@pytest.mark.parametrize("header", ["First_Name", "LinkedIn", "E-mail", "phone", "Website"])
def test_a_program_made_before_leaves_out_the_headers_of_its_list(header: str) -> None:
    assert view(columns=BEFORE).fields_of(applicant({header: "x"})) == {}


@pytest.mark.parametrize(
    ("value", "seen"),
    [
        ("see https://zoe.example.org/cv", f"see {HIDDEN}"),
        ("write to zoe@example.org please", f"write to {HIDDEN} please"),
        ("ZOË led the group", f"{HIDDEN} led the group"),
        ("Zoëlogy is a word", "Zoëlogy is a word"),
        ("Zoe is spelled otherwise", "Zoe is spelled otherwise"),
    ],
)
def test_a_program_made_before_masks_what_it_masked_when_it_was_launched(
    value: str, seen: str
) -> None:
    assert view(columns=BEFORE).fields_of(applicant({"essay": value})) == {"essay": seen}


def test_a_program_made_before_shows_ids_unless_they_tell_the_name() -> None:
    before = view(columns=BEFORE)

    assert before.name_of(applicant()) == "A01"
    assert before.name_of(applicant(external_id="zoe@example.org", number=3)) == "Applicant 4"


def test_a_program_made_before_keeps_its_ids_once_its_columns_are_chosen() -> None:
    chosen = view(columns=BEFORE.choosing({"essay": True}))

    assert chosen.name_of(applicant()) == "A01"
    assert chosen.fields_of(applicant({"essay": "x", "motto": "y"})) == {"essay": "x"}
