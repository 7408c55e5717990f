"""`swapflow mail bounces`: what a mail server's pipe or a file brings, told in numbers."""

import io
from pathlib import Path

import pytest

from tests.cli.office import Office
from tests.outbound import bounces


def test_a_pipe_an_mbox_and_a_maildir_are_read_and_twice_is_once(
    office: Office, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    office.launched()
    mbox, maildir = tmp_path / "mbox", tmp_path / "Maildir"
    (maildir / "new").mkdir(parents=True)
    (maildir / "new" / "1").write_bytes(bounces.FULL)
    mbox.write_bytes(b"From a Mon\n" + bounces.POSTFIX + b"\nFrom a Mon\n" + bounces.DELAYED)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(bounces.POSTFIX)))

    told = [office.ask("mail", "bounces", one) for one in (str(mbox), str(maildir), "-")]

    assert told == [
        {"new": 0, "known": 0, "stray": 1, "passed_over": 1},
        {"new": 0, "known": 0, "stray": 1, "passed_over": 0},
        {"new": 0, "known": 0, "stray": 1, "passed_over": 0},
    ]
    assert office.ask("mail", "bounces", str(mbox))["known"] == 1
