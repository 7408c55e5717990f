"""What `--help` shows: commands by who uses them, whole sentences, an example each."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from typer.core import TyperGroup

from swapflow.cli.examples import EXAMPLES


if TYPE_CHECKING:
    from typer._click import Command, Context, HelpFormatter


SECTIONS = {
    "Run a round": (
        "round",
        "cycle",
        "approvals",
        "interviews",
        "scores",
        "practice",
        "exchange",
        "plan",
    ),
    "People": ("applications", "reviewers", "inbox", "user", "groups", "units", "personal-data"),
    "Decide": ("meeting", "offers", "letters", "monitoring", "verify"),
    "Operate": ("up", "web", "coordinator", "worker", "doctor", "mail", "db", "state"),
    "Try and study": ("advise", "demo", "replay", "study"),
}
"""The commands of the first level by who uses them; a test holds it complete."""

WHOLE = 10_000
"""Longest sentence beside a command: none is cut off, long ones go on below."""


class CommandGroup(TyperGroup):
    """A group whose help tells each command in a whole sentence."""

    def format_commands(self, ctx: "Context", formatter: "HelpFormatter") -> None:
        """Write the commands, those of the first level in sections."""
        shown = {
            name: found.get_short_help_str(WHOLE)
            for name in self.list_commands(ctx)
            if (found := self.get_command(ctx, name)) is not None and not found.hidden
        }
        if ctx.parent is not None:
            _write(formatter, "Commands", list(shown.items()))
            return
        for title, names in SECTIONS.items():
            _write(formatter, title, [(name, shown.pop(name)) for name in names if name in shown])
        _write(formatter, "More", list(shown.items()))


def commands(group: TyperGroup, words: tuple[str, ...] = ()) -> Iterator[tuple[str, "Command"]]:
    """Yield every command that does something, with its words ("cycle launch")."""
    for name, found in group.commands.items():
        path = (*words, name)
        if isinstance(found, TyperGroup):
            yield from commands(found, path)
        else:
            yield " ".join(path), found


def add_examples(group: TyperGroup) -> None:
    """Show its example at the foot of each command's help."""
    for words, command in commands(group):
        if words in EXAMPLES:
            # The mark keeps the line whole: one that is broken inside quotes could not be copied.
            command.epilog = f"\b\nExample:\n  {EXAMPLES[words]}"


def _write(formatter: "HelpFormatter", title: str, rows: list[tuple[str, str]]) -> None:
    if rows:
        with formatter.section(title):
            formatter.write_dl(rows)
