"""Caps on lists, workbooks, archives: refused in words, soon, and documented."""

import io
import json
import re
import time
import zipfile
from collections.abc import Callable
from contextlib import suppress
from io import BytesIO
from pathlib import Path

import pytest
from openpyxl import Workbook

from swapflow.engine.reviewing.documents import DocumentUpload
from swapflow.errors import InvalidInputError
from swapflow.files.rules.rules_file import parse_rules, template
from swapflow.files.tables.table import read_table
from swapflow.files.tables.zip_archive import read_archive
from swapflow.untrusted import limits
from swapflow.untrusted.zip_directory import listed_files


ROOT = Path(__file__).parents[2]
SOON = 8.0
"""Seconds of the processor; before there were caps, each of these took more, or for ever."""


def workbook(rows: int = 3, columns: int = 2, *, sheets: int = 1) -> bytes:
    book = Workbook()
    book.worksheets[0].append([f"c{i}" for i in range(columns)])
    for number in range(rows):
        book.worksheets[0].append([f"{number}"] * columns)
    for _ in range(sheets - 1):
        book.create_sheet()
    file = BytesIO()
    book.save(file)
    return file.getvalue()


def with_member(data: bytes, name: str, change: Callable[[bytes], bytes]) -> bytes:
    file = BytesIO()
    with (
        zipfile.ZipFile(BytesIO(data)) as old,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for member in old.namelist():
            content = old.read(member)
            new.writestr(member, change(content) if member == name else content)
    return file.getvalue()


def merged_again_and_again() -> bytes:
    cells = b'<mergeCell ref="A1:A2001"/>' * 20_000
    merged = b'<mergeCells count="20000">' + cells + b"</mergeCells></worksheet>"
    return with_member(
        workbook(rows=2_000),
        "xl/worksheets/sheet1.xml",
        lambda sheet: sheet.replace(b"</worksheet>", merged),
    )


def comment_of_merged_cells() -> bytes:
    comment = b"<!--" + b"<mergeCell <row " * 60_000 + b"--></worksheet>"
    return with_member(
        workbook(),
        "xl/worksheets/sheet1.xml",
        lambda sheet: sheet.replace(b"</worksheet>", comment),
    )


def one_sheet_many_times() -> bytes:
    return with_member(
        workbook(),
        "xl/workbook.xml",
        lambda book: re.sub(rb"(<sheet [^>]*/>)", rb"\1" * 300, book),
    )


def long_number_format() -> bytes:
    book = Workbook()
    sheet = book.worksheets[0]
    sheet.append(["id", "no"])
    for number in range(3_000):
        sheet.append([f"A{number}", number])
        sheet.cell(number + 2, 2).number_format = "0" * 5_000
    file = BytesIO()
    book.save(file)
    return file.getvalue()


def archive(files: int) -> bytes:
    file = BytesIO()
    with zipfile.ZipFile(file, "w") as made:
        for number in range(files):
            made.writestr(zipfile.ZipInfo(f"A{number}.txt"), b"x")
    return file.getvalue()


def csv_of(columns: int, rows: int = 1, *, names: str = "c{}") -> bytes:
    header = ",".join(names.format(i) for i in range(columns))
    return (header + "\n" + (",".join("1" * columns) + "\n") * rows).encode()


WIDE = limits.MOST_COLUMNS + 1
LONG = limits.LONGEST_CELL + 1

REFUSED: dict[str, tuple[bytes, str, str]] = {
    "columns of a CSV": (csv_of(300_000), "a.csv", r"a\.csv: line 1: 300000 columns, and 2000"),
    "columns of a row": (
        b"id,name\nA1," + b"x," * WIDE + b"x\n",
        "a.csv",
        r"line 2: 2003 columns.*\. Leave out",
    ),
    "columns of JSON": (
        json.dumps([{f"k{i}": 1 for i in range(WIDE)}]).encode(),
        "a.json",
        r"a\.json: line 2: 2001 columns",
    ),
    "columns of a workbook": (workbook(columns=WIDE), "a.xlsx", r"line 1: 2001 columns"),
    "a cell of a CSV": (
        b"id,name\nA1," + b"x" * LONG,
        "a.csv",
        r"a\.csv: line 2, column 2: .*'x+…' has 100001 characters, and 100000 .*\. Shorten",
    ),
    "a cell of JSON": (
        json.dumps([{"id": "A1", "n": "x" * LONG}]).encode(),
        "a.json",
        r"a\.json: line 2, column 2: .* has 100001",
    ),
    "rows": (b"id\n" + b"1\n" * 200_001, "a.csv", r"a\.csv: line \d+: more than 200000 rows"),
    "sheets": (workbook(sheets=201), "a.xlsx", r"a\.xlsx: 201 sheets, and 200 are the most"),
    "one sheet many times": (one_sheet_many_times(), "a.xlsx", r"300 sheets"),
    "merged cells": (merged_again_and_again(), "a.xlsx", r"merged cells reach over more than"),
    "files of a workbook": (
        with_member(archive(5_001), "", bytes),
        "a.xlsx",
        r"contains 5001 files, and 5000 are the most",
    ),
}
"""What is more than is taken: the file, its name, and how that is told."""


@pytest.mark.long
@pytest.mark.parametrize("what", REFUSED)
def test_what_is_too_much_is_refused_soon_with_its_place_the_cap_and_a_cure(what: str) -> None:
    data, name, says = REFUSED[what]

    began = time.process_time()
    with pytest.raises(InvalidInputError, match=says):
        read_table(data, name=name)

    assert time.process_time() - began < SOON


READ: dict[str, bytes] = {
    "as many columns as are taken": csv_of(limits.MOST_COLUMNS, rows=500),
    "equal names of all columns": csv_of(limits.MOST_COLUMNS, rows=50, names="same"),
    "separators of columns never filled": b"id,name" + b"," * 16_384 + b"\nA1,Ann\n" * 300,
    "rows shorter than a wide header": csv_of(limits.MOST_COLUMNS) + b"1\n" * 20_000,
    "a header on two rows, with gaps": (
        b"Person," + b"," * 1_990 + b"\n" + b",".join(b"n%d" % (i // 2) for i in range(1_990))
    ),
    "blanks and zero-width characters by turns": (
        ("id,name\n" + ("A1," + "\u200b " * 40_000 + "x\n") * 20).encode()
    ),
    "a separator that is a blank": b"sep= " + b" " * 80_000 + b"x\nid name\nA1 Ann\n",
    "blanks after a separator of blanks": b"sep= \nid name\n"
    + (b"A " + b" " * 1_900 + b"\n") * 20,
    "nothing but quotation marks": b"id,name\nA1," + b'"' * 90_000 + b"\n",
    "a key many times in one object": (
        b'[{"id": "A1"}, {' + b",".join(b'"k%d": 1' % (i // 2) for i in range(40_000)) + b"}]"
    ),
    "marks of merged cells in a comment": comment_of_merged_cells(),
    "a number format as long as a book": long_number_format(),
}
"""What once took time as the square of its size."""


@pytest.mark.long
@pytest.mark.parametrize("what", READ)
def test_time_grows_no_faster_than_the_file(what: str) -> None:
    began = time.process_time()
    with suppress(InvalidInputError):
        read_table(READ[what], name="a.json" if "object" in what else "a list")

    assert time.process_time() - began < SOON


@pytest.mark.long
@pytest.mark.parametrize("files", [limits.MOST_ZIP_FILES + 1, 60_000])
def test_an_archive_of_too_many_files_is_refused_before_they_are_looked_at(files: int) -> None:
    data = archive(files)

    began = time.process_time()
    with pytest.raises(InvalidInputError, match=f"contains {files} files, and 5000"):
        read_archive(data)

    assert time.process_time() - began < 0.2


def test_files_of_an_archive_inside_an_archive_are_not_counted() -> None:
    inside = archive(4_000)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as made:
        made.writestr("A1.docx", inside)
        made.writestr("A2.docx", inside)

    found, left = read_archive(file.getvalue())

    assert listed_files(file.getvalue()) == 2
    assert found == [
        DocumentUpload(path="A1.docx", body=inside),
        DocumentUpload(path="A2.docx", body=inside),
    ]
    assert left == []


def test_a_rules_file_that_is_too_long_is_refused_whatever_way_it_comes() -> None:
    text = template("admissions") + "# more\n" * 40_000

    with pytest.raises(InvalidInputError, match="too long for a rules file; 256 kB are the most"):
        parse_rules(text)


def test_the_administrators_page_names_every_cap() -> None:
    page = (ROOT / "docs" / "administrators.md").read_text("utf-8")
    section = page.partition("## What is taken at once")[2].partition("\n## ")[0]
    told = set(re.findall(r"^\| `([A-Z_]+)`", section, re.MULTILINE))
    caps = {name for name in vars(limits) if name.isupper()}

    assert told == caps
    for name in sorted(caps):
        row = next(line for line in section.splitlines() if f"`{name}`" in line)
        assert _spelled(getattr(limits, name)) in row, row


def _spelled(cap: int) -> str:
    if cap % 2**20 == 0:
        return f"{cap // 2**20} MiB"
    return "2⁶³ − 1" if cap == 2**63 - 1 else f"{cap:,}"
