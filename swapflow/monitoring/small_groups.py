"""Which groups are shown by name: small ones are merged before a table is made of them.

A group of fewer than five could show what became of one person. Its name could say who that is,
so it is never printed, and its numbers must not be the total less all the others.
"""

from collections.abc import Mapping, Sequence

from swapflow.domain.people.group_sizes import SMALL


MOST_SHOWN = 12
"""Groups of one table, the largest; more are merged too, so that it can be read."""

UNKNOWN_GROUP: tuple[str, ...] = ()
"""Those who did not declare an attribute."""


def merged(
    sizes: Mapping[tuple[str, ...], int], *, small: int = SMALL, most: int = MOST_SHOWN
) -> frozenset[tuple[str, ...]]:
    """Return the groups that are merged into one.

    Args:
        sizes: Persons of each group, a value of each attribute; of `UNKNOWN_GROUP` those who
            did not declare it, whose number stands in the table too.
        small: Persons from which a group is shown.
        most: Groups that are shown at most, the largest.

    Returns:
        The small groups, those beyond `most`, and as many shown ones, the smallest first, as keep
        a sum that a reader knows from hiding fewer than `small` persons: the total, and of pairs
        of attributes also each value of either, whose sum stands in the table of that attribute.
        All groups, if none would be left by its name.
    """
    ranked = sorted(sizes, key=lambda group: (-sizes[group], group))
    hidden = {group for group in ranked if 0 < sizes[group] < small}
    shown = [group for group in ranked if sizes[group] >= small and group != UNKNOWN_GROUP]
    # One group alone would be called "others" for nothing.
    if len(shown) > most + 1:
        hidden |= set(shown[most:])
    sums = _known_sums(ranked)
    while more := _to_hide(sums, hidden, sizes, small=small):
        hidden |= more
    return frozenset(ranked if hidden.issuperset(shown) else hidden)


def _known_sums(groups: Sequence[tuple[str, ...]]) -> list[list[tuple[str, ...]]]:
    """Return the groups behind each sum that is known, the total first."""
    lines: dict[tuple[int, str], list[tuple[str, ...]]] = {}
    for group in groups:
        # Of one attribute each value is a group of its own, whose sum is the group.
        if len(group) > 1:
            for place, value in enumerate(group):
                lines.setdefault((place, value), []).append(group)
    return [list(groups), *lines.values()]


def _to_hide(
    sums: Sequence[Sequence[tuple[str, ...]]],
    hidden: set[tuple[str, ...]],
    sizes: Mapping[tuple[str, ...], int],
    *,
    small: int,
) -> set[tuple[str, ...]]:
    """Return what has to be hidden besides; nothing when no sum gives a small number away."""
    more = set()
    for groups in sums:
        inside = [group for group in groups if group in hidden]
        if not inside or sum(sizes[group] for group in inside) >= small:
            continue
        rest = [group for group in groups if group not in hidden and sizes[group]]
        if rest:
            more.add(min(rest, key=lambda group: (sizes[group], group)))
    return more
