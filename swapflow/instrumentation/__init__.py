"""Wrappers around ports: spans, and crash points for tests."""
