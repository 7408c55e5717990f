"""People decide, and what follows."""
