"""A drop folder: whole files are taken, half ones wait, nothing outside of it is read."""

import csv
import io
import os
import time
from pathlib import Path

import pytest

from swapflow.domain.lists.exchanged_file import Exchanged, ExchangeOutcome
from swapflow.files.intake.answer import IntakeAnswer
from swapflow.files.intake.drop_folder import DropFolder, ends_whole, make_drop_folder
from swapflow.files.intake.run import Drops, with_folders
from tests.engine.cycle_by_hand import CYCLE, World


GOOD = "id,name,email\nB1,Ann Lee,ann@example.org\nB2,Bo Ray,bo@example.org\n"
BAD = (
    "id,name,email\nB1,Ann Lee,ann@example.org\nB2,Bo Ray,not an address\n,Cy,cy@example.org\n"
    "B1,Another,x@example.org\nB9,Di,di@example.org\n"
)


class Office:
    """A program with a drop folder, into which files are written as another system would."""

    def __init__(self, folder: Path, *, quiet: float = 0.0, later: float = 0.0) -> None:
        self.later = later
        self.world = World(launch=False, applications=2)
        self.root = folder / "drop"
        self.place = make_drop_folder(self.root, CYCLE).incoming
        self.drops = Drops(
            root=self.root,
            lock=folder,
            quiet=quiet,
            most_bytes=50_000_000,
            keep_days=14,
            clock=lambda: time.time() + self.later,
        )

    def send(self, name: str, text: str | bytes, *, done: bool = True) -> None:
        body = text if isinstance(text, bytes) else text.encode()
        (self.place / name).write_bytes(body)
        if done:
            (self.place / f"{name}.done").touch()

    def look(self) -> list[IntakeAnswer]:
        return [answer for _, answer in self.drops.run(self.world.product, [CYCLE])]

    def rows(self, name: str) -> list[dict[str, str]]:
        text = (self.place / f"{name}.answer.csv").read_text("utf-8-sig")
        return list(csv.DictReader(io.StringIO(text)))

    @property
    def ids(self) -> set[str]:
        return {one.external_id for one in self.world.product.applicants.list(CYCLE)}


@pytest.fixture
def office(tmp_path: Path) -> Office:
    return Office(tmp_path)


def test_a_list_is_taken_answered_and_put_away(office: Office) -> None:
    office.send("nightly.csv", GOOD)

    (answer,) = office.look()

    assert answer.told() == "nightly.csv was taken: 2 new"
    assert {"B1", "B2"} <= office.ids
    assert sorted(path.name for path in office.place.iterdir()) == ["nightly.csv.answer.txt"]
    assert office.look() == []


def test_a_nightly_list_with_three_bad_rows_changes_nothing_and_says_so(office: Office) -> None:
    before = office.ids
    office.send("nightly.csv", BAD)

    (answer,) = office.look()

    assert answer.told() == "nightly.csv changed nothing: 3 rows need a person"
    assert office.ids == before
    text = (office.place / "nightly.csv.answer.txt").read_text("utf-8")
    assert "line 3" in text
    assert "not an address" in text
    rows = office.rows("nightly.csv")
    assert [row["line"] for row in rows] == ["3", "4", "5"]
    assert all(row["what is wrong"] and row["cure"] for row in rows)
    assert (office.place / "nightly.csv.refused").read_text("utf-8") == BAD

    office.send("nightly.csv", GOOD)
    office.look()

    assert {"B1", "B2"} <= office.ids
    assert sorted(path.name for path in office.place.iterdir()) == ["nightly.csv.answer.txt"]


def test_what_came_is_on_record_without_a_value(office: Office) -> None:
    office.send("nightly.csv", BAD)
    office.look()
    office.send("nightly.csv", GOOD)
    office.look()

    taken, refused = office.world.product.exchange.files(CYCLE)

    assert (taken.outcome, dict(taken.counts)) == (ExchangeOutcome.TAKEN, {"new": 2})
    assert (refused.outcome, refused.for_people) == (ExchangeOutcome.REFUSED, 3)
    assert refused.lines == ((3, "email"), (4, "id"), (5, "id"))
    assert (taken.what, taken.via, taken.by) == (Exchanged.APPLICANTS, "folder", "drop folder")


def test_the_same_file_twice_changes_nothing(office: Office) -> None:
    office.send("nightly.csv", GOOD)
    office.look()
    office.send("nightly-again.csv", GOOD)

    (answer,) = office.look()

    assert answer.again
    assert "nothing was done" in answer.told()
    assert len(office.world.product.exchange.files(CYCLE)) == 1


def test_a_system_may_go_back_to_what_it_said_before(office: Office) -> None:
    other = GOOD.replace("Ann Lee", "Ann Ley")
    names = []
    for text in (GOOD, other, GOOD):
        office.send("nightly.csv", text)
        office.look()
        known = office.world.product.applicants.list(CYCLE)
        names += [one.name for one in known if one.external_id == "B1"]

    assert names == ["Ann Lee", "Ann Ley", "Ann Lee"]


@pytest.mark.parametrize("name", ["n.csv.part", "n.csv.filepart", "n.csv.tmp", ".n.csv", "n.csv~"])
def test_names_of_files_that_are_being_written_are_never_read(office: Office, name: str) -> None:
    office.send(name, GOOD)

    assert office.look() == []
    assert (office.place / name).exists()


def test_without_a_mark_a_file_is_read_once_it_rests_and_its_end_is_there(tmp_path: Path) -> None:
    office = Office(tmp_path, quiet=30, later=0)
    path = office.place / "nightly.csv"
    path.write_text(GOOD)
    os.utime(path, (1, 1))  # whatever its sender says of its age

    assert office.look() == []
    office.later = 29
    assert office.look() == []
    path.write_text(GOOD[:-5])
    office.later = 31
    assert office.look() == []  # rests, but its last line is not ended
    path.write_text(GOOD)
    assert len(office.look()) == 1


def test_with_a_rest_of_nought_only_a_mark_tells_that_a_file_is_whole(office: Office) -> None:
    office.send("nightly.csv", GOOD, done=False)
    office.later = 1_000_000

    assert office.look() == []
    (office.place / "nightly.csv.done").touch()
    assert len(office.look()) == 1


def test_links_and_folders_are_not_read(office: Office, tmp_path: Path) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text(GOOD)
    (office.place / "link.csv").symlink_to(secret)
    (office.place / "hard.csv").hardlink_to(secret)
    (office.place / "sub.csv").mkdir()
    os.mkfifo(office.place / "pipe.csv")
    for name in ("link.csv", "hard.csv", "sub.csv", "pipe.csv"):
        (office.place / f"{name}.done").touch()

    assert office.look() == []
    assert secret.read_text() == GOOD


def test_a_link_in_place_of_an_answer_or_a_folder_leads_nowhere(
    office: Office, tmp_path: Path
) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine")
    (office.place / "nightly.csv.answer.txt").symlink_to(victim)
    (office.place / ".nightly.csv.answer.txt.half").symlink_to(victim)
    office.send("nightly.csv", GOOD)
    office.look()

    assert victim.read_text() == "mine"
    (office.root / "spring").symlink_to(tmp_path)
    assert list(office.drops.folders([CYCLE, "spring"])) == [CYCLE]


def test_an_answer_is_no_formula(office: Office) -> None:
    office.send("nightly.csv", 'id,email\nB1,"=HYPERLINK(""http://x"")"\n')
    office.look()

    (row,) = office.rows("nightly.csv")
    assert row["value"].startswith("\t=")


def test_a_file_that_is_no_list_is_refused_in_words(office: Office) -> None:
    office.send("photo.png", b"\x89PNG\r\n\x1a\n\0\0\0\0" * 20)

    (answer,) = office.look()

    assert answer.outcome is ExchangeOutcome.REFUSED
    assert (office.place / "photo.png.refused").exists()


def test_a_file_beyond_the_limit_is_refused_and_named(office: Office, tmp_path: Path) -> None:
    drops = Drops(root=office.root, lock=tmp_path, quiet=0, most_bytes=1000, keep_days=14)
    office.send("big.csv", GOOD * 100)

    ((_, answer),) = drops.run(office.world.product, [CYCLE])

    assert "SWAPFLOW_DROP_MB" in answer.bad[0].reason


def test_refused_files_go_after_their_days(office: Office) -> None:
    office.send("nightly.csv", BAD)
    office.look()
    office.later = 15 * 86_400

    office.look()

    assert list(office.place.iterdir()) == []


def test_one_process_reads_at_a_time(office: Office) -> None:
    office.send("a.csv", GOOD)
    run = office.drops.run(office.world.product, [CYCLE])
    next(run)
    office.send("b.csv", BAD)

    assert office.look() == []
    del run
    assert [one.name for one in office.look()] == ["b.csv"]


def test_what_a_process_left_that_died_is_taken_at_the_next_look(office: Office) -> None:
    office.send("nightly.csv", GOOD)
    (folder,) = office.drops.folders([CYCLE]).values()
    (one,) = folder.whole()
    assert folder.claim(one) is not None

    assert [one.told() for one in office.look()] == ["nightly.csv was taken: 2 new"]
    assert {"B1", "B2"} <= office.ids
    assert list((office.root / CYCLE / "work").iterdir()) == []


def test_a_file_that_is_exchanged_for_a_link_is_not_followed(
    office: Office, tmp_path: Path
) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text(GOOD)
    office.send("nightly.csv", GOOD)
    (folder,) = office.drops.folders([CYCLE]).values()
    (one,) = folder.whole()
    one.path.unlink()
    one.path.symlink_to(secret)

    assert folder.claim(one) is None
    assert secret.read_text() == GOOD
    assert office.look() == []


@pytest.mark.parametrize(
    ("body", "whole"),
    [
        (b"a,b\n1,2\n", True),
        (b"a,b\n1,2", False),
        ("a,b\r\n".encode("utf-16"), True),
        (b'[{"id": 1}]\n', True),
        (b'[{"id": 1}, {"id"', False),
        (b"%PDF-1.7 ... %%EOF\n", True),
        (b"%PDF-1.7 ...", False),
        (b"PK\3\4....", False),
        (b"PK\3\4....PK\5\6" + bytes(18), True),
        (b"", False),
    ],
)
def test_the_end_of_a_file_tells_whether_it_is_there(
    tmp_path: Path, body: bytes, *, whole: bool
) -> None:
    path = tmp_path / "file"
    path.write_bytes(body)

    assert ends_whole(path) == whole


def test_results_are_put_out_whole(office: Office) -> None:
    folder = DropFolder(folder=office.root / CYCLE, quiet=0)

    folder.put_out("decisions.csv", b"one")
    folder.put_out("decisions.csv", b"two")

    assert [path.name for path in folder.outgoing.iterdir()] == ["decisions.csv"]
    assert (folder.outgoing / "decisions.csv").read_bytes() == b"two"


def test_a_practice_program_takes_no_file_and_puts_none_out(office: Office) -> None:
    made = office.world.product.copies.practise(CYCLE, by="ana")

    assert made.id not in {cycle.id for cycle in with_folders(office.world.product)}
    assert CYCLE in {cycle.id for cycle in with_folders(office.world.product)}
