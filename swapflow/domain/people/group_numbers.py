"""Numbers of groups in events: each is one value of a selection attribute.

A number follows from the names alone, so rules that are written or changed later find the groups
of earlier applications.
"""

import hashlib


ATTRIBUTE_BITS, VALUE_BITS = 30, 32
"""Their sum is below 63, so that a group's number fits an integer of any database."""

VALUES = 1 << VALUE_BITS
"""A group's number is its attribute's number times this, plus its value's number."""


def attribute_number(attribute: str) -> int:
    """Return an attribute's number, in [0, 2^30)."""
    return _number(attribute, ATTRIBUTE_BITS)


def value_number(attribute: str, value: str) -> int:
    """Return a value's number within its attribute, in [0, 2^32)."""
    return _number(f"{attribute}\n{value.strip()}", VALUE_BITS)


def group_number(attribute: str, value: str) -> int:
    """Return a group's number."""
    return attribute_number(attribute) * VALUES + value_number(attribute, value)


def _number(text: str, bits: int) -> int:
    digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> (64 - bits)
