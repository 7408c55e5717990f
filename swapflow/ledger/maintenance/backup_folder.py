"""The folder of backups beside a database: listed, made, opened for a rehearsal, deleted."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from sqlalchemy import create_engine, text
from sqlalchemy.exc import SQLAlchemyError
from typing_extensions import override

from swapflow.engine.ports.backup_store import BackupStore, StoredCopy
from swapflow.engine.ports.ledger import Ledger
from swapflow.errors import NotFoundError, UnavailableError
from swapflow.ledger.core.database import Database
from swapflow.ledger.maintenance.backup import back_up, restore
from swapflow.ledger.sql_ledger import SqlLedger


class BackupFolder(BackupStore):
    """Backups of one database, as files of one folder."""

    def __init__(self, url: str, folder: Path) -> None:
        """Take a database and the folder; the first backup makes the folder."""
        self._url = url
        self._folder = folder

    @override
    def copies(self) -> tuple[StoredCopy, ...]:
        found = [_copy(file, is_backup=True) for file in self._folder.glob("*.backup")]
        found += [_copy(file, is_backup=False) for file in self._set_aside()]
        return tuple(sorted(found, key=lambda one: (one.made_at, one.name), reverse=True))

    @override
    def delete(self, copy: StoredCopy) -> None:
        places = [self._folder / copy.name] if copy.is_backup else list(self._set_aside())
        for file in places:
            if file.name == copy.name:
                try:
                    file.unlink(missing_ok=True)
                except OSError as error:
                    raise UnavailableError(
                        "backup_folder_unwritable", path=file, problem=error.strerror
                    ) from error

    @override
    def expected_size(self) -> int:
        database = Database(self._url)
        try:
            if database.file is not None:
                return database.file.stat().st_size if database.file.exists() else 0
            with database.reading() as connection:
                size = text("SELECT pg_database_size(current_database())")
                return int(connection.execute(size).scalar_one())
        finally:
            database.dispose()

    @override
    def written(self, name: str) -> int:
        for file in (self._folder / f".{name}.part", self._folder / name):
            if file.exists():
                return file.stat().st_size
        return 0

    @override
    def make(self, name: str) -> StoredCopy:
        file = self._folder / name
        back_up(self._url, file)
        return _copy(file, is_backup=True)

    @override
    @contextmanager
    def opened(self, name: str) -> Iterator[Ledger]:
        file = self._folder / name
        if Path(name).name != name or not file.is_file():
            raise NotFoundError("backup_not_found", file=name)
        # Imports Alembic, which pages do without.
        from swapflow.ledger.maintenance.upgrade import upgrade  # noqa: PLC0415

        with self._beside() as url:
            restore(url, file)
            upgrade(url)
            ledger = SqlLedger(url)
            try:
                yield ledger
            finally:
                ledger.dispose()

    @contextmanager
    def _beside(self) -> Iterator[str]:
        """Make an empty place of the database's kind, and remove it with all it holds."""
        database = Database(self._url)
        try:
            if database.is_sqlite:
                # On the disk of the backups: a folder for temporary files may be small and shared.
                place = tempfile.mkdtemp(prefix=".rehearsal-", dir=self._folder)
                try:
                    yield f"sqlite:///{place}/swapflow.db"
                finally:
                    shutil.rmtree(place, ignore_errors=True)
                return
            name = f"swapflow_rehearsal_{uuid4().hex[:12]}"
            _on_server(database, f'CREATE DATABASE "{name}" TEMPLATE template0')
            try:
                yield database.url.set(database=name).render_as_string(hide_password=False)
            finally:
                _on_server(database, f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
        finally:
            database.dispose()

    def _set_aside(self) -> Iterator[Path]:
        """List what a restore or an upgrade set aside beside a SQLite file."""
        database = Database(self._url)
        file = database.file
        database.dispose()
        if file is not None:
            for ending in ("backup", "replaced"):
                yield from file.parent.glob(f"{file.stem}.*.{ending}")


def _copy(file: Path, *, is_backup: bool) -> StoredCopy:
    seen = file.stat()
    return StoredCopy(
        name=file.name,
        made_at=datetime.fromtimestamp(seen.st_mtime, UTC),
        size=seen.st_size,
        is_backup=is_backup,
    )


def _on_server(database: Database, statement: str) -> None:
    """Run what PostgreSQL allows in no transaction."""
    engine = create_engine(database.url, isolation_level="AUTOCOMMIT")
    try:
        with engine.connect() as connection:
            connection.exec_driver_sql(statement)
    except SQLAlchemyError as error:
        problem = str(getattr(error, "orig", error)).strip()
        raise UnavailableError("rehearsal_database_refused", problem=problem) from error
    finally:
        engine.dispose()
