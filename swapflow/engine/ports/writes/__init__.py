"""One write to a cycle, by subject."""
