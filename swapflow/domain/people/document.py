"""Documents of an application: links as imported, or files that staff uploaded."""

from dataclasses import dataclass


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
