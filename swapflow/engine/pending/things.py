"""What may wait for a person, as values: a code, parameters of its sentence, and a page."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from swapflow.messages import Message


class PendingCode(StrEnum):
    """What waits; in the order in which a person is shown it."""

    SIGN = "sign"
    CONFLICTING_SCORES = "conflicting_scores"
    APPROVE = "approve"
    NO_SHOWS = "no_shows"
    UNDATED_INTERVIEWS = "undated_interviews"
    DECIDE = "decide"
    UNSEEN_APPLICANTS = "unseen_applicants"
    BLOCKED = "blocked"
    OVERDUE = "overdue"
    LATE_ANSWERS = "late_answers"
    EXPLANATIONS = "explanations"
    DEADLINE_AT_RISK = "deadline_at_risk"
    PRACTICE = "practice"
    INTAKE = "intake"
    REVIEWERS_APART = "reviewers_apart"
    CHOOSE_COLUMNS = "choose_columns"
    REVIEWER_MAIL_BACK = "reviewer_mail_back"
    APPLICANT_MAIL_BACK = "applicant_mail_back"
    MAIL_FAILED = "mail_failed"
    MAIL_NOT_SENT = "mail_not_sent"
    BACK_UP = "back_up"
    CONNECT_MAIL = "connect_mail"
    SET_ASIDE = "set_aside"
    HELD_UP = "held_up"
    STATE_ALTERED = "state_altered"
    OWN_REVIEWS = "own_reviews"


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingThing:
    """One thing that waits for each person who may do it.

    Attributes:
        cycle_id: The cycle; "" for the office as a whole.
        round_id: Its round.
        program: The cycle's name.
        params: What fills in the sentence: counts and names of kinds, never of people.
        path: The page on which it is done.
        key: Tells it from others of its code; another key is another thing.
        done_by: Names of people who have done their part already.
    """

    code: PendingCode
    cycle_id: str
    round_id: str
    program: str
    params: Mapping[str, int | str] = field(default_factory=dict)
    path: str
    key: str = ""
    done_by: frozenset[str] = frozenset()

    @property
    def message(self) -> Message:
        """The sentence."""
        return Message(f"pending_{self.code.value}", **self.params)

    @property
    def action(self) -> Message:
        """What the button to its page says."""
        return Message(f"pending_{self.code.value}_action", **self.params)
