"""Connections, the cycle's lock and chain, rows to values."""
