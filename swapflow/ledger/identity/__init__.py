"""The office's record."""
