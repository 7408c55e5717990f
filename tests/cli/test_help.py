"""`--help` leads a person to the command, and shows how it is typed."""

import shlex

import pytest
from typer._click import Context
from typer.core import TyperCommand, TyperGroup

from swapflow.cli.examples import EXAMPLES
from swapflow.cli.help import SECTIONS, commands
from swapflow.cli.main import command, main


SHOWN = {words: found for words, found in commands(command()) if not found.hidden}


def test_every_command_shown_has_an_example_and_no_other_has() -> None:
    hidden = {"person export"}

    assert set(EXAMPLES) == set(SHOWN) - hidden


@pytest.mark.parametrize("words", EXAMPLES)
def test_an_example_is_a_line_of_its_command_that_can_be_typed(
    words: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = shlex.split(EXAMPLES[words])
    path = words.split()
    found = SHOWN[words]
    assert isinstance(found, TyperCommand)
    context = Context(found)

    # Read, not carried out: an option that is unknown is an error here.
    typed, left, _ = found.make_parser(context).parse_args(parts[len(path) + 1 :])
    main([*path, "--help"])

    assert left == []
    for parameter in found.params:
        value = typed.get(str(parameter.name))
        if value is not None or parameter.required:
            # Of its type, and there; what looks into a database is left out.
            monkeypatch.setattr(parameter, "callback", None)
            parameter.process_value(context, value)
    assert parts[: len(path) + 1] == ["swapflow", *path]
    assert f"Example:\n    {EXAMPLES[words]}\n" in capsys.readouterr().out


def test_the_first_help_groups_every_command_by_who_uses_it() -> None:
    groups = [name for names in SECTIONS.values() for name in names]
    shown = [name for name, found in command().commands.items() if not found.hidden]

    assert sorted(groups) == sorted(shown)


def every_group() -> list[tuple[str, ...]]:
    """Name the root and every group of commands that is shown."""
    root = command()
    below = [(name,) for name, found in root.commands.items()
             if isinstance(found, TyperGroup) and not found.hidden]  # fmt: skip
    return [(), *below, ("cycle", "reconsider")]


@pytest.mark.parametrize("path", every_group(), ids=" ".join)
def test_no_sentence_beside_a_command_is_cut_off(
    path: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    main([*path, "--help"])

    listed = capsys.readouterr().out.partition("--help")[2]
    assert "..." not in listed
    assert "…" not in listed
