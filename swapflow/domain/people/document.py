"""Documents of an application: links as imported, or files that staff uploaded."""

from collections.abc import Iterable
from dataclasses import dataclass


ALWAYS_CONFIDENTIAL = ("confidential", "vertraulich")
"""Words that mark a document or field by its own name, whatever the rules say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A document as reviewers and staff know it.

    Attributes:
        position: Its number among the application's documents, from 0.
        link: Address or path as imported; "" for an uploaded file.
        redacted: Whether staff declared that it does not name the applicant.
        media: Media type of an uploaded file; "" for a link.
        size: Bytes of an uploaded file.
    """

    position: int
    name: str
    link: str
    redacted: bool
    media: str
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NewDocument:
    """A file to be stored; `media` comes from its first bytes, never from its name."""

    name: str
    redacted: bool
    media: str
    body: bytes


def is_confidential(name: str, words: Iterable[str] = ()) -> bool:
    """Whether the applicant's own copy leaves out a document or field, by its name.

    Args:
        name: The name of the file or of the column.
        words: Words of the rules; each is looked for in the name, whatever its case.
    """
    folded = name.casefold()
    marks = (*ALWAYS_CONFIDENTIAL, *(word for word in words if word.strip()))
    return any(mark.casefold() in folded for mark in marks)
