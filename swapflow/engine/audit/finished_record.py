"""A finished cycle as plain values. It holds no names: people are the numbers of the events."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from swapflow.domain.cohort.proposal import MethodSheet, Outcome, Place, Standing
from swapflow.domain.cycle import START, Position
from swapflow.domain.event import Event
from swapflow.domain.rules import Rules
from swapflow.engine.ports.records import DecisionRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class ListSignature:
    """A person who signed a list, and in which role.

    Attributes:
        by: Their name; "" in a bundle without names.
        who: The digest by which the list's event names them; "" for older lists.
    """

    by: str
    role: str
    who: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FixedList:
    """One final list: the proposal, and what people decided.

    Attributes:
        position: The event that the proposal includes.
        stop_reason: Why no more reviews were requested by then.
        sheet: Its method sheet; None when read from a bundle, which holds it as text.
    """

    version: int
    position: int
    stop_reason: str
    places: tuple[Place, ...]
    outcomes: tuple[Outcome, ...]
    signatures: tuple[ListSignature, ...]
    sheet: MethodSheet | None = None

    @property
    def proposed(self) -> list[int]:
        """The numbers of the applications on the proposed list, in its order."""
        return [p.application for p in self.places if p.standing is Standing.COHORT]


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedCycle:
    """Everything that a replay of a finished cycle needs.

    Attributes:
        unit: The unit of costs.
        rules: Every version, in order.
        lists: Every final list, in order.
        salts: The salts of the names of those who decided and signed, by digest.
    """

    cycle_id: str
    unit: str
    rules: tuple[Rules, ...]
    events: tuple[Event, ...]
    decisions: tuple[DecisionRecord, ...]
    lists: tuple[FixedList, ...]
    salts: Mapping[str, str] = field(default_factory=dict)

    @property
    def head(self) -> Position:
        """The last position of the record."""
        return self.events[-1].position if self.events else START
