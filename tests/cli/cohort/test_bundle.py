"""`swapflow cycle bundle` and `swapflow verify`, as people type them."""

from pathlib import Path

from tests.cli.office import Office


def test_a_finished_cycle_becomes_a_file_that_is_checked_without_an_office(
    office: Office, tmp_path: Path
) -> None:
    office.launched()
    office.run_until_proposed()
    early = office.run("cycle", "bundle", "ms")
    listed = office.ask("cycle", "finalize", "ms", "--out", "list")

    made = office.ask("cycle", "bundle", "ms")
    office.do("cycle", "bundle", "ms", "--out", "again.bundle")
    named = office.ask("cycle", "bundle", "ms", "--out", "named.bundle", "--names")

    assert early.code == 2
    assert "finalize" in early.err
    archive = Path("ms.bundle").read_bytes()
    assert archive == Path("again.bundle").read_bytes()
    assert b"Person Number" not in archive
    assert b"Person Number" in Path("named.bundle").read_bytes()
    assert made["key"] == named["key"]
    assert (tmp_path / "var" / "bundle-key.pem").stat().st_mode & 0o777 == 0o600

    seen = office.ask("verify", "ms.bundle", "--key", made["key"])
    assert seen["passed"]
    assert len(seen["proposed"]) == len(listed["selected"]) == 2
    assert "all agree" in office.do("verify", "named.bundle").out

    at = archive.index(b'"seq":5,')
    Path("ms.bundle").write_bytes(archive[:at] + b'"seq":6,' + archive[at + 8 :])
    changed = office.run("verify", "ms.bundle")
    assert changed.code == 1
    assert "CHANGED: events.jsonl, line 5 (event 5): this line was changed" in changed.out
    assert "NOT as it was signed" in changed.out


def test_what_cannot_be_checked_is_said_with_its_cure(office: Office) -> None:
    missing = office.run("verify", "nowhere.bundle")
    Path("some.txt").write_text("not a bundle")
    other = office.run("verify", "some.txt")
    wrong = office.run("verify", "some.txt", "--key", "abc")

    assert (missing.code, other.code, wrong.code) == (2, 1, 2)
    assert "nowhere.bundle: cannot be read" in missing.err
    assert "this is no bundle of swapflow" in other.out
    assert "64 hexadecimal digits" in wrong.err
