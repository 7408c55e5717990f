"""The live state, the doorbell and the count of tries, whose clients are loaded at first use.

A command that asks the ledger alone neither loads redis-py nor makes a connection. Of two threads
that come first at the same time each may make a part; a client connects with its first command, so
the one that is not kept costs nothing.
"""

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from typing_extensions import override

from swapflow.domain.cycle import Position
from swapflow.engine.ports.live_state import (
    Applied,
    Arms,
    Changes,
    CycleState,
    Doorbell,
    QuarantineNote,
)
from swapflow.identity.ports.identity_store import Limiter


if TYPE_CHECKING:
    from swapflow.state.rate_limits import RedisLimiter
    from swapflow.state.redis import RedisCycleState, RedisDoorbell


class CycleStateAtFirstUse(CycleState):
    """The port `CycleState`, made by the first call.

    Args:
        url: As for `RedisCycleState`; settings have checked it.
    """

    def __init__(self, url: str) -> None:
        self._url = url

    @cached_property
    def _part(self) -> "RedisCycleState":
        from swapflow.state.redis import RedisCycleState  # noqa: PLC0415 - loads redis-py

        return RedisCycleState(self._url)

    @override
    def position(self, cycle_id: str) -> Position:
        return self._part.position(cycle_id)

    @override
    def apply(
        self, cycle_id: str, changes: Changes, *, before: Position, after: Position
    ) -> Applied:
        return self._part.apply(cycle_id, changes, before=before, after=after)

    @override
    def replace(self, cycle_id: str, arms: Arms) -> None:
        self._part.replace(cycle_id, arms)

    @override
    def arms(self, cycle_id: str) -> Arms:
        return self._part.arms(cycle_id)

    @override
    def forget(self, cycle_id: str) -> None:
        self._part.forget(cycle_id)

    @override
    def retire(self, cycle_id: str, *, seconds: float) -> None:
        self._part.retire(cycle_id, seconds=seconds)

    @override
    def publish(self, cycle_id: str, dashboard: bytes) -> None:
        self._part.publish(cycle_id, dashboard)

    @override
    def dashboard(self, cycle_id: str) -> bytes | None:
        return self._part.dashboard(cycle_id)

    @override
    def quarantine(self, cycle_id: str, note: QuarantineNote) -> None:
        self._part.quarantine(cycle_id, note)

    @override
    def end_quarantine(self, cycle_id: str) -> None:
        self._part.end_quarantine(cycle_id)

    @override
    def quarantined(self) -> Mapping[str, QuarantineNote]:
        return self._part.quarantined()

    def close(self) -> None:
        """Close the connections, if there are any."""
        if "_part" in vars(self):
            self._part.close()


class DoorbellAtFirstUse(Doorbell):
    """The port `Doorbell`, made by the first call.

    Args:
        url: As for `RedisDoorbell`; settings have checked it.
    """

    def __init__(self, url: str) -> None:
        self._url = url

    @cached_property
    def _part(self) -> "RedisDoorbell":
        from swapflow.state.redis import RedisDoorbell  # noqa: PLC0415 - loads redis-py

        return RedisDoorbell(self._url)

    @override
    def ring(self, cycle_id: str) -> None:
        self._part.ring(cycle_id)

    @override
    def wait(self, seconds: float) -> bool:
        return self._part.wait(seconds)

    def close(self) -> None:
        """Close the connections, if there are any."""
        if "_part" in vars(self):
            self._part.close()


class LimiterAtFirstUse(Limiter):
    """The port `Limiter`, made by the first call.

    Args:
        url: As for `RedisLimiter`; settings have checked it.
    """

    def __init__(self, url: str) -> None:
        self._url = url

    @cached_property
    def _part(self) -> "RedisLimiter":
        from swapflow.state.rate_limits import RedisLimiter  # noqa: PLC0415 - loads limits, redis-py

        return RedisLimiter(self._url)

    @override
    def hit(self, name: str, key: str, *, times: int, seconds: int) -> int:
        return self._part.hit(name, key, times=times, seconds=seconds)

    @override
    def give_back(self, name: str, key: str, *, times: int, seconds: int) -> None:
        self._part.give_back(name, key, times=times, seconds=seconds)

    @override
    def forget(self, name: str, key: str, *, times: int, seconds: int) -> None:
        self._part.forget(name, key, times=times, seconds=seconds)

    @override
    def note(self, name: str) -> None:
        self._part.note(name)
