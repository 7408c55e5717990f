"""What became of a file that another system sent, and the answer that is put beside it."""

from dataclasses import dataclass, field

from swapflow.domain.lists.exchanged_file import Exchanged, ExchangeOutcome
from swapflow.errors import BadRow
from swapflow.files.exports.writers import ExportSheet, Format, sheet_bytes


MOST_LEFT = 20_000
"""Files left out that an answer names."""

_WORDS = {
    "new": "new",
    "changed": "changed",
    "known": "known already",
    "held": "held, since they were erased",
    "stored": "stored",
    "same": "there already",
    "left": "left out",
    "bad": "wrong",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class IntakeAnswer:
    """What became of a file.

    Attributes:
        again: Whether the same file had come before, so that nothing was done.
        shape: The system that wrote the list, where one was recognised; else "".
        counts: By word: new, changed, known, held; stored, same, left; bad.
        bad: What is wrong with it; then nothing was changed.
        left: (place, reason) of each file that was left out.
        notes: What staff should know, in sentences.
        held: Sentences about rows of people who were erased.
    """

    name: str
    what: Exchanged
    outcome: ExchangeOutcome
    digest: str = ""
    size: int = 0
    again: bool = False
    shape: str = ""
    counts: dict[str, int] = field(default_factory=dict)
    bad: tuple[BadRow, ...] = ()
    left: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    held: tuple[str, ...] = ()

    @property
    def needs_a_person(self) -> bool:
        """Whether something of it waits for a person."""
        return bool(self.bad or self.left or self.held)

    def told(self) -> str:
        """Return what became of it, as one sentence."""
        if self.again:
            return f"{self.name} came before, byte for byte: nothing was done"
        if self.outcome is ExchangeOutcome.REFUSED:
            count = len(self.bad)
            rows = "1 row needs" if count == 1 else f"{count} rows need"
            return f"{self.name} changed nothing: {rows} a person"
        said = [f"{count} {_WORDS[what]}" for what, count in self.counts.items() if count]
        return f"{self.name} was taken: {', '.join(said) or 'nothing in it was new'}"


def answer_text(answer: IntakeAnswer) -> bytes:
    """Write the answer for people."""
    lines = [answer.told(), ""]
    lines += [str(row.message) for row in answer.bad]
    lines += answer.held
    lines += [f"{place}: {reason}" for place, reason in answer.left[:MOST_LEFT]]
    lines += [f"note: {note}" for note in answer.notes]
    if answer.outcome is ExchangeOutcome.REFUSED:
        lines += ["", "Cure what is named and send the whole file again under the same name."]
    return ("\r\n".join(lines).rstrip() + "\r\n").encode()


def answer_table(answer: IntakeAnswer) -> bytes:
    """Write what a person has to look at as a list, safe for spreadsheet programs."""
    rows: list[tuple[str | int, ...]] = [
        (row.line, row.column, row.value, str(row.reason), str(row.cure)) for row in answer.bad
    ]
    rows += [("", "", "", one, "Decide whether they come back") for one in answer.held]
    rows += [(place, "", "", reason, "") for place, reason in answer.left[:MOST_LEFT]]
    sheet = ExportSheet(
        name="answer",
        headers=("line", "column", "value", "what is wrong", "cure"),
        rows=tuple(rows),
    )
    return sheet_bytes(sheet, Format.CSV)
