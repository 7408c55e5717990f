"""Groups of people that are large enough to be told of, and values that make none."""

from collections.abc import Sequence


SMALL = 5
"""Persons below which a group's numbers could disclose one of them."""

_MANY = 12


def compares_little(sizes: Sequence[int]) -> bool:
    """Whether a value has nearly as many groups as people: an id, a postcode, a street."""
    shown = sum(size for size in sizes if size >= SMALL)
    return len(sizes) > _MANY and 2 * shown < sum(sizes)
