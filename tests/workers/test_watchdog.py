"""When a worker counts as deaf, and when it only has nothing to do."""

from workers.watchdog import DEAF_SECONDS, Watchdog


class Worker:
    """A worker's outward signs, and a clock."""

    def __init__(self) -> None:
        self.messages: int | None = 3
        self.taken = 0
        self.busy = False
        self.time = 0.0
        self.watchdog = Watchdog(
            waiting=lambda: self.messages,
            taken=lambda: self.taken,
            busy=lambda: self.busy,
            clock=lambda: self.time,
        )

    def looks(self, count: int) -> list[bool]:
        """Look once every two seconds."""
        seen = []
        for _ in range(count):
            self.time += 2.0
            seen.append(self.watchdog.is_deaf())
        return seen


def test_messages_that_wait_in_vain_make_a_worker_deaf() -> None:
    worker = Worker()

    assert worker.looks(5).index(True) == DEAF_SECONDS / 2 - 1


def test_a_worker_without_messages_is_not_deaf() -> None:
    worker = Worker()
    worker.messages = 0

    assert not any(worker.looks(20))


def test_a_worker_whose_broker_is_away_is_not_deaf() -> None:
    worker = Worker()
    worker.messages = None

    assert not any(worker.looks(20))


def test_a_worker_with_a_long_task_is_not_deaf() -> None:
    worker = Worker()
    worker.busy = True

    assert not any(worker.looks(20))


def test_a_worker_that_takes_one_now_and_then_is_not_deaf() -> None:
    worker = Worker()
    for _ in range(20):
        worker.taken += 1
        assert not any(worker.looks(4))
