"""What a check of a record comes to: differences, and what could not be compared."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """A difference from the record; `fatal` unless it is mere rounding."""

    what: str
    fatal: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """The result of a replay.

    Attributes:
        events: Events that were replayed.
        decisions: Decisions that were computed again.
        findings: Differences; empty when everything agrees.
        uncovered: What could not be compared, since older releases recorded less.
        erased: Names and texts that could not be compared, since a person was erased.
    """

    events: int
    decisions: int
    findings: tuple[Disagreement, ...]
    uncovered: tuple[str, ...] = ()
    erased: int = 0

    @property
    def passed(self) -> bool:
        """Whether nothing but rounding differs."""
        return not any(finding.fatal for finding in self.findings)
