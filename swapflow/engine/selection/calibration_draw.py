"""Who gets a kind by a draw, so that kinds' offsets are measured and not assumed."""

from collections.abc import Iterable

from swapflow.bandit.ties import tie_key
from swapflow.domain.rules import Rules


def drawn_for(rules: Rules, tie: int, kind: int) -> bool:
    """Say whether an applicant who comes near the cut without a kind gets it by chance.

    A keyed hash of the seed, the applicant and the kind: the draw is the same in every replay,
    and does not depend on marks, on others or on when it is asked.

    Args:
        rules: Give the seed and the share.
        tie: The applicant's number that breaks ties.
        kind: Index of the kind.
    """
    return tie_key(rules.seed, f"kind overlap/{kind}/{tie}") < rules.kind_overlap * 2**64


def most_drawn(rules: Rules, ties: Iterable[int], everyone: tuple[int, ...]) -> tuple[int, ...]:
    """Count, per kind, the applicants who get it by chance if all of them come near the cut.

    Args:
        rules: The rules.
        ties: Of all applicants, as for `drawn_for`.
        everyone: The floor of each kind for everybody; what all get anyway is drawn for nobody.
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
