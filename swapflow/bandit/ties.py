"""How ties are broken, so that every machine breaks them alike."""

import hashlib

import numpy as np

from swapflow.bandit.situation import FloatArray


DECIMALS = 9
"""Digits kept before numbers are ordered: the same numpy gives other last bits elsewhere."""


def tie_key(seed: int, external_id: str) -> int:
    """Give an applicant's place among equals: the smaller key comes first.

    A keyed hash, so that the place depends on the seed, not on the alphabet, the order of the
    file or who applied first; and it never changes when others join or leave.

    Args:
        seed: The cycle's seed, any integer.
        external_id: The applicant's id in the office's own files.

    Returns:
        An integer in [0, 2^64).
    """
    digest = hashlib.blake2b(
        external_id.encode(), digest_size=8, key=hashlib.sha256(str(seed).encode()).digest()
    )
    return int.from_bytes(digest.digest(), "big")


def rounded(priority: FloatArray) -> FloatArray:
    """Round priorities to 1e-9, the precision at which they are ordered and recorded."""
    return np.round(priority, DECIMALS)


def unrounded(priority: FloatArray) -> FloatArray:
    """Keep priorities as they are: the rule `paper` orders bare floats, as its vectors do."""
    return priority
