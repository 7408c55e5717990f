"""In a blind cycle a reviewer sees nothing that names a person."""

import pytest

from swapflow.domain.people.application import Application, ApplicationStatus
from swapflow.engine.reviewing.blinding import HIDDEN, visible_documents, visible_fields


def applicant(**fields: str) -> Application:
    return Application(
        cycle_id="fall",
        number=0,
        external_id="A01",
        name="Zoë Ångström-Lee",
        email="zoe@example.org",
        status=ApplicationStatus.READY,
        wave=1,
        tie=1,
        attributes={},
        fields={name.replace("_", " "): value for name, value in fields.items()},
    )


@pytest.mark.parametrize("header", ["First_Name", "LinkedIn", "E-mail", "phone", "Website"])
def test_columns_that_tell_who_somebody_is_are_left_out(header: str) -> None:
    assert visible_fields(applicant(**{header: "x"}), blind=True) == {}


@pytest.mark.parametrize(
    ("value", "seen"),
    [
        ("see https://zoe.example.org/cv", f"see {HIDDEN}"),
        ("write to zoe@example.org please", f"write to {HIDDEN} please"),
        ("ZOË led the group", f"{HIDDEN} led the group"),
        ("Zoëlogy is a word", "Zoëlogy is a word"),
        ("physics", "physics"),
    ],
)
def test_links_addresses_and_the_own_name_are_hidden_in_other_fields(
    value: str, seen: str
) -> None:
    assert visible_fields(applicant(essay=value), blind=True) == {"essay": seen}


def test_an_open_cycle_shows_every_field_as_it_was_imported() -> None:
    fields = {"essay": "see https://zoe.example.org", "First Name": "Zoë"}

    assert visible_fields(applicant(**fields), blind=False) == fields


def test_a_file_that_is_not_marked_redacted_is_shown_in_open_cycles_only() -> None:
    files = [("cv", "files/cv.pdf", False), ("essay", "files/essay.pdf", True)]

    assert visible_documents(files, blind=True) == {"essay": "files/essay.pdf"}
    assert visible_documents(files, blind=False) == {
        "cv": "files/cv.pdf",
        "essay": "files/essay.pdf",
    }
