"""What assignment needs to know of a reviewer in one cycle."""

from dataclasses import dataclass, field


@dataclass(slots=True, kw_only=True)
class RosterEntry:
    """What the projection knows of one reviewer.

    Attributes:
        tie: Keyed hash of (seed, external id): decides between reviewers alike in all else.
        capacity: Most assignments by kind; None is unlimited, a missing kind is not asked.
        unnamed: Represents several people, so it has no severity of its own.
        load: Assignments by kind that were neither declined, expired nor cancelled.
        out: Assignments open now.
        reserve: Kept for reconsiderations: asked for nothing else.
    """

    tie: int
    capacity: dict[int, int | None]
    packet: int | None
    automatic: bool
    topics: frozenset[int]
    unnamed: bool = False
    active: bool = True
    away: bool = False
    load: dict[int, int] = field(default_factory=dict)
    out: int = 0
    reserve: bool = False

    def serves(self, kind: int, *, reconsideration: bool = False) -> bool:
        """Whether this reviewer may be asked for a kind; reconsiderations ask people only."""
        if not self.active or kind not in self.capacity:
            return False
        return not self.automatic if reconsideration else not self.reserve

    def room(self, kind: int, *, reconsideration: bool = False) -> int:
        """Count assignments of a kind that this reviewer may still get in this cycle."""
        # Reserve reviewers are kept for reconsiderations; a program's score cannot answer an
        # appeal.
        if not self.serves(kind, reconsideration=reconsideration):
            return 0
        most = self.capacity[kind]
        return 1_000_000 if most is None else max(0, most - self.load.get(kind, 0))
