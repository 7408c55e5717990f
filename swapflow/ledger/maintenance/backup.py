"""Backups of the database as of one moment, taken during work, and their restoration.

SQLite is copied by its own online backup; PostgreSQL by `pg_dump` and `pg_restore`, the tools that
come with it and know every version. They get passwords by the environment: every user of the
machine can read a command line.
"""

import os
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from sqlalchemy import inspect, select, text

from swapflow.errors import ConflictError, InvalidInputError, UnavailableError
from swapflow.ledger.core.database import Database
from swapflow.ledger.core.schema_revision import VERSIONS
from swapflow.ledger.schema import CYCLE
from swapflow.ledger.sql_ledger import SqlLedger


_SQLITE_MAGIC = b"SQLite format 3\x00"
_DUMP_MAGIC = b"PGDMP"


def back_up(url: str, path: Path) -> None:
    """Copy a database as of one moment into a new file, while others continue to write.

    The file appears under its name only when it is whole and on disk; nobody but its owner can
    read it.

    Args:
        url: The database.
        path: The new file; its folder is created.

    Raises:
        InvalidInputError: If the file exists.
        UnavailableError: If the database does not answer, or the copy cannot be written.
    """
    if path.exists():
        raise InvalidInputError("backup_file_exists", path=path)
    database = Database(url)
    if database.file is not None and not database.file.exists():
        raise UnavailableError("nothing_to_back_up", file=database.file)
    # Beside the target, since a rename is atomic only within one file system.
    part = path.with_name(f".{path.name}.part")
    try:
        with _told(path):
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            part.unlink(missing_ok=True)
            if database.is_sqlite:
                _copy_sqlite(url, part)
            else:
                with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
                    _run_tool("pg_dump", ["--format=custom", "--no-owner"], database, into=file)
            _sync(part)
            part.rename(path)
            _sync(path.parent)
    finally:
        database.dispose()
        part.unlink(missing_ok=True)


def restore(url: str, path: Path, *, now: datetime | None = None) -> Path | None:
    """Replace a database that nobody uses with a copy.

    Args:
        url: The database.
        path: A file that `back_up` wrote.
        now: The time in the name of the file set aside.

    Returns:
        The new place of the former SQLite file; None for PostgreSQL, or if there was none.

    Raises:
        InvalidInputError: If the file is no such copy, is damaged, or comes from a newer version.
        ConflictError: If a coordinator or another session uses the database; nothing was changed.
        UnavailableError: If the database does not answer.
    """
    database = Database(url)
    try:
        _refuse_while_used(database)
        if database.file is None:
            if _magic(path) != _DUMP_MAGIC:
                raise InvalidInputError("not_a_postgresql_dump", path=path)
            options = ["--clean", "--if-exists", "--single-transaction", "--no-owner"]
            options.append(f"--dbname={database.url.database}")
            with path.open("rb") as file:
                _run_tool("pg_restore", options, database, of=file)
            return None
        _check_copy(path)
        return _put_in_place(database.file, path, now or datetime.now(UTC))
    finally:
        database.dispose()


def _copy_sqlite(url: str, part: Path) -> None:
    ledger = SqlLedger(url)
    # Before the file exists: a chmod afterwards would leave it readable for a moment.
    mask = os.umask(0o077)
    try:
        ledger.backup(part)
    finally:
        os.umask(mask)
        ledger.dispose()
    _check_copy(part)


def _put_in_place(file: Path, copy: Path, now: datetime) -> Path | None:
    """Replace a SQLite file with a copy, by renames: a crash leaves the old one or the new one."""
    part = file.with_name(f".{file.name}.restoring")
    aside = None
    with _told(file):
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        shutil.copyfile(copy, part)
        part.chmod(0o600)
        _sync(part)
        if file.exists():
            # The write-ahead log goes into the file first, so that the file is complete.
            with closing(sqlite3.connect(file)) as old:
                old.execute("PRAGMA wal_checkpoint(TRUNCATE)").close()
            aside = file.with_name(f"{file.stem}.{now:%Y%m%dT%H%M%S}.replaced")
            # A link and not a rename: until the last rename the database keeps its name.
            os.link(file, aside)
        # SQLite would apply the log of the old database to the new one.
        for suffix in ("-wal", "-shm"):
            file.with_name(file.name + suffix).unlink(missing_ok=True)
        part.rename(file)
        _sync(file.parent)
    return aside


def _check_copy(path: Path) -> None:
    """Raise for a file that is not a whole SQLite ledger of this version or an older one."""
    if _magic(path) != _SQLITE_MAGIC:
        raise InvalidInputError("not_a_sqlite_copy", path=path)
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)) as copy:
            damage = copy.execute("PRAGMA quick_check(1)").fetchone()[0]
            seen = copy.execute("SELECT version_num FROM alembic_version").fetchall()
    except sqlite3.DatabaseError as error:
        raise InvalidInputError("backup_damaged", path=path, problem=error) from error
    if damage != "ok":
        raise InvalidInputError("backup_damaged", path=path, problem=damage)
    known = {file.name.partition("_")[0] for file in VERSIONS.glob("[0-9]*.py")}
    newer = {str(row[0]) for row in seen} - known
    if newer:
        raise InvalidInputError("backup_of_later_version", path=path, migrations=sorted(newer))


def _refuse_while_used(database: Database) -> None:
    """Raise while a coordinator holds a cycle, or another session uses the database."""
    if database.file is not None and not database.file.exists():
        return
    with database.reading() as connection:
        if not inspect(connection).has_table("cycle"):
            return
        now = database.now(connection, real=True)
        led = connection.execute(
            select(CYCLE.c.lease_holder).where(CYCLE.c.lease_until > now).limit(1)
        ).scalar()
        others = 0
        if not database.is_sqlite:
            others = connection.execute(
                text(
                    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
                    "AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
                )
            ).scalar_one()
    if led is not None or others:
        who = f"coordinator {led}" if led is not None else f"{others} other sessions"
        raise ConflictError("database_in_use", who=who)


def _run_tool(
    tool: str,
    options: Sequence[str],
    database: Database,
    *,
    into: IO[bytes] | None = None,
    of: IO[bytes] | None = None,
) -> None:
    """Run one of PostgreSQL's own tools on a database.

    Raises:
        UnavailableError: If it is not installed, or fails.
    """
    found = shutil.which(tool)
    if found is None:
        raise UnavailableError("database_tool_missing", tool=tool)
    url = database.url
    query = {key: value for key, value in url.query.items() if isinstance(value, str)}
    environment = os.environ | {
        name: str(value)
        for name, value in {
            "PGHOST": url.host or query.get("host"),
            "PGPORT": url.port or query.get("port"),
            "PGUSER": url.username,
            # In the environment: every user of the machine can read the arguments of a process.
            "PGPASSWORD": url.password,
            "PGDATABASE": url.database,
            "PGTARGETSESSIONATTRS": query.get("target_session_attrs"),
            "PGSSLMODE": query.get("sslmode"),
            "PGSSLROOTCERT": query.get("sslrootcert"),
        }.items()
        if value is not None
    }
    done = subprocess.run(  # noqa: S603 - a tool found on the PATH, options made here
        [found, *options],
        env=environment,
        stdin=of or subprocess.DEVNULL,
        stdout=into or subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        check=False,
    )
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").split("\n")
        shown = "; ".join(line.strip() for line in said if line.strip())
        raise UnavailableError("database_tool_failed", tool=tool, problem=shown or done.returncode)


def _magic(path: Path) -> bytes:
    """Read the type of a file from its first bytes; an unreadable one is bad input."""
    try:
        with path.open("rb") as file:
            start = file.read(len(_SQLITE_MAGIC))
    except OSError as error:
        raise InvalidInputError("backup_unreadable", path=path, problem=error.strerror) from error
    return _DUMP_MAGIC if start.startswith(_DUMP_MAGIC) else start


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Convert the disk's errors into one error that names the place."""
    try:
        yield
    except OSError as error:
        raise UnavailableError(
            "backup_folder_unwritable", path=error.filename or path, problem=error.strerror
        ) from error
    except sqlite3.Error as error:
        raise UnavailableError("backup_unwritable", path=path, problem=error) from error


def _sync(path: Path) -> None:
    """Wait until a file, or a folder's list of files, is on disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        with suppress(OSError):  # some file systems know no sync of a folder
            os.fsync(descriptor)
    finally:
        os.close(descriptor)
