"""Files of other systems, and results for them."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from swapflow.domain.lists.exchanged_file import ExchangedFile
from swapflow.files.intake.answer import IntakeAnswer
from swapflow.files.intake.resumable import AnnouncedFile
from swapflow.web.api.models.base import In, Line, Name, Out
from swapflow.web.api.models.files import BadLine, LeftOut


What = Literal["applicants", "documents", "results"]


class DropPlaces(Out):
    """Where the other system writes, and where it fetches results, on this machine."""

    incoming: str
    outgoing: str


class FileAnswer(Out):
    """What became of a file that was sent."""

    file: str
    what: What
    outcome: Literal["taken", "refused", "sent"]
    again: bool = Field(description="It came before, byte for byte; nothing was done.")
    system: str = Field(description="The system that wrote the list, where it was recognised.")
    counts: dict[str, int] = Field(
        description="new, changed, known, held; of documents stored, same, left; of rows bad."
    )
    bad: list[BadLine] = Field(description="Where there is any, nothing was changed.")
    left_out: list[LeftOut]
    held: list[str] = Field(description="Rows of people who were erased; they stayed out.")
    notes: list[str]

    @classmethod
    def of(cls, answer: IntakeAnswer) -> "FileAnswer":
        """Format an answer."""
        return cls(
            file=answer.name,
            what=answer.what.value,
            outcome=answer.outcome.value,
            again=answer.again,
            system=answer.shape,
            counts={what: count for what, count in answer.counts.items() if count},
            bad=[BadLine.of(row) for row in answer.bad],
            left_out=[LeftOut(file=place, reason=reason) for place, reason in answer.left],
            held=list(answer.held),
            notes=list(answer.notes),
        )


class PlaceToCure(Out):
    """A place in a list that a person has to look at."""

    line: int
    column: str


class ExchangedFileShown(Out):
    """A file that came in or went out, as it is on record."""

    number: int
    file: str
    what: What
    outcome: Literal["taken", "refused", "sent"]
    via: Literal["folder", "page", "command", "API"]
    sha256: str
    size: int
    at: datetime
    by: str
    counts: dict[str, int]
    for_people: int = Field(description="Rows or files of it that wait for a person.")
    places: list[PlaceToCure]
    done_by: str = Field(description="Who said that it is done; empty for nobody.")

    @classmethod
    def of(cls, one: ExchangedFile) -> "ExchangedFileShown":
        """Format a file."""
        return cls(
            number=one.number,
            file=one.name,
            what=one.what.value,
            outcome=one.outcome.value,
            via=one.via,
            sha256=one.digest,
            size=one.size,
            at=one.at,
            by=one.by,
            counts=dict(one.counts),
            for_people=one.for_people,
            places=[PlaceToCure(line=line, column=column) for line, column in one.lines],
            done_by=one.done_by,
        )


class NewUpload(In):
    """A large file that will come in pieces."""

    name: Name
    size: int = Field(ge=1, le=20_000_000_000, description="Its bytes.")
    sha256: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class Upload(Out):
    """A file that comes in pieces, and how much of it is there."""

    upload: str
    file: str
    size: int
    offset: int = Field(description="Bytes that are there; the next piece begins here.")
    whole: bool

    @classmethod
    def of(cls, one: AnnouncedFile) -> "Upload":
        """Format an upload."""
        return cls(
            upload=one.key, file=one.name, size=one.size, offset=one.offset, whole=one.is_whole
        )


class ResultWords(In):
    """What the other system calls columns and decisions; what is left out stays."""

    decision: Line | None = None
    position: Line | None = None
    decided_at: Line | None = None
    selected: Line | None = None
    waitlisted: Line | None = None
    not_selected: Line | None = None


class ResultFiles(Out):
    """Results that were put out, and what they are called in."""

    files: list[str]
    words: dict[str, str]
