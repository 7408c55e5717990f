"""Every error swapflow raises on purpose.

SwapflowError
├── InvalidInputError             the caller's data cannot be used; fix it and try again
│   ├── InvalidRulesError         cycle rules contradict each other or the roster
│   ├── ScoreOutOfRangeError      a score lies outside [0, 1]
│   ├── BadRowsError              an import holds rows that cannot be used; nothing was imported
│   ├── InfeasibleError           no cohort satisfies the constraints
│   ├── MailRefusedError          the mail server refuses this mail for good
│   │   └── RecipientRefusedError the mail server refuses its recipient for good
│   └── NotReadyError             the cycle is not, or no longer, in the state that this needs
│       └── CycleFinalizedError   the cohort is fixed; only `cycle reopen` starts another version
├── NotFoundError                 no such cycle, applicant, reviewer or assignment
├── ConflictError                 the request was valid, but the cycle has moved on
│   ├── AssignmentClosedError     scored, declined, expired or cancelled already
│   ├── LeaseLostError            another coordinator has taken over this cycle
│   ├── StaleDraftError           the draft was changed elsewhere; both texts are at hand
│   └── StaleRevisionError        a form was made from something older than is stored now
├── NotSignedInError              nobody is signed in, or no longer
├── ForbiddenError                signed in, without the right to do this
│   └── SignInMethodRefusedError  signed in, in a way that this cycle's rules do not take
├── RateLimitedError              too often in too short a time
├── DamagedRecordError            a row of one cycle's record cannot be read; the others can
└── UnavailableError              Redis, the database or the queue did not answer

The CLI turns the first three and the last two into exit codes 2, 3, 4, 5 and 5, the web all of
them into statuses 422, 404, 409, 401, 403, 429, 503 and 503; a worker retries only the last.
Anything else that escapes is a bug.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from swapflow.messages import Message


class SwapflowError(Exception):
    """Base of every error raised on purpose; its message is for the person who reads it.

    Attributes:
        message: The sentence as a value: `str(error)` is it in English.
    """

    def __init__(self, code: str, /, **params: object) -> None:
        """Make an error from the code of its sentence, or from a message made before."""
        self.message = code if isinstance(code, Message) else Message(code, **params)
        super().__init__(str(self.message))

    @property
    def code(self) -> str:
        """The stable name of what went wrong."""
        return self.message.code

    @property
    def params(self) -> Mapping[str, object]:
        """What fills in the message's places."""
        return self.message.params


class InvalidInputError(SwapflowError):
    """The caller's data cannot be used: the message names place, value and cure."""


class InvalidRulesError(InvalidInputError):
    """The rules of a cycle contradict each other, the budget or the roster."""


class ScoreOutOfRangeError(InvalidInputError):
    """A score lies outside the scale it was given on."""


LONGEST_HEADER = 60
"""Characters of a column's header that a message shows: in a file that is no table it has more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BadRow:
    """One thing wrong in an imported file.

    Attributes:
        line: Line (CSV) or row (XLSX) as a spreadsheet shows it, starting at 1; 0 for the file.
        column: The column's header, or "" when the whole row is meant.
        value: The value found there, shortened for display.
        reason: What is wrong with it.
        cure: What to do about it.
    """

    line: int
    column: str
    value: str
    reason: str
    cure: str

    def __str__(self) -> str:
        return str(self.message)

    @property
    def message(self) -> Message:
        """Where something is wrong, what, and the cure, as one sentence."""
        header = self.column[:LONGEST_HEADER] + "…" * (len(self.column) > LONGEST_HEADER)
        place = "row_at_line" if self.line else "row_of_file"
        named: dict[str, object] = {"line": self.line} if self.line else {}
        if header:
            place += "_column"
            named |= {"column": header}
        if self.value:
            place += "_value"
            named |= {"value": self.value}
        return Message(
            "bad_row", place=Message(place, **named), reason=self.reason, cure=self.cure
        )


class BadRowsError(InvalidInputError):
    """An import holds rows that cannot be used; nothing was imported."""

    def __init__(self, source: str, rows: Sequence[BadRow]) -> None:
        super().__init__(
            "bad_rows", source=source, count=len(rows), rows=[row.message for row in rows]
        )
        self.source = source
        self.rows = tuple(rows)


class InfeasibleError(InvalidInputError):
    """No cohort satisfies the constraints; the message names the smallest relaxation."""


class MailRefusedError(InvalidInputError):
    """A mail server refuses a mail or its recipient for good: trying again is of no use."""


class RecipientRefusedError(MailRefusedError):
    """A mail server refuses a recipient for good: known at once what a bounce would say later.

    Attributes:
        said: The server's answer, code first, as it came.
    """

    def __init__(self, message: "str | Message", /, *, said: str) -> None:
        super().__init__(message)
        self.said = said


class NotReadyError(InvalidInputError):
    """The cycle is not in the state that this needs; the message says in which it is."""


class CycleFinalizedError(NotReadyError):
    """The cohort is fixed; only `cycle reopen` starts another version of it."""


class NotFoundError(SwapflowError):
    """No such round, cycle, applicant, reviewer or assignment."""


class ConflictError(SwapflowError):
    """The request was valid, but the cycle has moved on."""


class AssignmentClosedError(ConflictError):
    """The assignment cannot be scored, declined, reopened or given away any more."""

    def __init__(
        self, assignment_id: str, status: str, *, code: str = "assignment_closed"
    ) -> None:
        super().__init__(code, assignment=assignment_id, status=status)
        self.assignment_id = assignment_id
        self.status = status

    def named(self, name: str) -> "AssignmentClosedError":
        """Return the same refusal with the assignment named as its reader knows it."""
        return AssignmentClosedError(name, self.status, code=self.code)


class LeaseLostError(ConflictError):
    """Another coordinator holds this cycle's lease; nothing was written."""


class StaleDraftError(ConflictError):
    """A draft was saved elsewhere since it was read: nothing was overwritten.

    Attributes:
        version: The version that is stored now.
        body: What is stored now, to be shown beside what was to be saved.
    """

    def __init__(self, version: int, body: Mapping[str, object]) -> None:
        super().__init__("draft_changed_elsewhere")
        self.version = version
        self.body = dict(body)


class StaleRevisionError(ConflictError):
    """A form was made from something older than is stored now; nothing was overwritten.

    Attributes:
        stored: What is stored now, by the name of the field.
    """

    def __init__(self, stored: Mapping[str, object]) -> None:
        content = [
            Message("stored_field", name=name, value=value) for name, value in stored.items()
        ]
        super().__init__("changed_since_form", stored=content or [Message("stored_nothing")])
        self.stored = dict(stored)


class NotSignedInError(SwapflowError):
    """Nobody is signed in here, or the session has ended; sign in and repeat the request."""


class ForbiddenError(SwapflowError):
    """The principal lacks the right; the message names the right and who can grant it."""


class SignInMethodRefusedError(ForbiddenError):
    """The cycle's rules want a sign-in through the identity provider; this was another way."""


class RateLimitedError(SwapflowError):
    """Too many tries in a short time.

    Attributes:
        seconds: After how long the next one is taken.
    """

    def __init__(self, code: str, /, *, seconds: int, **params: object) -> None:
        super().__init__(code, seconds=seconds, **params)
        self.seconds = seconds


class DamagedRecordError(SwapflowError):
    """A row of the record cannot be read: it was changed outside of swapflow, or its disk failed.

    Attributes:
        cycle: The cycle that the row belongs to, "" where that cannot be known.
        event: Number of the event that cannot be read; None for any other row.
    """

    def __init__(
        self, code: str, /, *, cycle: str = "", event: int | None = None, **params: object
    ) -> None:
        super().__init__(code, cycle=cycle, event=event, **params)
        self.cycle = cycle
        self.event = event


class UnavailableError(SwapflowError):
    """Redis, the database or the queue did not answer; the message says what to check.

    Attributes:
        outside: What people on the pages are told, where the message names hosts and users of
            the installation; the message itself otherwise.
    """

    def __init__(self, code: str, /, *, outside: str = "", **params: object) -> None:
        super().__init__(code, **params)
        self.outside = Message(outside) if outside else self.message
