"""Erasure of one person: an applicant, or a reviewer with their account."""

from collections.abc import Collection
from uuid import uuid4

from sqlalchemy import and_, delete, func, insert, or_, select, union_all, update
from typing_extensions import override

from swapflow.domain.people.reviewer import erased_id
from swapflow.domain.reviewing.assignment import PullStatus
from swapflow.engine.ports.writes.people import PeopleWrites
from swapflow.errors import NotFoundError
from swapflow.ledger.identity.personal_links import forget_links
from swapflow.ledger.privacy.application_erasure import MAIL_PARTS, NO_MAIL, ApplicationErasure
from swapflow.ledger.privacy.redaction import cut_out, forget_answers, rename_actor, replace_words
from swapflow.ledger.schema import (
    ACCOUNT,
    ACCOUNT_GROUP,
    ASSIGNMENT,
    AUDIT,
    DRAFT,
    EXPERTISE,
    INTERVIEW,
    LEGAL_HOLD,
    MESSAGE,
    NOTE,
    PERSON,
    PRACTICE_MARK,
    PRACTICE_NOTE,
    PULL,
    ROLE_GRANT,
    ROSTER,
    ROSTER_ABSENCE,
    SIGN_IN,
)
from swapflow.ledger.schema.base import METADATA


_WAITING = (PullStatus.PROPOSED.value, PullStatus.OPEN.value)


class ErasureWrites(ApplicationErasure, PeopleWrites):
    """The part of a transaction that erases people."""

    @override
    def erase_reviewer(self, number: int) -> bool:
        """Erase name, mail, id, topics, absences, drafts and mails of one roster entry.

        Also erased are the reasons that the reviewer gave, their name wherever another text of the
        cycle quotes it, and their account with its sessions, keys and mailed links. Remarks and
        marks belong to the applicants' files and stay, under the reviewer's number; so do scores,
        events and what they decided or signed as staff: totals, chain and replays do not change.
        `SqlLedger.compact` afterwards removes the last traces from the file.

        Returns:
            Whether nothing is left: False when another cycle names the same address, or its
            account has a role as staff. Person and account then stay.

        Raises:
            NotFoundError: If the roster has no such number.
        """
        found = next((r for r in self.reviewers() if r.number == number), None)
        if found is None:
            raise NotFoundError("reviewer_number_not_in_roster", cycle=self._id, number=number)
        person = self._connection.execute(
            select(ROSTER.c.person_id).filter_by(cycle_id=self._id, number=number)
        ).scalar_one()
        self._empty_roster_entry(number)
        self._forget_person(person)
        words = self._names_of(found.name, found.email)
        is_staff = self._is_staff(found.email)
        self._erase_what_they_gave(number, found.external_id, [*words, found.external_id])
        if not is_staff:
            rename_actor(
                self._connection, self._id, [*words, found.external_id], f"reviewer {number}"
            )
        self._erase_mails_to(found.email)
        self._erase_reviewer_id(number, found.external_id)
        self._unseal(cut_out(self._connection, self._id, words))
        forget_answers(self._connection, (*words, f'"{found.external_id}"'))
        # Asked after the person was deleted, so that only other entries count.
        known = self._is_known(found.email)
        if found.email and not is_staff and not known:
            self._erase_account(found.email)
        return not is_staff and not known

    def _names_of(self, name: str, email: str) -> list[str]:
        """List the names of a person: on the roster, and as an account's owner."""
        address = email.strip().lower()
        account = self._connection.execute(
            select(ACCOUNT.c.name).where(ACCOUNT.c.email == address)
        ).scalar_one_or_none()
        return [one for one in dict.fromkeys((name, email, address, account)) if one]

    def _empty_roster_entry(self, number: int) -> None:
        """Replace a roster entry's person with a nameless one, and delete the entry's details."""
        taken = select(ROSTER.c.external_id).filter_by(
            cycle_id=self._id, external_id=erased_id(number)
        )
        nobody = uuid4().hex
        # A new entry may have taken the erased one's usual id; ids are unique in a cycle.
        suffix = f"-{nobody[:8]}" if self._connection.execute(taken).first() else ""
        self._connection.execute(insert(PERSON), {"id": nobody, "name": "", "email": ""})
        self._connection.execute(
            update(ROSTER)
            .where(ROSTER.c.cycle_id == self._id, ROSTER.c.number == number)
            .values(
                external_id=erased_id(number) + suffix, person_id=nobody, panel="", active=False
            )
        )
        for table in (EXPERTISE, ROSTER_ABSENCE):
            self._connection.execute(
                delete(table).where(table.c.cycle_id == self._id, table.c.reviewer == number)
            )
        asked = select(ASSIGNMENT.c.id).filter_by(cycle_id=self._id, reviewer=number)
        self._connection.execute(delete(DRAFT).where(DRAFT.c.assignment_id.in_(asked)))

    def _erase_what_they_gave(self, number: int, external_id: str, names: Collection[str]) -> None:
        """Empty the reasons that a reviewer gave, why they left, and where they met applicants."""
        asked = select(ASSIGNMENT.c.id).filter_by(cycle_id=self._id, reviewer=number)
        self._connection.execute(
            update(NOTE)
            .where(
                NOTE.c.cycle_id == self._id,
                or_(
                    and_(NOTE.c.by.in_(names), NOTE.c.subject.in_(asked)),
                    NOTE.c.subject == f"reviewer {external_id}",
                ),
            )
            .values(text="", salt="")
        )
        # Practice files have no applicant whose file a remark would belong to; a hold that was
        # lifted may name the person it was on.
        for table, empty in (
            (PRACTICE_MARK, {"remark": ""}),
            (PRACTICE_NOTE, {"text": ""}),
            (LEGAL_HOLD, {"reason": "", "lifted_reason": ""}),
        ):
            mine = (table.c.cycle_id == self._id, table.c.reviewer == number)
            self._connection.execute(update(table).where(*mine).values(empty))
        # An interview that is still to come keeps its place for the reviewer who takes over.
        over = (
            select(ASSIGNMENT.c.pull_id)
            .join(PULL, PULL.c.id == ASSIGNMENT.c.pull_id)
            .where(
                ASSIGNMENT.c.cycle_id == self._id,
                ASSIGNMENT.c.reviewer == number,
                PULL.c.status.not_in(_WAITING),
            )
        )
        self._connection.execute(
            update(INTERVIEW).where(INTERVIEW.c.pull_id.in_(over)).values(place="", link="")
        )

    def _erase_mails_to(self, email: str) -> None:
        """Delete the waiting mails to an address, and empty the others."""
        if not email:
            return
        mine = (MESSAGE.c.cycle_id == self._id, func.lower(MESSAGE.c.to) == email.lower())
        forget_links(self._connection, select(MESSAGE.c.id).where(*mine))
        self._connection.execute(delete(MESSAGE).where(*mine, MESSAGE.c.state == "queued"))
        self._connection.execute(update(MESSAGE).where(*mine).values(NO_MAIL))

    def _erase_reviewer_id(self, number: int, external_id: str) -> None:
        """Replace the office's id with the number wherever the cycle's log names it."""
        instead = f"reviewer {number}"
        acts, notes = AUDIT.c.cycle_id == self._id, NOTE.c.cycle_id == self._id
        self._connection.execute(
            update(AUDIT).where(acts, AUDIT.c.about == external_id).values(about=instead)
        )
        for table, columns, rows in (
            (AUDIT, (AUDIT.c.about, AUDIT.c.detail), acts),
            (NOTE, (NOTE.c.subject,), notes),
        ):
            replace_words(
                self._connection, table, columns, rows, [f"reviewer {external_id}"], instead
            )
        mails = MESSAGE.c.cycle_id == self._id
        replace_words(self._connection, MESSAGE, MAIL_PARTS, mails, [external_id])

    def _is_staff(self, email: str) -> bool:
        """Whether the account of an address has a role anywhere."""
        account = select(ACCOUNT.c.id).where(ACCOUNT.c.email == email.strip().lower())
        grants = select(ROLE_GRANT.c.who).where(ROLE_GRANT.c.who.in_(account))
        groups = select(ACCOUNT_GROUP.c.account_id).where(ACCOUNT_GROUP.c.account_id.in_(account))
        found = self._connection.execute(union_all(grants, groups).limit(1))
        return bool(email) and found.first() is not None

    def _is_known(self, email: str) -> bool:
        """Whether an address still belongs to a person somewhere."""
        person = select(PERSON.c.id).where(func.lower(PERSON.c.email) == email.lower()).limit(1)
        return bool(email) and self._connection.execute(person).first() is not None

    def _erase_account(self, email: str) -> None:
        """Delete an account with its sessions and keys, and its address from the office's log."""
        address = email.strip().lower()
        account = self._connection.execute(
            select(ACCOUNT.c.id, ACCOUNT.c.name).where(ACCOUNT.c.email == address)
        ).one_or_none()
        self._connection.execute(delete(SIGN_IN).where(func.lower(SIGN_IN.c.email) == address))
        self._connection.execute(
            delete(MESSAGE).where(
                MESSAGE.c.cycle_id.is_(None), func.lower(MESSAGE.c.to) == address
            )
        )
        if account is not None:
            # Found by the foreign keys, so that a table that comes later is not forgotten.
            for table in METADATA.sorted_tables:
                for column in table.c:
                    if any(key.column is ACCOUNT.c.id for key in column.foreign_keys):
                        self._connection.execute(delete(table).where(column == account.id))
            self._connection.execute(delete(ACCOUNT).where(ACCOUNT.c.id == account.id))
        names = [address, *([account.name] if account is not None and account.name else [])]
        columns = (AUDIT.c.who, AUDIT.c.about, AUDIT.c.detail)
        replace_words(self._connection, AUDIT, columns, None, names)
