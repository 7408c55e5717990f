"""A real IMAP server with one mailbox: Debian's dovecot, on a port of its own."""

import getpass
import grp
import imaplib
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from tests.support.ports import free_port
from tests.support.tiers import lacks, only_in_full
from tests.support.waiting import wait_until


USER, PASSWORD = "bounces", "hush hush"


class ImapServer:
    """Serves one Maildir; `deliver` puts a mail there as a mail server does."""

    def __init__(self) -> None:
        only_in_full("Debian's dovecot")
        found = shutil.which("dovecot") or shutil.which("dovecot", path="/usr/sbin")
        if found is None:
            lacks("no dovecot on the PATH: install Debian's package `dovecot-imapd`")
        self._dovecot = str(found)
        self.port = free_port()
        self._folder = tempfile.TemporaryDirectory(prefix="sf-imap-")
        self._place = Path(self._folder.name)
        self._place.chmod(0o755)
        me, group = getpass.getuser(), grp.getgrgid(os.getgid()).gr_name
        # Started as root it serves nobody until it is another: Debian's package makes both.
        login, inner, group = (
            ("dovenull", "dovecot", "dovecot") if me == "root" else (me, me, group)
        )
        owner = pwd.getpwnam("mail") if me == "root" else pwd.getpwuid(os.getuid())
        for name in ("mail", "mail/new", "mail/cur", "mail/tmp"):
            (self._place / name).mkdir()
            (self._place / name).chmod(0o755)
            os.chown(self._place / name, owner.pw_uid, owner.pw_gid)
        (self._place / "users").write_text(
            f"{USER}:{{PLAIN}}{PASSWORD}:{owner.pw_uid}:{owner.pw_gid}::{self._place}\n"
        )
        # It reads passwords as another user, whatever this process gives its files.
        (self._place / "users").chmod(0o644)
        (self._place / "conf").write_text(
            f"base_dir = {self._place}/run\nstate_dir = {self._place}/run\nprotocols = imap\n"
            f"listen = 127.0.0.1\nssl = no\ndisable_plaintext_auth = no\n"
            f"log_path = {self._place}/log\nmail_location = maildir:{self._place}/mail\n"
            f"first_valid_uid = {owner.pw_uid}\nfirst_valid_gid = {owner.pw_gid}\n"
            f"default_internal_user = {inner}\ndefault_internal_group = {group}\n"
            f"default_login_user = {login}\nauth_mechanisms = plain login\n"
            f"passdb {{\n  driver = passwd-file\n  args = {self._place}/users\n}}\n"
            f"userdb {{\n  driver = passwd-file\n  args = {self._place}/users\n}}\n"
            "service imap-login {\n  chroot =\n"
            f"  inet_listener imap {{\n    port = {self.port}\n  }}\n"
            "  inet_listener imaps {\n    port = 0\n  }\n}\n"
            "service anvil {\n  chroot =\n}\nservice stats {\n  chroot =\n}\n"
        )
        self._process: subprocess.Popen[bytes] | None = None
        self._count = 0

    def __enter__(self) -> Self:
        argv = [self._dovecot, "-F", "-c", str(self._place / "conf")]
        self._process = subprocess.Popen(argv)
        # Its greeting comes before the process is up that knows passwords.
        wait_until(self._lets_in, what="the IMAP server lets its user in")
        return self

    def __exit__(self, *exception: object) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait()
        self._folder.cleanup()

    def deliver(self, mail: bytes) -> None:
        """Put a mail into the mailbox, unread."""
        self._count += 1
        name = f"{self._count:04d}.M{self._count}.here"
        (self._place / "mail" / "tmp" / name).write_bytes(mail)
        (self._place / "mail" / "tmp" / name).chmod(0o644)
        (self._place / "mail" / "tmp" / name).rename(self._place / "mail" / "new" / name)

    @contextmanager
    def without_passwords(self) -> Iterator[None]:
        """Make the file unreadable in which the server looks passwords up."""
        users = self._place / "users"
        rights = users.stat().st_mode
        users.chmod(0)
        # It reads the file anew where its time is another.
        os.utime(users, (0, 0))
        try:
            yield
        finally:
            users.chmod(rights)
            os.utime(users)

    def flags(self) -> list[str]:
        """The flags of each mail that was seen, in the order of arrival: "S", "FS" …"""
        names = sorted(path.name for path in (self._place / "mail" / "cur").iterdir())
        return ["".join(c for c in name.partition(":2,")[2] if c in "FS") for name in names]

    def _lets_in(self) -> bool:
        assert self._process is not None
        if self._process.poll() is not None:
            raise AssertionError(self._log() or "dovecot has ended")
        try:
            with imaplib.IMAP4("127.0.0.1", self.port, timeout=5.0) as one:
                return one.login(USER, PASSWORD)[0] == "OK"
        except (OSError, imaplib.IMAP4.error):
            return False

    def _log(self) -> str:
        log = self._place / "log"
        return log.read_text() if log.exists() else ""
