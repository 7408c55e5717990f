"""A plain document of words, facts and tables: as one HTML page, or as a tagged PDF.

Both are made from the same blocks. Whatever people typed goes in as text, never as markup.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib import resources
from importlib.util import find_spec
from pathlib import Path

from jinja2 import Environment, StrictUndefined

from swapflow.errors import InvalidInputError, UnavailableError
from swapflow.i18n.languages import current_language
from swapflow.messages import Message


FONT_PACKAGES = ("pylopdf_fonts_ar", "pylopdf_fonts_he", "pylopdf_fonts_hi", "pylopdf_fonts_jp")
"""Packages of the extra `cards` that hold fonts; they are looked into and never run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentGrid:
    """A table: the first cell of each row names it."""

    caption: str
    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentPart:
    """A part of a document.

    Attributes:
        text: Paragraphs at its beginning.
        facts: Names and values.
        grids: Tables, below.
        notes: Small paragraphs at its end.
    """

    title: str
    text: tuple[str, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    grids: tuple[DocumentGrid, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedDocument:
    """A document.

    Attributes:
        title: What it is.
        about: Whom or what it is about; a line below the title.
        lead: Paragraphs before the first part.
        foot: A small paragraph at the end.
    """

    title: str
    about: str
    lead: tuple[str, ...]
    parts: tuple[DocumentPart, ...]
    foot: str


def html(document: PrintedDocument) -> bytes:
    """Render one HTML page that needs nothing else."""
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    template = environment.from_string(_template("document.html"))
    return template.render(
        document=document, style=_template("document.css"), language=current_language()
    ).encode()


def pdf(document: PrintedDocument, *, fonts: Sequence[Path] = ()) -> bytes:
    """Render a PDF that screen readers can follow (PDF/UA-1), its fonts within.

    Args:
        document: The document.
        fonts: Folders of fonts beside those of the system.

    Raises:
        UnavailableError: If the extra `cards` is not installed.
        InvalidInputError: If no font has one of the characters.
    """
    try:
        import typst  # noqa: PLC0415 - an extra, and 80 MB
    except ImportError as error:
        raise UnavailableError("pdf_extra_missing") from error
    try:
        made = typst.compile(
            _template("document.typ").encode(),
            format="pdf",
            font_paths=typst.Fonts(font_paths=[*map(str, fonts), *_packaged_fonts()]),
            sys_inputs={
                "document": json.dumps(asdict(document)),
                "language": current_language().locale.language,
            },
            pdf_standards=["ua-1"],
            timestamp=datetime.fromtimestamp(0, UTC),
        )
    except typst.TypstError as error:
        raise InvalidInputError(
            "pdf_not_made", problem=error, cure=Message("fonts_missing_cure")
        ) from error
    if not isinstance(made, bytes):
        raise TypeError(type(made))
    return made


def can_make_pdf() -> bool:
    """Whether the extra `cards` is installed; looks for it and loads nothing."""
    return find_spec("typst") is not None


def _template(name: str) -> str:
    return resources.files("swapflow.files.exports").joinpath("templates", name).read_text("utf-8")


def _packaged_fonts() -> list[str]:
    found = (find_spec(package) for package in FONT_PACKAGES)
    return [folder for spec in found if spec for folder in spec.submodule_search_locations or ()]
