"""What became of the groups that applicants belong to: tables to read, after the fact, in sum.

Nothing that decides may import this package, and nothing here writes: an import rule sees to it.
"""
