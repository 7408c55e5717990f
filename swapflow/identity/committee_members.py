"""A committee's members: accounts that may see applicants in a program, found by mail address."""

from collections.abc import Callable, Collection, Iterable, Mapping

from swapflow.domain.cycle import Cycle
from swapflow.domain.people.reviewer import Reviewer
from swapflow.errors import ConflictError
from swapflow.identity.permissions import Right, rights_in
from swapflow.identity.principal import UserAccount


def members_in_conflict(
    conflicts: Mapping[int, Collection[int]],
    *,
    reviewers: Iterable[Reviewer],
    users: Callable[[], Iterable[UserAccount]],
    cycle: Cycle,
) -> Mapping[int, tuple[str, ...]]:
    """Return the names of members in conflict, by applicant.

    Args:
        conflicts: Numbers of the reviewers who are in conflict, by application.
        reviewers: The program's reviewers.
        users: Returns the office's accounts; called only where a reviewer is in conflict.
        cycle: The program.
    """
    seats = {r.number: r.email.lower() for r in reviewers if r.email}
    wanted = {seats[r] for many in conflicts.values() for r in many if r in seats}
    # Most programs have no conflict among members, and need no list of the whole office.
    if not wanted:
        return {}
    names = {
        user.account.email.lower(): user.account.shown
        for user in users()
        if user.account.active
        and user.account.email.lower() in wanted
        and Right.SEE_APPLICANTS
        in rights_in(user.grants, cycle_id=cycle.id, round_id=cycle.round_id)
    }
    return {
        application: found
        for application, many in conflicts.items()
        if (found := tuple(sorted(names[seats[r]] for r in many if seats.get(r) in names)))
    }


def refuse_other_role(
    reviewer: Reviewer, *, users: Callable[[], Iterable[UserAccount]], cycle: Cycle
) -> None:
    """Refuse to let a reviewer be asked again who could read as staff what others said.

    Args:
        reviewer: The reviewer.
        users: Returns the office's accounts.
        cycle: The program; before its launch nothing was said.

    Raises:
        ConflictError: If an account with their address may see applicants in the program.
    """
    if not cycle.is_launched or not reviewer.email:
        return
    if any(
        user.account.active
        and user.account.email.lower() == reviewer.email.lower()
        and Right.SEE_APPLICANTS
        in rights_in(user.grants, cycle_id=cycle.id, round_id=cycle.round_id)
        for user in users()
    ):
        raise ConflictError("reviewer_reads_as_staff", reviewer=reviewer.external_id)
