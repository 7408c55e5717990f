"""The commands, as the command itself has them."""

from collections.abc import Iterator

from swapflow.cli.main import command


def leaves() -> Iterator[tuple[str, ...]]:
    """Name every command that is shown, group by group."""

    def below(command: object, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        commands = getattr(command, "commands", None)
        if commands is None:
            yield path
            return
        for name, child in commands.items():
            if not child.hidden:
                yield from below(child, (*path, name))

    yield from below(command(), ())
