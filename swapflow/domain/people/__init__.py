"""Applicants and reviewers."""
