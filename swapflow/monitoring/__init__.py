"""Outcomes of the groups that applicants belong to: tables to read, after the fact, in sums.

No deciding code may import this package, and nothing here writes: an import contract ensures it.
"""
