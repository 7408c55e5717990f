"""Imported fields of applicants, and writes of later lists."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy import Connection, Table, bindparam, delete, insert, select
from typing_extensions import override

from swapflow.domain.people.application import Application, NewApplication, listed_values
from swapflow.engine.ports.writes.people import PeopleWrites as PeopleWritesPort
from swapflow.errors import NotFoundError
from swapflow.ledger.core.statements import insert_all
from swapflow.ledger.cycle.people import PeopleWrites
from swapflow.ledger.schema import (
    APPLICATION,
    DOCUMENT,
    DOCUMENT_CONTENT,
    IMPORTED,
    LIST_READING,
    MONITORING_ATTRIBUTE,
    SELECTION_ATTRIBUTE,
)


def read_imported_values(connection: Connection, cycle_id: str) -> dict[int, dict[str, str]]:
    """Read the latest imported fields of each applicant that is not erased, by number."""
    rows = connection.execute(
        select(IMPORTED.c.application, IMPORTED.c.said).where(IMPORTED.c.cycle_id == cycle_id)
    )
    return {row.application: dict(row.said) for row in rows}


def read_list_reading(connection: Connection, cycle_id: str, what: str) -> dict[str, str]:
    """Read the settings with which a list of this kind was read last; {} if there are none."""
    found = connection.execute(
        select(LIST_READING.c.settings).where(
            LIST_READING.c.cycle_id == cycle_id, LIST_READING.c.what == what
        )
    ).scalar_one_or_none()
    return dict(found or {})


def store_list_reading(
    connection: Connection,
    cycle_id: str,
    what: str,
    settings: Mapping[str, str],
    *,
    by: str,
    at: datetime,
) -> None:
    """Store the settings with which a list of this kind was read, replacing earlier ones."""
    connection.execute(
        delete(LIST_READING).where(
            LIST_READING.c.cycle_id == cycle_id, LIST_READING.c.what == what
        )
    )
    row = {"cycle_id": cycle_id, "what": what, "settings": dict(settings), "by": by, "at": at}
    connection.execute(insert(LIST_READING), row)


def read_list_readings(connection: Connection, what: Sequence[str]) -> list[dict[str, str]]:
    """Read the settings of every program's lists of some kinds, those stored last at the end."""
    rows = connection.execute(
        select(LIST_READING.c.settings)
        .where(LIST_READING.c.what.in_(what))
        .order_by(LIST_READING.c.at, LIST_READING.c.cycle_id, LIST_READING.c.what)
    )
    return [dict(row.settings) for row in rows]


class ImportedListWrites(PeopleWrites, PeopleWritesPort):
    """The part of a transaction that writes imported lists."""

    @override
    def add_applications(
        self, new: Sequence[NewApplication], ties: Sequence[int], *, wave: int
    ) -> tuple[Application, ...]:
        added = super().add_applications(new, ties, wave=wave)
        self.store_imported_values(
            {a.number: listed_values(row) for a, row in zip(added, new, strict=True)}
        )
        return added

    @override
    def imported_values(self) -> dict[int, dict[str, str]]:
        return read_imported_values(self._connection, self._id)

    @override
    def store_imported_values(self, said_of: Mapping[int, Mapping[str, str]]) -> None:
        if not said_of:
            return
        self._connection.execute(
            delete(IMPORTED).where(
                IMPORTED.c.cycle_id == self._id, IMPORTED.c.application == bindparam("number")
            ),
            [{"number": number} for number in said_of],
        )
        insert_all(
            self._connection,
            IMPORTED,
            [
                {"cycle_id": self._id, "application": number, "said": dict(words)}
                for number, words in said_of.items()
            ],
        )

    @override
    def list_reading(self, what: str) -> dict[str, str]:
        return read_list_reading(self._connection, self._id, what)

    @override
    def keep_list_reading(self, what: str, settings: Mapping[str, str], *, by: str) -> None:
        store_list_reading(self._connection, self._id, what, settings, by=by, at=self._now)

    @override
    def change_application(self, changed: Application) -> None:
        there = self.applications([changed.number])
        if not there:
            raise NotFoundError(
                "application_number_not_in_cycle", cycle=self._id, number=changed.number
            )
        if (there[0].name, there[0].email) != (changed.name, changed.email):
            self._link_person(APPLICATION, changed.number, changed.name, changed.email)
        if there[0].fields != changed.fields:
            self._change_application(changed.number, {"fields": dict(changed.fields)})
        if there[0].attributes != changed.attributes:
            self._replace(
                SELECTION_ATTRIBUTE, changed.number, changed.attributes, all_of_them=True
            )

    @override
    def write_monitoring(self, number: int, values: Mapping[str, str]) -> None:
        self._replace(MONITORING_ATTRIBUTE, number, values, all_of_them=False)

    @override
    def put_link(self, number: int, name: str, link: str, *, redacted: bool) -> bool:
        within = {"cycle_id": self._id, "application": number}
        there = self._connection.execute(
            select(DOCUMENT.c.position, DOCUMENT.c.version, DOCUMENT.c.name).filter_by(**within)
        ).all()
        same = next((row for row in there if row.name == name), None)
        position = 1 + max((row.position for row in there), default=-1)
        if same is not None:
            position = same.position
            place = {**within, "position": position}
            if self._connection.execute(select(DOCUMENT_CONTENT.c.at).filter_by(**place)).first():
                return False
            self._connection.execute(delete(DOCUMENT).filter_by(**place))
        about = {"name": name, "link": link, "redacted": redacted}
        version = 1 if same is None else same.version + 1
        self._connection.execute(
            insert(DOCUMENT), {**within, **about, "position": position, "version": version}
        )
        return True

    def _replace(
        self, table: Table, number: int, values: Mapping[str, str], *, all_of_them: bool
    ) -> None:
        """Write an applicant's attributes; the others are removed, or stay."""
        within = {"cycle_id": self._id, "application": number}
        gone = delete(table).filter_by(**within)
        self._connection.execute(
            gone if all_of_them else gone.where(table.c.name.in_(list(values)))
        )
        insert_all(
            self._connection,
            table,
            [{**within, "name": name, "value": value} for name, value in values.items()],
        )
