"""The keys with which erased people are remembered: one file a round."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from swapflow.errors import UnavailableError
from swapflow.state.erasure_keys import ErasureKeysInFiles


def test_a_round_has_one_key_which_its_user_alone_can_read(tmp_path: Path) -> None:
    keys = ErasureKeysInFiles(tmp_path / "keys")

    assert keys.find("fall") is None
    with ThreadPoolExecutor(8) as pool:
        made = set(pool.map(keys.make, ["fall"] * 8))

    assert made == {keys.find("fall")}
    assert keys.make("spring") not in made
    assert (tmp_path / "keys" / "fall.key").stat().st_mode & 0o777 == 0o600
    assert [file.name for file in (tmp_path / "keys").glob(".key-*")] == []


def test_a_key_that_is_forgotten_is_gone_and_a_new_one_is_another(tmp_path: Path) -> None:
    keys = ErasureKeysInFiles(tmp_path)
    first = keys.make("fall")

    keys.forget("fall")
    keys.forget("fall")

    assert keys.find("fall") is None
    assert list(tmp_path.iterdir()) == []
    assert keys.make("fall") != first


def test_a_folder_that_cannot_be_written_is_named_with_the_cure(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    keys = ErasureKeysInFiles(tmp_path / "file" / "keys")

    assert keys.find("fall") is None
    with pytest.raises(UnavailableError, match="no one was erased"):
        keys.make("fall")


def test_a_file_that_holds_no_key_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "fall.key").write_bytes(b"short")
    keys = ErasureKeysInFiles(tmp_path)

    assert keys.find("fall") is None
    with pytest.raises(UnavailableError, match="it is no key"):
        keys.make("fall")
    assert (tmp_path / "fall.key").read_bytes() == b"short"


def test_a_key_that_cannot_be_removed_is_named_and_not_said_to_be_gone(tmp_path: Path) -> None:
    (tmp_path / "fall.key").mkdir()

    with pytest.raises(UnavailableError, match=r"fall\.key"):
        ErasureKeysInFiles(tmp_path).forget("fall")
