"""A program's mails that came back, by the person whose address it is."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from swapflow.domain.returned_mail import ReturnedMail
from swapflow.engine.ports.ledger import Ledger


@dataclass(frozen=True, slots=True, kw_only=True)
class Returned:
    """Mails that came back.

    Attributes:
        reviewers: By the reviewer's number.
        applicants: By the applicant's number.
        others: To staff, or to an address that was taken off a person since.
    """

    reviewers: Mapping[int, tuple[ReturnedMail, ...]]
    applicants: Mapping[int, tuple[ReturnedMail, ...]]
    others: tuple[ReturnedMail, ...] = ()

    @property
    def of_roster(self) -> int:
        """How many people there are beside applicants from whom mail came back."""
        return len(self.reviewers) + len({one.to.lower() for one in self.others})


def returned_in(cycle_id: str, *, ledger: Ledger) -> Returned:
    """Read what came back in a program; of most programs nothing did, and nobody is read."""
    mails = ledger.returned_mails(cycle_id)
    if not mails:
        return Returned(reviewers={}, applicants={})
    applicants = {one.number: one.email for one in ledger.applications(cycle_id)}
    reviewers = {one.number: one.email for one in ledger.reviewers(cycle_id)}
    # A mail's id tells letters and invitations of applicants from all others: one address may be
    # that of both.
    theirs = [one for one in mails if _is_to_applicant(one, cycle_id)]
    rest = [one for one in mails if not _is_to_applicant(one, cycle_id)]
    to_reviewers, to_applicants = _by_person(rest, reviewers), _by_person(theirs, applicants)
    shown = {one.mail_id for group in (to_reviewers, to_applicants) for one in _all(group)}
    return Returned(
        reviewers=to_reviewers,
        applicants=to_applicants,
        others=tuple(one for one in mails if one.mail_id not in shown),
    )


def _is_to_applicant(mail: ReturnedMail, cycle_id: str) -> bool:
    return mail.mail_id.startswith((f"{cycle_id}:letter:", f"{cycle_id}:applicant:"))


def _by_person(
    mails: Collection[ReturnedMail], addresses: Mapping[int, str]
) -> dict[int, tuple[ReturnedMail, ...]]:
    by_address: dict[str, list[ReturnedMail]] = {}
    for one in mails:
        by_address.setdefault(one.to.lower(), []).append(one)
    return {
        number: tuple(by_address[address.lower()])
        for number, address in addresses.items()
        if address.lower() in by_address
    }


def _all(group: Mapping[int, tuple[ReturnedMail, ...]]) -> list[ReturnedMail]:
    return [one for mails in group.values() for one in mails]
