"""Answers to visitors, in a folder that all web processes share, each for some minutes.

A folder inside belongs to one answer. Its name is the digest of the token in the link, so that
nobody who lists the folder can open one, and its time of change is when it is to go.
"""

import os
import secrets
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from swapflow.advice.trial.limits import KEPT, MOST_KEPT
from swapflow.advice.trial.question import CONTENT, TrialQuestion
from swapflow.advice.trial.reading import read_spreadsheet
from swapflow.advice.trial.turns import turn
from swapflow.domain.personal_link import digest_of_token
from swapflow.errors import NotFoundError, RateLimitedError
from swapflow.untrusted.json_text import load_json


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptAnswer:
    """An answer that is still there.

    Attributes:
        content: What the page shows, as `page_content` made it.
        files: Names of the files to download.
        until: When it goes.
    """

    content: dict[str, Any]
    files: tuple[str, ...]
    until: datetime


class KeptAnswers:
    """The answers of one deployment.

    Args:
        folder: Where they lie; every web process that shares it serves them.
        now: The clock.
    """

    def __init__(self, folder: Path, *, now: Callable[[], datetime]) -> None:
        self._kept = folder / "kept"
        self._turns = folder / "turns"
        self._now = now

    def add(self, question: TrialQuestion, data: bytes, *, address: str) -> str:
        """Read a spreadsheet and keep the answer; takes up to 20 seconds.

        Args:
            question: What is asked of it.
            data: The file. It is handed on and not kept.
            address: Network address of the visitor, who waits for one answer at a time.

        Returns:
            The token that opens the answer.

        Raises:
            InvalidInputError: If the file cannot be used, or needs too much; nothing is kept.
            RateLimitedError: If this address has a file read already, or too many others have.
        """
        self.remove_old()
        self._kept.mkdir(mode=0o700, parents=True, exist_ok=True)
        with turn(self._turns, address):
            if sum(1 for _ in self._kept.iterdir()) >= MOST_KEPT:
                raise RateLimitedError("trial_many", seconds=60)
            making = Path(mkdtemp(prefix="making-", dir=self._kept))
            try:
                inside = making / "files"
                inside.mkdir(mode=0o700)
                # Writing below does not move this time, so a folder whose process died goes too.
                self._goes_after(making)
                read_spreadsheet(question, data, into=inside)
                token = secrets.token_urlsafe(24)
                self._goes_after(making)
                making.rename(self._kept / digest_of_token(token))
            except BaseException:
                shutil.rmtree(making, ignore_errors=True)
                raise
        return token

    def open(self, token: str) -> KeptAnswer:
        """Return an answer.

        Raises:
            NotFoundError: If there is none, or none any more.
        """
        folder, until = self._find(token)
        try:
            content = load_json((folder / CONTENT).read_bytes())
            files = sorted(path.name for path in folder.iterdir() if path.name != CONTENT)
        except OSError as error:
            raise NotFoundError("trial_over") from error
        return KeptAnswer(content=content, files=tuple(files), until=until)

    def file(self, token: str, name: str) -> bytes:
        """Return a file of an answer.

        Raises:
            NotFoundError: If there is none of this name, or the answer is gone.
        """
        folder, _ = self._find(token)
        try:
            # Compared with what is there: a name from outside never becomes a path.
            found = next((path for path in folder.iterdir() if path.name == name), None)
            if found is None or name == CONTENT:
                raise NotFoundError("download_unknown", name=name)
            return found.read_bytes()
        except OSError as error:
            raise NotFoundError("trial_over") from error

    def remove_old(self) -> None:
        """Remove what is older than it may be; any process may do so at any time."""
        if not self._kept.is_dir():
            return
        now = self._now().timestamp()
        for folder in self._kept.iterdir():
            try:
                over = folder.stat().st_mtime <= now
            except FileNotFoundError:
                continue
            if over:
                shutil.rmtree(folder, ignore_errors=True)

    def _find(self, token: str) -> tuple[Path, datetime]:
        self.remove_old()
        folder = self._kept / digest_of_token(token)
        try:
            until = datetime.fromtimestamp(folder.stat().st_mtime, UTC)
        except OSError as error:
            raise NotFoundError("trial_over") from error
        return folder / "files", until

    def _goes_after(self, folder: Path) -> None:
        until = (self._now() + KEPT).timestamp()
        os.utime(folder, (until, until))
