"""The decision, and what follows."""
