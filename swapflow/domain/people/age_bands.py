"""Ages in bands: a date of birth names a person nearly as well as an id does."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from swapflow.domain.people.protected_attributes import protected_trait
from swapflow.errors import InvalidInputError


USUAL_STARTS = (20, 25, 30, 40)
"""Ages at which bands begin where nobody says another; law in some places looks at 40 and over."""

_MOST_STARTS = 12
_OLDEST = 120
_YEAR_FIRST = re.compile(r"((?:18|19|20)\d\d)[-/.]?(\d{1,2})[-/.]?(\d{1,2})(?:[T ].*)?")
_YEAR_LAST = re.compile(r"(\d{1,2})[-/.](\d{1,2})[-/.]((?:18|19|20)?\d\d)(?:[T ].*)?")
_YEAR = re.compile(r"(?:19|20)\d\d")
_AGE = re.compile(r"\d{1,3}")
_MONTHS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class AgeBands:
    """Bands of ages, and the day on which people are so old.

    Attributes:
        on: The day; one for a whole program, so that a list that comes again changes no band.
        starts: Ages in years at which a band begins, rising; the first band is of those younger.
    """

    on: date
    starts: tuple[int, ...] = USUAL_STARTS

    def __post_init__(self) -> None:
        rising = all(one < other for one, other in zip(self.starts, self.starts[1:], strict=False))
        inside = all(0 < start < _OLDEST for start in self.starts)
        if not self.starts or len(self.starts) > _MOST_STARTS or not rising or not inside:
            raise InvalidInputError("age_bands_unreadable", text=self.text)

    @classmethod
    def read(cls, text: str, *, on: date) -> "AgeBands":
        """Read ages such as "20, 25, 30, 40"; "" takes the usual ones.

        Raises:
            InvalidInputError: If they are no rising whole numbers from 1 to 119, twelve at most.
        """
        if not text.strip():
            return cls(on=on)
        parts = [part for part in re.split(r"[\s,;]+", text.strip()) if part]
        if not all(part.isascii() and _AGE.fullmatch(part) for part in parts):
            raise InvalidInputError("age_bands_unreadable", text=text)
        return cls(on=on, starts=tuple(map(int, parts)))

    @property
    def text(self) -> str:
        """The ages, as `read` takes them."""
        return ", ".join(map(str, self.starts))

    @property
    def names(self) -> tuple[str, ...]:
        """The name of each band, the youngest first."""
        inner = zip(self.starts, self.starts[1:], strict=False)
        return (
            f"under {self.starts[0]}",
            *(f"{first} to {after - 1}" for first, after in inner),
            f"{self.starts[-1]} and over",
        )

    def of_age(self, age: int) -> str:
        """Return the band of an age in years."""
        return self.names[sum(age >= start for start in self.starts)]

    def of(self, text: str) -> str | None:
        """Return the band of a date of birth, a year of birth or an age; None if it is none."""
        age = self._age(text.strip())
        return None if age is None or not 0 <= age <= _OLDEST else self.of_age(age)

    def of_birth(self, born: date) -> str | None:
        """Return the band of a person born on a day; None if no living person was."""
        age = self._years(born)
        return self.of_age(age) if 0 <= age <= _OLDEST else None

    def _age(self, text: str) -> int | None:
        if _YEAR.fullmatch(text):
            return self.on.year - int(text)
        if _AGE.fullmatch(text):
            return int(text)
        born = _born(text, latest=self.on.year)
        return None if born is None else self._years(born)

    def _years(self, born: date) -> int:
        had_birthday = (self.on.month, self.on.day) >= (born.month, born.day)
        return self.on.year - born.year - (0 if had_birthday else 1)


def banded(values: Mapping[str, str], bands: AgeBands) -> dict[str, str]:
    """Return declared attributes with dates of birth and ages as bands; others stay so."""
    return {
        name: (bands.of(value) or value) if tells_age(name) else value
        for name, value in values.items()
    }


def tells_age(name: str) -> bool:
    """Whether a column of that name holds how old people are."""
    return protected_trait(name) == "age"


def _born(text: str, *, latest: int) -> date | None:
    """Read a date in numbers; which of two possible months it is moves no band but by chance."""
    if match := _YEAR_FIRST.fullmatch(text):
        year, month, day = (int(part) for part in match.groups())
    elif match := _YEAR_LAST.fullmatch(text):
        day, month, year = (int(part) for part in match.groups())
        if year < 100:  # noqa: PLR2004 - two digits
            # Nobody is born after the day on which the ages are counted.
            year += 2000 if 2000 + year <= latest else 1900
    else:
        return None
    if month > _MONTHS:
        day, month = month, day
    try:
        return date(year, month, day)
    except ValueError:
        return None
