"""Automatic reviewers: scoring services, and recorded or known marks."""
