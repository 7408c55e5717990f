"""What a process asks of a database at its start, held against Alembic's own answer."""

import subprocess
import sys
from pathlib import Path

import pytest

from swapflow.errors import UnavailableError
from swapflow.ledger.core.schema_revision import is_current
from swapflow.ledger.maintenance.upgrade import downgrade, pending_migrations, upgrade


def test_a_database_is_current_exactly_when_alembic_has_nothing_to_do(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'ledger.db'}"
    assert not is_current(url)

    upgrade(url)
    assert is_current(url)
    assert pending_migrations(url) == ()

    downgrade(url)
    assert not is_current(url)


def test_a_database_that_does_not_answer_is_not_taken_for_an_old_one(tmp_path: Path) -> None:
    with pytest.raises(UnavailableError, match="did not answer"):
        is_current(f"sqlite:///{tmp_path / 'missing' / 'ledger.db'}")


def test_a_process_starts_without_alembic_and_the_solver() -> None:
    script = (
        "import sys, swapflow.bootstrap; print(*{'alembic', 'scipy.optimize'} & set(sys.modules))"
    )
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)

    assert said.stdout.strip() == b""
