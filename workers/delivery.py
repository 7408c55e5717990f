"""Delivers assignments to their reviewers."""

from swapflow.bootstrap import swapflow
from swapflow.errors import ConflictError, NotFoundError
from swapflow.queues.names import TaskName
from workers.app import app


@app.task(name=TaskName.DELIVER, throws=(ConflictError, NotFoundError))
def deliver(assignment_id: str) -> str:
    """Deliver one assignment: to a person's task list, or to a program that answers at once.

    A failed delivery is not tried again here: its row waits and is sent again.
    """
    return swapflow().delivery.deliver(assignment_id)
