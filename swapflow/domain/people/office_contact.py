"""How an office is named to people outside of it, and where they ask it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class OfficeContact:
    """An office as reviewers and applicants meet it.

    Attributes:
        name: "" where nobody has named it.
        mail: Mail address for questions.
    """

    name: str = ""
    mail: str = ""
