"""Norming: reviewers mark the same practice files before a launch, then see how others marked.

A reviewer sees the others' marks of a file as soon as they have marked it themselves, and cannot
change their own any more: a first judgement is worth most while it is independent, and no one has
to wait for staff or for the slowest colleague to talk about it.
"""

from collections.abc import Mapping

from swapflow.domain.cycle import CycleStatus
from swapflow.domain.event import Json
from swapflow.domain.fixed_point import value_units
from swapflow.domain.people.reviewer import Reviewer
from swapflow.domain.reviewing.practice import MOST_FILES, PracticeFile, PracticeRecord
from swapflow.domain.reviewing.rubric import utility
from swapflow.domain.rules import Rubric
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.writes.transaction import Transaction
from swapflow.errors import (
    ConflictError,
    InvalidInputError,
    NotFoundError,
    NotReadyError,
    ScoreOutOfRangeError,
)


LONGEST_TITLE = 200
LONGEST_FILE = 60_000
LONGEST_NOTE = 4_000


def add_file(cycle_id: str, title: str, text: str, *, by: str, ledger: Ledger) -> int:
    """Put a practice file before the reviewers; return its number.

    The same title and text again is the file that is there.

    Raises:
        NotReadyError: If the cycle was launched.
        InvalidInputError: If title or text is missing or too long, or there are too many files.
    """
    title, text = " ".join(title.split()), text.replace("\r\n", "\n").strip()
    if not 0 < len(title) <= LONGEST_TITLE:
        raise InvalidInputError("practice_title_length", most=LONGEST_TITLE)
    if not 0 < len(text) <= LONGEST_FILE:
        raise InvalidInputError("practice_text_length", most=LONGEST_FILE)
    with ledger.write(cycle_id) as tx:
        files = tx.practised().files
        for file in files:
            if (file.title, file.text) == (title, text):
                return file.number
        _require_draft(tx)
        if len(files) >= MOST_FILES:
            raise InvalidInputError("practice_too_many_files", most=MOST_FILES)
        return tx.insert_practice_file(title, text, by=by)


def mark_file(
    cycle_id: str,
    file: int,
    reviewer: int,
    *,
    marks: Mapping[str, float | None],
    value: float | None = None,
    remark: str = "",
    ledger: Ledger,
) -> None:
    """Store what a reviewer makes of a practice file; the same again changes nothing.

    Args:
        cycle_id: The cycle.
        file: The file's number.
        reviewer: The reviewer's number.
        marks: Mark by criterion of the first kind's score form; None for "can't judge".
        value: The utility from 0 to 1, in place of marks.
        remark: What the reviewer says of it.
        ledger: The durable record.

    Raises:
        NotFoundError: If there is no such file.
        NotReadyError: If the cycle was launched.
        ConflictError: If the reviewer marked it otherwise before, and so has seen the others.
        InvalidInputError: If there are neither marks nor a utility, or both.
        ScoreOutOfRangeError: If a mark is none of the form's, or the utility is outside 0 to 1.
    """
    with ledger.write(cycle_id) as tx:
        practice = tx.practised()
        _file(practice, file)
        rules = tx.rules()
        rubric = rules.rubric(rules.kinds[0].name)
        units = _units(rubric, marks, value)
        before = next(
            (m for m in practice.marks if (m.file, m.reviewer) == (file, reviewer)), None
        )
        if before is not None:
            if (before.value, before.remark) == (units, remark):
                return
            raise ConflictError("practice_marked_before")
        _require_draft(tx)
        tx.insert_practice_mark(file, reviewer, units, marks=marks, remark=remark)


def add_note(
    cycle_id: str,
    file: int,
    text: str,
    *,
    reviewer: int | None = None,
    by: str = "",
    ledger: Ledger,
) -> None:
    """Add to the discussion of a file, as a reviewer who has marked it or as staff.

    The same text again by the same person is not stored twice.

    Raises:
        NotFoundError: If there is no such file.
        NotReadyError: If the reviewer has not marked the file yet.
        InvalidInputError: If the text is empty or too long.
    """
    text = text.replace("\r\n", "\n").strip()
    if not 0 < len(text) <= LONGEST_NOTE:
        raise InvalidInputError("practice_note_length", most=LONGEST_NOTE)
    with ledger.write(cycle_id) as tx:
        practice = tx.practised()
        _file(practice, file)
        if reviewer is not None and file not in practice.done(reviewer):
            raise NotReadyError("practice_mark_first")
        for note in practice.notes:
            if (note.file, note.reviewer, note.by, note.text) == (file, reviewer, by, text):
                return
        tx.insert_practice_note(file, text, reviewer=reviewer, by=by)


def still_to_practise(
    cycle_id: str, practice: PracticeRecord, *, ledger: Ledger
) -> tuple[Reviewer, ...]:
    """Return the people on the roster who have not marked every practice file."""
    wanted = len(practice.files)
    if not wanted:
        return ()
    return tuple(
        one
        for one in ledger.reviewers(cycle_id)
        if one.active and not one.automatic and len(practice.done(one.number)) < wanted
    )


def launch_payload(practice: PracticeRecord) -> dict[str, Json]:
    """Return what a launch puts on record of practice marks; nothing where there are none."""
    if not practice.marks:
        return {}
    return {"practice": sorted([one.file, one.reviewer, one.value] for one in practice.marks)}


def _units(rubric: Rubric | None, marks: Mapping[str, float | None], value: float | None) -> int:
    if value is None and rubric is not None:
        return value_units(utility(rubric, marks))
    if value is None or marks:
        raise InvalidInputError("practice_mark_missing")
    if not 0 <= value <= 1:
        raise ScoreOutOfRangeError("practice_mark_missing")
    return value_units(value)


def _file(practice: PracticeRecord, number: int) -> PracticeFile:
    found = next((one for one in practice.files if one.number == number), None)
    if found is None:
        raise NotFoundError("practice_file_unknown", file=number + 1)
    return found


def _require_draft(tx: Transaction) -> None:
    if tx.cycle.status is not CycleStatus.DRAFT:
        raise NotReadyError("practice_after_launch")
