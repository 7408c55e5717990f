"""The Celery dispatcher, whose library is loaded when the first message leaves."""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from typing_extensions import override

from swapflow.engine.ports.dispatcher import Dispatcher, QueueMessage


if TYPE_CHECKING:
    from swapflow.queues.celery import CeleryDispatcher


class DispatcherAtFirstUse(Dispatcher):
    """The port `Dispatcher`, made by the first call.

    Args:
        redis_url: Where the queues are; settings have checked it.
        visibility_timeout: As for `celery_app`.
        headers: Returns further headers of each message, for traces.
    """

    def __init__(
        self,
        redis_url: str,
        *,
        visibility_timeout: float,
        headers: Callable[[], dict[str, str]] | None = None,
    ) -> None:
        self._redis_url = redis_url
        self._visibility_timeout = visibility_timeout
        self._headers = headers

    @cached_property
    def _part(self) -> "CeleryDispatcher":
        from swapflow.queues.celery import (  # noqa: PLC0415 - loads Celery
            CeleryDispatcher,
            broker_url,
            celery_app,
        )

        app = celery_app(
            broker_url(self._redis_url), visibility_timeout=self._visibility_timeout, include=[]
        )
        return CeleryDispatcher(app, headers=self._headers)

    @override
    def send(self, messages: Sequence[QueueMessage]) -> None:
        self._part.send(messages)

    def send_chunks(self, paths: Sequence[str]) -> None:
        """Send chunks of a study, which are no part of any cycle, by the paths of their files.

        Raises:
            UnavailableError: If the broker does not answer.
        """
        self._part.send_chunks(paths)

    def close(self) -> None:
        """Close the connections, if there are any."""
        if "_part" in vars(self):
            self._part.close()
