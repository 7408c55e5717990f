"""A coordinator's fair share of the programs that are to be led: what it takes and gives up.

Pure: it reads who leads what and a clock that only counts, and writes nothing. The lease rows
decide; a coordinator that counts wrongly takes too many or too few, and no two lead one program.
"""

import math
from collections import Counter
from collections.abc import Collection, Mapping


MOVES_APART = 60.0
"""Seconds for which a coordinator keeps a program before it gives it up, unless set otherwise."""


HOLDS_OFF = 10.0
"""Lengths of that time for which nothing is given to coordinators that did not take what was."""


class FairShare:
    """What one coordinator takes and gives up, as of the last look at all leases."""

    def __init__(self, *, lease_seconds: float, move_seconds: float = MOVES_APART) -> None:
        """Start with nothing; before the first look every program may be taken.

        Args:
            lease_seconds: How long a lease lasts without renewal.
            move_seconds: How long a program is kept before it is given up.
        """
        self._patience = lease_seconds
        self._stays = move_seconds
        self.elsewhere = frozenset[str]()
        """Programs that another coordinator led at the last look."""
        self._own = set[str]()
        self._living = frozenset[str]()
        self._most = math.inf
        self._least = 0
        self._fewest = 0
        self._held_since: dict[str, float] = {}
        self._free_since: dict[str, float] = {}
        self._given = set[str]()
        self._unwanted: tuple[frozenset[str], float] = frozenset(), -math.inf

    def look(
        self,
        holder: str,
        leaders: Mapping[str, str],
        coordinators: Collection[str],
        *,
        now: float,
    ) -> None:
        """Count anew.

        Args:
            holder: The coordinator's own name in its leases.
            leaders: The leader of each program that is to be led; "" where nobody leads it.
            coordinators: Those that announced themselves. One of an earlier release does not, and
                counts while it leads a program.
            now: Seconds on a clock that only counts.
        """
        living = frozenset({holder, *coordinators, *filter(None, leaders.values())})
        self._living = living
        count = Counter(leaders.values())
        self._own = {name for name, leader in leaders.items() if leader == holder}
        self.elsewhere = frozenset(
            name for name, leader in leaders.items() if leader not in {"", holder}
        )
        # A lease that ran out while nobody else took it is no move: the minute goes on.
        lapsed = {name for name in self._held_since if leaders.get(name) == ""}
        self._held_since = {name: self._held_since.get(name, now) for name in self._own | lapsed}
        self._free_since = {
            name: self._free_since.get(name, now) for name, leader in leaders.items() if not leader
        }
        self._given &= self._free_since.keys()
        if any(now - self._free_since[name] >= self._patience for name in self._given):
            # Those that are there do not take what they could: they are frozen, or had to set it
            # aside. Giving it up again each minute would leave it without a leader each minute.
            self._unwanted = living, now + HOLDS_OFF * self._stays
        self._least, rest = divmod(len(leaders), len(living))
        self._most = self._least + (rest > 0)
        self._fewest = min(count[name] for name in living)

    def may_lead(self, cycle_id: str, *, now: float) -> bool:
        """Whether to hold, or to ask for, a program's lease.

        A program that nobody led for the length of a lease is taken by any coordinator: the one
        whose share it is may have set it aside, or be frozen.
        """
        free_since = self._free_since.get(cycle_id)
        if cycle_id in self._own or free_since is None:
            return True
        if now - free_since >= self._patience:
            return True
        return len(self._own) < self._most and cycle_id not in self._given

    def took(self, cycle_id: str, *, now: float) -> None:
        """Count a program whose lease was taken since the last look."""
        self._own.add(cycle_id)
        self._held_since.setdefault(cycle_id, now)

    def to_give(self, *, now: float) -> tuple[str, ...]:
        """Return the programs to give up now: those above its share, led longest.

        A difference of one between two coordinators moves nothing. A program that was taken less
        than `move_seconds` ago stays, so that it moves at most once in that time. What was given
        up and taken by nobody holds further gifts to the same coordinators off for a while.
        """
        there, until = self._unwanted
        if now < until and self._living <= there:
            return ()
        surplus = len(self._own) - self._most
        if surplus <= 0:
            uneven = len(self._own) > self._least and len(self._own) - self._fewest > 1
            surplus = int(uneven)
        settled = sorted(
            (since, name)
            for name, since in self._held_since.items()
            if name in self._own and now - since >= self._stays
        )
        return tuple(name for _, name in settled[: int(surplus)])

    def gave(self, cycle_id: str, *, now: float) -> None:
        """Note that a program was given up: it is not taken back at once."""
        self._own.discard(cycle_id)
        self._held_since.pop(cycle_id, None)
        self._free_since[cycle_id] = now
        self._given.add(cycle_id)
