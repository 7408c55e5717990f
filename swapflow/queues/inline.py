"""Dispatch without processes: messages wait until the same process handles them."""

from collections import deque
from collections.abc import Callable, Sequence

from typing_extensions import override

from swapflow.engine.ports.dispatcher import Dispatcher, QueueMessage


class InlineDispatcher(Dispatcher):
    """The `Dispatcher` port for cycles that run in one process.

    Messages are queued, not handled inside `send`: a handler may then submit scores and the
    caller may dispatch again, without one call growing inside the other.
    """

    def __init__(self, handler: Callable[[Sequence[QueueMessage]], object]) -> None:
        """Prepare.

        Args:
            handler: Does what workers would do, for a list of messages in the order sent.
        """
        self._handler = handler
        self._waiting: deque[QueueMessage] = deque()

    @override
    def send(self, messages: Sequence[QueueMessage]) -> None:
        self._waiting.extend(messages)

    def run_pending(self) -> int:
        """Handle the waiting messages in one call; return how many.

        Messages that the handler sends wait for the next call. A handler that raises loses its
        messages, as a worker that dies may: they are hints, and are sent again.
        """
        messages = list(self._waiting)
        self._waiting.clear()
        if messages:
            self._handler(messages)
        return len(messages)

    def close(self) -> None:
        """Close nothing: nothing is open."""
