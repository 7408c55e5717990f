"""An uploaded ZIP: its ordinary files, and why each other member was left out."""

import io
import zipfile

import pytest

from swapflow.engine.reviewing.documents import MOST_BYTES, DocumentUpload
from swapflow.errors import InvalidInputError
from swapflow.files.tables.zip_archive import read_archive
from swapflow.untrusted.limits import MOST_ZIP_FILES


LINK = zipfile.ZipInfo("link.pdf")
LINK.external_attr = 0o120777 << 16


def packed(*members: tuple[str | zipfile.ZipInfo, bytes]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, body in members:
            archive.writestr(name, body)
    return data.getvalue()


def test_ordinary_files_are_taken_and_what_systems_put_beside_them_is_not_mentioned() -> None:
    data = packed(
        ("A1/letter.pdf", b"letter"),
        ("A1/", b""),
        ("__MACOSX/A1/._letter.pdf", b"x"),
        ("A1/.DS_Store", b"x"),
        ("Thumbs.db", b"x"),
    )

    assert read_archive(data) == ([DocumentUpload(path="A1/letter.pdf", body=b"letter")], [])


@pytest.mark.parametrize(
    ("member", "why"),
    [
        ("/etc/passwd", "its path leads out of the archive"),
        ("a/../../b.pdf", "its path leads out of the archive"),
        ("C:b.pdf", "its path leads out of the archive"),
        ("a\tb.pdf", "its name holds control characters"),
        (LINK, "it is a link or a device, no file"),
    ],
)
def test_a_member_that_is_no_ordinary_file_is_left_out_with_the_reason(
    member: str | zipfile.ZipInfo, why: str
) -> None:
    found, left = read_archive(packed((member, b"x"), ("good.pdf", b"good")))

    path = member if isinstance(member, str) else member.filename
    assert found == [DocumentUpload(path="good.pdf", body=b"good")]
    assert left == [(path, why)]


def test_a_file_behind_a_password_is_left_out_and_the_others_are_taken() -> None:
    data = bytearray(packed(("secret.pdf", b"x"), ("good.pdf", b"good")))
    data[data.index(b"PK\x01\x02") + 8] |= 1

    assert read_archive(bytes(data)) == (
        [DocumentUpload(path="good.pdf", body=b"good")],
        [("secret.pdf", "it is encrypted")],
    )


def test_a_file_that_is_larger_than_a_document_may_be_is_left_out() -> None:
    data = packed(("most.pdf", bytes(MOST_BYTES)), ("more.pdf", bytes(MOST_BYTES + 1)))

    found, left = read_archive(data)

    assert [(one.path, len(one.body)) for one in found] == [("most.pdf", MOST_BYTES)]
    assert left == [("more.pdf", f"it has more than {MOST_BYTES // 1_000_000} MB")]


def test_an_archive_of_more_files_than_are_read_is_refused_whole() -> None:
    data = packed(*((f"{n}.pdf", b"") for n in range(MOST_ZIP_FILES + 1)))

    with pytest.raises(InvalidInputError, match=str(MOST_ZIP_FILES + 1)):
        read_archive(data)
