"""Forms with rows that can be added and removed: `kinds.0.name` and its like, without scripts.

Everything that was typed stays text until it is read, so that a form with a mistake in it comes
back as it was sent.

Written by hand, not with a library of form classes: the rules form is made from the schema of the
rules, works without scripts, and its rows nest twice; a class would state the schema again.
"""

import re
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, TypeAlias

from fastapi import Depends, Form, Request
from starlette.datastructures import FormData, UploadFile

from swapflow.domain.seal import NOTHING
from swapflow.errors import InvalidInputError
from swapflow.i18n.translation import translate
from swapflow.messages import Message
from swapflow.untrusted.limits import DEEPEST


Tree: TypeAlias = "str | dict[str, Tree] | list[Tree]"

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")

_DIGITS = 10
"""Digits that no such number has; Python reads very long ones slowly, or not at all."""

MOST_ROWS = 200
"""Rows of one list in a form."""

MOST_FILES = 2
"""Files of one form: a file and the index beside it. A browser sends a field left empty as one."""

LONGEST_TEXT = 4000
"""Characters of a reason, a legal basis, a guidance."""


def is_number(text: str) -> bool:
    """Whether a text is a number that a row or a person can have."""
    return text.isascii() and text.isdecimal() and len(text) < _DIGITS


def is_plain(text: str) -> bool:
    """Whether a text holds no control characters but line breaks and tabs."""
    return _CONTROL.search(text) is None


async def _form(request: Request) -> AsyncIterator[FormData]:
    # The rules of a big program have more fields than the thousand that are taken by default.
    async with request.form(max_files=MOST_FILES, max_fields=20_000) as form:
        yield form


TheForm = Annotated[FormData, Depends(_form)]
"""The fields of a posted form."""


MadeFrom = Annotated[str, Form(alias="revision", max_length=70)]
"""The revision that a form was made from, as a parameter; its default is `NOTHING`."""


def made_from(form: FormData) -> str:
    """Return the revision that a form was made from.

    A form without one counts as made while nothing was stored: an old page, or a program that
    leaves the field out, overwrites nothing, and is shown what is there.
    """
    return text(form, "revision") or NOTHING


def texts(form: FormData) -> list[tuple[str, str]]:
    """Return the fields that are text, with line ends as one character."""
    return [
        (name, value.replace("\r\n", "\n"))
        for name, value in form.multi_items()
        if isinstance(value, str)
    ]


def text(form: FormData, name: str) -> str:
    """Return one field as text, "" when it is not there."""
    value = form.get(name, "")
    return value.replace("\r\n", "\n").strip() if isinstance(value, str) else ""


def file_of(form: FormData, name: str) -> tuple[str, bytes]:
    """Return the name and the bytes of an uploaded file.

    Raises:
        InvalidInputError: If none was chosen, or it is empty.
    """
    value = form.get(name)
    if not isinstance(value, UploadFile) or not value.filename:
        raise InvalidInputError("file_not_chosen")
    data = value.file.read()
    if not data:
        raise InvalidInputError("upload_file_empty", name=value.filename)
    return value.filename, data


def unwritable(value: str, *, most: int = LONGEST_TEXT) -> str:
    """Return what keeps a text from being stored, "" when nothing does."""
    if len(value) > most:
        return Message("text_too_long", length=len(value), most=most)
    if not is_plain(value):
        return Message("text_control_characters")
    return ""


def nested(fields: Iterable[tuple[str, str]]) -> dict[str, Tree]:
    """Return fields such as `kinds.0.name` as dicts and lists; rows keep their order.

    Raises:
        InvalidInputError: If a list has too many rows, or a name too many dots.
    """
    tree: dict[str, Tree] = {}
    for name, value in fields:
        if name.count(".") >= DEEPEST:
            raise InvalidInputError("form_name_too_deep", name=name[:40], most=DEEPEST)
        *path, last = name.split(".")
        here = tree
        for part in path:
            below = here.setdefault(part, {})
            if not isinstance(below, dict):
                # Only a forged form has a text and rows under one name; the rows are taken.
                below = here[part] = {}
            here = below
        here[last] = value
    listed = _listed(tree)
    assert isinstance(listed, dict)
    return listed


def _listed(tree: Tree) -> Tree:
    """Convert dicts whose keys are numbers to lists."""
    if not isinstance(tree, dict):
        return tree
    below = {key: _listed(value) for key, value in tree.items()}
    if not below or not all(map(is_number, below)):
        return below
    if len(below) > MOST_ROWS:
        raise InvalidInputError("form_too_many_rows", rows=len(below), most=MOST_ROWS)
    # By number: as text, row 10 would come before row 2. Gaps of removed rows close.
    return [below[key] for key in sorted(below, key=int)]


def rows(tree: Mapping[str, Tree], name: str) -> list[dict[str, Tree]]:
    """Return the rows of a list in a form; none when there is no such list."""
    found = tree.get(name, [])
    return [row for row in found if isinstance(row, dict)] if isinstance(found, list) else []


def change_rows(tree: dict[str, Tree], what: str, blank: Mapping[str, Tree]) -> bool:
    """Apply a button such as `add:kinds` or `remove:kinds.1`; False for another button.

    Args:
        tree: The form; changed.
        what: The button's value.
        blank: What a new row holds, by the name of its list.
    """
    verb, _, path = what.partition(":")
    if verb not in {"add", "remove"} or not path:
        return False
    parts = path.split(".")
    index = int(parts.pop()) if verb == "remove" and is_number(parts[-1]) else -1
    last = parts.pop()
    here: Tree = tree
    for part in parts:
        here = _step(here, part)
    if not isinstance(here, dict):
        return True
    there = here.setdefault(last, [])
    if not isinstance(there, list):
        there = here[last] = []
    if verb == "add":
        # A copy, or two new rows would share the lists within them.
        there.append(_copied(blank.get(last, {})))
    elif 0 <= index < len(there):
        del there[index]
    return True


def _step(here: Tree, part: str) -> Tree:
    if isinstance(here, dict):
        return here.get(part, {})
    if isinstance(here, list) and is_number(part) and int(part) < len(here):
        return here[int(part)]
    return {}


def _copied(value: Tree) -> Tree:
    if isinstance(value, dict):
        return {key: _copied(item) for key, item in value.items()}
    return [_copied(item) for item in value] if isinstance(value, list) else value


@dataclass(slots=True)
class FormView:
    """A form as a template shows it: values and, beside them, what is wrong with them.

    Attributes:
        values: The nested texts.
        problems: Messages by field name; "" for the form as a whole.
        prefix: Begins the ids of its fields, where a page has several forms.
        labels: What the page calls its fields, by name; known once they were drawn.
    """

    values: Mapping[str, Tree]
    problems: dict[str, list[str]] = field(default_factory=dict)
    prefix: str = "f"
    labels: dict[str, str] = field(default_factory=dict)

    def value(self, name: str) -> str:
        """Return the content of a field."""
        found = self._find(name)
        return found if isinstance(found, str) else ""

    def rows(self, name: str) -> Sequence[int]:
        """Return the numbers of a list's rows."""
        found = self._find(name)
        return range(len(found)) if isinstance(found, list) else ()

    def problem(self, name: str) -> str:
        """Return what is wrong with a field, "" for nothing."""
        return "; ".join(map(translate, self.problems.get(name, ())))

    def has(self, part: str) -> bool:
        """Whether something is wrong in a part of the form."""
        return any(name == part or name.startswith(f"{part}.") for name in self.problems)

    def id(self, name: str) -> str:
        """Return the field's id in the page."""
        return f"{self.prefix}-" + re.sub(r"[^A-Za-z0-9]+", "-", name)

    def listed(self) -> list[tuple[str, str]]:
        """Return every problem as (field, message), for the summary above the form."""
        return [(name, translate(text)) for name, texts in self.problems.items() for text in texts]

    def labelled(self, name: str, label: str) -> str:
        """Remember what the page calls a field, and return it."""
        self.labels[name] = label
        return label

    def note(self, name: str, message: str) -> None:
        """Add a problem."""
        self.problems.setdefault(name, []).append(message)

    def _find(self, name: str) -> Tree:
        here: Tree = dict(self.values)
        for part in name.split("."):
            here = _step(here, part)
        return here
