r"""Makes a record of the release at hand: a finished program with its bundle, and a running one.

README.md says with which code each file was made, and by which commands.
"""

import gzip
import json
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from swapflow.engine.audit.finished_cycle import gather_finished_cycle
from swapflow.files.bundles.bundle import bundle
from swapflow.files.bundles.signing_keys import Signer
from tests.engine.cycle_by_hand import CYCLE, World, rules
from tests.engine.everything_decided import everything
from tests.support.migrated import new_database


HERE = Path(__file__).parent
KEY = Signer(Ed25519PrivateKey.from_private_bytes(bytes(range(32))))
"""A key that everybody knows: it signs nothing but these bundles."""


def dump(database: Path, to: Path) -> None:
    """Write a database as SQL."""
    with closing(sqlite3.connect(database)) as connection:
        text = "\n".join(connection.iterdump()) + "\n"
    to.write_bytes(gzip.compress(text.encode(), mtime=0))


def main(name: str, folder: Path) -> None:
    """Make the files of one release, called `name`, by way of a folder for databases."""
    folder.mkdir(parents=True, exist_ok=True)
    finished = everything(new_database(folder / "finished.db"))
    closed = gather_finished_cycle(CYCLE, ledger=finished.ledger)
    (HERE / f"{name}.bundle").write_bytes(bundle(closed, KEY))
    finished.ledger.dispose()
    dump(folder / "finished.db", HERE / f"{name}_finished.sql.gz")
    running = World(url=new_database(folder / "running.db"), rules=rules(budget=24, out=5))
    for _ in range(3):
        running.turn()
        running.answer_all()
    running.ledger.dispose()
    dump(folder / "running.db", HERE / f"{name}_running.sql.gz")
    whole = World(rules=rules(budget=24, out=5))
    whole.run()
    came_to = {"cohort": whole.cohort(), "decisions": whole.cycle.decisions}
    (HERE / f"{name}_running.json").write_text(json.dumps(came_to) + "\n", "utf-8")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
