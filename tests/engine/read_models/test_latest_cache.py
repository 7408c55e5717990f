"""A process that lives for months keeps what it worked out for the latest cycles only."""

import gc
import threading

from swapflow.domain.rules import Purpose
from swapflow.engine.read_models.calibration import Calibration
from swapflow.engine.read_models.dashboard import Dashboard
from swapflow.engine.read_models.latest_cache import MOST_KEPT, LatestCache
from tests.engine.cycle_by_hand import World, applicants, reviewers, rules


def test_the_cycles_looked_at_last_are_kept_and_the_others_forgotten() -> None:
    kept: LatestCache[str] = LatestCache(most=2)
    kept.put("a", "A")
    kept.put("b", "B")
    assert kept.get("a") == "A"
    kept.put("c", "C")

    assert (kept.get("a"), kept.get("b"), kept.get("c")) == ("A", None, "C")
    assert kept.get_or("a", lambda: "other") == "A"
    assert kept.get_or("b", lambda: "again") == "again"
    assert kept.get("c") is None


def test_two_threads_that_ask_for_the_same_make_it_once() -> None:
    kept: LatestCache[object] = LatestCache()
    barrier, found = threading.Barrier(8), []

    def ask() -> None:
        barrier.wait()
        found.append(kept.get_or("a", object))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(set(map(id, found))) == 1


def test_pages_of_many_programs_leave_boards_and_calibrations_of_the_latest_only() -> None:
    world = World(rules=rules(purpose=Purpose.REAL), launch=False)
    product, names = world.product, [f"more{number}" for number in range(MOST_KEPT + 4)]
    before = {kind: _count(kind) for kind in (Dashboard, Calibration)}

    for name in names:
        product.cycles.new(name, round_id="round", rules=product.cycles.rules("fall"), by="ops")
        product.applicants.import_all(name, applicants(4))
        product.reviewers.import_all(name, reviewers(2))
        product.cycles.launch(name, by="ops")
        assert product.reports.dashboard(name)[1] is False
        product.reports.calibration(name)

    for kind, count in before.items():
        assert 0 < _count(kind) - count <= MOST_KEPT


def _count(kind: type) -> int:
    gc.collect()
    return sum(type(thing) is kind for thing in gc.get_objects())
