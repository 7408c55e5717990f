"""The process that reads one spreadsheet: question and bytes come in, files are written, it ends.

`python -m swapflow.advice.trial.child FOLDER`. It ends with 0 once all files are in the folder;
with 2 and a message on its output if the file cannot be used, with 3 if memory does not suffice.
"""

import json
import sys
from pathlib import Path

from swapflow.advice.trial.limits import MOST_BYTES, restrict
from swapflow.messages import plain


LONGEST_LINE = 100_000
"""Bytes of the question."""


def main(folder: Path) -> int:
    """Read question and file from the input; return the code to end with."""
    restrict()
    # Only now, so that what these load and compute counts.
    from swapflow.advice.trial.answer_files import write_answer  # noqa: PLC0415 - as said

    line, _, data = sys.stdin.buffer.read(MOST_BYTES + LONGEST_LINE).partition(b"\n")
    try:
        refused = write_answer(folder, line, data)
    except MemoryError:
        return 3
    if refused is None:
        return 0
    said = {"problem": plain(refused.problem), "columns": refused.columns}
    json.dump(said, sys.stdout)
    return 2


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
