"""How log lines look, and what they never hold.

A traceback names files and lines and leaves the values of variables out: among them are marks,
names, keys and what a request holds.
"""

import logging

import structlog

from swapflow.settings import LogFormat, Settings


def set_up_logs(settings: Settings) -> None:
    """Write what this process logs as the settings ask: for people, or one JSON object a line."""
    if settings.log_format is LogFormat.JSON:
        last: list[structlog.typing.Processor] = [
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(ensure_ascii=False),
        ]
    else:
        last = [structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)]
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            *last,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(
            logging.getLevelNamesMapping()[settings.log_level]
        ),
    )
