"""One thing wrong with rules, and how its place in the file is spelled."""

from collections.abc import Iterator
from dataclasses import dataclass

from swapflow.messages import Message


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesProblem:
    """One thing wrong with rules.

    Attributes:
        place: Where in the rules file, e.g. `kinds 2 ("interview"), cost`.
        value: The value as written; "" when there is none.
        reason: What is wrong with it.
        cure: What to do about it.
        refers: The tables that it compares; it says nothing when one could not be read whole.
    """

    place: str
    value: str
    reason: str
    cure: str
    refers: tuple[str, ...] = ()

    def __str__(self) -> str:
        return str(self.message)

    @property
    def message(self) -> Message:
        """Where something is wrong, what, and the cure, as one sentence."""
        named: dict[str, object] = {"value": self.value} if self.value else {}
        return Message(
            "rules_problem_at_value" if self.value else "rules_problem",
            place=self.place,
            reason=self.reason,
            cure=self.cure,
            **named,
        )


def numbered(table: str, index: int, name: str, setting: str = "") -> str:
    """Name the place of a setting in the file: kinds 2 ("interview"), cost."""
    title = f' ("{name}")' if name else ""
    return f"{table} {index + 1}{title}" + (f", {setting}" if setting else "")


def at_least(place: str, value: int, least: int) -> Iterator[RulesProblem]:
    """Find a number that is too small."""
    if value < least:
        yield RulesProblem(
            place=place,
            value=str(value),
            reason=Message("below_least", least=least),
            cure=Message("below_least_cure", least=least),
        )


def within(place: str, value: int, least: int, most: int) -> Iterator[RulesProblem]:
    """Find a number that is too small or too large."""
    if not least <= value <= most:
        yield RulesProblem(
            place=place,
            value=str(value),
            reason=Message("outside_bounds", least=least, most=most),
            cure=Message("outside_bounds_cure", least=least, most=most),
        )


def quoted(text: str) -> str:
    """Format a text as the file has it."""
    return f'"{text}"'
