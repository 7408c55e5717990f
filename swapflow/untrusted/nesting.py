"""How deep brackets stand inside brackets: asked before a reader that calls itself for each level.

Python's readers of JSON and TOML end in `RecursionError` at a depth that depends on who called
them, and what they let through overflows the next function that walks it.
"""

import re
from collections.abc import Iterable

from swapflow.messages import Message
from swapflow.untrusted.limits import DEEPEST


_JSON = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[{]|[\]}]', re.DOTALL)
_TOML = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*"""'
    r"|'''.*?'''"
    r'|"[^"\\\n]*(?:\\.[^"\\\n]*)*"'
    r"|'[^'\n]*'"
    r"|\#[^\n]*"
    r"|[\[{]|[\]}]",
    re.DOTALL,
)
_KEY = r"(?:[\w-]+|_STRING_)"
_DOTTED = re.compile(rf"{_KEY}(?:[ \t]*\.[ \t]*{_KEY}){{{DEEPEST}}}")


class NestedTooDeeplyError(ValueError):
    """Text that nests deeper than `DEEPEST`.

    Attributes:
        message: Where it does, and the cure.
    """

    def __init__(self, line: int) -> None:
        self.message = Message("json_nested_too_deeply", line=line, most=DEEPEST)
        super().__init__(str(self.message))


def problem_of(error: ValueError) -> str:
    """Return what a message says of text that could not be read."""
    return error.message if isinstance(error, NestedTooDeeplyError) else str(error)


def check_json_nesting(text: str) -> None:
    """Check that JSON nests no deeper than is taken; text that is no JSON passes or not.

    Raises:
        NestedTooDeeplyError: If it does.
    """
    if text.count("[") + text.count("{") > DEEPEST:
        _check(text, _JSON.finditer(text))


def check_toml_nesting(text: str) -> None:
    """Check the same of TOML, where a key with dots nests as brackets do.

    Raises:
        NestedTooDeeplyError: If it does.
    """
    if text.count("[") + text.count("{") > DEEPEST:
        _check(text, _TOML.finditer(text))
    if text.count(".") < DEEPEST:
        return
    # A string may be a part of a key; inside one, dots mean nothing.
    plain = _TOML.sub(_placeholder, text)
    dotted = _DOTTED.search(plain)
    if dotted is not None:
        raise NestedTooDeeplyError(plain.count("\n", 0, dotted.start()) + 1)


def _check(text: str, tokens: Iterable["re.Match[str]"]) -> None:
    depth = 0
    for token in tokens:
        match token[0]:
            case "[" | "{":
                depth += 1
                if depth > DEEPEST:
                    raise NestedTooDeeplyError(text.count("\n", 0, token.start()) + 1)
            case "]" | "}":
                depth = max(0, depth - 1)
            case _:
                pass


def _placeholder(token: "re.Match[str]") -> str:
    """Return the token with its text left out and its line ends kept."""
    text = token[0]
    lines = "\n" * text.count("\n")
    return f"_STRING_{lines}" if text[0] in "\"'" else text if text[0] in "[]{}" else lines
