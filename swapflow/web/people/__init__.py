"""Applicants and reviewers of a program: a table, and beside it one of them understood."""
