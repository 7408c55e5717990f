"""What each role may do, by hand; and where a grant reaches."""

import pytest

from swapflow.identity.permissions import (
    RIGHTS,
    Grant,
    Right,
    Role,
    Scope,
    rights_anywhere,
    rights_in,
)


R = Right
RUNS = {
    R.SEE_PROGRESS, R.SEE_APPLICANTS, R.SEE_REVIEWERS, R.MANAGE_APPLICANTS, R.MANAGE_REVIEWERS,
    R.ENTER_REVIEWS, R.APPROVE, R.RUN, R.SET_UP, R.DECIDE, R.EXPORT, R.SEE_MAIL,
}  # fmt: skip
KEEPS = {R.MANAGE_RETENTION, R.BACK_UP}
TABLE = {
    Role.ADMINISTRATOR: RUNS | KEEPS | {R.SEE_AUDIT, R.MANAGE_USERS},
    Role.OPERATIONS: RUNS | KEEPS | {R.SEE_AUDIT},
    Role.COORDINATOR: RUNS,
    Role.CHAIR: {R.SEE_PROGRESS, R.SEE_APPLICANTS, R.DECIDE, R.SIGN, R.EXPORT},
    Role.COMMITTEE: {R.SEE_PROGRESS, R.SEE_APPLICANTS},
    Role.COMPLIANCE: {
        R.SEE_PROGRESS,
        R.SEE_AUDIT,
        R.SEE_MONITORING,
        R.EXPORT,
        R.MANAGE_RETENTION,
    },
    Role.OBSERVER: {R.SEE_PROGRESS},
    Role.CALIBRATION: {R.SEE_PROGRESS, R.SEE_APPLICANTS, R.SEE_SEVERITY},
}


def test_every_role_may_do_what_the_table_says_and_no_more() -> None:
    assert RIGHTS == TABLE


def test_only_a_chair_signs_and_only_an_administrator_manages_users() -> None:
    assert {role for role in Role if R.SIGN in RIGHTS[role]} == {Role.CHAIR}
    assert {role for role in Role if R.MANAGE_USERS in RIGHTS[role]} == {Role.ADMINISTRATOR}


@pytest.mark.parametrize(
    ("scope", "scope_id", "cycle", "round_id", "reaches"),
    [
        (Scope.OFFICE, "", "fall", "2027", True),
        (Scope.OFFICE, "", None, None, True),
        (Scope.ROUND, "2027", "fall", "2027", True),
        (Scope.ROUND, "2027", "fall", "2028", False),
        (Scope.ROUND, "2027", None, None, False),
        (Scope.CYCLE, "fall", "fall", "2027", True),
        (Scope.CYCLE, "fall", "spring", "2027", False),
        (Scope.CYCLE, "fall", None, None, False),
    ],
)
def test_a_grant_reaches_its_own_place_and_what_lies_within(
    scope: Scope, scope_id: str, cycle: str | None, round_id: str | None, reaches: bool
) -> None:
    grant = Grant(account="a", role=Role.OBSERVER, scope=scope, scope_id=scope_id)

    held = rights_in([grant], cycle_id=cycle, round_id=round_id)

    assert held == ({R.SEE_PROGRESS} if reaches else set())
    assert rights_anywhere([grant]) == {R.SEE_PROGRESS}
