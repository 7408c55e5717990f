"""Records, running programs and bundles of earlier releases are read and verify.

`tests/system/earlier_records/README.md` says how the files were made.
"""

import gzip
import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from swapflow.cli.cycle_output import not_compared
from swapflow.cli.main import main
from swapflow.engine.audit.finished_cycle import gather_finished_cycle
from swapflow.files.bundles.bundle import bundle
from swapflow.files.bundles.check import check_bundle
from swapflow.ledger.maintenance.upgrade import upgrade
from tests.engine.cycle_by_hand import CYCLE, World
from tests.system.earlier_records.make import HERE, KEY


FINISHED = ["first", "outcomes_in_rows"]
RUNNING = ["outcomes_in_rows"]
LISTS = "fixed before outcomes were recorded in events: not covered:"
LOOKS = "made before looks carried the version of their formulas: not covered:"


def brought(name: str, folder: Path) -> str:
    """A database as an earlier release left it, upgraded; returns its address."""
    file = folder / "swapflow.db"
    with closing(sqlite3.connect(file)) as database:
        database.executescript(gzip.decompress((HERE / name).read_bytes()).decode())
    upgrade(f"sqlite:///{file}")
    return f"sqlite:///{file}"


@pytest.mark.parametrize("name", FINISHED)
def test_a_finished_program_of_an_earlier_release_verifies_and_says_what_is_not_covered(
    name: str, tmp_path: Path
) -> None:
    world = World(there=True, url=brought(f"{name}_finished.sql.gz", tmp_path))

    verification = world.product.reports.verify(CYCLE, live=False)

    assert verification.findings == ()
    assert verification.decisions == world.cycle.decisions > 1
    said = "\n".join(verification.uncovered)
    assert f"list 1: {LISTS}" in said
    assert LOOKS in said
    assert re.search(
        r"^outcome: \d+ rows stored before events carried them: not cov", said, re.MULTILINE
    )
    world.ledger.dispose()


@pytest.mark.parametrize("name", FINISHED)
def test_a_bundle_of_an_earlier_release_verifies_and_says_what_is_not_covered(name: str) -> None:
    checked = check_bundle((HERE / f"{name}.bundle").read_bytes(), key=KEY.public)

    assert checked.problems == ()
    assert checked.replayed is not None
    assert checked.replayed.findings == ()
    assert any(f"list 1: {LISTS}" in what for what in checked.replayed.uncovered)
    assert any(LOOKS in what for what in checked.replayed.uncovered)


def test_the_command_says_what_a_bundle_of_an_earlier_release_does_not_cover(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["verify", str(HERE / "first.bundle")]) == 0

    said = capsys.readouterr().out
    assert f"note: list 1: {LISTS} outcomes, signatures" in said
    assert f"{LOOKS} cohort" in said
    assert "replayed: all agree" in said


def test_erased_names_and_texts_are_counted_in_words() -> None:
    assert not_compared((), 2) == ["note: 2 names or texts: erased, not checked"]
    assert not_compared((), 0) == []


@pytest.mark.parametrize("name", FINISHED)
def test_a_record_of_an_earlier_release_becomes_a_bundle_of_this_one(
    name: str, tmp_path: Path
) -> None:
    world = World(there=True, url=brought(f"{name}_finished.sql.gz", tmp_path))

    made = bundle(gather_finished_cycle(CYCLE, ledger=world.ledger), KEY)

    assert check_bundle(made).passed
    world.ledger.dispose()


@pytest.mark.parametrize("name", RUNNING)
def test_a_running_program_of_an_earlier_release_ends_as_it_would_have_and_verifies(
    name: str, tmp_path: Path
) -> None:
    expected = json.loads((HERE / f"{name}_running.json").read_text("utf-8"))
    world = World(there=True, url=brought(f"{name}_running.sql.gz", tmp_path))
    before = [(event.position, dict(event.payload)) for event in world.events()]

    world.run()
    cohort = world.cohort()
    world.product.cohort.finalize(CYCLE, by="chair")

    assert [(e.position, dict(e.payload)) for e in world.events()][: len(before)] == before
    assert {"cohort": cohort, "decisions": world.cycle.decisions} == expected
    verification = world.product.reports.verify(CYCLE, live=False)
    assert verification.findings == ()
    said = "\n".join(verification.uncovered)
    assert LISTS not in said, "its list is fixed by this release"
    assert LOOKS in said, "its first decisions are not"
    world.ledger.dispose()
