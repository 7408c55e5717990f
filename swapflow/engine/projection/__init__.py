"""A cycle rebuilt from its events, in memory."""
