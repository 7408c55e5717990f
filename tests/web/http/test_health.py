"""What supervisors and proxies are told: alive, and able to store what comes in."""

import os
import resource
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from swapflow.bootstrap import why_unwritable
from swapflow.ledger.maintenance import room
from swapflow.processes.doctor import _disk
from swapflow.settings import load_settings
from tests.support.migrated import new_database
from tests.web.site import ADDRESS, Site


@pytest.fixture(autouse=True)
def asked_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep no answer, so that a test need not wait a second for the next."""
    monkeypatch.setattr(room, "_asked", room._asked.__wrapped__)


def told(site: Site) -> tuple[int, str]:
    answer = site.anonymous().get("/health/ready")
    return answer.status_code, answer.text


@contextmanager
def small_disk(folder: Path) -> Iterator[bool]:
    """Mount a file system of 2 MB on a folder; whether that is allowed here."""
    folder.mkdir()
    argv = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)]
    try:
        mounted = subprocess.run(argv, check=False, capture_output=True).returncode == 0
    except OSError:
        mounted = False
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", "--lazy", str(folder)], check=True)


@contextmanager
def no_file_grows() -> Iterator[None]:
    """Forbid this process a file beyond 1 kB, as a disk without room would."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1024, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@contextmanager
def filled(folder: Path) -> Iterator[None]:
    filler = folder / "filler"
    with suppress(OSError), filler.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))
    try:
        yield
    finally:
        filler.unlink()


def made(data: Path, database: Path) -> Site:
    new_database(database)
    settings = load_settings(
        data_dir=data, database_url=f"sqlite:///{database}", public_url=ADDRESS
    )
    return Site(database, settings=settings)


@pytest.mark.parametrize("full", ["data", "database"])
def test_a_process_whose_disk_is_full_is_not_ready_until_there_is_room(
    tmp_path: Path, full: str
) -> None:
    with small_disk(tmp_path / "small") as mounted:
        if not mounted:
            pytest.skip("no file system can be mounted here; the limit on files stands for it")
        (tmp_path / "large").mkdir()
        folders = {"data": tmp_path / "large", "database": tmp_path / "large"}
        folders[full] = tmp_path / "small"
        site = made(folders["data"], folders["database"] / "swapflow.db")

        assert told(site) == (200, "ready")
        with filled(tmp_path / "small"):
            status, text = told(site)
            doctor = str(_disk(site.settings))
        assert status == 503
        assert "nothing can be stored (No space left on device): make room" in text
        assert "No space left on device" in doctor
        assert told(site) == (200, "ready")
        site.ledger.dispose()


def test_a_process_that_may_write_no_more_is_not_ready(tmp_path: Path) -> None:
    site = made(tmp_path / "data", tmp_path / "swapflow.db")

    assert told(site) == (200, "ready")
    with no_file_grows():
        status, text = told(site)
    assert status == 503
    assert "nothing can be stored (File too large)" in text
    assert told(site) == (200, "ready")
    site.ledger.dispose()


def test_the_question_leaves_nothing_behind(tmp_path: Path) -> None:
    settings = load_settings(data_dir=tmp_path)

    assert why_unwritable(settings) == ""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_or_database_of_another_owner_is_not_ready(tmp_path: Path) -> None:
    settings = load_settings(data_dir=tmp_path)
    (tmp_path / "swapflow.db").touch(0o400)
    assert why_unwritable(settings) == "the database's file is not ours to write"

    tmp_path.chmod(0o500)
    assert why_unwritable(settings) == "Permission denied"
    tmp_path.chmod(0o700)


def test_where_nothing_can_be_reserved_beforehand_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "posix_fallocate")
    settings = load_settings(data_dir=tmp_path)

    assert why_unwritable(settings) == ""
    with no_file_grows():
        assert why_unwritable(settings) == "File too large"
