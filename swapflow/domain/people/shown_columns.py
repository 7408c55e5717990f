"""Which columns of applicants' data reviewers of a blind program see: those that staff chose."""

from collections.abc import Mapping
from dataclasses import dataclass, field


_BY_CHOICE = "columns"
_NUMBERED = "applicants"
_COLUMN = "column:"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownColumns:
    """What staff of a program chose to show to its reviewers; it matters while it is blind.

    Attributes:
        choices: Whether a column is shown, by its name; one without a choice is hidden.
        by_choice: False in a program made before columns were chosen: it shows all but a written
            list of headers, until staff choose.
        numbered: Whether reviewers know an applicant by a random number; False in a program made
            before, which shows ids.
    """

    choices: Mapping[str, bool] = field(default_factory=dict)
    by_choice: bool
    numbered: bool

    def shows(self, name: str) -> bool:
        """Return whether a column is shown, where columns are chosen."""
        return self.choices.get(name, False)

    def choosing(self, choices: Mapping[str, bool]) -> "ShownColumns":
        """Return it with further choices; from the first one on, columns are shown by choice."""
        return ShownColumns(
            choices={**self.choices, **choices}, by_choice=True, numbered=self.numbered
        )

    def settings(self) -> dict[str, str]:
        """Format it as pairs that can be stored."""
        return {
            **({_BY_CHOICE: "chosen"} if self.by_choice else {}),
            **({_NUMBERED: "numbered"} if self.numbered else {}),
            **{
                f"{_COLUMN}{name}": "yes" if is_shown else "no"
                for name, is_shown in self.choices.items()
            },
        }

    @classmethod
    def of_settings(cls, settings: Mapping[str, str]) -> "ShownColumns":
        """Read such pairs; without any, the program was made before columns were chosen."""
        return cls(
            choices={
                key.removeprefix(_COLUMN): value == "yes"
                for key, value in settings.items()
                if key.startswith(_COLUMN)
            },
            by_choice=_BY_CHOICE in settings,
            numbered=_NUMBERED in settings,
        )


NEW_PROGRAM = ShownColumns(by_choice=True, numbered=True)
"""What a program begins with: nothing is shown."""
