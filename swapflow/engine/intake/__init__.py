"""Applicants and reviewers come in, change, leave, are erased."""
