"""A past round read: its spreads fitted, its rules replayed, what came of them in words."""
