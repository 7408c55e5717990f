"""The process that reads one spreadsheet: question and bytes come in, files are written, it ends.

`python -m swapflow.advice.trial.child FOLDER`. It ends with 0 once all files are in the folder;
with 2 and a message on its output if the file cannot be used.
"""

import json
import shlex
import sys
from datetime import date
from pathlib import Path

from swapflow.advice.trial.limits import MOST_BYTES, MOST_MEMORY, restrict


LONGEST_LINE = 100_000
"""Bytes of the question."""

MOST_PROBLEMS = 25
"""Rows that cannot be used which a page names; correcting these shows the next ones."""

CONTENT = "page.json"
"""What the page shows, beside the files to download."""


def main(folder: Path) -> int:
    """Read question and file from the input; return the code to end with."""
    restrict()
    # Only now: what follows loads and computes.
    from swapflow.errors import SwapflowError
    from swapflow.messages import Message, plain

    line, _, data = sys.stdin.buffer.read(MOST_BYTES + LONGEST_LINE).partition(b"\n")
    try:
        _write(folder, line, data)
    except SwapflowError as error:
        problem = _shortened(error)
    except MemoryError:
        problem = Message("trial_too_much", size=MOST_MEMORY // (1024 * 1024))
    else:
        return 0
    json.dump(plain(problem), sys.stdout)
    return 2


def _write(folder: Path, line: bytes, data: bytes) -> None:
    from swapflow.advice.advise import AdviceQuestion, MarksSource, advise
    from swapflow.advice.report import page
    from swapflow.advice.tables import write_tables
    from swapflow.advice.trial.content import page_content
    from swapflow.advice.trial.question import TrialQuestion
    from swapflow.domain.reviewing.mark_scale import MarkScale
    from swapflow.files.exports.html_page import write
    from swapflow.files.marks.mark import HowToRead

    asked = TrialQuestion.of_line(line)
    advice = advise(
        AdviceQuestion(
            marks=(MarksSource(source=data, name=asked.name),),
            places=asked.places,
            reviews=asked.reviews,
            how=HowToRead(
                scales={"": MarkScale.written(asked.scale)} if asked.scale else {},
                columns=asked.columns,
            ),
            on=date.today(),  # noqa: DTZ011 - nobody is away, so no day matters
        )
    )
    write_tables(folder, advice)
    write(folder / "report.html", page(advice, command=shlex.join(asked.command())))
    content = json.dumps(page_content(advice, asked), allow_nan=False)
    (folder / CONTENT).write_text(content, encoding="utf-8")


def _shortened(error: Exception) -> str:
    """Return what is wrong as a message of bounded length."""
    from swapflow.errors import BadRowsError, SwapflowError
    from swapflow.messages import Message

    assert isinstance(error, SwapflowError)
    if not isinstance(error, BadRowsError) or len(error.rows) <= MOST_PROBLEMS:
        return error.message
    shown = [row.message for row in error.rows[:MOST_PROBLEMS]]
    return Message("bad_rows", source=error.source, count=len(error.rows), rows=[*shown, "…"])


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
