"""What staff said about spellings of values: which are one value, and which are not."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field


_BETWEEN = "\x1f"
"""Stands in no name of a column and in no value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueChoices:
    """Spellings by attribute, and what each is taken for.

    Attributes:
        chosen: By attribute and spelling the value; a spelling that staff keep as a value of its
            own is taken for itself.
    """

    chosen: Mapping[tuple[str, str], str] = field(default_factory=dict)

    def value(self, attribute: str, spelling: str) -> str:
        """Return the value that a spelling is taken for."""
        return self.chosen.get((attribute, spelling), spelling)

    def is_decided(self, attribute: str, spelling: str) -> bool:
        """Whether staff said what a spelling is."""
        return (attribute, spelling) in self.chosen

    def taking(self, attribute: str, spellings: Iterable[str], value: str) -> "ValueChoices":
        """Return them with spellings that are taken for one value from now on."""
        said = {(attribute, one): value for one in (*spellings, value)}
        # What was taken for one of these spellings follows it.
        moved = {
            key: said[attribute, taken]
            for key, taken in self.chosen.items()
            if key[0] == attribute and (attribute, taken) in said
        }
        return ValueChoices(chosen={**self.chosen, **moved, **said})

    def keeping(self, attribute: str, spellings: Iterable[str]) -> "ValueChoices":
        """Return them with spellings that are values of their own from now on."""
        own = {(attribute, one): one for one in spellings}
        return ValueChoices(chosen={**self.chosen, **own})

    def settings(self) -> dict[str, str]:
        """Format them as pairs that can be stored."""
        return {_BETWEEN.join(key): value for key, value in self.chosen.items()}

    @classmethod
    def of_settings(cls, settings: Mapping[str, str]) -> "ValueChoices":
        """Read such pairs."""
        pairs = (((*key.split(_BETWEEN, 1),), value) for key, value in settings.items())
        return cls(chosen={(key[0], key[1]): value for key, value in pairs if len(key) == 2})  # noqa: PLR2004 - attribute and spelling
