"""Everything held about one person, and erasing it."""
