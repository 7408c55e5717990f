"""Lists of reviewers: new entries, and changes of those that are there.

A list identifies a reviewer by the office's id as applicants are identified: case, width and
spaces do not count. What a list does not say stays as it is. One mail address is one reviewer: two
entries of one person could be asked twice about one applicant.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from swapflow.domain.event import EventType
from swapflow.domain.ids import same_id
from swapflow.domain.people.application import Application
from swapflow.domain.people.reviewer import NewReviewer, Reviewer
from swapflow.domain.rules import Rules
from swapflow.engine.intake.list_plan import Difference
from swapflow.engine.intake.own_reviews import bar_own_reviews, same_people
from swapflow.engine.intake.roster import record_conflicts, roster_facts
from swapflow.engine.ports.cycles import CycleReads
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.preconditions import refuse_finalized
from swapflow.errors import InvalidInputError


_KEPT_WHEN_BLANK = ("name", "email", "group", "absences")
_REPLACED = ("packet", "automatic", "topics", "reserve")


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownReviewer:
    """A row of a list about a reviewer who is in the program already."""

    before: Reviewer
    after: Reviewer
    differences: tuple[Difference, ...]

    @property
    def external_id(self) -> str:
        """The office's id."""
        return self.before.external_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    """A row whose mail address another reviewer has."""

    external_id: str
    email: str
    other: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RosterPlan:
    """The effect of a list of reviewers.

    Attributes:
        fresh: Rows of people who are not in the program, in the order of the list.
        known: Rows of people who are.
        shared: Rows that stop the import, since their address is another reviewer's.
    """

    fresh: tuple[NewReviewer, ...]
    known: tuple[KnownReviewer, ...]
    shared: tuple[Shared, ...]

    @property
    def changed(self) -> tuple[KnownReviewer, ...]:
        """The reviewers whom the list changes."""
        return tuple(one for one in self.known if one.differences)

    def own(self, applications: Iterable[Application]) -> tuple[tuple[str, str], ...]:
        """Return the (applicant, reviewer) ids who would be one person by mail address."""
        listed = [
            *((row.external_id, row.email) for row in self.fresh),
            *((one.external_id, one.after.email) for one in self.known),
        ]
        return same_people(((a.external_id, a.email) for a in applications), listed)

    @property
    def stay_left(self) -> tuple[str, ...]:
        """Ids of reviewers who have left the program and whom a list does not bring back."""
        return tuple(one.external_id for one in self.known if not one.before.active)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedReviewers:
    """The result of an import.

    Attributes:
        own: (applicant, reviewer) ids of one person each; a conflict was recorded.
    """

    added: tuple[Reviewer, ...]
    changed: tuple[KnownReviewer, ...]
    unchanged: int
    own: tuple[tuple[str, str], ...] = ()


def plan_reviewers(cycle_id: str, new: Sequence[NewReviewer], *, ledger: Ledger) -> RosterPlan:
    """Compute what a list would do; nothing is written."""
    return _plan(new, ledger.reviewers(cycle_id))


def import_reviewers(
    cycle_id: str, new: Sequence[NewReviewer], *, ledger: CycleReads
) -> ListedReviewers:
    """Add reviewers to a cycle's roster, and change known ones in what the list says: all or none.

    Waiting mails follow a new address, and the old one no longer lets in. Once the list is final,
    only new reviewers for the reserve are accepted, and names and addresses of the others.

    Raises:
        InvalidInputError: If a reviewer takes a kind that the rules do not have, is in conflict
            with an application that is not in the cycle, or has the address of another.
    """
    with ledger.write(cycle_id) as tx:
        rules = tx.rules()
        present = tx.reviewers()
        _check_ids(new)
        plan = _plan(new, present)
        if plan.shared:
            first = plan.shared[0]
            raise InvalidInputError(
                "reviewer_address_taken",
                reviewer=first.external_id,
                email=first.email,
                other=first.other,
            )
        if not _allowed_when_final(plan):
            refuse_finalized(tx)
        _check_kinds(new, rules)
        added = tx.add_reviewers(plan.fresh)
        for reviewer in added:
            tx.record(EventType.REVIEWER_ADDED, roster_facts(tx, reviewer, rules))
        for one in plan.changed:
            tx.change_reviewer(one.after)
            tx.record(EventType.REVIEWER_CHANGED, roster_facts(tx, one.after, rules))
        roster = (*present, *added)
        numbers = {r.external_id: r.number for r in roster}
        spelled = {same_id(r.external_id): r.external_id for r in roster}
        conflicts = [(spelled[same_id(r.external_id)], a) for r in new for a in r.conflicts]
        if conflicts:
            record_conflicts(tx, conflicts, numbers, source="import")
        listed = [*added, *(one.after for one in plan.known)]
        return ListedReviewers(
            added=added,
            changed=plan.changed,
            unchanged=len(plan.known) - len(plan.changed),
            own=bar_own_reviews(tx, tx.applications(), listed)
            if any(reviewer.email for reviewer in listed)
            else (),
        )


def _plan(new: Sequence[NewReviewer], present: Sequence[Reviewer]) -> RosterPlan:
    # Entries of earlier programs may differ by case alone; the exact one comes first.
    there = {same_id(r.external_id): r for r in present} | {r.external_id: r for r in present}
    pairs = [
        (row, there.get(row.external_id) or there.get(same_id(row.external_id))) for row in new
    ]
    known = tuple(_known(row, found) for row, found in pairs if found is not None)
    fresh = tuple(row for row, found in pairs if found is None)
    return RosterPlan(fresh=fresh, known=known, shared=tuple(_shared(fresh, known, present)))


def _known(row: NewReviewer, there: Reviewer) -> KnownReviewer:
    said = {
        # A blank cell of an import keeps the known value.
        **{a: value for a in _KEPT_WHEN_BLANK if row.says(a) and (value := getattr(row, a))},
        **{a: getattr(row, a) for a in _REPLACED if row.says(a)},
    }
    after = replace(there, **said, capacity=_capacity(row, there))
    return KnownReviewer(before=there, after=after, differences=tuple(_differences(there, after)))


def _capacity(row: NewReviewer, there: Reviewer) -> dict[str, int | None]:
    """Return the capacity of every kind: as the list says of those that it names."""
    if row.says("capacity"):
        return dict(row.capacity)
    named = {w.removeprefix("capacity:") for w in row.said or () if w.startswith("capacity:")}
    kept = {kind: most for kind, most in there.capacity.items() if kind not in named}
    return kept | {kind: most for kind, most in row.capacity.items() if kind in named}


def _differences(before: Reviewer, after: Reviewer) -> Iterator[Difference]:
    left, right = _shown(before), _shown(after)
    for what in {**left, **right}:
        if left.get(what, "no") != right.get(what, "no"):
            yield Difference(
                what=what, before=left.get(what, "no"), after=right.get(what, "no"), kept=False
            )


def _shown(reviewer: Reviewer) -> dict[str, str]:
    return {
        "name": reviewer.name,
        "email": reviewer.email,
        "group": reviewer.group,
        **{f"capacity:{k}": _most(most) for k, most in sorted(reviewer.capacity.items())},
        "packet": "" if reviewer.packet is None else str(reviewer.packet),
        "automatic": reviewer.automatic,
        "topics": "; ".join(reviewer.topics),
        "away": "; ".join(f"{a.first}..{a.last}" for a in reviewer.absences),
        "reserve": "yes" if reviewer.reserve else "no",
    }


def _most(most: int | None) -> str:
    return "unlimited" if most is None else str(most)


def _shared(
    fresh: Iterable[NewReviewer], known: Iterable[KnownReviewer], present: Iterable[Reviewer]
) -> Iterator[Shared]:
    """Find rows that take an address which another entry has, or another row of the list."""
    moved = {one.before.number: one.after for one in known}
    has: dict[str, str] = {}
    for reviewer in present:
        after = moved.get(reviewer.number, reviewer)
        if after.email and after.active and after.email == reviewer.email:
            has.setdefault(after.email.casefold(), after.external_id)
    takes = [(one.after.external_id, one.after.email) for one in known if _takes_address(one)]
    for external_id, email in (*takes, *((row.external_id, row.email) for row in fresh)):
        other = has.setdefault(email.casefold(), external_id) if email else external_id
        if other != external_id:
            yield Shared(external_id=external_id, email=email, other=other)


def _takes_address(one: KnownReviewer) -> bool:
    return one.after.active and one.before.email.casefold() != one.after.email.casefold()


def _allowed_when_final(plan: RosterPlan) -> bool:
    """Whether a list changes nothing that a final list rests on.

    New reviewers in the reserve and how people are called and reached are no part of it.
    """
    return all(row.reserve for row in plan.fresh) and all(
        difference.what in {"name", "email"}
        for one in plan.changed
        for difference in one.differences
    )


def _check_ids(new: Iterable[NewReviewer]) -> None:
    seen: dict[str, str] = {}
    for row in new:
        other = seen.setdefault(same_id(row.external_id), row.external_id)
        if other is not row.external_id:
            raise InvalidInputError("reviewer_listed_twice", reviewer=row.external_id, other=other)


def _check_kinds(new: Iterable[NewReviewer], rules: Rules) -> None:
    names = {kind.name for kind in rules.kinds}
    for reviewer in new:
        unknown = sorted(set(reviewer.capacity) - names)
        if unknown:
            raise InvalidInputError(
                "reviewer_takes_unknown_kind",
                reviewer=reviewer.external_id,
                kind=unknown[0],
                kinds=sorted(names),
            )
