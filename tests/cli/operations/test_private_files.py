"""What swapflow keeps is its user's alone, whatever the data folder and the shell were like."""

import json
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from swapflow.processes.exposure import close_to_others, open_data
from swapflow.settings import Settings, load_settings
from tests.cli.office import Office
from tests.support.ports import free_port
from tests.support.process import Process
from tests.support.waiting import wait_until


CARELESS = [
    "/bin/sh",
    "-c",
    'umask 022; exec "$0" "$@"',
    sys.executable,
    "-m",
    "swapflow.cli.main",
]
"""A shell of which whatever it starts leaves its files open to all."""


def open_below(folder: Path) -> list[str]:
    """List what is open to another user, the folder included."""
    return [
        f"{stat.filemode(path.lstat().st_mode)} {path}"
        for path in (folder, *folder.rglob("*"))
        if not path.is_symlink() and path.lstat().st_mode & 0o077
    ]


def below(pid: int) -> Iterator[int]:
    """Yield a process and all that it has started."""
    yield pid
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        yield from below(int(child))


def mask_of(pid: int) -> str:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(line.split()[1] for line in lines if line.startswith("Umask:"))


@pytest.mark.system
def test_up_closes_a_folder_that_was_open_to_all_and_leaves_it_closed(tmp_path: Path) -> None:
    data, port = tmp_path / "var", free_port()
    (data / "outbox").mkdir(parents=True)
    for folder in (data, data / "outbox"):
        folder.chmod(0o755)
    old = data / "outbox" / "old.eml"
    old.write_text("To: ann@example.org")
    old.chmod(0o644)
    environment = {
        "SWAPFLOW_DATA_DIR": str(data),
        "SWAPFLOW_WEB_PORT": str(port),
        "SWAPFLOW_WEB_PROCESSES": "1",
    }
    with Process([*CARELESS, "user", "add", "ann@example.org"], env=environment) as early:
        early.wait_for(lambda: early.code is not None, what="the command has ended")
    with Process([*CARELESS, "up", "--json"], env=environment) as process:
        process.wait_for(lambda: '"ready"' in process.log.read_text(), what="all is ready")
        masks = {pid: mask_of(pid) for pid in below(process.pid)}
        with Process([*CARELESS, "user", "add", "ann@example.org"], env=environment) as adding:
            adding.wait_for(lambda: adding.code is not None, what="the account is there")
        asked = httpx2.post(
            f"http://127.0.0.1:{port}/sign-in/link",
            data={"email": "ann@example.org"},
            headers={"Sec-Fetch-Site": "same-origin"},
        )
        assert asked.status_code == 200
        wait_until(lambda: len(list((data / "outbox").iterdir())) > 1, what="a mail is written")

        assert len(masks) >= 5, "the supervisor, Redis, a coordinator, a worker, a web process"
        assert set(masks.values()) == {"0077"}
        assert open_below(data) == []

    assert old.read_text() == "To: ann@example.org"


@pytest.mark.parametrize("command", [["web"], ["coordinator"], ["worker"]])
def test_a_process_that_is_started_alone_writes_for_its_user_alone(
    office: Office, command: list[str]
) -> None:
    office.do("db", "upgrade")
    environment = {
        "SWAPFLOW_DATA_DIR": str(office.folder / "var"),
        "SWAPFLOW_REDIS_URL": f"unix://{office.folder}/nobody.sock",
        "SWAPFLOW_WEB_PORT": str(free_port()),
    }
    with Process([*CARELESS, *command], env=environment) as process:
        process.wait_for(lambda: mask_of(process.pid) == "0077", what="it keeps its files private")


def test_a_database_made_in_an_open_folder_is_closed(tmp_path: Path) -> None:
    data = tmp_path / "var"
    data.mkdir()
    data.chmod(0o755)

    with Process([*CARELESS, "db", "upgrade"], env={"SWAPFLOW_DATA_DIR": str(data)}) as made:
        made.wait_for(lambda: made.code is not None, what="the database is made")

    files = {path.name: path.stat().st_mode & 0o077 for path in data.iterdir()}
    assert files
    assert set(files.values()) == {0}, files


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """A data folder with everything open to all, and a database and a key elsewhere."""
    elsewhere = tmp_path / "elsewhere"
    for folder in (tmp_path / "var" / "uploads", elsewhere):
        folder.mkdir(parents=True)
    made = load_settings(
        data_dir=tmp_path / "var",
        database_url=f"sqlite:///{elsewhere}/marks.db",
        bundle_key=elsewhere / "key.pem",
    )
    for path in (
        made.data_dir / "uploads" / "list.csv",
        made.data_dir / "notes.txt",
        elsewhere / "marks.db",
        elsewhere / "marks.db-wal",
        elsewhere / "marks.lock",
        elsewhere / "key.pem",
        elsewhere / "others.txt",
    ):
        path.write_text("")
        path.chmod(0o666)
    (made.data_dir / "there").symlink_to(elsewhere / "others.txt")
    made.data_dir.chmod(0o755)
    return made


def test_what_is_open_is_closed_wherever_it_lies_and_nothing_else(settings: Settings) -> None:
    elsewhere = settings.bundle_key_file.parent

    assert close_to_others(settings) == []

    assert open_below(settings.data_dir) == []
    still = [path.name for path in elsewhere.iterdir() if path.stat().st_mode & 0o077]
    assert still == ["others.txt"], "it is none of swapflow's, though a link leads there"
    assert list(open_data(settings)) == []


def test_what_belongs_to_another_user_is_named(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    foreign = settings.data_dir / "notes.txt"
    change = Path.chmod

    def refuse(path: Path, mode: int) -> None:
        if path == foreign:
            raise PermissionError(1, "Operation not permitted", str(path))
        change(path, mode)

    monkeypatch.setattr(Path, "chmod", refuse)

    assert close_to_others(settings) == [foreign]
    assert open_below(settings.data_dir) == [f"-rw-rw-rw- {foreign}"]


def test_doctor_names_what_every_user_can_read(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    office.do("db", "upgrade")
    data = office.folder / "var"
    (data / "outbox").mkdir(mode=0o755)
    (data / "outbox" / "one.eml").write_text("")
    for path in (data, data / "outbox"):
        path.chmod(0o755)
    (data / "outbox" / "one.eml").chmod(0o644)

    def found() -> dict[str, str]:
        said = json.loads(office.run("doctor", "--json").out)
        return {one["check"]: one["says"] for one in said["findings"]}

    assert str(data / "outbox" / "one.eml") in found()["privacy of the data folder"]
    data.chmod(0o700)
    assert "privacy of the data folder" not in found()


@pytest.mark.parametrize("mode", [0o604, 0o602])
def test_a_file_that_others_may_read_or_only_write_is_told_of(
    settings: Settings, mode: int
) -> None:
    close_to_others(settings)
    settings.data_dir.chmod(0o701)
    (settings.data_dir / "notes.txt").chmod(mode)

    (told,) = open_data(settings)

    assert str(settings.data_dir / "notes.txt") in told.says
