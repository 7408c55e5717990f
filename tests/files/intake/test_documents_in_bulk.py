"""Many documents in one file: ZIPs with an index, and combined PDFs."""

import io
import tracemalloc
import zipfile
from pathlib import Path

import pytest
from pypdf import PdfReader, PdfWriter
from pypdf.annotations import Link
from pypdf.generic import (
    ArrayObject,
    DecodedStreamObject,
    DictionaryObject,
    NameObject,
    NumberObject,
)

from swapflow.domain.lists.exchanged_file import ExchangeOutcome
from swapflow.files.intake.answer import IntakeAnswer
from swapflow.files.intake.take import Sent, take_file
from swapflow.untrusted.limits import MOST_BULK_FILES
from swapflow.untrusted.zip_directory import listed_files_on_disk
from tests.engine.cycle_by_hand import CYCLE, World


def take(
    world: World, path: Path, *, index: str | None = None, most: int = 2_000_000_000
) -> IntakeAnswer:
    beside = None
    if index is not None:
        beside = path.with_name(f"{path.name}.index.csv")
        beside.write_text(index)
    sent = Sent(path=path, name=path.name, via="API", by="ops", index=beside, most_bytes=most)
    return take_file(sent, product=world.product, cycle_id=CYCLE)


def zipped(path: Path, files: dict[str, bytes], *, packed: bool = True) -> Path:
    kind = zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED
    with zipfile.ZipFile(path, "w", kind) as archive:
        for name, body in files.items():
            archive.writestr(name, body)
    return path


def documents(world: World, number: int) -> list[str]:
    return [one.name for one in world.product.applicants.files(CYCLE, number)]


@pytest.fixture
def world() -> World:
    return World(launch=False, applications=3)


def test_names_say_whose_files_are_where_there_is_no_index(world: World, tmp_path: Path) -> None:
    path = zipped(
        tmp_path / "all.zip",
        {"A001/cv.txt": b"one", "A002_cv.txt": b"two", "nobody.txt": b"?", "A001/x.exe": b"\0MZ"},
    )

    answer = take(world, path)

    assert answer.told() == "all.zip was taken: 2 stored, 2 left out"
    assert documents(world, 0) == ["cv.txt"]
    assert [place for place, _ in answer.left] == ["nobody.txt", "A001/x.exe"]


@pytest.mark.parametrize("inside", [True, False])
def test_an_index_says_whose_each_file_is(world: World, tmp_path: Path, *, inside: bool) -> None:
    index = "applicant,file\nA002,scans/1.txt\nA003,2.txt\n"
    files = {"scans/1.txt": b"one", "scans/2.txt": b"two", "scans/A001.txt": b"three"}
    path = zipped(
        tmp_path / "all.zip", {"index.csv": index.encode(), **files} if inside else files
    )

    answer = take(world, path, index=None if inside else index)

    assert answer.counts == {"stored": 2, "same": 0, "left": 1}
    assert (documents(world, 1), documents(world, 2)) == (["1.txt"], ["2.txt"])
    assert answer.left == (("scans/A001.txt", "the index does not name it"),)


def test_a_wrong_index_stores_nothing(world: World, tmp_path: Path) -> None:
    path = zipped(tmp_path / "all.zip", {"1.txt": b"one", "2.txt": b"two"})

    answer = take(world, path, index="applicant,file\nA001,1.txt\nZ9,2.txt\n")

    assert answer.outcome is ExchangeOutcome.REFUSED
    assert [(row.line, row.value) for row in answer.bad] == [(3, "Z9")]
    assert documents(world, 0) == []


def test_an_index_without_its_columns_is_refused_by_name(world: World, tmp_path: Path) -> None:
    answer = take(world, zipped(tmp_path / "all.zip", {"1.txt": b"1"}), index="a,b\n1,2\n")

    assert "an index names the applicant and the file" in answer.bad[0].reason


def test_what_is_there_already_is_not_stored_again(world: World, tmp_path: Path) -> None:
    take(world, zipped(tmp_path / "all.zip", {"A001/cv.txt": b"one", "A002/cv.txt": b"two"}))

    more = {"A001/cv.txt": b"one", "A002/cv.txt": b"newer", "A003/cv.txt": b"three"}
    answer = take(world, zipped(tmp_path / "more.zip", more))

    assert answer.counts == {"stored": 2, "same": 1, "left": 0}
    assert world.product.applicants.file_content(CYCLE, 1, 0) == b"newer"
    assert take(world, tmp_path / "more.zip").again


def test_files_that_were_left_out_come_in_once_their_applicant_is_there(
    world: World, tmp_path: Path
) -> None:
    path = zipped(tmp_path / "all.zip", {"A001/cv.txt": b"one", "A004/cv.txt": b"four"})
    assert take(world, path).counts["left"] == 1
    more = tmp_path / "more.csv"
    more.write_text("id\nA004\n")
    take(world, more)

    assert take(world, path).counts == {"stored": 1, "same": 1, "left": 0}


@pytest.mark.parametrize("name", ["../A001.txt", "/A001.txt", "A001\\..\\x.txt", "C:A001.txt"])
def test_a_path_out_of_an_archive_is_left_out(world: World, tmp_path: Path, name: str) -> None:
    answer = take(world, zipped(tmp_path / "all.zip", {name: b"x", "A002.txt": b"y"}))

    assert answer.counts["stored"] == 1
    assert answer.left[0][1] in {
        "its path leads out of the archive",
        "no applicant's id stands at the beginning of its name",
    }


def test_a_bomb_is_refused_after_what_it_may_hold(world: World, tmp_path: Path) -> None:
    bomb = {f"A001/{n}.txt": b"0" * 5_000_000 for n in range(20)}
    path = zipped(tmp_path / "bomb.zip", bomb)
    assert path.stat().st_size < 200_000

    answer = take(world, path, most=30_000_000)

    assert answer.outcome is ExchangeOutcome.REFUSED
    assert "more than 30 MB" in answer.bad[0].reason


def test_a_directory_of_too_many_files_is_refused_before_it_is_read(
    world: World, tmp_path: Path
) -> None:
    path = tmp_path / "many.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(70_000):  # beyond 65,535, so in the large form
            archive.writestr(zipfile.ZipInfo(f"{number}"), b"")

    assert MOST_BULK_FILES < listed_files_on_disk(path) <= 70_000
    assert "files" in take(world, path).bad[0].reason


@pytest.mark.parametrize("body", [b"PK\3\4 torn", b"PK\5\6" + bytes(17), b"PK"])
def test_a_damaged_archive_is_refused_in_words(world: World, tmp_path: Path, body: bytes) -> None:
    path = tmp_path / "torn.zip"
    path.write_bytes(body)

    assert "archive cannot be read" in take(world, path).bad[0].reason


def test_an_archive_of_20_mb_takes_little_memory(world: World, tmp_path: Path) -> None:
    files = {f"A00{n % 3 + 1}/{n}.txt": f"{n}".encode() * 500_000 for n in range(25)}
    path = zipped(tmp_path / "all.zip", files, packed=False)
    assert path.stat().st_size > 20_000_000
    del files
    tracemalloc.start()

    answer = take(world, path)

    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert answer.counts["stored"] == 25
    assert most < 16_000_000


# Combined PDF


def combined(path: Path, pages: list[str], marks: dict[str, int] | None = None) -> Path:
    writer = PdfWriter()
    for text in pages:
        page = writer.add_blank_page(200, 200)
        content = DecodedStreamObject()
        content.set_data(f"BT /F1 12 Tf (secret of {text}) Tj ET /Im{text} Do".encode())
        page[NameObject("/Contents")] = writer._add_object(content)
    pictures = DictionaryObject()
    for text in pages:  # one list of pictures for all pages, as programs write it
        picture = DecodedStreamObject()
        picture.set_data(f"picture of {text}".encode())
        picture[NameObject("/Subtype")] = NameObject("/Image")
        picture[NameObject("/Width")] = NumberObject(1)
        pictures[NameObject(f"/Im{text}")] = writer._add_object(picture)
    for page in writer.pages:
        page[NameObject("/Resources")] = DictionaryObject({NameObject("/XObject"): pictures})
    for title, number in (marks or {}).items():
        writer.add_outline_item(title=title, page_number=number)
    writer.add_annotation(0, Link(rect=(0, 0, 9, 9), target_page_index=len(pages) - 1))
    writer.pages[0][NameObject("/B")] = ArrayObject([writer.pages[-1].indirect_reference])
    writer.write(path)
    return path


def parts(world: World, number: int) -> list[bytes]:
    return [
        world.product.applicants.file_content(CYCLE, number, one.position)
        for one in world.product.applicants.files(CYCLE, number)
    ]


def told(body: bytes) -> list[bytes]:
    reader = PdfReader(io.BytesIO(body))
    return [page.get_contents().get_data() for page in reader.pages]  # type: ignore[union-attr]


def test_bookmarks_split_a_combined_pdf(world: World, tmp_path: Path) -> None:
    path = combined(
        tmp_path / "letters.pdf",
        ["one", "one-b", "two", "three"],
        {"A001 Ann": 0, "A002": 2, "Zed": 3},
    )

    answer = take(world, path)

    assert answer.counts == {"stored": 2, "same": 0, "left": 1}
    assert documents(world, 0) == ["letters.pdf"]
    assert len(told(parts(world, 0)[0])) == 2
    assert len(told(parts(world, 1)[0])) == 1
    assert "'Zed'" in answer.left[0][1]


def test_an_index_of_pages_splits_a_combined_pdf(world: World, tmp_path: Path) -> None:
    path = combined(tmp_path / "letters.pdf", ["one", "two", "two-b"])

    answer = take(world, path, index="applicant,first page,last page\nA001,1,1\nA002,2,3\n")

    assert answer.counts == {"stored": 2, "same": 0, "left": 0}
    assert len(told(parts(world, 1)[0])) == 2


def test_no_part_holds_anything_of_another_applicant(world: World, tmp_path: Path) -> None:
    path = combined(tmp_path / "letters.pdf", ["one", "two"], {"A001": 0, "A002": 1})

    take(world, path)

    (first,) = parts(world, 0)
    assert b"secret of one" in first
    assert b"picture of one" in first
    assert b"of two" not in first
    (second,) = parts(world, 1)
    assert b"of one" not in second


@pytest.mark.parametrize(
    ("index", "said"),
    [
        ("applicant,first,last\nA001,1,9\n", "no pages of a file with 2"),
        ("applicant,first,last\nA001,2,1\n", "no pages"),
        ("applicant,first,last\nA001,1,2\nA002,2,2\n", "page 2 is another applicant's"),
        ("applicant,first,last\nQ,1,2\n", "there is no applicant of that id"),
    ],
)
def test_an_index_with_wrong_pages_stores_nothing(
    world: World, tmp_path: Path, index: str, said: str
) -> None:
    answer = take(world, combined(tmp_path / "letters.pdf", ["one", "two"]), index=index)

    assert said in answer.bad[0].reason
    assert parts(world, 0) == []


def test_a_pdf_that_names_nobody_asks_for_an_index(world: World, tmp_path: Path) -> None:
    answer = take(world, combined(tmp_path / "letters.pdf", ["one"]))

    assert "Give an index" in answer.bad[0].reason


@pytest.mark.parametrize("cut", [9, 200, 600])
def test_a_damaged_pdf_is_refused_in_words(world: World, tmp_path: Path, cut: int) -> None:
    path = combined(tmp_path / "letters.pdf", ["one"], {"A001": 0})
    path.write_bytes(path.read_bytes()[:cut])

    answer = take(world, path)

    assert answer.outcome is ExchangeOutcome.REFUSED
    assert answer.bad[0].reason
