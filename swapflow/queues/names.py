"""The names that dispatchers and workers must agree on: tasks and physical queues."""

from collections.abc import Sequence
from enum import StrEnum


class TaskName(StrEnum):
    """Every task that a message may request; each takes one id."""

    DELIVER = "swapflow.deliver"
    SEND_MAIL = "swapflow.send_mail"
    CALL_WEBHOOK = "swapflow.call_webhook"
    STUDY_CHUNK = "swapflow.study_chunk"


KEY_PREFIX = "sfq:"
"""Prefix of all keys of Celery, since queues and live state may share a server."""

PULL_QUEUES = (
    "pull.weak",
    "pull.strong",
    "pull.tier3",
    "pull.tier4",
    "pull.tier5",
    "pull.tier6",
)
"""One queue per pull kind, in the order of the rules; kinds beyond the last share it."""

SIGN_IN_QUEUE = "sign_in"
"""Mails of the office, which a person waits for at the sign-in page."""

MAIL_QUEUE = "mail"
WEBHOOK_QUEUE = "webhook"
STUDY_QUEUE = "study"

MAILER_QUEUES = (SIGN_IN_QUEUE, MAIL_QUEUE)
"""Served by a worker of their own: nothing that waits for another system may hold up a sign-in."""

WORKER_QUEUES = (*PULL_QUEUES, WEBHOOK_QUEUE, STUDY_QUEUE)
"""Served by the other workers."""

ALL_QUEUES = (*WORKER_QUEUES, *MAILER_QUEUES)


def served_queues(named: Sequence[str]) -> tuple[str, ...]:
    """Return the queues of a worker that is started with these names; none means all.

    A worker that was told to serve mails before sign-ins had a queue of their own serves both.
    """
    more = (SIGN_IN_QUEUE,) if MAIL_QUEUE in named and SIGN_IN_QUEUE not in named else ()
    return (*more, *named)


def pull_queue(tier: int) -> str:
    """Return the name of the queue of a pull kind.

    Args:
        tier: The kind's index in the rules, from 0.
    """
    return PULL_QUEUES[min(tier, len(PULL_QUEUES) - 1)]
