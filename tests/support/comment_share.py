"""How much of the code is explained beside it: comment lines over lines of code."""

import io
import re
import tokenize
from dataclasses import dataclass
from pathlib import Path
from typing import Self


DIRECTIVE = re.compile(
    r"#\s*(noqa(:\s*[A-Z0-9, ]+)?|type:\s*ignore(\[[\w\-, ]+\])?|pragma: no \w+)\s*-?\s*"
)
"""What a comment tells a tool: a comment of nothing else explains nothing to a reader."""

ENDS = frozenset({tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT})
"""Tokens after which a statement begins; a line break inside brackets is none of them."""

NO_CODE = ENDS | {tokenize.NL, tokenize.ENDMARKER}


@dataclass(frozen=True, slots=True, kw_only=True)
class CommentShare:
    """Counted lines of some modules.

    Attributes:
        comments: Lines that are, or end in, a comment for a reader.
        code: Lines of code; docstrings, comments and empty lines are none.
    """

    comments: int = 0
    code: int = 0

    def __add__(self, other: Self) -> "CommentShare":
        """Return the lines of both."""
        return CommentShare(comments=self.comments + other.comments, code=self.code + other.code)

    @property
    def in_a_hundred(self) -> float:
        """Comment lines in 100 lines of code."""
        return 100 * self.comments / self.code if self.code else 0.0


def comment_share(text: str) -> CommentShare:
    """Count the comment lines and the code lines of one module's text."""
    comments: set[int] = set()
    code: set[int] = set()
    begins = True
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            if DIRECTIVE.sub("", token.string).strip():
                comments.add(token.start[0])
        elif token.type in NO_CODE:
            begins = begins or token.type in ENDS
        elif token.type == tokenize.STRING and begins and token.line.lstrip()[:3] == '"""':
            begins = False
        else:
            begins = False
            code.update(range(token.start[0], token.end[0] + 1))
    return CommentShare(comments=len(comments), code=len(code))


def share_of(paths: list[Path]) -> CommentShare:
    """Count the lines of several modules together."""
    return sum((comment_share(path.read_text("utf-8")) for path in paths), CommentShare())
