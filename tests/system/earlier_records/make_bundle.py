"""Makes a bundle of the record of an earlier release, with the release at hand."""

import gzip
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

from swapflow.engine.audit.finished_cycle import gather_finished_cycle
from swapflow.files.bundles.bundle import bundle
from swapflow.ledger.maintenance.upgrade import upgrade
from swapflow.ledger.sql_ledger import SqlLedger
from tests.engine.cycle_by_hand import CYCLE
from tests.system.earlier_records.make import HERE, KEY


def main(name: str, folder: Path) -> None:
    """Read `name_finished.sql.gz` into a database in a folder, upgrade it, and bundle it."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "swapflow.db"
    file.unlink(missing_ok=True)
    with closing(sqlite3.connect(file)) as database:
        packed = (HERE / f"{name}_finished.sql.gz").read_bytes()
        database.executescript(gzip.decompress(packed).decode())
    upgrade(f"sqlite:///{file}")
    ledger = SqlLedger(f"sqlite:///{file}")
    closed = gather_finished_cycle(CYCLE, ledger=ledger)
    (HERE / f"{name}.bundle").write_bytes(bundle(closed, KEY))
    ledger.dispose()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
