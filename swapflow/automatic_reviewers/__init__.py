"""Reviewers that are programs: scoring services, and recorded or known marks."""
