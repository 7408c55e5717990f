"""Erasure of one applicant of a cycle."""

from collections.abc import Iterable

from sqlalchemy import delete, or_, select, update
from typing_extensions import override

from swapflow.domain.ids import applicant_mail_id
from swapflow.domain.recorded_rows import sealed_digest
from swapflow.engine.ports.writes.people import PeopleWrites as PeopleWritesPort
from swapflow.errors import NotFoundError
from swapflow.ledger.core.statements import chunks
from swapflow.ledger.cycle.people import PeopleWrites
from swapflow.ledger.identity.personal_links import forget_links
from swapflow.ledger.privacy.redaction import forget_answers, replace_words
from swapflow.ledger.schema import (
    ANNOUNCED,
    APPLICATION,
    APPROVAL,
    APPROVAL_PULL,
    ASSIGNMENT,
    AUDIT,
    DOCUMENT,
    DOCUMENT_CONTENT,
    DRAFT,
    ENDORSEMENT,
    HELD_ACT,
    IMPORTED,
    INTERVIEW,
    LEGAL_HOLD,
    MARK,
    MEETING_OUTCOME,
    MESSAGE,
    MONITORING_ATTRIBUTE,
    NOTE,
    OUTCOME,
    PERSON,
    PIN,
    PREPARED,
    PREPARED_SIGNATURE,
    PULL,
    RECONSIDERATION,
    REMARK,
    ROSTER,
    SCORE,
    SCORE_NOTE,
    SEAL,
    SELECTION_ATTRIBUTE,
    WAIVER,
    WISH,
)


MAIL_PARTS = (
    MESSAGE.c.to,
    MESSAGE.c.subject,
    MESSAGE.c.text,
    MESSAGE.c.html,
    MESSAGE.c.calendar,
)
NO_MAIL = {"to": "", "subject": "", "text": "", "html": "", "calendar": "", "detail": ""}


class ApplicationErasure(PeopleWrites, PeopleWritesPort):
    """The part of a transaction that erases an applicant from the rows of a cycle."""

    @override
    def erase_application(self, number: int) -> None:
        """Erase name, mail, fields, documents, remarks and attributes of one application.

        Also erased are marks, drafts, endorsements, the reasons given about it, and its name,
        address and external id wherever a mail or the audit log of the cycle quotes them. Numbers,
        statuses, scores and events stay: totals, chain and replays do not change.
        `SqlLedger.compact` afterwards removes the last traces from the file.

        Raises:
            NotFoundError: If the cycle has no such application.
        """
        # Read first: quotes are found by the name and address that are about to be erased.
        about = self.applications([number])
        if not about:
            raise NotFoundError("application_number_not_in_cycle", cycle=self._id, number=number)
        self._erase_letters(number)
        self._erase_quotes(number, about[0].name, about[0].email, about[0].external_id)
        self._erase_rows(number)
        self._unseal_about(number)
        self._erase_reasons(number)
        self._erase_person(number)

    def _erase_letters(self, number: int) -> None:
        """Empty the mails to an applicant, whose links lapse; unsent ones are never sent."""
        letters = select(ANNOUNCED.c.message_id).filter_by(cycle_id=self._id, application=number)
        others = MESSAGE.c.id.startswith(applicant_mail_id(self._id, number), autoescape=True)
        theirs = or_(MESSAGE.c.id.in_(letters), others)
        mine, waits = theirs, MESSAGE.c.state.in_(("held", "queued"))
        forget_links(self._connection, select(MESSAGE.c.id).where(theirs))
        self._connection.execute(update(MESSAGE).where(mine, waits).values(state="void"))
        self._connection.execute(update(MESSAGE).where(mine).values(NO_MAIL))

    def _erase_quotes(self, number: int, name: str, email: str, external_id: str) -> None:
        """Remove names and addresses from the cycle's mails and log, and from stored responses."""
        words = (name, email, external_id)
        mails, acts = MESSAGE.c.cycle_id == self._id, AUDIT.c.cycle_id == self._id
        replace_words(self._connection, MESSAGE, MAIL_PARTS, mails, words)
        instead = f"number {number}"
        self._connection.execute(
            update(AUDIT).where(acts, AUDIT.c.about == external_id).values(about=instead)
        )
        replace_words(self._connection, AUDIT, (AUDIT.c.about, AUDIT.c.detail), acts, words)
        forget_answers(self._connection, (name, email, f'"{external_id}"'))

    def _erase_rows(self, number: int) -> None:
        """Delete the rows that are erasable as a whole."""
        scored = select(SCORE.c.assignment_id).filter_by(cycle_id=self._id, application=number)
        asked = select(ASSIGNMENT.c.id).filter_by(cycle_id=self._id, application=number)
        # What waits for signatures may quote a reason; the list changes with the erasure anyway.
        # A prepared decision may quote a reason; the list changes with the erasure anyway.
        for table in (PREPARED_SIGNATURE, PREPARED):
            self._connection.execute(delete(table).where(table.c.cycle_id == self._id))
        for table, ids in ((MARK, scored), (SCORE_NOTE, scored), (REMARK, scored), (DRAFT, asked)):
            self._connection.execute(delete(table).where(table.c.assignment_id.in_(ids)))
        for table in (
            DOCUMENT,
            DOCUMENT_CONTENT,
            SELECTION_ATTRIBUTE,
            MONITORING_ATTRIBUTE,
            ENDORSEMENT,
            IMPORTED,
        ):
            self._connection.execute(
                delete(table).where(table.c.cycle_id == self._id, table.c.application == number)
            )

    def _erase_reasons(self, number: int) -> None:
        """Empty free text in rows whose other columns stay."""
        for table, empty in (
            (NOTE, {"text": "", "salt": ""}),
            (WISH, {"reason": ""}),
            (OUTCOME, {"reason": ""}),
            (WAIVER, {"reason": ""}),
            (SCORE, {"reason": ""}),
            (PIN, {"reason": ""}),
            (LEGAL_HOLD, {"reason": "", "lifted_reason": ""}),
            (MEETING_OUTCOME, {"reason": ""}),
            (RECONSIDERATION, {"asked_by": "", "reason": "", "why": "", "exceptions": []}),
        ):
            self._connection.execute(
                update(table)
                .where(table.c.cycle_id == self._id, table.c.application == number)
                .values(empty)
            )
        asked = select(PULL.c.id).filter_by(cycle_id=self._id, application=number)
        self._connection.execute(
            update(INTERVIEW).where(INTERVIEW.c.pull_id.in_(asked)).values(place="", link="")
        )
        self._erase_held(set(self._connection.execute(asked).scalars()))
        struck = (
            select(APPROVAL_PULL.c.approval_id)
            .join(PULL, PULL.c.id == APPROVAL_PULL.c.pull_id)
            .where(PULL.c.cycle_id == self._id, PULL.c.application == number)
        )
        reasons = select(APPROVAL.c.reason).where(APPROVAL.c.id.in_(struck))
        self._unseal(self._connection.execute(reasons).scalars())
        self._connection.execute(
            update(APPROVAL).where(APPROVAL.c.id.in_(struck)).values(reason="")
        )

    def _erase_held(self, pulls: set[str]) -> None:
        """Empty reasons and places in acts about these requests that can still be undone."""
        query = select(HELD_ACT).where(HELD_ACT.c.cycle_id == self._id, HELD_ACT.c.state == "held")
        for row in self._connection.execute(query).all():
            dates = [
                {**one, "old": {**one["old"], "place": "", "link": ""}}
                if one["pull_id"] in pulls and one["old"] is not None
                else one
                for one in row.before
            ]
            if dates != row.before or pulls & set(row.items):
                self._connection.execute(
                    update(HELD_ACT).where(HELD_ACT.c.id == row.id).values(reason="", before=dates)
                )

    def _unseal_about(self, number: int) -> None:
        """Delete the salts of texts about an application, so that no guess can be tested."""
        self._seal_stored()
        mine = (SEAL.c.cycle_id == self._id, SEAL.c.application == number)
        digests = self._connection.execute(select(SEAL.c.digest).where(*mine)).scalars().all()
        self._connection.execute(delete(SEAL).where(*mine))
        # Events of this very transaction may hold such texts too, as when something is ended.
        own = {salt["digest"] for salt in self._salts if salt["application"] == number}
        self._forget_salts(own)
        self._carried.erase([*digests, *own])

    def _unseal(self, texts: Iterable[str]) -> None:
        """Delete the salts of these texts, wherever an event holds one of them as a digest."""
        gone = set(filter(None, texts))
        if not gone:
            return
        self._seal_stored()
        salts = self._connection.execute(
            select(SEAL.c.digest, SEAL.c.salt).filter_by(cycle_id=self._id)
        ).all()
        digests = [
            digest
            for digest, salt in salts
            if any(sealed_digest(salt, text) == digest for text in gone)
        ]
        own = {
            salt["digest"]
            for salt in self._salts
            if any(sealed_digest(salt["salt"], text) == salt["digest"] for text in gone)
        }
        self._forget_salts(own)
        for chunk in chunks(digests):
            self._connection.execute(
                delete(SEAL).where(SEAL.c.cycle_id == self._id, SEAL.c.digest.in_(chunk))
            )
        self._carried.erase([*digests, *own])

    def _erase_person(self, number: int) -> None:
        """Empty the application's row, and delete the person if nothing else names them."""
        person = self._connection.execute(
            select(APPLICATION.c.person_id).filter_by(cycle_id=self._id, number=number)
        ).scalar_one()
        self._change_application(number, {"external_id": None, "person_id": None, "fields": {}})
        self._forget_person(person)

    def _forget_person(self, person: str | None) -> None:
        """Delete a person if nothing names them any more."""
        self._connection.execute(
            delete(PERSON).where(
                PERSON.c.id == person,
                PERSON.c.id.not_in(
                    select(APPLICATION.c.person_id).where(APPLICATION.c.person_id == person)
                ),
                PERSON.c.id.not_in(select(ROSTER.c.person_id).where(ROSTER.c.person_id == person)),
            )
        )
