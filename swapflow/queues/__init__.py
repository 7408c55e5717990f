"""Dispatch of assignments and mails: Celery messages, or direct calls in process."""
