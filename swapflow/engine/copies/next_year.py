"""Next year's program from this year's: what staff choose to take over, dates a year later."""

from dataclasses import dataclass, replace

from swapflow.domain.people.reviewer import NewReviewer
from swapflow.domain.rules import Rules
from swapflow.engine.copies.later_rules import dates_later, first_version
from swapflow.engine.copies.practice_program import copied
from swapflow.engine.offers.kept_wording import LETTERS
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.records import SHOWN
from swapflow.errors import ConflictError, InvalidInputError


MOST_YEARS = 5
"""How many years later dates can lie."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What the new program takes over beside rules, score forms and questions.

    Attributes:
        roster: The reviewers who are active.
        rights: The rights that people have in this program alone.
        columns: Which columns of applicants' data reviewers see.
        letters: The texts of letters to applicants as they were last sent.
        years: How many years later its dates lie; 0 leaves them out.
    """

    roster: bool = True
    rights: bool = True
    columns: bool = True
    letters: bool = True
    years: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class NextYear:
    """What the new program will begin with.

    Attributes:
        columns: Which columns reviewers see, as they are stored.
        letters: Texts of letters, as they are stored.
    """

    rules: Rules
    reviewers: tuple[NewReviewer, ...]
    columns: dict[str, str]
    letters: dict[str, str]


def plan_next_year(source: str, taken: Taken, *, ledger: Ledger) -> NextYear:
    """Plan next year's program; no applicant, mark or decision of this year's goes with it.

    Raises:
        NotFoundError: If there is no such program.
        ConflictError: If it is for practice.
        InvalidInputError: If the dates were to lie too far ahead.
    """
    if ledger.cycle(source).is_practice:
        raise ConflictError("practice_is_no_template", cycle=source)
    if not 0 <= taken.years <= MOST_YEARS:
        raise InvalidInputError("template_years_out_of_range", most=MOST_YEARS)
    rules = first_version(ledger.rules(source))
    if taken.years:
        rules = dates_later(rules, taken.years)
    else:
        rules = replace(rules, applications_close=None, deadline=None)
    return NextYear(
        # What applicants of this year were told is no notice to those of the next; nor did the
        # person who allowed programs to review this year allow it for the next.
        rules=replace(rules, notice="", automatic=None),
        reviewers=_roster(source, ledger=ledger) if taken.roster else (),
        columns=ledger.list_reading(source, SHOWN) if taken.columns else {},
        letters=ledger.list_reading(source, LETTERS) if taken.letters else {},
    )


def _roster(source: str, *, ledger: Ledger) -> tuple[NewReviewer, ...]:
    """Return the people of a roster as they will begin: nobody is away, nobody in conflict."""
    return tuple(
        replace(copied(one), absences=())
        for one in ledger.reviewers(source)
        if one.active and not one.automatic
    )
