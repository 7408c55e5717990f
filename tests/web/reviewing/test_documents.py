"""Documents come in whole, are what their bytes say, and lead nowhere."""

import io
import stat
import zipfile
from collections.abc import Mapping

import pytest

from swapflow.engine.reviewing.documents import media_of, owner_of
from swapflow.identity.permissions import Role
from tests.web.site import Site


PDF = b"%PDF-1.4\n%%EOF\n"
PNG = b"\x89PNG\r\n\x1a\n0000"


def packed(files: Mapping[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, body in files.items():
            archive.writestr(path, body)
    return made.getvalue()


def names(site: Site, application: int) -> list[str]:
    return [document.name for document in site.product.context.ledger.files("fall", application)]


def test_a_zip_is_spread_over_the_applicants_and_what_fits_nobody_is_named(site: Site) -> None:
    site.launched(launch=False)
    staff = site.signed_in(Role.OPERATIONS)
    body = packed({"A001.pdf": PDF, "docs/A002/essay.txt": b"Caf\xc3\xa9", "B9.pdf": PDF})

    answer = staff.post("/applicants/fall/files", files={"files": ("all.zip", body)})

    assert answer.status_code == 200
    assert "2 files saved, 1 file left out" in answer.text
    assert "B9.pdf" in answer.text
    assert (names(site, 0), names(site, 1)) == (["A001.pdf"], ["essay.txt"])


def test_a_file_of_the_same_name_takes_the_place_of_the_one_before(site: Site) -> None:
    site.launched(launch=False)
    staff = site.signed_in(Role.OPERATIONS)

    for body in (PDF, PDF + b"again"):
        staff.post("/applicants/fall/files", files={"files": ("A001.pdf", body)})

    assert names(site, 0) == ["A001.pdf"]
    assert site.product.context.ledger.file_content("fall", 0, 0) == PDF + b"again"
    assert staff.get("/applicants/fall/files/0/0").content == PDF + b"again"


def test_tricks_in_a_zip_are_refused(site: Site) -> None:
    site.launched(launch=False)
    staff = site.signed_in(Role.OPERATIONS)
    link = zipfile.ZipInfo("A003.pdf")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("../A001.pdf", PDF)
        archive.writestr("/A002.pdf", PDF)
        archive.writestr(link, b"/etc/passwd")
        archive.writestr("A004.pdf", b"<html><script>alert(1)</script></html>\x00")

    answer = staff.post("/applicants/fall/files", files={"files": ("all.zip", made.getvalue())})

    assert "0 files saved, 4 files left out" in answer.text
    assert site.product.context.ledger.with_files("fall") == frozenset()


def test_a_bomb_is_refused_before_it_is_unpacked_whole(site: Site) -> None:
    site.launched(launch=False)
    staff = site.signed_in(Role.OPERATIONS)

    answer = staff.post(
        "/applicants/fall/files",
        files={"files": ("all.zip", packed({"A001.txt": b"a" * 30_000_000}))},
    )

    assert "it has more than 20 MB" in answer.text
    assert site.product.context.ledger.with_files("fall") == frozenset()


@pytest.mark.parametrize("body", [b"PK\x03\x04 broken", b"PK", packed({})])
def test_what_is_no_archive_is_refused_with_a_sentence(site: Site, body: bytes) -> None:
    site.launched(launch=False)
    staff = site.signed_in(Role.OPERATIONS)

    answer = staff.post("/applicants/fall/files", files={"files": ("all.zip", body)})

    assert answer.status_code == 422
    assert 'role="alert"' in answer.text


def test_only_staff_may_bring_documents_in(site: Site) -> None:
    site.launched()
    for client in (site.signed_in(Role.OBSERVER), site.assigned()[0]):
        answer = client.post("/applicants/fall/files", files={"files": ("A001.pdf", PDF)})
        assert answer.status_code in {403, 404}
    assert site.product.context.ledger.with_files("fall") == frozenset()


@pytest.mark.parametrize(
    ("body", "media"),
    [
        (PDF, "application/pdf"),
        (PNG, "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        ("Grüße".encode(), "text/plain"),
        (b"MZ\x90\x00", ""),
        (b"\x00\x01", ""),
        (b"", ""),
    ],
)
def test_a_type_is_told_from_the_first_bytes(body: bytes, media: str) -> None:
    assert media_of(body) == media


@pytest.mark.parametrize(
    ("path", "owner"),
    [
        ("A1.pdf", "A1"),
        ("A12.pdf", "A12"),
        ("A1_essay.pdf", "A1"),
        ("A1/essay.pdf", "A1"),
        ("all/A12/A1.pdf", "A12"),
        ("A123.pdf", None),
        ("essay.pdf", None),
    ],
)
def test_a_file_belongs_to_the_id_that_begins_its_name(path: str, owner: str | None) -> None:
    assert owner_of(path, {"A1", "A12"}) == owner
