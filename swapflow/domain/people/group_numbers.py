"""Numbers by which events name groups: one value of a selection attribute each.

A number follows from the names alone. So rules that are written later, or changed in mid-cycle,
find the groups of applications that arrived before.
"""

import hashlib


ATTRIBUTE_BITS, VALUE_BITS = 30, 32
"""Together below 2^63: a group's number is a whole number of any database."""

VALUES = 1 << VALUE_BITS
"""A group's number is its attribute's number times this, plus its value's number."""


def attribute_number(attribute: str) -> int:
    """Give an attribute's number, in [0, 2^30)."""
    return _number(attribute, ATTRIBUTE_BITS)


def value_number(attribute: str, value: str) -> int:
    """Give a value's number within its attribute, in [0, 2^32)."""
    return _number(f"{attribute}\n{value.strip()}", VALUE_BITS)


def group_number(attribute: str, value: str) -> int:
    """Give a group's number."""
    return attribute_number(attribute) * VALUES + value_number(attribute, value)


def _number(text: str, bits: int) -> int:
    digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> (64 - bits)
