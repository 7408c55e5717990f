"""Reading and writing a cycle up to its list."""
