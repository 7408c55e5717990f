"""Alembic's migrations of the ledger; `swapflow/ledger/maintenance/upgrade.py` runs them."""
