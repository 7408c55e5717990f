"""Hands assignments to their reviewers."""

from swapflow.bootstrap import swapflow
from swapflow.errors import ConflictError, NotFoundError
from swapflow.queues.names import TaskName
from workers.app import app


@app.task(name=TaskName.DELIVER, throws=(ConflictError, NotFoundError))
def deliver(assignment_id: str) -> str:
    """Hand one assignment to its reviewer: an inbox, or a program that answers at once.

    A delivery that fails is not tried again here: its row waits and is sent again.
    """
    return swapflow().delivery.deliver(assignment_id)
