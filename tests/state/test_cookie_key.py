"""One key for all web processes of a data folder, which nobody else can read."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from swapflow.state.cookie_key import read_cookie_key


def test_processes_that_start_at_once_agree_on_one_key_that_others_cannot_read(
    tmp_path: Path,
) -> None:
    path = tmp_path / "new" / "cookie-key"

    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(read_cookie_key, [path] * 8))

    assert keys == {read_cookie_key(path)}
    assert path.stat().st_mode & 0o077 == 0
    assert [one.name for one in path.parent.iterdir()] == ["cookie-key"]


def test_a_folder_without_room_for_it_keeps_nobody_from_serving(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    assert len(read_cookie_key(tmp_path / "file" / "cookie-key")) == 32


def test_a_damaged_key_signs_nothing(tmp_path: Path) -> None:
    (tmp_path / "cookie-key").write_bytes(b"")

    assert len(read_cookie_key(tmp_path / "cookie-key")) == 32
