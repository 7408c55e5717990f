"""How assignments and mails leave: Celery messages, or direct calls in process."""
