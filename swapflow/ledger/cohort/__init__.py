"""Reads and writes of what follows the list."""
