"""The office around the cycles: sign-in, permissions, and the audit log."""
