"""Facts about a database and its outboxes, for the health checks."""

import shutil
import stat
import time
from collections import defaultdict
from datetime import timedelta
from pathlib import Path

from sqlalchemy import Connection, func, inspect, select, text

from swapflow.domain.cycle import CycleStatus
from swapflow.domain.reviewing.assignment import AssignmentStatus
from swapflow.engine.ports.health_facts import (
    DatabaseFacts,
    FileFacts,
    Leading,
    Outboxes,
    StandbyFacts,
)
from swapflow.engine.ports.live_state import ALTERED
from swapflow.ledger.core.database import Database
from swapflow.ledger.core.schema_revision import VERSIONS
from swapflow.ledger.schema import (
    ASSIGNMENT,
    CLOCK,
    COORDINATOR,
    CYCLE,
    MESSAGE,
    NOTE,
    WEBHOOK_CALL,
)


LATE = timedelta(minutes=2)
"""Age at which something in an outbox counts as late."""

RECENT = timedelta(days=7)
"""How long it is told that a live state was altered."""

LED = (CycleStatus.RUNNING.value, CycleStatus.PROPOSED.value)
"""Statuses in which a coordinator holds a cycle's lease."""


def look_at_database(url: str) -> DatabaseFacts:
    """Read the facts of a database without changing anything.

    A missing SQLite file is not created.

    Raises:
        InvalidInputError: If the address cannot be read.
        UnavailableError: If it does not answer.
    """
    database = Database(url)
    known = sorted(file.name.partition("_")[0] for file in VERSIONS.glob("[0-9]*.py"))
    try:
        revision, offset, ahead, outboxes, version = "", 0.0, 0.0, None, _name(database)
        standbys = None
        if database.file is None or database.file.exists():
            with database.reading() as connection:
                version = _version(connection, database)
                if inspect(connection).has_table("alembic_version"):
                    found = connection.execute(text("SELECT version_num FROM alembic_version"))
                    revision = max(map(str, found.scalars()), default="")
                if revision == known[-1]:
                    offset = connection.execute(select(CLOCK.c.offset_seconds)).scalar_one()
                    outboxes = _outboxes(connection, database)
                ahead = _ahead(connection, database)
                standbys = _standbys(connection, database)
    finally:
        database.dispose()
    return DatabaseFacts(
        version=version,
        place=database.url.render_as_string(hide_password=True),
        ahead=ahead,
        offset=float(offset),
        revision=revision,
        newest=known[-1],
        known=revision in {"", *known},
        outboxes=outboxes,
        file=None if database.file is None else _file(database.file),
        standbys=standbys,
    )


def _name(database: Database) -> str:
    return "SQLite" if database.is_sqlite else "PostgreSQL"


def _version(connection: Connection, database: Database) -> str:
    query = "SELECT sqlite_version()" if database.is_sqlite else "SHOW server_version"
    return f"{_name(database)} {connection.execute(text(query)).scalar_one()}"


def _ahead(connection: Connection, database: Database) -> float:
    if database.is_sqlite:  # it has no clock of its own
        return 0.0
    before = time.time()
    there = connection.execute(select(func.clock_timestamp())).scalar_one()
    return float(there.timestamp() - (before + time.time()) / 2)


_STANDBYS = """
SELECT current_setting('synchronous_standby_names'), current_setting('synchronous_commit'),
       (SELECT count(*) FROM pg_stat_replication)
"""

WAITING = ("on", "remote_apply")
"""Values of `synchronous_commit` at which a commit waits for a replica's disk."""


def _standbys(connection: Connection, database: Database) -> StandbyFacts | None:
    hosts = str(database.url.query.get("host", "")).split(",")
    if database.is_sqlite or len(hosts) == 1:
        return None
    named, commit, streaming = connection.execute(text(_STANDBYS)).one()
    return StandbyFacts(
        hosts=len(hosts),
        streaming=int(streaming),
        waits=bool(named.strip()) and commit in WAITING,
        named=named,
        commit=commit,
    )


def _outboxes(connection: Connection, database: Database) -> Outboxes:
    late = database.now(connection) - LATE
    real = database.now(connection, real=True)

    def count(*conditions: object) -> int:
        query = select(func.count()).where(*conditions)  # type: ignore[arg-type]  # columns' operators
        return int(connection.execute(query).scalar_one())

    running = select(CYCLE.c.id).where(CYCLE.c.status == CycleStatus.RUNNING.value)
    queued = ASSIGNMENT.c.status == AssignmentStatus.QUEUED.value
    leaderless = connection.execute(
        select(CYCLE.c.id)
        .where(
            CYCLE.c.status.in_(LED),
            CYCLE.c.lease_until.is_(None) | (CYCLE.c.lease_until < real),
        )
        .order_by(CYCLE.c.id)
    ).scalars()
    leaders = (
        select(CYCLE.c.lease_holder, CYCLE.c.id)
        .where(CYCLE.c.lease_until >= real)
        .order_by(CYCLE.c.id)
    )
    leading = defaultdict[str, list[str]](list)
    for holder, cycle_id in connection.execute(leaders):
        leading[holder].append(cycle_id)
    there = connection.execute(
        select(COORDINATOR.c.holder, COORDINATOR.c.since).where(COORDINATOR.c.until >= real)
    )
    since = {row.holder: row.since for row in there}
    altered = (
        select(NOTE.c.cycle_id)
        .where(NOTE.c.subject == ALTERED, NOTE.c.at > database.now(connection) - RECENT)
        .distinct()
        .order_by(NOTE.c.cycle_id)
    )
    return Outboxes(
        leaderless=tuple(leaderless),
        unsent=count(
            queued,
            ASSIGNMENT.c.sent_at.is_(None),
            ASSIGNMENT.c.created_at < late,
            ASSIGNMENT.c.cycle_id.in_(running),
        ),
        undelivered=count(queued, ASSIGNMENT.c.sent_at < late),
        mails_waiting=count(
            MESSAGE.c.state.in_(("queued", "sending")), MESSAGE.c.created_at < late
        ),
        mails_failed=count(MESSAGE.c.state.startswith("failed")),
        calls_failed=count(WEBHOOK_CALL.c.state == "failed"),
        coordinators=tuple(
            Leading(holder=name, programs=tuple(leading[name]), since=since.get(name))
            for name in sorted(leading.keys() | since.keys())
        ),
        altered=tuple(connection.execute(altered).scalars()),
    )


def _file(path: Path) -> FileFacts:
    folder = path.parent if path.parent.exists() else Path.cwd()
    room = shutil.disk_usage(folder)
    return FileFacts(
        path=path,
        open_to_others=path.exists()
        and bool(path.stat().st_mode & stat.S_IROTH)
        and bool(folder.stat().st_mode & stat.S_IXOTH),
        free=room.free,
        disk=room.total,
    )
