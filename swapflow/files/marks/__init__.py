"""Marks as offices keep them: who gave which applicant how much, read from any of their tables."""
