"""Hashes of passwords that cost little, for tests: the product's take a tenth of a second each."""

from argon2 import PasswordHasher

from swapflow.identity import passwords


PRODUCTS = passwords._HASHER
"""What the product hashes with."""


def hash_quickly() -> None:
    """Make the passwords of this process cheap to hash and to check."""
    passwords._HASHER = PasswordHasher(time_cost=1, memory_cost=64, parallelism=1)
