"""A worker of the product's configuration whose only task does nothing."""

import os

from swapflow.queues.celery import broker_url, celery_app
from swapflow.queues.names import TaskName


app = celery_app(broker_url(os.environ["SF_BENCH_REDIS"]), include=["workers.lifecycle"])


@app.task(name=TaskName.DELIVER)
def deliver(assignment_id: str) -> None:
    """Do nothing with an id, as the yardstick of what the broker can do."""
