"""What a reviewer of a program sees of its applicants in another role, until asking ends.

A person on the roster is a reviewer first: as staff, chair or committee they see only applicants
whose review they have handed in or cannot be asked for, in a blind program by the names that
reviewers know. Pages, API, commands and files ask a `SeatView`, and a person without a seat has
none. To open another applicant takes a reason and is recorded: it bars them from judging.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from swapflow.domain.cycle import CycleStatus
from swapflow.domain.event import EventType
from swapflow.domain.people.application import Application
from swapflow.domain.people.reviewer import Reviewer
from swapflow.domain.rules import Rules
from swapflow.engine.ports.cycles import CycleReads
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.records import ApplicantName, SeatFacts
from swapflow.engine.reviewing.barred_pairs import serves, take_back_requests
from swapflow.engine.reviewing.blinding import Identified, ReviewerView
from swapflow.errors import ForbiddenError, InvalidInputError, NotFoundError


ASKED_NO_MORE = frozenset({CycleStatus.ENDED, CycleStatus.FINALIZED})
"""Statuses in which nobody is asked any more, and a seat hides nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatView:
    """A program's applicants as one of its reviewers sees them in another role.

    Attributes:
        view: How reviewers of the program see an applicant.
        reviewer: The number of the reviewer.
        seen: Applicants whose review they have handed in or cannot be asked for.
        opened: Those of `seen` whom they opened with a reason: by their names too.
    """

    view: ReviewerView
    reviewer: int
    seen: frozenset[int]
    opened: frozenset[int]

    def sees(self, number: int) -> bool:
        """Whether they may see an applicant, and what was said of them."""
        return number in self.seen

    def names(self, number: int) -> bool:
        """Whether they may see who an applicant is."""
        return number in self.seen and (not self.view.blind or number in self.opened)

    def name_of(self, application: Identified) -> str:
        """Return their name for an applicant; an unseen one is known by the blind number."""
        if self.names(application.number):
            return application.name or application.external_id
        return replace(self.view, blind=True).name_of(application)

    def listed(self, names: Iterable[ApplicantName]) -> tuple[ApplicantName, ...]:
        """Return those of a list whom they may see, by the names that they may know."""
        return tuple(
            one
            if self.names(one.number)
            else replace(one, external_id=self.name_of(one) if one.external_id else "", name="")
            for one in names
            if self.sees(one.number)
        )

    def shown(self, application: Application) -> Application:
        """Return what they may see of an applicant.

        Raises:
            ForbiddenError: If they may not see the applicant.
        """
        self.check(application.number)
        if self.names(application.number):
            return application
        return replace(
            application,
            external_id=self.name_of(application) if application.external_id else "",
            name="",
            email="",
            attributes={},
            fields=self.view.fields_of(application),
        )

    def check(self, number: int, *, by_name: bool = False) -> None:
        """Refuse to show an applicant, or who it is.

        Raises:
            ForbiddenError: If they may not see the applicant, or not by name.
        """
        if not self.sees(number):
            raise ForbiddenError("applicant_closed_to_reviewer")
        if by_name and not self.names(number):
            raise ForbiddenError("applicant_unnamed_to_reviewer")


def seat_view(cycle_id: str, reviewer: int, *, ledger: Ledger) -> SeatView | None:
    """Read what a reviewer may see in another role; None once nobody is asked any more."""
    found = ledger.program_seats([(cycle_id, reviewer)])
    if not found or found[0].cycle.status in ASKED_NO_MORE:
        return None
    (seat,) = found
    facts = ledger.seat_facts(cycle_id, reviewer)
    seen = facts.answered | facts.barred
    if facts.others:
        seen |= _of_other_panels(cycle_id, reviewer, facts, seat.rules, ledger=ledger)
    return SeatView(
        view=ReviewerView(cycle=seat.cycle, blind=seat.rules.blind, shown=seat.shown),
        reviewer=reviewer,
        # What was opened stays open: no request can come of it any more.
        seen=(seen - facts.waiting) | facts.opened,
        opened=facts.opened,
    )


def _of_other_panels(
    cycle_id: str, reviewer: int, facts: SeatFacts, rules: Rules, *, ledger: Ledger
) -> frozenset[int]:
    """Return the applicants whose panel keeps a reviewer from every kind of request."""
    roster = ledger.reviewers(cycle_id)
    me = roster[reviewer]
    # In reconsiderations the reserve judges across panels.
    if me.reserve:
        return frozenset()
    members: dict[int, set[int]] = {}
    for application, member in ledger.panels(cycle_id):
        members.setdefault(application, set()).add(member)
    mine = [kind.name for kind in rules.kinds if kind.name in me.capacity]
    return frozenset(
        application
        for application in facts.others
        if all(serves(kind, members[application], roster) for kind in mine)
    )


def open_applicant(
    cycle_id: str,
    number: int,
    reviewer: int,
    *,
    by: str,
    reason: str,
    address: str = "",
    ledger: CycleReads,
) -> bool:
    """Let a reviewer see an applicant in another role; they are never asked about them then.

    An open request is taken back, and an answer that comes all the same does not count. A review
    that was handed in before stays as it is. There is no way back: what was read stays known.

    Args:
        cycle_id: The program.
        number: The applicant.
        reviewer: The reviewer.
        by: Who opens it, as recorded.
        reason: Why; must be given.
        address: Address of the pages, for mails about dates that lapse.
        ledger: The ledger.

    Returns:
        False if they had opened the applicant before; then nothing is written.

    Raises:
        InvalidInputError: If there is no reason, or asking has ended: then everybody is open.
        NotFoundError: If the program has no such applicant or reviewer.
    """
    if not reason.strip():
        raise InvalidInputError("reason_missing")
    with ledger.write(cycle_id) as tx:
        if tx.cycle.status in ASKED_NO_MORE:
            raise InvalidInputError("asking_has_ended")
        if number not in {a.number for a in tx.applications()}:
            raise NotFoundError("application_number_not_found", cycle=cycle_id, number=number)
        _numbered(tx.reviewers(), reviewer, cycle_id)
        if not tx.add_opened(number, reviewer):
            return False
        tx.record(EventType.APPLICANT_OPENED, {"a": number, "r": reviewer})
        take_back_requests(tx, [(number, reviewer)], address=address)
        tx.note(
            subject=f"application:{number}",
            by=by,
            text=f"reviewer {reviewer} opened it in another role: {reason.strip()}",
        )
        return True


def _numbered(roster: Iterable[Reviewer], number: int, cycle_id: str) -> Reviewer:
    for reviewer in roster:
        if reviewer.number == number:
            return reviewer
    raise NotFoundError("reviewer_number_not_in_program", cycle=cycle_id, number=number)
