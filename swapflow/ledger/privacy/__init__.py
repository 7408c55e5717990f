"""Everything held about one person, and its erasure."""
