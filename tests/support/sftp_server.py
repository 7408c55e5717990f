"""A real SFTP server with keys of its own: Debian's OpenSSH, on a free port."""

import getpass
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Self

from tests.support.ports import free_port
from tests.support.tiers import lacks, only_in_full
from tests.support.waiting import wait_until


class SftpServer:
    """This user may write into one folder and below, by a key that only the test has.

    Args:
        folder: Where a session begins.
    """

    def __init__(self, folder: Path) -> None:
        only_in_full("Debian's OpenSSH")
        found = shutil.which("sshd") or shutil.which("sshd", path="/usr/sbin")
        if found is None or shutil.which("sftp") is None:
            lacks("no sshd on the PATH: install Debian's `openssh-server` and `openssh-client`")
        self._sshd = str(found)
        self.port = free_port()
        self._folder = tempfile.TemporaryDirectory(prefix="sf-sftp-")
        self.place = Path(self._folder.name)
        for name in ("host", "sender"):
            argv = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(self.place / name)]
            subprocess.run(argv, check=True)
        shutil.copy(self.place / "sender.pub", self.place / "authorized")
        host_key = " ".join((self.place / "host.pub").read_text().split()[:2])
        (self.place / "known").write_text(f"[127.0.0.1]:{self.port} {host_key}\n")
        (self.place / "config").write_text(
            f"Port {self.port}\nListenAddress 127.0.0.1\nHostKey {self.place / 'host'}\n"
            f"AuthorizedKeysFile {self.place / 'authorized'}\nPidFile none\nStrictModes no\n"
            "PasswordAuthentication no\nKbdInteractiveAuthentication no\nUsePAM no\n"
            "AllowTcpForwarding no\nX11Forwarding no\nPermitTunnel no\n"
            f"Subsystem sftp internal-sftp\nForceCommand internal-sftp -d {folder}\n"
        )
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        if os.geteuid() == 0:  # where the server goes before a sender is known
            Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
        argv = [self._sshd, "-D", "-e", "-f", str(self.place / "config")]
        with (self.place / "log").open("wb") as log:
            self._process = subprocess.Popen(argv, stderr=log)
        wait_until(lambda: self._do("pwd").returncode == 0, what="the SFTP server answers")
        return self

    def __exit__(self, *exception: object) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait()
        self._folder.cleanup()

    def do(self, *lines: str) -> str:
        """Run lines of the `sftp` command in one session; each must succeed."""
        said = self._do(*lines)
        assert said.returncode == 0, (said.stderr, (self.place / "log").read_text())
        return said.stdout

    def begin(self, *lines: str, limit: int) -> subprocess.Popen[bytes]:
        """Begin a session at a rate in kbit a second, to be cut by its caller."""
        batch = self.place / "cut"
        batch.write_text("".join(f"{line}\n" for line in lines))
        return subprocess.Popen(
            [*self._argv("-l", str(limit)), "-b", str(batch), self._where],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def _do(self, *lines: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*self._argv(), "-b", "-", self._where],
            input="".join(f"{line}\n" for line in lines),
            capture_output=True,
            text=True,
            check=False,
        )

    @property
    def _where(self) -> str:
        return f"{getpass.getuser()}@127.0.0.1"

    def _argv(self, *more: str) -> list[str]:
        options = {
            "IdentityFile": self.place / "sender",
            "IdentitiesOnly": "yes",
            "IdentityAgent": "none",
            "UserKnownHostsFile": self.place / "known",
            "StrictHostKeyChecking": "yes",
        }
        said = [word for name, value in options.items() for word in ("-o", f"{name}={value}")]
        return ["sftp", "-q", "-F", "none", "-P", str(self.port), *said, *more]
