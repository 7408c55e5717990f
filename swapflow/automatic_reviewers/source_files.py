"""The files that rosters may name: below one folder, or named at the machine's command line.

A worker reads what a roster names. A roster comes over the network too, from people who have no
business with this machine's files.
"""

import json
import os
from pathlib import Path
from typing import Protocol

from typing_extensions import override

from swapflow.errors import InvalidInputError, UnavailableError


class SourceFiles(Protocol):
    """Which files and folders of marks rosters may name."""

    def check(self, place: str) -> Path:
        """Return the whole path of a file or folder, links followed.

        Raises:
            InvalidInputError: If a roster may not name it.
        """
        ...

    def name_here(self, place: str) -> Path:
        """Allow a file or folder from now on, and return its whole path.

        Raises:
            InvalidInputError: If this is no path.
            UnavailableError: If it cannot be stored.
        """
        ...


class ChosenFiles(SourceFiles):
    """Files below one folder, and those named at the command line of this machine.

    Args:
        folder: A roster may name anything below it, by a path that begins there too.
        named: Where the paths named at the command line are kept, one JSON text a line.
    """

    def __init__(self, folder: Path | None, named: Path) -> None:
        self._folder = folder.resolve() if folder else None
        self._named = named

    @override
    def check(self, place: str) -> Path:
        path = _whole(self._folder / place if self._folder else Path(place), place)
        inside = self._folder is not None and path.is_relative_to(self._folder)
        if not inside and path not in self._known():
            raise InvalidInputError("automatic_file_refused", place=place)
        return path

    @override
    def name_here(self, place: str) -> Path:
        path = _whole(Path(place), place)
        if path in self._known():
            return path
        try:
            self._named.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            kept = os.open(self._named, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            with os.fdopen(kept, "a", encoding="utf-8") as file:
                file.write(json.dumps(str(path)) + "\n")
        except OSError as error:
            raise UnavailableError(
                "automatic_file_not_noted", path=self._named, problem=error.strerror
            ) from error
        return path

    def _known(self) -> set[Path]:
        try:
            lines = self._named.read_text(encoding="utf-8").splitlines()
            return {Path(json.loads(line)) for line in lines if line.strip()}
        except FileNotFoundError:
            return set()
        except (OSError, ValueError, TypeError) as error:
            raise UnavailableError(
                "automatic_files_unreadable", path=self._named, problem=str(error)
            ) from error


class AnyFile(SourceFiles):
    """Any file: what a process does that a person at the command line runs for themselves."""

    @override
    def check(self, place: str) -> Path:
        return _whole(Path(place), place)

    @override
    def name_here(self, place: str) -> Path:
        return _whole(Path(place), place)


def _whole(path: Path, place: str) -> Path:
    try:
        return path.expanduser().resolve()
    except (OSError, ValueError, RuntimeError) as error:  # a loop of links, a NUL, no such home
        raise InvalidInputError("automatic_file_refused", place=place) from error
