"""The value that a list maximises, and the limits on it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class SpreadOver:
    """One of several selection attributes that `diverse` spreads over, with its weight."""

    attribute: str
    weight: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Objective:
    """What the selection rule maximises.

    Attributes:
        name: "top-k" or "diverse".
        attribute: Selection attribute whose groups `diverse` spreads over.
        spread: Several of them instead, each with a weight.
        legal_basis: Recorded basis, needed wherever an attribute on the list of protected traits
            decides: in the objective, in a quota or in a target.
    """

    name: str = "top-k"
    attribute: str = ""
    spread: tuple[SpreadOver, ...] = ()
    legal_basis: str = ""

    @property
    def attributes(self) -> tuple[SpreadOver, ...]:
        """The attributes that `diverse` spreads over; none for top-k."""
        if self.name != "diverse":
            return ()
        return self.spread or (SpreadOver(attribute=self.attribute),)


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupQuota:
    """A limit on the chosen with one value of a selection attribute.

    Attributes:
        minimum: Fewest; maximum: most, None for no limit.
        minimum_share: Smallest share of the chosen; maximum_share: largest share.
    """

    attribute: str
    value: str
    minimum: int = 0
    maximum: int | None = None
    minimum_share: float = 0.0
    maximum_share: float = 1.0

    @property
    def title(self) -> str:
        """Return the name of the group for people."""
        return f"{self.attribute} = {self.value}"


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupTarget:
    """A wanted number of chosen with one value of an attribute; not a limit.

    Attributes:
        number: The number that suffices.
        worth: Value for the list of reaching it, in scores (1 is one full mark); the k-th of them
            adds worth · (√k - √(k-1)) / √number.
    """

    attribute: str
    value: str
    number: int
    worth: float

    @property
    def title(self) -> str:
        """Return the name of the group for people."""
        return f"{self.attribute} = {self.value}"
