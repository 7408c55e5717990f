"""What every part of the models is made of: kinds of text, what comes in, what goes out."""

import math
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from swapflow.domain.cohort.quality_words import QualityFigures
from swapflow.messages import Message, plain


PLAIN = r"^[^\x00-\x1f\x7f]*$"
"""A line: no control characters."""

PROSE = r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]*$"
"""A text: no control characters but line breaks and tabs."""

Line = Annotated[str, StringConstraints(max_length=200, pattern=PLAIN)]
Name = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=PLAIN)]
Text = Annotated[str, StringConstraints(max_length=8000, pattern=PROSE)]
Reason = Annotated[str, StringConstraints(max_length=2000, pattern=PROSE)]
Why = Annotated[str, StringConstraints(min_length=1, max_length=2000, pattern=PROSE)]
ShortName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]{0,39}$")]
Email = Annotated[
    str,
    StringConstraints(max_length=254, pattern=r"^[^@\s<>\x00-\x1f]+@[^@\s<>\x00-\x1f]+$"),
]
Mark = Annotated[float, Field(allow_inf_nan=False, ge=-1e9, le=1e9)]
Hundred = Annotated[float, Field(allow_inf_nan=False, ge=0, le=100)]
Link = Annotated[str, StringConstraints(max_length=2000, pattern=PLAIN)]


class In(BaseModel):
    """What comes in: a field that is not known is refused, so that a misspelt one is noticed."""

    model_config = ConfigDict(extra="forbid")


class Out(BaseModel):
    """What goes out."""


class WithListQuality(Out):
    """How good a list is by the model, for staff alone; null where that is not known."""

    expected_loss: float | None = Field(
        default=None,
        description="What the list is expected to lack, in the objective's units, in all.",
    )
    expected_loss_points: float | None = Field(
        default=None,
        description="The same in points of 100 a place; null for an objective that is no sum.",
    )
    expected_loss_points_range: tuple[float, float] | None = Field(
        default=None, description="90 % range of the points."
    )
    belong: float | None = Field(
        default=None, description="How many of those on the list belong on it."
    )
    belong_range: tuple[float, float] | None = Field(
        default=None, description="90 % range of their number."
    )
    could_change: float | None = Field(
        default=None,
        description="How many places could change if everybody were reviewed without end.",
    )


def judged(figures: QualityFigures | None) -> dict[str, Any]:
    """Return the fields of `WithListQuality`."""
    if figures is None:
        return {}
    return {
        "expected_loss": figures.expected_loss,
        "expected_loss_points": figures.points,
        "expected_loss_points_range": figures.points_range,
        "belong": figures.belong,
        "belong_range": figures.belong_range,
        "could_change": figures.could_change,
    }


class Problem(Out):
    """What went wrong, as RFC 9457 has it."""

    type: str
    title: str
    status: int
    detail: str
    instance: str
    code: str = Field(
        default="", description="Stable name of what went wrong; `detail` is it in words."
    )
    params: dict[str, object] = Field(
        default_factory=dict, description="What fills in `detail`, by name."
    )
    errors: list[dict[str, str]] = Field(
        default_factory=list, description="Field and message of each thing wrong in a request."
    )


class Coded(Out):
    """A sentence as its stable code, with what fills it in."""

    code: str
    params: dict[str, object]


def coded(text: str) -> Coded:
    """Return the code of a sentence of ours; an empty one for another text."""
    if not isinstance(text, Message):
        return Coded(code="", params={})
    return Coded(code=text.code, params={name: plain(one) for name, one in text.params.items()})


class Reasoned(In):
    """Why something is done; it stands in the record."""

    reason: Why


class Counted(Out):
    """How many rows an act has changed."""

    count: int


def finite(value: float | None) -> float | None:
    """Return a number that JSON can hold; a margin without evidence has none."""
    return value if value is not None and math.isfinite(value) else None


def hundred(value: float | None) -> float | None:
    """Return a number from 0 to 1 in points of 100, None where JSON cannot hold it."""
    known = finite(value)
    return None if known is None else 100 * known


ShownDigest = Annotated[
    str,
    StringConstraints(pattern=r"^([0-9a-f]{64}(:[0-9a-f]{8})*)?$", max_length=200),
    Field(
        description="Digest of what was shown before; with it, nothing else is done: the answer "
        'is 409, and names what has changed. "" where nothing was shown.'
    ),
]
