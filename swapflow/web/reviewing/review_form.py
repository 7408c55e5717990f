"""The form of a review: what was typed read as an answer, and an answer shown as it was typed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from fastapi import Depends, Request
from starlette.datastructures import FormData

from swapflow.domain.reviewing.assignment import AssignmentStatus
from swapflow.domain.reviewing.rubric import utility
from swapflow.domain.reviewing.score import Answer, ScoreDetails
from swapflow.domain.rules import Criterion
from swapflow.engine.reviewing.review_page import ReviewForm
from swapflow.errors import (
    AssignmentClosedError,
    InvalidInputError,
    StaleRevisionError,
    SwapflowError,
)
from swapflow.i18n.languages import gettext, gettext_noop
from swapflow.untrusted.json_text import load_json
from swapflow.web.http.acts.told import FIELD
from swapflow.web.http.nested_forms import is_plain


LONGEST_REMARK = 8000
LONGEST_NOTE = 4000
NOT_APPLICABLE = "na"
NO_MARK = gettext_noop("Choose a mark, or Can't judge.")
RECOMMENDATIONS = (
    gettext_noop("definitely not"),
    gettext_noop("no"),
    gettext_noop("mixed"),
    gettext_noop("yes"),
    gettext_noop("strong yes"),
)
"""What an interviewer may recommend, weakest first; stored in English, shown in any language."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """The content of a form: as typed, and beside it what is wrong with it."""

    values: Mapping[str, str]
    problems: Mapping[str, str] = field(default_factory=dict)

    @property
    def unmarked(self) -> int:
        """How many criteria have no mark; what else is wrong is not among them."""
        return sum(said == NO_MARK for said in self.problems.values())


async def read_form(request: Request) -> dict[str, str]:
    """Return the fields of a form; a field that comes twice counts as its last."""
    form: FormData = await request.form()
    return {name: text for name, text in form.items() if isinstance(text, str)}


Fields = Annotated[dict[str, str], Depends(read_form)]


def answer_of(
    fields: Mapping[str, str], sheet: ReviewForm, *, typed_by: str = ""
) -> tuple[Answer | None, dict[str, str]]:
    """Read a filled form: the answer, or what is wrong, by the name of the field."""
    problems: dict[str, str] = {}
    marks: dict[str, float | None] = {}
    value: float | None = None
    if sheet.rubric is None:
        value = _hundred(fields.get("score", ""), problems)
    else:
        for index, criterion in enumerate(sheet.rubric.criteria):
            marks[criterion.name] = _mark(fields, f"c{index}", criterion, problems)
        if not problems and all(mark is None for mark in marks.values()):
            problems["c0"] = gettext_noop("Give a mark for at least one, or decline.")
    notes = _notes(fields, sheet, problems)
    remark = _text(fields, "remark", LONGEST_REMARK, problems)
    if problems:
        return None, problems
    if sheet.rubric is not None:
        utility(sheet.rubric, marks)
    answer = Answer(
        assignment_id=sheet.assignment.id,
        marks=marks,
        utility=value,
        typed_by=typed_by,
        remark=remark,
        notes=notes,
    )
    return answer, {}


def values_of(given: ScoreDetails, sheet: ReviewForm) -> dict[str, str]:
    """Return the fields of a form that would be read as this answer."""
    values = {"remark": given.remark}
    if sheet.rubric is None or not given.marks:
        values["score"] = f"{given.score.value / 10_000:g}"
    for index, criterion in enumerate(sheet.rubric.criteria if sheet.rubric else ()):
        if criterion.name in given.marks:
            mark = given.marks[criterion.name]
            values[f"c{index}"] = NOT_APPLICABLE if mark is None else f"{mark:g}"
        values[f"note{index}"] = given.notes.get(f"criterion:{criterion.name}", "")
    for name in ("confidence", "private", "recommendation"):
        values[name] = given.notes.get(name, "")
    for number in range(1, len(sheet.kind.questions) + 1):
        values[f"question{number}"] = given.notes.get(f"question:{number}", "")
    return {name: text for name, text in values.items() if text}


def chosen_mark(chosen: str, criterion: Criterion) -> float | None:
    """Read the mark that was chosen of a criterion; None for "can't judge".

    Raises:
        ValueError: If none of the form's marks was chosen.
    """
    if chosen == NOT_APPLICABLE:
        return None
    for mark, _ in criterion.marks:
        if chosen == f"{mark:g}":
            return mark
    raise ValueError(chosen)


def share_of_hundred(typed: str) -> float:
    """Read a score from 0 to 100 as a utility from 0 to 1.

    Raises:
        ValueError: If it is no such number.
    """
    number = float(typed.strip().replace(",", "."))
    if not 0 <= number <= 100:  # noqa: PLR2004 - also refuses NaN
        raise ValueError(typed)
    return number / 100


def _mark(
    fields: Mapping[str, str], name: str, criterion: Criterion, problems: dict[str, str]
) -> float | None:
    try:
        return chosen_mark(fields.get(name, ""), criterion)
    except ValueError:
        problems[name] = NO_MARK
        return None


def _hundred(typed: str, problems: dict[str, str]) -> float | None:
    try:
        return share_of_hundred(typed)
    except ValueError:
        problems["score"] = gettext_noop("Write a number from 0 to 100.")
        return None


def _notes(
    fields: Mapping[str, str], sheet: ReviewForm, problems: dict[str, str]
) -> dict[str, str]:
    notes = {"private": _text(fields, "private", LONGEST_NOTE, problems)}
    if sheet.kind.confidence and (sure := fields.get("confidence", "")):
        if sure not in {"1", "2", "3", "4", "5"}:
            problems["confidence"] = gettext_noop("Choose 1 to 5, or nothing.")
        notes["confidence"] = sure
    if sheet.kind.questions and (said := fields.get("recommendation", "")):
        if said not in RECOMMENDATIONS:
            problems["recommendation"] = gettext_noop("Choose one of the five, or nothing.")
        notes["recommendation"] = said
    for number in range(1, len(sheet.kind.questions) + 1):
        notes[f"question:{number}"] = _text(fields, f"question{number}", LONGEST_NOTE, problems)
    for index, criterion in enumerate(sheet.rubric.criteria if sheet.rubric else ()):
        text = _text(fields, f"note{index}", LONGEST_NOTE, problems)
        notes[f"criterion:{criterion.name}"] = text
    return {name: text for name, text in notes.items() if text}


def _text(fields: Mapping[str, str], name: str, most: int, problems: dict[str, str]) -> str:
    text = fields.get(name, "").replace("\r\n", "\n").strip()
    if len(text) > most:
        problems[name] = gettext("These are %(length)s characters; %(most)s are the most.") % {
            "length": len(text),
            "most": most,
        }
    if not is_plain(text):
        problems[name] = gettext_noop("There is a control character in it; type the text anew.")
    return text


def told(given: ScoreDetails, sheet: ReviewForm) -> list[tuple[str, str]]:
    """Return what a stored review says: what each field is called, and its content."""
    return fields_in_words(values_of(given, sheet), sheet)


def fields_in_words(values: Mapping[str, str], sheet: ReviewForm) -> list[tuple[str, str]]:
    """Return what a filled form says: what each field is called, and its content."""
    names = {
        "score": gettext("Score"),
        "remark": gettext("Remark"),
        "confidence": gettext("How sure"),
        "recommendation": gettext("Recommendation"),
        "private": gettext("Private note to staff"),
    }
    for index, criterion in enumerate(sheet.rubric.criteria if sheet.rubric else ()):
        names[f"c{index}"] = criterion.name
        names[f"note{index}"] = gettext("Note on %(criterion)s") % {"criterion": criterion.name}
    for number, question in enumerate(sheet.kind.questions, start=1):
        names[f"question{number}"] = question
    return [(names[name], text) for name, text in values.items() if name in names and text]


def weight_in_words(weight: float) -> str:
    """Word how often a criterion counts: "counts once", "counts twice", "counts 1.5 times"."""
    known = {1.0: gettext("counts once"), 2.0: gettext("counts twice")}
    return known.get(weight) or gettext("counts %(weight)s times") % {"weight": f"{weight:g}"}


def marks_made(values: Mapping[str, str], sheet: ReviewForm) -> str:
    """Word how many criteria have a mark, or were left out on purpose: "2 of 3 marked"."""
    criteria = sheet.rubric.criteria if sheet.rubric else ()
    made = sum(bool(values.get(f"c{index}")) for index in range(len(criteria)))
    return gettext("%(made)s of %(all)s marked") % {"made": made, "all": len(criteria)}


def is_stale(error: SwapflowError) -> bool:
    """Whether a review was handed in or corrected since the form was opened."""
    return isinstance(error, StaleRevisionError) or (
        isinstance(error, AssignmentClosedError) and error.status == AssignmentStatus.SCORED
    )


# Drafts


def kept(fields: Mapping[str, str]) -> dict[str, str]:
    """Return the fields that are kept in a draft: not the buttons, nothing empty."""
    return {
        n: t for n, t in fields.items() if t and n not in {"then", "version", "revision", FIELD}
    }


def version_of(fields: Mapping[str, str]) -> int:
    """Read the version that a form was made from; 0 for none, and for nonsense."""
    said = fields.get("version", "0")
    # Nine digits fit an integer of any database.
    return int(said) if said.isdecimal() and len(said) < 10 else 0  # noqa: PLR2004


def draft_in(sent: bytes) -> tuple[int, dict[str, str]]:
    """Read what the page's script sends: the version it builds on, and the texts by name."""
    try:
        read = load_json(sent)
        version, body = int(read["version"]), dict(read["body"])
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidInputError("draft_malformed") from error
    if not all(isinstance(text, str) for text in body.values()):
        raise InvalidInputError("draft_body_malformed")
    return version, body
