"""The folder into which other systems write: whole files found, answers put beside them.

    ROOT/PROGRAM/in    they write here; NAME.answer.txt tells what became of NAME
    ROOT/PROGRAM/out   results, for them to fetch
    ROOT/PROGRAM/work  whole files that are being read; ours alone

Sub-folders of `in` are not looked at, and nothing outside the folder is: a link and a device are
no files of it. Names that end in `.part`, `.tmp` and the like are files
that are still being written.
"""

import fcntl
import os
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from swapflow.domain.lists.exchanged_file import ExchangeOutcome
from swapflow.files.intake.answer import IntakeAnswer, answer_table, answer_text


IN, OUT, WORK = "in", "out", "work"
DONE = ".done"
ANSWER, ROWS, REFUSED = ".answer.txt", ".answer.csv", ".refused"
INDEX = ".index.csv"
UNFINISHED = (".part", ".tmp", ".filepart", ".partial", ".uploading", ".crdownload", ".swp", "~")
"""Ends of names of files that are still being written."""

_OURS = (ANSWER, ROWS, REFUSED, DONE)
MOST_NAMES = 10_000
"""Names of a folder that are looked at, so that a full one costs a bounded time."""

DAY = 86_400.0


@dataclass(frozen=True, slots=True)
class FileSeen:
    """A file's bytes, and when it changed last by this machine's clock, not by its sender's."""

    size: int
    changed: float


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeFile:
    """A file that its sender has finished, with the index beside it."""

    path: Path
    index: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DropFolder:
    """The folder of one program.

    Attributes:
        folder: Its place: ROOT/PROGRAM.
        quiet: Seconds for which a file must have rested; 0 takes only those with a `.done`.
        clock: Seconds since 1970, as files have them.
    """

    folder: Path
    quiet: float
    clock: Callable[[], float] = time.time

    @property
    def incoming(self) -> Path:
        """Where other systems write."""
        return self.folder / IN

    @property
    def outgoing(self) -> Path:
        """Where results are put."""
        return self.folder / OUT

    def waiting(self) -> tuple[str, ...]:
        """Name the files that nobody has read yet, whole or not, in the order of their names."""
        return tuple(sorted(self._files()))

    def whole(self) -> tuple[WholeFile, ...]:
        """Return the files that are whole, in the order of their names.

        Whole is a file with a `.done` beside it. Without one it must have rested for `quiet`
        seconds, and its end must be there: half a file is never read.
        """
        files = self._files()
        found = []
        for name in sorted(files):
            if name.endswith(INDEX):
                continue
            beside = name + INDEX if name + INDEX in files else ""
            parts = [name, *filter(None, [beside])]
            if self._is_done(name) or all(self._rests(one, files[one]) for one in parts):
                index = self.incoming / beside if beside else None
                found.append(WholeFile(path=self.incoming / name, index=index))
        return tuple(found)

    def claim(self, one: WholeFile) -> WholeFile | None:
        """Move a whole file to where nobody else writes, with its index; None if it is no file.

        Renaming follows no link, and what is moved can no longer be exchanged for one.
        """
        work = self.folder / WORK
        if not is_folder(work):
            work.mkdir(mode=0o700)
        moved = WholeFile(
            path=work / one.path.name, index=work / one.index.name if one.index else None
        )
        # The index first: after a crash between the two the file still waits, and says so.
        for old, new in ((one.index, moved.index), (one.path, moved.path)):
            if old is None or new is None:
                continue
            with suppress(FileNotFoundError):
                old.replace(new)
            if _ordinary(new) is None:
                new.unlink(missing_ok=True)
                return None
        return moved

    def begun(self) -> tuple[WholeFile, ...]:
        """Return what was claimed and not answered: by a process that died meanwhile."""
        work = self.folder / WORK
        if not is_folder(work):
            return ()
        names = sorted(path.name for path in work.iterdir() if _ordinary(path) is not None)
        return tuple(
            WholeFile(path=work / name, index=work / beside if beside in names else None)
            for name in names
            if not name.endswith(INDEX)
            for beside in [name + INDEX]
        )

    def answer(self, one: WholeFile, answer: IntakeAnswer) -> None:
        """Put the answer where a file lay, and the file away: its content is in the program now.

        A refused file stays under another name, until a correction of it comes or its days are
        over.
        """
        path, name = one.path, one.path.name
        _write(self.incoming, name + ANSWER, answer_text(answer))
        with suppress(FileNotFoundError):
            (self.incoming / (name + ROWS)).unlink()
        if answer.needs_a_person:
            _write(self.incoming, name + ROWS, answer_table(answer))
        refused = self.incoming / (name + REFUSED)
        # The mark first: a file without one that is left by a crash only waits a little longer.
        for gone in (self.incoming / (name + DONE), *([one.index] if one.index else [])):
            with suppress(FileNotFoundError):
                gone.unlink()
        if answer.outcome is ExchangeOutcome.REFUSED:
            path.replace(refused)
        else:
            path.unlink(missing_ok=True)
            refused.unlink(missing_ok=True)

    def sweep(self, days: int) -> int:
        """Remove refused files and answers that are older than this; return how many."""
        gone = 0
        for name, seen in self._names():
            old = self.clock() - seen.changed > days * DAY
            if old and name.endswith((REFUSED, ANSWER, ROWS)):
                (self.incoming / name).unlink(missing_ok=True)
                gone += 1
        return gone

    def put_out(self, name: str, content: bytes) -> None:
        """Put a result out; who fetches it meanwhile has the earlier one or this one whole."""
        _write(self.outgoing, name, content, readable=True)

    def _is_done(self, name: str) -> bool:
        mark = self.incoming / (name + DONE)
        return _ordinary(mark) is not None

    def _rests(self, name: str, seen: FileSeen) -> bool:
        rested = self.quiet and self.clock() - seen.changed >= self.quiet
        return bool(rested) and ends_whole(self.incoming / name)

    def _files(self) -> dict[str, FileSeen]:
        return {
            name: seen
            for name, seen in self._names()
            if not name.endswith((*UNFINISHED, *_OURS)) and not name.startswith(".")
        }

    def _names(self) -> Iterator[tuple[str, FileSeen]]:
        if not is_folder(self.incoming):
            return
        with os.scandir(self.incoming) as entries:
            for number, entry in enumerate(entries):
                if number >= MOST_NAMES:
                    return
                seen = _ordinary(Path(entry.path))
                if seen is not None and entry.name.isprintable():
                    yield entry.name, seen


def has_drop_folder(root: Path, program: str) -> bool:
    """Whether a program has a folder there; a link is none."""
    return is_folder(root / program) and is_folder(root / program / IN)


def make_drop_folder(root: Path, program: str) -> DropFolder:
    """Make a program's folder with its sub-folders; one that is there stays as it is.

    Who may write there is for the administrator to say: it is made for this user and its group.
    """
    for place in (root / program, root / program / IN, root / program / OUT):
        place.mkdir(mode=0o770, parents=True, exist_ok=True)
    (root / program / WORK).mkdir(mode=0o700, exist_ok=True)
    return DropFolder(folder=root / program, quiet=0)


def is_folder(path: Path) -> bool:
    """Whether a path is a folder itself, and no link to one."""
    try:
        return stat.S_ISDIR(path.lstat().st_mode)
    except OSError:
        return False


def ends_whole(path: Path) -> bool:
    """Whether a file's end is there, as far as its kind tells.

    An archive, a workbook and a PDF say where they end; JSON closes what it opened; a list ends
    its last line. One that does not needs a `.done`.
    """
    try:
        with path.open("rb") as file:
            head = file.read(8)
            size = file.seek(0, 2)
            file.seek(max(0, size - 70_000))
            tail = file.read()
    except OSError:
        return False
    if head.startswith(b"PK"):
        return b"PK\5\6" in tail
    if head.startswith(b"%PDF-"):
        return b"%%EOF" in tail[-2048:]
    # Zeros beside the characters: UTF-16.
    last = tail.rstrip(b"\0")[-1:]
    if head.lstrip(b"\xef\xbb\xbf\xff\xfe\0 \r\n\t")[:1] in {b"{", b"["}:
        return tail.rstrip(b"\0 \r\n\t")[-1:] in {b"}", b"]"}
    return last in {b"\n", b"\r"}


@contextmanager
def alone(folder: Path) -> Iterator[bool]:
    """Hold the lock of those who read drop folders; False where another process has it."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(folder / "intake.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        yield False
        return
    try:
        yield True
    finally:
        os.close(descriptor)


def _ordinary(path: Path) -> FileSeen | None:
    """Return what an ordinary file looks like; None for a link, a folder or a device."""
    try:
        about = path.lstat()
    except OSError:
        return None
    if not stat.S_ISREG(about.st_mode) or about.st_nlink > 1:
        return None
    # Not the time of modification: its sender may set it to anything.
    return FileSeen(about.st_size, about.st_ctime)


def _write(folder: Path, name: str, content: bytes, *, readable: bool = False) -> None:
    """Write a file under another name first; a link that waits under its name is replaced."""
    half = folder / f".{name}.half"
    half.unlink(missing_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    with os.fdopen(os.open(half, flags, 0o640), "wb") as file:
        file.write(content)
    if readable:
        half.chmod(0o640)
    half.replace(folder / name)
