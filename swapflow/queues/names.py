"""The names that dispatchers and workers must agree on: tasks and physical queues."""

from enum import StrEnum


class TaskName(StrEnum):
    """Every task that a message may request; each takes one id."""

    DELIVER = "swapflow.deliver"
    SEND_MAIL = "swapflow.send_mail"
    CALL_WEBHOOK = "swapflow.call_webhook"
    STUDY_CHUNK = "swapflow.study_chunk"


PULL_QUEUES = (
    "pull.weak",
    "pull.strong",
    "pull.tier3",
    "pull.tier4",
    "pull.tier5",
    "pull.tier6",
)
"""One queue per pull kind, in the order of the rules; kinds beyond the last share it."""

MAIL_QUEUE = "mail"
WEBHOOK_QUEUE = "webhook"
STUDY_QUEUE = "study"

ALL_QUEUES = (*PULL_QUEUES, MAIL_QUEUE, WEBHOOK_QUEUE, STUDY_QUEUE)


def pull_queue(tier: int) -> str:
    """Return the name of the queue of a pull kind.

    Args:
        tier: The kind's index in the rules, from 0.
    """
    return PULL_QUEUES[min(tier, len(PULL_QUEUES) - 1)]
