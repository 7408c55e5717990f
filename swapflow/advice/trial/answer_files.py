"""From one spreadsheet to the files of its answer; runs in the process that is bound to limits."""

import json
import shlex
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from swapflow.advice.advise import AdviceQuestion, MarksSource, advise
from swapflow.advice.report import page
from swapflow.advice.tables import write_tables
from swapflow.advice.trial.content import page_content
from swapflow.advice.trial.limits import MEGABYTE, MOST_MEMORY
from swapflow.advice.trial.question import CONTENT, TrialQuestion
from swapflow.advice.trial.seen_columns import seen_columns
from swapflow.domain.reviewing.mark_scale import MarkScale
from swapflow.errors import BadRowsError, SwapflowError
from swapflow.files.exports.html_page import write
from swapflow.files.marks.mark import HowToRead
from swapflow.messages import Message


MOST_PROBLEMS = 25
"""Rows that cannot be used which a page names; correcting these shows the next ones."""


@dataclass(frozen=True, slots=True)
class RefusedSheet:
    """Why a spreadsheet is refused, and its columns: (header, first cell, taken for)."""

    problem: str
    columns: tuple[tuple[str, str, str], ...] = ()


def write_answer(folder: Path, line: bytes, data: bytes) -> RefusedSheet | None:
    """Write the files of an answer; return why the spreadsheet is refused, None for nothing.

    Args:
        folder: Where they go.
        line: The question, as `TrialQuestion.line` made it.
        data: The spreadsheet.
    """
    asked = TrialQuestion.of_line(line)
    try:
        _write(folder, asked, data)
    except SwapflowError as error:
        return RefusedSheet(_shortened(error), seen_columns(data, asked.name, asked.columns))
    except MemoryError:
        return RefusedSheet(Message("trial_too_much", size=MOST_MEMORY // MEGABYTE))
    return None


def _write(folder: Path, asked: TrialQuestion, data: bytes) -> None:
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
    for path in folder.iterdir():
        # Exports are for a group as well; these belong to a visitor.
        path.chmod(0o600)


def _shortened(error: SwapflowError) -> str:
    """Return what is wrong as a message of bounded length."""
    if not isinstance(error, BadRowsError) or len(error.rows) <= MOST_PROBLEMS:
        return error.message
    shown = [row.message for row in error.rows[:MOST_PROBLEMS]]
    return Message("bad_rows", source=error.source, count=len(error.rows), rows=[*shown, "…"])
