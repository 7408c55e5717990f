"""The next release: this code with one more migration, rolled out while everybody works."""

import os
import random
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from swapflow.ledger.core.schema_revision import newest_revision
from tests.chaos.deployment import ROOT, Deployment


MIGRATION = '''"""What a next release might add: a column that old code does not know, an index."""

import sqlalchemy as sa
from alembic import op

revision = "{revision}"
down_revision = "{before}"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("cycle", sa.Column("note_{revision}", sa.String(), nullable=True))
    op.create_index("ix_assignment_note_{revision}", "assignment", ["cycle_id", "created_at"])


def downgrade() -> None:
    op.drop_index("ix_assignment_note_{revision}", "assignment")
    op.drop_column("cycle", "note_{revision}")
'''


class Release:
    """What runs, and what comes next."""

    def __init__(self, deployment: Deployment) -> None:
        self._on = deployment
        self._before = newest_revision()

    def upgrade(self, chance: random.Random) -> None:
        """Migrate under the old processes, kill one of them, then replace them one by one."""
        revision = f"{int(self._before) + 1:04}"
        folder = self._copy(revision)
        self._migrate(folder)
        # An old process that dies now comes back as an old one, on tables newer than it knows.
        self._on.replace(chance.choice(self._on.names), signal.SIGKILL)
        (self._on.folder / "release").write_text(str(folder), encoding="utf-8")
        self._before = revision
        self.roll(chance)

    def roll(self, chance: random.Random) -> None:
        """Replace every process in order, each once the one before serves again."""
        for name in chance.sample(self._on.names, len(self._on.names)):
            self._on.replace(name, signal.SIGTERM)

    def _copy(self, revision: str) -> Path:
        release = self._on.folder / "release"
        now = Path(release.read_text("utf-8")) if release.exists() else ROOT
        folder = self._on.folder / f"release-{revision}"
        for package in ("swapflow", "workers"):
            shutil.copytree(now / package, folder / package)
        versions = folder / "swapflow" / "ledger" / "migrations" / "versions"
        text = MIGRATION.format(revision=revision, before=self._before)
        (versions / f"{revision}_next.py").write_text(text, encoding="utf-8")
        return folder

    def _migrate(self, folder: Path) -> None:
        environment = {
            **os.environ,
            **self._on.environment,
            "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}",
        }
        subprocess.run(
            [sys.executable, "-m", "swapflow.cli.main", "db", "upgrade"],
            env=environment,
            cwd=folder,
            check=True,
            capture_output=True,
        )
