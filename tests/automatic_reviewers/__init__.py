"""Reviewers that are programs."""
