"""An earlier commit beside this tree, for comparisons on one machine at one time."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


ROOT = Path(__file__).parents[2]


@contextmanager
def checked_out(commit: str, folder: Path) -> Iterator[Path]:
    """Check an earlier commit out, as a git worktree that is removed at the end.

    Raises:
        LookupError: If there is no such commit here, with the reason in words.
    """
    git = shutil.which("git")
    if git is None:
        raise LookupError("there is no git on the PATH")
    known = subprocess.run(
        [git, "-C", str(ROOT), "cat-file", "-e", f"{commit}^{{commit}}"],
        capture_output=True,
        check=False,
    )
    if known.returncode != 0:
        raise LookupError(f"commit {commit} is not here: a shallow clone, or no repository")
    worktree = [git, "-C", str(ROOT), "worktree"]
    added = subprocess.run(
        [*worktree, "add", "--detach", str(folder), commit],
        capture_output=True,
        check=False,
        text=True,
    )
    if added.returncode != 0:
        raise LookupError(f"commit {commit} cannot be checked out: {added.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(
            [*worktree, "remove", "--force", str(folder)], check=True, capture_output=True
        )
