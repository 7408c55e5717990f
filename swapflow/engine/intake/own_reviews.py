"""Reviewers who are applicants of the same program: nobody is asked about themself."""

from collections.abc import Iterable, Sequence

from swapflow.domain.ids import same_id
from swapflow.domain.people.application import Application
from swapflow.domain.people.reviewer import Reviewer
from swapflow.engine.ports.writes.transaction import Transaction
from swapflow.engine.reviewing.barred_pairs import bar_pairs


SAME_ADDRESS = "same address"
"""Source of a conflict that was recorded by itself."""

Addressed = tuple[str, str]
"""(the office's id, mail address)."""


def same_people(
    applicants: Iterable[Addressed], reviewers: Iterable[Addressed]
) -> tuple[tuple[str, str], ...]:
    """Return the (applicant, reviewer) ids whose mail address is the same, in order.

    Addresses are compared as ids are: case, width and spaces do not count.
    """
    known: dict[str, list[str]] = {}
    for reviewer, email in reviewers:
        if email:
            known.setdefault(same_id(email), []).append(reviewer)
    if not known:
        return ()
    return tuple(
        (applicant, reviewer)
        for applicant, email in applicants
        if email
        for reviewer in known.get(same_id(email), ())
    )


def bar_own_reviews(
    tx: Transaction, applications: Sequence[Application], reviewers: Sequence[Reviewer]
) -> tuple[tuple[str, str], ...]:
    """Record a conflict for each applicant who is a reviewer by mail address.

    Args:
        tx: The transaction.
        applications: Whom to look at, with their addresses as they are from now on.
        reviewers: The same of reviewers.

    Returns:
        The (applicant, reviewer) ids of the conflicts that were not on record.
    """
    pairs = same_people(
        ((a.external_id, a.email) for a in applications),
        ((r.external_id, r.email) for r in reviewers),
    )
    if not pairs:
        return ()
    application = {a.external_id: a.number for a in applications}
    reviewer = {r.external_id: r.number for r in reviewers}
    known = tx.conflicts()
    fresh = [(a, r) for a, r in pairs if (application[a], reviewer[r]) not in known]
    if fresh:
        bar_pairs(tx, [(application[a], reviewer[r]) for a, r in fresh], source=SAME_ADDRESS)
    return tuple(fresh)
