"""How a list is read, as chosen or remembered: its columns, its key, its dates."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal

from swapflow.files.tables.dates import ORDERS
from swapflow.files.tables.known_layouts import KnownLayout, shape_of
from swapflow.files.tables.table import Table


Key = Literal["id", "email"]
LEFT_OUT = "leave out"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How a list of applicants is read.

    Attributes:
        columns: Role by header; "" leaves a column out. Headers that are missing are taken for
            what their names say.
        key: What names an applicant; "" when nobody said it.
        dates: Headers of columns that hold dates.
        date_order: "dmy", "mdy" or "".
        age_bands: Ages at which the bands begin that are kept of dates of birth; "" for the usual.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    key: Key | Literal[""] = ""
    dates: tuple[str, ...] = ()
    date_order: str = ""
    age_bands: str = ""

    def settings(self) -> dict[str, str]:
        """Format it as pairs that can be kept."""
        return {
            **{f"column:{header}": role or LEFT_OUT for header, role in self.columns.items()},
            **{f"date:{header}": "yes" for header in self.dates},
            **({"key": self.key} if self.key else {}),
            **({"date_order": self.date_order} if self.date_order else {}),
            **({"age_bands": self.age_bands} if self.age_bands else {}),
        }

    @classmethod
    def of_settings(cls, settings: Mapping[str, str]) -> "Reading":
        """Read such pairs; what they do not know is passed over."""
        named = _named(settings, "column:")
        return cls(
            columns={h: "" if role == LEFT_OUT else role for h, role in named.items()},
            key=_key(settings.get("key", "")),
            dates=tuple(_named(settings, "date:")),
            date_order=settings["date_order"] if settings.get("date_order") in ORDERS else "",
            age_bands=settings.get("age_bands", ""),
        )

    def within(self, headers: Collection[str]) -> "Reading":
        """Leave out what it says of headers that a table does not have."""
        return Reading(
            columns={h: role for h, role in self.columns.items() if h in headers},
            key=self.key,
            dates=tuple(h for h in self.dates if h in headers),
            date_order=self.date_order,
            age_bands=self.age_bands,
        )

    def over(self, other: "Reading") -> "Reading":
        """Merge it over another one, which fills what it leaves open."""
        return Reading(
            columns={**other.columns, **self.columns},
            key=self.key or other.key,
            dates=tuple(dict.fromkeys((*self.dates, *other.dates))),
            date_order=self.date_order or other.date_order,
            age_bands=self.age_bands or other.age_bands,
        )


def reading_of(
    table: Table, chosen: Reading, remembered: Mapping[str, str]
) -> tuple[Reading, KnownLayout | None, tuple[str, ...]]:
    """Choose how a table is read: as chosen, else as the last list of its kind, else by its shape.

    Returns:
        The reading, the shape that was recognised, and what staff should know, in sentences.
    """
    last = Reading.of_settings(remembered).within(table.headers)
    shape = shape_of(table)
    notes = []
    taken = [h for h in last.columns if h not in chosen.columns]
    if taken:
        notes.append(
            f"as in the last list, columns are taken for what was said then: "
            f"{', '.join(map(repr, taken))}"
        )
    if shape is not None:
        open_ = [h for h in shape.columns if h not in {*chosen.columns, *last.columns}]
        notes.append(shape.told(open_))
    by_shape = Reading(columns=shape.columns if shape else {})
    return chosen.over(last).over(by_shape), shape, tuple(notes)


def _named(settings: Mapping[str, str], prefix: str) -> dict[str, str]:
    return {w.removeprefix(prefix): v for w, v in settings.items() if w.startswith(prefix)}


def _key(text: str) -> Key | Literal[""]:
    match text:
        case "id" | "email":
            return text
        case _:
            return ""
