"""Who may do what waits: one right for each code, and the things of one person."""

from collections.abc import Iterable, Mapping

from swapflow.engine.pending.things import PendingCode, PendingThing
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal


RIGHT_FOR: Mapping[PendingCode, Right] = {
    PendingCode.SIGN: Right.SIGN,
    PendingCode.CONFLICTING_SCORES: Right.ENTER_REVIEWS,
    PendingCode.APPROVE: Right.APPROVE,
    PendingCode.NO_SHOWS: Right.MANAGE_APPLICANTS,
    PendingCode.UNDATED_INTERVIEWS: Right.MANAGE_APPLICANTS,
    PendingCode.DECIDE: Right.DECIDE,
    PendingCode.UNSEEN_APPLICANTS: Right.MANAGE_APPLICANTS,
    PendingCode.BLOCKED: Right.MANAGE_REVIEWERS,
    PendingCode.OVERDUE: Right.MANAGE_REVIEWERS,
    PendingCode.LATE_ANSWERS: Right.DECIDE,
    PendingCode.EXPLANATIONS: Right.DECIDE,
    PendingCode.DEADLINE_AT_RISK: Right.SET_UP,
    PendingCode.PRACTICE: Right.SET_UP,
    PendingCode.INTAKE: Right.MANAGE_APPLICANTS,
    PendingCode.REVIEWERS_APART: Right.MANAGE_REVIEWERS,
    PendingCode.CHOOSE_COLUMNS: Right.MANAGE_APPLICANTS,
    PendingCode.REVIEWER_MAIL_BACK: Right.MANAGE_REVIEWERS,
    PendingCode.APPLICANT_MAIL_BACK: Right.MANAGE_APPLICANTS,
    PendingCode.MAIL_FAILED: Right.RUN,
    PendingCode.MAIL_NOT_SENT: Right.RUN,
    PendingCode.BACK_UP: Right.BACK_UP,
    PendingCode.CONNECT_MAIL: Right.MANAGE_USERS,
    PendingCode.SET_ASIDE: Right.RUN,
    PendingCode.HELD_UP: Right.RUN,
    PendingCode.STATE_ALTERED: Right.RUN,
}
"""The right with which a thing is done; one's own reviews need none."""


def things_of(principal: Principal, things: Iterable[PendingThing]) -> tuple[PendingThing, ...]:
    """Return those that a person may do and has not done yet."""
    return tuple(
        thing
        for thing in things
        if principal.name not in thing.done_by
        and (
            thing.code is PendingCode.OWN_REVIEWS
            or RIGHT_FOR[thing.code]
            in principal.rights(cycle_id=thing.cycle_id or None, round_id=thing.round_id or None)
        )
    )
