"""What a reviewer may see of an applicant; in a blind cycle, nothing that identifies a person.

Every place that names an applicant to a reviewer, or shows data of one, asks `ReviewerView`:
pages, API, commands, sheets, files and mails.
"""

from dataclasses import dataclass
from typing import Protocol
from urllib.parse import quote

from swapflow.domain.cycle import Cycle
from swapflow.domain.people.application import Application, NewApplication
from swapflow.domain.people.identity_mask import mask_identity
from swapflow.domain.people.shown_columns import ShownColumns
from swapflow.domain.rules import Rules
from swapflow.engine.ports.records import SHOWN
from swapflow.engine.ports.reviewer_tasks import ReviewerTasks
from swapflow.engine.reviewing.listed_headers import listed_fields, mask_listed


class Identified(Protocol):
    """What identifies an applicant: number, id and name."""

    @property
    def number(self) -> int:
        """The number in the cycle, from 0."""
        ...

    @property
    def external_id(self) -> str:
        """The office's id."""
        ...

    @property
    def name(self) -> str:
        """The name; "" when it is not known."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewerView:
    """A program's applicants as its reviewers see them.

    Attributes:
        blind: Whether the rules in force make it blind.
        shown: What staff chose to show if it is.
    """

    cycle: Cycle
    blind: bool
    shown: ShownColumns

    def name_of(self, application: Identified) -> str:
        """Return a reviewer's name for an applicant: the name, or a random number if blind.

        A blind program made before there were numbers shows the office's id, unless it holds the
        name or an address.
        """
        if not self.blind:
            return application.name or application.external_id
        if self.shown.numbered:
            return f"Applicant {self.cycle.applicant_number(application.number)}"
        external_id = application.external_id
        if not external_id or mask_listed(external_id, name=application.name) != external_id:
            return f"Applicant {application.number + 1}"
        return external_id

    def fields_of(self, application: Application | NewApplication) -> dict[str, str]:
        """Return the imported fields that a reviewer may see.

        In a blind cycle these are the columns that staff chose, without links, addresses, handles
        and the applicant's own name: swapflow does not see what a link leads to, so it cannot
        promise that the page names no one.
        """
        if not self.blind:
            return dict(application.fields)
        if not self.shown.by_choice:
            return listed_fields(application)
        return {
            name: mask_identity(
                value,
                name=application.name,
                email=application.email,
                external_id=application.external_id,
            )
            for name, value in application.fields.items()
            if self.shown.shows(name)
        }

    def link_of(self, template: str, application: Identified) -> str:
        """Fill in where an applicant's file is; "" where a blind program's id names the person."""
        external_id = application.external_id
        if (
            self.blind
            and self.shown.numbered
            and "{external_id}" in template
            and mask_identity(external_id, name=application.name) != external_id
        ):
            return ""
        return template.replace("{external_id}", quote(external_id, safe=""))


def view_of(cycle: Cycle, rules: Rules, *, ledger: ReviewerTasks) -> ReviewerView:
    """Read what reviewers see of a program's applicants."""
    shown = ShownColumns.of_settings(ledger.list_reading(cycle.id, SHOWN))
    return ReviewerView(cycle=cycle, blind=rules.blind, shown=shown)
