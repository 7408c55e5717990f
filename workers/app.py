"""The Celery app: `celery -A workers.app worker`."""

from celery.signals import worker_process_init

from swapflow import bootstrap
from swapflow.instrumentation.tracing import start
from swapflow.processes.exposure import keep_private
from swapflow.queues.celery import broker_url, celery_app
from swapflow.settings import load_settings


keep_private()
_settings = load_settings()

start("worker")

app = celery_app(
    broker_url(_settings.redis),
    visibility_timeout=_settings.visibility_timeout,
    include=[
        "workers.lifecycle",
        "workers.delivery",
        "workers.mail",
        "workers.webhook",
        "workers.study",
    ],
)


@worker_process_init.connect
def open_own_connections(**_: object) -> None:
    """Drop connections made before the fork: two processes must never share one."""
    bootstrap.forget()
