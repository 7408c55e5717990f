"""Permissions: roles, what each of them may do, and the reach of a grant.

Only this module answers "may this person?": pages, API and command all ask here.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from swapflow.i18n.marked import gettext_noop
from swapflow.messages import Message


class Role(StrEnum):
    """The role of a person in the office, a round, a unit or a cycle.

    A reviewer needs no grant: an account whose address is on a cycle's roster reviews there, and
    sees only its own assignments.
    """

    ADMINISTRATOR = gettext_noop("administrator")
    OPERATIONS = gettext_noop("operations")
    COORDINATOR = gettext_noop("coordinator")
    CHAIR = gettext_noop("chair")
    COMMITTEE = gettext_noop("committee")
    COMPLIANCE = gettext_noop("compliance")
    OBSERVER = gettext_noop("observer")
    CALIBRATION = gettext_noop("calibration")


class Scope(StrEnum):
    """How far a grant reaches."""

    OFFICE = "office"
    ROUND = "round"
    UNIT = "unit"
    CYCLE = "cycle"


class Right(StrEnum):
    """One permission of a role; the words are those that a refusal shows."""

    SEE_PROGRESS = "see_progress"
    SEE_APPLICANTS = "see_applicants"
    SEE_REVIEWERS = "see_reviewers"
    MANAGE_APPLICANTS = "manage_applicants"
    MANAGE_REVIEWERS = "manage_reviewers"
    ENTER_REVIEWS = "enter_reviews"
    APPROVE = "approve"
    RUN = "run"
    SET_UP = "set_up"
    DECIDE = "decide"
    SIGN = "sign"
    EXPORT = "export"
    SEE_MAIL = "see_mail"
    SEE_AUDIT = "see_audit"
    SEE_MONITORING = "see_monitoring"
    SEE_SEVERITY = "see_severity"
    MANAGE_RETENTION = "manage_retention"
    BACK_UP = "back_up"
    MANAGE_USERS = "manage_users"

    @property
    def message(self) -> Message:
        """What it allows, in words."""
        return Message(f"permission_{self.value}")


_WATCH = frozenset({Right.SEE_PROGRESS})
_READ = _WATCH | {Right.SEE_APPLICANTS}
_RUN = _READ | {
    Right.SEE_REVIEWERS,
    Right.MANAGE_APPLICANTS,
    Right.MANAGE_REVIEWERS,
    Right.ENTER_REVIEWS,
    Right.APPROVE,
    Right.RUN,
    Right.SET_UP,
    Right.DECIDE,
    Right.EXPORT,
    Right.SEE_MAIL,
}

_KEEP = frozenset({Right.MANAGE_RETENTION, Right.BACK_UP})

RIGHTS: dict[Role, frozenset[Right]] = {
    Role.ADMINISTRATOR: _RUN | _KEEP | {Right.SEE_AUDIT, Right.MANAGE_USERS},
    Role.OPERATIONS: _RUN | _KEEP | {Right.SEE_AUDIT},
    Role.COORDINATOR: _RUN,
    Role.CHAIR: _READ | {Right.DECIDE, Right.SIGN, Right.EXPORT},
    Role.COMMITTEE: _READ,
    Role.COMPLIANCE: _WATCH
    | {Right.SEE_AUDIT, Right.SEE_MONITORING, Right.EXPORT, Right.MANAGE_RETENTION},
    Role.OBSERVER: _WATCH,
    Role.CALIBRATION: _READ | {Right.SEE_SEVERITY},
}
"""What each role may do where its grant reaches."""

_LOOKING = frozenset(
    {
        Right.SEE_PROGRESS,
        Right.SEE_APPLICANTS,
        Right.SEE_REVIEWERS,
        Right.SEE_MAIL,
        Right.SEE_AUDIT,
        Right.EXPORT,
    }
)

SCOPES: dict[str, frozenset[Right]] = {
    "read": _LOOKING,
    # No key ever holds these two: each look is written down under a person's name.
    "write": frozenset(Right) - _LOOKING - {Right.SEE_MONITORING, Right.SEE_SEVERITY},
    "review": frozenset(),
    "webhooks": frozenset({Right.SET_UP}),
}
"""The permissions of its account that a key's scopes keep.

`review` is for the tasks of the account itself, which need no permission; `webhooks` keeps what
registering an address needs, and the routes of webhooks require the scope by name.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """A role that an account holds in the office, a round, a unit or a cycle.

    What a unit covers is read with the grant, in the same statement: code that asks for rights
    needs to know neither units nor where a program belongs.

    Attributes:
        account: Id of the account.
        scope_id: Id of the round, unit or cycle; "" for the office.
        units: Of a grant on a unit: the unit and all units within it.
        cycles: Of a grant on a unit: the programs of these units.
        by_hand: Whether a person gave it; one by groups alone goes with them.
        groups: The groups that give it, by name.
        until: When a grant by groups alone ends, unless they are stated again; None for one by
            hand.
    """

    account: str
    role: Role
    scope: Scope
    scope_id: str = ""
    units: frozenset[str] = field(default=frozenset(), compare=False)
    cycles: frozenset[str] = field(default=frozenset(), compare=False)
    by_hand: bool = field(default=True, compare=False)
    groups: tuple[str, ...] = field(default=(), compare=False)
    until: datetime | None = field(default=None, compare=False)

    def holds(self, now: datetime) -> bool:
        """Whether it has not ended by a moment."""
        return self.until is None or self.until > now

    def reaches(
        self, *, cycle_id: str | None, round_id: str | None, unit_id: str | None = None
    ) -> bool:
        """Whether the grant covers a cycle, a unit or a round; None everywhere is the office.

        A unit is asked about together with its round, as a cycle is.
        """
        match self.scope:
            case Scope.OFFICE:
                return True
            case Scope.ROUND:
                return round_id is not None and self.scope_id == round_id
            case Scope.UNIT:
                return cycle_id in self.cycles or unit_id in self.units
            case Scope.CYCLE:
                return cycle_id is not None and self.scope_id == cycle_id


def rights_in(
    grants: Iterable[Grant],
    *,
    cycle_id: str | None = None,
    round_id: str | None = None,
    unit_id: str | None = None,
) -> frozenset[Right]:
    """Return all permissions of grants in a cycle or unit of a round, or in the whole office."""
    return frozenset(
        right
        for grant in grants
        if grant.reaches(cycle_id=cycle_id, round_id=round_id, unit_id=unit_id)
        for right in RIGHTS[grant.role]
    )


def rights_anywhere(grants: Iterable[Grant]) -> frozenset[Right]:
    """Return all permissions of grants anywhere: they decide which pages the navigation shows."""
    return frozenset(right for grant in grants for right in RIGHTS[grant.role])
