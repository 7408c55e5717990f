"""Commands that were renamed answer to their old names too."""

from pathlib import Path

import pytest
import typer

from swapflow.cli.main import app
from tests.cli.office import Office


def test_an_applicant_is_pinned_and_a_file_written_by_the_old_names(office: Office) -> None:
    office.new_cycle()
    office.people()

    pinned = office.do("cycle", "put", "ms", "a1", "in", "--reason", "promised last year")
    office.do("person", "export", "ms", "a1", "--out", "held")

    assert "deprecated" in pinned.err
    assert "a1 is in from now on" in pinned.out
    assert Path("held/person.json").exists()


@pytest.mark.parametrize("path", [("cycle", "put"), ("person",)])
def test_an_old_name_is_not_shown(path: tuple[str, ...]) -> None:
    command = typer.main.get_command(app)
    for name in path:
        command = getattr(command, "commands")[name]  # noqa: B009 - groups alone have them

    assert command.hidden
    assert command.deprecated
