"""Every sentence that errors and reasons are made of, by its code.

A sentence is written once, in English, in a module of this folder. Below the pages it travels as
a `Message`: a code with values. Who shows it to a person words it in that person's language.

A place is filled in as `str.format` does it, with these additions: an enumeration by its value,
a list with its parts joined by what the place names after the colon ("; "), by ", " otherwise.
A sentence with two forms, for one thing and for many, takes the form that goes with `count`.
"""

import string
from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Self

from swapflow.messages import (
    account,
    acts,
    advice,
    api,
    bandit,
    cohort,
    command,
    cycle,
    files,
    operations,
    pages,
    papers,
    research,
    reviewing,
    setup,
    stores,
)


Forms = str | tuple[str, str]
"""A sentence, or its forms for one thing and for many."""

MODULES = (
    account,
    acts,
    advice,
    api,
    bandit,
    cohort,
    command,
    cycle,
    files,
    operations,
    pages,
    papers,
    research,
    reviewing,
    setup,
    stores,
)

TEXTS: Mapping[str, Forms] = {
    code: forms for module in MODULES for code, forms in module.TEXTS.items()
}
"""All sentences in English, by code."""


class MessageFormat:
    """How a message is worded: in English, as it is written; `swapflow.i18n` has the others."""

    def sentence(self, text: str) -> str:
        """Return a sentence of the list, or one of our own words, in the reader's language."""
        return text

    def counted(self, one: str, many: str, count: int) -> str:
        """Return the form of a sentence that goes with a count."""
        return one if count == 1 else many

    def number(self, value: float, form: str) -> str:
        """Format a number; `form` is what `format` takes."""
        return format(value, form)

    def moment(self, value: object, form: str) -> str:
        """Format a day or a moment; `form` is what `format` takes."""
        return format(value, form)


ENGLISH = MessageFormat()


class Message(str):
    """A sentence as a value: it reads as English, and knows its code and what fills it in.

    Wherever a text is expected it is one, so that the ledger, the API and the command need no
    translation. `swapflow.i18n.languages.translate` words it for a reader.

    Attributes:
        code: The stable name of the sentence.
        params: What fills in its places, by name.
    """

    __slots__ = ("code", "params")

    code: str
    params: Mapping[str, object]

    def __new__(cls, code: str, /, **params: object) -> Self:
        """Make a message; a text that is no code is taken as it stands."""
        named = {name: _listed(value) for name, value in params.items()}
        made = super().__new__(cls, _worded(code, named, ENGLISH))
        made.code = code
        made.params = named
        return made

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, object]]:
        return (self.code,), dict(self.params)

    def worded(self, wording: MessageFormat) -> str:
        """Return the sentence in the language of a wording."""
        return _worded(self.code, self.params, wording)


def plain(value: object) -> object:
    """Return a parameter as JSON has it: a message as code and parameters, a moment as text."""
    if isinstance(value, Message):
        return {"code": value.code, "params": plain(value.params)}
    if isinstance(value, Enum):
        return plain(value.value)
    if isinstance(value, Mapping):
        return {str(name): plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(one) for one in value]
    if hasattr(value, "isoformat"):
        return str(value.isoformat())
    return value if value is None or isinstance(value, str | bool | int | float) else str(value)


def restored(value: object) -> str:
    """Return a message from what `plain` made of it; a text as it is."""
    if not isinstance(value, dict):
        return str(value)
    params = {
        name: [_again(part) for part in one] if isinstance(one, list) else _again(one)
        for name, one in value["params"].items()
    }
    return Message(value["code"], **params)


def _again(value: object) -> object:
    return (
        restored(value) if isinstance(value, dict) and set(value) == {"code", "params"} else value
    )


def _listed(value: object) -> object:
    """Return what is gone through, such as the keys of a table, as a list; others as they are."""
    if isinstance(value, str | bytes | list | tuple) or hasattr(value, "dtype"):
        return value
    return list(value) if isinstance(value, Iterable) else value


def _worded(code: str, params: Mapping[str, object], wording: MessageFormat) -> str:
    forms = TEXTS.get(code)
    if forms is None:
        return code
    try:
        return _filled(_form(forms, params, wording), params, wording)
    except (KeyError, ValueError):
        # A translation that has other places than its sentence is a fault of the catalogue, and
        # no reason to keep what is wrong from its reader.
        if wording is ENGLISH:
            raise
        return _worded(code, params, ENGLISH)


def _form(forms: Forms, params: Mapping[str, object], wording: MessageFormat) -> str:
    """Return the sentence to fill in, the one that goes with the count where there are two."""
    if isinstance(forms, str):
        return wording.sentence(forms)
    count = params["count"]
    assert isinstance(count, int)
    return wording.counted(*forms, count)


def _filled(text: str, params: Mapping[str, object], wording: MessageFormat) -> str:
    parts = []
    for words, name, form, conversion in string.Formatter().parse(text):
        parts.append(words)
        if name is not None:
            parts.append(_part(params[name], form or "", conversion, wording))
    return "".join(parts)


def _part(value: object, form: str, conversion: str | None, wording: MessageFormat) -> str:
    """Format what fills in one place."""
    if isinstance(value, list | tuple):
        between = wording.sentence(form) if form.strip().isalpha() else form or ", "
        return between.join(_part(one, "", conversion, wording) for one in value)
    plainly = value.value if isinstance(value, Enum) else value
    if conversion == "r":
        return repr(plainly)
    if isinstance(value, Message):
        return value.worded(wording)
    if isinstance(value, Enum):
        return wording.sentence(str(plainly))
    return _formatted(value, form, wording)


def _formatted(value: object, form: str, wording: MessageFormat) -> str:
    """Format a number, a moment, or what is the same in every language."""
    if form and isinstance(value, int | float):
        return wording.number(value, form)
    if form.startswith("%"):
        return wording.moment(value, form)
    return format(value, form) if form else str(value)
