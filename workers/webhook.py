"""Calls other systems' webhooks."""

from swapflow.bootstrap import swapflow
from swapflow.errors import ConflictError, NotFoundError
from swapflow.queues.names import TaskName
from workers.app import app


@app.task(name=TaskName.CALL_WEBHOOK, throws=(ConflictError, NotFoundError))
def call_webhook(call_id: str) -> str:
    """Make one call; its row holds everything, and when it is due again."""
    return "called" if swapflow().outbox.call_webhook(call_id) else "nothing to do"
