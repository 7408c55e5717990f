"""Actions of people in a cycle, collected from every table that names a person."""

from collections.abc import Iterator, Mapping

from sqlalchemy import Connection, and_, func, select

from swapflow.domain.cohort.proposal import Standing, Verdict
from swapflow.domain.people.application import HOLD
from swapflow.domain.rules import ESTIMATES, Estimates
from swapflow.identity.personal_data import ActivityEntry
from swapflow.ledger.core.row_mapping import AnyRow, to_rules
from swapflow.ledger.schema import (
    APPLICATION,
    APPROVAL,
    APPROVAL_PULL,
    AUDIT,
    MEETING_LOOK,
    MEETING_OUTCOME,
    MEETING_TURN,
    NOTE,
    OUTCOME,
    PIN,
    PLACE,
    RECONSIDERATION,
    RULES,
    SCORE,
    SIGNATURE,
    WAIVER,
    WISH,
    ZONE_CONFIRMATION,
)


_INTERVENES = (
    HOLD,
    "pause of",
    "resumption of",
    "end of",
    "reopening of",
    "application:",
    "reviewer ",
)
"""First words of a note's subject when it gives the reason of an intervention."""


def activity(connection: Connection, cycle_id: str) -> tuple[ActivityEntry, ...]:
    """List the actions of people in a cycle, oldest first."""
    known = select(APPLICATION.c.number, APPLICATION.c.external_id).filter_by(cycle_id=cycle_id)
    names = {
        number: external_id or f"number {number}"
        for number, external_id in connection.execute(known)
    }
    found = [
        *_decided(connection, cycle_id, names),
        *_asked(connection, cycle_id, names),
        *_ruled(connection, cycle_id),
        *_noted(connection, cycle_id, names),
    ]
    # A list that follows a reconsideration repeats what was decided before.
    return tuple(sorted(set(found), key=lambda act: (act.at, act.what, act.about)))


def _decided(
    connection: Connection, cycle_id: str, names: Mapping[int, str]
) -> Iterator[ActivityEntry]:
    proposed = (
        select(OUTCOME, PLACE.c.standing)
        .join(
            PLACE,
            and_(
                PLACE.c.cycle_id == OUTCOME.c.cycle_id,
                PLACE.c.version == OUTCOME.c.version,
                PLACE.c.application == OUTCOME.c.application,
            ),
        )
        .where(OUTCOME.c.cycle_id == cycle_id)
    )
    for row in connection.execute(proposed):
        selected = row.verdict == Verdict.SELECTED.value
        if selected != (row.standing == Standing.COHORT.value):
            what = "put in, not proposed" if selected else f"{row.verdict}, though proposed"
            yield _act(row, what, names.get(row.application, ""), row.reason)
    for row in connection.execute(select(WAIVER).filter_by(cycle_id=cycle_id)):
        what = "accepted that a promised review is missing"
        yield _act(row, what, names.get(row.application, ""), row.reason)
    for row in connection.execute(select(PIN).filter_by(cycle_id=cycle_id)):
        what = f"wanted {row.verdict}, whatever the marks say"
        yield _act(row, what, names.get(row.application, ""), row.reason)
    for row in connection.execute(select(MEETING_OUTCOME).filter_by(cycle_id=cycle_id)):
        together = f", decided together, {row.together}" if row.together > 1 else ""
        what = f"recorded at the meeting: {row.outcome}{together}"
        yield _act(row, what, names.get(row.application, ""), row.reason, departs=False)
    yield from _reconsidered(connection, cycle_id, names)
    for row in connection.execute(select(MEETING_TURN).filter_by(cycle_id=cycle_id)):
        what = "closed the meeting" if row.closed else "reopened the meeting"
        yield _act(row, what, f"list version {row.version}", row.reason, departs=not row.closed)
    for row in connection.execute(select(MEETING_LOOK).filter_by(cycle_id=cycle_id)):
        what = f"opened the {row.what} at the meeting"
        yield _act(row, what, names.get(row.application, ""), "", departs=False)
    for row in connection.execute(select(ZONE_CONFIRMATION).filter_by(cycle_id=cycle_id)):
        what = f"confirmed {len(row.applications)} {row.zone}, {row.opened} files opened"
        yield _act(row, what, f"list version {row.version}", "", departs=False)
    for row in connection.execute(select(SIGNATURE).filter_by(cycle_id=cycle_id)):
        yield _act(row, "signed", f"list version {row.version}", "", departs=False)


def _reconsidered(
    connection: Connection, cycle_id: str, names: Mapping[int, str]
) -> Iterator[ActivityEntry]:
    for row in connection.execute(select(RECONSIDERATION).filter_by(cycle_id=cycle_id)):
        about = names.get(row.application, "")
        yield _act(row, f"opened a reconsideration, asked by {row.asked_by}", about, row.reason)
        if row.closed_at is not None:
            yield ActivityEntry(
                at=row.closed_at,
                by=" and ".join(row.closed_by),
                what=f"concluded a reconsideration: {row.result}",
                about=about,
                reason="; ".join([row.why, *row.exceptions]),
                departs=True,
            )


def _asked(
    connection: Connection, cycle_id: str, names: Mapping[int, str]
) -> Iterator[ActivityEntry]:
    for row in connection.execute(select(WISH).filter_by(cycle_id=cycle_id)):
        what = "asked for an extra review"
        yield _act(row, what, names.get(row.application, ""), row.reason)
    batches = (
        select(APPROVAL, func.count(APPROVAL_PULL.c.pull_id).label("requests"))
        .join(APPROVAL_PULL, APPROVAL_PULL.c.approval_id == APPROVAL.c.id)
        .where(APPROVAL.c.cycle_id == cycle_id)
        .group_by(APPROVAL.c.id)
    )
    for row in connection.execute(batches):
        struck = row.verdict != "approved"
        count = f"{row.requests} request{'' if row.requests == 1 else 's'}"
        yield _act(row, f"{row.verdict} {count}", "", row.reason, departs=struck)
    changed = select(SCORE).where(SCORE.c.cycle_id == cycle_id, SCORE.c.revision > 1)
    # Who typed a score need not be who took it out: each change leaves a note of its author.
    notes = select(NOTE.c.subject, NOTE.c.at, NOTE.c.by).filter_by(cycle_id=cycle_id)
    authors = {(subject, at): by for subject, at, by in connection.execute(notes)}
    for row in connection.execute(changed):
        written_by = authors.get((row.assignment_id, row.submitted_at))
        yield ActivityEntry(
            at=row.submitted_at,
            by=written_by or row.typed_by or f"reviewer {row.reviewer}",
            what="changed a score" if row.counts else "took a score out",
            about=f"{names.get(row.application, '')}, request {row.assignment_id}",
            reason=row.reason,
            departs=True,
        )


def _ruled(connection: Connection, cycle_id: str) -> Iterator[ActivityEntry]:
    query = select(RULES).filter_by(cycle_id=cycle_id).order_by(RULES.c.version)
    before: Estimates | None = None
    for row in connection.execute(query):
        first, estimates = before is None, to_rules(cycle_id, row.body).estimates
        what = "wrote the rules" if first else "changed the rules"
        if not first and estimates is not before:
            what += f": the list is made by {ESTIMATES[estimates]}"
        before = estimates
        yield _act(row, what, f"version {row.version}", row.reason, departs=not first)


def _noted(
    connection: Connection, cycle_id: str, names: Mapping[int, str]
) -> Iterator[ActivityEntry]:
    for row in connection.execute(select(NOTE).filter_by(cycle_id=cycle_id)):
        about = row.subject
        if row.application is not None and about.startswith("application:"):
            about = names.get(row.application, about)
        departs = row.subject.startswith(_INTERVENES)
        yield _act(row, "gave a reason", about, row.text, departs=departs)
    for row in connection.execute(select(AUDIT).filter_by(cycle_id=cycle_id)):
        yield ActivityEntry(
            at=row.at,
            by=row.who,
            what=row.what,
            about=row.about,
            reason=row.detail,
            departs=False,
        )


def _act(
    row: AnyRow, what: str, about: str, reason: str, *, departs: bool = True
) -> ActivityEntry:
    return ActivityEntry(
        at=row.at, by=row.by, what=what, about=about, reason=reason, departs=departs
    )
