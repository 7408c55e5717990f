"""Writes of decisions, proposals, people's decisions, staff requests, and mails."""

from collections.abc import Collection, Sequence
from dataclasses import asdict

from sqlalchemy import func, insert, select, update
from typing_extensions import override

from swapflow.domain.cohort.proposal import MethodSheet, Outcome, Place, Waiver
from swapflow.domain.personal_link import PersonalLink
from swapflow.engine.ports.records import DecisionRecord, Mail
from swapflow.engine.ports.writes.cycle import CycleWrites
from swapflow.engine.ports.writes.decisions import DecisionWrites as DecisionWritesPort
from swapflow.engine.ports.writes.requests import RequestWrites
from swapflow.ledger.core.cycle_lock import CycleLock
from swapflow.ledger.core.row_mapping import from_decision, from_place, from_sheet
from swapflow.ledger.core.statements import insert_all, insert_ignoring
from swapflow.ledger.schema import (
    APPROVAL,
    APPROVAL_PULL,
    COHORT_VERSION,
    DECISION,
    MESSAGE,
    OUTCOME,
    PERSONAL_LINK,
    PLACE,
    PROPOSAL,
    SIGNATURE,
    WAIVER,
    WISH,
)


class DecisionWrites(CycleLock, CycleWrites, RequestWrites, DecisionWritesPort):
    """The part of a transaction that stores decisions of the rule and of people."""

    @override
    def insert_decision(self, decision: DecisionRecord) -> None:
        row = {**from_decision(decision), "at": self._now}
        insert_all(self._connection, DECISION, [row])
        self._carried.add_digest(DECISION, [row])
        self._row["decisions"] = decision.number

    @override
    def insert_proposal(self, places: Sequence[Place], sheet: MethodSheet) -> int:
        last = self._connection.execute(
            select(func.max(PROPOSAL.c.version)).where(PROPOSAL.c.cycle_id == self._id)
        ).scalar_one()
        version: int = (last or 0) + 1
        key = {"cycle_id": self._id, "version": version}
        self._carry(PROPOSAL, [{**key, "sheet": from_sheet(sheet), "at": self._now}])
        rows = [key | from_place(place) for place in places]
        insert_all(self._connection, PLACE, rows)
        self._carried.add_digest(PLACE, rows)
        return version

    @override
    def insert_outcomes(self, version: int, outcomes: Sequence[Outcome]) -> None:
        self._carry(
            OUTCOME,
            [
                {
                    "cycle_id": self._id,
                    "version": version,
                    "application": outcome.application,
                    "verdict": outcome.verdict.value,
                    "by": outcome.by,
                    "reason": outcome.reason,
                    "at": outcome.at,
                    "prepared_by": outcome.prepared_by,
                }
                for outcome in outcomes
            ],
        )

    @override
    def insert_signature(self, version: int, *, by: str, role: str) -> None:
        row = {"cycle_id": self._id, "version": version, "by": by, "role": role, "at": self._now}
        if insert_ignoring(self._connection, SIGNATURE, [row]):
            self._carried.add(SIGNATURE, [row])

    @override
    def insert_waiver(self, version: int, application: int, waiver: Waiver) -> None:
        row = {
            "cycle_id": self._id,
            "version": version,
            "application": application,
            "by": waiver.by,
            "reason": waiver.reason,
            "at": self._now,
        }
        if insert_ignoring(self._connection, WAIVER, [row]):
            self._carried.add(WAIVER, [row])

    @override
    def set_cohort_version(self, version: int) -> None:
        # The position after this transaction's own events: the list is final by them.
        position = self.position
        row = {
            "cycle_id": self._id,
            "version": version,
            "seq": position.seq,
            "head_hash": position.hash,
            "at": self._now,
        }
        insert_ignoring(self._connection, COHORT_VERSION, [row])
        self._row["cohort_version"] = version

    @override
    def insert_approval(
        self, pulls: Collection[str], *, by: str, verdict: str, reason: str
    ) -> None:
        approval = {
            "cycle_id": self._id,
            "by": by,
            "verdict": verdict,
            "reason": reason,
            "at": self._now,
        }
        (stored,) = self._carry(APPROVAL, [approval])
        rows = [{"approval_id": stored["id"], "pull_id": pull} for pull in sorted(set(pulls))]
        self._carry(APPROVAL_PULL, rows)

    @override
    def add_staff_request(
        self, *, what: str, application: int, kind: int, by: str, reason: str
    ) -> int:
        staff_request = {
            "cycle_id": self._id,
            "what": what,
            "application": application,
            "kind": kind,
            "by": by,
            "reason": reason,
            "done": "",
            "at": self._now,
        }
        key = self._connection.execute(insert(WISH).values(staff_request)).inserted_primary_key
        assert key is not None
        return int(key[0])

    @override
    def close_staff_request(self, wish_id: int, done: str) -> bool:
        still_open = update(WISH).filter_by(id=wish_id, cycle_id=self._id, done="")
        return self._connection.execute(still_open.values(done=done)).rowcount == 1

    @override
    def queue_mail(self, mails: Sequence[Mail], *, held: bool = False) -> None:
        rows = [
            {
                "id": mail.id,
                "cycle_id": self._id,
                "to": mail.to,
                "subject": mail.subject,
                "text": mail.text,
                "html": mail.html,
                "calendar": mail.calendar,
                "state": "held" if held else "queued",
                "detail": "",
                "created_at": self._now,
                "relayed_at": None,
                "claimed_at": None,
                "attempts": 0,
            }
            for mail in mails
        ]
        # A mail's id says what it tells of, so telling it twice is one row and one mail.
        insert_ignoring(self._connection, MESSAGE, rows)

    @override
    def add_personal_links(self, links: Sequence[PersonalLink]) -> None:
        rows = [asdict(link) | {"leads_to": link.leads_to.value} for link in links]
        insert_ignoring(self._connection, PERSONAL_LINK, rows)
