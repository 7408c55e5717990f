"""A random draw that decides who gets a kind, so that kinds' offsets are measured, not assumed."""

from collections.abc import Iterable

from swapflow.bandit.ties import tie_key
from swapflow.domain.rules import Rules


def drawn_for(rules: Rules, tie: int, kind: int) -> bool:
    """Whether the draw selects an applicant near the cut who lacks a kind.

    A keyed hash of the seed, the applicant and the kind: the draw is the same in every replay,
    and does not depend on marks, on others or on when it is asked.

    Args:
        rules: Supply the seed and the share.
        tie: The applicant's number that breaks ties.
        kind: Index of the kind.
    """
    return tie_key(rules.seed, f"kind overlap/{kind}/{tie}") < rules.kind_overlap * 2**64


def most_drawn(rules: Rules, ties: Iterable[int], everyone: tuple[int, ...]) -> tuple[int, ...]:
    """Count, per kind, the applicants whom the draw would select if all came near the cut.

    Args:
        rules: The rules.
        ties: Of all applicants, as for `drawn_for`.
        everyone: The floor of each kind for everybody; a kind that all get is never drawn.
    """
    if not rules.overlaps:
        return (0,) * len(rules.kinds)
    known = tuple(ties)
    drawn = (
        0 if everyone[kind] else sum(drawn_for(rules, tie, kind) for tie in known)
        for kind in range(len(rules.kinds))
    )
    return tuple(
        count if limits.total is None else min(count, limits.total)
        for count, limits in zip(drawn, rules.kinds, strict=True)
    )
