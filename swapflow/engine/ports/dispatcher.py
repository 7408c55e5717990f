"""Messages to workers."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol


class Topic(Enum):
    """What a message is about."""

    DELIVER = "deliver"
    SIGN_IN = "sign_in"
    MAIL = "mail"
    WEBHOOK = "webhook"


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueMessage:
    """A hint to a worker: one id and the queue it goes to; the ledger knows the rest.

    Attributes:
        tier: Index of the pull kind, which decides the queue of a DELIVER message.
    """

    topic: Topic
    id: str
    tier: int = 0


class Dispatcher(Protocol):
    """Sends messages to workers; a message may be lost, doubled or late without harm.

    Raises:
        UnavailableError: If the broker does not take them; some may have been sent.
    """

    def send(self, messages: Sequence[QueueMessage]) -> None:
        """Send the messages, in order, in as few round trips as the broker allows."""
        ...
