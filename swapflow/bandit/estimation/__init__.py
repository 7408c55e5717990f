"""Estimates from scores: posterior, severity, worth of one more pull."""
