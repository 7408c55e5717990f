"""Alembic's migrations of the ledger; `swapflow/ledger/upgrade.py` runs them."""
