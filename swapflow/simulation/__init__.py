"""Reviewers that are programs: known truth, recorded scores, scoring services."""
