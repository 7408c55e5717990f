"""Celery entry points: parse, call one method, report."""
