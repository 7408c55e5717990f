"""One life of a process: takes its crash point from a file, then becomes the process.

Arguments: the file, then the command. Each life takes the file's first line away, so that the
life after a crash does not end at the same point again.
"""

import os
import sys
from pathlib import Path


def main(file: Path, command: list[str]) -> None:
    """Become the command."""
    lines = file.read_text("ascii").split() if file.exists() else []
    if lines:
        os.environ["SWAPFLOW_CRASH_AT"] = lines[0]
        file.write_text("\n".join(lines[1:]), encoding="ascii")
    os.execv(command[0], command)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
