"""Short races, and what tells that the long ones notice."""

import json
from pathlib import Path

import pytest

from tests.races.campaign import BREAKS, main, run


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_nothing_is_fixed_that_was_not_shown(database: str) -> None:
    result = run(tries=30, seed=5, database=database)

    assert result.unseen == []
    assert result.tries == 30
    answers = {what.split(", ")[1].split()[0] for what in result.tally}
    assert {"done", "refused"} <= answers, "some come in time, and some do not"


@pytest.mark.parametrize("guard", BREAKS)
def test_without_a_guard_the_races_report_what_was_fixed_unseen(guard: str) -> None:
    with BREAKS[guard]():
        result = run(tries=60, seed=1, database="sqlite", told=lambda _line: None)

    assert result.unseen, result.tally


def test_the_command_leaves_its_figures_behind(tmp_path: Path) -> None:
    out = tmp_path / "races.json"

    code = main(["--tries", "5", "--database", "sqlite", "--out", str(out)])

    figures = json.loads(out.read_text("utf-8"))["sqlite"]
    assert (code, figures["tries"], figures["unseen"]) == (0, 5, 0)
