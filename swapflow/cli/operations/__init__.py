"""Processes, upkeep, users, personal data."""
