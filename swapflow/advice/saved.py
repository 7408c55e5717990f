"""An advisor as a file, and back."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from swapflow.advice.collected import AskedRequest, Collected, ToldMark, ToldReviewer
from swapflow.domain.reviewing.mark_scale import MarkScale
from swapflow.domain.rules import Rules
from swapflow.domain.rules_text import from_text, to_text
from swapflow.errors import InvalidInputError
from swapflow.untrusted.json_text import load_json


FORMAT = 1
"""Version of the file."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class _Mark(_Strict):
    applicant: str
    reviewer: str
    kind: str
    utility: float


class _Request(_Strict):
    applicant: str
    kind: str
    reviewers: tuple[str, ...]


class _Reviewer(_Strict):
    id: str
    capacity: dict[str, int | None] | None
    packet: int | None
    topics: tuple[str, ...]
    conflicts: tuple[str, ...]
    away: bool


class _Saved(_Strict):
    """What the file holds: untrusted, for it may come from anywhere."""

    format: int
    rules: str
    scales: dict[str, tuple[float, float]]
    applicants: dict[str, dict[str, str]]
    reviewers: tuple[_Reviewer, ...]
    marks: tuple[_Mark, ...]
    asked: tuple[_Request, ...]


def text_of(rules: Rules, scales: Mapping[str, MarkScale], told: Collected) -> dict[str, object]:
    """Return everything that an advisor knows, as what JSON can hold."""
    return {
        "format": FORMAT,
        "rules": to_text(rules),
        "scales": {kind: (scale.worst, scale.best) for kind, scale in scales.items()},
        "applicants": {name: told.values.get(name, {}) for name in told.applicants.values()},
        "reviewers": [asdict(one) for one in told.reviewers.values()],
        "marks": [asdict(one) for one in told.marks],
        "asked": [asdict(one) for one in told.asked],
    }


def of_text(path: Path) -> tuple[Rules, dict[str, MarkScale], Collected]:
    """Read what was saved.

    Raises:
        InvalidInputError: If there is no such file, or it is none.
    """
    try:
        saved = _Saved.model_validate(load_json(path.read_bytes()))
        rules = from_text(saved.rules)
        if saved.format != FORMAT or any(rules.kind_index(m.kind) < 0 for m in saved.marks):
            raise InvalidInputError("advice_not_saved", path=path)
    except OSError as error:
        raise InvalidInputError("path_unreadable", path=path, problem=error.strerror) from error
    except (ValidationError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InvalidInputError("advice_not_saved", path=path) from error
    told = Collected()
    for name, values in saved.applicants.items():
        told.add_applicant(name, values)
    for one in saved.reviewers:
        told.describe_reviewer(ToldReviewer(**one.model_dump()))
    for mark in saved.marks:
        told.tell(ToldMark(**mark.model_dump()))
    for asked in saved.asked:
        told.ask(AskedRequest(**asked.model_dump()))
    scales = {kind: MarkScale(worst=a, best=b) for kind, (a, b) in saved.scales.items()}
    return rules, scales, told
