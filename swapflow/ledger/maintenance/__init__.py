"""Backups, migrations, health."""
