"""Copies, migrations run, health."""
