"""Signing in, one's own account, users, keys, audit log."""
