"""Sends mails."""

from swapflow.bootstrap import swapflow
from swapflow.errors import ConflictError, NotFoundError
from swapflow.queues.names import TaskName
from workers.app import app


@app.task(name=TaskName.SEND_MAIL, throws=(ConflictError, NotFoundError))
def send_mail(message_id: str) -> str:
    """Send one mail; its row holds everything, and it is sent once."""
    return "sent" if swapflow().outbox.send_mail(message_id) else "not sent now"
