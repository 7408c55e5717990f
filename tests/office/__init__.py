"""Accounts, rights and keys."""
