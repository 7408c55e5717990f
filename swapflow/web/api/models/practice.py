"""Practice files as JSON: what reviewers mark together before a launch."""

from pydantic import Field

from swapflow.web.api.models.base import Hundred, In, Mark, Name, Out, Text


class PracticeNoted(Out):
    """One note in the discussion; `by` is "" for a reviewer, who stays without a name."""

    by: str
    text: str


class PracticeFileShown(Out):
    """A practice file with what was made of it."""

    file: int = Field(description="Its number, from 1.")
    title: str
    text: str
    marks: list[float] = Field(
        description="Marks in points of 100, lowest first; none for a reviewer who did not mark."
    )
    remarks: list[str]
    notes: list[PracticeNoted]


class PracticeShown(Out):
    """The practice files of a program."""

    program: str
    files: list[PracticeFileShown]
    missing: list[str] = Field(description="Ids of reviewers who have not marked every file.")


class OwnPractice(Out):
    """The practice files of a program as one of its reviewers may see them."""

    program: str
    files: list[PracticeFileShown]


class NewPracticeFile(In):
    """A practice file to put before the reviewers."""

    title: Name
    text: str = Field(min_length=1, max_length=60_000)


class NewPracticeNote(In):
    """A note to add to the discussion."""

    text: Text


class NewPracticeMark(In):
    """What a reviewer makes of a practice file: marks, or a score where there is no form."""

    marks: dict[str, Mark | None] = Field(default_factory=dict)
    score: Hundred | None = None
    remark: Text = ""
