"""Lists, evidence and papers as files."""
