"""A combined PDF split into documents, by its bookmarks or by an index of pages.

A part holds its own pages and nothing else of the file: links, article threads and pictures that
belong to other pages would bring other applicants along, unseen.
"""

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

from pypdf import PageObject, PdfReader, PdfWriter
from pypdf.errors import PyPdfError
from pypdf.generic import ArrayObject, DictionaryObject, NameObject

from swapflow.engine.reviewing.documents import owner_of
from swapflow.engine.reviewing.incoming_documents import IncomingDocument
from swapflow.errors import InvalidInputError
from swapflow.files.intake.index import PageRange, pages_in_index
from swapflow.untrusted.limits import MOST_PAGES


BROKEN = (
    PyPdfError,
    ValueError,
    KeyError,
    TypeError,
    AttributeError,
    IndexError,
    AssertionError,
    OSError,
    OverflowError,
    RecursionError,
    NotImplementedError,
)
"""What a reader of PDF raises over a damaged file."""

_NOT_OF_A_PAGE = ("/B", "/AA", "/PieceInfo", "/StructParents", "/Thumb", "/Tabs")
_NOT_OF_A_NOTE = ("/A", "/AA", "/Dest", "/P", "/Parent", "/Popup", "/IRT", "/StructParent")
_DRAWN = re.compile(rb"/([^\s/<>\[\](){}%]+)\s+Do\b")
_DEEPEST = 2
"""Levels of bookmarks that are looked at."""


def read_parts(
    path: Path, ids: Mapping[str, str], *, index: Path | None = None, stem: str = ""
) -> Iterator[IncomingDocument]:
    """Split a combined PDF into one document for each bookmark, or each row of an index.

    Args:
        path: The PDF.
        ids: External ids of the program by their reduced form.
        index: Applicant, first and last page in each row; without it bookmarks are read whose
            titles begin with an applicant's id.
        stem: What the parts are called; the PDF's own name if empty.

    Raises:
        InvalidInputError: If it cannot be read, or nothing says whose its pages are.
        BadRowsError: If the index is wrong; before any part is made.
    """
    try:
        with path.open("rb") as file:
            reader = PdfReader(file)
            if reader.is_encrypted and not reader.decrypt(""):
                raise InvalidInputError("pdf_locked", name=path.name)
            pages = len(reader.pages)
            if pages > MOST_PAGES:
                raise InvalidInputError("pdf_too_long", pages=pages, most=MOST_PAGES)
            ranges = (
                pages_in_index(index, index.name, ids, pages=pages)
                if index is not None
                else bookmarked(reader, ids)
            )
            if not any(one.owner for one in ranges):
                raise InvalidInputError("pdf_nobody_named", name=path.name)
            yield from _parts(reader, ranges, stem or path.stem)
    except BROKEN as error:
        raise InvalidInputError("pdf_unreadable", problem=type(error).__name__) from error


def bookmarked(reader: PdfReader, ids: Mapping[str, str]) -> tuple[PageRange, ...]:
    """Return whose pages are which by the bookmarks; a part that is nobody's has no owner.

    The outermost bookmarks count, or those inside them where the outermost name nobody.
    """
    for level in range(_DEEPEST):
        marks = sorted(_marks(reader, reader.outline, level), key=lambda mark: mark[0])
        ranges = _ranges(marks, set(ids.values()), len(reader.pages))
        if any(one.owner for one in ranges):
            return ranges
    return ()


def _ranges(
    marks: Sequence[tuple[int, str]], known: set[str], pages: int
) -> tuple[PageRange, ...]:
    """Return a range of pages for each bookmark, up to where the next one begins."""
    if not marks:
        return ()
    ends = [*(first for first, _ in marks[1:]), pages]
    return tuple(
        PageRange(
            owner=owner_of(title.replace("/", "_"), known) or "",
            first=first + 1,
            last=max(first + 1, end),
            file=title,
        )
        for (first, title), end in zip(marks, ends, strict=True)
    )


def _marks(reader: PdfReader, outline: Sequence[object], level: int) -> Iterator[tuple[int, str]]:
    """List (page from 0, title) of the bookmarks of a level."""
    for one in outline:
        if isinstance(one, list):
            if level:
                yield from _marks(reader, one, level - 1)
        elif not level:
            page = reader.get_destination_page_number(one)  # type: ignore[arg-type]  # pypdf's own
            if page is not None and page >= 0:
                yield page, str(getattr(one, "title", "") or "").strip()


def _parts(
    reader: PdfReader, ranges: Sequence[PageRange], stem: str
) -> Iterator[IncomingDocument]:
    counts: dict[str, int] = {}
    for one in ranges:
        place = f"pages {one.first} to {one.last}"
        if not one.owner:
            problem = f"no applicant's id stands at the beginning of the bookmark {one.file!r}"
            yield IncomingDocument(path=place, owner=None, name="", problem=problem)
            continue
        counts[one.owner] = counts.get(one.owner, 0) + 1
        more = f"-{counts[one.owner]}" if counts[one.owner] > 1 else ""
        yield IncomingDocument(
            path=place,
            owner=one.owner,
            name=f"{PurePosixPath(stem).name}{more}.pdf",
            body=_part(reader, one),
        )


def _part(reader: PdfReader, one: PageRange) -> bytes:
    writer = PdfWriter()
    for number in range(one.first - 1, one.last):
        page = reader.pages[number]
        _keep_to_itself(page)
        writer.add_page(page, excluded_keys=_NOT_OF_A_PAGE)
    file = io.BytesIO()
    writer.write(file)
    return file.getvalue()


def _keep_to_itself(page: PageObject) -> None:
    """Take from a page what leads to other pages: links, threads, pictures it does not draw."""
    for key in _NOT_OF_A_PAGE:
        page.pop(key, None)
    notes = page.get("/Annots")
    if notes is not None:
        kept = ArrayObject()
        for note in notes.get_object():
            about = note.get_object()
            if isinstance(about, DictionaryObject) and about.get("/Subtype") != "/Link":
                own = {key: value for key, value in about.items() if key not in _NOT_OF_A_NOTE}
                kept.append(DictionaryObject(own))
        page[NameObject("/Annots")] = kept
    resources = page.get("/Resources")
    if resources is None:
        return
    of_page = DictionaryObject(resources.get_object())
    pictures = of_page.get("/XObject")
    content = page.get_contents()
    if pictures is not None and content is not None:
        # Programs that join files often give all pages one list of pictures.
        drawn = {f"/{name.decode('latin-1')}" for name in _DRAWN.findall(content.get_data())}
        own = {key: value for key, value in pictures.get_object().items() if key in drawn}
        of_page[NameObject("/XObject")] = DictionaryObject(own)
    page[NameObject("/Resources")] = of_page
