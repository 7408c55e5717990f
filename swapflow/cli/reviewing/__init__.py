"""A reviewer at a terminal."""
