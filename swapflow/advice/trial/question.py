"""What a visitor asks of a spreadsheet, and how it travels to the process that reads it."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Self

from swapflow.untrusted.json_text import load_json


CONTENT = "page.json"
"""Name of the file with what the page of an answer shows, beside the files to download."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialQuestion:
    """A question about one file.

    Attributes:
        name: Name of the file, as messages call it.
        places: How many are chosen.
        reviews: How many more reviews there may be.
        scale: Ends of the marks as people write them, "1..10"; "" to read them from the file.
        columns: What to take a header for, by header.
    """

    name: str
    places: int
    reviews: int
    scale: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)

    def line(self) -> bytes:
        """Return the question as one line, which stands before the bytes of the file."""
        return json.dumps(asdict(self)).encode() + b"\n"

    @classmethod
    def of_line(cls, line: bytes) -> Self:
        """Read what `line` made."""
        return cls(**load_json(line))

    def command(self) -> list[str]:
        """Return the command that gives the same answer, by its words."""
        words = ["swapflow", "advise", self.name, "--places", str(self.places)]
        words += ["--reviews", str(self.reviews)]
        if self.scale:
            words += ["--scale", self.scale]
        for header, role in self.columns.items():
            words += ["--column", f"{header}={role}"]
        return words
