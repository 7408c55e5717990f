"""How many pulls each application has of each kind."""

from array import array
from collections.abc import Collection

import numpy as np

from swapflow.domain.rules import Rules
from swapflow.domain.rules_versions import FIRST_ASKING
from swapflow.engine.projection.people_events import PAIR, PeopleProjection
from swapflow.engine.projection.score_table import GrowingTable, Integers


class PullTables(PeopleProjection):
    """Pulls counted by application and kind.

    Attributes:
        rules: The rules in force.
    """

    def __init__(self, rules: Rules) -> None:
        super().__init__()
        self.rules = rules
        self._asked_list = array("q")
        kinds = len(rules.kinds)
        self._given = GrowingTable(kinds)
        self._closed = GrowingTable(kinds)
        self._out = GrowingTable(kinds)
        self._ordinals = GrowingTable(kinds)

    def given(self) -> Integers:
        """Count pulls per application and kind that were not cancelled, shape (n, kinds)."""
        return self._view(self._given)

    def closed(self) -> Integers:
        """Count closed pulls per application and kind, shape (n, kinds)."""
        return self._view(self._closed)

    def out(self) -> Integers:
        """Count proposed and open pulls per application and kind, shape (n, kinds)."""
        return self._view(self._out)

    def next_ordinal(self, application: int, kind: int) -> int:
        """Return the ordinal of the next pull of this kind of this application."""
        return int(self._ordinals.rows[application, kind]) + 1

    def asked_ever(self, applications: Collection[int]) -> dict[int, set[int]]:
        """Return who was ever asked about each of these applications, whatever came of it."""
        pairs = np.array(self._asked_list, dtype=np.int64)
        found: dict[int, set[int]] = {application: set() for application in applications}
        for pair in pairs[np.isin(pairs // PAIR, list(found))].tolist():
            found[pair // PAIR].add(pair % PAIR)
        return found

    def _bars_once_asked(self) -> bool:
        """Whether nobody who was asked once may be asked again about an application."""
        return self.rules.asking == FIRST_ASKING

    def _view(self, table: "GrowingTable") -> Integers:
        # A fold that starts under today's rules passes through older ones with fewer kinds.
        return table.rows[: self.applications, : len(self.rules.kinds)]

    def _tables(self) -> "tuple[GrowingTable, ...]":
        return (self._given, self._closed, self._out, self._ordinals)

    def _count_pull(self, application: int, kind: int, ordinal: int) -> None:
        self._given.rows[application, kind] += 1
        self._number_pull(application, kind, ordinal)

    def _number_pull(self, application: int, kind: int, ordinal: int) -> None:
        highest = self._ordinals.rows[application, kind]
        self._ordinals.rows[application, kind] = max(highest, ordinal)
