"""`applications open`, `reviewers remove-conflict`, `reviewers lift-bar`: who may judge whom."""

from swapflow.cli.options import (
    ApplicantOption,
    AsJson,
    By,
    CycleId,
    Must,
    OpenedId,
    ReviewerOption,
    own_seat,
    product,
)
from swapflow.cli.output import report
from swapflow.errors import InvalidInputError, NotFoundError


def open_applicant(
    cycle: CycleId, applicant: OpenedId, by: By, reason: Must, as_json: AsJson = False
) -> None:
    """See an applicant though you review in the cycle; you are never asked about them then."""
    swapflow, seat = product(), own_seat(cycle, by)
    if seat is None:
        raise InvalidInputError("not_a_reviewer_here")
    numbers = {a.external_id: a.number for a in swapflow.applicants.list(cycle)}
    if applicant not in numbers:
        raise NotFoundError("applicant_not_in_program", cycle=cycle, applicant=applicant)
    new = swapflow.reviewers.open_applicant(cycle, numbers[applicant], seat, by=by, reason=reason)
    report(
        {"cycle": cycle, "applicant": applicant, "opened": new},
        f"{applicant} is open to you, and you are never asked about them"
        if new
        else f"{applicant} was open to you before; nothing was changed",
        as_json=as_json,
    )


def remove_conflict(
    cycle: CycleId,
    applicant: ApplicantOption,
    reviewer: ReviewerOption,
    by: By,
    reason: Must,
    as_json: AsJson = False,
) -> None:
    """Take a conflict of interest back that was none; the reviewer may be asked again."""
    _refuse_other_role(cycle, reviewer)
    product().reviewers.remove_conflict(cycle, applicant, reviewer, by=by, reason=reason)
    report(
        {"cycle": cycle, "applicant": applicant, "reviewer": reviewer, "removed": True},
        f"{reviewer} is in no conflict with {applicant} and may be asked about them",
        as_json=as_json,
    )


def lift_bar(
    cycle: CycleId,
    applicant: ApplicantOption,
    reviewer: ReviewerOption,
    by: By,
    reason: Must,
    as_json: AsJson = False,
) -> None:
    """Lift the bar of a voided review: the reviewer may be asked about the applicant again."""
    _refuse_other_role(cycle, reviewer)
    lifted = product().reviewers.lift_bar(cycle, applicant, reviewer, by=by, reason=reason)
    report(
        {"cycle": cycle, "applicant": applicant, "reviewer": reviewer, "lifted": lifted},
        f"{reviewer} may be asked about {applicant} again; the voided review does not count"
        if lifted
        else f"{reviewer} might be asked about {applicant} before; nothing was changed",
        as_json=as_json,
    )


def _refuse_other_role(cycle: str, name: str) -> None:
    """Refuse to let a reviewer be asked again who could read as staff what others said."""
    from swapflow.bootstrap import office
    from swapflow.identity.committee_members import refuse_other_role

    for reviewer in product().reviewers.list(cycle):
        if reviewer.external_id == name:
            users = office().users.list
            refuse_other_role(reviewer, users=users, cycle=product().cycles.get(cycle))
