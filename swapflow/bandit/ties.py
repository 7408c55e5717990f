"""The order of equals, the same on every machine."""

import hashlib

import numpy as np

from swapflow.bandit.situation import FloatArray


DECIMALS = 9
"""Digits kept before numbers are ordered; the last bits differ between builds of numpy."""


def tie_key(seed: int, external_id: str) -> int:
    """Return an applicant's place among equals: the smaller key comes first.

    A keyed hash, so that the place depends on the seed and not on the alphabet, the order of the
    file or the time of the application, and does not change when others join or leave.

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
    """Return priorities unchanged: the rule `paper` orders bare floats, as its vectors do."""
    return priority
