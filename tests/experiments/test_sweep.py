"""A sweep gives the same bytes however it is spread, stopped and resumed."""

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from swapflow.bootstrap import chunk_sender
from swapflow.errors import ConflictError, InvalidInputError, NotFoundError, UnavailableError
from swapflow.experiments.comparison import normal_applicants
from swapflow.experiments.sweep import Array, Cell, Chunk, Here, Sweep, digest, sweep
from swapflow.experiments.sweep_workers import Processes, Workers, compute_chunk
from swapflow.processes.celery_worker import WORKER_ENVIRONMENT, worker_argv
from swapflow.processes.heartbeat import HEARTBEAT_VARIABLE, is_alive
from swapflow.queues.names import STUDY_QUEUE
from swapflow.settings import load_settings
from tests.experiments.sweep_plans import CELLS, plan
from tests.support.process import Process, children, exists
from tests.support.redis_server import RedisServer
from tests.support.waiting import wait_until


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("*.npz"))


class Counting:
    """Computes here, and remembers what it was asked for."""

    def __init__(self) -> None:
        self.asked: list[Chunk] = []

    def compute(self, folder: Path, chunks: Sequence[Chunk]) -> Iterator[Chunk]:
        self.asked += chunks
        return Here().compute(folder, chunks)


def test_a_sweep_gives_the_runs_of_each_cell_in_order(tmp_path: Path) -> None:
    said: list[tuple[int, int]] = []

    results = sweep(plan(), tmp_path, report=lambda done, total: said.append((done, total)))

    assert digest(results) == digest([normal_applicants("tests", c, range(60)) for c in CELLS])
    assert said == [(done, 24) for done in range(25)]


def test_other_studies_and_cells_have_other_luck(tmp_path: Path) -> None:
    one, other = sweep(plan(10), tmp_path), sweep(plan(10, "others"), tmp_path)

    assert digest(one) != digest(other)
    assert len(files(tmp_path)) == 2 * len(CELLS)


def test_more_runs_later_use_what_is_there(tmp_path: Path) -> None:
    sweep(plan(20), tmp_path)
    counting = Counting()

    results = sweep(plan(40), tmp_path, spread=counting)

    assert {chunk.start for chunk in counting.asked} == {20, 30}
    assert digest(results) == digest([normal_applicants("tests", c, range(40)) for c in CELLS])


def test_a_fresh_sweep_forgets_what_is_there(tmp_path: Path) -> None:
    sweep(plan(10), tmp_path)
    counting = Counting()

    sweep(plan(10), tmp_path, spread=counting, fresh=True)

    assert len(counting.asked) == len(CELLS)


def test_a_second_sweep_in_the_same_folder_is_refused(tmp_path: Path) -> None:
    class Nested:
        def compute(self, folder: Path, chunks: Sequence[Chunk]) -> Iterator[Chunk]:
            sweep(plan(10), folder)
            return iter(chunks)

    with pytest.raises(ConflictError, match="another sweep is at work"):
        sweep(plan(10), tmp_path, spread=Nested())


def odd_rows(study: str, cell: Cell, runs: range) -> dict[str, Array]:
    return {"cost": np.zeros(len(runs) + 1)}


def test_work_that_gives_another_number_of_rows_is_refused_and_leaves_nothing(
    tmp_path: Path,
) -> None:
    wrong = Sweep(study="tests", cells=CELLS[:1], work=odd_rows, runs=3)

    with pytest.raises(InvalidInputError, match="gave 4 rows of 'cost' for 3 runs"):
        sweep(wrong, tmp_path)

    assert [path.name for path in tmp_path.iterdir()] == [".lock"]


def deadly(study: str, cell: Cell, runs: range) -> dict[str, Array]:
    os.kill(os.getpid(), signal.SIGKILL)
    return {}


def test_processes_that_die_again_and_again_end_the_sweep_with_a_reason(tmp_path: Path) -> None:
    wrong = Sweep(study="tests", cells=CELLS[:1], work=deadly, runs=3)

    with pytest.raises(UnavailableError, match="died 2 times in a row"):
        sweep(wrong, tmp_path, spread=Processes(1, attempts=2))


SWEEPING = """
import sys
from pathlib import Path
from swapflow.experiments.sweep_workers import Processes
from swapflow.experiments.sweep import sweep
from tests.experiments.sweep_plans import plan

if __name__ == "__main__":
    sweep(plan(), Path(sys.argv[1]), spread=Processes(2))
"""


@pytest.mark.system
def test_a_sweep_killed_half_way_and_resumed_equals_an_uninterrupted_one(tmp_path: Path) -> None:
    whole = sweep(plan(), tmp_path / "whole")
    script, out = tmp_path / "sweeping.py", tmp_path / "out"
    script.write_text(SWEEPING, "utf-8")
    root = str(Path(__file__).parents[2])

    with Process([sys.executable, str(script), str(out)], env={"PYTHONPATH": root}) as killed:
        killed.wait_for(lambda: len(files(out)) >= 3, what="the first chunks")
        computing = children(killed.pid)
        killed.kill9(group=False)
        wait_until(lambda: not any(map(exists, computing)), what="the end of all")
    before = files(out)
    resumed = sweep(plan(), out)

    assert 3 <= len(before) < 24
    assert digest(resumed) == digest(whole)
    assert {name: (out / name).read_bytes() for name in files(out)} == {
        name: (tmp_path / "whole" / name).read_bytes() for name in files(tmp_path / "whole")
    }


@pytest.mark.system
def test_a_sweep_over_celery_with_one_of_two_workers_killed_equals_an_uninterrupted_one(
    tmp_path: Path,
) -> None:
    whole = sweep(plan(), tmp_path / "whole")
    out = tmp_path / "out"
    argv = [
        worker_argv(name=name, pool="prefork", concurrency=1, queues=[STUDY_QUEUE])
        for name in ("one", "two")
    ]

    def env(name: str) -> dict[str, str]:
        return {
            **WORKER_ENVIRONMENT,
            "SWAPFLOW_REDIS_URL": server.url,
            "SWAPFLOW_DATA_DIR": str(tmp_path),
            HEARTBEAT_VARIABLE: str(tmp_path / name),
        }

    killed_at: list[int] = []

    def kill_one(done: int, _total: int) -> None:
        if done >= 4 and not killed_at:
            one.kill9()
            killed_at.append(done)

    with (
        RedisServer() as server,
        Process(argv[0], env=env("one")) as one,
        Process(argv[1], env=env("two")) as two,
    ):
        for worker, name in ((one, "one"), (two, "two")):
            worker.wait_for(
                lambda name=name: is_alive(tmp_path / name),  # type: ignore[misc]  # mypy cannot infer a lambda's default
                what="the heartbeat",
            )
        send = chunk_sender(load_settings(redis_url=server.url))
        spread = Workers(send, patience=5.0, attempts=20)
        results = sweep(plan(), out, spread=spread, report=kill_one)
        assert two.code is None

    assert killed_at
    assert digest(results) == digest(whole)


def test_what_nobody_computes_is_sent_again_and_then_given_up_with_the_cure(
    tmp_path: Path,
) -> None:
    sent: list[list[str]] = []
    spread = Workers(lambda paths: sent.append(list(paths)), patience=0.01, attempts=3)

    with pytest.raises(UnavailableError, match=r"celery -A workers\.app worker -Q study"):
        sweep(plan(10), tmp_path, spread=spread)

    assert len(sent) == 3
    assert sent[0] == sent[1] == sent[2]
    assert len(sent[0]) == len(CELLS)


def test_a_worker_computes_what_is_specified_once_and_nothing_else(tmp_path: Path) -> None:
    done: list[bool] = []

    def send(paths: Sequence[str]) -> None:
        done.extend(compute_chunk(path) for path in (*paths, paths[0]))

    sweep(plan(10), tmp_path, spread=Workers(send))

    assert done == [True] * len(CELLS) + [False]
    with pytest.raises(NotFoundError, match="is specified"):
        compute_chunk(str(tmp_path / "other.npz"))
    with pytest.raises(NotFoundError, match="is specified"):
        compute_chunk(str(tmp_path / "elsewhere" / "other.npz"))


def test_a_worker_runs_nobodys_code_but_the_packages(tmp_path: Path) -> None:
    wrong = Sweep(study="tests", cells=CELLS[:1], work=odd_rows, runs=3)

    with pytest.raises(InvalidInputError, match=r"does not lie in swapflow\.experiments"):
        sweep(wrong, tmp_path, spread=Workers(lambda paths: [*map(compute_chunk, paths)][0:0]))  # type: ignore[arg-type]  # what it gives is not looked at
