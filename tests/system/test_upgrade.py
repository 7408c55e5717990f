"""A cycle begun by version 0.1.0, on its database and its Redis, goes on with this one.

`tests/system/first_release/make.py` says how the files were made.
"""

import gzip
import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from swapflow.bootstrap import build
from swapflow.domain.assignment import AssignmentStatus
from swapflow.engine.facade import Swapflow
from swapflow.ledger.upgrade import pending_migrations
from swapflow.processes.deployment import running
from swapflow.settings import load_settings
from tests.support.ports import free_port
from tests.support.waiting import wait_until
from tests.system.crowd import PATIENCE, Crowd
from tests.system.rounds import unsound


pytestmark = [pytest.mark.system, pytest.mark.slow]

LEFT = Path(__file__).parent / "first_release"
CYCLE = "fall"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A data folder as version 0.1.0 left it in the middle of a cycle."""
    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    with closing(sqlite3.connect(data / "swapflow.db")) as database:
        database.executescript(gzip.decompress((LEFT / "ledger.sql.gz").read_bytes()).decode())
    (data / "redis").mkdir(mode=0o700)
    shutil.copytree(LEFT / "redis", data / "redis" / "appendonlydir")
    return data


def test_a_cycle_begun_by_the_first_release_ends_with_this_one_as_it_would_have_there(
    folder: Path,
) -> None:
    expected = json.loads((LEFT / "expected.json").read_text("utf-8"))
    settings = load_settings(
        data_dir=folder, web_port=free_port(), database_url=None, redis_url=None
    )
    assert pending_migrations(settings.database)
    scores, events, waiting = _left(folder)
    assert len(scores) > 40
    assert len(waiting) > 5

    with running(settings, SWAPFLOW_WEB_PORT=str(settings.web_port)):
        assert not pending_migrations(settings.database)
        product = build(settings)
        kept = {score.assignment_id: (score.seq, score.value) for score in product.scores(CYCLE)}
        assert {one: kept.get(one) for one in scores} == scores
        assert _events(product)[: len(events)] == events
        # Only the old version's messages bring them: ours would be sent after ten minutes.
        wait_until(
            lambda: (
                not any(
                    one.status is AssignmentStatus.QUEUED
                    for one in product.ledger.assignments(CYCLE)
                    if one.id in waiting
                )
            ),
            seconds=PATIENCE,
            what="the messages that the old version had sent",
        )
        assert unsound(product, CYCLE) == []

        crowd = Crowd(product, CYCLE)
        wait_until(crowd.answer_until_over, seconds=PATIENCE, what="the end", every=0.05)
        cycle = product.cycle(CYCLE)
        assert unsound(product, CYCLE) == []
        came_to = {
            "cohort": sorted(place.external_id for place in product.propose(CYCLE).cohort),
            "stop": cycle.stop_reason,
            "decisions": cycle.decisions,
        }
        _close(product)

    assert came_to == expected
    assert list(folder.glob("swapflow.*.backup")), "the old file is copied before it is changed"


def _left(
    folder: Path,
) -> tuple[dict[str, tuple[int, int]], list[tuple[int, str]], set[str]]:
    """What the old version had recorded: scores, the chain, and what waited to be delivered."""
    with closing(sqlite3.connect(folder / "swapflow.db")) as database:
        scores = database.execute("SELECT assignment_id, seq, value FROM score").fetchall()
        events = database.execute("SELECT seq, hash FROM event ORDER BY seq").fetchall()
        waiting = database.execute("SELECT id FROM assignment WHERE status = 'queued'").fetchall()
    return {one: (seq, value) for one, seq, value in scores}, events, {row[0] for row in waiting}


def _events(product: Swapflow) -> list[tuple[int, str]]:
    return [(event.position.seq, event.position.hash) for event in product.events(CYCLE)]


def _close(product: Swapflow) -> None:
    for part in (product.dispatcher, product.state, product.doorbell):
        part.close()  # type: ignore[union-attr]  # the real ones, all of which close
    product.ledger.dispose()  # type: ignore[attr-defined]  # an SqlLedger
