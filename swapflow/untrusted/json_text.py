"""JSON from people and from other programs, read so that nothing but `ValueError` escapes."""

import json
import math
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from swapflow.errors import InvalidInputError
from swapflow.untrusted.limits import LARGEST_INTEGER, MOST_JSON_BYTES
from swapflow.untrusted.nesting import check_json_nesting, problem_of


_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")

Pairs = Callable[[Sequence[tuple[str, object]]], object]


def load_json(
    text: str | bytes,
    *,
    object_of: Pairs | None = None,
    numbers_as_text: bool = False,
    finite: bool = True,
) -> Any:  # noqa: ANN401 - JSON can be anything
    """Read JSON that another program or a person wrote.

    Refused beside what is no JSON: more levels than `DEEPEST`, integers that no database holds,
    NaN and infinity, be it spelled as 1e999, and halves of characters, which no text holds.

    Args:
        text: The JSON; bytes are UTF-8, UTF-16 or UTF-32.
        object_of: Makes an object of its keys and values; a dict by default.
        numbers_as_text: Whether numbers stay as they are spelled, whatever their size.
        finite: Whether NaN, infinity and such integers are refused.

    Raises:
        ValueError: If it is no such JSON; its text says what is wrong and where.
    """
    text = checked_text(text)
    as_text = str if numbers_as_text else None
    found = json.loads(
        text,
        object_pairs_hook=object_of,
        parse_int=as_text or (_integer if finite else None),
        parse_float=as_text or (_finite if finite else None),
        parse_constant=as_text or (_no_number if finite else None),
    )
    if _SURROGATE.search(text) and object_of is None:
        json.dumps(found, ensure_ascii=False).encode()  # a half alone is refused here
    return found


def checked_text(text: str | bytes) -> str:
    """Return JSON as text, once it is sure that a reader comes to its end.

    Raises:
        ValueError: If it is no text, or nests too deeply.
    """
    if isinstance(text, bytes):
        text = text.decode(json.detect_encoding(text))
    check_json_nesting(text)
    return text


def read_json_file(path: Path, *, most: int = MOST_JSON_BYTES) -> Any:  # noqa: ANN401 - see above
    """Read a file of JSON.

    Raises:
        InvalidInputError: If the file cannot be read, is too large or is no JSON as `load_json`
            takes it.
    """
    try:
        with path.open("rb") as file:
            data = file.read(most + 1)
    except OSError as error:
        raise InvalidInputError("file_unreadable", file=path, problem=error.strerror) from error
    if len(data) > most:
        raise InvalidInputError("json_file_too_large", file=path, most=most // 1000)
    try:
        return load_json(data)
    except ValueError as error:
        raise InvalidInputError("not_json", name=path, problem=problem_of(error)) from error


def _integer(digits: str) -> int:
    # By its length first: to convert very many digits takes long.
    number = int(digits) if len(digits) <= len(str(-LARGEST_INTEGER)) else None
    if number is None or abs(number) > LARGEST_INTEGER:
        raise ValueError(f"the number {digits[:20]}… is beyond {LARGEST_INTEGER}")
    return number


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"the number {text[:20]} is beyond what can be calculated with")
    return number


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no number in JSON")
