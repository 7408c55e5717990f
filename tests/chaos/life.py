"""One life of a process of the campaign: its release, its clock and its end are read from files.

Run as `python -m tests.chaos.life FOLDER NAME COMMAND…`; becomes the command.
"""

import os
import sys
from pathlib import Path

from tests.chaos.clocks import NAMED


def clock_environment(folder: Path, name: str, library: Path | None) -> dict[str, str]:
    """Variables under which a process goes by a clock that a file moves; none without libfaketime.

    Args:
        folder: The campaign's.
        name: The process.
        library: libfaketime, as `clocks.find_library` finds it.
    """
    if library is None:
        return {}
    file = folder / "clock" / name
    file.parent.mkdir(exist_ok=True)
    if not file.exists():
        file.write_text("+0\n", encoding="ascii")
    file.chmod(0o644)
    return {
        "LD_PRELOAD": str(library),
        "FAKETIME_TIMESTAMP_FILE": str(file),
        "FAKETIME_CACHE_DURATION": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",  # nobody's stop watch jumps with the clock
    }


def main(folder: Path, name: str, command: list[str]) -> None:
    """Become the command."""
    release = folder / "release"
    paths = [str(folder / "site"), os.environ["PYTHONPATH"]]
    if release.exists():
        paths.insert(1, release.read_text("utf-8").strip())
    os.environ["PYTHONPATH"] = os.pathsep.join(paths)
    os.environ["CHAOS_NAME"] = name
    os.environ["CHAOS_FOLDER"] = str(folder)
    points = folder / "crash" / name
    if points.exists():
        os.environ["SWAPFLOW_CRASH_AT"] = points.read_text("ascii").strip()
        points.unlink()
    library = os.environ.get(NAMED)
    os.environ.update(clock_environment(folder, name, Path(library) if library else None))
    os.chdir(folder)  # else `-m` would find this checkout before the release
    os.execv(command[0], command)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3:])
