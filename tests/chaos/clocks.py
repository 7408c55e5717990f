"""Clocks that a file moves: libfaketime, wherever this machine has it, and whether it works."""

import os
import re
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path


LIBRARY = "libfaketime.so.1"

NAMED = "CHAOS_FAKETIME"
"""The variable that names the library; processes of a campaign are told by it."""

FOLDERS = (
    "/usr/lib/*/faketime",
    "/usr/lib/faketime",
    "/usr/lib64/faketime",
    "/usr/lib/*",
    "/usr/lib64",
    "/usr/local/lib/faketime",
    "/usr/local/lib",
)
"""Where distributions and `make install` put it; a name may match several folders."""

DAY = 86_400


@lru_cache(maxsize=1)
def find_library() -> Path | None:
    """Return the first library on this machine that moves a Python's clock; None without one."""
    return next((path for path in dict.fromkeys(_candidates()) if moves_clocks(path)), None)


def moves_clocks(library: Path) -> bool:
    """Whether a process with this library goes by the clock that it is told."""
    if not library.is_file():
        return False
    environment = {**os.environ, "LD_PRELOAD": str(library), "FAKETIME": "+10d"}
    try:
        done = subprocess.run(
            [sys.executable, "-S", "-c", "import time; print(time.time())"],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=30,
        )
        return float(done.stdout or "0") > time.time() + 9 * DAY
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return False


def _candidates() -> Iterator[Path]:
    """Yield places, the likelier first: as told, as the system knows, then as it is usual."""
    if NAMED in os.environ:
        yield Path(os.environ[NAMED])
    multiarch = sysconfig.get_config_var("MULTIARCH")
    if multiarch:
        yield Path("/usr/lib", str(multiarch), "faketime", LIBRARY)
    for argv in (["dpkg-query", "--listfiles", "libfaketime"], ["ldconfig", "-p"]):
        yield from map(Path, re.findall(rf"(/\S*/{re.escape(LIBRARY)})\b", _said(argv)))
    for pattern in FOLDERS:
        yield from sorted(Path("/").glob(f"{pattern[1:]}/{LIBRARY}"))


def _said(argv: list[str]) -> str:
    path = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
    try:
        return subprocess.run(
            argv,
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            check=False,
            timeout=30,
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""
