"""Files that arrive over real links: SFTP into a drop folder, and a link that is cut ten times."""

import json
import os
import socket
import sqlite3
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from swapflow.files.intake.drop_folder import make_drop_folder
from swapflow.identity.permissions import Role
from swapflow.settings import load_settings
from tests.support.migrated import new_database
from tests.support.ports import free_port
from tests.support.process import Process
from tests.support.sftp_server import SftpServer
from tests.support.waiting import wait_until
from tests.web.site import SITE_RULES, Site


pytestmark = pytest.mark.system

ROOT = Path(__file__).parents[2]
GOOD = "id,name,email\nB1,Ann Lee,ann@example.org\nB2,Bo Ray,bo@example.org\n"
BAD = GOOD + "B3,Cy,no address\n,Di,di@example.org\nB1,Other,x@example.org\n"


class Served:
    """A program served by a web process, without Redis; commands run on the same data."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.database = folder / "swapflow.db"
        new_database(self.database)
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self.environment = {
            "SWAPFLOW_DATA_DIR": str(folder),
            "SWAPFLOW_REDIS_URL": f"unix://{folder}/nobody.sock",
            "SWAPFLOW_WEB_PORT": str(self.port),
            "SWAPFLOW_WEB_PROCESSES": "1",
            "SWAPFLOW_DROP_FOLDER": str(folder / "drop"),
            "SWAPFLOW_DROP_QUIET": "0",
            "PYTHONPATH": str(ROOT),
        }
        settings = load_settings(data_dir=folder, public_url=self.address)
        self.site = Site(self.database, settings=settings)
        self.site.launched("fall", rules=replace(SITE_RULES, rubrics=()), launch=False)
        self.process = Process(
            [sys.executable, "-m", "swapflow.cli.main", "web"], env=self.environment
        )

    def key(self) -> str:
        staff = self.site.signed_in(Role.COORDINATOR)
        made = staff.post("/api/v1/keys", json={"name": "sender", "scopes": ["read", "write"]})
        return str(made.json()["key"])

    def command(self, *words: str) -> dict[str, object]:
        said = subprocess.run(
            [sys.executable, "-m", "swapflow.cli.main", *words, "--json"],
            env={**os.environ, **self.environment},
            capture_output=True,
            text=True,
            check=True,
        )
        return dict(json.loads(said.stdout))

    def taken(self) -> list[dict[str, Any]]:
        """Read the drop folders by hand; returns what was taken."""
        return cast("list[dict[str, Any]]", self.command("exchange", "run")["taken"])

    def answers(self) -> bool:
        with suppress(OSError), closing(socket.create_connection(("127.0.0.1", self.port), 1)):
            return True
        return False

    def ids(self) -> set[str]:
        return {one.external_id for one in self.site.product.applicants.list("fall")}

    def documents(self) -> list[tuple[str, int]]:
        """Name and bytes of every document that is stored."""
        query = (
            "SELECT name, length(body) FROM document JOIN document_content "
            "USING (cycle_id, application, position, version) ORDER BY name"
        )
        with closing(sqlite3.connect(self.database)) as connection:
            return [(str(name), int(size)) for name, size in connection.execute(query)]


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    one = Served(tmp_path)
    yield one
    one.site.ledger.dispose()


class CutLink:
    """A link between a client and a server that breaks: ten times in the middle of a piece."""

    def __init__(self, port: int, *, after: int, times: int) -> None:
        self._port, self._after, self._left = port, after, times
        self.cuts = 0
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listening.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                threading.Thread(target=self._join, args=(client,), daemon=True).start()

    def _join(self, client: socket.socket) -> None:
        server = socket.create_connection(("127.0.0.1", self._port))
        back = threading.Thread(target=self._pass, args=(server, client), daemon=True)
        back.start()
        carried = 0
        with suppress(OSError):
            while data := client.recv(65_536):
                server.sendall(data)
                carried += len(data)
                if carried > self._after and self.cuts < self._left:
                    self.cuts += 1
                    break
        for one in (client, server):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    @staticmethod
    def _pass(source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65_536):
                target.sendall(data)


def archive(path: Path, *, files: int, size: int) -> Path:
    """An archive of documents, stored as they are; an index in it says whose they are."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as packed:
        rows = "".join(f"A00{n % 3 + 1},doc-{n:03d}.pdf\n" for n in range(files))
        packed.writestr("index.csv", f"applicant,file\n{rows}")
        for number in range(files):
            with packed.open(f"doc-{number:03d}.pdf", "w") as file:
                file.write(f"%PDF-1.7 {number}\n".encode().ljust(32, b"0"))
                for _ in range(size // 1_000_000):
                    file.write(b"0" * 1_000_000)
    return path


@pytest.mark.parametrize(
    ("files", "size"),
    [
        pytest.param(4, 5_000_000, id="20 MB"),
        pytest.param(64, 16_000_000, id="1 GB", marks=pytest.mark.slow),
    ],
)
def test_an_archive_over_a_link_cut_ten_times_arrives_once(
    served: Served, tmp_path: Path, files: int, size: int
) -> None:
    path = archive(tmp_path / "archive.zip", files=files, size=size)
    with served.process as process:
        process.wait_for(served.answers, what="the pages are served")
        before = most_memory(process.pid)
        link = CutLink(served.port, after=min(size // 5, 3_000_000), times=10)
        said = subprocess.run(
            [
                sys.executable,
                str(ROOT / "docs/examples/send_large_file.py"),
                f"http://127.0.0.1:{link.port}",
                "fall",
                str(path),
            ],
            env={**os.environ, "SWAPFLOW_KEY": served.key()},
            capture_output=True,
            text=True,
            check=False,
        )
        link.close()
        grown = most_memory(process.pid) - before

    assert said.returncode == 0, (said.stdout, said.stderr)
    assert link.cuts == 10
    assert json.loads(said.stdout)["counts"] == {"stored": files}
    expected = [(f"doc-{n:03d}.pdf", 32 + size) for n in range(files)]
    assert served.documents() == expected
    assert grown < 200_000_000, f"{grown} bytes more for {path.stat().st_size}"
    assert len(served.site.product.exchange.files("fall")) == 1
    assert list((served.folder / "exchange" / "uploads").iterdir()) == []


def most_memory(pid: int) -> int:
    """The most that a process and its children had in memory so far, in bytes."""
    total = 0
    for place in Path("/proc").glob("[0-9]*/status"):
        with suppress(OSError):
            said = dict(line.split(":\t", 1) for line in place.read_text().splitlines())
            if str(pid) in {said["Pid"].strip(), said["PPid"].strip()} and "VmHWM" in said:
                total += int(said["VmHWM"].split()[0]) * 1024
    return total


# SFTP


def test_a_list_by_sftp_is_taken_once_it_is_whole_and_answered(
    served: Served, tmp_path: Path
) -> None:
    folder = make_drop_folder(tmp_path / "drop", "fall")
    (tmp_path / "good.csv").write_text(GOOD)
    (tmp_path / "bad.csv").write_text(BAD)
    (tmp_path / "mark").touch()
    before = served.ids()

    with SftpServer(folder.folder) as sftp:
        sftp.do(f"put {tmp_path / 'bad.csv'} in/nightly.csv.part")
        assert served.taken() == []
        sftp.do("rename in/nightly.csv.part in/nightly.csv")
        assert served.taken() == []
        sftp.do(f"put {tmp_path / 'mark'} in/nightly.csv.done")
        (refused,) = served.taken()
        assert len(refused["bad"]) == 3
        assert served.ids() == before
        sftp.do(f"get in/nightly.csv.answer.txt {tmp_path / 'answer.txt'}")
        answer = (tmp_path / "answer.txt").read_text("utf-8")
        assert "nightly.csv changed nothing: 3 rows need a person" in answer

        sftp.do(
            f"put {tmp_path / 'good.csv'} in/nightly.csv",
            f"put {tmp_path / 'mark'} in/nightly.csv.done",
        )
        served.command("exchange", "run")
        assert served.ids() == before | {"B1", "B2"}
        listed = sftp.do("ls -1 in").split()
        assert [name for name in listed if name.startswith("in/")] == ["in/nightly.csv.answer.txt"]


def test_an_archive_by_sftp_that_was_cut_goes_on_and_arrives_once(
    served: Served, tmp_path: Path
) -> None:
    folder = make_drop_folder(tmp_path / "drop", "fall")
    path = archive(tmp_path / "archive.zip", files=4, size=5_000_000)
    (tmp_path / "mark").touch()

    with SftpServer(folder.folder) as sftp:
        half = folder.incoming / "archive.zip.part"
        with sftp.begin(f"put {path} in/archive.zip.part", limit=40_000) as sending:
            wait_until(
                lambda: half.exists() and half.stat().st_size > 1_000_000, what="a part is there"
            )
            sending.kill()
        assert 0 < half.stat().st_size < path.stat().st_size
        assert served.taken() == []
        sftp.do(
            f"reput {path} in/archive.zip.part",
            "rename in/archive.zip.part in/archive.zip",
            f"put {tmp_path / 'mark'} in/archive.zip.done",
        )

    (taken,) = served.taken()
    assert taken["counts"]["stored"] == 4
    assert [size for _, size in served.documents()] == [5_000_032] * 4
